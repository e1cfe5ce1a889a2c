//! Every text of the page.

use crate::chart::curve::{precision, symbol};
use crate::chart::heat::scale::ColorScale;
use crate::chart::number;
use crate::claims::{Guide, Topic, VerdictKind};
use crate::model::{Config, Placement, Tensor};
use crate::presets::PresetKind;
use crate::share::View;
use crate::stats::{Cell, Engine, Mark, Quantity};
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
pub(crate) const CLAIMS_TITLE: &str = "What people say, measured";
pub(crate) const CLAIMS_LEAD: &str = "What two popular guides say of norms and depth, what the papers they cite say, and \
    what a pass at initialisation finds now, in this page, on this machine. What training does later is another question.";
pub(crate) const FILTERS: &str = "Which claims";
pub(crate) const SHOW: &str = "Show";
pub(crate) const TEST: &str = "Measure";
pub(crate) const STOP: &str = "Stop";
pub(crate) const WAITING: &str = "Waiting";
pub(crate) const SECOND_HAND: &str = " (second-hand)";
pub(crate) const NO_SOURCE: &str = "No source was found.";
pub(crate) const CITED: &str = "Cannot be measured here.";
pub(crate) const NEEDS_TRAINING: &str = "Needs training.";
pub(crate) const BY_LITERATURE: &str = "by the literature";

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

/// A time that is not known to the second.
fn about(milliseconds: f64) -> String {
    match milliseconds / 1000.0 {
        s if s < 1.0 => "under a second".into(),
        s if s < 55.0 => format!("about {s:.0} s"),
        s if s < 55.0 * 60.0 => format!("about {:.0} min", (s / 60.0).max(1.0)),
        s => format!("about {} h", number::ratio(s / 3600.0)),
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

/// The name of a view.
#[must_use]
pub(crate) const fn view(view: View) -> &'static str {
    match view {
        View::Explore => "Explore",
        View::Atlas => "Atlas",
        View::Claims => "Claims",
    }
}

/// Starts the tests of all claims that are shown.
#[must_use]
pub(crate) fn test_all(count: usize) -> String {
    if count == crate::claims::ALL.len() { "Measure all".into() } else { "Measure these".into() }
}

/// How many claims are shown.
#[must_use]
pub(crate) fn claims_shown(count: usize) -> String {
    format!("{count} of {} claims", crate::claims::ALL.len())
}

/// A test under way.
#[must_use]
pub(crate) fn testing(share: f64) -> String {
    format!("Measuring, {:.0} %", (100.0 * share).floor())
}

/// A test whose runs failed.
#[must_use]
pub(crate) fn test_failed(config: &Config, failure: &Failure) -> String {
    trouble(config, failure, false)
}

/// Who measured.
#[must_use]
const fn measured_by(engine: Engine) -> &'static str {
    match engine {
        Engine::Gpu => "measured now, WebGPU",
        Engine::Cpu => "measured now, processor",
        Engine::Reference => "measured now, float64",
    }
}

/// Who measured, and what the literature has.
#[must_use]
pub(crate) fn measured_beside(engine: Engine, literature: VerdictKind) -> String {
    format!("{}; {}", measured_by(engine), literature_says(literature))
}

/// The verdict of the literature beside a measured one.
#[must_use]
pub(crate) fn literature_says(literature: VerdictKind) -> String {
    format!("literature: {}", literature.title())
}

/// The guide in full.
#[must_use]
pub(crate) fn in_guide(guide: Guide) -> String {
    format!("In “{}”", guide.full_title())
}

/// A clause that begins a sentence.
#[must_use]
pub(crate) fn capitalised(clause: &str) -> String {
    let mut rest = clause.chars();
    let first: String = rest.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    first + rest.as_str()
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

/// One line on a placement.
#[must_use]
pub(crate) const fn placement_help(placement: Placement) -> &'static str {
    match placement {
        Placement::Post => "A norm on the sum, as in the Transformer of 2017 (Vaswani et al.)",
        Placement::Pre => "A norm on what each sublayer reads, as in GPT-2 (Xiong et al. 2020)",
        Placement::Sandwich => "Norms on what a sublayer reads and on what it returns (CogView, 2021)",
        Placement::Olmo2 => "A norm on what a sublayer returns (OLMo 2, 2025)",
        Placement::DeepNorm => "Post-LN with the stream scaled up and the weights scaled down (DeepNet, 2022)",
        Placement::Peri => "As Sandwich-LN, and a norm on the embedding (Kim et al. 2025)",
        Placement::None => "No norm in any block",
        Placement::Residual => "Post-LN beside a second stream without norms, added at the end (ResiDual, 2023)",
        Placement::B2t => "Post-LN whose FFN also adds what entered the block (Bottom-to-Top, 2022)",
        Placement::Admin => "Post-LN with the stream scaled up as far as its branches vary (Admin, 2020)",
        Placement::Lns => "Pre-LN with the norm’s output over the root of the block’s number (2025)",
        Placement::MixLn => "Post-LN for the first quarter of the blocks, Pre-LN after (Mix-LN, 2024)",
        Placement::Keel => "Norms on input and sum, the stream times the number of sublayers (Keel, 2026)",
    }
}

