//! The change of the logits in one step of training: against the golden runs, and against differences of the logits.

#![allow(clippy::print_stdout, reason = "how close it comes, for those who ask with --nocapture")]

mod common;

use common::{Golden, config};
use ndarray::Array2;
use normscope::model::{Config, Placement};
use normscope::reference::{ModelUpdatePass, Parameter, Parameters, gradients, logits, measure, model_update};

/// The golden values are central differences: where a ReLU flips within their step they are off by up to 1e-4.
#[test]
fn golden_updates_agree() {
    for golden in Golden::all() {
        let wanted = golden.update.expect("every golden run has a finite update");
        let got = model_update(&golden.config);
        let errors = [got.sgd / wanted[0] - 1.0, got.sign / wanted[1] - 1.0];
        println!("{}: off by {:.1e} and {:.1e}", golden.query, errors[0], errors[1]);
        assert!(errors[0].abs() < 1e-4, "{}: {} instead of {}", golden.query, got.sgd, wanted[0]);
        assert_eq!(got.sgd_mark, None, "{}", golden.query);
        assert!(errors[1].abs() < 1e-4, "{}: {} instead of {}", golden.query, got.sign, wanted[1]);
        assert_eq!(got.sign_mark, None, "{}", golden.query);
    }
}

/// Past the resolution of float64 neither is known.
#[test]
fn what_float64_cannot_resolve_is_marked() {
    let got = model_update(&config("placement=none&depth=100"));
    assert!(got.sgd_mark.is_some() && got.sign_mark.is_some(), "{got:?}");
}

const SIZE: &str = "depth=4&width=16&heads=2&tokens=5&batch=2&ffn=2&vocab=7&seed=3";

/// Between them every norm, smooth activation, mask, norm on queries and keys and kind of sublayer.
const VARIANTS: &[&str] = &[
    "act=gelu",
    "causal=1&norm=rmsnorm&act=gelu&qk_norm=head&init=he",
    "act=swiglu&qk_norm=full&cross=1&memory_cos=0.5&final_norm=on",
    "attention=uniform&act=gelu&output_projection=0&final_norm=off",
];

fn size(x: &Array2<f64>) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// By differences of fourth order in the step, which moves the logits by 1e-3 and 2e-3 of their size.
fn by_differences(parameters: &Parameters, update: f64, step: impl Fn(f64) -> f64) -> f64 {
    let gradients = gradients(parameters);
    let at = |eta: f64| {
        let mut moved = parameters.clone();
        for (&parameter, gradient) in &gradients {
            if let Parameter::Layer { .. } = parameter {
                let values = parameters.get(parameter).expect("a parameter of this model");
                moved.replace(parameter, values - gradient.mapv(&step) * eta);
            }
        }
        logits(&moved)
    };
    let eta = 1e-3 / update;
    let near = (at(eta) - at(-eta)) * (4.0 / 3.0) - (at(2.0 * eta) - at(-2.0 * eta)) / 6.0;
    size(&near) / (2.0 * eta * size(&logits(parameters)))
}

#[test]
fn updates_are_limits_of_differences() {
    let mut worst = 0.0_f64;
    for placement in Placement::ALL {
        for variant in VARIANTS {
            let query = format!("placement={}&{SIZE}&{variant}", placement.key());
            let config = config(&query);
            let mut parameters = Parameters::new(&config);
            // What a placement takes from another run is a constant in every derivative.
            parameters.hold_profile();
            let got = model_update(&config);
            assert_eq!((got.sgd_mark, got.sign_mark), (None, None), "{query}");
            let sign = |g: f64| if g == 0.0 { 0.0 } else { g.signum() };
            for (value, step) in [(got.sgd, &(|g| g) as &dyn Fn(f64) -> f64), (got.sign, &sign)] {
                let want = by_differences(&parameters, value, step);
                let error = (value / want - 1.0).abs();
                assert!(error < 1e-6, "{query}: {value}, by differences {want}");
                worst = worst.max(error);
            }
        }
    }
    println!("worst relative error {worst:.1e}");
}

/// A pass does as it says: it moves on at every step, and measures on the way what a run measures.
#[test]
fn a_pass_measures_too() {
    let config = Config { depth: 3, width: 16, tokens: 6, placement: Placement::Admin, ..Config::default() };
    let mut pass = ModelUpdatePass::new(&config);
    let mut progress = pass.progress();
    assert_eq!(progress, 0.0);
    let update = loop {
        let update = pass.advance();
        assert!(pass.progress() > progress, "{progress}");
        progress = pass.progress();
        if let Some(update) = update {
            break update;
        }
    };
    assert_eq!(progress, 1.0);
    assert_eq!(update, model_update(&config));
    assert_eq!(pass.measurement(), Some(measure(&config)));
}
