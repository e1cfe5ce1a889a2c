//! The device, and the pipelines that serve every configuration.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;
use futures_util::lock::Mutex as Turn;

use super::GpuError;
use super::pool::Pool;
use crate::plan::{Access, Kernel, Limits, Tuning, compose};

/// A device with every pipeline made.
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) pipelines: HashMap<Kernel, Pipeline>,
    pub(super) pool: Mutex<Pool>,
    /// Held by the run that uses the pool, for its buffers and uniforms serve one run at a time.
    pub(super) turn: Turn<()>,
    info: wgpu::AdapterInfo,
    tuning: Tuning,
    /// An error that no scope caught.
    fault: Arc<Mutex<Option<String>>>,
    lost: Arc<Mutex<Option<String>>>,
}

pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
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

impl Gpu {
    /// Takes the fastest adapter, a software one if there is no other, and makes every pipeline, so that no later
    /// choice compiles anything.
    ///
    /// # Errors
    /// Where there is no adapter.
    pub async fn new() -> Result<Self, GpuError> {
        Self::open(None).await
    }

    /// The same with kernels cut as given instead of as suits the adapter.
    ///
    /// # Errors
    /// Where there is no adapter.
    pub async fn with_tuning(tuning: Tuning) -> Result<Self, GpuError> {
        Self::open(Some(tuning)).await
    }

    async fn open(tuning: Option<Tuning>) -> Result<Self, GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter =
            instance().request_adapter(&options).await.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let descriptor = wgpu::DeviceDescriptor { label: Some("normscope"), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) =
            adapter.request_device(&descriptor).await.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let lost = Arc::new(Mutex::new(None));
        let on_lost = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            let text = if message.is_empty() { format!("{reason:?}") } else { message };
            *on_lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        });
        let info = adapter.get_info();
        let is_processor = info.device_type == wgpu::DeviceType::Cpu;
        let tuning = tuning.unwrap_or(if is_processor { Tuning::Processor } else { Tuning::Graphics });
        let fault = Arc::new(Mutex::new(None));
        let on_fault = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            *on_fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }));
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let pipelines = Kernel::ALL.iter().map(|&kernel| (kernel, pipeline(&device, kernel, tuning))).collect();
        let refused = validation.pop().await;
        if let Some(error) = internal.pop().await.or(refused) {
            return Err(GpuError::Refused(error.to_string()));
        }
        let pool = Mutex::new(Pool::default());
        Ok(Self { device, queue, pipelines, pool, turn: Turn::new(()), info, tuning, fault, lost })
    }

    /// The adapter's name; browsers often hide it.
    #[must_use]
    pub fn adapter_name(&self) -> &str {
        &self.info.name
    }

    /// What plans for this device have to keep to.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { tuning: self.tuning, ..Limits::default() }
    }

    /// Whether the adapter is the processor itself.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Why the device is gone, once it is.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An error that no scope caught, once.
    pub(super) fn take_fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Submits nothing, at once. Firefox looks for finished work only every 100 ms unless something is submitted, so a
    /// page calls this every few milliseconds while it waits.
    pub fn nudge(&self) {
        self.queue.submit([]);
    }

    /// Waits for a callback of the device: a browser calls it by itself, elsewhere the device is polled.
    pub(super) async fn settle<T>(&self, receiver: oneshot::Receiver<T>) -> Result<T, GpuError> {
        if let Err(error) = self.device.poll(wgpu::PollType::wait_indefinitely()) {
            return Err(GpuError::Lost(error.to_string()));
        }
        receiver.await.map_err(|_| GpuError::Lost(self.lost().unwrap_or_default()))
    }
}

fn pipeline(device: &wgpu::Device, kernel: Kernel, tuning: Tuning) -> Pipeline {
    let label = Some(kernel.stem());
    let uniform = wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = kernel.bindings().iter().enumerate().map(|(i, binding)| wgpu::BindGroupLayoutEntry {
        binding: i as u32 + 1,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: binding.access == Access::Read },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    });
    let entries: Vec<_> = std::iter::once(uniform).chain(storage).collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let source = wgpu::ShaderSource::Wgsl(compose(kernel, tuning).into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    Pipeline { pipeline, layout }
}
