//! Labels at the ends of the lines: direct, so that no legend is needed.

use super::curve::Curve;
use super::gaps::{Place, Run, place};
use super::scene::{Anchor, Cap, Shape, point};
use super::text;
use super::view::{Area, View};
use crate::share::Relation;
use crate::sort::sort_short;
use crate::text::number;

/// From the end of a line to its label.
const GAP: f64 = 12.0;
/// Distance of labels of two lines, and of one.
const PITCH: [f64; 2] = [38.0, 18.0];
/// Size of a name, and of a name with its value.
const SIZE: f64 = 13.0;
/// The most that labels may take of a chart's width; a value that needs more is left out.
const MOST: f64 = 0.36;
/// The room for labels changes in steps, so that the plot rests while values gain and lose a digit.
const STEP: f64 = 12.0;
/// Ends nearer than this have no room for a bracket.
const LEAST_BRACKET: f64 = 72.0;
/// From this many curves on, name and value stand on one line.
const COMPACT_FROM: usize = 4;

struct End<'a> {
    curve: &'a Curve,
    value: f64,
    x: f64,
    y: f64,
}

/// Room at the right of the plot.
pub(super) fn margin(curves: &[Curve], view: &View) -> f64 {
    let least: f64 = if view.is_narrow() { 78.0 } else { 84.0 };
    let is_compact = curves.len() >= COMPACT_FROM;
    let room = (view.width * MOST).max(least);
    let of_curve = |curve: &Curve| {
        let name = GAP + text::width(&curve.name, SIZE, true);
        let Some((value, mark)) = curve.at(curve.last_block()) else { return name };
        if place(curve, value, mark, &view.range) != Place::On {
            return name;
        }
        let whole = GAP
            + if is_compact {
                text::width(&in_one(curve, value), SIZE, true)
            } else {
                let value = number::value(value);
                text::width(&value, size_of(&value), true)
            };
        if whole > room { name } else { name.max(whole) }
    };
    let widest = curves.iter().map(of_curve).fold(0.0, f64::max);
    least + ((widest - least).max(0.0) / STEP).ceil() * STEP
}

/// Name and value on one line.
fn in_one(curve: &Curve, value: f64) -> String {
    format!("{} {}", curve.name, number::value(value))
}

/// The size of a value under its name. A power of ten is long: it takes the size of the name.
fn size_of(value: &str) -> f64 {
    if value.contains('×') { 15.0 } else { 20.0 }
}

/// Draws the labels, and the bracket between two.
pub(super) fn draw(out: &mut Vec<Shape>, curves: &[Curve], runs: &[Vec<Run>], view: &View, area: &Area) {
    let mut ends: Vec<End<'_>> = Vec::new();
    for (curve, runs) in curves.iter().zip(runs) {
        if let (Some(value), Some(run)) = (curve.values.last(), runs.last())
            && run.place == Place::On
        {
            let x = area.x(f64::from(curve.last_block()), curve.depth).min(area.right) + GAP;
            ends.push(End { curve, value: *value, x, y: area.y(*value).clamp(area.top, area.bottom) });
        }
    }
    let compact = curves.len() >= COMPACT_FROM;
    let pitch = PITCH[usize::from(compact)];
    if ends.len() as f64 * pitch > area.bottom - area.top + pitch {
        return;
    }
    sort_short(&mut ends, |a, b| a.y.total_cmp(&b.y));
    spread(&mut ends, pitch, area.top + 4.0, area.bottom - if compact { 2.0 } else { 14.0 });
    for end in &ends {
        label(out, end, compact, view);
    }
    if !compact {
        for pair in ends.windows(2) {
            bracket(out, pair, view);
        }
    }
}

/// Moves labels apart until none is nearer to the next than the pitch, and none is past the ends.
fn spread(ends: &mut [End<'_>], pitch: f64, top: f64, bottom: f64) {
    for _ in 0..40 {
        for i in 1..ends.len() {
            let (above, below) = (ends[i - 1].y, ends[i].y);
            if below - above < pitch {
                let middle = (above + below) / 2.0;
                (ends[i - 1].y, ends[i].y) = (middle - pitch / 2.0, middle + pitch / 2.0);
            }
        }
        if let Some(first) = ends.first_mut() {
            first.y = first.y.max(top);
        }
        if let Some(last) = ends.last_mut() {
            last.y = last.y.min(bottom);
        }
    }
}

fn label(out: &mut Vec<Shape>, end: &End<'_>, compact: bool, view: &View) {
    let color = view.theme.text(end.curve.placement);
    let alpha = if end.curve.fresh { 1.0 } else { 0.45 };
    let name = &*end.curve.name;
    let value = number::value(end.value);
    let fits = |text: &str, size: f64| end.x + text::width(text, size, true) <= view.width;
    let mut line = |y: f64, text: String, size: f64| {
        out.push(Shape::Text {
            at: point(end.x, y),
            text,
            size,
            strong: true,
            color,
            alpha,
            anchor: Anchor::Start,
            halo: Some(view.theme.background),
        });
    };
    if compact {
        let both = in_one(end.curve, end.value);
        line(end.y + 4.5, if fits(&both, SIZE) { both } else { name.into() }, SIZE);
    } else {
        let size = size_of(&value);
        line(end.y - 5.0, name.into(), SIZE);
        if fits(&value, size) {
            line(end.y + 15.0, value, size);
        }
    }
}

/// How far two ends are apart, in times.
fn bracket(out: &mut Vec<Shape>, ends: &[End<'_>], view: &View) {
    let (upper, lower) = (&ends[0], &ends[1]);
    let times = upper.value / lower.value;
    let is_kept = upper.curve.is_kept || lower.curve.is_kept;
    // Of two differences it is no measure.
    let is_difference = upper.curve.relation == Relation::Difference;
    let is_one_depth = is_kept || upper.curve.depth == lower.curve.depth;
    if is_difference
        || !is_one_depth
        || upper.curve.fresh != lower.curve.fresh
        || !times.is_finite()
        || times < 2.0
        || lower.y - upper.y <= LEAST_BRACKET
    {
        return;
    }
    let alpha = if upper.curve.fresh { 1.0 } else { 0.45 };
    let (from, to, x) = (upper.y + 25.0, lower.y - 24.0, upper.x + 3.0);
    let middle = (from + to) / 2.0;
    let mut line = |x0: f64, y0: f64, x1: f64, y1: f64| {
        out.push(Shape::Line {
            points: vec![point(x0, y0), point(x1, y1)],
            color: view.theme.ink_3,
            alpha,
            width: 1.0,
            cap: Cap::Butt,
        });
    };
    line(x - 3.0, from, x + 3.0, from);
    line(x, from, x, middle - 12.0);
    line(x, middle + 12.0, x, to);
    line(x - 3.0, to, x + 3.0, to);
    out.push(Shape::Text {
        at: point(x - 3.0, middle + 5.0),
        text: format!("{}×", number::ratio(times)),
        size: 13.0,
        strong: false,
        color: view.theme.ink_2,
        alpha,
        anchor: Anchor::Start,
        halo: Some(view.theme.background),
    });
}
