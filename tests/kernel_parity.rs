//! Each kernel on a GPU against its twin on the processor, on the same contents of the same buffers, at shapes that are
//! no multiples of any tile. Whole buffers are compared, so a kernel that writes where it should not fails as well.

#![cfg(feature = "gpu")]

mod common;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use common::config;
use normscope::cpu::{Buffer, execute};
use normscope::gpu::Gpu;
use normscope::plan::{Access, Extent, Kernel, Limits, Plan, Tuning, build, build_sweep};

/// Uses of a kernel within a block; later blocks only repeat them.
const USES: usize = 8;

/// Between them these take every branch of every kernel.
const QUERIES: &[&str] = &[
    "placement=peri&depth=2&width=52&heads=4&tokens=13&batch=3&ffn=3&vocab=37&act=gelu&qk_norm=head&norm=rmsnorm",
    "placement=deepnorm&depth=2&width=18&heads=3&tokens=7&batch=2&ffn=1&vocab=5&act=swiglu&causal=1",
    "placement=pre&depth=2&width=33&heads=1&tokens=70&batch=1&ffn=2&vocab=130&qk_norm=full&init=xavier-uniform",
    "placement=olmo2&depth=2&width=36&heads=6&tokens=3&batch=5&output_projection=0&act=swiglu&norm=rmsnorm",
    "placement=none&depth=1&width=72&heads=2&tokens=256&batch=1&ffn=1&causal=1",
    "placement=residual&depth=3&width=20&heads=2&tokens=9&batch=2&ffn=2&vocab=9&cross=1&memory_cos=0.3",
    "placement=b2t&depth=2&width=28&heads=4&tokens=6&batch=1&ffn=1&vocab=9&cross=1&causal=1",
    "placement=lns&depth=3&width=24&heads=4&tokens=5&batch=2&ffn=1&vocab=8",
    "placement=mixln&depth=5&width=22&heads=2&tokens=5&batch=2&ffn=1&vocab=8",
    "placement=keel&depth=2&width=24&heads=4&tokens=5&batch=2&ffn=1&vocab=8&norm=rmsnorm",
    // Wide enough for norms from products of rows: in tiles that are even and odd in number, of one matrix and of two.
    "placement=pre&depth=2&width=140&heads=2&tokens=13&batch=2&ffn=2&vocab=9",
    "placement=post&depth=2&width=132&heads=3&tokens=11&batch=3&ffn=2&vocab=9&act=swiglu",
];

/// Of all depths at once: several cotangents have the same input, more and fewer than are taken together.
const SWEEP: &str = "placement=pre&depth=11&width=68&heads=2&tokens=9&batch=3&ffn=5&vocab=9&act=swiglu";

/// What the twins state: of a value and of the largest one around it.
fn tolerance(kernel: Kernel) -> f32 {
    match kernel {
        // 4 units in the last place, of the value itself.
        Kernel::RandomWeights => 4.0 * f32::EPSILON,
        _ => 1e-5,
    }
}

fn floats(kernel: Kernel, got: &[u32], want: &[u32], before: &[u32]) -> Result<(), String> {
    // The largest value that the kernel wrote; what it left alone must be equal to the last bit.
    let largest = want
        .iter()
        .zip(before)
        .filter(|(want, before)| want != before)
        .map(|(want, _)| f32::from_bits(*want).abs())
        .fold(0f32, f32::max);
    for (i, (&got_bits, &want_bits)) in got.iter().zip(want).enumerate() {
        if got_bits == want_bits {
            continue;
        }
        let (got, want) = (f32::from_bits(got_bits), f32::from_bits(want_bits));
        let scale = if kernel == Kernel::RandomWeights { want.abs() + 1e-4 * largest } else { want.abs() + largest };
        // A comparison that also fails for NaN.
        let close = (got - want).abs() <= tolerance(kernel) * scale;
        if before[i] == want_bits && largest == 0.0 || !close {
            return Err(format!("float {i}: got {got:e}, the twin has {want:e}, largest {largest:e}"));
        }
    }
    Ok(())
}

/// Square sums: each part to 1e-4 of the whole, for the parts are sums of squares of what agrees to 1e-5 of its largest.
fn square_sums(got: &[u32], want: &[u32]) -> Result<(), String> {
    let value = |words: &[u32]| {
        let part = |i: usize| f64::from(f32::from_bits(words[i]));
        part(0) * 2f64.powi(-180) + part(1) + part(2) * 2f64.powi(200)
    };
    let largest = want.chunks_exact(4).map(value).fold(0f64, |most, next| most.max(next.abs()));
    for (i, (got, want)) in got.chunks_exact(4).zip(want.chunks_exact(4)).enumerate() {
        let (g, w) = (value(got), value(want));
        let bound = 1e-4 * w.abs() + 1e-9 * largest;
        let maximum = |words: &[u32]| f64::from(f32::from_bits(words[3]));
        let close = (g - w).abs() <= bound && (maximum(got) - maximum(want)).abs() <= 1e-4 * (maximum(want) + 1e-30);
        if got != want && !close {
            return Err(format!("sum {i}: got {g:e} {got:x?}, the twin has {w:e} {want:x?}"));
        }
    }
    Ok(())
}

