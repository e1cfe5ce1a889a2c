//! Every text of the page.

mod atlas;
mod claims;
mod form;

pub(crate) use atlas::*;
pub(crate) use claims::*;
pub(crate) use form::*;

use crate::chart::curve::{precision, symbol};
use crate::text::number;
use crate::model::{Config, Placement, Tensor};
use crate::presets::PresetKind;
use crate::share::View;
use crate::stats::{Engine, Mark, Quantity};
use crate::theory::Overlay;

use super::engines::Failure;
use super::play::DEEPEST;
use super::state::{Cost, Running};

/// The wordmark.
pub(crate) const NAME: &str = "Normscope";
/// What the page is about, beside the wordmark.
pub(crate) const TAGLINE: &str = "What depth does to a Transformer before training, and where its norms stand";

pub(crate) const COPY_LINK: &str = "Copy link";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const NOT_COPIED: &str = "Copy it from the address bar";
pub(crate) const THEME_TO_DARK: &str = "Dark theme";
pub(crate) const THEME_TO_LIGHT: &str = "Light theme";

pub(crate) const DEPTH: &str = "Depth";
pub(crate) const BLOCKS: &str = "blocks";
pub(crate) const BLOCK: &str = "block";
pub(crate) const FEWER: &str = "One block fewer";
pub(crate) const MORE: &str = "One block more";
pub(crate) const PAUSE: &str = "Pause";
pub(crate) const DEPTH_HELP: &str =
    "Arrow keys: one block. Page up and down: twelve. Home and End: 6 and 200. Space: play and pause.";

pub(crate) const PLACEMENT: &str = "Placement";
pub(crate) const MORE_PLACEMENTS: &str = "More placements";
pub(crate) const CONTROLS: &str = "The model";
pub(crate) const ADVANCED: &str = "Advanced";
pub(crate) const READINGS: &str = "Readings";
pub(crate) const CHARTS: &str = "Charts";
pub(crate) const MEASURES: &str = "More measures";
pub(crate) const CHART_OPTIONS: &str = "Chart options";

pub(crate) const LINEAR: &str = "Linear";
pub(crate) const LOG: &str = "Log";
pub(crate) const TABLE: &str = "Table";
pub(crate) const CHOOSE_PLACEMENT: &str = "Choose a placement";
pub(crate) const COMPUTING: &str = "Computing";
pub(crate) const IN_FLOAT64: &str = "Compute in float64";
pub(crate) const DISMISS: &str = "Dismiss";
pub(crate) const TRY_AGAIN: &str = "Try again";
pub(crate) const USE_PROCESSOR: &str = "Use the processor";
pub(crate) const OUT_OF_MEMORY: &str = "The graphics device ran out of memory.";
pub(crate) const REFUSED: &str = "The graphics device refused a command; the browser’s console has its words.";
pub(crate) const LINK_TROUBLE: &str = "Some of this link could not be used:";
pub(crate) const NO_WEBGPU: &str = "There is no WebGPU here, so the processor computes, in float32: slower, to the same \
    precision. Chrome and Edge from 113, Safari from 26 and Firefox from 141 have WebGPU.";

pub(crate) const PRESET: &str = "Preset";
pub(crate) const NO_PRESET: &str = "None";
pub(crate) const LEFT_OUT: &str = "Left out:";
pub(crate) const MODEL_UPDATE: (&str, &str) = ("One-step update", "‖ΔF‖ / η‖F‖");
/// Exponents of stream and gradient.
pub(crate) const GROWTH: (&str, &str) = ("Growth exponents", "stream, gradient");
pub(crate) const BY_SIGN: &str = "by the gradient’s sign";

/// What presets of a kind are.
#[must_use]
pub(crate) const fn preset_kind(kind: PresetKind) -> &'static str {
    match kind {
        PresetKind::Published => "As published",
        PresetKind::Lesson => "Pairs that teach",
    }
}

pub(crate) const VIEWS: &str = "Views";
/// The name of a view.
#[must_use]
pub(crate) const fn view(view: View) -> &'static str {
    match view {
        View::Explore => "Explore",
        View::Atlas => "Atlas",
        View::Claims => "Claims",
    }
}

/// Names of models at the ticks of the slider.
pub(crate) const MODELS: [&str; 6] = ["Transformer", "BERT-base", "BERT-large", "GPT-2 XL", "GPT-3", ""];

/// Starts the sweep of depth.
#[must_use]
pub(crate) fn play(from: u32) -> String {
    format!("Play from {from} to {DEEPEST} blocks")
}

/// A count of blocks.
#[must_use]
pub(crate) fn depth_in_words(depth: u32) -> String {
    if depth == 1 { "1 block".into() } else { format!("{depth} blocks") }
}

