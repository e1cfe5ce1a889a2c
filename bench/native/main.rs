//! The native part of the benchmark: times passes on the best Vulkan adapter, and what bounds them. `bench/bench.mjs`
//! runs it and reads its JSON.
//!
//! ```sh
//! cargo run --profile native --example native --features gpu,cli -- bounds
//! cargo run --profile native --example native --features gpu,cli -- passes SAMPLES QUERY...
//! cargo run --profile native --example native --features gpu,cli -- kernels SAMPLES QUERY
//! cargo run --profile native --example native --features gpu,cli -- memory QUERY...
//! cargo run --profile native --example native --features gpu,cli -- atlas FROM TO QUERY
//! ```

mod bounds;

use std::io::Write;
use std::ops::RangeInclusive;
use std::time::Instant;

use normscope::gpu::{Counters, Gpu, Setup, system_clock};
use normscope::model::Config;
use normscope::plan::{Extent, Kernel, Passes, Plan, sweep_groups};
use normscope::share::{self, Target};
use normscope::stats::Engine;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str =
    "usage: native bounds | passes SAMPLES QUERY... | kernels SAMPLES QUERY | memory QUERY... | atlas FROM TO QUERY";
const WARM_UPS: usize = 3;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let output = pollster::block_on(async {
        match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["bounds"] => bounds::measure().await,
            ["passes", samples, queries @ ..] => passes(samples.parse()?, queries).await,
            ["kernels", samples, query] => kernels(samples.parse()?, query).await,
            ["memory", queries @ ..] => memory(queries).await,
            ["atlas", from, to, query] => atlas(from.parse()?..=to.parse()?, query).await,
            _ => Err(USAGE.into()),
        }
    })?;
    writeln!(std::io::stdout(), "{output}")?;
    Ok(())
}

fn config(query: &str) -> Result<Config, Failure> {
    let (request, notices) = share::parse(query, Target::CommandLine);
    match notices.first() {
        Some(notice) => Err(notice.to_string().into()),
        None => Ok(request.config),
    }
}

/// The passes of a run on this device; those of the benchmark take one plan.
fn planned(gpu: &Gpu, config: &Config) -> Result<Passes, Failure> {
    Ok(Passes::new(config, &gpu.limits(), Extent::Curves, Engine::Gpu)?)
}

/// Milliseconds of one pass, from its start to numbers.
async fn pass(gpu: &Gpu, config: &Config) -> Result<f64, Failure> {
    let start = Instant::now();
    gpu.measure(config, || false).await?;
    Ok(milliseconds(start))
}

async fn passes(samples: usize, queries: &[&str]) -> Result<Value, Failure> {
    let gpu = Gpu::open(Setup::new(system_clock)).await?;
    let mut runs = Vec::new();
    for query in queries {
        let config = config(query)?;
        let passes = planned(&gpu, &config)?;
        let first_ms = pass(&gpu, &config).await?;
        let mut steady_ms = Vec::new();
        for sample in 0..WARM_UPS + samples {
            let time = pass(&gpu, &config).await?;
            if sample >= WARM_UPS {
                steady_ms.push(time);
            }
        }
        runs.push(json!({
            "query": query, "steps": passes.steps(), "bytes": passes.plan().peak_bytes(), "first_ms": first_ms,
            "steady_ms": steady_ms,
        }));
    }
    Ok(json!({ "adapter": gpu.adapter_name(), "runs": runs }))
}

/// A pass taken apart: the steps of each kernel alone, beside the whole, sample by sample. What a step reads is what a
/// pass left there.
async fn kernels(samples: usize, query: &str) -> Result<Value, Failure> {
    let gpu = Gpu::open(Setup::new(system_clock)).await?;
    let config = config(query)?;
    let passes = planned(&gpu, &config)?;
    let whole = passes.plan();
    for _ in 0..WARM_UPS {
        gpu.run(whole, || false).await?;
    }
    let mut parts: Vec<(&str, Plan)> = vec![("all", whole.clone())];
    for &kernel in Kernel::ALL {
        let mut part = whole.clone();
        part.steps.retain(|step| step.operation.kernel() == kernel);
        if !part.steps.is_empty() {
            parts.push((kernel.stem(), part));
        }
    }
    let mut times_ms = vec![Vec::new(); parts.len()];
    for _ in 0..samples {
        for ((_, part), times) in parts.iter().zip(&mut times_ms) {
            let start = Instant::now();
            gpu.run(part, || false).await?;
            times.push(milliseconds(start));
        }
    }
    let kernels: Vec<Value> = parts
        .iter()
        .zip(times_ms)
        .map(|((name, part), times)| {
            let flops: u64 = part.steps.iter().map(|step| step.flops).sum();
            json!({ "kernel": name, "steps": part.steps.len(), "flops": flops, "ms": times })
        })
        .collect();
    Ok(json!({ "adapter": gpu.adapter_name(), "kernels": kernels }))
}

async fn memory(queries: &[&str]) -> Result<Value, Failure> {
    let gpu = Gpu::open(Setup::new(system_clock)).await?;
    let bytes: Result<Vec<u64>, Failure> =
        queries.iter().map(|query| Ok(planned(&gpu, &config(query)?)?.plan().peak_bytes())).collect();
    Ok(json!({ "adapter": gpu.adapter_name(), "bytes": bytes? }))
}

/// All depths by sweeps, and each by a pass of its own. The weights of the deepest are there before either begins.
async fn atlas(depths: RangeInclusive<u32>, query: &str) -> Result<Value, Failure> {
    let gpu = Gpu::open(Setup::new(system_clock)).await?;
    let config = config(query)?;
    let at = |depth: u32| Config { depth, ..config.clone() };
    let deepest_first: Vec<u32> = depths.clone().rev().collect();
    pass(&gpu, &at(*depths.end())).await?;

    let start = Instant::now();
    let mut sweep = Counters::default();
    let groups = sweep_groups(&config, &deepest_first, &gpu.limits(), usize::MAX)?;
    for group in &groups {
        sweep.add(gpu.sweep(&config, group, || false).await?.counters);
    }
    let sweep_ms = milliseconds(start);

    let start = Instant::now();
    let mut single = Counters::default();
    for depth in deepest_first {
        single.add(gpu.measure(&at(depth), || false).await?.counters);
    }
    let single_ms = milliseconds(start);
    let counted = |ms: f64, counters: Counters| json!({ "ms": ms, "dispatches": counters.dispatches });
    Ok(json!({
        "adapter": gpu.adapter_name(), "query": query, "sweeps": groups.len(), "sweep": counted(sweep_ms, sweep),
        "single": counted(single_ms, single),
    }))
}

fn milliseconds(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}
