//! A device that is asked for too much, or for two things at once.

#![cfg(feature = "gpu")]

mod common;

use common::config;
use futures_util::future::join;
use normscope::gpu::{Gpu, GpuError};
use normscope::plan::{Extent, Limits, Passes, build};
use normscope::stats::Engine;

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
    let limits = Limits { binding_bytes: u64::MAX, page_bytes: u64::MAX, budget_bytes: u64::MAX, ..gpu.limits() };
    let beyond =
        build(&config("depth=60&width=1024&tokens=16"), &limits, &[], Extent::Curves).expect("within these limits");
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

#[test]
fn the_numbers_do_not_depend_on_how_memory_is_cut() {
    let Some(gpu) = common::gpu::open() else { return };
    for (query, extent) in [
        ("placement=sandwich&depth=5&width=24&heads=2", Extent::Curves),
        ("placement=deepnorm&depth=4&width=20&act=swiglu", Extent::WithUpdate),
    ] {
        let config = config(query);
        let run = |limits: &Limits| {
            let mut passes = Passes::new(&config, limits, extent, Engine::Gpu).expect("this fits");
            let words = pollster::block_on(gpu.run(passes.plan(), || false)).expect("the GPU runs").words;
            passes.advance(words).expect("this fits").expect("one pass is all")
        };
        let whole = run(&gpu.limits());
        let budgets = common::cut(gpu.limits(), |limits| build(&config, limits, &[], extent));
        assert!(budgets.len() >= 4, "{query}: {}", budgets.len());
        for limits in budgets {
            assert_eq!(run(&limits), whole, "{query}, {} bytes", limits.budget_bytes);
        }
    }
}

/// Weights of an earlier run are used again, and only those that are the same: 6 matrices, 10 blocks a dispatch.
#[test]
fn weights_that_are_there_are_not_made_again() {
    let Some(gpu) = common::gpu::open() else { return };
    for (query, spared) in [
        ("placement=pre&depth=14", 0),
        ("placement=post&depth=14", 12),
        ("placement=pre&depth=9", 6),
        ("placement=pre&depth=14&seed=1", 0),
        // It scales all but W_Q and W_K.
        ("placement=deepnorm&depth=14&seed=1", 4),
        ("placement=pre&depth=6&width=32", 0),
        // Its second pass turns the last bits of every weight over.
        ("placement=none&depth=6&width=32", 6),
        ("placement=pre&depth=6&width=32", 0),
        ("placement=pre&depth=40&width=32", 0),
        ("placement=pre&depth=14", 0),
        // Matrices that lie in the same places and have other entries.
        ("placement=pre&depth=12&width=295&heads=1&ffn=2&tokens=4&batch=1", 0),
        ("placement=pre&depth=12&width=296&heads=1&ffn=2&tokens=4&batch=1", 0),
        ("placement=pre&depth=11&width=295&heads=1&ffn=2&tokens=4&batch=1", 0),
    ] {
        let config = config(query);
        let fresh = common::gpu::open().expect("there was one a moment ago");
        let measure = |gpu: &Gpu| pollster::block_on(gpu.measure(&config, || false)).expect("the GPU runs");
        let (outcome, alone) = (measure(&gpu), measure(&fresh));
        assert_eq!(outcome.measurement, alone.measurement, "{query}");
        assert_eq!(alone.counters.dispatches - outcome.counters.dispatches, spared, "{query}");
    }
}
