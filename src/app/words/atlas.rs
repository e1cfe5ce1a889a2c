//! Of the atlas.

use super::{about, choice, mark, sentence, table_caption, title, unit};
use crate::app::engines::Failure;
use crate::chart::heat::scale::ColorScale;
use crate::text::number;
use crate::model::Config;
use crate::stats::{Cell, Engine, Quantity};

/// Said where all that is shown comes from the atlas.
pub(crate) const FROM_ATLAS: &str = "from the atlas";
pub(crate) const ATLAS_TITLE: &str = "Every depth at once";
pub(crate) const ATLAS_LEAD: &str = "A row is one model, shallow at the top; its first block is at the left, its last at \
    the right. Choose a row to make its depth the one you explore.";
pub(crate) const ATLAS_HELP: &str = "Arrow keys: depth and block. Page up and down: twelve depths. Home and End: first \
    and last block. Enter: choose the depth.";
pub(crate) const PANELS: &str = "Depth against block";
pub(crate) const SWEEP: &str = "Measure every depth";
pub(crate) const GO_ON: &str = "Measure the rest";
pub(crate) const LOOKING: &str = "Looking for WebGPU";
pub(crate) const NOT_MEASURED: &str = "not measured yet";
pub(crate) const DEPTH_COLUMN: &str = "depth";

/// How many models, of how many placements.
fn models(count: usize, placements: usize) -> String {
    let each = count / placements.max(1);
    match placements {
        1 => format!("{count} depths"),
        _ if each * placements == count => format!("{each} depths of {placements} placements"),
        _ => format!("{count} models of {placements} placements"),
    }
}

/// What a sweep will take.
#[must_use]
pub(crate) fn sweep_cost(missing: usize, done: usize, placements: usize, milliseconds: Option<f64>) -> String {
    let what =
        if done == 0 { models(missing, placements) } else { format!("{missing} of {} models left", missing + done) };
    match milliseconds {
        Some(milliseconds) => format!("{what}, {}", about(milliseconds)),
        None => what,
    }
}

/// A sweep under way.
#[must_use]
pub(crate) fn sweeping(done: usize, of: usize, left_ms: Option<f64>) -> String {
    let done = format!("{done} of {of} models");
    match left_ms {
        Some(left) => format!("{done}, {} left", about(left)),
        None => done,
    }
}

/// A sweep that is done.
#[must_use]
pub(crate) fn swept(count: usize, placements: usize) -> String {
    format!("{}: the slider reads from here, and nothing more is computed", models(count, placements))
}

/// A sweep for those who hear the page.
#[must_use]
pub(crate) const fn sweep_state(is_running: bool, is_done: bool) -> &'static str {
    match (is_running, is_done) {
        (true, _) => "Measuring",
        (false, true) => "Every depth is measured",
        (false, false) => "",
    }
}

/// A sweep that failed.
#[must_use]
pub(crate) fn sweep_trouble(config: &Config, failure: &Failure) -> String {
    let label = config.placement.recipe().label;
    match failure {
        Failure::DeviceLost => "The graphics device was lost. What was measured before is kept.".into(),
        Failure::NoPlan(why) => format!("{label} up to depth {}: {}", config.depth, sentence(why)),
        Failure::Device(why) => format!("{label}: {why} What was measured before is kept."),
    }
}

/// A place in a panel.
#[must_use]
pub(crate) fn place(depth: u32, block: u32) -> String {
    format!("depth {depth}, block {block}")
}

/// The value at a place in a panel.
#[must_use]
pub(crate) fn cell(cell: Option<Cell>, engine: Engine) -> String {
    match cell {
        None => NOT_MEASURED.into(),
        Some(Cell { value, mark: None }) => number::value(value),
        Some(Cell { mark: Some(known), .. }) => mark(known, engine),
    }
}

/// What a panel shows.
#[must_use]
pub(crate) fn panel(label: &str, quantity: Quantity) -> String {
    let (before, letter, below) = title(quantity);
    format!("{label}: {before}{letter}{below} by depth and block")
}

/// The scale of colours, and what has no colour on it.
#[must_use]
pub(crate) fn color_scale(scale: &ColorScale, textures: &[&str]) -> String {
    let kind = if scale.range.log { ", logarithmic" } else { "" };
    let (low, high) = (number::value(scale.range.low), number::value(scale.range.high));
    let rest = if textures.is_empty() { String::new() } else { format!("; textures for {}", textures.join(", ")) };
    format!("Colours from {low} to {high}{kind}{rest}")
}

/// The button of the table of a row.
#[must_use]
pub(crate) fn row_table(depth: u32) -> String {
    format!("Table of depth {depth}")
}

/// The button of the table of a column.
#[must_use]
pub(crate) fn column_table(block: u32) -> String {
    format!("Table of block {block}")
}

/// The caption of the table of a row.
#[must_use]
pub(crate) fn row_caption(quantity: Quantity, depth: u32) -> String {
    format!("{}, at depth {depth}", table_caption(quantity))
}

/// The caption of the table of a column.
#[must_use]
pub(crate) fn column_caption(quantity: Quantity, block: u32) -> String {
    let (before, letter, below) = title(quantity);
    format!("{before}{letter}{below}, {}, in block {block} by depth", unit(quantity))
}

/// What all panels have in common.
#[must_use]
pub(crate) fn model(config: &Config) -> String {
    let Config { width, heads, tokens, batch, seed, .. } = config;
    let choices = [("init", config.init.key()), ("norm", config.norm.key()), ("act", config.act.key())];
    let choices = choices.map(|(key, word)| choice(key, word)).join(", ");
    format!("{choices}; width {width}, {heads} heads, {batch} × {tokens} tokens, seed {seed}")
}

/// Which depth is outlined.
#[must_use]
pub(crate) fn outlined(depth: u32) -> String {
    format!("depth {depth} is outlined")
}
