//! The probe: a hairline at one block, its values at the top.

use super::curve::Curve;
use super::gaps::{self, Place};
use super::pill::pill;
use super::plot::{deepest, value_in_words};
use super::scene::{Anchor, Shape, point};
use super::text;
use super::view::{Along, Area, View};
use crate::model::Placement;
use crate::sort::sort_short;
use crate::text::{chart as says, number};

const PITCH: f64 = 19.0;

/// A line of the probe.
struct Row {
    order: f64,
    placement: Placement,
    words: String,
    strong: bool,
}

/// Draws the probe over a chart.
pub(super) fn draw(out: &mut Vec<Shape>, curves: &[Curve], block: u32, view: &View, area: &Area) {
    let theme = &view.theme;
    let deepest = deepest(curves);
    let x = area.x(f64::from(block), deepest).round() + 0.5;
    if x > area.right + 1.0 {
        return;
    }
    out.push(Shape::Hair { from: point(x, area.top), to: point(x, area.base), color: theme.ink_2 });
    let name = match view.along {
        Along::Block => says::block(block),
        Along::Share => says::share(number::fixed(f64::from(block) / f64::from(deepest), 2)),
    };
    pill(out, name, x, area.base + 4.0, view.width, theme);

    let mut rows: Vec<Row> = Vec::new();
    for curve in curves {
        let block = view.block_of(curve, block, deepest);
        let Some((value, mark)) = curve.at(block) else { continue };
        let Some(words) = value_in_words(curve, block) else { continue };
        if gaps::place(curve, value, mark, &view.range) == Place::On {
            let at = point(x, area.y(value).clamp(area.top, area.bottom));
            let color = theme.line(curve.placement);
            out.push(Shape::Disc { center: at, radius: 6.1, color, alpha: 1.0 });
            out.push(Shape::Disc { center: at, radius: 3.9, color: theme.background, alpha: 1.0 });
        }
        let order = if value.is_finite() { value } else { f64::INFINITY };
        rows.push(Row { order, placement: curve.placement, words, strong: true });
    }
    for theory in &view.theory {
        let of_theory = |curve: &&Curve| curve.placement == theory.placement && !curve.is_kept;
        let curve = curves.iter().find(of_theory);
        let block = curve.map_or(block, |curve| view.block_of(curve, block, deepest));
        let Some(value) = theory.at(block) else { continue };
        let measured = curve.and_then(|curve| curve.at(block));
        let said = number::value(value);
        let words = match measured {
            Some((measured, None)) => says::measured_times(theory.name, said, number::value(measured / value)),
            _ => format!("{} {said}", theory.name),
        };
        rows.push(Row { order: value, placement: theory.placement, words, strong: false });
    }
    sort_short(&mut rows, |a, b| b.order.total_cmp(&a.order));
    let widest = rows.iter().map(|row| text::width(&row.words, 13.0, row.strong)).fold(0.0, f64::max);
    let to_left = x + 10.0 + widest > area.right;
    let (at, anchor) = if to_left { (x - 10.0, Anchor::End) } else { (x + 10.0, Anchor::Start) };
    for (row, Row { placement, words, strong, .. }) in rows.into_iter().enumerate() {
        out.push(Shape::Text {
            at: point(at, area.top + 18.0 + PITCH * row as f64),
            text: words,
            size: 13.0,
            strong,
            color: theme.text(placement),
            alpha: 1.0,
            anchor,
            halo: Some(theme.background),
        });
    }
}
