//! The backward pass, of one cotangent or many.

use crate::model::{Activation, SublayerKind};

use super::super::layout::View;
use super::super::{
    AttentionKeyBackward, AttentionQueryBackward, Operation, ProductBackward, QkNormBackward, ResidualBackward,
    SkipBackward,
};
use super::forward::Projections;
use super::sums::Of;
use super::{Builder, Family, attention_stride, gradient_tiles, head_stride, qk_segments};

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
            keeps: u32::from(is_boundary && self.keeps.stream_gradients),
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
            1 => self.slabs.kept_grad.slab(k / self.config.sublayers_per_block()),
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

    /// The square sums of `X^T G` for the matrices of a family, and the gradient of x: `x` and `g` are their inputs and
    /// output gradients, the square sums go to `partials`, and `back` is the weights and where that gradient goes.
    pub(super) fn product_backward(
        &mut self,
        [x, g]: [View; 2],
        partials: Option<View>,
        back: Option<(View, View)>,
        family: &Family,
    ) {
        self.product_backward_of(1, [x, g], partials, back.map(|(weight, out)| (weight, None, out)), family);
    }

    /// The same for some cotangents, with the slopes that the gradient of x is multiplied by.
    fn product_backward_of(
        &mut self,
        cotangents: u32,
        [x, g]: [View; 2],
        partials: Option<View>,
        back: Option<(View, Option<View>, View)>,
        family: &Family,
    ) {
        let Family { first: placed, groups, .. } = *family;
        let tuning = self.limits.tuning;
        let (tiles_x, tiles_y) = gradient_tiles(tuning, &placed);
        let (tile_rows, tile_columns) = tuning.gradient_partial();
        let x_stride = placed.rows / 4;
        let (norms_x, norms_y) = tuning.gradient().workgroups(x_stride, placed.columns);
        let norms = partials.map_or(0, |_| groups * norms_x * norms_y);
        let (products_x, products_y) = tuning.product().workgroups(self.rows, x_stride);
        let products = back.map_or(0, |_| products_x * products_y);
        let factors = match (back, self.config.act) {
            (None | Some((_, None, _)), _) => 0,
            (Some(_), Activation::Relu | Activation::Gelu) => 1,
            (Some(_), Activation::SwiGlu) => 2,
        };
        let arguments = ProductBackward {
            sequences: self.config.batch,
            tokens: self.config.tokens,
            x_stride,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            groups,
            group_stride: placed.rows * placed.columns,
            centred: self.keys_in(family).unwrap_or(u32::MAX),
            factors,
            tiles_x,
            tiles_y,
            tile_columns,
            tile_rows,
            norms,
            norms_x,
            norms_y,
            products_x,
        };
        let roles = u64::from(norms > 0) + u64::from(products > 0);
        let flops = u64::from(cotangents) * roles * self.matmul_flops(family);
        let (weight, slopes, out) = back.unwrap_or((x, None, self.slabs.nothing.slab(0)));
        let partials = partials.unwrap_or(self.slabs.no_sums.slab(0));
        let views = [x, g, weight, slopes.unwrap_or(weight), out, partials];
        self.push(arguments, &views, [norms + products, cotangents, 1], flops);
    }

    /// From the heads down to the input: every cotangent joins at the depth of its model.
    pub(super) fn backward(&mut self) {
        let per_block = self.config.sublayers_per_block();
        self.gradient_statistics(self.config.depth);
        for k in (0..self.sublayers.len()).rev() {
            let sublayer = self.sublayers[k];
            if k % per_block == per_block - 1 && !self.keeps.weights {
                self.block_weights(sublayer.block as u32, 1);
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
        let keeps = self.keeps.gradients && !differs;
        let own_grad = self.branch_grad(k);
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
            self.push_rows(arguments, &views, cotangents);
        }
        if differs || keeps { own_grad } else { grad }
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

    /// Where the square sums of a family's gradients in one block go.
    fn gradient_partials(&mut self, family: &Family, cotangents: u32) -> View {
        self.partials(Of::WeightGradients(family.index), cotangents * family.groups)
    }

    fn feed_forward_backward(&mut self, k: usize, branch_grad: View, cotangents: u32) {
        let block = self.sublayers[k].block;
        let (slopes, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let hidden_grad = self.hidden_grad(block);
        if let Some(family) = self.output_family(SublayerKind::FeedForward) {
            let back = (self.weight(block, &family.first), Some(slopes), hidden_grad);
            let partials = self.gradient_partials(&family, cotangents);
            self.product_backward_of(cotangents, [activated, branch_grad], Some(partials), Some(back), &family);
        }
        self.input_product_backward(k, hidden_grad, cotangents);
    }

    /// Back through the first product of sublayer `k`.
    fn input_product_backward(&mut self, k: usize, g: View, cotangents: u32) {
        let sublayer = self.sublayers[k];
        let family = self.input_family(sublayer.kind);
        let back = (self.weight(sublayer.block, &family.first), None, self.slabs.input_grad.slab(0));
        let partials = self.gradient_partials(&family, cotangents);
        self.product_backward_of(cotangents, [self.sublayer_input(k), g], Some(partials), Some(back), &family);
    }

    fn attention_backward(&mut self, k: usize, branch_grad: View, cotangents: u32) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let block = sublayer.block;
        let mut out_grad = branch_grad;
        if let Some(family) = self.output_family(sublayer.kind) {
            out_grad = self.slabs.heads_grad.slab(0);
            let back = (self.weight(block, &family.first), None, out_grad);
            let partials = (!family.first.fixed).then(|| self.gradient_partials(&family, cotangents));
            let heads = self.slabs.heads.slab(index);
            self.product_backward_of(cotangents, [heads, branch_grad], partials, Some(back), &family);
        }
        let qkv_grad = self.qkv_grad(index);
        if !self.keeps.probabilities {
            // What the heads gave stays, for it may have been normalised since; the gradients go over this.
            self.heads_forward(k, qkv_grad);
        }
        let grads = self.projections_of(cotangents, qkv_grad, sublayer.kind);
        self.heads_backward(k, out_grad, grads, cotangents);
        if sublayer.kind == SublayerKind::CrossAttention {
            let keys = self.memory_family();
            let partials = self.gradient_partials(&keys, cotangents);
            self.product_backward_of(cotangents, [self.slabs.memory.slab(0), grads.kv], Some(partials), None, &keys);
        } else {
            self.through_qk_norm(index, block, qkv_grad, cotangents);
        }
        self.input_product_backward(k, grads.q, cotangents);
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
        let arguments = AttentionQueryBackward {
            sequences,
            tokens,
            heads,
            head_stride,
            q_stride,
            kv_stride,
            causal,
            score_scale,
        };
        let views = [kv, out_grad, inverse, probabilities, score_grad, grads.q];
        let [x, y, z] = self.attention_workgroups();
        self.push(arguments, &views, [x, y, cotangents * z], flops);
        let arguments =
            AttentionKeyBackward { sequences, tokens, heads, head_stride, q_stride, kv_stride, causal };
        let threads = tokens.div_ceil(4) * head_stride.div_ceil(2);
        let views = [q, out_grad, inverse, probabilities, score_grad, grads.kv];
        self.push(arguments, &views, [threads.div_ceil(16), heads, cotangents * sequences], flops);
    }
}
