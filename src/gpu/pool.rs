//! Buffers and bind groups that outlive a run, so that a new depth makes as few of them as it can.

use std::collections::HashMap;
use std::sync::Arc;

use super::pipelines::Pipeline;
use super::weights::Weights;
use crate::plan::{BufferSpec, Kernel, Part, Plan, Role, Step};

/// Bytes between the uniforms of two parts: what every device takes as offset of a uniform.
pub(super) const UNIFORM_STRIDE: u64 = 256;
const UNIFORM_WORDS: usize = UNIFORM_STRIDE as usize / 4;

/// A buffer of a plan, whichever plan it is.
type Page = (Role, u32);
/// The buffers that a kernel binds, by their numbers in the pool; more than eight no device has to take.
type Bound = (Kernel, [u16; 8]);

/// What a plan's buffers are bound as.
#[derive(Default)]
pub(super) struct Pool {
    buffers: HashMap<Page, wgpu::Buffer>,
    numbers: HashMap<Page, u16>,
    uniforms: Option<wgpu::Buffer>,
    /// What they hold.
    written: Vec<u32>,
    readback: Option<wgpu::Buffer>,
    bind_groups: HashMap<Bound, Arc<wgpu::BindGroup>>,
    pub(super) weights: Weights,
}

impl Pool {
    /// Makes what the plan needs and the pool lacks; whether it lacked something. A buffer that grows takes some more, up
    /// to a page, so that a rising depth does not make a new one each time.
    pub(super) fn fit(&mut self, device: &wgpu::Device, plan: &Plan, binding_bytes: u64) -> bool {
        // What another configuration needed and this one does not would only fill the memory.
        let held: u64 = self.buffers.values().map(wgpu::Buffer::size).sum();
        if held > plan.bytes() + plan.bytes() / 2 + (64 << 20) {
            let wanted = |page: &Page| plan.buffers.iter().find(|spec| (spec.role, spec.page) == *page);
            self.buffers.retain(|page, buffer| wanted(page).is_some_and(|spec| buffer.size() <= 2 * spec.bytes()));
            self.bind_groups.clear();
            self.weights.forget();
        }
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mut has_made = false;
        for spec in &plan.buffers {
            let key = (spec.role, spec.page);
            let old = self.buffers.get(&key).map_or(0, wgpu::Buffer::size);
            if old < spec.bytes() {
                // The old one goes first: there may not be room for both.
                self.buffers.remove(&key);
                let size = if old > 0 { grown(spec, binding_bytes) } else { spec.bytes() };
                self.buffers.insert(key, buffer(device, "slabs", size, storage));
                if spec.role == Role::Weights {
                    self.weights.forget();
                }
                self.bind_groups.clear();
                has_made = true;
            }
        }
        self.weights.fit(plan);
        has_made
    }

    /// Makes room for the uniforms of this many parts; whether there was none.
    pub(super) fn fit_uniforms(&mut self, device: &wgpu::Device, parts: usize) -> bool {
        if self.written.len() >= UNIFORM_WORDS * parts {
            return false;
        }
        let words = (UNIFORM_WORDS * parts).next_power_of_two();
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        self.uniforms = Some(buffer(device, "uniforms", 4 * words as u64, usage));
        self.written = vec![0; words];
        self.bind_groups.clear();
        true
    }

    /// Writes the uniforms of some parts of a plan from a slot on, where they are not there already.
    ///
    /// # Panics
    /// Where there is no room for them.
    pub(super) fn write_uniforms(&mut self, queue: &wgpu::Queue, plan: &Plan, parts: &[Part], slot: usize) {
        let mut is_new = false;
        let range = UNIFORM_WORDS * slot..UNIFORM_WORDS * (slot + parts.len());
        for (place, part) in self.written[range.clone()].chunks_exact_mut(UNIFORM_WORDS).zip(parts) {
            let uniform = plan.uniform(part);
            let place = &mut place[..uniform.len()];
            is_new |= *place != *uniform;
            place.copy_from_slice(&uniform);
        }
        if is_new {
            let bytes = bytemuck::cast_slice(&self.written[range]);
            queue.write_buffer(self.uniforms(), UNIFORM_STRIDE * slot as u64, bytes);
        }
    }

    /// Slots for the uniforms of parts.
    pub(super) const fn slots(&self) -> usize {
        self.written.len() / UNIFORM_WORDS
    }

    /// The buffer of a plan's spec.
    ///
    /// # Panics
    /// Before [`Self::fit`] for the plan.
    pub(super) fn buffer(&self, spec: &BufferSpec) -> &wgpu::Buffer {
        &self.buffers[&(spec.role, spec.page)]
    }

    fn uniforms(&self) -> &wgpu::Buffer {
        self.uniforms.as_ref().expect("there is room for uniforms before they are bound")
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

    /// The number of each buffer of a plan.
    pub(super) fn numbers(&mut self, plan: &Plan) -> Vec<u16> {
        let of_spec = |spec: &BufferSpec| {
            let next = self.numbers.len() as u16;
            *self.numbers.entry((spec.role, spec.page)).or_insert(next)
        };
        plan.buffers.iter().map(of_spec).collect()
    }

    /// The bind group of a step; steps that bind the same buffers share one. `numbers` are those of the plan's buffers.
    pub(super) fn bind_group(
        &mut self,
        device: &wgpu::Device,
        pipeline: &Pipeline,
        plan: &Plan,
        step: &Step,
        numbers: &[u16],
    ) -> Arc<wgpu::BindGroup> {
        let kernel = step.operation.kernel();
        let mut bound = (kernel, [u16::MAX; 8]);
        for (place, view) in bound.1.iter_mut().zip(&step.views) {
            *place = numbers[view.buffer];
        }
        if let Some(group) = self.bind_groups.get(&bound) {
            return Arc::clone(group);
        }
        let uniform = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.uniforms(),
            offset: 0,
            size: wgpu::BufferSize::new(UNIFORM_STRIDE),
        });
        let storage = step.views.iter().map(|view| self.buffer(&plan.buffers[view.buffer]).as_entire_binding());
        let entries: Vec<_> = std::iter::once(uniform)
            .chain(storage)
            .enumerate()
            .map(|(i, resource)| wgpu::BindGroupEntry { binding: i as u32, resource })
            .collect();
        let group = Arc::new(device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(kernel.stem()),
            layout: &pipeline.layout,
            entries: &entries,
        }));
        self.bind_groups.insert(bound, Arc::clone(&group));
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
