//! The device, and what it keeps between runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use futures_util::lock::Mutex as Turn;

use super::GpuError;
use super::pace::{Clock, Pace};
use super::pipelines::Pipelines;
use super::pool::Pool;
use super::scopes::{Note, Scopes};
use crate::model::Config;
use crate::plan::{Extent, Limits, Passes, Plan, Tuning};
use crate::stats::Engine;

/// How a device is opened.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// What submits are timed by.
    pub clock: Clock,
    /// How kernels are cut, where it is not as suits the adapter.
    pub tuning: Option<Tuning>,
    /// Floating-point operations of a submit, where they are not by measured time.
    pub submit_flops: Option<u64>,
}

impl Setup {
    /// As suits the adapter.
    #[must_use]
    pub const fn new(clock: Clock) -> Self {
        Self { clock, tuning: None, submit_flops: None }
    }
}

/// A device, and what it keeps between runs.
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) clock: Clock,
    /// Held by whoever makes something on the device: its pool serves one run at a time.
    pub(super) turn: Turn<()>,
    pool: Mutex<Pool>,
    pipelines: Mutex<Pipelines>,
    pace: Mutex<Pace>,
    info: wgpu::AdapterInfo,
    tuning: Tuning,
    budget_bytes: AtomicU64,
    /// Whether something was made that nobody has asked the device about, as by a run that was dropped.
    is_unsure: AtomicBool,
    /// An error that no scope caught.
    fault: Note,
    lost: Note,
}

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle())
}

/// Names and kinds of the adapters there are.
pub async fn adapters() -> Vec<String> {
    let adapters = instance().enumerate_adapters(wgpu::Backends::all()).await;
    adapters
        .iter()
        .map(|adapter| {
            let info = adapter.get_info();
            format!("{} ({:?}, {:?}, {})", info.name, info.backend, info.device_type, info.driver_info)
        })
        .collect()
}

