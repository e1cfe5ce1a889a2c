//! The pen that draws one curve: its line on the axis, and the rails that take it on where it leaves it.

use super::curve::Curve;
use super::gaps::{Place, Run};
use super::marker;
use super::scene::{Anchor, Cap, Point, Shape, dashed, hatch, point};
use super::style::style;
use super::theme::Color;
use super::view::{Area, View};

/// Width of a measured line.
const LINE: f64 = 2.25;
/// Width of the line of a model that is kept to compare with.
const KEPT_LINE: f64 = 1.5;
/// Width of a line on a rail.
const RAIL_LINE: f64 = 1.5;
/// Height of a hatched rail.
const RAIL: f64 = 12.0;

/// Draws one curve.
pub(super) struct Pen<'a> {
    pub(super) curve: &'a Curve,
    pub(super) view: &'a View,
    pub(super) area: &'a Area,
    pub(super) alpha: f64,
    pub(super) color: Color,
}

impl Pen<'_> {
    pub(super) fn draw(&self, out: &mut Vec<Shape>, runs: &[Run], top: Option<f64>, floor: Option<f64>) {
        let dash = style(self.curve.placement).dash;
        for (position, run) in runs.iter().enumerate() {
            let before = position.checked_sub(1).map(|before| runs[before]);
            let after = runs.get(position + 1).copied();
            match (run.place, top, floor) {
                (Place::On, ..) => {
                    let width = if self.curve.is_kept { KEPT_LINE } else { LINE };
                    self.stroke(out, &self.line(run, before, after), dash, width);
                    self.drops(out, run, before, after, top, floor);
                }
                (Place::Above, Some(rail), _) => self.rail(out, run, before, after, rail, self.area.top),
                (Place::Below, _, Some(rail)) => self.rail(out, run, before, after, rail, self.area.bottom),
                (Place::Zero, _, Some(rail)) => {
                    let (from, to) = self.span(run, before, after);
                    self.stroke(out, &[point(from, rail), point(to, rail)], dash, RAIL_LINE);
                }
                (_, Some(rail), _) if run.place.is_top() => self.hatched(out, run, before, after, rail),
                (_, _, Some(rail)) => self.hatched(out, run, before, after, rail),
                _ => {}
            }
        }
        self.markers(out, runs);
    }

    /// The place of a value on the axis. While a range is on its way, what it does not reach yet is at its edge.
    fn at(&self, index: usize) -> Point {
        let y = self.area.y(self.curve.values[index]);
        point(self.x(index), y.clamp(self.area.top, self.area.bottom))
    }

    /// The place of a value, wherever that is.
    fn beyond(&self, index: usize) -> Point {
        point(self.x(index), self.area.y(self.curve.values[index]))
    }

    /// A line in the placement's colour and dash, as far as the frame reaches.
    fn stroke(&self, out: &mut Vec<Shape>, points: &[Point], dash: &[f64], width: f64) {
        let points = until(points, self.area.right);
        if points.len() > 1 {
            out.extend(dashed(&points, dash, self.color, self.alpha, width));
        }
    }

    fn x(&self, index: usize) -> f64 {
        self.area.x(f64::from(self.curve.block(index)), self.curve.depth)
    }

    /// Where the line between two neighbours, one on the axis and one known beyond it, crosses an edge.
    fn crossing(&self, inside: usize, outside: usize, edge: f64) -> Point {
        let (from, to) = (self.beyond(inside), self.beyond(outside));
        if !to.y.is_finite() || (to.y - from.y).abs() < 1e-9 {
            return point(from.x, edge);
        }
        let share = ((edge - from.y) / (to.y - from.y)).clamp(0.0, 1.0);
        point(from.x + (to.x - from.x) * share, edge)
    }

    fn edge(&self, place: Place) -> Option<f64> {
        match place {
            Place::Above => Some(self.area.top),
            Place::Below => Some(self.area.bottom),
            _ => None,
        }
    }

    /// The points of a run on the axis, up to the edges it crosses.
    fn line(&self, run: &Run, before: Option<Run>, after: Option<Run>) -> Vec<Point> {
        let mut points = Vec::new();
        if let Some((outside, edge)) = before.and_then(|run| Some((run.to, self.edge(run.place)?))) {
            points.push(self.crossing(run.from, outside, edge));
        }
        points.extend((run.from..=run.to).map(|index| self.at(index)));
        if let Some((outside, edge)) = after.and_then(|run| Some((run.from, self.edge(run.place)?))) {
            points.push(self.crossing(run.to, outside, edge));
        }
        points
    }

    /// Thin lines from the ends of a run to the rail that takes it on, where no value says how it gets there.
    fn drops(
        &self,
        out: &mut Vec<Shape>,
        run: &Run,
        before: Option<Run>,
        after: Option<Run>,
        top: Option<f64>,
        floor: Option<f64>,
    ) {
        let ends = [(before, run.from), (after, run.to)];
        for (other, index) in ends {
            let Some(other) = other.filter(|other| self.edge(other.place).is_none()) else { continue };
            let rail = if other.place.is_top() { top } else { floor };
            let from = self.at(index);
            if let Some(rail) = rail {
                self.stroke(out, &[from, point(from.x, rail)], &[2.0, 3.0], RAIL_LINE);
            }
        }
    }

    /// From where to where a run off the axis reaches: half way to its neighbours, or to the crossing.
    fn span(&self, run: &Run, before: Option<Run>, after: Option<Run>) -> (f64, f64) {
        let from = match before {
            None => self.x(run.from),
            Some(other) if other.place == Place::On && self.edge(run.place).is_none() => self.x(other.to),
            Some(other) => (self.x(run.from) + self.x(other.to)) / 2.0,
        };
        let to = match after {
            None => self.x(run.to),
            Some(other) if other.place == Place::On && self.edge(run.place).is_none() => self.x(other.from),
            Some(other) => (self.x(run.to) + self.x(other.from)) / 2.0,
        };
        (from, to.max(from + 2.0))
    }

    /// A known stretch off the axis: up (or down) from the crossing, then along the rail.
    fn rail(&self, out: &mut Vec<Shape>, run: &Run, before: Option<Run>, after: Option<Run>, rail: f64, edge: f64) {
        const BEND: f64 = 4.0;
        let (mut from, mut to) = self.span(run, before, after);
        let toward = (edge - rail).signum();
        let mut points = Vec::new();
        if let Some(on) = before.filter(|other| other.place == Place::On) {
            from = self.crossing(on.to, run.from, edge).x;
            points.push(point(from, edge));
            points.extend(bend(from, rail, BEND, toward, false));
        } else {
            points.push(point(from, rail));
        }
        if let Some(on) = after.filter(|other| other.place == Place::On) {
            to = self.crossing(on.from, run.to, edge).x;
            points.extend(bend(to, rail, BEND, toward, true));
            points.push(point(to, edge));
        } else {
            points.push(point(to, rail));
        }
        self.stroke(out, &points, style(self.curve.placement).dash, RAIL_LINE);
    }

    /// A stretch without numbers: hatched behind a stop in the placement's colour.
    fn hatched(&self, out: &mut Vec<Shape>, run: &Run, before: Option<Run>, after: Option<Run>, rail: f64) {
        let (from, to) = self.span(run, before, after);
        let to = to.min(self.area.right);
        if to <= from {
            return;
        }
        out.extend(hatch(from, rail - RAIL / 2.0, to - from, RAIL, self.view.theme.ink_2, self.alpha));
        out.push(Shape::Line {
            points: vec![point(from, rail - 8.0), point(from, rail + 8.0)],
            color: self.color,
            alpha: self.alpha,
            width: 2.0,
            cap: Cap::Butt,
        });
    }

    /// Markers at the quarters of the curve, as far as they are on the axis; of a model that is kept its letter, at the
    /// thirds.
    fn markers(&self, out: &mut Vec<Shape>, runs: &[Run]) {
        let last = self.curve.values.len().saturating_sub(1);
        let is_kept = self.curve.is_kept;
        let on_axis = |index: usize| runs.iter().any(|r| r.place == Place::On && (r.from..=r.to).contains(&index));
        let mut places: Vec<usize> = match is_kept {
            true => vec![last / 3, last * 2 / 3],
            false => (0..=4).map(|quarter| last * quarter / 4).collect(),
        };
        places.dedup();
        if !places.iter().any(|index| on_axis(*index)) {
            places = runs.iter().filter(|run| run.place == Place::On).map(|run| (run.from + run.to) / 2).collect();
        }
        let is_in_frame = |index: usize| self.x(index) <= self.area.right + 0.5;
        for index in places.into_iter().filter(|index| on_axis(*index) && is_in_frame(*index)) {
            if is_kept {
                self.letter(out, self.at(index));
                continue;
            }
            let sign = style(self.curve.placement).marker;
            out.extend(marker::shapes(sign, self.at(index), 4.0, self.color, self.view.theme.background, self.alpha));
        }
    }

    /// The letter of a model that is kept, in a ring on its line.
    fn letter(&self, out: &mut Vec<Shape>, center: Point) {
        let theme = &self.view.theme;
        let disc = |radius, color| Shape::Disc { center, radius, color, alpha: self.alpha };
        out.push(disc(8.0, self.color));
        out.push(disc(6.75, theme.background));
        out.push(Shape::Text {
            at: point(center.x, center.y + 4.0),
            text: self.curve.name.to_string(),
            size: 11.0,
            strong: true,
            color: theme.text(self.curve.placement),
            alpha: self.alpha,
            anchor: Anchor::Middle,
            halo: None,
        });
    }
}

/// The part of a line up to an x.
fn until(points: &[Point], right: f64) -> Vec<Point> {
    let limit = right + 0.5;
    let inside = points.iter().take_while(|point| point.x <= limit).count();
    let mut line = points[..inside].to_vec();
    if let (Some(last), Some(next)) = (line.last().copied(), points.get(inside)) {
        let share = (right - last.x) / (next.x - last.x);
        line.push(point(right, last.y + (next.y - last.y) * share));
    }
    line
}

/// A quarter of a circle between a rail and the way to the plot's edge.
fn bend(x: f64, rail: f64, radius: f64, toward: f64, leaving: bool) -> Vec<Point> {
    let side = if leaving { -1.0 } else { 1.0 };
    let arc = (0..=4).map(|step| {
        let angle = f64::from(step) / 4.0 * std::f64::consts::FRAC_PI_2;
        point(x + side * radius * (1.0 - angle.cos()), rail + toward * radius * (1.0 - angle.sin()))
    });
    let mut points: Vec<_> = arc.collect();
    if leaving {
        points.reverse();
    }
    points
}
