//! The loss and the backward pass.

use crate::model::random::GLOBAL_LAYER;
use crate::model::{SublayerKind, Tensor};

use super::super::layout::View;
use super::super::{
    AttentionKeyBackward, AttentionQueryBackward, CrossEntropy, QkNormBackward, ResidualBackward, ResidualForward,
    SkipBackward, WeightGradientNorm,
};
use super::forward::Projections;
use super::{Builder, Family, NAN_BITS, attention_stride, gradient_tiles, head_stride, qk_segments, unembedding};

impl Builder<'_> {
    pub(super) fn loss(&mut self) {
        let last = self.slabs.stream.slab(self.config.depth as usize);
        let is_dual = self.config.placement.recipe().dual_stream;
        let (normed, scale) = (self.slabs.final_normed.slab(0), self.slabs.final_scale.slab(0));
        if self.config.has_final_norm() {
            self.norm(self.kind(), 1.0, last, normed, scale);
        } else if is_dual {
            let arguments = ResidualForward { branch_norm: 1, ..self.addition() };
            self.add(arguments, [last, self.slabs.side.slab(0), normed, scale], self.sublayers.len());
        }
        let (output, logits) = (self.output(), self.slabs.logits.slab(0));
        let weight = self.slabs.unembedding.slab(0);
        let family = Family { index: 0, first: unembedding(self.config), groups: 1 };
        self.matmul(output, weight, logits, &family);
        let arguments = CrossEntropy {
            rows: self.rows,
            classes: self.config.vocab,
            stride: family.first.columns,
            tensor: Tensor::Targets.id(),
            layer: GLOBAL_LAYER,
            seed: self.config.seed,
            nan_bits: NAN_BITS,
        };
        let partials = self.slabs.loss_partials.slab(0);
        let flops = 40 * u64::from(self.rows) * u64::from(self.config.vocab);
        self.push(arguments, &[logits, partials], [self.rows.div_ceil(16), 1, 1], flops);
        let partials = self.slabs.unembedding_grad_partials.slab(0);
        self.gradient_norm(output, logits, partials, &family);
        let input_grad = self.slabs.input_grad.slab(0);
        self.matmul_transposed(logits, weight, None, input_grad, &family);
        let normed = self.config.has_final_norm().then_some((normed, scale));
        self.skip(normed, 1.0, 0.0, self.sublayers.len());
        if is_dual {
            // The norm of the second stream is all there is between it and the output.
            let arguments = ResidualBackward { branch_norm: 1, ..self.subtraction() };
            let (side, side_grad) = (self.slabs.side.slab(0), self.slabs.side_grad.slab(0));
            let views = [side, side, scale, self.slabs.grad.slab(0), side_grad, self.slabs.nothing.slab(0)];
            self.push(arguments, &views, self.row_workgroups(), self.row_flops());
        }
    }

    /// What every step back through an addition has in common.
    fn subtraction(&self) -> ResidualBackward {
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

    /// Adds the gradient of what sublayer `k` reads to `skip` times that of the stream; `k` may be one past the last.
    fn skip(&mut self, normed: Option<(View, View)>, gain: f64, skip: f64, k: usize) {
        let input_grad = self.slabs.input_grad.slab(0);
        let per_block = self.config.sublayers_per_block();
        let recipe = self.config.placement.recipe();
        let is_boundary = k.is_multiple_of(per_block);
        let adds_side =
            k == 0 && recipe.dual_stream || recipe.adds_block_input && is_boundary && k < self.sublayers.len();
        let arguments = SkipBackward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            input_norm: u32::from(normed.is_some()),
            adds_side: u32::from(adds_side),
            keeps: u32::from(is_boundary),
            skip: skip as f32,
            gain: gain as f32,
        };
        let (y, scale) = normed.unwrap_or((input_grad, input_grad));
        let partials = self.slabs.stream_grad_partials.slab(0).after(k as u32 * self.rows);
        let side = if adds_side { self.slabs.side_grad.slab(0) } else { input_grad };
        let kept = if is_boundary { self.slabs.kept_grad.slab(k / per_block) } else { self.slabs.nothing.slab(0) };
        let views = [input_grad, y, scale, self.slabs.grad.slab(0), partials, side, kept];
        self.push(arguments, &views, self.row_workgroups(), self.row_flops());
    }

    /// Square sums of `X^T G` for the matrices of a family, `x` and `g` their inputs and output gradients.
    fn gradient_norm(&mut self, x: View, g: View, partials: View, family: &Family) {
        let Family { first: placed, groups, .. } = *family;
        let tuning = self.limits.tuning;
        let (tiles_x, tiles_y) = gradient_tiles(tuning, &placed);
        let (tile_rows, tile_columns) = tuning.gradient_partial();
        let arguments = WeightGradientNorm {
            sequences: self.config.batch,
            tokens: self.config.tokens,
            x_stride: placed.rows / 4,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            centred: self.keys_in(family).unwrap_or(u32::MAX),
            tiles_x,
            tiles_y,
            tile_columns,
            tile_rows,
        };
        let flops = self.matmul_flops(family);
        let (workgroups_x, workgroups_y) = tuning.gradient().workgroups(placed.rows / 4, placed.columns);
        self.push(arguments, &[x, g, partials], [workgroups_x, workgroups_y, groups], flops);
    }

    pub(super) fn backward(&mut self) {
        let per_block = self.config.sublayers_per_block();
        for k in (0..self.sublayers.len()).rev() {
            let sublayer = self.sublayers[k];
            if k % per_block == per_block - 1 && !self.keeps.weights {
                self.block_weights(sublayer.block as u32, 1);
            }
            let grad = self.slabs.grad.slab(0);
            let side_mode = match () {
                () if sublayer.feeds_dual => 1,
                () if sublayer.adds_block_input => 2,
                () => 0,
            };
            let differs = sublayer.branch_norm || side_mode == 1;
            let keeps = self.keeps.gradients && !differs;
            let own_grad = self.branch_grad(k);
            let branch_grad = if differs || keeps { own_grad } else { grad };
            if sublayer.sum_norm || sublayer.branch_norm || side_mode > 0 || keeps {
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
                self.push(arguments, &views, self.row_workgroups(), self.row_flops());
            }
            match sublayer.kind {
                SublayerKind::FeedForward => self.feed_forward_backward(k, branch_grad),
                _ => self.attention_backward(k, branch_grad),
            }
            let normed = sublayer.input_norm.then(|| (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k)));
            self.skip(normed, sublayer.input_gain, sublayer.skip, k);
        }
    }

    /// The gradient of what sublayer `k` returns, where it is written or kept.
    pub(super) fn branch_grad(&self, k: usize) -> View {
        self.slabs.branch_grad.slab(if self.keeps.gradients { k } else { 0 })
    }

    pub(super) fn hidden_grad(&self, block: usize) -> View {
        self.slabs.hidden_grad.slab(if self.keeps.gradients { block } else { 0 })
    }

    pub(super) fn qkv_grad(&self, attention: usize) -> View {
        self.slabs.qkv_grad.slab(if self.keeps.gradients { attention } else { 0 })
    }

    /// Where the square sums of a family in a block go.
    fn gradient_partials(&self, family: &Family, block: usize) -> View {
        let (x, y) = gradient_tiles(self.limits.tuning, &family.first);
        self.slabs.weight_grad_partials[family.index].slab(0).after(block as u32 * family.groups * x * y)
    }

    /// The last product of a sublayer: its gradient's norm.
    fn output_gradient_norm(&mut self, x: View, g: View, family: &Family, block: usize) {
        self.gradient_norm(x, g, self.gradient_partials(family, block), family);
    }

    fn feed_forward_backward(&mut self, k: usize, branch_grad: View) {
        let block = self.sublayers[k].block;
        let (hidden, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let hidden_grad = self.hidden_grad(block);
        if let Some(family) = self.output_family(SublayerKind::FeedForward) {
            self.output_gradient_norm(activated, branch_grad, &family, block);
            let weight = self.weight(block, &family.first);
            self.matmul_transposed(branch_grad, weight, Some(hidden), hidden_grad, &family);
        }
        let family = self.input_family(SublayerKind::FeedForward);
        let (x, weight) = (self.sublayer_input(k), self.weight(block, &family.first));
        self.gradient_norm(x, hidden_grad, self.gradient_partials(&family, block), &family);
        self.matmul_transposed(hidden_grad, weight, None, self.slabs.input_grad.slab(0), &family);
    }

    fn attention_backward(&mut self, k: usize, branch_grad: View) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let block = sublayer.block;
        let mut out_grad = branch_grad;
        if let Some(family) = self.output_family(sublayer.kind) {
            if !family.first.fixed {
                self.output_gradient_norm(self.slabs.heads.slab(index), branch_grad, &family, block);
            }
            out_grad = self.slabs.heads_grad.slab(0);
            self.matmul_transposed(branch_grad, self.weight(block, &family.first), None, out_grad, &family);
        }
        let qkv_grad = self.qkv_grad(index);
        if !self.keeps.probabilities {
            // What the heads gave stays, for it may have been normalised since; the gradients go over this.
            self.heads_forward(k, qkv_grad);
        }
        let grads = self.projections(qkv_grad, sublayer.kind);
        self.heads_backward(k, out_grad, grads);
        let input_grad = self.slabs.input_grad.slab(0);
        let x = self.sublayer_input(k);
        let family = self.input_family(sublayer.kind);
        let (weight, partials) = (self.weight(block, &family.first), self.gradient_partials(&family, block));
        if sublayer.kind == SublayerKind::CrossAttention {
            self.gradient_norm(x, grads.q, partials, &family);
            self.matmul_transposed(grads.q, weight, None, input_grad, &family);
            let keys = self.memory_family();
            let partials = self.gradient_partials(&keys, block);
            self.gradient_norm(self.slabs.memory.slab(0), grads.kv, partials, &keys);
            return;
        }
        self.through_qk_norm(index, block, qkv_grad, 1);
        self.gradient_norm(x, grads.q, partials, &family);
        self.matmul_transposed(grads.q, weight, None, input_grad, &family);
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
    fn heads_backward(&mut self, k: usize, out_grad: View, grads: Projections) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let Projections { q, q_stride, kv, kv_stride } = self.projections(self.slabs.qkv.slab(index), sublayer.kind);
        let (probabilities, score_grad) = (self.probabilities(index), self.slabs.score_grad.slab(0));
        let (tokens, batch, heads) = (self.config.tokens, self.config.batch, self.config.heads);
        let head_stride = head_stride(self.config);
        let causal = u32::from(self.config.causal.0 && sublayer.kind == SublayerKind::Attention);
        let score_scale = self.score_scale();
        let arguments = AttentionQueryBackward { tokens, heads, head_stride, q_stride, kv_stride, causal, score_scale };
        let inverse = self.slabs.inverse.slab(index);
        let views = [kv, out_grad, inverse, probabilities, score_grad, grads.q];
        self.push(arguments, &views, self.attention_workgroups(), self.attention_flops());
        let arguments = AttentionKeyBackward { tokens, heads, head_stride, q_stride, kv_stride, causal };
        let threads = tokens.div_ceil(4) * head_stride.div_ceil(2);
        let views = [q, out_grad, probabilities, score_grad, grads.kv];
        self.push(arguments, &views, [threads.div_ceil(16), heads, batch], self.attention_flops());
    }
}
