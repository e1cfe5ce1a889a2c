//! The key of a chart: what its dashes and its bands are, in a corner that no curve passes.

use super::curve::Curve;
use super::scene::{Anchor, Point, Shape, dashed, point};
use super::text;
use super::view::{Area, View};
use crate::text::chart as says;

const PITCH: f64 = 18.0;
/// Width of a sample, and from there to its words.
const SAMPLE: f64 = 24.0;
const GAP: f64 = 8.0;
/// From the edges of the plot, and from the curves.
const AIR: f64 = 8.0;

/// What a line of the key shows a sample of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sample {
    Theory,
    Band,
}

/// Draws the key; where no corner is free, the help and the list of theory have to say it.
pub(super) fn draw(out: &mut Vec<Shape>, curves: &[Curve], view: &View, area: &Area) {
    let all = [
        (!view.theory.is_empty(), Sample::Theory, says::key_theory()),
        (curves.iter().any(|curve| !curve.band.is_empty()), Sample::Band, says::key_band()),
    ];
    let lines: Vec<_> = all.into_iter().filter(|(is_there, ..)| *is_there).collect();
    let widest = lines.iter().map(|(.., words)| text::width(words, 12.0, false)).fold(0.0, f64::max);
    let size = (SAMPLE + GAP + widest, PITCH * lines.len() as f64);
    let Some(corner) = corner(&drawn(curves, view, area), size, area).filter(|_| !lines.is_empty()) else { return };
    for (index, (_, sample, words)) in lines.into_iter().enumerate() {
        let y = corner.y + PITCH * (index as f64 + 0.5);
        let ends = [point(corner.x, y), point(corner.x + SAMPLE, y)];
        match sample {
            Sample::Theory => out.extend(dashed(&ends, &[4.0, 3.0], view.theme.ink_2, 1.0, 1.25)),
            Sample::Band => {
                let across = |dy: f64| ends.map(|end| point(end.x, end.y + dy));
                let [a, b] = across(-6.0);
                let [d, c] = across(6.0);
                out.push(Shape::Area { points: vec![a, b, c, d], color: view.theme.ink_2, alpha: 0.25 });
            }
        }
        let at = point(corner.x + SAMPLE + GAP, y + 4.0);
        out.push(Shape::label(at, words.to_owned(), 12.0, view.theme.ink_2, Anchor::Start));
    }
}

/// Where anything is drawn.
fn drawn(curves: &[Curve], view: &View, area: &Area) -> Vec<Point> {
    let mut points = Vec::new();
    for curve in curves {
        let x = |index: usize| area.x(f64::from(curve.block(index)), curve.depth);
        points.extend(curve.values.iter().enumerate().map(|(index, value)| point(x(index), area.y(*value))));
        points.extend(
            curve
                .band
                .iter()
                .enumerate()
                .flat_map(|(index, (low, high))| [*low, *high].map(|edge| point(x(index), area.y(edge)))),
        );
    }
    for theory in &view.theory {
        let x = |index: usize| area.x(f64::from(theory.first) + index as f64, theory.depth);
        points.extend(theory.values.iter().enumerate().map(|(index, value)| point(x(index), area.y(*value))));
    }
    points
}

/// The upper left end of a free corner.
fn corner(points: &[Point], (width, height): (f64, f64), area: &Area) -> Option<Point> {
    let (left, right) = (area.left + AIR, area.right - AIR - width);
    let (top, bottom) = (area.top + AIR, area.bottom - AIR - height);
    let corners = [point(left, top), point(right, bottom), point(left, bottom), point(right, top)];
    corners.into_iter().find(|corner| {
        let is_in = |at: &Point| {
            (corner.x - AIR..=corner.x + width + AIR).contains(&at.x)
                && (corner.y - AIR..=corner.y + height + AIR).contains(&at.y)
        };
        // Between two values a line may pass a corner that neither is in.
        right > left && bottom > top && !points.iter().any(is_in) && !points.windows(2).any(|pair| is_in(&middle(pair)))
    })
}

fn middle(pair: &[Point]) -> Point {
    point(pair[0].x.midpoint(pair[1].x), pair[0].y.midpoint(pair[1].y))
}
