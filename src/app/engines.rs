//! The engines behind one call. This is the one place that knows how each is driven.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::join;
use wasm_bindgen_futures::spawn_local;

use crate::cpu::CpuPass;
use crate::gpu::{self, Counters, Gpu, GpuError, Setup, Watch};
use crate::model::Config;
use crate::plan::{Extent, Limits, PlanError};
use crate::reference::{ModelUpdatePass, ReferencePass};
use crate::stats::{Engine, Measurement, ModelUpdate, Pass};

use super::browser::{self, Breath};
use super::state::{Cost, Ran};
use super::words;

/// A piece of work before the browser gets its turn.
const SLICE_MS: f64 = 9.0;
/// Buffers of the processor are made when a step first binds them: large ones would hold up the page.
const CPU_PAGE_BYTES: u64 = 4 << 20;
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

/// Who waits for a pass.
#[derive(Clone, Copy)]
pub(crate) struct Waiter<'a> {
    /// Whether the result is still wanted.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
    /// Hears which share is done.
    pub(crate) tell: &'a dyn Fn(f64),
}

impl Watch for Waiter<'_> {
    fn is_cancelled(&self) -> bool {
        !(self.is_wanted)()
    }

    fn progressed(&self, share: f64) {
        (self.tell)(share);
    }
}

/// Runs passes.
pub(crate) struct Engines {
    breath: Option<Breath>,
    gpu: RefCell<Option<Rc<Gpu>>>,
    opening: RefCell<Option<oneshot::Receiver<Result<Adapter, String>>>>,
    budget_bytes: Cell<u64>,
    /// Whether a pipeline could not be made that nothing needed.
    has_refused: Cell<bool>,
}

/// Lets tests see how many pipelines there are.
fn mark_pipelines(gpu: &Gpu) {
    browser::mark(&format!("normscope:pipelines:{}", gpu.pipelines_made()));
}

