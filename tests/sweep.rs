//! One pass for the models of many depths gives what a pass for each of them gives.

#![allow(clippy::print_stdout, reason = "how close they come, for those who ask with --nocapture")]

mod common;

use common::{Golden, check_f32, config};
use normscope::cpu::CpuPass;
use normscope::model::{Config, Placement};
use normscope::plan::{Extent, Limits, Passes, PlanError, Tuning, build_sweep, sweep_groups};
use normscope::stats::{Engine, Measurement, Pass};

/// Small models of every placement whose blocks do not know how many there are, and what else changes the wiring.
const QUERIES: &[&str] = &[
    "placement=post&width=24&heads=2&tokens=5",
    "placement=pre&width=20&heads=2&tokens=6&batch=2&act=gelu&causal=1",
    "placement=sandwich&width=16&heads=2&tokens=4&act=swiglu&norm=rmsnorm",
    "placement=olmo2&width=16&heads=4&tokens=5&qk_norm=head",
    "placement=peri&width=18&heads=3&tokens=5&batch=2",
    "placement=none&width=16&heads=2&tokens=5&output_projection=0",
    "placement=residual&width=16&heads=2&tokens=5&batch=2",
    "placement=b2t&width=20&heads=2&tokens=4&cross=1&memory_cos=0.5",
    "placement=admin&width=16&heads=2&tokens=5",
    "placement=lns&width=16&heads=2&tokens=5&final_norm=off",
];

fn finish(mut pass: CpuPass) -> Vec<Measurement> {
    loop {
        if let Some(measurements) = pass.advance_all() {
            return measurements;
        }
    }
}

/// Equal but for rounding: sums are added up in another order.
fn assert_close(got: &Measurement, want: &Measurement, what: &str) {
    assert_eq!(got.config, want.config, "{what}");
    assert_eq!(got.series.len(), want.series.len(), "{what}");
    for (got, want) in got.series.iter().zip(&want.series) {
        assert_eq!(got.quantity, want.quantity, "{what}");
        assert_eq!(got.values.len(), want.values.len(), "{what}, {:?}", got.quantity);
        for (i, (g, w)) in got.values.iter().zip(&want.values).enumerate() {
            let error = want.relative_error.get(i).copied().unwrap_or(0.0);
            let close = (g - w).abs() <= (1e-6 + error) * w.abs() || g.to_bits() == w.to_bits();
            assert!(close, "{what}, {} [{i}]: {g:e}, alone {w:e}", got.quantity.name());
        }
    }
}

#[test]
fn a_sweep_gives_what_single_passes_give() {
    let depths = [1, 2, 3, 7, 12];
    let mut swept = Vec::new();
    for query in QUERIES {
        let config = config(query);
        assert!(config.shares_blocks(), "{query}");
        swept.push(config.placement);
        let plan = |limits: &Limits| build_sweep(&Config { depth: 12, ..config.clone() }, limits, &[], &depths);
        let mut budgets = vec![Limits::default()];
        if config.profiled().is_none() {
            budgets.extend(common::cut(Limits::default(), plan));
        }
        for limits in budgets {
            let measurements = finish(CpuPass::sweep(&config, &depths, &limits).expect("this fits"));
            assert_eq!(measurements.iter().map(|m| m.config.depth).collect::<Vec<_>>(), [12, 7, 3, 2, 1], "{query}");
            for measurement in &measurements {
                let alone = CpuPass::new(&measurement.config).expect("this fits").finish();
                assert_close(measurement, &alone, &format!("{query}, depth {}", measurement.config.depth));
            }
        }
    }
    let shares = |placement: &Placement| Config { placement: *placement, ..Config::default() }.shares_blocks();
    let expected: Vec<_> = Placement::ALL.iter().copied().filter(shares).collect();
    assert!(expected.iter().all(|placement| swept.contains(placement)), "{expected:?} share their blocks");
}

#[test]
fn blocks_that_know_the_depth_are_not_shared() {
    for query in ["placement=deepnorm", "placement=keel", "placement=mixln", "placement=pre&residual_scale=gpt2"] {
        assert!(!config(query).shares_blocks(), "{query}");
    }
}

#[test]
fn a_sweep_takes_few_dispatches() {
    let config = config("placement=pre&batch=1");
    let depths: Vec<u32> = (6..=200).collect();
    let sweep = Passes::sweep(&config, &depths, &Limits::default(), Engine::Gpu).expect("this fits").steps();
    let alone = |depth: u32| {
        let config = Config { depth, ..config.clone() };
        Passes::new(&config, &Limits::default(), Extent::Curves, Engine::Gpu).expect("this fits").steps()
    };
    let single: usize = depths.iter().map(|&depth| alone(depth)).sum();
    println!("{sweep} dispatches, {single} in passes of their own");
    assert!(50 * sweep <= single, "{sweep} dispatches, {single} in passes of their own");
}

