//! Golden runs, and how close an engine has to come to them.
//!
//! Each test binary takes what it needs of this module.
#![allow(dead_code, unreachable_pub, reason = "compiled into several test binaries, each of which uses a part")]

#[cfg(feature = "gpu")]
pub mod gpu;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use normscope::model::{Config, Placement, Tensor};
use normscope::plan::{Limits, Plan, PlanError};
use normscope::share::{self, Target};
use normscope::stats::{Measurement, Quantity};
use serde_json::Value;

/// One run of the independent implementation; see `tests/golden/README.md`.
pub struct Golden {
    pub query: String,
    pub config: Config,
    /// In float64, by the names of the quantities.
    pub f64: BTreeMap<String, Vec<f64>>,
    /// The same from the same draws in float32: what single precision resolves.
    pub f32: BTreeMap<String, Vec<f64>>,
    /// The change of the logits in one step along the gradient and along its sign, where it is finite; by differences.
    pub update: Option<[f64; 2]>,
    /// `f64`, and in its place a run of 80 bits where that is known: what marks are judged by.
    pub truth: BTreeMap<String, Vec<f64>>,
}

impl Golden {
    /// Every golden run.
    pub fn all() -> Vec<Self> {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(directory())
            .expect("tests/golden is there")
            .map(|entry| entry.expect("a directory entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        assert_eq!(paths.len(), 40, "golden runs");
        paths.iter().map(|path| Self::load(path)).collect()
    }

    /// The golden run of a query.
    pub fn of(query: &str) -> Self {
        Self::all().into_iter().find(|golden| golden.query == query).expect("a golden run with this query")
    }

    fn load(path: &Path) -> Self {
        let json = read(path);
        let query = json["query"].as_str().expect("a query").to_owned();
        let config = config(&query);
        let f64 = flatten(&json, &config);
        let f32 = flatten(&json["f32"], &config);
        let mut truth = f64.clone();
        truth.extend(extended(&query).unwrap_or_default());
        let update = json.get("model_update").map(|update| [number(&update["sgd"]), number(&update["sign"])]);
        Self { query, config, f64, f32, truth, update }
    }
}

fn directory() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden"].iter().collect()
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a readable file");
    serde_json::from_str(&text).expect("JSON")
}

/// What is known of a query from a run of 80 bits.
pub fn extended(query: &str) -> Option<BTreeMap<String, Vec<f64>>> {
    let name = query.replace("placement=", "").replace('&', ",").replace('=', "-");
    let path = directory().join("extended").join(format!("{name}.json"));
    path.exists().then(|| flatten(&read(&path), &config(query)))
}

/// The runs of `tests/golden/more`, which have statistics that the golden runs do not: query, values by their names.
pub fn more() -> Vec<(String, BTreeMap<String, Vec<f64>>)> {
    let entries = std::fs::read_dir(directory().join("more")).expect("tests/golden/more is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    paths.sort();
    let load = |path: &PathBuf| {
        let json = read(path);
        let query = json["query"].as_str().expect("a query").to_owned();
        let values = flatten(&json, &config(&query));
        (query, values)
    };
    paths.iter().map(load).collect()
}

/// Limits with every budget that makes a difference to a run, down to the least that it can do with.
pub fn budgets(limits: Limits, plan: impl Fn(&Limits) -> Result<Plan, PlanError>) -> Vec<Limits> {
    let mut budgets = vec![Limits { budget_bytes: u64::MAX, ..limits }];
    loop {
        let last = budgets.last().expect("one is there from the start");
        let budget_bytes = plan(last).expect("a budget that was found").peak_bytes();
        match plan(&Limits { budget_bytes: budget_bytes - 1, ..limits }) {
            Ok(leaner) => budgets.push(Limits { budget_bytes: leaner.peak_bytes(), ..limits }),
            Err(PlanError::TooLarge { .. }) => return budgets,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The same, where even a small run takes many buffers.
pub fn cut(limits: Limits, plan: impl Fn(&Limits) -> Result<Plan, PlanError>) -> Vec<Limits> {
    budgets(Limits { binding_bytes: 100 << 10, ..limits }, plan)
}

/// The configuration of a query that has nothing wrong in it.
pub fn config(query: &str) -> Config {
    let (request, notices) = share::parse(query, Target::CommandLine);
    assert!(notices.is_empty(), "{query}: {notices:?}");
    request.config
}

/// The values of each quantity that an object as the command line prints it has.
fn flatten(json: &Value, config: &Config) -> BTreeMap<String, Vec<f64>> {
    let of = |quantity: Quantity| {
        let name = quantity.name();
        let values = match name.split('.').fold(json, |value, key| &value[key]) {
            Value::Null => return None,
            Value::Array(list) => list.iter().map(number).collect(),
            single => vec![number(single)],
        };
        assert_eq!(values.len(), quantity.len(config), "length of {name}");
        Some((name, values))
    };
    Quantity::all(config).into_iter().chain(Quantity::UPDATES).filter_map(of).collect()
}

/// A number, or one of the strings that stand for those JSON lacks.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().expect("a float64"),
        Value::String(word) => word.parse().expect("NaN, inf or -inf"),
        other => panic!("{other} is no number"),
    }
}

/// Where a run came closest to the bound, or furthest beyond it.
#[derive(Clone, Debug)]
pub struct Worst {
    /// Error by allowed error.
    pub fraction: f64,
    /// Name and index of the value, and the numbers.
    pub what: String,
}

impl std::fmt::Display for Worst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2e} of the bound at {}", self.fraction, self.what)
    }
}