/// What no panic leaves half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Takes the fastest adapter, a software one if there is no other.
    ///
    /// # Errors
    /// Where there is no adapter.
    pub async fn open(setup: Setup) -> Result<Self, GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter =
            instance().request_adapter(&options).await.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let descriptor = wgpu::DeviceDescriptor { label: Some("normscope"), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) =
            adapter.request_device(&descriptor).await.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let (fault, lost) = (Note::default(), Note::default());
        let on_lost = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            on_lost.write(if message.is_empty() { format!("{reason:?}") } else { message });
        });
        let on_fault = fault.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| on_fault.write(error.to_string())));
        let info = adapter.get_info();
        let is_processor = info.device_type == wgpu::DeviceType::Cpu;
        let tuning = setup.tuning.unwrap_or(if is_processor { Tuning::Processor } else { Tuning::Graphics });
        Ok(Self {
            device,
            queue,
            clock: setup.clock,
            turn: Turn::new(()),
            pool: Mutex::default(),
            pipelines: Mutex::new(Pipelines::new(tuning)),
            pace: Mutex::new(setup.submit_flops.map_or_else(|| Pace::new(tuning), Pace::fixed)),
            info,
            tuning,
            budget_bytes: AtomicU64::new(Limits::default().budget_bytes),
            is_unsure: AtomicBool::new(false),
            fault,
            lost,
        })
    }

    /// The adapter's name; browsers often hide it.
    #[must_use]
    pub fn adapter_name(&self) -> &str {
        &self.info.name
    }

    /// What plans for this device have to keep to.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { tuning: self.tuning, budget_bytes: self.budget_bytes.load(Ordering::Relaxed), ..Limits::default() }
    }

    /// Sets what runs may take, from the next one on.
    pub fn set_budget(&self, bytes: u64) {
        self.budget_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Bytes of all that is kept on the device between runs.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.pool().held_bytes()
    }

    /// Whether the adapter is the processor itself.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Why the device is gone, once it is.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        self.lost.read()
    }

    /// Pipelines made so far.
    #[must_use]
    pub fn pipelines_made(&self) -> u32 {
        self.pipelines().count()
    }

    /// Makes the pipelines of a run before it is asked for.
    ///
    /// # Errors
    /// Where the run does not fit or the device fails.
    pub async fn make_pipelines(&self, config: &Config) -> Result<(), GpuError> {
        let passes = Passes::new(config, &self.limits(), Extent::Curves, Engine::Gpu)?;
        let _turn = self.turn.lock().await;
        let scopes = self.scopes()?;
        self.prepare_pipelines(passes.plan());
        self.verdict(scopes).await
    }

    /// The pipelines that a plan needs.
    pub(super) fn prepare_pipelines(&self, plan: &Plan) {
        let mut pipelines = self.pipelines();
        for step in &plan.steps {
            pipelines.get(&self.device, step.operation.kernel());
        }
    }

    /// Makes one of the pipelines that no plan has needed yet, so that a later one compiles nothing; false where there is
    /// none left. It waits for the device, which makes them in turn with all else.
    ///
    /// # Errors
    /// Where the device fails.
    pub async fn make_pipeline(&self) -> Result<bool, GpuError> {
        let _turn = self.turn.lock().await;
        let Some(kernel) = self.pipelines().missing() else { return Ok(false) };
        let scopes = self.scopes()?;
        self.pipelines().get(&self.device, kernel);
        self.verdict(scopes).await?;
        Ok(self.pipelines().missing().is_some())
    }

    /// Submits nothing, at once. Firefox looks for finished work only every 100 ms unless something is submitted, so a
    /// page calls this every few milliseconds while it waits.
    pub fn nudge(&self) {
        self.queue.submit([]);
    }

    pub(super) fn pool(&self) -> MutexGuard<'_, Pool> {
        locked(&self.pool)
    }

    pub(super) fn pipelines(&self) -> MutexGuard<'_, Pipelines> {
        locked(&self.pipelines)
    }

    pub(super) fn pace(&self) -> MutexGuard<'_, Pace> {
        locked(&self.pace)
    }

    /// Opens error scopes on a device that is there.
    pub(super) fn scopes(&self) -> Result<Scopes, GpuError> {
        if let Some(reason) = self.lost() {
            return Err(GpuError::Lost(reason));
        }
        if self.is_unsure.swap(true, Ordering::Relaxed) {
            self.trust(false);
        }
        Ok(Scopes::open(&self.device))
    }

    /// Closes error scopes, and says whether all within them was well.
    pub(super) fn verdict(&self, scopes: Scopes) -> impl Future<Output = Result<(), GpuError>> {
        let answer = scopes.close();
        async {
            let result = match (answer.await, self.fault.take()) {
                (Ok(()), Some(fault)) => Err(GpuError::Refused(fault)),
                (result, _) => result,
            };
            self.is_unsure.store(false, Ordering::Relaxed);
            self.trust(result.is_ok());
            result.map_err(|error| match (error, self.lost()) {
                (GpuError::Refused(_), Some(reason)) => GpuError::Lost(reason),
                (error, _) => error,
            })
        }
    }

    /// Keeps what was made since the last verdict. Where it was not well, nothing that the pool holds is trusted again: a
    /// buffer that could not be made looks like any other.
    pub(super) fn trust(&self, is_well: bool) {
        self.pipelines().checked(is_well);
        if !is_well {
            self.pool().clear();
        }
    }

    /// Waits for a callback of the device: a browser calls it by itself, elsewhere the device is polled.
    pub(super) async fn settle<T>(&self, receiver: oneshot::Receiver<T>) -> Result<T, GpuError> {
        if let Err(error) = self.device.poll(wgpu::PollType::wait_indefinitely()) {
            return Err(GpuError::Lost(error.to_string()));
        }
        receiver.await.map_err(|_| GpuError::Lost(self.lost().unwrap_or_default()))
    }
}
