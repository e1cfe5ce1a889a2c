//! The `normscope` binary as a user meets it.

mod common;

use std::collections::BTreeSet;
use std::process::{Command, Output};

use common::{Golden, check_f64, config, number};
use normscope::model::Config;
use normscope::stats::{Engine, Measurement, Quantity, Series};
use serde_json::Value;

fn normscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_normscope")).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// What it prints when all goes well.
fn printed(arguments: &[&str]) -> String {
    let output = normscope(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The one line it complains with, and its status.
fn complaint(arguments: &[&str]) -> (String, Option<i32>) {
    let output = normscope(arguments);
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output.stdout));
    let line = text(&output.stderr);
    assert_eq!(line.matches('\n').count(), 1, "{arguments:?}: {line}");
    (line.trim_end().to_owned(), output.status.code())
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("JSON")
}

/// A run read back from the printed JSON.
fn measurement(json: &Value) -> Measurement {
    let config: Config = serde_json::from_value(json["config"].clone()).expect("a configuration");
    let series = Quantity::all(&config).into_iter().map(|quantity| {
        let value = quantity.name().split('.').fold(json, |value, key| &value[key]).clone();
        let values = match &value {
            Value::Array(list) => list.iter().map(number).collect(),
            single => vec![number(single)],
        };
        Series::exact(quantity, values)
    });
    Measurement { series: series.collect(), config, engine: Engine::Reference }
}

#[test]
fn json_is_that_of_the_golden_run() {
    let golden = Golden::of("placement=post&depth=6");
    let json = json(&["run", &golden.query, "--engine", "reference"]);
    check_f64(&golden, &measurement(&json)).unwrap();
    assert_eq!(
        (json["engine"].as_str(), json["marks"].as_object().map(serde_json::Map::len)),
        (Some("reference"), Some(0))
    );
    // The keys of the implementation that made the golden runs, and those that only this one has.
    let text = include_str!("golden/post,depth-6.json");
    let theirs: Value = serde_json::from_str(text).expect("JSON");
    let keys = |json: &Value| json.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
    let mut expected = keys(&theirs);
    for key in ["query", "f32", "model_update"] {
        expected.remove(key);
    }
    let ours = ["grad_cosine", "rank_residual", "attention_entropy", "max_logit", "net_factor", "norm_jacobian"];
    expected.extend(["engine", "marks"].iter().chain(&ours).map(|key| (*key).to_owned()));
    assert_eq!(keys(&json), expected);
    assert_eq!(json["config"], theirs["config"]);
    assert_eq!(keys(&json["grad_weight"]), keys(&theirs["grad_weight"]));
}

#[test]
fn the_update_is_printed_where_it_is_asked_for() {
    let golden = Golden::of("placement=post&depth=6");
    let wanted = golden.update.expect("it is finite");
    for (engine, tolerance) in [("reference", 1e-4), ("cpu", 1e-2)] {
        let run = json(&["run", &golden.query, "--engine", engine, "--update"]);
        for (name, wanted) in ["sgd", "sign"].into_iter().zip(wanted) {
            let got = run["model_update"][name].as_f64().expect("a number");
            assert!((got / wanted - 1.0).abs() < tolerance, "{engine} {name}: {got} instead of {wanted}");
        }
    }
}

#[test]
fn an_empty_query_is_the_default_run() {
    let small = "depth=1";
    assert_eq!(json(&["run", small])["config"], serde_json::to_value(config(small)).expect("JSON"));
    assert_eq!(json(&["run"])["config"], serde_json::to_value(Config::default()).expect("JSON"));
}

#[test]
fn the_engine_is_that_of_the_option_then_of_the_query() {
    let engine = |arguments: &[&str]| json(arguments)["engine"].as_str().map(str::to_owned);
    assert_eq!(engine(&["run", "depth=1"]).as_deref(), Some("reference"));
    assert_eq!(engine(&["run", "depth=1&engine=cpu"]).as_deref(), Some("cpu"));
    assert_eq!(engine(&["run", "depth=1&engine=gpu", "--engine", "cpu"]).as_deref(), Some("cpu"));
}

#[test]
fn numbers_that_json_lacks_are_words() {
    // A gate squares the stream in every block, until nothing holds it.
    let run = json(&["run", "placement=none&act=swiglu&depth=24"]);
    let last = |name: &str| run[name].as_array().and_then(|list| list.last()).cloned();
    assert!(matches!(last("stream_rms").as_ref().and_then(Value::as_str), Some("NaN" | "inf")), "{run}");
    assert!(run["marks"]["stream_rms"].is_object(), "{}", run["marks"]);
}

#[test]
fn csv_is_a_long_table_of_the_same_numbers() {
    let query = "placement=peri&depth=2&act=swiglu";
    let table = printed(&["run", query, "--format", "csv"]);
    let run = json(&["run", query]);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("quantity,layer,value,mark"));
    for line in lines {
        let [name, layer, value, mark] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let series = name.split('.').fold(&run, |value, key| &value[key]);
        let expected = if series.is_array() { &series[layer.parse::<usize>().expect("a layer")] } else { series };
        assert_eq!((value.parse().ok(), mark), (expected.as_f64(), ""), "{line}");
    }
    let rows = measurement(&run).series.iter().map(|series| series.values.len()).sum::<usize>();
    assert_eq!(table.lines().count(), 1 + rows);
}

#[test]
fn a_bad_query_names_its_key() {
    for (query, key, allowed) in [
        ("depth=201", "depth", "from 1 to 200"),
        ("depth=", "depth", "from 1 to 200"),
        ("placement=pst", "placement", "deepnorm"),
        ("placement=post,pre", "placement", "post, pre"),
        ("width=100&heads=16", "heads", "divisor of width"),
        ("memory_cos=2", "memory_cos", "from 0 to 1"),
        ("engine=abacus", "engine", "gpu, cpu, reference"),
        ("depht=12", "depht", "no such key"),
    ] {
        let (line, status) = complaint(&["run", query]);
        assert_eq!(status, Some(2), "{query}: {line}");
        assert!(line.starts_with(&format!("normscope: {key}: ")), "{query}: {line}");
        assert!(line.contains(allowed), "{query}: {line}");
    }
    let (line, status) = complaint(&["run", "seed=-1&norm=batch"]);
    assert_eq!(status, Some(2));
    assert!(line.contains("seed: ") && line.contains("norm: "), "{line}");
}

#[test]
fn bad_options_are_refused() {
    for arguments in [&["run", "", "--engine", "abacus"][..], &["run", "", "--format", "xml"], &["fly"], &[]] {
        let output = normscope(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_gpu_says_so() {
    for arguments in [&["run", "", "--engine", "gpu"][..], &["run", "engine=gpu"], &["adapters"]] {
        let (line, status) = complaint(arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {line}");
        assert!(line.contains("--features cli,gpu"), "{arguments:?}: {line}");
    }
}

#[test]
fn help_lists_every_key_with_its_default() {
    let help = printed(&["run", "--help"]);
    for key in normscope::share::keys() {
        assert!(help.lines().any(|line| line.trim_start().starts_with(key.name)), "{}: {help}", key.name);
    }
    assert!(help.contains("a whole number from 1 to 200 [default: 24]"), "{help}");
}
