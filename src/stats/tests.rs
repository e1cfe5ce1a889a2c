use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Engine, Mark, Measurement, Pass, Quantity, Series, UNRESOLVED_ABOVE, to_csv, to_json};
use crate::model::{Activation, Config, Tensor, Toggle};

/// A measurement whose values say where they stand.
fn measurement(engine: Engine) -> Measurement {
    let config = Config { depth: 3, ..Config::default() };
    let series = Quantity::all(&config).into_iter().enumerate();
    let series = series.map(|(number, quantity)| {
        let values = (0..quantity.len(&config)).map(|index| 1.0 + number as f64 + index as f64 / 8.0).collect();
        Series::exact(quantity, values)
    });
    Measurement { series: series.collect(), config, engine }
}

fn set(measurement: &mut Measurement, quantity: Quantity, index: usize, value: f64, relative_error: f64) {
    let series = measurement.series.iter_mut().find(|series| series.quantity == quantity).expect("the quantity");
    series.values[index] = value;
    series.relative_error.resize(series.values.len(), 0.0);
    series.relative_error[index] = relative_error;
}

/// What another program's reader makes of the output.
fn read(measurement: &Measurement) -> Value {
    serde_json::from_str(&to_json(measurement)).expect("it is JSON")
}

/// What is written is read back to the last bit.
#[test]
fn json_is_read_back() {
    let mut random = 1_u64;
    let mut numbers: Vec<f64> = vec![0.0, -0.0, 1.0, 0.1, 1e-7, 1e16, 1e300, 5e-324, f64::MAX, f64::MIN_POSITIVE, -2.5];
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.push(f64::from_bits(random));
    }
    numbers.retain(|value| value.is_finite());
    let mut run = measurement(Engine::Reference);
    run.series
        .iter_mut()
        .find(|series| series.quantity == Quantity::StreamRms)
        .expect("it")
        .values
        .clone_from(&numbers);
    let json = read(&run);
    let list = json["stream_rms"].as_array().expect("a list");
    assert_eq!(list.len(), numbers.len());
    for (number, read) in numbers.iter().zip(list) {
        assert_eq!(read.as_f64().map(f64::to_bits), Some(number.to_bits()), "{number:?}");
    }
}

#[test]
fn the_configuration_is_as_serde_has_it() {
    let other = crate::share::parse(
        "placement=keel&depth=96&width=128&heads=8&tokens=16&batch=3&ffn=2&vocab=99&norm=rmsnorm&act=swiglu&init=he&\
         residual_scale=gpt2&qk_norm=full&causal=1&attention=uniform&output_projection=0&cross=1&memory_cos=0.7&\
         final_norm=off&seed=4294967295",
        crate::share::Target::CommandLine,
    );
    assert_eq!(other.1, []);
    for config in [Config::default(), other.0.config] {
        let run = Measurement { config: config.clone(), engine: Engine::Cpu, series: Vec::new() };
        assert_eq!(read(&run)["config"], serde_json::to_value(&config).expect("a value"));
        assert_eq!(serde_json::from_value::<Config>(read(&run)["config"].clone()).expect("a model"), config);
    }
}

#[test]
fn numbers_that_json_lacks_are_strings() {
    let mut run = measurement(Engine::Gpu);
    for (index, value) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().enumerate() {
        set(&mut run, Quantity::StreamMax, index, value, 0.0);
    }
    assert_eq!(read(&run)["stream_max"].as_array().expect("a list")[..3], [json!("NaN"), json!("inf"), json!("-inf")]);
}

