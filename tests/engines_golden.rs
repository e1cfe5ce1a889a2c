//! The float32 engines against every golden run: the kernels' twins on the processor, and the kernels on a GPU.

#![allow(clippy::print_stdout, reason = "how close they come, for those who ask with --nocapture")]

mod common;

use common::{Golden, check_f32, check_marks, check_marks_missing, config, extended};
use normscope::cpu::CpuPass;
use normscope::model::{Config, Tensor};
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
        check_collapsed(measure);
    }
}