/// The title of a chart, its symbol apart: `Gradient of `, `W`, `2`.
#[must_use]
pub(crate) fn title(quantity: Quantity) -> (&'static str, &'static str, &'static str) {
    match quantity {
        Quantity::StreamRms => ("Residual stream", "", ""),
        Quantity::GradStream => ("Gradient of the stream", "", ""),
        Quantity::GradWeight(tensor) => {
            let (letter, below) = symbol(tensor);
            ("Gradient of ", letter, below)
        }
        Quantity::StreamMax => ("Largest value of the stream", "", ""),
        Quantity::TokenCosine => ("Token cosine", "", ""),
        Quantity::UpdateRatio => ("Update ratio", "", ""),
        Quantity::GradCosine => ("Gradient cosine", "", ""),
        Quantity::RankResidual => ("Rank residual", "", ""),
        Quantity::AttentionEntropy => ("Attention entropy", "", ""),
        Quantity::MaxLogit => ("Largest attention score", "", ""),
        Quantity::NetFactor => ("Net gradient factor", "", ""),
        Quantity::NormJacobian => ("Norm’s Jacobian", "", ""),
        Quantity::Loss => ("Loss", "", ""),
        Quantity::GradUnembed => ("Gradient of ", "U", ""),
        Quantity::ModelUpdate(_) => ("One-step update", "", ""),
    }
}

/// The unit or definition beside a title.
#[must_use]
pub(crate) const fn unit(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::StreamRms => "RMS",
        Quantity::StreamMax => "absolute",
        Quantity::TokenCosine | Quantity::GradCosine => "mean over pairs of tokens",
        Quantity::UpdateRatio => "branch over stream",
        Quantity::RankResidual => "distance from the mean token",
        Quantity::AttentionEntropy => "of the most, ln T",
        Quantity::MaxLogit => "before softmax",
        Quantity::NetFactor => "squared, a block",
        Quantity::NormJacobian => "√d / ‖x‖, block’s mean",
        Quantity::Loss => "nats",
        Quantity::ModelUpdate(_) => "of the logits, relative",
        Quantity::GradStream | Quantity::GradWeight(_) | Quantity::GradUnembed => "Frobenius norm",
    }
}

/// The edges of the middle half of several seeds.
#[must_use]
pub(crate) fn middle_half(low: f64, high: f64) -> String {
    format!("{} to {}", number::value(low), number::value(high))
}

pub(crate) const THEORY: &str = "Theory, drawn dashed";
pub(crate) const DRAW_THEORY: &str = "Draw it over the measurement";

/// A curve of theory and what it is drawn over.
#[must_use]
pub(crate) fn overlay(quantity: Quantity, name: &str) -> String {
    let (before, letter, below) = title(quantity);
    format!("{before}{letter}{below}: {name}.")
}

/// How far the measurement is from a curve of theory at a block.
#[must_use]
pub(crate) fn deviation(overlay: &Overlay, distance: Option<f64>, block: usize) -> String {
    let Some(distance) = distance else { return String::new() };
    match overlay.quantity {
        Quantity::TokenCosine | Quantity::GradCosine => {
            format!("Measured {} {} it in block {block}.", number::value(distance.abs()), over_or_under(distance))
        }
        _ => format!("Measured {} times it in block {block}.", number::value(1.0 + distance)),
    }
}

const fn over_or_under(distance: f64) -> &'static str {
    if distance < 0.0 { "under" } else { "over" }
}

/// A mark in a table.
#[must_use]
pub(crate) fn mark(mark: Mark, engine: Engine) -> String {
    let precision = precision(engine);
    match mark {
        Mark::Zero => "exactly 0".into(),
        Mark::Underflow => format!("below {precision}’s smallest"),
        Mark::Unresolved => format!("not resolved by {precision}"),
        Mark::Overflow => format!("past {precision}’s range"),
        Mark::NotANumber => "not a number".into(),
    }
}

/// Name and definition of the small measures.
pub(crate) const UPDATE_RATIO: (&str, &str) = ("Update ratio", "branch over stream, block’s mean");
/// How alike the tokens are.
pub(crate) const TOKEN_COSINE: (&str, &str) = ("Token cosine", "1: all tokens alike");
/// How far the largest value is from the end of half precision.
pub(crate) const HEADROOM: (&str, &str) = ("Headroom", "bits left in fp16; 112 more in bf16");

/// Said in the plot where the model has no such matrix.
#[must_use]
pub(crate) fn no_matrix(tensor: Tensor) -> String {
    match tensor {
        Tensor::Wg => "This model has no gate".into(),
        Tensor::Wo => "This model has no output projection".into(),
        _ => "This model has no such matrix".into(),
    }
}