/// The label of a control.
#[must_use]
pub(crate) fn label(key: &str) -> &'static str {
    match key {
        "init" => "Init",
        "norm" => "Norm",
        "act" => "Activation",
        "width" => "Width",
        "heads" => "heads",
        "tokens" => "Tokens",
        "seed" => "Seed",
        "statistic" => "Which statistic",
        "seeds" => "Seeds",
        "cross" => "Cross-attention",
        "memory_cos" => "Memory cosine",
        "deepest" => "Deepest model",
        "guide" => "Guide",
        "topic" => "Topic",
        "verdict" => "Literature’s verdict",
        "batch" => "Batch",
        "ffn" => "FFN factor",
        "vocab" => "Classes",
        "residual_scale" => "Residual scale",
        "qk_norm" => "QK-norm",
        "causal" => "Causal mask",
        "attention" => "Attention",
        "output_projection" => "Output projection",
        "final_norm" => "Final norm",
        "engine" => "Engine",
        "memory" => "Memory, MiB",
        _ => "",
    }
}

/// The name of a choice.
#[must_use]
pub(crate) fn choice(key: &str, value: &str) -> String {
    let named = match key {
        "guide" => Guide::from_key(value).map(Guide::title),
        "topic" => Topic::from_key(value).map(Topic::title),
        "verdict" => VerdictKind::from_key(value).map(VerdictKind::title),
        _ => None,
    };
    if let Some(name) = named {
        return capitalised(name);
    }
    let name = match (key, value) {
        (_, "all") => "All",
        ("init", "xavier") => "Xavier",
        ("init", "xavier-uniform") => "Xavier, uniform",
        ("init", "he") => "He",
        ("init", "lecun") => "LeCun",
        ("init", "normal-0.02") => "Normal, 0.02",
        ("init", "small") => "Small",
        ("norm", "layernorm") => "LayerNorm",
        ("norm", "rmsnorm") => "RMSNorm",
        ("act", "relu") => "ReLU",
        ("act", "gelu") => "GELU",
        ("act", "swiglu") => "SwiGLU",
        ("residual_scale", "gpt2") => "GPT-2",
        ("residual_scale", "zero") => "Zero",
        ("qk_norm", "head") => "Each head",
        ("qk_norm", "full") => "Whole projection",
        ("attention", "softmax") => "Softmax",
        ("attention", "uniform") => "Uniform",
        ("final_norm", "auto") => "As published",
        ("engine", "") => "Automatic",
        ("engine", "gpu") => "WebGPU, float32",
        ("engine", "cpu") => "Processor, float32",
        ("engine", "reference") => "Reference, float64",
        ("statistic", "grad_weight.w2") => "Gradient of W₂ of the FFN",
        ("statistic", "grad_weight.w1") => "Gradient of W₁ of the FFN",
        ("statistic", "grad_weight.wg") => "Gradient of the gate of the FFN",
        ("statistic", "grad_weight.wo") => "Gradient of attention’s output",
        ("statistic", "grad_weight.wv") => "Gradient of attention’s values",
        ("statistic", "grad_weight.wk") => "Gradient of attention’s keys",
        ("statistic", "grad_weight.wq") => "Gradient of attention’s queries",
        ("statistic", "grad_weight.co") => "Gradient of cross-attention’s output",
        ("statistic", "grad_weight.cv") => "Gradient of cross-attention’s values",
        ("statistic", "grad_weight.ck") => "Gradient of cross-attention’s keys",
        ("statistic", "grad_weight.cq") => "Gradient of cross-attention’s queries",
        ("statistic", "grad_stream") => "Gradient of the stream",
        ("statistic", "stream_rms") => "Residual stream",
        ("statistic", "grad_cosine") => "Gradient cosine",
        ("statistic", "net_factor") => "Net gradient factor",
        ("statistic", "norm_jacobian") => "Norm’s Jacobian",
        ("statistic", "update_ratio") => "Update ratio",
        ("statistic", "token_cosine") => "Token cosine",
        ("statistic", "rank_residual") => "Rank residual",
        ("statistic", "attention_entropy") => "Attention entropy",
        ("statistic", "max_logit") => "Largest attention score",
        ("statistic", "stream_max") => "Largest value of the stream",
        (_, "none") => "None",
        (_, "0" | "off") => "Off",
        (_, "1" | "on") => "On",
        (_, other) => return other.into(),
    };
    name.into()
}