#[test]
fn lengths_follow_the_configuration() {
    for depth in [1, 6, 200] {
        let config = Config { depth, ..Config::default() };
        let l = depth as usize;
        for (quantity, length) in [
            (Quantity::Loss, 1),
            (Quantity::StreamRms, l + 1),
            (Quantity::StreamMax, l + 1),
            (Quantity::TokenCosine, l + 1),
            (Quantity::UpdateRatio, 2 * l),
            (Quantity::GradStream, l + 1),
            (Quantity::GradWeight(Tensor::W2), l),
            (Quantity::GradUnembed, 1),
            (Quantity::GradCosine, l + 1),
            (Quantity::RankResidual, l + 1),
            (Quantity::AttentionEntropy, l),
            (Quantity::MaxLogit, l),
            (Quantity::NetFactor, 2 * l),
            (Quantity::NormJacobian, 2 * l),
        ] {
            assert_eq!(quantity.len(&config), length, "{quantity:?}");
        }
    }
}

#[test]
fn a_run_lists_the_matrices_it_has() {
    let names = |config: Config| -> BTreeSet<String> {
        Quantity::all(&config)
            .into_iter()
            .filter_map(|q| q.name().strip_prefix("grad_weight.").map(Into::into))
            .collect()
    };
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    assert_eq!(names(Config::default()), set(&["wq", "wk", "wv", "wo", "w1", "w2"]));
    let gated = Config { act: Activation::SwiGlu, ..Config::default() };
    assert_eq!(names(gated), set(&["wq", "wk", "wv", "wo", "w1", "wg", "w2"]));
    let bare = Config { output_projection: Toggle(false), ..Config::default() };
    assert_eq!(names(bare), set(&["wq", "wk", "wv", "w1", "w2"]));
}

#[test]
fn json_has_the_keys_and_values_of_a_run() {
    let mut run = measurement(Engine::Gpu);
    set(&mut run, Quantity::GradWeight(Tensor::Wq), 2, f64::NAN, 0.0);
    let json = read(&run);
    let keys: BTreeSet<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "attention_entropy",
        "config",
        "engine",
        "grad_cosine",
        "grad_stream",
        "grad_unembed",
        "grad_weight",
        "loss",
        "marks",
        "max_logit",
        "net_factor",
        "norm_jacobian",
        "rank_residual",
        "stream_max",
        "stream_rms",
        "token_cosine",
        "update_ratio",
    ];
    assert_eq!(keys, BTreeSet::from(expected));
    assert_eq!(json["engine"], "gpu");
    assert_eq!(json["loss"], 1.0);
    assert_eq!(json["stream_rms"], json!([2.0, 2.125, 2.25, 2.375]));
    assert_eq!(json["update_ratio"].as_array().map(Vec::len), Some(6));
    assert_eq!(json["grad_weight"]["wq"], json!([7.0, 7.125, "NaN"]));
    assert_eq!(json["grad_unembed"], 13.0);
    let config = json!({
        "placement": "pre", "depth": 3, "width": 64, "heads": 4, "tokens": 32, "batch": 2, "ffn": 4, "vocab": 64,
        "norm": "layernorm", "act": "relu", "init": "xavier", "residual_scale": "none", "qk_norm": "none", "causal": 0,
        "attention": "softmax", "output_projection": 1, "cross": 0, "memory_cos": 1.0, "final_norm": "auto", "seed": 0,
    });
    assert_eq!(json["config"], config);
    assert_eq!(serde_json::from_value::<Config>(config).expect("a configuration"), run.config);
}

#[test]
fn marks_say_why() {
    let mut run = measurement(Engine::Gpu);
    let quantity = Quantity::GradWeight(Tensor::Wk);
    let mut mark = |value, relative_error| {
        set(&mut run, quantity, 1, value, relative_error);
        run.mark(quantity, 1)
    };
    assert_eq!(mark(1.0, 0.0), None);
    assert_eq!(mark(1.0, UNRESOLVED_ABOVE), None);
    assert_eq!(mark(1.0, 1.01 * UNRESOLVED_ABOVE), Some(Mark::Unresolved));
    assert_eq!(mark(1.0, f64::NAN), Some(Mark::Unresolved));
    assert_eq!(mark(f64::NAN, 0.0), Some(Mark::NotANumber));
    assert_eq!(mark(f64::INFINITY, 1.0), Some(Mark::Overflow));
    assert_eq!(mark(0.0, f64::NAN), Some(Mark::Zero));
    assert_eq!(mark(1e-39, 0.0), Some(Mark::Underflow));
    assert_eq!(mark(2e-38, 0.0), None);
    run.engine = Engine::Reference;
    set(&mut run, quantity, 1, 1e-39, 0.0);
    assert_eq!(run.mark(quantity, 1), None);
    // What is not there has no mark.
    assert_eq!(run.mark(quantity, 99), None);
    assert_eq!(run.mark(Quantity::GradWeight(Tensor::Wg), 0), None);
}

