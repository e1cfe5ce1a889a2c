//! One pass for the models of many depths gives what a pass for each of them gives.

mod common;

use common::config;
use normscope::cpu::CpuPass;
use normscope::model::{Config, Placement};
use normscope::plan::{Limits, Passes};
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
        for limits in [Limits::default(), common::cut()] {
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
        Passes::new(&config, &Limits::default(), normscope::plan::Extent::Curves, Engine::Gpu)
            .expect("this fits")
            .steps()
    };
    let single: usize = depths.iter().map(|&depth| alone(depth)).sum();
    println!("{sweep} dispatches, {single} in passes of their own");
    assert!(50 * sweep <= single, "{sweep} dispatches, {single} in passes of their own");
}
