//! The backward pass, of one cotangent or many.

use crate::model::{Activation, Sublayer, SublayerKind};

use super::super::layout::View;
use super::super::{
    AttentionKeyBackward, AttentionQueryBackward, MatmulBackward, Operation, QkNormBackward, ResidualBackward,
    SkipBackward,
};
use super::forward::Projections;
use super::sums::Of;
use super::{Builder, Family, attention_stride, head_stride, qk_segments};

/// Whether the gradient of what a sublayer returns is that of the stream after it.
const fn is_streams(sublayer: &Sublayer) -> bool {
    !(sublayer.sum_norm || sublayer.branch_norm || sublayer.feeds_dual || sublayer.adds_block_input)
}

impl Builder<'_> {
    /// What every step back through an addition has in common.
    pub(super) fn subtraction(&self) -> ResidualBackward {
        ResidualBackward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            branch_norm: 0,
            sum_norm: 0,
            side_mode: 0,
            keeps: 0,
        }
    }

    /// How the gradients of both paths meet below sublayer `k`, or at the end of a model; `factors` are the gain of
    /// the norm, where there is one, and the skip.
    pub(super) fn skip_arguments(&self, input_norm: bool, factors: (f64, f64), k: usize) -> SkipBackward {
        let recipe = self.config.placement.recipe();
        let is_boundary = k.is_multiple_of(self.config.sublayers_per_block());
        let adds_side = k == 0 && recipe.dual_stream || recipe.adds_block_input && is_boundary;
        SkipBackward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            input_norm: u32::from(input_norm),
            adds_side: u32::from(adds_side),
            keeps: u32::from(self.keeps.stream_gradients),
            skip: factors.1 as f32,
            gain: factors.0 as f32,
        }
    }

    /// Adds the gradient of what sublayer `k` reads to that of the stream, for some cotangents from the first one on.
    pub(super) fn skip(
        &mut self,
        arguments: SkipBackward,
        normed: Option<(View, View)>,
        k: usize,
        (first, cotangents): (u32, u32),
        partials: View,
    ) {
        let offset = first * self.rows * self.stride;
        let input_grad = self.slabs.input_grad.slab(0);
        let (y, scale) = normed.unwrap_or((input_grad, input_grad));
        let side = if arguments.adds_side == 1 { self.slabs.side_grad.slab(0) } else { input_grad };
        let kept = match arguments.keeps {
            1 => self.kept_grad(k),
            _ => self.slabs.nothing.slab(0),
        };
        let views = [input_grad, y, scale, self.slabs.grad.slab(0).after(offset), partials, side, kept];
        self.push_rows(arguments, &views, cotangents);
    }

    /// A step that takes the rows of each cotangent.
    fn push_rows(&mut self, operation: impl Into<Operation>, views: &[View], cotangents: u32) {
        let [x, ..] = self.row_workgroups();
        self.push(operation, views, [x, cotangents, 1], u64::from(cotangents) * self.row_flops());
    }

    /// `out = g W^T`, summed over the matrices of a family, for some cotangents; multiplied by slopes where they are given.
    pub(super) fn matmul_backward(
        &mut self,
        cotangents: u32,
        [g, weight, out]: [View; 3],
        slopes: Option<View>,
        family: &Family,
    ) {
        let Family { first: placed, groups, .. } = *family;
        let out_columns = placed.rows / 4;
        let factors = match (slopes, self.config.act) {
            (None, _) => 0,
            (Some(_), Activation::Relu | Activation::Gelu) => 1,
            (Some(_), Activation::SwiGlu) => 2,
        };
        let arguments = MatmulBackward {
            rows: self.rows,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            groups,
            group_stride: placed.rows * placed.columns,
            out_columns,
            factors,
        };
        let (x, y) = self.limits.tuning.product().workgroups(self.rows, out_columns);
        let views = [g, weight, slopes.unwrap_or(weight), out];
        self.push(arguments, &views, [x, y, cotangents], u64::from(cotangents) * self.matmul_flops(family));
    }

    /// From the heads down to the input: every cotangent joins at the depth of its model.
    pub(super) fn backward(&mut self) {
        let per_block = self.config.sublayers_per_block();
        self.gradient_statistics(self.config.depth);
        for k in (0..self.sublayers.len()).rev() {
            let sublayer = self.sublayers[k];
            if k % per_block == per_block - 1 {
                self.weights_of(sublayer.block);
                self.activations_of(sublayer.block);
            }
            let cotangents = self.cotangents(sublayer.block as u32 + 1);
            let branch_grad = self.addition_backward(k, cotangents);
            match sublayer.kind {
                SublayerKind::FeedForward => self.feed_forward_backward(k, branch_grad, cotangents),
                _ => self.attention_backward(k, branch_grad, cotangents),
            }
            let normed = sublayer.input_norm.then(|| (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k)));
            let arguments = self.skip_arguments(sublayer.input_norm, (sublayer.input_gain, sublayer.skip), k);
            let partials = self.partials(Of::StreamGradients, cotangents);
            self.skip(arguments, normed, k, (0, cotangents), partials);
            if k.is_multiple_of(per_block) {
                self.gradient_statistics(sublayer.block as u32);
                if (sublayer.block as u32).is_multiple_of(self.keeps.norms_at_once) {
                    self.waiting_norms();
                }
            }
        }
    }

    /// Of the gradients at a state, unless they are kept and measured together.
    fn gradient_statistics(&mut self, state: u32) {
        if !self.keeps.stream_gradients {
            let (grad, at) = (self.slabs.grad.slab(0), self.results.gradient[state as usize]);
            self.state_statistics(grad, self.cotangents(state), self.stride, at);
        }
    }

    /// The gradients of the sum and of what sublayer `k` returns; where the latter lies.
    fn addition_backward(&mut self, k: usize, cotangents: u32) -> View {
        let sublayer = self.sublayers[k];
        let grad = self.slabs.grad.slab(0);
        let side_mode = match () {
            () if sublayer.feeds_dual => 1,
            () if sublayer.adds_block_input => 2,
            () => 0,
        };
        let differs = sublayer.branch_norm || side_mode == 1;
        if is_streams(&sublayer) {
            // What the stream has is also kept, where norms wait for it or tangents follow.
            return if self.keeps.stream_gradients { self.kept_grad(k + 1) } else { grad };
        }
        let keeps = self.keeps.stream_gradients && !differs;
        let own_grad = self.branch_grad(k);
        let (_, out) = self.stream_around(k);
        let arguments = ResidualBackward {
            branch_norm: u32::from(sublayer.branch_norm),
            sum_norm: u32::from(sublayer.sum_norm),
            side_mode,
            keeps: u32::from(keeps),
            ..self.subtraction()
        };
        let branch = if sublayer.branch_norm { self.sublayer_output(k) } else { out };
        let scale = self.slabs.residual_scale.slab(k);
        let side = if side_mode == 0 { self.slabs.nothing } else { self.slabs.side_grad };
        let views = [out, branch, scale, grad, own_grad, side.slab(0)];
        self.push_rows(arguments, &views, cotangents);
        if differs || keeps { own_grad } else { grad }
    }

    /// The gradient of the stream before sublayer `k`, or after the last one.
    pub(super) fn kept_grad(&self, k: usize) -> View {
        let per_block = self.config.sublayers_per_block();
        match k % per_block {
            0 => self.slabs.kept_grad.slab(k / per_block),
            place => self.slabs.kept_middle_grad[place - 1].slab(k / per_block),
        }
    }

    /// Which slab of gradients a block takes, where they are kept for all blocks or until their norms are made.
    fn slot(&self, block: usize) -> usize {
        if self.keeps.gradients { block } else { block % self.keeps.norms_at_once as usize }
    }

    /// The gradient of what sublayer `k` returns, where it is not the stream's.
    fn branch_grad(&self, k: usize) -> View {
        let per_block = self.config.sublayers_per_block();
        self.slabs.branch_grad.slab(self.slot(k / per_block) * per_block + k % per_block)
    }

    /// The same, where it is kept.
    pub(super) fn kept_branch_grad(&self, k: usize) -> View {
        if is_streams(&self.sublayers[k]) { self.kept_grad(k + 1) } else { self.branch_grad(k) }
    }

    pub(super) fn hidden_grad(&self, block: usize) -> View {
        self.slabs.hidden_grad.slab(self.slot(block))
    }

    pub(super) fn qkv_grad(&self, attention: usize) -> View {
        let attentions = self.config.sublayers_per_block() - 1;
        self.slabs.qkv_grad.slab(self.slot(attention / attentions) * attentions + attention % attentions)
    }

    fn feed_forward_backward(&mut self, k: usize, branch_grad: View, cotangents: u32) {
        let block = self.sublayers[k].block;
        let (slopes, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let hidden_grad = self.hidden_grad(block);
        if let Some(family) = self.output_family(SublayerKind::FeedForward) {
            self.gradient_norm(activated, branch_grad, &family, cotangents);
            let views = [branch_grad, self.weight(block, &family.first), hidden_grad];
            self.matmul_backward(cotangents, views, Some(slopes), &family);
        }
        self.input_product(k, hidden_grad, cotangents);
    }

    /// Back through the first product of sublayer `k`.
    fn input_product(&mut self, k: usize, g: View, cotangents: u32) {
        let sublayer = self.sublayers[k];
        let family = self.input_family(sublayer.kind);
        self.gradient_norm(self.sublayer_input(k), g, &family, cotangents);
        let views = [g, self.weight(sublayer.block, &family.first), self.slabs.input_grad.slab(0)];
        self.matmul_backward(cotangents, views, None, &family);
    }

    fn attention_backward(&mut self, k: usize, branch_grad: View, cotangents: u32) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let block = sublayer.block;
        let mut out_grad = branch_grad;
        if let Some(family) = self.output_family(sublayer.kind) {
            out_grad = self.slabs.heads_grad.slab(0);
            if !family.first.fixed {
                self.gradient_norm(self.slabs.heads.slab(index), branch_grad, &family, cotangents);
            }
            let views = [branch_grad, self.weight(block, &family.first), out_grad];
            self.matmul_backward(cotangents, views, None, &family);
        }
        let qkv_grad = self.qkv_grad(index);
        if !self.keeps.probabilities {
            // What the heads gave stays, for it may have been normalised since; the gradients go over this.
            self.heads_forward_to(k, qkv_grad);
        }
        let grads = self.projections_of(cotangents, qkv_grad, sublayer.kind);
        self.heads_backward(k, out_grad, grads, cotangents);
        if sublayer.kind == SublayerKind::CrossAttention {
            let keys = self.memory_family();
            self.gradient_norm(self.slabs.memory.slab(0), grads.kv, &keys, cotangents);
        } else {
            self.through_qk_norm(index, block, qkv_grad, cotangents);
        }
        self.input_product(k, grads.q, cotangents);
    }

    /// Gradients or tangents of queries and keys through their norm, if they have one: `count` slabs shaped as `Qkv`,
    /// in place.
    pub(super) fn through_qk_norm(&mut self, attention: usize, block: usize, moving: View, count: u32) {
        let Some(segments) = qk_segments(self.config) else { return };
        let arguments = QkNormBackward {
            rows: self.rows,
            stride: attention_stride(self.config),
            segments: segments.count,
            segment: segments.floats,
            features: segments.features,
        };
        let views = [self.slabs.qkv.slab(attention), self.slabs.qk_scale.slab(block), moving];
        let workgroups = [(2 * self.rows * segments.count).div_ceil(32), count, 1];
        self.push(arguments, &views, workgroups, u64::from(count) * self.row_flops());
    }

    /// From the gradient of the heads' output to those of queries, keys and values.
    fn heads_backward(&mut self, k: usize, out_grad: View, grads: Projections, cotangents: u32) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let Projections { q, q_stride, kv, kv_stride } = self.projections(self.slabs.qkv.slab(index), sublayer.kind);
        let (probabilities, score_grad) = (self.probabilities(index), self.slabs.score_grad.slab(0));
        let (sequences, tokens, heads) = (self.config.batch, self.config.tokens, self.config.heads);
        let head_stride = head_stride(self.config);
        let causal = u32::from(self.config.causal.0 && sublayer.kind == SublayerKind::Attention);
        let score_scale = self.score_scale();
        let inverse = self.slabs.inverse.slab(index);
        let flops = u64::from(cotangents) * self.attention_flops();
        let arguments =
            AttentionQueryBackward { sequences, tokens, heads, head_stride, q_stride, kv_stride, causal, score_scale };
        let views = [kv, out_grad, inverse, probabilities, score_grad, grads.q];
        let [x, y, z] = self.attention_workgroups();
        self.push(arguments, &views, [x, y, cotangents * z], flops);
        let arguments = AttentionKeyBackward { sequences, tokens, heads, head_stride, q_stride, kv_stride, causal };
        let threads = tokens.div_ceil(4) * head_stride.div_ceil(2);
        let views = [q, out_grad, inverse, probabilities, score_grad, grads.kv];
        self.push(arguments, &views, [threads.div_ceil(16), heads, cotangents * sequences], flops);
    }
}
