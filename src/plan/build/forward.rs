//! The forward pass.

use crate::model::{NORM_EPSILON, SublayerKind};

use super::super::layout::View;
use super::super::{ActivationForward, AttentionForward, QkNormForward, ResidualForward};
use super::{Builder, NAN_BITS, attention_stride, head_stride, qk_segments};

/// Tokens that an attention kernel's workgroup takes.
const TOKENS_PER_WORKGROUP: u32 = 16;

impl Builder<'_> {
    /// The stream before sublayer `k` of the model, and after it.
    pub(super) fn stream_around(&self, k: usize) -> (View, View) {
        let block = self.sublayers[k].block;
        let (outer, middle) = (&self.slabs.stream, &self.slabs.middle);
        match self.sublayers[k].kind {
            SublayerKind::Attention => (outer.slab(block), middle.slab(block)),
            SublayerKind::CrossAttention => unimplemented!(),
            SublayerKind::FeedForward => (middle.slab(block), outer.slab(block + 1)),
        }
    }

    /// What sublayer `k` reads.
    pub(super) fn sublayer_input(&self, k: usize) -> View {
        if self.sublayers[k].input_norm { self.slabs.normed.slab(k) } else { self.stream_around(k).0 }
    }

    /// What sublayer `k` returns.
    pub(super) fn sublayer_output(&self, k: usize) -> View {
        let sublayer = self.sublayers[k];
        if sublayer.kind == SublayerKind::Attention && self.output_family(SublayerKind::Attention).is_none() {
            return self.slabs.heads.slab(sublayer.block);
        }
        self.slabs.branch.slab(if sublayer.branch_norm { k } else { 0 })
    }

    pub(super) fn forward(&mut self) {
        for k in 0..self.sublayers.len() {
            let sublayer = self.sublayers[k];
            if sublayer.kind == SublayerKind::Attention && !self.keeps.weights {
                self.block_weights(sublayer.block as u32, 1);
            }
            let (x, out) = self.stream_around(k);
            if sublayer.input_norm {
                let (y, scale) = (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k));
                self.norm(x, y, scale);
            }
            match sublayer.kind {
                SublayerKind::Attention => self.attention_forward(k),
                SublayerKind::CrossAttention => unimplemented!(),
                SublayerKind::FeedForward => self.feed_forward(k),
            }
            let arguments = ResidualForward {
                rows: self.rows,
                width: self.config.width,
                stride: self.stride,
                kind: self.kind(),
                branch_norm: u32::from(sublayer.branch_norm),
                sum_norm: u32::from(sublayer.sum_norm),
                skip: sublayer.skip as f32,
                epsilon: NORM_EPSILON as f32,
            };
            let branch = self.sublayer_output(k);
            let scale = self.slabs.residual_scale.slab(k);
            let partials = self.slabs.update_partials.slab(0).after(2 * self.rows * k as u32);
            self.push(arguments, &[x, branch, out, scale, partials], self.row_workgroups(), self.row_flops());
        }
    }

    fn attention_forward(&mut self, k: usize) {
        let block = self.sublayers[k].block;
        let family = self.input_family(SublayerKind::Attention);
        let qkv = self.slabs.qkv.slab(block);
        self.matmul(self.sublayer_input(k), self.weight(block, &family.first), qkv, &family);
        if let Some(segments) = qk_segments(self.config) {
            let arguments = QkNormForward {
                rows: self.rows,
                stride: attention_stride(self.config),
                segments: segments.count,
                segment: segments.floats,
                features: segments.features,
                epsilon: NORM_EPSILON as f32,
            };
            let scale = self.slabs.qk_scale.slab(block);
            let workgroups = [(2 * self.rows * segments.count).div_ceil(32), 1, 1];
            self.push(arguments, &[qkv, scale], workgroups, self.row_flops());
        }
        self.heads_forward(block);
        if let Some(family) = self.output_family(SublayerKind::Attention) {
            let (heads, weight) = (self.slabs.heads.slab(block), self.weight(block, &family.first));
            self.matmul(heads, weight, self.sublayer_output(k), &family);
        }
    }

    /// Attention proper; again in the backward pass where the probabilities were not kept.
    pub(super) fn heads_forward(&mut self, block: usize) {
        let (qkv, part) = (self.slabs.qkv.slab(block), attention_stride(self.config));
        let arguments = AttentionForward {
            tokens: self.config.tokens,
            heads: self.config.heads,
            head_stride: head_stride(self.config),
            q_stride: 3 * part,
            kv_stride: 3 * part,
            causal: u32::from(self.config.causal.0),
            nan_bits: NAN_BITS,
            score_scale: self.score_scale(),
        };
        let (heads, inverse) = (self.slabs.heads.slab(block), self.slabs.inverse.slab(block));
        let views = [qkv, qkv.after(part), heads, self.probabilities(block), inverse];
        self.push(arguments, &views, self.attention_workgroups(), self.attention_flops());
    }

    pub(super) fn probabilities(&self, block: usize) -> View {
        self.slabs.probabilities.slab(if self.keeps.probabilities { block } else { 0 })
    }

    pub(super) fn score_scale(&self) -> f32 {
        (1.0 / (self.config.head_width() as f64).sqrt()) as f32
    }

    pub(super) fn attention_workgroups(&self) -> [u32; 3] {
        [self.config.tokens.div_ceil(TOKENS_PER_WORKGROUP), self.config.heads, self.config.batch]
    }

    pub(super) fn attention_flops(&self) -> u64 {
        4 * u64::from(self.rows) * u64::from(self.config.tokens) * u64::from(self.config.width)
    }

    fn feed_forward(&mut self, k: usize) {
        let block = self.sublayers[k].block;
        let family = self.input_family(SublayerKind::FeedForward);
        let (hidden, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        self.matmul(self.sublayer_input(k), self.weight(block, &family.first), hidden, &family);
        let arguments = ActivationForward {
            rows: self.rows,
            columns: self.hidden_stride,
            gated: u32::from(family.groups == 2),
            kind: self.activation_kind(),
        };
        let threads = self.rows * self.hidden_stride;
        self.push(arguments, &[hidden, activated], [threads.div_ceil(256), 1, 1], 40 * u64::from(threads));
        if let Some(family) = self.output_family(SublayerKind::FeedForward) {
            self.matmul(activated, self.weight(block, &family.first), self.sublayer_output(k), &family);
        }
    }

    /// What the un-embedding reads.
    pub(super) fn output(&self) -> View {
        if self.config.has_final_norm() {
            self.slabs.final_normed.slab(0)
        } else {
            self.slabs.stream.slab(self.config.depth as usize)
        }
    }
}
