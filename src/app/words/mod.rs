//! What the page says, put together from its texts.

mod atlas;
mod claims;
mod parts;

pub(crate) use crate::text::page::*;
pub(crate) use atlas::*;
pub(crate) use claims::*;
pub(crate) use parts::*;

use crate::chart::curve::symbol;
use crate::model::{Config, Tensor};
use crate::share::{Guide, Kind, Relation, Request, Target, Topic, VerdictKind, keys};
use crate::stats::{Engine, Mark, Quantity};
use crate::text::{number, page};
use crate::theory::Overlay;

use super::engines::Failure;
use super::play::DEEPEST;
use super::state::{Cost, Running};

/// The wordmark.
pub(crate) const NAME: &str = "Normscope";

/// Names of models at the ticks of the slider.
pub(crate) const MODELS: [&str; 6] = ["Transformer", "BERT-base", "BERT-large", "GPT-2 XL", "GPT-3", ""];

/// Starts the sweep of depth.
#[must_use]
pub(crate) fn play_from(from: u32) -> String {
    play(from, DEEPEST)
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
    named.map_or_else(|| page::choice(key, value), capitalised)
}

/// The title of a chart, its symbol apart: `Gradient of `, `W`, `2`.
#[must_use]
pub(crate) fn title(quantity: Quantity) -> (String, &'static str, &'static str) {
    let before = page::title(quantity.stem());
    let (letter, below) = match quantity {
        Quantity::GradWeight(tensor) => symbol(tensor),
        Quantity::GradUnembed => ("U", ""),
        _ => return (before.into(), "", ""),
    };
    (format!("{before} "), letter, below)
}

/// The name of a quantity in one piece.
pub(crate) fn name(quantity: Quantity) -> String {
    let (before, letter, below) = title(quantity);
    before + letter + below
}

/// The unit or definition beside a title.
#[must_use]
pub(crate) fn unit(quantity: Quantity) -> &'static str {
    page::unit(quantity.stem())
}

/// That, and what it is compared with.
#[must_use]
pub(crate) fn unit_against(quantity: Quantity, relation: Relation, base: Option<&str>) -> String {
    let unit = unit(quantity);
    match (relation, base) {
        (Relation::Ratio, Some(base)) => divided_by(unit, base),
        (Relation::Difference, Some(base)) => less(unit, base),
        _ => unit.into(),
    }
}

/// How far the measurement is from a curve of theory at a block.
#[must_use]
pub(crate) fn deviation(overlay: &Overlay, distance: Option<f64>, block: usize) -> String {
    let Some(distance) = distance else { return String::new() };
    let block = block.to_string();
    match overlay.quantity {
        Quantity::TokenCosine | Quantity::GradCosine if distance < 0.0 => under_theory(number::value(-distance), block),
        Quantity::TokenCosine | Quantity::GradCosine => over_theory(number::value(distance), block),
        _ => times_theory(number::value(1.0 + distance), block),
    }
}

/// A mark in a table.
#[must_use]
pub(crate) fn mark(mark: Mark, precision: &str) -> String {
    match mark {
        Mark::Zero => mark_zero().into(),
        Mark::Underflow => mark_underflow(precision),
        Mark::Unresolved => mark_unresolved(precision),
        Mark::Overflow => mark_overflow(precision),
        Mark::NotANumber => mark_not_a_number().into(),
    }
}

/// Said in the plot where the model has no such matrix.
#[must_use]
pub(crate) fn lacks(tensor: Tensor) -> &'static str {
    match tensor {
        Tensor::Wg => no_gate(),
        Tensor::Wo => no_output_projection(),
        _ => no_matrix(),
    }
}

/// The caption of the table of a chart.
#[must_use]
pub(crate) fn caption(quantity: Quantity, unit: &str) -> String {
    table_caption(name(quantity), unit)
}