/// Blocks whose value a small measure leaves out, and why: `3 of 25 left out: not a number`.
#[must_use]
pub(crate) fn left_out(count: usize, of: usize, why: &str) -> String {
    format!("{count} of {of} left out: {why}")
}

/// The caption of a table.
#[must_use]
pub(crate) fn table_caption(quantity: Quantity) -> String {
    let (before, letter, below) = title(quantity);
    format!("{before}{letter}{below}, {}, by block", unit(quantity))
}

/// Said where a reading is of another depth.
#[must_use]
pub(crate) fn of_depth(depth: u32) -> String {
    format!("(at {})", depth_in_words(depth))
}

/// A pass that failed, why, and what is kept.
#[must_use]
pub(crate) fn trouble(config: &Config, failure: &Failure, is_kept: bool) -> String {
    let pass = format!("The pass of {} for depth {} failed.", config.placement.recipe().label, config.depth);
    let mut said = match failure {
        Failure::DeviceLost => format!("The graphics device was lost during the pass for depth {}.", config.depth),
        Failure::NoPlan(why) => format!("{pass} {}", sentence(why)),
        Failure::Device(why) => format!("{pass} {why}"),
    };
    if is_kept {
        said += " What was computed before is kept.";
    }
    said
}

/// A clause that begins a sentence.
#[must_use]
pub(crate) fn capitalised(clause: &str) -> String {
    let mut rest = clause.chars();
    let first: String = rest.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    first + rest.as_str()
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    format!("{}.", capitalised(clause).trim_end_matches('.'))
}

/// Who computes.
#[must_use]
pub(crate) fn who(engine: Option<Engine>, adapter: &str, is_software: bool) -> String {
    match engine {
        None => LOOKING.into(),
        Some(Engine::Gpu) => match (adapter, is_software) {
            ("", false) => "WebGPU".into(),
            ("", true) => "WebGPU on the processor".into(),
            (name, false) => format!("WebGPU, {name}"),
            (name, true) => format!("WebGPU on the processor, {name}"),
        },
        Some(Engine::Cpu) => "Processor".into(),
        Some(Engine::Reference) => "Processor, reference".into(),
    }
}

/// How long the passes took.
#[must_use]
pub(crate) fn pass_time(count: usize, milliseconds: f64) -> String {
    let time =
        if milliseconds < 999.5 { format!("{milliseconds:.0} ms") } else { format!("{:.1} s", milliseconds / 1000.0) };
    if count == 1 { format!("pass {time}") } else { format!("{count} passes {time}") }
}

/// What passes cost.
#[must_use]
pub(crate) fn cost(cost: Cost) -> String {
    let (steps, memory) = (number::grouped(u64::from(cost.steps)), memory(cost.peak_bytes));
    match cost.submits {
        0 if cost.steps == 0 => "0 dispatches".into(),
        0 => format!("{steps} steps, {memory}"),
        1 => format!("{steps} dispatches, 1 submit, {memory}"),
        submits => format!("{steps} dispatches, {submits} submits, {memory}"),
    }
}

fn memory(bytes: u64) -> String {
    format!("{} MiB", number::grouped(bytes.div_ceil(1 << 20)))
}

/// The seed.
#[must_use]
pub(crate) fn seed(seed: u32) -> String {
    format!("seed {seed}")
}

pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const RUN_AGAIN: &str = "Run again";
/// Read aloud once a run is long.
pub(crate) const TAKES_LONG: &str = "This takes more than a second. The button Cancel, before the charts, ends it.";

/// A time that is not known to the second.
fn about(milliseconds: f64) -> String {
    match milliseconds / 1000.0 {
        s if s < 1.0 => "under a second".into(),
        s if s < 55.0 => format!("about {s:.0} s"),
        s if s < 55.0 * 60.0 => format!("about {:.0} min", (s / 60.0).max(1.0)),
        s => format!("about {} h", number::ratio(s / 3600.0)),
    }
}

/// How far a long run is.
#[must_use]
pub(crate) fn work(running: &Running) -> String {
    let (done, all) = running.blocks;
    let label = running.placement.recipe().label;
    let left = running.left_ms.map(|milliseconds| format!(", {} left", about(milliseconds)));
    format!("{label}: {done} of {all} blocks{}", left.unwrap_or_default())
}

/// A run that was ended.
#[must_use]
pub(crate) fn stopped(running: &Running, is_kept: bool) -> String {
    let (done, all) = running.blocks;
    let kept = if is_kept { " What was computed before is kept." } else { "" };
    format!("Cancelled after {done} of {all} blocks.{kept}")
}

/// A pass under way.
#[must_use]
pub(crate) fn running(placement: Placement, percent: u32) -> String {
    format!("computing {}, {percent} %", placement.recipe().label)
}
