//! The float32 engines against every golden run: the kernels' twins on the processor, and the kernels on a GPU.

#![allow(clippy::print_stdout, reason = "how close they come, for those who ask with --nocapture")]

mod common;

use common::{Golden, check_f32, check_marks, check_marks_missing, config, extended};
use normscope::cpu::CpuPass;
use normscope::model::{Config, Tensor};
use normscope::reference;
use normscope::stats::{Mark, Measurement, Pass, Quantity};

fn check_all(measure: impl Fn(&Config) -> Measurement) {
    let mut failures = Vec::new();
    for golden in Golden::all() {
        let got = measure(&golden.config);
        match check_f32(&golden, &got) {
            Ok(worst) => println!("{}: {worst}", golden.query),
            Err(failure) => failures.push(failure),
        }
        failures.extend(check_marks(&golden, &got).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Past the resolution of float32 by far: scores beyond 1e30, and a softmax that turns on the last digit.
fn check_unbounded(measure: impl Fn(&Config) -> Measurement) {
    let query = "placement=none&depth=100";
    let got = measure(&config(query));
    let truth = extended(query).expect("a run of 80 bits");
    check_marks_missing(query, &truth, &got).unwrap();
    let first = got.mark(Quantity::GradStream, 0);
    assert!(matches!(first, Some(Mark::Unresolved | Mark::NotANumber)), "{first:?}");
}

/// At these depths two passes in float32 often agree on a gradient that is wrong by decades. Judged by the float64
/// engine, where that resolves the value itself.
fn check_unbounded_against_float64(measure: impl Fn(&Config) -> Measurement) {
    let mut failures = Vec::new();
    for depth in [14, 20, 30, 45, 60, 75, 100] {
        for seed in [0, 1] {
            let query = format!("placement=none&depth={depth}&seed={seed}");
            let (got, want) = (measure(&config(&query)), reference::measure(&config(&query)));
            for quantity in Quantity::all(&got.config) {
                let values = got.values(quantity).iter().zip(want.values(quantity)).enumerate();
                for (index, (value, want_value)) in values {
                    // Written so that NaN counts as far off.
                    let near = (value - want_value).abs() <= 0.5 * want_value.abs();
                    let known = want.mark(quantity, index).is_none();
                    if !near && known && got.mark(quantity, index).is_none() {
                        let name = quantity.name();
                        failures.push(format!("{query}: {name}[{index}] is {value:e}, should be {want_value:e}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} unmarked:\n{}", failures.len(), failures.join("\n"));
}

/// Where the tokens have become alike, nothing is known of the gradients of the scores, and all else is.
fn check_collapsed(measure: impl Fn(&Config) -> Measurement) {
    let got = measure(&config("placement=post&depth=200"));
    for tensor in [Tensor::Wq, Tensor::Wk] {
        let quantity = Quantity::GradWeight(tensor);
        assert!((0..40).all(|block| got.mark(quantity, block).is_none()), "{tensor:?}");
        assert!((50..200).all(|block| got.mark(quantity, block) == Some(Mark::Unresolved)), "{tensor:?}");
    }
    let w2 = Quantity::GradWeight(Tensor::W2);
    assert!((0..200).all(|block| got.mark(w2, block).is_none()));
}

fn on_cpu(config: &Config) -> Measurement {
    CpuPass::new(config).expect("golden runs are small").finish()
}

#[test]
fn the_cpu_agrees_with_every_golden_run() {
    check_all(on_cpu);
}

#[test]
fn the_cpu_marks_what_it_cannot_resolve() {
    check_unbounded(on_cpu);
    check_unbounded_against_float64(on_cpu);
    check_collapsed(on_cpu);
}

#[cfg(feature = "gpu")]
mod on_gpu {
    use super::common::gpu::open;
    use super::*;

    #[test]
    fn the_gpu_agrees_with_every_golden_run() {
        let Some(gpu) = open() else { return };
        check_all(|config| pollster::block_on(gpu.measure(config, || false)).expect("the GPU runs").measurement);
    }

    #[test]
    fn the_gpu_marks_what_it_cannot_resolve() {
        let Some(gpu) = open() else { return };
        let measure =
            |config: &Config| pollster::block_on(gpu.measure(config, || false)).expect("the GPU runs").measurement;
        check_unbounded(measure);
        check_unbounded_against_float64(measure);
        check_collapsed(measure);
    }
}