/// The title of a step of the tour and what it says.
#[must_use]
pub(crate) fn tour_step(step: u32) -> (&'static str, &'static str) {
    match step {
        1 => (tour_1(), tour_1_text()),
        2 => (tour_2(), tour_2_text()),
        3 => (tour_3(), tour_3_text()),
        4 => (tour_4(), tour_4_text()),
        _ => (tour_5(), tour_5_text()),
    }
}

/// The name of a model: its placement and what is not as in the model that is asked for.
#[must_use]
pub(crate) fn model_name(model: &Config, now: &Config) -> String {
    let of = |config: &Config| Request { config: config.clone(), ..Request::default_for(Target::CommandLine) };
    let (model_request, now_request) = (of(model), of(now));
    let mut name = model.placement.recipe().label.to_owned();
    for key in keys() {
        let value = (key.get)(&model_request);
        if value != (key.get)(&now_request) {
            let choice = match (key.name, key.kind) {
                ("depth", _) => depth_in_words(model.depth),
                (_, Kind::Choice(words)) if words != ["0", "1"] => choice(key.name, &value),
                _ => choice_of(label(key.name), choice(key.name, &value)),
            };
            name = and_choice(name, choice);
        }
    }
    name
}

/// A pass that failed, why, and what is kept.
#[must_use]
pub(crate) fn trouble(config: &Config, failure: &Failure, is_kept: bool) -> String {
    let depth = config.depth.to_string();
    let failed = || pass_failed(config.placement.recipe().label, &depth);
    let mut said = match failure {
        Failure::DeviceLost => device_lost_in_pass(&depth),
        Failure::NoPlan(why) => format!("{} {}", failed(), sentence(why)),
        Failure::Device(why) => format!("{} {why}", failed()),
    };
    if is_kept {
        said = format!("{said} {}", kept());
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
        None => looking().into(),
        Some(Engine::Gpu) => match (adapter, is_software) {
            ("", false) => "WebGPU".into(),
            ("", true) => webgpu_software().into(),
            (name, false) => webgpu_named(name),
            (name, true) => webgpu_software_named(name),
        },
        Some(Engine::Cpu) => processor().into(),
        Some(Engine::Reference) => processor_reference().into(),
    }
}

/// How long the passes took.
#[must_use]
pub(crate) fn time_of_passes(count: usize, milliseconds: f64) -> String {
    let time = if milliseconds < 999.5 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{} s", number::fixed(milliseconds / 1000.0, 1))
    };
    pass_time(count, time)
}

/// What passes cost.
#[must_use]
pub(crate) fn cost(cost: Cost) -> String {
    let memory = format!("{} MiB", number::grouped(cost.peak_bytes.div_ceil(1 << 20)));
    match cost.submits {
        0 if cost.steps == 0 => no_dispatches().into(),
        0 => steps(cost.steps, memory),
        submits => dispatches(cost.steps, submits, memory),
    }
}

/// A time that is not known to the second.
fn about(milliseconds: f64) -> String {
    match milliseconds / 1000.0 {
        s if s < 1.0 => under_a_second().into(),
        s if s < 55.0 => about_seconds(format!("{s:.0}")),
        s if s < 55.0 * 60.0 => about_minutes(format!("{:.0}", (s / 60.0).max(1.0))),
        s => about_hours(number::ratio(s / 3600.0)),
    }
}

/// How far a long run is.
#[must_use]
pub(crate) fn work_done(running: &Running) -> String {
    let (done, all) = running.blocks;
    let label = running.placement.recipe().label;
    match running.left_ms {
        Some(milliseconds) => work_left(label, done, all, about(milliseconds)),
        None => work(label, done, all),
    }
}

/// A run that was ended.
#[must_use]
pub(crate) fn stopped(running: &Running, is_kept: bool) -> String {
    let (done, all) = running.blocks;
    let said = cancelled(done, all);
    if is_kept { format!("{said} {}", kept()) } else { said }
}
