//! From the end of a model to the gradient of its last state.

use crate::model::random::GLOBAL_LAYER;
use crate::model::{Config, Tensor};

use super::super::layout::View;
use super::super::{CrossEntropy, ResidualBackward, SkipBackward};
use super::gram::NormCut;
use super::{Builder, Family, NAN_BITS, unembedding};

impl Builder<'_> {
    /// The head on the model of that many blocks: its loss, and where the pass goes on its cotangent.
    pub(super) fn head(&mut self, depth: u32) {
        let Some(cotangent) = self.depths.iter().position(|&known| known == depth) else { return };
        let cotangent = cotangent as u32;
        let last = self.slabs.stream.slab(depth as usize);
        let is_dual = self.config.placement.recipe().dual_stream;
        let (normed, scale) = (self.slabs.final_normed.slab(0), self.slabs.final_scale.slab(0));
        if self.config.has_final_norm() {
            self.norm(self.kind(), 1.0, last, normed, scale);
        } else if is_dual {
            // Not in place: the blocks that follow in a deeper model go on with it.
            let side = self.slabs.final_side.slab(0);
            self.norm(self.kind(), 1.0, self.slabs.side.slab(0), side, scale);
            self.add(self.addition(), [last, side, normed, scale], self.sublayers.len());
        }
        let (output, logits) = (self.output(depth), self.slabs.logits.slab(0));
        let weight = self.slabs.unembedding.slab(0);
        let family = Family { index: 0, first: unembedding(self.config), groups: 1 };
        self.matmul(output, weight, logits, &family);
        let partials = self.slabs.loss_partials.slab(0).after(cotangent * self.rows);
        self.cross_entropy(logits, partials, family.first.columns);
        let partials = NormCut::direct(self.limits.tuning, &family.first).partials();
        let partials = self.slabs.unembedding_grad_partials.slab(0).after(cotangent * partials);
        self.unembedding_norm(output, logits, partials, &family);
        self.matmul_backward(1, [logits, weight, self.slabs.input_grad.slab(0)], None, &family);
        let normed = self.config.has_final_norm().then_some((normed, scale));
        let states = self.config.sublayers_per_block() * depth as usize;
        let partials = self.slabs.head_grad_partials.slab(0).after(cotangent * self.rows);
        let arguments = SkipBackward { adds_side: 0, ..self.skip_arguments(normed.is_some(), (1.0, 0.0), states) };
        self.skip(arguments, normed, states, (cotangent, 1), partials);
        if is_dual {
            // The norm of the second stream is all there is between it and the output.
            let arguments = ResidualBackward { branch_norm: 1, ..self.subtraction() };
            let offset = cotangent * self.rows * self.stride;
            let side = self.slabs.final_side.slab(0);
            let (grad, side_grad) = (self.slabs.grad.slab(0), self.slabs.side_grad.slab(0));
            let nothing = self.slabs.nothing.slab(0);
            let views = [side, side, scale, grad.after(offset), side_grad.after(offset), nothing];
            self.push(arguments, &views, self.row_workgroups(), self.row_flops());
        }
    }

    fn cross_entropy(&mut self, logits: View, partials: View, stride: u32) {
        let Config { vocab: classes, seed, .. } = *self.config;
        let arguments = CrossEntropy {
            rows: self.rows,
            classes,
            stride,
            tensor: Tensor::Targets.id(),
            layer: GLOBAL_LAYER,
            seed,
            nan_bits: NAN_BITS,
        };
        let flops = 40 * u64::from(self.rows) * u64::from(classes);
        self.push(arguments, &[logits, partials], [self.rows.div_ceil(16), 1, 1], flops);
    }

    /// What the un-embedding of a model of that many blocks reads.
    pub(super) fn output(&self, depth: u32) -> View {
        if self.config.has_final_norm() || self.config.placement.recipe().dual_stream {
            self.slabs.final_normed.slab(0)
        } else {
            self.slabs.stream.slab(depth as usize)
        }
    }
}