impl Engines {
    /// Without a graphics device yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            breath: Breath::new(),
            gpu: RefCell::default(),
            opening: RefCell::default(),
            budget_bytes: Cell::new(Limits::default().budget_bytes),
            has_refused: Cell::new(false),
        }
    }

    /// Asks for the graphics device.
    pub(crate) async fn open_device(&self) -> Result<Adapter, String> {
        if !browser::has_webgpu() {
            return Err("no navigator.gpu".into());
        }
        let (gpu, family) = join(Gpu::open(Setup::new(browser::now_ms)), browser::adapter_family()).await;
        let gpu = gpu.map_err(|error| error.to_string())?;
        let name = match gpu.adapter_name() {
            "" => family.unwrap_or_default(),
            name => name.to_owned(),
        };
        browser::mark("normscope:device");
        let adapter = Adapter { name, is_software: gpu.is_software() };
        gpu.set_budget(self.budget_bytes.get());
        *self.gpu.borrow_mut() = Some(Rc::new(gpu));
        Ok(adapter)
    }

    /// Sets what passes in float32 may take, from the next one on.
    pub(crate) fn set_budget(&self, bytes: u64) {
        self.budget_bytes.set(bytes);
        if let Some(gpu) = self.gpu() {
            gpu.set_budget(bytes);
        }
    }

    /// What plans have to keep to.
    pub(crate) fn limits(&self, engine: Engine) -> Limits {
        let gpu = self.gpu().filter(|_| engine == Engine::Gpu);
        gpu.map_or_else(
            || Limits { budget_bytes: self.budget_bytes.get(), page_bytes: CPU_PAGE_BYTES, ..Limits::default() },
            |gpu| gpu.limits(),
        )
    }

    /// Promises the first device, which somebody else opens.
    pub(crate) fn promise(&self) -> oneshot::Sender<Result<Adapter, String>> {
        let (sender, receiver) = oneshot::channel();
        *self.opening.borrow_mut() = Some(receiver);
        sender
    }

    /// Asks for the graphics device, and has it begin with the kernels of these runs.
    pub(crate) async fn open_for(&self, configs: Vec<Config>) -> Result<Adapter, String> {
        let adapter = self.open_device().await?;
        if let Some(gpu) = self.gpu() {
            spawn_local(async move {
                for config in &configs {
                    // What fails here fails again when the run is asked for, which says so.
                    let _ = gpu.make_pipelines(config).await;
                }
            });
        }
        Ok(adapter)
    }

    /// The device that was promised.
    pub(crate) async fn device(&self) -> Result<Adapter, String> {
        let opening = self.opening.borrow_mut().take();
        match opening {
            Some(opening) => opening.await.map_err(|error| error.to_string())?,
            None => self.open_device().await,
        }
    }

    /// Makes one of the pipelines that nothing has needed yet; false where there is none left.
    pub(crate) async fn make_pipeline(&self) -> bool {
        let Some(gpu) = self.gpu() else { return false };
        if self.has_refused.get() {
            return false;
        }
        // A pass that needs it will say so; until then it is not tried again, for the device starts anew after each.
        let made = gpu.make_pipeline().await;
        self.has_refused.set(made.is_err());
        let is_left = made.unwrap_or(false);
        mark_pipelines(&gpu);
        if !is_left {
            browser::mark("normscope:ready");
        }
        is_left
    }

    /// Measures a configuration, and tells how far it has come.
    pub(crate) async fn measure(&self, engine: Engine, config: &Config, waiting: Waiter<'_>) -> Outcome {
        match engine {
            Engine::Cpu => {
                let pass = CpuPass::within(config, &self.limits(engine), Extent::Curves)
                    .map_err(|error| Failure::from(&error))?;
                let cost = Cost { steps: pass.dispatches() as u32, submits: 0, peak_bytes: pass.peak_bytes() };
                self.in_slices(pass, Some(cost), waiting).await
            }
            Engine::Reference => self.in_slices(ReferencePass::new(config), None, waiting).await,
            Engine::Gpu => self.on_gpu(Extent::Curves, config, waiting).await,
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
        waiting: Waiter<'_>,
    ) -> Result<Option<ModelUpdate>, Failure> {
        let ran = match engine {
            Engine::Gpu => self.on_gpu(Extent::WithUpdate, config, waiting).await?,
            Engine::Cpu => {
                let pass = CpuPass::within(config, &self.limits(engine), Extent::WithUpdate)
                    .map_err(|error| Failure::from(&error))?;
                self.in_slices(pass, None, waiting).await?
            }
            Engine::Reference => {
                let mut pass = ModelUpdatePass::new(config);
                return Ok(self.work_off(|| pass.advance().ok_or_else(|| pass.progress()), waiting).await);
            }
        };
        Ok(ran.and_then(|ran| ModelUpdate::of(&ran.measurement)))
    }

    /// The device, once it is there.
    pub(crate) fn gpu(&self) -> Option<Rc<Gpu>> {
        self.gpu.borrow().clone()
    }

    async fn on_gpu(&self, extent: Extent, config: &Config, waiting: Waiter<'_>) -> Outcome {
        let start = browser::now_ms();
        let outcome = self.on_device(async |gpu| gpu.measure_to(extent, config, waiting).await).await?;
        Ok(outcome.map(|gpu::Outcome { measurement, counters }| {
            let Counters { dispatches: steps, submits, peak_bytes, .. } = counters;
            ran(measurement, start, Some(Cost { steps, submits, peak_bytes }))
        }))
    }

    /// Runs something on the device, a new one where the old one was lost; nothing comes of what is cancelled.
    pub(crate) async fn on_device<M>(
        &self,
        run: impl AsyncFnOnce(&Gpu) -> Result<gpu::Outcome<M>, GpuError>,
    ) -> Result<Option<gpu::Outcome<M>>, Failure> {
        let gpu = match self.gpu().filter(|gpu| gpu.lost().is_none()) {
            Some(gpu) => gpu,
            None => {
                self.open_device().await.map_err(|_| Failure::DeviceLost)?;
                self.gpu().ok_or(Failure::DeviceLost)?
            }
        };
        let nudged = Rc::clone(&gpu);
        let nudge = browser::needs_nudge()
            .then(|| leptos::prelude::set_interval_with_handle(move || nudged.nudge(), NUDGE).ok())
            .flatten();
        let result = run(&gpu).await;
        if let Some(nudge) = nudge {
            nudge.clear();
        }
        if result.as_ref().is_ok_and(|outcome| outcome.counters.pipelines > 0) {
            mark_pipelines(&gpu);
        }
        match result {
            Ok(outcome) => Ok(Some(outcome)),
            Err(GpuError::Cancelled) => Ok(None),
            Err(_) if gpu.lost().is_some() => Err(Failure::DeviceLost),
            Err(GpuError::Lost(_)) => Err(Failure::DeviceLost),
            Err(GpuError::Plan(error)) => Err(Failure::from(&error)),
            Err(error) => {
                // The device's own words are for those who mend it.
                leptos::logging::warn!("{error}");
                Err(Failure::Device(match error {
                    GpuError::OutOfMemory(_) => words::out_of_memory(),
                    _ => words::refused(),
                }))
            }
        }
    }

    /// Runs a pass to its end beside the page.
    async fn in_slices(&self, mut pass: impl Pass, cost: Option<Cost>, waiting: Waiter<'_>) -> Outcome {
        let start = browser::now_ms();
        let measurement = self.work_off(|| pass.advance().ok_or_else(|| pass.progress()), waiting).await;
        Ok(measurement.map(|measurement| ran(measurement, start, cost)))
    }

    /// Works for a few milliseconds at a time, and yields to the browser between. `advance` gives the result or the share
    /// that is done; nothing comes of what is no longer wanted.
    pub(crate) async fn work_off<T>(
        &self,
        mut advance: impl FnMut() -> Result<T, f64>,
        waiting: Waiter<'_>,
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
            (waiting.tell)(share);
            self.breathe().await;
            if !(waiting.is_wanted)() {
                return None;
            }
        }
    }
}

fn ran(measurement: Measurement, start_ms: f64, cost: Option<Cost>) -> Ran {
    Ran { measurement, milliseconds: browser::now_ms() - start_ms, cost, is_from_atlas: false }
}
