//! Buffers and bind groups that outlive a run, so that a new depth makes as few of them as it can.

use std::collections::HashMap;
use std::sync::Arc;

use super::pipelines::Pipeline;
use super::weights::Weights;
use crate::plan::{BufferSpec, Kernel, Limits, Part, Plan, Role, Step, UNIFORM_STRIDE};

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
    /// Makes what the plan needs and the pool lacks; whether it lacked something. What another plan needed stays, and what
    /// grows takes some more, so that a rising depth does not make a new one each time: both within the budget.
    pub(super) fn fit(&mut self, device: &wgpu::Device, plan: &Plan, limits: &Limits) -> bool {
        if self.bytes_with(plan) > limits.budget_bytes {
            self.keep_only(plan);
        }
        let mut room = limits.budget_bytes.saturating_sub(self.bytes_with(plan));
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mut has_made = false;
        for spec in &plan.buffers {
            let key = (spec.role, spec.page);
            let old = self.buffers.get(&key).map_or(0, wgpu::Buffer::size);
            if old < spec.bytes() {
                // The old one goes first: there may not be room for both.
                self.drop_buffer(key);
                let slack = if old > 0 { slack(spec, limits.binding_bytes).min(room) } else { 0 } / 16 * 16;
                room -= slack;
                self.buffers.insert(key, buffer(device, "slabs", spec.bytes() + slack, storage));
                has_made = true;
            }
        }
        self.weights.fit(plan);
        let words = UNIFORM_WORDS * plan.uniform_slots();
        if self.written.len() < words {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            self.drop_uniforms();
            self.uniforms = Some(buffer(device, "uniforms", 4 * words as u64, usage));
            self.written = vec![0; words];
            has_made = true;
        }
        has_made
    }

    /// Bytes of all buffers.
    pub(super) fn held_bytes(&self) -> u64 {
        let slabs: u64 = self.buffers.values().map(wgpu::Buffer::size).sum();
        let others = [&self.uniforms, &self.readback];
        slabs + others.into_iter().flatten().map(wgpu::Buffer::size).sum::<u64>()
    }

    /// Bytes that would be held with what the plan needs, and nothing given back.
    fn bytes_with(&self, plan: &Plan) -> u64 {
        let held: u64 = self.buffers.values().map(wgpu::Buffer::size).sum();
        let grown = plan.buffers.iter().map(|spec| {
            let old = self.buffers.get(&(spec.role, spec.page)).map_or(0, wgpu::Buffer::size);
            spec.bytes().saturating_sub(old)
        });
        let uniforms = self.written.len().max(UNIFORM_WORDS * plan.uniform_slots());
        let readback = self.readback.as_ref().map_or(0, wgpu::Buffer::size).max(plan.readback_bytes());
        held + grown.sum::<u64>() + 4 * uniforms as u64 + readback
    }

    /// Gives back what the plan does not need.
    fn keep_only(&mut self, plan: &Plan) {
        let needed: HashMap<Page, u64> =
            plan.buffers.iter().map(|spec| ((spec.role, spec.page), spec.bytes())).collect();
        let others: Vec<Page> = self
            .buffers
            .iter()
            .filter(|(page, buffer)| needed.get(page) != Some(&buffer.size()))
            .map(|(page, _)| *page)
            .collect();
        for page in others {
            self.drop_buffer(page);
        }
        if self.written.len() > UNIFORM_WORDS * plan.uniform_slots() {
            self.drop_uniforms();
        }
        if let Some(readback) = self.readback.take_if(|buffer| buffer.size() > plan.readback_bytes()) {
            readback.destroy();
        }
    }

    /// Gives all back.
    pub(super) fn clear(&mut self) {
        let pool = std::mem::take(self);
        for buffer in pool.buffers.into_values().chain(pool.uniforms).chain(pool.readback) {
            buffer.destroy();
        }
    }

    /// Gives a buffer back at once: a browser would wait for its collector.
    fn drop_buffer(&mut self, page: Page) {
        if let Some(buffer) = self.buffers.remove(&page) {
            buffer.destroy();
            self.bind_groups.clear();
            if page.0 == Role::Weights {
                self.weights.forget();
            }
        }
    }

    fn drop_uniforms(&mut self) {
        if let Some(uniforms) = self.uniforms.take() {
            uniforms.destroy();
            self.bind_groups.clear();
            self.written.clear();
        }
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
        if let Some(small) = self.readback.take_if(|buffer| buffer.size() < bytes) {
            small.destroy();
        }
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        self.readback.take().unwrap_or_else(|| buffer(device, "readback", bytes, usage))
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

/// What a buffer that grows takes beyond what it needs, at most.
fn slack(spec: &BufferSpec, binding_bytes: u64) -> u64 {
    /// More would not be spared often enough to pay for itself.
    const MOST: u64 = 16 << 20;
    (spec.bytes() / 2).min(MOST).min(binding_bytes.saturating_sub(spec.bytes()))
}

fn buffer(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}
