//! The probe: a hairline at one block, its values at the top.

use super::curve::Curve;
use super::gaps::{self, Place};
use super::pill::pill;
use super::scene::{Anchor, Shape, point};
use super::text;
use super::view::{Area, View};
use crate::model::Placement;
use crate::sort::sort_short;
use crate::text::number;

const PITCH: f64 = 19.0;

/// A line of the probe: what was measured, and what theory has there.
struct Row {
    order: f64,
    placement: Placement,
    words: String,
    note: String,
}

impl Row {
    const SIZE: f64 = 13.0;
    const NOTE_SIZE: f64 = 12.0;
    const GAP: f64 = 8.0;

    /// Widths of both parts, each with its distance to the other.
    fn widths(&self) -> [f64; 2] {
        let width = |words: &str, size: f64, strong: bool| match words {
            "" => 0.0,
            words => text::width(words, size, strong) + Self::GAP,
        };
        [width(&self.words, Self::SIZE, true), width(&self.note, Self::NOTE_SIZE, false)]
    }
}

/// Draws the probe over a chart.
pub(super) fn draw(out: &mut Vec<Shape>, curves: &[Curve], block: u32, view: &View, area: &Area) {
    let theme = &view.theme;
    let deepest = view.deepest_of(curves);
    let x = area.x(f64::from(block), deepest).round() + 0.5;
    if x > area.right + 1.0 {
        return;
    }
    out.push(Shape::Hair { from: point(x, area.top), to: point(x, area.base), color: theme.ink_2 });
    let name = view.place_in_words(block, deepest);
    pill(out, name, x, area.base + 4.0, view.width, theme);

    let mut rows: Vec<Row> = Vec::new();
    for curve in curves {
        let block = view.block_of(curve, block, deepest);
        let Some((value, mark)) = curve.at(block) else { continue };
        let Some(words) = curve.in_words(block) else { continue };
        if gaps::place(curve, value, mark, &view.range) == Place::On {
            let at = point(x, area.y(value).clamp(area.top, area.bottom));
            let color = theme.line(curve.placement);
            out.push(Shape::Disc { center: at, radius: 6.1, color, alpha: 1.0 });
            out.push(Shape::Disc { center: at, radius: 3.9, color: theme.background, alpha: 1.0 });
        }
        let order = if value.is_finite() { value } else { f64::INFINITY };
        rows.push(Row { order, placement: curve.placement, words, note: String::new() });
    }
    for theory in &view.theory {
        let of_theory = |curve: &&Curve| curve.placement == theory.placement && !curve.is_kept;
        let block = curves.iter().find(of_theory).map_or(block, |curve| view.block_of(curve, block, deepest));
        let Some(value) = theory.at(block) else { continue };
        let note = format!("{} {}", theory.name, number::value(value));
        // Beside the measured value; where several curves of theory are drawn, each has a line of its own.
        let is_alone = view.theory.iter().filter(|other| other.placement == theory.placement).count() == 1;
        match rows.iter_mut().find(|row| is_alone && row.placement == theory.placement && row.note.is_empty()) {
            Some(row) => row.note = note,
            None => rows.push(Row { order: value, placement: theory.placement, words: String::new(), note }),
        }
    }
    sort_short(&mut rows, |a, b| b.order.total_cmp(&a.order));
    let widest = rows.iter().map(|row| row.widths().iter().sum::<f64>()).fold(0.0, f64::max);
    let to_left = x + 2.0 + widest > area.right;
    for (index, row) in rows.into_iter().enumerate() {
        let y = area.top + 18.0 + PITCH * index as f64;
        let [words, note] = row.widths();
        // From the hairline outwards; the measured value is read first on both sides.
        let (anchor, at) = if to_left {
            (Anchor::End, [x - 10.0 - note, x - 10.0])
        } else {
            (Anchor::Start, [x + 10.0, x + 10.0 + words])
        };
        let parts = [
            (row.words, Row::SIZE, true, theme.text(row.placement), at[0]),
            (row.note, Row::NOTE_SIZE, false, theme.ink_2, at[1]),
        ];
        for (text, size, strong, color, at) in parts.into_iter().filter(|(text, ..)| !text.is_empty()) {
            let halo = Some(theme.background);
            out.push(Shape::Text { at: point(at, y), text, size, strong, color, alpha: 1.0, anchor, halo });
        }
    }
}
