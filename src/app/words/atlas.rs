//! Of the atlas.

use super::*;
use crate::chart::heat::scale::ColorScale;
use crate::stats::Cell;

/// How many models, of how many placements.
fn how_many(count: usize, placements: usize) -> String {
    let each = count / placements.max(1);
    match placements {
        1 => depths(count),
        _ if each * placements == count => depths_of_placements(each, placements),
        _ => models_of_placements(count, placements),
    }
}

/// What a sweep will take.
#[must_use]
pub(crate) fn sweep_cost(missing: usize, done: usize, placements: usize, milliseconds: Option<f64>) -> String {
    let what = if done == 0 { how_many(missing, placements) } else { models_left(missing, missing + done) };
    match milliseconds {
        Some(milliseconds) => and_time(what, about(milliseconds)),
        None => what,
    }
}

/// A sweep under way.
#[must_use]
pub(crate) fn sweeping(done: usize, of: usize, left_ms: Option<f64>) -> String {
    match left_ms {
        Some(left) => models_done_left(done, of, about(left)),
        None => models_done(done, of),
    }
}

/// A sweep that is done.
#[must_use]
pub(crate) fn all_swept(count: usize, placements: usize) -> String {
    swept(how_many(count, placements))
}

/// A sweep for those who hear the page.
#[must_use]
pub(crate) fn sweep_state(is_running: bool, is_done: bool) -> &'static str {
    match (is_running, is_done) {
        (true, _) => sweep_running(),
        (false, true) => sweep_done(),
        (false, false) => "",
    }
}

/// A sweep that failed.
#[must_use]
pub(crate) fn sweep_trouble(config: &Config, failure: &Failure) -> String {
    let label = config.placement.recipe().label;
    match failure {
        Failure::DeviceLost => format!("{} {}", device_lost(), measured_kept()),
        Failure::NoPlan(why) => sweep_no_plan(label, config.depth.to_string(), sentence(why)),
        Failure::Device(why) => format!("{} {}", sweep_failed(label, *why), measured_kept()),
    }
}

/// The value at a place in a panel.
#[must_use]
pub(crate) fn cell(cell: Option<Cell>, precision: &str) -> String {
    match cell {
        None => not_measured().into(),
        Some(Cell { value, mark: None }) => number::value(value),
        Some(Cell { mark: Some(known), .. }) => mark(known, precision),
    }
}

/// What a panel shows.
#[must_use]
pub(crate) fn panel_of(label: &str, quantity: Quantity) -> String {
    panel(label, name(quantity))
}

/// The scale of colours, and what has no colour on it.
#[must_use]
pub(crate) fn color_scale(scale: &ColorScale, what: &[&str]) -> String {
    let (low, high) = (number::value(scale.range.low), number::value(scale.range.high));
    let colors = if scale.range.log { colors_log(low, high) } else { colors(low, high) };
    if what.is_empty() { colors } else { textures(colors, what.join(", ")) }
}

/// The caption of the table of a row.
#[must_use]
pub(crate) fn caption_of_row(quantity: Quantity, depth: u32) -> String {
    row_caption(name(quantity), unit(quantity), depth.to_string())
}

/// The caption of the table of a column.
#[must_use]
pub(crate) fn caption_of_column(quantity: Quantity, block: u32) -> String {
    column_caption(name(quantity), unit(quantity), block.to_string())
}

/// What all panels have in common.
#[must_use]
pub(crate) fn model(config: &Config) -> String {
    let Config { width, heads, tokens, batch, seed, .. } = config;
    let choices = [("init", config.init.key()), ("norm", config.norm.key()), ("act", config.act.key())];
    let choices = choices.map(|(key, word)| choice(key, word)).join(", ");
    let [width, heads, batch, tokens, seed] = [width, heads, batch, tokens, seed].map(ToString::to_string);
    panels_model(choices, width, heads, batch, tokens, seed)
}
