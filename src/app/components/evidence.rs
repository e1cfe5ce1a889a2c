//! A small chart of what a claim was measured by.

use std::iter::repeat;

use crate::app::words;
use crate::chart::block::line;
use crate::chart::style::style;
use crate::claims::{Curve, Evidence, Of, Shown};
use crate::sort::sort_short;

use super::sparklines::{framed, path};

/// What was measured as HTML: curves, with their names from top to bottom, as they end.
pub(in crate::app) fn evidence(shown: &Shown, evidence: &Evidence) -> Option<String> {
    let mut curves = shown.curves(evidence);
    let first = curves.first()?.config.clone()?;
    let measured = curves.iter().filter(|curve| curve.config.is_some());
    let known = measured.flat_map(|curve| &curve.values).copied().filter(|value| value.is_finite());
    let (low, high) =
        known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        // Nothing that is known, and no axis.
        return None;
    }
    // What the claim says may be far off: then it runs out of the picture.
    let said = curves.iter().filter(|curve| curve.config.is_none()).flat_map(|curve| &curve.values);
    let (low, high) =
        said.fold((low, high), |(l, h), value| (l.min(value.max(low / 4.0)), h.max(value.min(high * 4.0))));
    let is_log = low > 0.0 && high > 8.0 * low;
    let place = |value: f64| if is_log { value.ln() } else { value };
    let range = if is_log { (low.ln(), high.ln()) } else { (low.min(0.0), 1.1 * high.max(0.0)) };
    // Models of other depths have other lengths, on one axis.
    let longest = curves.iter().map(|curve| curve.values.len()).max().unwrap_or(0);
    let span = range.1 - range.0;
    let ends = |curve: &Curve| place(curve.values.last().copied().unwrap_or(f64::NAN));
    sort_short(&mut curves, |a, b| ends(b).total_cmp(&ends(a)));
    let drawn = |Curve { config, values }: &Curve| {
        let near = |value: f64| value.clamp(range.0 - span, range.1 + span);
        let places = values.iter().map(|value| near(place(*value)));
        let path = path(&places.chain(repeat(f64::NAN)).take(longest).collect::<Vec<_>>(), range);
        match config {
            Some(config) => line(config.placement, &path),
            None => format!(r#"<path class="back" d="{path}"/>"#),
        }
    };
    let mut drawing = String::new();
    let mut names = String::new();
    for curve in &curves {
        drawing += &drawn(curve);
        let (hue, name) = curve.config.as_ref().map_or_else(
            || ("", words::claimed().to_owned()),
            |config| (style(config.placement).hue.key(), words::model_name(config, &first)),
        );
        names += &format!(r#"<span class="text-{hue}">{name}</span>"#);
    }
    let along = match shown.of {
        Of::Blocks => words::by_block(),
        Of::First => words::first_by_depth(),
        Of::Last => words::last_by_depth(),
        Of::Largest => words::largest_by_depth(),
        Of::Fall => words::fall_by_depth(),
        Of::Step => words::by_depth(),
    };
    let (of, letter, below) = words::title(shown.quantity);
    Some(format!(
        r#"<span class="art">{}</span><p class="axis">{of}{letter}<sub>{below}</sub>, {along}</p><p class="names">{names}</p>"#,
        framed(&drawing),
    ))
}