#[test]
fn groups_hold_every_depth_once_and_fit() {
    let config = config("placement=pre&width=64&tokens=32&batch=2");
    let depths: Vec<u32> = (6..=200).rev().collect();
    let bytes = |depths: &[u32], limits: &Limits| {
        Passes::sweep(&config, depths, limits, Engine::Gpu).expect("this fits").plan().peak_bytes()
    };
    let least = |depths: &[u32]| {
        let deepest = Config { depth: depths[0], ..config.clone() };
        let budgets = common::budgets(Limits::default(), |limits| build_sweep(&deepest, limits, &[], depths));
        budgets[budgets.len() - 1].budget_bytes
    };
    let few = least(&depths[..20]);
    for (budget_bytes, most, groups_at_most) in
        [(u64::MAX, usize::MAX, 1), (u64::MAX, 24, 9), (few, usize::MAX, 16), (few, 8, 25)]
    {
        let limits = Limits { budget_bytes, ..Limits::default() };
        let groups = sweep_groups(&config, &depths, &limits, most).expect("one fits");
        assert_eq!(groups.concat(), depths);
        assert!(groups.len() <= groups_at_most, "{}", groups.len());
        assert!(groups.iter().all(|group| group.len() <= most && bytes(group, &limits) <= budget_bytes));
    }
    let none = Limits { budget_bytes: least(&depths[..1]) - 1, ..Limits::default() };
    assert!(matches!(sweep_groups(&config, &depths, &none, 8), Err(PlanError::TooLarge { .. })));
}

#[test]
fn every_depth_at_once_has_a_plan() {
    let depths: Vec<u32> = (1..=200).collect();
    for &tuning in Tuning::ALL {
        for query in
            ["width=16&heads=1&tokens=2&batch=1&ffn=1", "width=16&tokens=4&batch=8&cross=1", "width=96&tokens=16"]
        {
            let limits = Limits { tuning, budget_bytes: u64::MAX, ..Limits::default() };
            let groups = sweep_groups(&config(query), &depths, &limits, usize::MAX).expect("it fits");
            assert!(groups.len() <= 3, "{query}: {}", groups.len());
        }
    }
}

/// Golden runs that differ in depth alone, where a sweep can make them.
fn golden_families() -> Vec<Vec<Golden>> {
    let mut families: Vec<Vec<Golden>> = Vec::new();
    for golden in Golden::all().into_iter().filter(|golden| golden.config.shares_blocks()) {
        let without_depth = |config: &Config| Config { depth: 1, ..config.clone() };
        let own = without_depth(&golden.config);
        match families.iter_mut().find(|family| without_depth(&family[0].config) == own) {
            Some(family) => family.push(golden),
            None => families.push(vec![golden]),
        }
    }
    families.retain(|family| family.len() > 1);
    assert!(families.len() >= 3, "{}", families.len());
    families
}

fn check_golden(sweep: impl Fn(&Config, &[u32]) -> Vec<Measurement>) {
    let mut failures = Vec::new();
    for family in golden_families() {
        let depths: Vec<u32> = family.iter().map(|golden| golden.config.depth).collect();
        let measurements = sweep(&family[0].config, &depths);
        for golden in &family {
            let got = measurements.iter().find(|got| got.config == golden.config).expect("every depth is measured");
            match check_f32(golden, got) {
                Ok(worst) => println!("{}: {worst}", golden.query),
                Err(failure) => failures.push(failure),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_sweep_on_the_cpu_agrees_with_golden_runs() {
    check_golden(|config, depths| finish(CpuPass::sweep(config, depths, &Limits::default()).expect("this fits")));
}

#[cfg(feature = "gpu")]
mod on_gpu {
    use super::*;

    #[test]
    fn a_sweep_on_the_gpu_agrees_with_golden_runs() {
        let Some(gpu) = common::gpu::open() else { return };
        check_golden(|config, depths| {
            pollster::block_on(gpu.sweep(config, depths, || false)).expect("the GPU runs").measurement
        });
    }

    /// Twelve depths of every placement, on the GPU together and alone.
    #[test]
    fn a_sweep_on_the_gpu_gives_what_single_passes_give() {
        let Some(gpu) = common::gpu::open() else { return };
        for query in QUERIES {
            let config = config(query);
            let depths = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 24];
            let swept = pollster::block_on(gpu.sweep(&config, &depths, || false)).expect("the GPU runs");
            assert_eq!(swept.measurement.len(), depths.len());
            for measurement in &swept.measurement {
                let alone = pollster::block_on(gpu.measure(&measurement.config, || false)).expect("the GPU runs");
                let what = format!("{query}, depth {}", measurement.config.depth);
                assert_close(measurement, &alone.measurement, &what);
            }
        }
    }
}
