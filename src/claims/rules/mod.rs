//! From evidence to verdicts, and what the rules share.
//!
//! A rule asks for as many seeds as it takes for chance not to decide, and leaves a gap between the values that support
//! a claim and those that contradict it: what falls into the gap is not decided.

pub(super) mod blocks;
pub(super) mod cost;
pub(super) mod decoder;
pub(super) mod post;
pub(super) mod pre;
pub(super) mod stream;
pub(super) mod sublayers;
pub(super) mod update;

use super::curve::{Of, Said, Shown};
use super::{Evidence, Outcome, Question, Rule, Verdict};
use crate::model::{Config, Placement, Tensor};
use crate::share::{self, Target};
use crate::sort::sort_short;
use crate::stats::{Mark, Measurement, Quantity};
use crate::text::{number, rules as text};

/// Self-attention in Post-LN makes all tokens alike within a few blocks. What is left to a gradient is then little more
/// than one row, of which each block changes the size by chance: its logarithm wanders by about √(L/d). A stream of
/// twice the default width and several seeds keep that from passing for a law.
const WIDE_POST: &str = "placement=post&width=128&tokens=16&batch=1";

const W2: Quantity = Quantity::GradWeight(Tensor::W2);

/// What is drawn of the evidence.
const fn curve(quantity: Quantity, of: Of) -> Option<Shown> {
    Some(Shown { quantity, of, said: None })
}

/// The same beside what the claim says of it.
const fn said(quantity: Quantity, of: Of, said: Said) -> Option<Shown> {
    Some(Shown { quantity, of, said: Some(said) })
}

/// The configurations of a query, one for each placement it names, at these depths and with seeds from 0.
fn grid(query: &str, depths: &[u32], seeds: u32) -> Vec<Config> {
    let (request, notices) = share::parse(query, Target::Page);
    debug_assert!(notices.is_empty(), "{query}: {notices:?}");
    let configs = request.configs().into_iter();
    let with_depth = move |config: Config| depths.iter().map(move |&depth| Config { depth, ..config.clone() });
    configs
        .flat_map(with_depth)
        .flat_map(|config| (0..seeds).map(move |seed| Config { seed, ..config.clone() }))
        .collect()
}

/// A question of passes alone.
fn passes<const N: usize>(grids: [Vec<Config>; N]) -> Question {
    Question { passes: grids.into_iter().flatten().collect(), ..Question::default() }
}

/// A value as far as it can be believed: NaN where the engine has marked it so.
pub(super) fn known(run: &Measurement, quantity: Quantity, index: usize) -> f64 {
    match run.mark(quantity, index) {
        None | Some(Mark::Zero | Mark::Overflow) => run.values(quantity).get(index).copied().unwrap_or(f64::NAN),
        Some(Mark::Unresolved | Mark::Underflow | Mark::NotANumber) => f64::NAN,
    }
}

/// The value of the first block.
fn first(run: &Measurement, quantity: Quantity) -> f64 {
    known(run, quantity, 0)
}

/// The value of the middle block.
fn middle(run: &Measurement, quantity: Quantity) -> f64 {
    known(run, quantity, run.values(quantity).len() / 2)
}

/// The value of the last block.
fn last(run: &Measurement, quantity: Quantity) -> f64 {
    known(run, quantity, run.values(quantity).len().wrapping_sub(1))
}

/// Every value.
fn each(run: &Measurement, quantity: Quantity) -> impl Iterator<Item = f64> {
    (0..run.values(quantity).len()).map(move |index| known(run, quantity, index))
}

/// The largest value; NaN if one is, or if there is none.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.reduce(|peak, value| if value > peak || value.is_nan() { value } else { peak }).unwrap_or(f64::NAN)
}

/// The largest value over the smallest; NaN if one is.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0f64, 0.0);
    for value in values {
        (low, high, sum) = (low.min(value), high.max(value), sum + value);
    }
    if sum.is_nan() { f64::NAN } else { high / low }
}

/// `||dLoss/dx_0|| / ||dLoss/dx_L||`: what the whole model does to a gradient on its way down.
fn amplification(run: &Measurement) -> f64 {
    first(run, Quantity::GradStream) / last(run, Quantity::GradStream)
}

/// The geometric mean, over the runs that are meant, of a value; NaN where there is no such run or one is not known.
fn mean(evidence: &Evidence, meant: impl Fn(&Config) -> bool, value: impl Fn(&Measurement) -> f64) -> f64 {
    let logs: Vec<f64> = evidence.passes.iter().filter(|run| meant(&run.config)).map(|run| value(run).ln()).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

/// A value against depth: the geometric mean over seeds, for each depth there is.
fn by_depth(
    evidence: &Evidence,
    meant: impl Fn(&Config) -> bool,
    value: impl Fn(&Measurement) -> f64,
) -> Vec<(f64, f64)> {
    let mut depths: Vec<u32> =
        evidence.passes.iter().map(|run| &run.config).filter(|c| meant(c)).map(|c| c.depth).collect();
    sort_short(&mut depths, Ord::cmp);
    depths.dedup();
    depths.iter().map(|&depth| (f64::from(depth), mean(evidence, |c| meant(c) && c.depth == depth, &value))).collect()
}

/// The power of x that y follows: the slope of `ln y` on `ln x` by least squares.
fn power(points: &[(f64, f64)]) -> f64 {
    slope(&points.iter().map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

/// The doublings of y for each unit of x: the slope of `log2 y` on `x` by least squares.
fn doublings(points: &[(f64, f64)]) -> f64 {
    slope(&points.iter().map(|(x, y)| (*x, y.log2())).collect::<Vec<_>>())
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|(x, y)| (x - x0) * (y - y0)).sum();
    covariance / points.iter().map(|(x, _)| (x - x0) * (x - x0)).sum::<f64>()
}

/// Two tests of which at most one can be passed; not decided if neither is, as where a value is not known.
const fn decide(holds: bool, fails: bool) -> Verdict {
    match (holds, fails) {
        (true, false) => Verdict::Holds,
        (false, true) => Verdict::DoesNotHold,
        _ => Verdict::NotDecided,
    }
}

/// A placement alone, of any depth and seed.
fn is(placement: Placement) -> impl Fn(&Config) -> bool {
    move |config| config.placement == placement
}

/// Values after one another: `0.92, 0.89, 0.58`.
fn list(values: impl IntoIterator<Item = f64>) -> String {
    joined(values.into_iter().map(number::value))
}

/// What is made of numbers, after one another.
fn joined(numbers: impl IntoIterator<Item = String>) -> String {
    numbers.into_iter().collect::<Vec<_>>().join(text::between_values())
}

/// Values against depth: `0.92, 0.58 at L = 6, 96`.
fn at_depths(points: &[(f64, f64)]) -> String {
    let depths: Vec<String> = points.iter().map(|(depth, _)| depth.to_string()).collect();
    text::at_depths(list(points.iter().map(|p| p.1)), depths.join(", "))
}

/// A power with its sign: `L^−0.49`.
fn power_of(name: &str, exponent: f64) -> String {
    let sign = if exponent < -0.005 { "−" } else { "" };
    format!("{name}^{sign}{}", number::fixed(exponent.abs(), 2))
}
