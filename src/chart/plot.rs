//! One chart as a scene: axes, curves, rails, labels and probe.

use super::axis::block_ticks;
use super::curve::Curve;
use super::gaps::{self, Place, Run};
use super::key;
use super::labels;
use super::pen::Pen;
use super::probe;
use super::scene::{Anchor, Point, Scene, Shape, dashed, point};
use super::text;
use super::view::{Along, Area, Theory, View};
use crate::text::{chart as says, number};

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
/// Below this width there are three ticks of x.
const TIGHT: f64 = 300.0;

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
    if curves.is_empty() {
        return None;
    }
    let deepest = view.deepest_of(curves);
    if x < area.left - 12.0 || x > area.right + 12.0 {
        return None;
    }
    Some((area.block(x, deepest).round().max(0.0) as u32).clamp(view.first, deepest))
}

/// The room at the right that each of some curves needs for its label in a chart of its own.
#[must_use]
pub fn label_room(curves: &[Curve], view: &View) -> f64 {
    let of_one = |curve: &Curve| labels::margin(std::slice::from_ref(curve), view);
    curves.iter().map(of_one).fold(0.0, f64::max)
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
        right: view.width - labels::margin(curves, view).max(view.least_margin),
        top: above + if view.height < 240.0 { 8.0 } else { 10.0 },
        bottom: base - floor,
        base,
        frame: view.frame_now,
        along: view.along,
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
    for theory in &view.theory {
        theory_line(&mut scene.data, theory, view, &area);
    }
    // What is kept lies under what it is kept to compare with.
    let is_kept = |index: &usize| curves[*index].is_kept;
    let (kept, shown): (Vec<usize>, Vec<usize>) = (0..curves.len()).partition(is_kept);
    for index in kept.into_iter().chain(shown) {
        let curve = &curves[index];
        let alpha = if curve.fresh { 1.0 } else { STALE };
        let pen = Pen { curve, view, area: &area, alpha, color: view.theme.line(curve.placement) };
        let top = rails.top[index].map(|row| area.top - 12.0 - RAIL_PITCH * (rails.top_rows - 1 - row) as f64);
        let floor = rails.floor[index].map(|row| area.bottom + 6.0 + RAIL_PITCH * (row as f64 + 0.5));
        pen.draw(&mut scene.data, &all_runs[index], top, floor);
    }
    if view.has_key {
        key::draw(&mut scene.data, curves, view, &area);
    }
    labels::draw(&mut scene.data, curves, &all_runs, view, &area);
    if curves.is_empty()
        && let Some(message) = &view.message
    {
        let at = point((area.left + area.right) / 2.0, area.top + (area.bottom - area.top) * 0.4);
        scene.data.push(Shape::label(at, message.clone(), 13.0, view.theme.ink_2, Anchor::Middle));
    }
    if let Some(block) = view.probe {
        probe::draw(&mut scene.over, curves, block, view, &area);
    }
    let full = curves.iter().filter_map(|curve| gaps::sentence(curve, &view.range, false));
    scene.notes = full.collect();
    scene
}

fn axes(out: &mut Vec<Shape>, view: &View, area: &Area) {
    let theme = &view.theme;
    let visible = |value: f64| (-0.001..=1.001).contains(&view.range_now.share(value));
    for tick in view.range.ticks().into_iter().filter(|tick| visible(tick.value)) {
        let y = area.y(tick.value);
        out.push(Shape::Hair { from: point(area.left, y), to: point(area.right, y), color: theme.rule });
        out.push(Shape::label(point(area.left - 8.0, y + 4.0), tick.label, 12.0, theme.ink_2, Anchor::End));
    }
    for value in view.range.minor_ticks().into_iter().filter(|value| visible(*value)) {
        let y = area.y(value);
        out.push(Shape::Hair { from: point(area.left, y), to: point(area.left + 4.0, y), color: theme.rule_strong });
    }
    let (ticks, name): (Vec<(f64, String)>, _) = match view.along {
        Along::Block => {
            let blocks = block_ticks(view.frame, view.first, view.width >= TIGHT).into_iter();
            (blocks.map(|block| (f64::from(block), block.to_string())).collect(), says::block_axis())
        }
        Along::Share => {
            let parts = if view.width >= TIGHT { 4 } else { 2 };
            let shares = (0..=parts).map(|part| f64::from(part) / f64::from(parts));
            (shares.map(|share| (share, number::tick(share))).collect(), says::share_axis())
        }
    };
    for (place, text) in ticks {
        let x = area.x(place, 1);
        if x > area.right + 1.0 {
            continue;
        }
        out.push(Shape::Hair { from: point(x, area.base), to: point(x, area.base + 5.0), color: theme.rule_strong });
        out.push(Shape::label(point(x, area.base + 19.0), text, 12.0, theme.ink_2, Anchor::Middle));
    }
    out.push(Shape::Hair {
        from: point(area.left, area.base),
        to: point(area.right, area.base),
        color: theme.rule_strong,
    });
    out.push(Shape::label(point(view.width, area.base + 19.0), name.into(), 12.0, theme.ink_2, Anchor::End));
}

fn note_lines(out: &mut Vec<Shape>, notes: &[String], view: &View, area: &Area, rails: &Rails) {
    let mut lines: Vec<String> = notes.iter().take(MOST_NOTES).cloned().collect();
    if notes.len() > MOST_NOTES {
        lines.push(says::more_notes(notes.len() - MOST_NOTES));
    }
    let mut y =
        if rails.top_rows > 0 { area.top - 26.0 - RAIL_PITCH * (rails.top_rows - 1) as f64 } else { area.top - 8.0 };
    for line in lines.into_iter().rev() {
        out.push(Shape::label(point(area.left, y), line, 12.0, view.theme.ink_2, Anchor::Start));
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
        point(area.x(f64::from(curve.block(index)), curve.depth), y.clamp(area.top, area.bottom))
    };
    let is_known = |(index, (low, high)): &(usize, &(f64, f64))| {
        let x = area.x(f64::from(curve.block(*index)), curve.depth);
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
        .map(|index| point(area.x(f64::from(theory.first) + index as f64, theory.depth), area.y(theory.values[index])))
        .collect();
    let is_on = |at: &Point| {
        at.y.is_finite() && (area.top - 0.5..=area.bottom + 0.5).contains(&at.y) && at.x <= area.right + 0.5
    };
    for stretch in points.chunk_by(|a, b| is_on(a) == is_on(b)).filter(|stretch| is_on(&stretch[0])) {
        out.extend(dashed(stretch, &[4.0, 3.0], color, 1.0, 1.25));
    }
}
