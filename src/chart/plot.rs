//! One chart as a scene: axes, curves, rails, labels and probe.

use super::axis::{Range, block_ticks};
use super::curve::Curve;
use super::gaps::{self, Place, Run};
use super::labels;
use super::marker;
use super::probe;
use super::scene::{Anchor, Cap, Point, Scene, Shape, dashed, hatch, point};
use super::style::style;
use super::text;
use super::theme::{Color, Theme};
use crate::model::Placement;
use crate::text::{chart as says, number};

/// Width of a measured line.
const LINE: f64 = 2.25;
/// Width of a line on a rail.
const RAIL_LINE: f64 = 1.5;
/// Height of a hatched rail.
const RAIL: f64 = 12.0;
/// From one rail to the next.
const RAIL_PITCH: f64 = 15.0;
/// Sentences above the plot before the rest is counted.
const MOST_NOTES: usize = 2;
/// From one sentence to the next.
const NOTE_PITCH: f64 = 16.0;
/// Opacity of the middle half of several seeds.
const BAND: f64 = 0.16;
/// Opacity of what belongs to another depth than the one asked for.
const STALE: f64 = 0.45;
/// Below this width margins are small.
const NARROW: f64 = 400.0;
/// Below this width there are three ticks of x.
const TIGHT: f64 = 300.0;

/// How a chart is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The colours.
    pub theme: Theme,
    /// The first block of the quantity.
    pub first: u32,
    /// Where x ends when it has come to rest.
    pub frame: u32,
    /// Where x ends now, on its way there.
    pub frame_now: f64,
    /// What y shows when it has come to rest.
    pub range: Range,
    /// What y shows now, on its way there.
    pub range_now: Range,
    /// The block that is looked at.
    pub probe: Option<u32>,
    /// Said in the plot where there are no curves.
    pub message: Option<String>,
    /// What theory has, over the measurement.
    pub theory: Vec<Theory>,
}

/// A curve of theory.
#[derive(Clone, Debug, PartialEq)]
pub struct Theory {
    /// Of which placement.
    pub placement: Placement,
    /// Its name.
    pub name: &'static str,
    /// The block of the first value.
    pub first: u32,
    /// The values; not a number where it says nothing.
    pub values: Vec<f64>,
}

impl Theory {
    /// Its value at a block.
    #[must_use]
    pub fn at(&self, block: u32) -> Option<f64> {
        let index = block.checked_sub(self.first)? as usize;
        self.values.get(index).copied().filter(|value| value.is_finite())
    }
}

impl View {
    /// A chart at rest.
    #[must_use]
    pub const fn at_rest(width: f64, height: f64, theme: Theme, first: u32, frame: u32, range: Range) -> Self {
        Self {
            width,
            height,
            theme,
            first,
            frame,
            frame_now: frame as f64,
            range,
            range_now: range,
            probe: None,
            message: None,
            theory: Vec::new(),
        }
    }

    /// Whether margins are small.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.width < NARROW
    }
}

/// The rectangle of the plot and the way from values to places.
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// The base of the x axis; under the floor rails where there are some.
    pub(super) base: f64,
    frame: f64,
    range: Range,
}

impl Area {
    pub(super) fn x(&self, block: f64) -> f64 {
        self.left + (self.right - self.left) * block / self.frame
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.range.share(value)
    }

    /// The block under an x, not yet rounded or clamped.
    fn block(&self, x: f64) -> f64 {
        (x - self.left) / (self.right - self.left) * self.frame
    }
}

/// What each curve has above and below the plot.
struct Rails {
    /// Row of the rail above, for curves that have one.
    top: Vec<Option<usize>>,
    /// Row of the rail below.
    floor: Vec<Option<usize>>,
    top_rows: usize,
    floor_rows: usize,
}

