//! Buffers and bind groups that outlive a run, so that a new depth makes as few of them as it can.

use std::collections::HashMap;
use std::sync::Arc;

use crate::plan::{BufferSpec, Kernel, Operation, Plan, RandomWeights, Role, Step};

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
    weights: Weights,
}

/// The weights that lie in the buffers, whichever run made them: a depth needs only the layers that no depth before it
/// had, and another placement often none.
#[derive(Default)]
struct Weights {
    /// How a block's matrices lie in its slab: the length of a slab, and offset and length of each matrix.
    layout: (u32, Vec<(u32, u32)>),
    /// By buffer and place: with which arguments, and for how many layers.
    made: HashMap<(u32, u32), (RandomWeights, u32)>,
}

/// A step that makes weights of blocks: its arguments, buffer and place.
fn weights_step(plan: &Plan, step: &Step) -> Option<(RandomWeights, u32, u32)> {
    let Operation::RandomWeights(arguments) = step.operation else { return None };
    let spec = plan.buffers[step.views[0].buffer];
    (spec.role == Role::Weights).then_some((arguments, spec.page, step.views[0].at))
}

impl Weights {
    fn fit(&mut self, plan: &Plan) {
        let steps = plan.steps.iter().filter_map(|step| weights_step(plan, step));
        let mut slab = 0;
        let mut matrices: Vec<_> = steps
            .map(|(arguments, _, at)| {
                slab = arguments.layer_stride;
                (at % slab, arguments.padded_rows * arguments.stride)
            })
            .collect();
        matrices.sort_unstable();
        matrices.dedup();
        let layout = (slab, matrices);
        if layout != self.layout {
            *self = Self { layout, made: HashMap::new() };
        }
    }

    /// Whether what a step makes is there already; notes it where it is not.
    fn hold(&mut self, plan: &Plan, step: &Step) -> bool {
        let Some((arguments, page, at)) = weights_step(plan, step) else { return false };
        let layers = step.workgroups[1];
        let held = self.made.get(&(page, at)).is_some_and(|made| made.0 == arguments && made.1 >= layers);
        if !held {
            self.made.insert((page, at), (arguments, layers));
        }
        held
    }
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
            self.forget_weights();
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
                if spec.role == Role::Weights {
                    self.forget_weights();
                }
                self.bind_groups.clear();
            }
        }
        self.weights.fit(plan);
        let uniform_bytes = UNIFORM_STRIDE * plan.steps.len() as u64;
        if self.uniforms.as_ref().map_or(0, wgpu::Buffer::size) < uniform_bytes {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            self.uniforms = Some(buffer(device, "uniforms", uniform_bytes.next_power_of_two(), usage));
            self.bind_groups.clear();
        }
    }

    /// Whether what a step makes is there already. It counts as made from now on.
    pub(super) fn holds(&mut self, plan: &Plan, step: &Step) -> bool {
        self.weights.hold(plan, step)
    }

    /// Has every weight made anew.
    pub(super) fn forget_weights(&mut self) {
        self.weights.made.clear();
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
