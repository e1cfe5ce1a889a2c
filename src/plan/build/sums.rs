//! Square sums on their way to the results: partial ones are appended to a buffer, and added up before it is full.

use super::super::ReduceSquareSums;
use super::super::layout::View;
use super::slabs::Slabs;
use super::{Builder, Tuning};

/// Outputs of one kind, in the order in which the steps make them.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    partials: Slabs,
    /// Partial sums of one output.
    count: u32,
    /// Outputs that the buffer holds.
    capacity: u32,
    /// Where the next outputs to be added up go in the results.
    next: u32,
    /// Outputs whose partial sums lie in the buffer.
    pending: u32,
}

impl Sums {
    /// Partial sums of `count` to an output in slabs of `capacity` outputs; the first result goes to `next`.
    pub(super) const fn new(partials: Slabs, count: u32, next: u32) -> Self {
        Self { partials, count, capacity: partials.slab_vec4s / count, next, pending: 0 }
    }
}

/// vec4s of the buffer for the partial sums of some outputs, of which `at_once` are made by one step.
pub(super) fn partial_vec4s(outputs: u32, at_once: u32, count: u32) -> u32 {
    /// 4 MiB: adding up is cheap, but a dispatch.
    const VEC4S: u32 = 1 << 18;
    /// Workgroups that every device takes in one dimension; each makes one output.
    const OUTPUTS: u32 = 65_535;
    count * outputs.min((VEC4S / count).min(OUTPUTS).max(at_once))
}

/// Which square sums.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// Of the stream's gradients below each sublayer.
    StreamGradients,
    /// Of the gradients of a family's matrices.
    WeightGradients(usize),
}

impl Builder<'_> {
    fn sums(&mut self, of: Of) -> &mut Sums {
        match of {
            Of::StreamGradients => &mut self.stream_gradients,
            Of::WeightGradients(family) => &mut self.weight_gradients[family],
        }
    }

    /// Where the partial sums of the next outputs go.
    pub(super) fn partials(&mut self, of: Of, outputs: u32) -> View {
        if self.sums(of).pending + outputs > self.sums(of).capacity {
            self.add_up(of);
        }
        let sums = self.sums(of);
        let view = sums.partials.slab(0).after(sums.pending * sums.count);
        sums.pending += outputs;
        view
    }

    /// Adds up what is pending.
    pub(super) fn add_up(&mut self, of: Of) {
        let Sums { partials, count, next, pending, .. } = *self.sums(of);
        if pending > 0 {
            self.reduce(partials.slab(0), next, pending, count);
            let sums = self.sums(of);
            (sums.next, sums.pending) = (next + pending, 0);
        }
    }

    /// Adds up `outputs` sums of `count` partial ones.
    pub(super) fn reduce(&mut self, partials: View, at: u32, outputs: u32, count: u32) {
        /// Outputs of a workgroup on a processor.
        const OUTPUTS: u32 = 32;
        let results = View { buffer: self.results.buffer, at };
        let flops = 4 * u64::from(outputs) * u64::from(count);
        let workgroups = match self.limits.tuning {
            Tuning::Graphics => outputs,
            Tuning::Processor => outputs.div_ceil(OUTPUTS),
        };
        self.push(ReduceSquareSums { count, outputs }, &[partials, results], [workgroups, 1, 1], flops);
    }
}
