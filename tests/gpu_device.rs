//! A device that is asked for too much, or for two things at once.

#![cfg(feature = "gpu")]

mod common;

use common::config;
use futures_util::future::join;
use normscope::gpu::GpuError;
use normscope::plan::{Limits, build};

#[test]
fn a_refused_run_leaves_nothing_behind() {
    let Some(gpu) = common::gpu::open() else { return };
    let measure = |query: &str| {
        let config = config(query);
        pollster::block_on(gpu.measure(&config, || false)).expect("the GPU runs").measurement
    };
    let (small, large) = ("depth=6&tokens=16", "depth=6&tokens=20");
    let want = measure(large);
    measure(small);
    // Buffers larger than a device takes.
    let limits =
        Limits { binding_bytes: u64::MAX, total_bytes: u64::MAX, kept_weight_bytes: u64::MAX, ..Limits::default() };
    let beyond = build(&config("depth=60&width=1024&tokens=16"), &limits).expect("within these limits");
    let refused = pollster::block_on(gpu.run(&beyond, || false));
    assert!(matches!(refused, Err(GpuError::Refused(_) | GpuError::OutOfMemory(_))), "{refused:?}");
    assert_eq!(measure(large), want);
}

#[test]
fn runs_take_turns() {
    let Some(gpu) = common::gpu::open() else { return };
    let (a, b) = (config("placement=post&depth=12"), config("placement=pre&depth=9&width=32"));
    let alone = |config| pollster::block_on(gpu.measure(config, || false)).expect("the GPU runs").measurement;
    let (want_a, want_b) = (alone(&a), alone(&b));
    let (got_a, got_b) = pollster::block_on(join(gpu.measure(&a, || false), gpu.measure(&b, || false)));
    assert_eq!(got_a.expect("the GPU runs").measurement, want_a);
    assert_eq!(got_b.expect("the GPU runs").measurement, want_b);
}

#[test]
fn a_cancelled_run_leaves_nothing_behind() {
    let Some(gpu) = common::gpu::open() else { return };
    let config = config("placement=pre&depth=12");
    let measure = || pollster::block_on(gpu.measure(&config, || false)).expect("the GPU runs").measurement;
    let want = measure();
    assert!(matches!(pollster::block_on(gpu.measure(&config, || true)), Err(GpuError::Cancelled)));
    assert_eq!(measure(), want);
}
