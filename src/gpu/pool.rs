//! Buffers and bind groups that outlive a run, so that a new depth makes as few of them as it can.

use std::collections::HashMap;
use std::sync::Arc;

use crate::plan::{BufferSpec, Kernel, Plan, Role, Step};

/// Bytes between the uniforms of two steps: what every device takes as offset of a uniform.
pub(super) const UNIFORM_STRIDE: u64 = 256;

/// A buffer of a plan, whichever plan it is.
type Page = (Role, u32);

/// What a plan's buffers are bound as.
#[derive(Default)]
pub(super) struct Pool {
    buffers: HashMap<Page, wgpu::Buffer>,
    uniforms: Option<wgpu::Buffer>,
    readback: Option<wgpu::Buffer>,
    bind_groups: HashMap<(Kernel, Vec<Page>), Arc<wgpu::BindGroup>>,
}

impl Pool {
    /// Makes what the plan needs and the pool lacks. A buffer that grows takes some more, up to a page, so that a rising
    /// depth does not make a new one each time.
    pub(super) fn fit(&mut self, device: &wgpu::Device, plan: &Plan, binding_bytes: u64) {
        // What another configuration needed and this one does not would only fill the memory.
        let held: u64 = self.buffers.values().map(wgpu::Buffer::size).sum();
        if held > plan.bytes() + plan.bytes() / 2 + (64 << 20) {
            let wanted = |page: &Page| plan.buffers.iter().find(|spec| (spec.role, spec.page) == *page);
            self.buffers.retain(|page, buffer| wanted(page).is_some_and(|spec| buffer.size() <= 2 * spec.bytes()));
            self.bind_groups.clear();
        }
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        for spec in &plan.buffers {
            let key = (spec.role, spec.page);
            let old = self.buffers.get(&key).map_or(0, wgpu::Buffer::size);
            if old < spec.bytes() {
                // The old one goes first: there may not be room for both.
                self.buffers.remove(&key);
                let size = if old > 0 { grown(spec, binding_bytes) } else { spec.bytes() };
                self.buffers.insert(key, buffer(device, "slabs", size, storage));
                self.bind_groups.clear();
            }
        }
        let uniform_bytes = UNIFORM_STRIDE * plan.steps.len() as u64;
        if self.uniforms.as_ref().map_or(0, wgpu::Buffer::size) < uniform_bytes {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            self.uniforms = Some(buffer(device, "uniforms", uniform_bytes.next_power_of_two(), usage));
            self.bind_groups.clear();
        }
    }

    /// The buffer of a plan's spec.
    ///
    /// # Panics
    /// Before [`Self::fit`] for the plan.
    pub(super) fn buffer(&self, spec: &BufferSpec) -> &wgpu::Buffer {
        &self.buffers[&(spec.role, spec.page)]
    }

    /// The uniforms of all steps.
    ///
    /// # Panics
    /// Before [`Self::fit`].
    pub(super) fn uniforms(&self) -> &wgpu::Buffer {
        self.uniforms.as_ref().expect("the pool was fitted")
    }

    /// A buffer of at least `bytes` to map for reading; nothing else uses it until it is put back.
    pub(super) fn take_readback(&mut self, device: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
        match self.readback.take() {
            Some(buffer) if buffer.size() >= bytes => buffer,
            _ => buffer(device, "readback", bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }

    /// Keeps an unmapped buffer for the next run.
    pub(super) fn put_readback(&mut self, buffer: wgpu::Buffer) {
        self.readback = Some(buffer);
    }

    /// The bind group of a step; steps that bind the same buffers share one.
    pub(super) fn bind_group(
        &mut self,
        device: &wgpu::Device,
        layout: &wgpu::BindGroupLayout,
        plan: &Plan,
        step: &Step,
    ) -> Arc<wgpu::BindGroup> {
        let kernel = step.operation.kernel();
        let specs: Vec<_> = step.views.iter().map(|view| plan.buffers[view.buffer]).collect();
        let key = (kernel, specs.iter().map(|spec| (spec.role, spec.page)).collect());
        if let Some(group) = self.bind_groups.get(&key) {
            return Arc::clone(group);
        }
        let uniform = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.uniforms(),
            offset: 0,
            size: wgpu::BufferSize::new(UNIFORM_STRIDE),
        });
        let storage = specs.iter().map(|spec| self.buffer(spec).as_entire_binding());
        let entries: Vec<_> = std::iter::once(uniform)
            .chain(storage)
            .enumerate()
            .map(|(i, resource)| wgpu::BindGroupEntry { binding: i as u32, resource })
            .collect();
        let group = Arc::new(device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(kernel.stem()),
            layout,
            entries: &entries,
        }));
        self.bind_groups.insert(key, Arc::clone(&group));
        group
    }
}

fn grown(spec: &BufferSpec, binding_bytes: u64) -> u64 {
    /// More would not be spared often enough to pay for itself.
    const SLACK: u64 = 16 << 20;
    let with_slack = spec.bytes() + (spec.bytes() / 2).min(SLACK);
    with_slack.min(binding_bytes).max(spec.bytes()).next_multiple_of(16)
}

fn buffer(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}