impl Rails {
    fn of(all_runs: &[Vec<Run>]) -> Self {
        let rows = |wanted: fn(Place) -> bool| {
            let mut count = 0;
            let rows: Vec<_> = all_runs
                .iter()
                .map(|runs| {
                    runs.iter().any(|run| wanted(run.place)).then(|| {
                        count += 1;
                        count - 1
                    })
                })
                .collect();
            (rows, count)
        };
        let (top, top_rows) = rows(Place::is_top);
        let (floor, floor_rows) = rows(Place::is_floor);
        Self { top, floor, top_rows, floor_rows }
    }
}

/// The block under a pointer, one the curves have; `None` beside the plot.
#[must_use]
pub fn block_at(curves: &[Curve], view: &View, x: f64) -> Option<u32> {
    let (area, ..) = layout(curves, view);
    let deepest = curves.iter().map(|curve| curve.depth).max()?;
    if x < area.left - 12.0 || x > area.right + 12.0 {
        return None;
    }
    Some((area.block(x).round().max(0.0) as u32).clamp(view.first, deepest))
}

/// The plot's rectangle in CSS pixels: left, top, right, bottom.
#[must_use]
pub fn plot_rectangle(curves: &[Curve], view: &View) -> [f64; 4] {
    let (area, ..) = layout(curves, view);
    [area.left, area.top, area.right, area.bottom]
}

fn layout(curves: &[Curve], view: &View) -> (Area, Rails, Vec<Vec<Run>>, Vec<String>) {
    let runs: Vec<_> = curves.iter().map(|curve| gaps::runs(curve, &view.range)).collect();
    let rails = Rails::of(&runs);
    let labels = view.range.ticks();
    let widest = labels.iter().map(|tick| text::width(&tick.label, 12.0, false)).fold(0.0, f64::max);
    let left = (widest + 10.0).max(34.0).ceil();
    let notes: Vec<_> = curves.iter().filter_map(|curve| note(curve, view, view.width - left)).collect();
    let shown_notes = notes.len().min(MOST_NOTES + 1);
    let above = if rails.top_rows > 0 {
        34.0 + RAIL_PITCH * (rails.top_rows - 1) as f64 + NOTE_PITCH * (shown_notes - 1) as f64
    } else {
        NOTE_PITCH * shown_notes as f64 + if shown_notes > 0 { 2.0 } else { 0.0 }
    };
    let base = view.height - 30.0;
    let floor = if rails.floor_rows > 0 { 6.0 + RAIL_PITCH * rails.floor_rows as f64 } else { 0.0 };
    let area = Area {
        left,
        right: view.width - labels::margin(curves, view),
        top: above + if view.height < 240.0 { 8.0 } else { 10.0 },
        bottom: base - floor,
        base,
        frame: view.frame_now,
        range: view.range_now,
    };
    (area, rails, runs, notes)
}

/// The sentence of a curve, brief where the full one does not fit.
fn note(curve: &Curve, view: &View, room: f64) -> Option<String> {
    let full = gaps::sentence(curve, &view.range, false)?;
    if text::width(&full, 12.0, false) <= room { Some(full) } else { gaps::sentence(curve, &view.range, true) }
}

/// Draws a chart.
#[must_use]
pub fn plot(curves: &[Curve], view: &View) -> Scene {
    let (area, rails, all_runs, notes) = layout(curves, view);
    let mut scene = Scene { width: view.width, height: view.height, ..Scene::default() };
    axes(&mut scene.back, view, &area);
    note_lines(&mut scene.data, &notes, view, &area, &rails);
    for curve in curves {
        band(&mut scene.data, curve, view, &area);
    }
    for (index, curve) in curves.iter().enumerate() {
        let alpha = if curve.fresh { 1.0 } else { STALE };
        let pen = Pen { curve, view, area: &area, alpha, color: view.theme.line(curve.placement) };
        let top = rails.top[index].map(|row| area.top - 12.0 - RAIL_PITCH * (rails.top_rows - 1 - row) as f64);
        let floor = rails.floor[index].map(|row| area.bottom + 6.0 + RAIL_PITCH * (row as f64 + 0.5));
        pen.draw(&mut scene.data, &all_runs[index], top, floor);
    }
    for theory in &view.theory {
        theory_line(&mut scene.data, theory, view, &area);
    }
    labels::draw(&mut scene.data, curves, &all_runs, view, &area);
    if curves.is_empty()
        && let Some(message) = &view.message
    {
        let at = point((area.left + area.right) / 2.0, area.top + (area.bottom - area.top) * 0.4);
        scene.data.push(label(at, message.clone(), 13.0, view.theme.ink_2, Anchor::Middle));
    }
    if let Some(block) = view.probe {
        probe::draw(&mut scene.over, curves, block, view, &area);
    }
    let full = curves.iter().filter_map(|curve| gaps::sentence(curve, &view.range, false));
    scene.notes = full.collect();
    scene
}

