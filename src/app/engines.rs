//! The engines behind one call. This is the one place that knows how each is driven.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::cpu::CpuPass;
use crate::gpu::{Gpu, GpuError};
use crate::model::Config;
use crate::plan::{Extent, PlanError};
use crate::reference::{ModelUpdatePass, ReferencePass};
use crate::stats::{Engine, Measurement, ModelUpdate, Pass};

use super::browser::{self, Breath};
use super::state::Ran;
use super::words;

/// A piece of work before the browser gets its turn.
const SLICE_MS: f64 = 9.0;
/// How often a browser is nudged that looks for finished GPU work only when something is submitted.
const NUDGE: Duration = Duration::from_millis(5);

/// Why a pass gave no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The graphics device went away.
    DeviceLost,
    /// The run does not fit, and fits the processor no better: both run the same plan.
    NoPlan(String),
    /// The device did not do what it was told.
    Device(&'static str),
}

impl From<&PlanError> for Failure {
    fn from(error: &PlanError) -> Self {
        Self::NoPlan(error.to_string())
    }
}

/// What a pass came to; nothing where it was no longer wanted.
pub(crate) type Outcome = Result<Option<Ran>, Failure>;

/// What is known of the device once it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Adapter {
    /// Its name; empty where the browser hides it.
    pub(crate) name: String,
    /// Whether it is the processor in disguise.
    pub(crate) is_software: bool,
}

/// Runs passes.
pub(crate) struct Engines {
    breath: Option<Breath>,
    gpu: RefCell<Option<Rc<Gpu>>>,
}

impl Engines {
    /// Without a graphics device yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self { breath: Breath::new(), gpu: RefCell::new(None) }
    }

    /// Asks for the graphics device.
    pub(crate) async fn open_device(&self) -> Result<Adapter, String> {
        if !browser::has_webgpu() {
            return Err("no navigator.gpu".into());
        }
        let gpu = Gpu::new().await.map_err(|error| error.to_string())?;
        let name = match gpu.adapter_name() {
            "" => browser::adapter_family().await.unwrap_or_default(),
            name => name.to_owned(),
        };
        let adapter = Adapter { name, is_software: gpu.is_software() };
        *self.gpu.borrow_mut() = Some(Rc::new(gpu));
        Ok(adapter)
    }

    /// Measures a configuration, and tells how far it has come.
    pub(crate) async fn measure(
        &self,
        engine: Engine,
        config: &Config,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Outcome {
        match engine {
            Engine::Cpu => {
                let pass = CpuPass::new(config).map_err(|error| Failure::from(&error))?;
                let dispatches = pass.dispatches() as u32;
                self.in_slices(pass, Some((dispatches, 0)), is_wanted, tell).await
            }
            Engine::Reference => self.in_slices(ReferencePass::new(config), None, is_wanted, tell).await,
            Engine::Gpu => self.on_device(Extent::Curves, config, is_wanted).await,
        }
    }

    /// Lets the browser have its turn.
    pub(crate) async fn breathe(&self) {
        if let Some(breath) = &self.breath {
            breath.take().await;
        }
    }

    /// One step of training from initialisation; nothing where it was no longer wanted.
    pub(crate) async fn model_update(
        &self,
        engine: Engine,
        config: &Config,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Result<Option<ModelUpdate>, Failure> {
        let ran = match engine {
            Engine::Gpu => self.on_device(Extent::WithUpdate, config, is_wanted).await?,
            Engine::Cpu => {
                let pass = CpuPass::to(Extent::WithUpdate, config).map_err(|error| Failure::from(&error))?;
                self.in_slices(pass, None, is_wanted, tell).await?
            }
            Engine::Reference => {
                let mut pass = ModelUpdatePass::new(config);
                return Ok(self.work_off(|| pass.advance().ok_or_else(|| pass.progress()), is_wanted, tell).await);
            }
        };
        Ok(ran.and_then(|ran| ModelUpdate::of(&ran.measurement)))
    }

    async fn on_device(&self, extent: Extent, config: &Config, is_wanted: &dyn Fn() -> bool) -> Outcome {
        let gpu = self.gpu.borrow().clone();
        let gpu = match gpu.filter(|gpu| gpu.lost().is_none()) {
            Some(gpu) => gpu,
            None => {
                // It was lost: a new one may do.
                self.open_device().await.map_err(|_| Failure::DeviceLost)?;
                self.gpu.borrow().clone().ok_or(Failure::DeviceLost)?
            }
        };
        let start = browser::now_ms();
        let nudged = Rc::clone(&gpu);
        let nudge = browser::needs_nudge()
            .then(|| leptos::prelude::set_interval_with_handle(move || nudged.nudge(), NUDGE).ok())
            .flatten();
        let result = gpu.measure_to(extent, config, || !is_wanted()).await;
        if let Some(nudge) = nudge {
            nudge.clear();
        }
        match result {
            Ok(outcome) => Ok(Some(ran(outcome.measurement, start, Some((outcome.dispatches, outcome.submits))))),
            Err(GpuError::Cancelled) => Ok(None),
            Err(_) if gpu.lost().is_some() => Err(Failure::DeviceLost),
            Err(GpuError::Lost(_)) => Err(Failure::DeviceLost),
            Err(GpuError::Plan(error)) => Err(Failure::from(&error)),
            Err(error) => {
                // The device's own words are for those who mend it.
                leptos::logging::warn!("{error}");
                Err(Failure::Device(match error {
                    GpuError::OutOfMemory(_) => words::OUT_OF_MEMORY,
                    _ => words::REFUSED,
                }))
            }
        }
    }

    /// Runs a pass to its end beside the page.
    async fn in_slices(
        &self,
        mut pass: impl Pass,
        dispatches: Option<(u32, u32)>,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Outcome {
        let start = browser::now_ms();
        let measurement = self.work_off(|| pass.advance().ok_or_else(|| pass.progress()), is_wanted, tell).await;
        Ok(measurement.map(|measurement| ran(measurement, start, dispatches)))
    }

    /// Works for a few milliseconds at a time, and yields to the browser between. `advance` gives the result or the share
    /// that is done; nothing comes of what is no longer wanted.
    async fn work_off<T>(
        &self,
        mut advance: impl FnMut() -> Result<T, f64>,
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Option<T> {
        loop {
            let slice = browser::now_ms();
            let mut share = 0.0;
            while browser::now_ms() - slice < SLICE_MS {
                match advance() {
                    Ok(result) => return Some(result),
                    Err(done) => share = done,
                }
            }
            tell(share);
            self.breathe().await;
            if !is_wanted() {
                return None;
            }
        }
    }
}

fn ran(measurement: Measurement, start_ms: f64, dispatches: Option<(u32, u32)>) -> Ran {
    Ran { measurement, milliseconds: browser::now_ms() - start_ms, dispatches, is_from_atlas: false }
}