/// Runs a plan on the processor, and the first `most` steps of each kernel on the GPU from the same state.
fn compare(gpu: &Gpu, plan: &Plan, most: usize, covered: &mut BTreeSet<String>) -> Vec<String> {
    let mut failures = Vec::new();
    let buffers: Vec<_> = plan.buffers.iter().map(|spec| RefCell::new(Buffer::new(spec))).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let kernel = step.operation.kernel();
        let before: Vec<Vec<u32>> = step.views.iter().map(|view| buffers[view.buffer].borrow().words()).collect();
        execute(step, &buffers);
        let uses = seen.entry(kernel.stem()).or_default();
        *uses += 1;
        if *uses > most {
            continue;
        }
        covered.insert(kernel.stem().to_owned());
        let place = |buffer: usize| step.views.iter().position(|view| view.buffer == buffer);
        let after = pollster::block_on(gpu.replay(plan, index, |buffer| match place(buffer) {
            Some(view) => before[view].clone(),
            None => Vec::new(),
        }))
        .expect("the GPU runs");
        for (i, (binding, view)) in kernel.bindings().iter().zip(&step.views).enumerate() {
            let want = buffers[view.buffer].borrow().words();
            if kernel == Kernel::AttentionForward && want == before[i] {
                // Made anew from the same, which does not show what was written.
                continue;
            }
            let outcome = if binding.access == Access::Read {
                if after[i] == before[i] { Ok(()) } else { Err("was written".to_owned()) }
            } else if plan.buffers[view.buffer].role.is_square_sums() {
                square_sums(&after[i], &want)
            } else {
                floats(kernel, &after[i], &want, &before[i])
            };
            if let Err(error) = outcome {
                failures.push(format!("step {index}, {}, {}: {error}", kernel.stem(), binding.name));
            }
        }
    }
    failures
}

#[test]
fn every_kernel_agrees_with_its_twin() {
    let mut failures = Vec::new();
    let mut covered = BTreeSet::new();
    for &tuning in Tuning::ALL {
        let Some(gpu) = common::gpu::open_with_tuning(tuning) else { return };
        for (index, query) in QUERIES.iter().enumerate() {
            let config = config(query);
            let plan = |limits: &Limits| build(&config, limits, &[], Extent::WithUpdate);
            // Every plan takes another budget, so that what is kept by some is made again by others.
            let budgets = common::budgets(gpu.limits(), plan);
            let plan = plan(&budgets[index % budgets.len()]).expect("these are small");
            let of_plan = compare(&gpu, &plan, USES, &mut covered).into_iter();
            failures.extend(of_plan.map(|failure| format!("{tuning:?}, {query}: {failure}")));
        }
        let plan = build_sweep(&config(SWEEP), &gpu.limits(), &[], &Vec::from_iter(1..=11)).expect("this is small");
        let of_sweep = compare(&gpu, &plan, 2 * USES, &mut covered).into_iter();
        failures.extend(of_sweep.map(|failure| format!("{tuning:?}, {SWEEP}: {failure}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let all: BTreeSet<String> = Kernel::ALL.iter().map(|kernel| kernel.stem().to_owned()).collect();
    assert_eq!(covered, all);
}

/// Sums of squares whose values are near the smallest normal number, the largest, and where the accumulators change.
#[test]
fn states_at_the_ends_of_the_range_agree() {
    let config = config("placement=pre&depth=1&width=16&heads=2&tokens=5&batch=2&vocab=4");
    let mut failures = Vec::new();
    for &tuning in Tuning::ALL {
        let Some(gpu) = common::gpu::open_with_tuning(tuning) else { return };
        let plan = build(&config, &gpu.limits(), &[], Extent::Curves).expect("this is small");
        let (index, step) = plan
            .steps
            .iter()
            .enumerate()
            .find(|(_, step)| step.operation.kernel() == Kernel::StreamStatistics)
            .expect("a run has states");
        let (states, results) = (step.views[0].buffer, step.views[1].buffer);
        for size in [1.3e-38, 1e-30, 8e-19, 9e-19, 1.0, 1.1e15, 1.2e15, 1e38_f32] {
            // Without two that cancel each other.
            let value = |i: usize| size * [1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0][i % 7];
            let words = |buffer: usize| -> Vec<u32> {
                let spec = &plan.buffers[buffer];
                (0..4 * spec.vec4s as usize).map(|i| if buffer == states { value(i).to_bits() } else { 0 }).collect()
            };
            let of_spec = |(i, spec)| RefCell::new(Buffer::from_words(spec, &words(i)));
            let buffers: Vec<_> = plan.buffers.iter().enumerate().map(of_spec).collect();
            execute(step, &buffers);
            let after = pollster::block_on(gpu.replay(&plan, index, words)).expect("the GPU runs");
            // Without the cosines, beside which the smallest squares are nothing.
            let squares =
                |words: &[u32]| words.chunks_exact(12).flat_map(|of_sequence| of_sequence[..8].to_vec()).collect();
            let [got, want]: [Vec<u32>; 2] = [squares(&after[1]), squares(&buffers[results].borrow().words())];
            if let Err(error) = square_sums(&got, &want) {
                failures.push(format!("{tuning:?}, values of {size:e}: {error}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