/// A text without weight or rim.
pub(super) const fn label(at: Point, text: String, size: f64, color: Color, anchor: Anchor) -> Shape {
    Shape::Text { at, text, size, strong: false, color, alpha: 1.0, anchor, halo: None }
}

fn axes(out: &mut Vec<Shape>, view: &View, area: &Area) {
    let theme = &view.theme;
    let visible = |value: f64| (-0.001..=1.001).contains(&view.range_now.share(value));
    for tick in view.range.ticks().into_iter().filter(|tick| visible(tick.value)) {
        let y = area.y(tick.value);
        out.push(Shape::Hair { from: point(area.left, y), to: point(area.right, y), color: theme.rule });
        out.push(label(point(area.left - 8.0, y + 4.0), tick.label, 12.0, theme.ink_2, Anchor::End));
    }
    for value in view.range.minor_ticks().into_iter().filter(|value| visible(*value)) {
        let y = area.y(value);
        out.push(Shape::Hair { from: point(area.left, y), to: point(area.left + 4.0, y), color: theme.rule_strong });
    }
    for block in block_ticks(view.frame, view.first, view.width >= TIGHT) {
        let x = area.x(f64::from(block));
        if x > area.right + 1.0 {
            continue;
        }
        out.push(Shape::Hair { from: point(x, area.base), to: point(x, area.base + 5.0), color: theme.rule_strong });
        out.push(label(point(x, area.base + 19.0), block.to_string(), 12.0, theme.ink_2, Anchor::Middle));
    }
    out.push(Shape::Hair {
        from: point(area.left, area.base),
        to: point(area.right, area.base),
        color: theme.rule_strong,
    });
    out.push(label(point(view.width, area.base + 19.0), says::block_axis().into(), 12.0, theme.ink_2, Anchor::End));
}

fn note_lines(out: &mut Vec<Shape>, notes: &[String], view: &View, area: &Area, rails: &Rails) {
    let mut lines: Vec<String> = notes.iter().take(MOST_NOTES).cloned().collect();
    if notes.len() > MOST_NOTES {
        lines.push(says::more_notes(notes.len() - MOST_NOTES));
    }
    let mut y =
        if rails.top_rows > 0 { area.top - 26.0 - RAIL_PITCH * (rails.top_rows - 1) as f64 } else { area.top - 8.0 };
    for line in lines.into_iter().rev() {
        out.push(label(point(area.left, y), line, 12.0, view.theme.ink_2, Anchor::Start));
        y -= NOTE_PITCH;
    }
}

/// The middle half of several seeds, as far as it is on the axis.
fn band(out: &mut Vec<Shape>, curve: &Curve, view: &View, area: &Area) {
    let alpha = BAND * if curve.fresh { 1.0 } else { STALE };
    let color = view.theme.line(curve.placement);
    let place = |index: usize, value: f64| {
        let y = area.y(value);
        let y = if y.is_nan() { area.bottom } else { y };
        point(area.x(f64::from(curve.block(index))), y.clamp(area.top, area.bottom))
    };
    let is_known = |(index, (low, high)): &(usize, &(f64, f64))| {
        let x = area.x(f64::from(curve.block(*index)));
        low.is_finite() && high.is_finite() && curve.marks[*index].is_none() && x <= area.right + 0.5
    };
    let all: Vec<_> = curve.band.iter().enumerate().collect();
    for stretch in all.chunk_by(|a, b| is_known(a) == is_known(b)).filter(|stretch| is_known(&stretch[0])) {
        let upper = stretch.iter().map(|(index, (_, high))| place(*index, *high));
        let lower = stretch.iter().rev().map(|(index, (low, _))| place(*index, *low));
        let points: Vec<_> = upper.chain(lower).collect();
        out.push(Shape::Area { points, color, alpha });
    }
}