/// Holds a float64 engine to `1e-9 |f64| + 1e-7 max |f32 - f64|`, the maximum over the 3 array entries each side.
pub fn check_f64(golden: &Golden, got: &Measurement) -> Result<Worst, String> {
    check(golden, got, f64::EPSILON, |_, want, spread| 1e-9 * want.abs() + 1e-7 * spread)
}

/// Holds a float32 engine to `t |f64| + 20 max |f32 - f64|`, the maximum over the 3 array entries each side, with `t`
/// 2e-3 up to depth 48 and 5e-3 beyond. What is under 1e-30 must come out under 1e-28; what is over 3e38 must be marked
/// and infinite or NaN. No norm past depth 8 is too ill-conditioned to compare gradients of.
pub fn check_f32(golden: &Golden, got: &Measurement) -> Result<Worst, String> {
    let config = &golden.config;
    let t = if config.depth <= 48 { 2e-3 } else { 5e-3 };
    let forward_only = config.placement == Placement::None && config.depth > 8;
    let beyond = Quantity::all(config).into_iter().flat_map(|quantity| {
        let wanted = golden.f64.get(&quantity.name()).into_iter().flatten();
        let values = got.values(quantity).iter().zip(wanted).enumerate();
        let bad = values.filter(move |(index, (value, want))| {
            want.abs() > f64::from(f32::MAX) && (value.is_finite() || got.mark(quantity, *index).is_none())
        });
        bad.map(move |(index, (value, want))| {
            format!("{}[{index}] is {want:e}, past float32, and came out as {value:e}", quantity.name())
        })
    });
    if let Some(message) = beyond.into_iter().next() {
        return Err(format!("{}: {message}", golden.query));
    }
    check(golden, got, f32::EPSILON.into(), |quantity, want, spread| {
        let gradient = matches!(quantity, Quantity::GradStream | Quantity::GradWeight(_) | Quantity::GradUnembed);
        if want.abs() > f64::from(f32::MAX) || (forward_only && gradient) {
            f64::INFINITY
        } else if want.abs() < 1e-30 {
            1e-28
        } else {
            t * want.abs() + 20.0 * spread
        }
    })
}

