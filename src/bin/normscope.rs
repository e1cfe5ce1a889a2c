//! `normscope run '<query>'`: one run on the command line, as JSON or CSV.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use normscope::cpu::CpuPass;
#[cfg(feature = "gpu")]
use normscope::gpu::{Gpu, Setup, system_clock};
use normscope::plan::{Extent, Limits};
use normscope::reference;
use normscope::share::{self, Kind, Notice, Request, Target};
use normscope::stats::{Engine, Measurement, Pass, to_csv, to_json};

/// What depth does to a randomly initialised Transformer
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one model forward and backward and print what is measured
    #[command(after_help = keys_help())]
    Run {
        /// The configuration as in a link, such as 'placement=post&depth=48'; what is left out has its default
        #[arg(default_value = "", hide_default_value = true)]
        query: String,
        /// Who computes: `gpu` and `cpu` in float32, `reference` in float64 [default: the query's, else reference]
        #[arg(long, value_parser = engine_parser())]
        engine: Option<Engine>,
        /// `json`: one object; `csv`: a long table
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// Also what one small step of training does to the logits, `model_update`: several times the work
        #[arg(long)]
        update: bool,
    },
    /// List the GPUs that can run the `gpu` engine
    Adapters,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Csv,
}

/// Why there is no output.
enum Failure {
    /// What was asked for is wrong or not part of this build: exit status 2.
    Request(String),
    /// It went wrong on the way: exit status 1.
    Run(String),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run { query, engine, format, update } => {
            let extent = if update { Extent::WithUpdate } else { Extent::Curves };
            run(&query, engine, format, extent)
        }
        Command::Adapters => adapters(),
    };
    let failure = match outcome {
        Ok(text) => match io::stdout().lock().write_all(text.as_bytes()) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => Failure::Run(format!("cannot write the output: {error}")),
        },
        Err(failure) => failure,
    };
    let (message, status) = match failure {
        Failure::Request(message) => (message, 2),
        Failure::Run(message) => (message, 1),
    };
    // Where standard error is closed too there is nobody left to tell.
    let _ = writeln!(io::stderr(), "normscope: {message}");
    ExitCode::from(status)
}

fn run(query: &str, engine: Option<Engine>, format: Format, extent: Extent) -> Result<String, Failure> {
    let (request, notices) = share::parse(query, Target::CommandLine);
    if !notices.is_empty() {
        return Err(Failure::Request(notices.iter().map(complaint).collect::<Vec<_>>().join("; ")));
    }
    for key in of_the_page(&request) {
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(io::stderr(), "normscope: {key} is of the page and changes nothing here");
    }
    let engine = engine.or(request.engine).unwrap_or(Engine::Reference);
    let measurement = engine_run(engine, extent, &request)?;
    Ok(match format {
        Format::Json => format!("{}\n", to_json(&measurement)),
        Format::Csv => to_csv(&measurement),
    })
}

/// The keys of a request that change what a page shows, and nothing of one run.
fn of_the_page(request: &Request) -> Vec<&'static str> {
    let run = Request {
        config: request.config.clone(),
        placements: request.placements.clone(),
        engine: request.engine,
        memory: request.memory,
        ..Request::default_for(Target::CommandLine)
    };
    share::keys().iter().filter(|key| (key.get)(request) != (key.get)(&run)).map(|key| key.name).collect()
}

fn engine_run(engine: Engine, extent: Extent, request: &Request) -> Result<Measurement, Failure> {
    let config = &request.config;
    match engine {
        Engine::Reference if extent == Extent::WithUpdate => Ok(reference::measure_with_update(config)),
        Engine::Reference => Ok(reference::measure(config)),
        Engine::Cpu => {
            let limits = Limits { budget_bytes: request.budget_bytes(), ..Limits::default() };
            let pass = CpuPass::within(config, &limits, extent).map_err(|error| Failure::Run(error.to_string()))?;
            Ok(pass.finish())
        }
        Engine::Gpu => gpu_run(extent, request),
    }
}

#[cfg(feature = "gpu")]
fn gpu_run(extent: Extent, request: &Request) -> Result<Measurement, Failure> {
    let run = async {
        let gpu = Gpu::open(Setup::new(system_clock)).await?;
        gpu.set_budget(request.budget_bytes());
        gpu.measure_to(extent, &request.config, || false).await
    };
    let outcome = pollster::block_on(run).map_err(|error| Failure::Run(error.to_string()))?;
    Ok(outcome.measurement)
}

#[cfg(not(feature = "gpu"))]
fn gpu_run(_extent: Extent, _request: &Request) -> Result<Measurement, Failure> {
    Err(Failure::Request(NO_GPU.into()))
}

/// One adapter a line.
#[cfg(feature = "gpu")]
fn adapters() -> Result<String, Failure> {
    let adapters = pollster::block_on(normscope::gpu::adapters());
    if adapters.is_empty() {
        return Err(Failure::Run("no adapter: is a Vulkan driver installed?".into()));
    }
    Ok(adapters.iter().map(|adapter| format!("{adapter}\n")).collect())
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> Result<String, Failure> {
    Err(Failure::Request(NO_GPU.into()))
}

#[cfg(not(feature = "gpu"))]
const NO_GPU: &str = "engine: gpu is not in this build; build it with `--features cli,gpu`";

/// A notice in the words of a program that stops rather than helping itself to a default.
fn complaint(notice: &Notice) -> String {
    let Notice { key, given, allowed, .. } = notice;
    if allowed.is_empty() {
        format!("{key}: no such key")
    } else {
        format!("{key}: “{given}” is not allowed; it takes {allowed}")
    }
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    let words = Engine::ALL.iter().map(|engine| engine.key());
    PossibleValuesParser::new(words).try_map(|word| Engine::from_key(&word).ok_or("no such engine"))
}

/// The keys of a query, their values and defaults.
fn keys_help() -> String {
    let default = share::Request::default_for(Target::CommandLine);
    let lines = share::keys().iter().map(|key| {
        let allowed = match key.kind {
            Kind::List(words) => Kind::Choice(words).allowed(),
            kind => kind.allowed(),
        };
        let value = (key.get)(&default);
        let default = if value.is_empty() { value } else { format!(" [default: {value}]") };
        format!("  {:<18} {}: {allowed}{default}\n", key.name, key.help())
    });
    format!(
        "Keys of a query:\n{}\nThose that only change what a page shows are named on standard error, and left out.",
        lines.collect::<String>()
    )
}
