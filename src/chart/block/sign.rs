//! A placement by its glyph, its line and its marker.

use std::fmt::Write as _;

use crate::chart::marker;
use crate::chart::scene::point;
use crate::chart::style::{Marker, Style, style};
use crate::model::{Placement, Skip};

/// One sublayer, small: the stream below, the branch above; a lit bar is a norm.
#[must_use]
pub fn glyph(placement: Placement) -> String {
    let recipe = placement.recipe();
    let (width, y, t, a, b) = (64.0, 22.0, 8.0, 9.0, 46.0);
    let bar = |x: f64, y: f64| {
        format!(r#"<rect class="bar" x="{}" y="{}" width="5" height="13" rx="1.5"/>"#, x - 2.5, y - 6.5)
    };
    let mut out = format!(
        r#"<path class="wire" d="M1 {y}H{}M{a} {y}V{}q0-5 5-5H{}q5 0 5 5V{y}"/>"#,
        width - 1.0,
        t + 5.0,
        b - 5.0
    );
    if recipe.skip != Skip::Identity {
        let _ = write!(out, r#"<path class="wire thick" d="M{a} {y}H{b}"/>"#);
    }
    let middle = (a + b) / 2.0;
    let _ = write!(
        out,
        r#"<rect class="box" x="{}" y="{}" width="12" height="12" rx="2"/><circle class="dot" cx="{b}" cy="{y}" r="2.5"/>"#,
        middle - 6.0,
        t - 6.0
    );
    if recipe.input_norm {
        out += &bar(middle - 13.0, t);
    }
    if recipe.branch_norm {
        out += &bar(middle + 13.0, t);
    }
    if recipe.sum_norm {
        out += &bar(b + 9.0, y);
    }
    if recipe.embedding_norm {
        out += &bar(3.5, y);
    }
    format!(r#"<svg class="glyph" width="64" height="30" viewBox="0 0 64 30" aria-hidden="true">{out}</svg>"#)
}

/// The line of a placement with its marker, as the switch shows it; hollow when it is off.
#[must_use]
pub fn sample(placement: Placement, on: bool) -> String {
    let line = if on { line(placement, "M1 8H29") } else { String::new() };
    let sign = sign(placement, 15.0, 8.0, if on { "sign" } else { "sign off" });
    format!(
        r#"<svg class="sample" width="30" height="16" viewBox="0 0 30 16" preserveAspectRatio="xMidYMid slice" aria-hidden="true">{line}{sign}</svg>"#
    )
}

/// A path in the colour and the dash of a placement.
#[must_use]
pub fn line(placement: Placement, path: &str) -> String {
    let Style { hue, dash, .. } = style(placement);
    let hue = hue.key();
    let lengths: Vec<_> = dash.iter().map(f64::to_string).collect();
    let dash = if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{}""#, lengths.join(" ")) };
    format!(r#"<path class="line {hue}"{dash} d="{path}"/>"#)
}

fn sign(placement: Placement, x: f64, y: f64, class: &str) -> String {
    const R: f64 = 4.5;
    let key = style(placement).hue.key();
    match style(placement).marker {
        Marker::Disc => format!(r#"<circle class="{class} {key}" cx="{x}" cy="{y}" r="{R}"/>"#),
        Marker::Ring => format!(r#"<circle class="{class} open {key}" cx="{x}" cy="{y}" r="{}"/>"#, R * 0.85),
        cross @ (Marker::Cross | Marker::Plus) => {
            let a = if cross == Marker::Cross { R * 0.8 } else { R };
            let stroke = |(dx, dy): (f64, f64)| format!("M{} {}L{} {}", x - dx * a, y - dy * a, x + dx * a, y + dy * a);
            format!(r#"<path class="{class} open {key}" d="{}"/>"#, marker::arms(cross).map(stroke).concat())
        }
        sign => {
            let corners = marker::corners(sign, point(x, y), R);
            let list: Vec<_> = corners.iter().map(|p| format!("{:.2} {:.2}", p.x, p.y)).collect();
            let open = if sign.outline_of().is_some() { " open" } else { "" };
            format!(r#"<path class="{class}{open} {key}" d="M{}z"/>"#, list.join("L"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample;
    use crate::model::Placement;

    #[test]
    fn signs_differ() {
        let mut signs: Vec<_> = Placement::ALL.iter().map(|placement| sample(*placement, false)).collect();
        signs.sort();
        signs.dedup();
        assert_eq!(signs.len(), Placement::ALL.len());
    }
}
