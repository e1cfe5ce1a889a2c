//! How a run is handed to the device: few submits and pipelines, none too large, and the same numbers however it is cut.

#![cfg(feature = "gpu")]

mod common;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use common::config;
use normscope::gpu::{Gpu, GpuError, Setup, Watch, system_clock};
use normscope::plan::{Extent, Kernel, Limits, PlanError, Tuning, build};

fn run(gpu: &Gpu, query: &str, limits: &Limits, extent: Extent) -> normscope::gpu::Run {
    let plan = build(&config(query), limits, &[], extent).expect("this fits");
    pollster::block_on(gpu.run(&plan, || false)).expect("the GPU runs")
}

/// Every kernel, at shapes that are no multiples of a tile, a few workgroups at a time.
#[test]
fn parts_of_steps_make_what_whole_steps_make() {
    for &tuning in Tuning::ALL {
        let setup = Setup { tuning: Some(tuning), ..Setup::new(system_clock) };
        let Some(whole) = common::gpu::open_with(setup) else { return };
        let parts = common::gpu::open_with(Setup { submit_flops: Some(30_000), ..setup }).expect("there was one");
        for query in [
            "placement=peri&depth=2&width=52&heads=4&tokens=13&batch=3&vocab=37&act=gelu&qk_norm=head&norm=rmsnorm",
            "placement=residual&depth=2&width=20&heads=2&tokens=37&batch=2&ffn=2&vocab=9&cross=1&causal=1&act=swiglu",
        ] {
            let (want, got) = [&whole, &parts].map(|gpu| run(gpu, query, &gpu.limits(), Extent::WithUpdate)).into();
            assert_eq!(got.words, want.words, "{tuning:?}, {query}");
            assert!(got.counters.dispatches > 3 * want.counters.dispatches, "{:?}", got.counters);
            assert!(got.counters.submits > 100, "{:?}", got.counters);
        }
    }
}

/// Whatever else the machine does.
#[test]
fn a_short_run_is_one_submit_and_one_readback() {
    let Some(gpu) = common::gpu::open_with(Setup::new(|| 0.0)) else { return };
    for query in ["placement=pre&depth=6&width=32", "placement=post&depth=9&width=32"] {
        let counters = run(&gpu, query, &gpu.limits(), Extent::Curves).counters;
        assert_eq!((counters.submits, counters.readbacks), (1, 1), "{query}");
        assert!(counters.bytes_read < 64 << 10, "{query}");
    }
}

/// What the first plan needs, and the rest while nothing runs.
#[test]
fn pipelines_are_made_once() {
    let Some(gpu) = common::gpu::open() else { return };
    assert_eq!(gpu.pipelines_made(), 0);
    let first = run(&gpu, "placement=pre&depth=6&width=32", &gpu.limits(), Extent::Curves).counters.pipelines;
    let all = Kernel::ALL.len() as u32;
    assert!(0 < first && first < all, "{first} of {all}");
    while pollster::block_on(gpu.make_pipeline()).expect("the GPU runs") {}
    assert_eq!(gpu.pipelines_made(), all);
    for query in
        ["placement=peri&depth=12&qk_norm=head&width=32", "placement=residual&depth=3&cross=1&act=swiglu&width=32"]
    {
        assert_eq!(run(&gpu, query, &gpu.limits(), Extent::WithUpdate).counters.pipelines, 0, "{query}");
    }
}

static CLOCK_MS: AtomicU64 = AtomicU64::new(0);

/// Every look at the clock finds it a second later.
fn slow_clock() -> f64 {
    CLOCK_MS.fetch_add(1000, Ordering::Relaxed) as f64
}

#[test]
fn a_slow_device_gets_smaller_submits() {
    let Some(gpu) = common::gpu::open_with(Setup { tuning: Some(Tuning::Processor), ..Setup::new(slow_clock) }) else {
        return;
    };
    let runs: Vec<_> = (0..5).map(|_| run(&gpu, "placement=pre&depth=12", &gpu.limits(), Extent::Curves)).collect();
    assert!(runs.iter().all(|run| run.words == runs[0].words));
    let counts: Vec<_> = runs.iter().map(|run| run.counters.submits).collect();
    // The times of the first one are those of compilers.
    assert_eq!(counts[..2], [1, 1]);
    assert!(counts.is_sorted() && counts[4] > 8, "{counts:?}");
}

/// Stops after some submits, and remembers what it was told.
struct Impatient {
    submits: Cell<u32>,
    shares: RefCell<Vec<f64>>,
}

impl Watch for &Impatient {
    fn is_cancelled(&self) -> bool {
        self.submits.replace(self.submits.get().saturating_sub(1)) == 0
    }

    fn progressed(&self, share: f64) {
        self.shares.borrow_mut().push(share);
    }
}

#[test]
fn a_run_tells_how_far_it_is_and_stops_between_submits() {
    let setup = Setup { submit_flops: Some(2_000_000), ..Setup::new(system_clock) };
    let Some(gpu) = common::gpu::open_with(setup) else { return };
    let patient = |submits| Impatient { submits: Cell::new(submits), shares: RefCell::default() };
    // Three plans: that of Post-LN before it, and its own twice.
    let config = config("placement=admin&depth=6&width=32&init=normal-0.02");
    let watch = patient(u32::MAX);
    // The first one makes weights that the others find.
    pollster::block_on(gpu.measure(&config, || false)).expect("the GPU runs");
    let want = pollster::block_on(gpu.measure(&config, &watch)).expect("the GPU runs");
    let shares = watch.shares.take();
    assert_eq!(shares.len(), want.counters.submits as usize);
    assert!(shares.is_sorted() && shares[0] > 0.0, "{shares:?}");
    assert!((shares.last().expect("some") - 1.0).abs() < 1e-12, "{shares:?}");
    for submits in [0, 1, 5, shares.len() as u32 - 1] {
        let watch = patient(submits);
        let stopped = pollster::block_on(gpu.measure(&config, &watch));
        assert!(matches!(stopped, Err(GpuError::Cancelled)), "after {submits} of {}", shares.len());
        assert!(watch.shares.take().len() <= submits as usize);
        let again = pollster::block_on(gpu.measure(&config, || false)).expect("the GPU runs");
        assert_eq!(again.measurement, want.measurement);
    }
}

/// Models that take much less memory than each other, one after the other, and one that has to make things again.
#[test]
fn no_more_is_held_than_the_budget() {
    let Some(gpu) = common::gpu::open() else { return };
    let budget = 6 << 20;
    gpu.set_budget(budget);
    for query in [
        "placement=pre&depth=24&width=32",
        "placement=pre&depth=4&width=96&tokens=64",
        "placement=peri&depth=30&width=48&heads=4",
        "placement=admin&depth=6&width=64&tokens=64&batch=2",
        "placement=pre&depth=24&width=32",
        "placement=post&depth=48&width=32",
    ] {
        let config = config(query);
        let got = pollster::block_on(gpu.measure(&config, || false)).expect("it fits");
        let (held, peak) = (gpu.held_bytes(), got.counters.peak_bytes);
        assert!(peak <= held && held <= budget, "{query}: {held} bytes held of {budget}, {peak} planned");
        let free = common::gpu::open().expect("there was one");
        let want = pollster::block_on(free.measure(&config, || false)).expect("it fits");
        assert_eq!(got.measurement, want.measurement, "{query}");
    }
    gpu.set_budget(1 << 20);
    let refused = pollster::block_on(gpu.measure(&config("placement=pre&depth=24&width=64"), || false));
    assert!(matches!(refused, Err(GpuError::Plan(PlanError::TooLarge { .. }))), "{refused:?}");
}