/// Compares each value with its golden one, where the golden run has the quantity; `allowed` has the golden value and
/// the largest `|f32 - f64|` near it. What is zero in exact arithmetic may be 64 `epsilon` of the largest `cv`.
fn check(
    golden: &Golden,
    got: &Measurement,
    epsilon: f64,
    allowed: impl Fn(Quantity, f64, f64) -> f64,
) -> Result<Worst, String> {
    let mut worst = Worst { fraction: 0.0, what: "no value".into() };
    let mut failures = String::new();
    if got.config != golden.config {
        return Err(format!("{}: another configuration, {:?}", golden.query, got.config));
    }
    for quantity in Quantity::all(&golden.config) {
        let name = quantity.name();
        let (Some(want), Some(single)) = (golden.f64.get(&name), golden.f32.get(&name)) else { continue };
        let values = got.values(quantity);
        if values.len() != want.len() {
            return Err(format!("{}: {} values of {name} instead of {}", golden.query, values.len(), want.len()));
        }
        let mut worst_here = Worst { fraction: 0.0, what: String::new() };
        for (index, (&value, &wanted)) in values.iter().zip(want).enumerate() {
            let near = index.saturating_sub(3)..(index + 4).min(want.len());
            // Where float32 has left its range it says nothing of what it resolves.
            let spread = near.map(|i| (single[i] - want[i]).abs()).fold(0.0, |a: f64, b| a.max(nan_as_infinity(b)));
            let (wanted, bound) = if is_zero(&golden.config, quantity) {
                (0.0, 64.0 * epsilon * golden.f64["grad_weight.cv"].iter().fold(0.0, |a: f64, b| a.max(*b)))
            } else {
                (wanted, nan_as_infinity(allowed(quantity, wanted, spread)))
            };
            let error = (value - wanted).abs();
            let fraction = if error == 0.0 || bound == f64::INFINITY { 0.0 } else { nan_as_infinity(error / bound) };
            if fraction > worst_here.fraction {
                let what = format!("{name}[{index}]: got {value:e}, want {wanted:e} within {bound:.1e}");
                worst_here = Worst { fraction, what };
            }
        }
        if worst_here.fraction > 1.0 {
            let _ = writeln!(failures, "  {worst_here}");
        }
        if worst_here.fraction > worst.fraction {
            worst = worst_here;
        }
    }
    if failures.is_empty() { Ok(worst) } else { Err(format!("{}:\n{failures}", golden.query)) }
}

/// Whether a quantity is zero in exact arithmetic: where all tokens of the memory are the same, no score of the
/// cross-attention matters.
fn is_zero(config: &Config, quantity: Quantity) -> bool {
    let of_scores = matches!(quantity, Quantity::GradWeight(Tensor::Cq | Tensor::Ck));
    of_scores && config.memory_cos == 1.0
}

fn nan_as_infinity(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

/// What is off by more than half must be marked, what is right to 1e-2 must not, save for what is exactly zero or
/// too small for the engine's normal numbers. Right means: with its neighbours, for noise is right now and then.
pub fn check_marks(golden: &Golden, got: &Measurement) -> Result<(), String> {
    marks(&golden.query, &golden.truth, got, true)
}

/// [`check_marks`] of what is known of a run.
pub fn check_marks_known(query: &str, truth: &BTreeMap<String, Vec<f64>>, got: &Measurement) -> Result<(), String> {
    marks(query, truth, got, true)
}

/// The first half of [`check_marks`], for a run so chaotic that a right value says nothing: what is off by more than
/// half must be marked.
pub fn check_marks_missing(query: &str, truth: &BTreeMap<String, Vec<f64>>, got: &Measurement) -> Result<(), String> {
    marks(query, truth, got, false)
}

fn marks(query: &str, truth: &BTreeMap<String, Vec<f64>>, got: &Measurement, needless_too: bool) -> Result<(), String> {
    let mut failures = String::new();
    for quantity in Quantity::all(&got.config) {
        let name = quantity.name();
        let Some(truth) = truth.get(&name) else { continue };
        let values = got.values(quantity);
        let is_right = |index: usize| (values[index] - truth[index]).abs() <= 1e-2 * truth[index].abs();
        for (index, (&value, &want)) in values.iter().zip(truth).enumerate() {
            let error = (value - want).abs();
            let exempt = value == 0.0 || want.abs() < 2.0 * got.engine.smallest_normal();
            let right = (index.saturating_sub(1)..(index + 2).min(values.len())).all(is_right);
            let complaint = match got.mark(quantity, index) {
                None if nan_as_infinity(error) > 0.5 * want.abs() => "is not marked",
                Some(_) if needless_too && !exempt && right => "is marked",
                _ => continue,
            };
            let _ = writeln!(failures, "  {name}[{index}] {complaint}: got {value:e}, truth {want:e}");
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{query}:\n{failures}")) }
}
