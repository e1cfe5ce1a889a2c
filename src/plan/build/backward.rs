//! The loss and the backward pass.

use crate::model::random::GLOBAL_LAYER;
use crate::model::{SublayerKind, Tensor};

use super::super::layout::View;
use super::super::{
    AttentionKeyBackward, AttentionQueryBackward, CrossEntropy, QkNormBackward, ResidualBackward, SkipBackward,
    WeightGradientNorm,
};
use super::{Builder, Family, NAN_BITS, attention_stride, gradient_tiles, head_stride, qk_segments, unembedding};

impl Builder<'_> {
    pub(super) fn loss(&mut self) {
        let last = self.slabs.stream.slab(self.config.depth as usize);
        if self.config.has_final_norm() {
            let (out, scale) = (self.slabs.final_normed.slab(0), self.slabs.final_scale.slab(0));
            self.norm(last, out, scale);
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
        self.gradient_norm(output, logits, partials, &family, false);
        let input_grad = self.slabs.input_grad.slab(0);
        self.matmul_transposed(logits, weight, None, input_grad, &family);
        let normed =
            self.config.has_final_norm().then(|| (self.slabs.final_normed.slab(0), self.slabs.final_scale.slab(0)));
        self.skip(normed, 0.0, self.config.depth);
    }

    /// Adds the gradient of what a sublayer reads to `skip` times that of the stream. `boundary` counts block
    /// boundaries; inside a block the square sum goes where the next boundary's overwrites it.
    fn skip(&mut self, normed: Option<(View, View)>, skip: f64, boundary: u32) {
        let input_grad = self.slabs.input_grad.slab(0);
        let arguments = SkipBackward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            input_norm: u32::from(normed.is_some()),
            skip: skip as f32,
        };
        let (y, scale) = normed.unwrap_or((input_grad, input_grad));
        let partials = self.slabs.stream_grad_partials.slab(0).after(boundary * self.rows);
        let views = [input_grad, y, scale, self.slabs.grad.slab(0), partials];
        self.push(arguments, &views, self.row_workgroups(), self.row_flops());
    }

    /// Square sums of `X^T G` for the matrices of a family, `x` and `g` their inputs and output gradients. `keys` tells
    /// that the second one's gradients sum to zero over a sequence.
    fn gradient_norm(&mut self, x: View, g: View, partials: View, family: &Family, keys: bool) {
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
            centred: if keys { 1 } else { u32::MAX },
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
        for k in (0..self.sublayers.len()).rev() {
            let sublayer = self.sublayers[k];
            if sublayer.kind == SublayerKind::FeedForward && !self.keeps.weights {
                self.block_weights(sublayer.block as u32, 1);
            }
            let grad = self.slabs.grad.slab(0);
            let branch_grad = if sublayer.branch_norm { self.slabs.branch_grad.slab(0) } else { grad };
            if sublayer.sum_norm || sublayer.branch_norm {
                let (_, out) = self.stream_around(k);
                let arguments = ResidualBackward {
                    rows: self.rows,
                    width: self.config.width,
                    stride: self.stride,
                    kind: self.kind(),
                    branch_norm: u32::from(sublayer.branch_norm),
                    sum_norm: u32::from(sublayer.sum_norm),
                };
                let branch = if sublayer.branch_norm { self.sublayer_output(k) } else { out };
                let scale = self.slabs.residual_scale.slab(k);
                let views = [out, branch, scale, grad, self.slabs.branch_grad.slab(0)];
                self.push(arguments, &views, self.row_workgroups(), self.row_flops());
            }
            match sublayer.kind {
                SublayerKind::Attention => self.attention_backward(k, branch_grad),
                SublayerKind::CrossAttention => unimplemented!(),
                SublayerKind::FeedForward => self.feed_forward_backward(k, branch_grad),
            }
            let normed = sublayer.input_norm.then(|| (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k)));
            self.skip(normed, sublayer.skip, sublayer.block as u32);
        }
    }

    /// Where the square sums of a family in a block go.
    fn gradient_partials(&self, family: &Family, block: usize) -> View {
        let (x, y) = gradient_tiles(self.limits.tuning, &family.first);
        self.slabs.weight_grad_partials[family.index].slab(0).after(block as u32 * family.groups * x * y)
    }

    /// The last product of a sublayer: its gradient's norm.
    fn output_gradient_norm(&mut self, x: View, g: View, family: &Family, block: usize) {
        self.gradient_norm(x, g, self.gradient_partials(family, block), family, false);
    }

    fn feed_forward_backward(&mut self, k: usize, branch_grad: View) {
        let block = self.sublayers[k].block;
        let (hidden, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let hidden_grad = self.slabs.hidden_grad.slab(0);
        if let Some(family) = self.output_family(SublayerKind::FeedForward) {
            self.output_gradient_norm(activated, branch_grad, &family, block);
            let weight = self.weight(block, &family.first);
            self.matmul_transposed(branch_grad, weight, Some(hidden), hidden_grad, &family);
        }
        let family = self.input_family(SublayerKind::FeedForward);
        let (x, weight) = (self.sublayer_input(k), self.weight(block, &family.first));
        self.gradient_norm(x, hidden_grad, self.gradient_partials(&family, block), &family, false);
        self.matmul_transposed(hidden_grad, weight, None, self.slabs.input_grad.slab(0), &family);
    }

    fn attention_backward(&mut self, k: usize, branch_grad: View) {
        let block = self.sublayers[k].block;
        let mut out_grad = branch_grad;
        if let Some(family) = self.output_family(SublayerKind::Attention) {
            if !family.first.fixed {
                self.output_gradient_norm(self.slabs.heads.slab(block), branch_grad, &family, block);
            }
            out_grad = self.slabs.heads_grad.slab(0);
            self.matmul_transposed(branch_grad, self.weight(block, &family.first), None, out_grad, &family);
        }
        if !self.keeps.probabilities {
            self.heads_forward(block);
        }
        let (qkv, qkv_grad) = (self.slabs.qkv.slab(block), self.slabs.qkv_grad.slab(0));
        let (probabilities, score_grad) = (self.probabilities(block), self.slabs.score_grad.slab(0));
        let (tokens, batch, heads) = (self.config.tokens, self.config.batch, self.config.heads);
        let (head_stride, causal) = (head_stride(self.config), u32::from(self.config.causal.0));
        let part = attention_stride(self.config);
        let (q_stride, kv_stride) = (3 * part, 3 * part);
        let score_scale = self.score_scale();
        let arguments = AttentionQueryBackward { tokens, heads, head_stride, q_stride, kv_stride, causal, score_scale };
        let inverse = self.slabs.inverse.slab(block);
        let views = [qkv.after(part), out_grad, inverse, probabilities, score_grad, qkv_grad];
        self.push(arguments, &views, self.attention_workgroups(), self.attention_flops());
        let arguments = AttentionKeyBackward { tokens, heads, head_stride, q_stride, kv_stride, causal };
        let threads = tokens.div_ceil(4) * head_stride.div_ceil(2);
        let views = [qkv, out_grad, probabilities, score_grad, qkv_grad.after(part)];
        self.push(arguments, &views, [threads.div_ceil(16), heads, batch], self.attention_flops());
        let segments = qk_segments(self.config);
        if let Some(segments) = segments {
            let arguments = QkNormBackward {
                rows: self.rows,
                stride: part,
                segments: segments.count,
                segment: segments.floats,
                features: segments.features,
            };
            let views = [qkv, self.slabs.qk_scale.slab(block), qkv_grad];
            self.push(arguments, &views, [(2 * self.rows * segments.count).div_ceil(32), 1, 1], self.row_flops());
        }
        let family = self.input_family(SublayerKind::Attention);
        let (x, weight) = (self.sublayer_input(k), self.weight(block, &family.first));
        // Past a norm of its own, a key's gradient no longer sums to zero over the tokens.
        let keys = segments.is_none();
        self.gradient_norm(x, qkv_grad, self.gradient_partials(&family, block), &family, keys);
        self.matmul_transposed(qkv_grad, weight, None, self.slabs.input_grad.slab(0), &family);
    }
}