/// One line on a control, and its formula in MathML where there is one.
#[must_use]
pub(crate) fn help(key: &str, value: &str) -> (&'static str, &'static str) {
    match (key, value) {
        ("init", "he") => ("He keeps the variance of a ReLU layer level going forward:", math::HE),
        ("init", "lecun") => ("LeCun keeps the variance of a linear layer level going forward:", math::LECUN),
        ("init", "normal-0.02") => ("One standard deviation for every matrix, as in BERT and GPT-2:", math::NORMAL),
        ("init", "small") => ("Small init (Nguyen & Salazar 2019):", math::SMALL),
        ("init", "xavier-uniform") => ("Xavier’s variance, drawn from an interval:", math::XAVIER),
        ("init", _) => ("Xavier keeps variance level both ways:", math::XAVIER),
        ("norm", "rmsnorm") => ("RMSNorm divides by the root mean square:", math::RMSNORM),
        ("norm", _) => ("LayerNorm removes the mean and divides by the standard deviation:", math::LAYERNORM),
        ("act", "gelu") => ("The nonlinearity of the FFN, with the tanh approximation of Φ:", math::GELU),
        ("act", "swiglu") => ("A gated FFN with a third matrix:", math::SWIGLU),
        ("act", _) => ("The nonlinearity of the FFN:", math::RELU),
        ("width", _) => ("Features of the residual stream, 16 to 1024, a multiple of the heads.", ""),
        ("heads", _) => ("Attention heads, 1 to 16; they divide the width.", ""),
        ("tokens", _) => ("Tokens of a sequence, 2 to 256.", ""),
        ("seed", _) => ("The seed of every random number. Another depth keeps the blocks it shares.", ""),
        ("statistic", "grad_cosine") => ("How alike the gradients at two tokens are, on average.", ""),
        ("statistic", "net_factor") => {
            ("What a block makes of the squared gradient, from its end to its beginning.", "")
        }
        ("statistic", "norm_jacobian") => {
            ("By how much a norm scales what passes it back (Xiong et al. 2020, Lemma 3).", "")
        }
        ("statistic", "update_ratio") => {
            ("The size of what a sublayer adds over that of the stream it is added to.", "")
        }
        ("statistic", "token_cosine") => ("How alike two tokens of a sequence are, on average; 1: all the same.", ""),
        ("statistic", "rank_residual") => ("What is left of the stream without its mean token (Dong et al. 2021).", ""),
        ("statistic", "attention_entropy") => ("1 where attention weighs all tokens alike, 0 where it picks one.", ""),
        ("statistic", "max_logit") => ("The largest score of the self-attention, before its softmax.", ""),
        ("statistic", "stream_max") => ("The largest absolute value of the stream; fp16 ends at 65,504.", ""),
        ("statistic", "stream_rms") => ("The root mean square of all values of the stream.", ""),
        ("statistic", _) => ("The size of the loss’s gradient at each block:", math::GRADIENT),
        ("seeds", _) => ("Runs with this many seeds: their median, and the middle half as a band.", ""),
        ("deepest", _) => ("Blocks of the deepest model of the atlas, 12 to 200; the shallowest has 6.", ""),
        ("cross", _) => ("A third sublayer that attends to a constant memory, as a decoder’s does.", ""),
        ("memory_cos", _) => ("How alike the memory’s tokens are: 1 is a collapsed encoder.", ""),
        ("batch", _) => ("Sequences in a batch, 1 to 8.", ""),
        ("ffn", _) => ("Hidden features of the FFN, in widths, 1 to 8.", ""),
        ("vocab", _) => ("Classes of the loss, 2 to 1024; the targets are random.", ""),
        ("residual_scale", _) => {
            ("GPT-2 scales the last matrix of each branch by this; zero starts every branch silent:", math::RESIDUAL)
        }
        ("qk_norm", _) => ("RMSNorm on queries and keys: each head’s (Gemma 3), or all of them (OLMo 2).", ""),
        ("causal", _) => ("Whether a token sees only itself and those before it.", ""),
        ("attention", _) => ("Uniform: every token averages all, as in Xiong et al.’s simplified setting.", ""),
        ("output_projection", _) => ("Whether attention ends in a matrix of its own, the output projection.", ""),
        ("final_norm", _) => ("A norm before the un-embedding; as published: for all but those that end in one.", ""),
        ("memory", _) => {
            ("What a pass in float32 may take; what does not fit is computed again when it is needed.", "")
        }
        ("engine", _) => ("WebGPU and its twin on the processor work in float32, the reference in float64.", ""),
        _ => ("", ""),
    }
}

