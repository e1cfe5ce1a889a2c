//! A configuration as buffers and dispatches, as data: what the GPU executes and the kernels' twins execute on the
//! processor. Building a plan touches no device.

mod build;
mod decode;
mod kernel;
mod layout;
mod passes;
mod shader;
mod split;
mod tuning;

pub use build::{build, build_sweep, profile};
pub use kernel::*;
pub use layout::{BufferSpec, Limits, PlanError, Results, Role, View};
pub use passes::{Extent, Passes, sweep_count, sweep_groups};
pub use shader::compose;
pub use split::{Budget, Part, Split, Submit};
pub use tuning::{Tile, Tuning};

use crate::model::Config;

/// Bytes between the uniforms of two parts of steps: what every device takes as offset of a uniform.
pub const UNIFORM_STRIDE: u64 = 256;

/// One dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The kernel and its arguments.
    pub operation: Operation,
    /// What it binds, one for each of [`Kernel::bindings`].
    pub views: Vec<View>,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Floating-point operations, roughly; for splitting a pass into submits.
    pub flops: u64,
}

/// One forward and backward pass, and where it is asked for the pass of tangents after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The run; of several models the deepest.
    pub config: Config,
    /// Depths of the models, from the deepest one on.
    pub depths: Vec<u32>,
    /// The buffers; a [`View`] names one by its place here.
    pub buffers: Vec<BufferSpec>,
    /// The dispatches in order, each after all those before it.
    pub steps: Vec<Step>,
    /// What the results buffer holds.
    pub results: Results,
}

impl Plan {
    /// Bytes of all buffers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(BufferSpec::bytes).sum()
    }

    /// Bytes that a device holds for a run at most: the buffers, the uniforms and what comes back.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.bytes() + UNIFORM_STRIDE * self.uniform_slots() as u64 + self.readback_bytes()
    }

    /// Uniforms that there is room for: one a step, and some for steps that are cut, of which a submit holds but a few.
    #[must_use]
    pub const fn uniform_slots(&self) -> usize {
        const CUTS: usize = 16;
        (self.steps.len() + CUTS).next_power_of_two()
    }

    /// Bytes of the results.
    #[must_use]
    pub const fn readback_bytes(&self) -> u64 {
        16 * self.results.vec4s as u64
    }

    /// The same pass with every random number changed in its last bits, where that tells what rounding leaves of the
    /// result: unbounded scores magnify every error, and what differs between the two passes is not resolved.
    #[must_use]
    pub fn shaken(&self) -> Option<Self> {
        /// The fourth bit from the end: numbers are off by 8 units in the last place, about what a block's own rounding
        /// adds.
        const BITS: u32 = 8;
        self.config.has_unbounded_scores().then(|| {
            let mut plan = self.clone();
            for step in &mut plan.steps {
                if let Operation::RandomWeights(arguments) = &mut step.operation {
                    arguments.shake = BITS;
                }
            }
            plan
        })
    }

    /// The uniform of a part of a step: offsets of its bindings in vec4s, its arguments, and the first workgroup.
    #[must_use]
    pub fn uniform(&self, part: &Part) -> Vec<u32> {
        let step = &self.steps[part.step];
        let mut words: Vec<u32> = step.views.iter().map(|view| view.at).collect();
        words.extend(step.operation.words());
        words.extend(part.first);
        words
    }
}
