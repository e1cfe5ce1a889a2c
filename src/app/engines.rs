//! The engines behind one call. This is the one place that knows how each is driven.

use crate::cpu::CpuPass;
use crate::model::Config;
use crate::stats::{Engine, Measurement, Pass};

use super::browser::{self, Breath};
use super::state::Finished;

/// A piece of work before the browser gets its turn.
const SLICE_MS: f64 = 9.0;

/// Why a pass gave no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The graphics device went away.
    DeviceLost,
    /// Anything else, in the engine's words.
    Other(String),
}

/// What a pass came to.
pub(crate) type Outcome = Result<Option<Finished>, Failure>;

/// Runs passes.
pub(crate) struct Engines {
    breath: Option<Breath>,
}

impl Engines {
    /// Without a graphics device yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self { breath: Breath::new() }
    }

    /// Asks for the graphics device; its name.
    pub(crate) async fn open_device(&self) -> Result<String, String> {
        Err("not built in".into())
    }

    /// Measures a configuration; nothing where it is no longer wanted. Tells how far it has come.
    pub(crate) async fn measure(
        &self,
        engine: Engine,
        config: &Config,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Outcome {
        match engine {
            Engine::Cpu => {
                let pass = CpuPass::new(config).map_err(|error| Failure::Other(error.to_string()))?;
                let dispatches = pass.dispatches() as u32;
                self.in_slices(pass, Some((dispatches, 0)), is_wanted, tell).await
            }
            Engine::Reference => Err(Failure::Other("the float64 engine is not here yet".into())),
            Engine::Gpu => Err(Failure::DeviceLost),
        }
    }

    /// Works for a few milliseconds at a time, and yields to the browser between.
    async fn in_slices(
        &self,
        mut pass: impl Pass,
        dispatches: Option<(u32, u32)>,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Outcome {
        let start = browser::now_ms();
        loop {
            let slice = browser::now_ms();
            while browser::now_ms() - slice < SLICE_MS {
                if let Some(measurement) = pass.advance() {
                    return Ok(Some(finished(measurement, start, dispatches)));
                }
            }
            tell(pass.progress());
            if let Some(breath) = &self.breath {
                breath.take().await;
            }
            if !is_wanted() {
                return Ok(None);
            }
        }
    }
}

fn finished(measurement: Measurement, start_ms: f64, dispatches: Option<(u32, u32)>) -> Finished {
    Finished { measurement, milliseconds: browser::now_ms() - start_ms, dispatches }
}