#[test]
fn marks_are_listed_by_quantity_and_reason() {
    let mut run = measurement(Engine::Cpu);
    assert_eq!(read(&run)["marks"], json!({}));
    let quantity = Quantity::GradWeight(Tensor::Wq);
    set(&mut run, quantity, 0, 1e-9, 1.0);
    set(&mut run, quantity, 2, 1e-9, 2.0);
    set(&mut run, quantity, 1, 0.0, 0.0);
    set(&mut run, Quantity::StreamMax, 3, f64::INFINITY, 0.0);
    let expected = json!({
        "grad_weight.wq": { "unresolved": [0, 2], "zero": [1] },
        "stream_max": { "overflow": [3] },
    });
    assert_eq!(read(&run)["marks"], expected);
}

#[test]
fn csv_has_a_row_for_each_value() {
    let mut run = measurement(Engine::Reference);
    set(&mut run, Quantity::GradWeight(Tensor::W2), 1, f64::INFINITY, 0.0);
    set(&mut run, Quantity::GradStream, 0, 1e-30, 1.0);
    let text = to_csv(&run);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["quantity", "layer", "value", "mark"]);
    let values: usize = run.series.iter().map(|series| series.values.len()).sum();
    assert_eq!(rows.len(), 1 + values);
    assert!(rows.iter().all(|row| row.len() == 4));
    assert!(rows.contains(&vec!["loss", "0", "1.0", ""]));
    assert!(rows.contains(&vec!["grad_weight.w2", "1", "inf", "overflow"]));
    assert!(rows.contains(&vec!["grad_stream", "0", "1e-30", "unresolved"]));
}

#[test]
fn names_find_their_engine_and_mark() {
    for &engine in Engine::ALL {
        assert_eq!(Engine::from_key(engine.key()), Some(engine));
    }
    assert_eq!(Engine::from_key("GPU"), None);
    let keys: BTreeSet<&str> = Mark::ALL.iter().map(|mark| mark.key()).collect();
    assert_eq!(keys.len(), Mark::ALL.len());
}

#[test]
fn a_pass_runs_to_its_end() {
    struct Countdown(u32);
    impl Pass for Countdown {
        fn advance(&mut self) -> Option<Measurement> {
            self.0 -= 1;
            (self.0 == 0).then(|| measurement(Engine::Cpu))
        }
        fn progress(&self) -> f64 {
            0.0
        }
    }
    let done = Countdown(5).finish();
    assert_eq!(done.values(Quantity::Loss), [1.0]);
    assert!(done.values(Quantity::GradWeight(Tensor::Wg)).is_empty());
    assert_eq!(read(&done)["engine"], Value::from("cpu"));
}

#[test]
fn an_update_is_there_where_it_was_asked_for() {
    let mut run = measurement(Engine::Cpu);
    assert!(read(&run).get("model_update").is_none());
    for (quantity, value) in Quantity::UPDATES.into_iter().zip([0.5, f64::INFINITY]) {
        assert_eq!(quantity.len(&run.config), 1);
        run.series.push(Series::exact(quantity, vec![value]));
    }
    let json = read(&run);
    assert_eq!(json["model_update"], json!({ "sgd": 0.5, "sign": "inf" }));
    assert_eq!(json["marks"], json!({ "model_update.sign": { "overflow": [0] } }));
    assert!(to_csv(&run).ends_with("model_update.sgd,0,0.5,\nmodel_update.sign,0,inf,overflow\n"));
}