/// Formulas in MathML.
mod math {
    macro_rules! formula {
        ($($part:literal),+ $(,)?) => { concat!("<math><mrow>", $($part),+, "</mrow></math>") };
    }

    pub(super) const XAVIER: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo>",
        "<msub><mi>n</mi><mtext>in</mtext></msub><mo>+</mo><msub><mi>n</mi><mtext>out</mtext></msub>",
        "<mo stretchy=\"false\">)</mo>"
    );
    pub(super) const HE: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>"
    );
    pub(super) const LECUN: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>1</mn><mo>/</mo><msub><mi>n</mi><mtext>in</mtext></msub>"
    );
    pub(super) const NORMAL: &str = formula!("<mi>σ</mi><mo>=</mo><mn>0.02</mn>");
    pub(super) const SMALL: &str = formula!(
        "<msup><mi>σ</mi><mn>2</mn></msup><mo>=</mo><mn>2</mn><mo>/</mo><mo stretchy=\"false\">(</mo><mn>5</mn>",
        "<mi>min</mi><mo stretchy=\"false\">(</mo><msub><mi>n</mi><mtext>in</mtext></msub><mo>,</mo>",
        "<msub><mi>n</mi><mtext>out</mtext></msub><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const LAYERNORM: &str = formula!(
        "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
        "<mo stretchy=\"false\">(</mo><mi>x</mi><mo>−</mo><mi>μ</mi><mo stretchy=\"false\">)</mo><mo>/</mo>",
        "<msqrt><mrow><msup><mi>σ</mi><mn>2</mn></msup><mo>+</mo><mi>ε</mi></mrow></msqrt>"
    );
    pub(super) const RMSNORM: &str = formula!(
        "<mi mathvariant=\"normal\">N</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo><mo>=</mo>",
        "<mi>x</mi><mo>/</mo><msqrt><mrow><mover><msup><mi>x</mi><mn>2</mn></msup><mo>¯</mo></mover><mo>+</mo>",
        "<mi>ε</mi></mrow></msqrt>"
    );
    pub(super) const RELU: &str = formula!(
        "<mi>max</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo>,</mo><mn>0</mn><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const GELU: &str = formula!(
        "<mi>x</mi><mi mathvariant=\"normal\">Φ</mi><mo stretchy=\"false\">(</mo><mi>x</mi><mo stretchy=\"false\">)</mo>"
    );
    pub(super) const SWIGLU: &str = formula!(
        "<mo stretchy=\"false\">(</mo><mi>silu</mi><mo stretchy=\"false\">(</mo><mi>x</mi><msub><mi>W</mi><mi>g</mi></msub>",
        "<mo stretchy=\"false\">)</mo><mo>⊙</mo><mi>x</mi><msub><mi>W</mi><mn>1</mn></msub><mo stretchy=\"false\">)</mo>",
        "<msub><mi>W</mi><mn>2</mn></msub>"
    );
    pub(super) const RESIDUAL: &str = formula!("<mn>1</mn><mo>/</mo><msqrt><mrow><mn>2</mn><mi>L</mi></mrow></msqrt>");
    pub(super) const GRADIENT: &str = formula!(
        "<mo>‖</mo><mo>∂</mo><mi mathvariant=\"script\">L</mi><mo>/</mo><mo>∂</mo><mi>W</mi><msub><mo>‖</mo><mi>F</mi></msub>"
    );
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
