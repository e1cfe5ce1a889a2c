//! Pipelines: made when a plan first needs them, or one at a time while nothing runs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::plan::{Access, Kernel, Tuning, compose};

/// A kernel on the device.
pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}

/// The pipelines there are.
pub(super) struct Pipelines {
    tuning: Tuning,
    made: HashMap<Kernel, Arc<Pipeline>>,
    /// Those that have run.
    seasoned: HashSet<Kernel>,
    /// Of which the device has not said yet that they are well.
    unchecked: Vec<Kernel>,
    count: u32,
}

impl Pipelines {
    pub(super) fn new(tuning: Tuning) -> Self {
        Self { tuning, made: HashMap::new(), seasoned: HashSet::new(), unchecked: Vec::new(), count: 0 }
    }

    pub(super) fn get(&mut self, device: &wgpu::Device, kernel: Kernel) -> Arc<Pipeline> {
        if let Some(pipeline) = self.made.get(&kernel) {
            return Arc::clone(pipeline);
        }
        let pipeline = Arc::new(create(device, kernel, self.tuning));
        self.made.insert(kernel, Arc::clone(&pipeline));
        self.unchecked.push(kernel);
        self.count += 1;
        pipeline
    }

    /// A kernel that has no pipeline.
    pub(super) fn missing(&self) -> Option<Kernel> {
        Kernel::ALL.iter().copied().find(|kernel| !self.made.contains_key(kernel))
    }

    /// Notes that kernels run; whether all of them did before. Some devices compile a kernel when it first runs.
    pub(super) fn season(&mut self, kernels: impl Iterator<Item = Kernel>) -> bool {
        let before = self.seasoned.len();
        self.seasoned.extend(kernels);
        self.seasoned.len() == before
    }

    /// How many were ever made.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn has_unchecked(&self) -> bool {
        !self.unchecked.is_empty()
    }

    /// Keeps those made since the last time, or forgets them where the device found fault with something.
    pub(super) fn checked(&mut self, are_well: bool) {
        for kernel in self.unchecked.drain(..) {
            if !are_well {
                self.made.remove(&kernel);
            }
        }
    }
}

fn create(device: &wgpu::Device, kernel: Kernel, tuning: Tuning) -> Pipeline {
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