/// A curve of theory, thin and dashed, as far as it is on the axis.
fn theory_line(out: &mut Vec<Shape>, theory: &Theory, view: &View, area: &Area) {
    let color = view.theme.text(theory.placement);
    let points: Vec<_> = (0..theory.values.len())
        .map(|index| point(area.x(f64::from(theory.first) + index as f64), area.y(theory.values[index])))
        .collect();
    let is_on = |at: &Point| {
        at.y.is_finite() && (area.top - 0.5..=area.bottom + 0.5).contains(&at.y) && at.x <= area.right + 0.5
    };
    for stretch in points.chunk_by(|a, b| is_on(a) == is_on(b)).filter(|stretch| is_on(&stretch[0])) {
        out.extend(dashed(stretch, &[4.0, 3.0], color, 1.0, 1.25));
    }
}

/// Draws one curve.
struct Pen<'a> {
    curve: &'a Curve,
    view: &'a View,
    area: &'a Area,
    alpha: f64,
    color: Color,
}

impl Pen<'_> {
    fn draw(&self, out: &mut Vec<Shape>, runs: &[Run], top: Option<f64>, floor: Option<f64>) {
        let dash = style(self.curve.placement).dash;
        for (position, run) in runs.iter().enumerate() {
            let before = position.checked_sub(1).map(|before| runs[before]);
            let after = runs.get(position + 1).copied();
            match (run.place, top, floor) {
                (Place::On, ..) => {
                    self.stroke(out, &self.line(run, before, after), dash, LINE);
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
        self.area.x(f64::from(self.curve.block(index)))
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

    /// Markers at the quarters of the curve, as far as they are on the axis.
    fn markers(&self, out: &mut Vec<Shape>, runs: &[Run]) {
        let last = self.curve.values.len().saturating_sub(1);
        let on_axis = |index: usize| runs.iter().any(|r| r.place == Place::On && (r.from..=r.to).contains(&index));
        let mut quarters: Vec<usize> = (0..=4).map(|quarter| last * quarter / 4).collect();
        quarters.dedup();
        if !quarters.iter().any(|index| on_axis(*index)) {
            quarters = runs.iter().filter(|run| run.place == Place::On).map(|run| (run.from + run.to) / 2).collect();
        }
        let is_in_frame = |index: usize| self.x(index) <= self.area.right + 0.5;
        for index in quarters.into_iter().filter(|index| on_axis(*index) && is_in_frame(*index)) {
            let sign = style(self.curve.placement).marker;
            out.extend(marker::shapes(sign, self.at(index), 4.0, self.color, self.view.theme.background, self.alpha));
        }
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

/// What a curve has at a block, in words: `Post-LN 1.00`, `No norm: not a number`.
#[must_use]
pub fn value_in_words(curve: &Curve, block: u32) -> Option<String> {
    use crate::stats::Mark;
    let label = curve.placement.recipe().label;
    let (value, mark) = curve.at(block)?;
    Some(match mark {
        None => format!("{label} {}", number::value(value)),
        Some(Mark::Zero) => says::value_zero(label),
        Some(Mark::Unresolved) if !curve.is_faint(value) => says::value_uncertain(label, curve.precision),
        Some(Mark::Underflow | Mark::Unresolved) => says::value_faint(label, curve.precision),
        Some(Mark::Overflow) => says::value_past(label, curve.precision),
        Some(Mark::NotANumber) => says::value_lost(label),
    })
}
