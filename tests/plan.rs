//! What a plan promises: few dispatches, no binding that a device would refuse, nothing out of bounds, and the same
//! numbers however the memory is cut.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::config;
use normscope::cpu::CpuPass;
use normscope::model::{Activation, Config, Placement, QkNorm, Toggle};
use normscope::plan::{Access, Kernel, Limits, Plan, PlanError, build};
use normscope::stats::Pass;

fn plan(query: &str) -> Plan {
    build(&config(query), &Limits::default(), &[]).expect("these fit")
}

/// Every combination that changes the wiring.
fn wirings() -> Vec<Config> {
    let mut list = Vec::new();
    for &placement in Placement::ALL {
        for &act in Activation::ALL {
            for &qk_norm in QkNorm::ALL {
                for output_projection in [Toggle(true), Toggle(false)] {
                    let small = Config { depth: 3, width: 20, heads: 2, tokens: 5, ..Config::default() };
                    list.push(Config { placement, act, qk_norm, output_projection, ..small });
                }
            }
        }
    }
    list
}

#[test]
fn a_block_takes_few_dispatches() {
    let per_block = |query: &str| {
        let count = |depth: u32| plan(&format!("{query}&depth={depth}")).steps.len();
        (count(60) - count(40)) as f64 / 20.0
    };
    // The bound for the main case, and what the others take today: 0.6 of it make the weights of 10 blocks at a time.
    assert!(per_block("placement=pre") <= 25.0);
    assert_eq!(per_block("placement=pre"), 22.6);
    assert_eq!(per_block("placement=post"), 22.6);
    assert_eq!(per_block("placement=sandwich"), 24.6);
    assert_eq!(per_block("placement=pre&qk_norm=head"), 24.6);
}

#[test]
fn the_number_of_kernels_does_not_grow_with_depth() {
    let kernels = |query: &str| -> BTreeSet<&str> {
        plan(query).steps.iter().map(|step| step.operation.kernel().stem()).collect()
    };
    assert_eq!(kernels("placement=pre&depth=6"), kernels("placement=pre&depth=200"));
}

#[test]
fn no_step_binds_a_buffer_it_writes_a_second_time() {
    for config in wirings() {
        for step in &build(&config, &Limits::default(), &[]).expect("these fit").steps {
            let bindings = step.operation.kernel().bindings();
            assert_eq!(bindings.len(), step.views.len());
            for (binding, view) in bindings.iter().zip(&step.views) {
                let uses = step.views.iter().filter(|other| other.buffer == view.buffer).count();
                assert!(binding.access == Access::Read || uses == 1, "{config:?}: {step:?}");
            }
        }
    }
}

#[test]
fn what_is_read_was_written_before() {
    for config in wirings() {
        let plan = build(&config, &Limits::default(), &[]).expect("these fit");
        let mut written = BTreeSet::new();
        for step in &plan.steps {
            let bindings = step.operation.kernel().bindings();
            for (binding, view) in bindings.iter().zip(&step.views) {
                let known = written.contains(&view.buffer);
                assert!(binding.access == Access::Write || known, "{config:?}: {step:?} reads {}", binding.name);
            }
            let writes = bindings.iter().zip(&step.views).filter(|(binding, _)| binding.access == Access::Write);
            written.extend(writes.map(|(_, view)| view.buffer));
        }
    }
}

#[test]
fn buffers_respect_the_binding_limit_and_views_their_buffers() {
    let limits = Limits { binding_bytes: 1 << 20, ..Limits::default() };
    let plan = build(&config("placement=peri&depth=60"), &limits, &[]).expect("this fits");
    let mut pages: BTreeMap<_, u32> = BTreeMap::new();
    for spec in &plan.buffers {
        assert!(spec.bytes() <= limits.binding_bytes, "{spec:?}");
        *pages.entry(spec.role).or_default() += 1;
    }
    assert!(pages.values().any(|&count| count > 5), "the limit was meant to cut");
    for step in &plan.steps {
        for view in &step.views {
            assert!(view.at < plan.buffers[view.buffer].vec4s, "{step:?}");
        }
    }
}

#[test]
fn the_numbers_do_not_depend_on_how_memory_is_cut() {
    for query in ["placement=sandwich&depth=5&width=24&heads=2", "placement=deepnorm&depth=4&width=20&act=swiglu"] {
        let config = config(query);
        let whole = CpuPass::new(&config).expect("this fits").finish();
        let cut = common::cut();
        let plan = build(&config, &cut, &[]).expect("this fits");
        let uses = |kernel: Kernel| plan.steps.iter().filter(|step| step.operation.kernel() == kernel).count();
        let depth = config.depth as usize;
        assert!(uses(Kernel::RandomWeights) > 2 * depth, "weights are made for each block, twice");
        assert_eq!(uses(Kernel::AttentionForward), 2 * depth, "so are the probabilities");
        assert_eq!(CpuPass::within(&config, &cut).expect("this fits").finish(), whole, "{query}");
    }
}

/// Every corner of the sizes has a plan, or is refused for its memory alone.
#[test]
fn a_run_that_memory_allows_has_a_plan() {
    for width in [16, 1024] {
        for tokens in [2, 256] {
            for batch in [1, 8] {
                for ffn in [1, 8] {
                    for vocab in [2, 1024] {
                        for depth in [1, 200] {
                            let sizes = Config { width, tokens, batch, ffn, vocab, depth, ..Config::default() };
                            let outcome = build(&sizes, &Limits::default(), &[]);
                            let refused = matches!(outcome, Ok(_) | Err(PlanError::TooLarge { .. }));
                            assert!(refused, "{sizes:?}: {outcome:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let large = config("width=1024&depth=200&tokens=256&batch=8");
    let Err(error @ PlanError::TooLarge { .. }) = build(&large, &Limits::default(), &[]) else {
        panic!("this is some hundred GiB")
    };
    assert!(error.to_string().contains("MiB"), "{error}");
    let tight = Limits { binding_bytes: 1 << 10, ..Limits::default() };
    assert!(matches!(build(&config("depth=6"), &tight, &[]), Err(PlanError::SlabTooLarge { .. })));
}
