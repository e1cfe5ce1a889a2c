//! The pass of tangents: how the logits move where every layer matrix moves along its gradient, and along its sign.
//! Both directions are carried side by side, and nothing moves that comes before the first matrix.

use crate::model::SublayerKind;

use super::super::layout::View;
use super::super::{ActivationTangent, AttentionTangent, MatmulTangent, NormTangent, ResidualTangent, WeightGradient};
use super::forward::Projections;
use super::{Builder, DIRECTIONS, Family, head_stride, unembedding, vec4s};

impl Builder<'_> {
    pub(super) fn tangent(&mut self) {
        let stream = self.slabs.stream_tangent.slab(0);
        for k in 0..self.sublayers.len() {
            let sublayer = self.sublayers[k];
            if k.is_multiple_of(self.config.sublayers_per_block()) {
                self.weights_of(sublayer.block);
                self.activations_of(sublayer.block);
            }
            let moving = (k > 0).then_some(stream).map(|stream| {
                if !sublayer.input_norm {
                    return stream;
                }
                let (normed, scale) = (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k));
                self.norm_tangent(stream, normed, scale, sublayer.input_gain)
            });
            match sublayer.kind {
                SublayerKind::Attention => self.attention_tangent(k, moving),
                SublayerKind::CrossAttention => self.cross_attention_tangent(k, moving),
                SublayerKind::FeedForward => self.feed_forward_tangent(k, moving),
            }
            let (_, out) = self.stream_around(k);
            let arguments = ResidualTangent {
                branch_norm: u32::from(sublayer.branch_norm),
                sum_norm: u32::from(sublayer.sum_norm),
                side_mode: self.side_mode(k),
                skip: if k > 0 { sublayer.skip as f32 } else { 0.0 },
                ..self.sum()
            };
            let branch = if sublayer.branch_norm { self.sublayer_output(k) } else { out };
            let views = [out, branch, self.slabs.residual_scale.slab(k), self.branch_tangent(sublayer.kind)];
            self.add_tangents(arguments, views);
        }
        self.logits_tangent(stream);
    }

    /// What every addition of tangents has in common.
    fn sum(&self) -> ResidualTangent {
        ResidualTangent {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            branch_norm: 0,
            sum_norm: 0,
            side_mode: 0,
            skip: 1.0,
        }
    }

    /// `views` are the sum, the branch, their scales and the tangent of the branch.
    fn add_tangents(&mut self, arguments: ResidualTangent, [out, branch, scale, moving]: [View; 4]) {
        let side = if arguments.side_mode == 0 { self.slabs.nothing } else { self.slabs.side_tangent };
        let views = [out, branch, scale, moving, self.slabs.stream_tangent.slab(0), side.slab(0)];
        self.push(arguments, &views, self.moving_row_workgroups(), self.moving_row_flops());
    }

    fn moving_row_workgroups(&self) -> [u32; 3] {
        let [x, ..] = self.row_workgroups();
        [x, DIRECTIONS, 1]
    }

    fn moving_row_flops(&self) -> u64 {
        u64::from(DIRECTIONS) * self.row_flops()
    }

    /// From the tangent of what a norm reads to that of what it gives.
    fn norm_tangent(&mut self, tangent: View, normed: View, scale: View, gain: f64) -> View {
        let out = self.slabs.normed_tangent.slab(0);
        let arguments = NormTangent {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            gain: gain as f32,
        };
        let views = [tangent, normed, scale, out];
        self.push(arguments, &views, self.moving_row_workgroups(), self.moving_row_flops());
        out
    }

    /// Where the tangent of what a sublayer returns lies.
    fn branch_tangent(&self, kind: SublayerKind) -> View {
        match self.output_family(kind) {
            Some(_) => self.slabs.branch_tangent.slab(0),
            None => self.slabs.heads_tangent.slab(0),
        }
    }

    /// The tangent of the product of a family in a block: `x` and `g` are its inputs and output gradients, `moving` the
    /// tangent of `x`, if it has one.
    fn product_tangent(&mut self, [x, g, out]: [View; 3], moving: Option<View>, family: &Family, block: usize) {
        let Family { first: placed, groups, .. } = *family;
        let weight = self.weight(block, &placed);
        if placed.fixed {
            let moving = moving.expect("only what moves is projected by no parameter");
            self.matmul_rows(DIRECTIONS * self.rows, [moving, weight, out], None, family);
            return;
        }
        let gradient = self.slabs.weight_grad.slab(0);
        let arguments = WeightGradient {
            sequences: self.config.batch,
            tokens: self.config.tokens,
            x_stride: placed.rows / 4,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            group_stride: placed.rows * placed.columns,
            centred: self.keys_in(family).unwrap_or(u32::MAX),
        };
        let (workgroups_x, workgroups_y) = self.limits.tuning.gradient().workgroups(placed.rows / 4, placed.columns);
        let flops = self.matmul_flops(family);
        self.push(arguments, &[x, g, gradient], [workgroups_x, workgroups_y, groups], flops);
        let columns = placed.columns * groups;
        let arguments = MatmulTangent {
            rows: self.rows,
            inner: placed.rows / 4,
            columns,
            group_columns: placed.columns,
            group_stride: placed.rows * placed.columns,
            moves: u32::from(moving.is_some()),
        };
        let (workgroups_x, workgroups_y) = self.limits.tuning.product().workgroups(self.rows, columns);
        let views = [moving.unwrap_or(x), weight, x, gradient, out];
        let flops = u64::from(DIRECTIONS) * 2 * flops;
        self.push(arguments, &views, [workgroups_x, workgroups_y, DIRECTIONS], flops);
    }

    fn attention_tangent(&mut self, k: usize, moving: Option<View>) {
        let (index, block) = (self.attention_index(k), self.sublayers[k].block);
        let family = self.input_family(SublayerKind::Attention);
        let tangent = self.slabs.qkv_tangent.slab(0);
        self.product_tangent([self.sublayer_input(k), self.qkv_grad(index), tangent], moving, &family, block);
        self.through_qk_norm(index, block, tangent, DIRECTIONS);
        self.heads_tangent(k, tangent);
    }

    fn cross_attention_tangent(&mut self, k: usize, moving: Option<View>) {
        let kind = SublayerKind::CrossAttention;
        let (index, block) = (self.attention_index(k), self.sublayers[k].block);
        let grads = self.projections(self.qkv_grad(index), kind);
        let tangent = self.slabs.qkv_tangent.slab(0);
        let Projections { q, kv, .. } = self.projections_of(DIRECTIONS, tangent, kind);
        self.product_tangent([self.sublayer_input(k), grads.q, q], moving, &self.input_family(kind), block);
        // The memory is constant.
        self.product_tangent([self.slabs.memory.slab(0), grads.kv, kv], None, &self.memory_family(), block);
        self.heads_tangent(k, tangent);
    }

    /// From the tangents of queries, keys and values to that of what the sublayer returns.
    fn heads_tangent(&mut self, k: usize, tangent: View) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let out = self.slabs.heads_tangent.slab(0);
        if !self.keeps.probabilities {
            self.heads_forward_to(k, out);
        }
        let Projections { q, q_stride, kv, kv_stride } = self.projections(self.slabs.qkv.slab(index), sublayer.kind);
        let moving = self.projections_of(DIRECTIONS, tangent, sublayer.kind);
        let arguments = AttentionTangent {
            sequences: self.config.batch,
            tokens: self.config.tokens,
            heads: self.config.heads,
            head_stride: head_stride(self.config),
            q_stride,
            kv_stride,
            causal: u32::from(self.config.causal.0 && sublayer.kind == SublayerKind::Attention),
            score_scale: self.score_scale(),
        };
        let (inverse, probabilities) = (self.slabs.inverse.slab(index), self.probabilities(index));
        let views = [q, kv, moving.q, moving.kv, inverse, probabilities, self.slabs.score_tangent.slab(0), out];
        let [x, y, z] = self.attention_workgroups();
        let flops = u64::from(DIRECTIONS) * 2 * self.attention_flops();
        self.push(arguments, &views, [x, y, DIRECTIONS * z], flops);
        if let Some(family) = self.output_family(sublayer.kind) {
            let views = [self.slabs.heads.slab(index), self.kept_branch_grad(k), self.branch_tangent(sublayer.kind)];
            self.product_tangent(views, Some(out), &family, sublayer.block);
        }
    }

    fn feed_forward_tangent(&mut self, k: usize, moving: Option<View>) {
        let kind = SublayerKind::FeedForward;
        let block = self.sublayers[k].block;
        let (slopes, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let (moving_hidden, moving_activated) =
            (self.slabs.hidden_tangent.slab(0), self.slabs.activated_tangent.slab(0));
        let family = self.input_family(kind);
        let views = [self.sublayer_input(k), self.hidden_grad(block), moving_hidden];
        self.product_tangent(views, moving, &family, block);
        let arguments =
            ActivationTangent { rows: self.rows, columns: self.hidden_stride, gated: u32::from(family.groups == 2) };
        let threads = self.rows * self.hidden_stride;
        let flops = 60 * u64::from(DIRECTIONS) * u64::from(threads);
        let views = [slopes, moving_hidden, moving_activated];
        self.push(arguments, &views, [threads.div_ceil(256), DIRECTIONS, 1], flops);
        if let Some(family) = self.output_family(kind) {
            let views = [activated, self.kept_branch_grad(k), self.branch_tangent(kind)];
            self.product_tangent(views, Some(moving_activated), &family, block);
        }
    }

    /// The end of the pass, and once more the logits, which the backward pass overwrote.
    fn logits_tangent(&mut self, stream: View) {
        let (normed, scale) = (self.slabs.final_normed.slab(0), self.slabs.final_scale.slab(0));
        let moving = if self.config.has_final_norm() {
            self.norm_tangent(stream, normed, scale, 1.0)
        } else {
            if self.config.placement.recipe().dual_stream {
                let arguments = ResidualTangent { branch_norm: 1, ..self.sum() };
                let side = self.slabs.final_side.slab(0);
                self.add_tangents(arguments, [side, side, scale, self.slabs.side_tangent.slab(0)]);
            }
            stream
        };
        let family = Family { index: 0, first: unembedding(self.config), groups: 1 };
        let (weight, logits) = (self.slabs.unembedding.slab(0), self.slabs.logits_tangent.slab(0));
        self.matmul(self.output(self.config.depth), weight, logits, &family);
        let tangents = logits.after(self.rows * vec4s(self.config.vocab as usize));
        self.matmul_rows(DIRECTIONS * self.rows, [moving, weight, tangents], None, &family);
    }
}
