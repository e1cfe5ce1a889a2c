//! The forward pass.

use std::ops::Range;

use crate::model::{NORM_EPSILON, SublayerKind};

use super::super::layout::View;
use super::super::{AttentionForward, GatedActivation, QkNormForward, ResidualForward};
use super::{Builder, Ends, NAN_BITS, attention_stride, head_stride, qk_segments};

/// Tokens that an attention kernel's workgroup takes.
const TOKENS_PER_WORKGROUP: u32 = 16;

/// Where queries, keys and values lie, and how far apart the rows of each are in vec4s.
#[derive(Clone, Copy)]
pub(super) struct Projections {
    pub(super) q: View,
    pub(super) q_stride: u32,
    pub(super) kv: View,
    pub(super) kv_stride: u32,
}

impl Builder<'_> {
    /// The stream before sublayer `k` of the model, and after it.
    pub(super) fn stream_around(&self, k: usize) -> (View, View) {
        let per_block = self.config.sublayers_per_block();
        let (block, place) = (k / per_block, k % per_block);
        let (outer, middle) = (&self.slabs.stream, &self.slabs.middle);
        let before = if place == 0 { outer.slab(block) } else { middle[place - 1].slab(block) };
        let after = middle.get(place).map_or(outer.slab(block + 1), |middle| middle.slab(block));
        (before, after)
    }

    /// What sublayer `k` reads.
    pub(super) fn sublayer_input(&self, k: usize) -> View {
        if self.sublayers[k].input_norm { self.slabs.normed.slab(k) } else { self.stream_around(k).0 }
    }

    /// What sublayer `k` returns.
    pub(super) fn sublayer_output(&self, k: usize) -> View {
        let sublayer = self.sublayers[k];
        if self.output_family(sublayer.kind).is_none() {
            return self.slabs.heads.slab(self.attention_index(k));
        }
        self.slabs.branch.slab(if sublayer.branch_norm { k } else { 0 })
    }

    /// Which attention of the model sublayer `k` is.
    pub(super) fn attention_index(&self, k: usize) -> usize {
        let per_block = self.config.sublayers_per_block();
        k / per_block * (per_block - 1) + k % per_block
    }

    pub(super) fn projections(&self, slab: View, kind: SublayerKind) -> Projections {
        self.projections_of(1, slab, kind)
    }

    /// The same of `count` gradients or tangents, those of the cross-attention's queries first.
    pub(super) fn projections_of(&self, count: u32, slab: View, kind: SublayerKind) -> Projections {
        let part = attention_stride(self.config);
        match kind {
            SublayerKind::CrossAttention => {
                Projections { q: slab, q_stride: part, kv: slab.after(count * self.rows * part), kv_stride: 2 * part }
            }
            _ => Projections { q: slab, q_stride: 3 * part, kv: slab.after(part), kv_stride: 3 * part },
        }
    }

    pub(super) fn forward(&mut self) {
        for block in 0..self.config.depth as usize {
            self.weights_of(block);
            for k in self.sublayers_of(block) {
                self.sublayer_forward(k, true);
            }
            self.active = Some(block);
            if self.ends != Ends::AfterTheBlocks {
                self.head(block as u32 + 1);
            }
        }
    }

    /// The sublayers of a block.
    fn sublayers_of(&self, block: usize) -> Range<usize> {
        let per_block = self.config.sublayers_per_block();
        per_block * block..per_block * (block + 1)
    }

    /// Makes the weights of a block, where they were not kept.
    pub(super) fn weights_of(&mut self, block: usize) {
        if !self.keeps.weights {
            self.block_weights(block as u32, 1);
        }
    }

    /// Makes the activations of a block again from the stream before it, where they were not kept. What they were summed
    /// to is the same again; a second stream is not, which nobody asks for any more.
    pub(super) fn activations_of(&mut self, block: usize) {
        if self.keeps.activations || self.active == Some(block) {
            return;
        }
        let sublayers = self.sublayers_of(block);
        for k in sublayers.clone() {
            // The stream after the block is there.
            let is_read = k + 1 < sublayers.end || self.sublayers[k].branch_norm;
            self.sublayer_forward(k, is_read);
        }
        self.active = Some(block);
    }

    /// Sublayer `k`, and where `to_its_end` its last product and the addition.
    fn sublayer_forward(&mut self, k: usize, to_its_end: bool) {
        let sublayer = self.sublayers[k];
        let (x, out) = self.stream_around(k);
        if sublayer.input_norm {
            let (y, scale) = (self.slabs.normed.slab(k), self.slabs.input_scale.slab(k));
            self.norm(self.kind(), sublayer.input_gain, x, y, scale);
        }
        let product = match sublayer.kind {
            SublayerKind::Attention => self.attention_forward(k),
            SublayerKind::CrossAttention => self.cross_attention_forward(k),
            SublayerKind::FeedForward => self.feed_forward(k),
        };
        if !to_its_end {
            return;
        }
        let branch = self.sublayer_output(k);
        if let Some(family) = self.output_family(sublayer.kind) {
            self.matmul(product, self.weight(sublayer.block, &family.first), branch, &family);
        }
        let arguments = ResidualForward {
            branch_norm: u32::from(sublayer.branch_norm),
            sum_norm: u32::from(sublayer.sum_norm),
            side_mode: self.side_mode(k),
            profile: u32::from(self.ends == Ends::AfterTheBlocks),
            skip: sublayer.skip as f32,
            ..self.addition()
        };
        self.add(arguments, [x, branch, out, self.slabs.residual_scale.slab(k)], k);
    }

    /// What the addition of sublayer `k` does with a second stream, as a number in the kernels.
    pub(super) fn side_mode(&self, k: usize) -> u32 {
        let sublayer = self.sublayers[k];
        let is_first = k.is_multiple_of(self.config.sublayers_per_block());
        match () {
            () if sublayer.feeds_dual && k == 0 => 2,
            () if sublayer.feeds_dual => 1,
            () if sublayer.adds_block_input => 4,
            () if self.config.placement.recipe().adds_block_input && is_first => 3,
            () => 0,
        }
    }

    /// What every addition of two (N, d) has in common.
    pub(super) fn addition(&self) -> ResidualForward {
        ResidualForward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            branch_norm: 0,
            sum_norm: 0,
            side_mode: 0,
            profile: 0,
            skip: 1.0,
            epsilon: NORM_EPSILON as f32,
        }
    }

    /// `views` are stream, branch, their sum and the scales; the square sums go where those of sublayer `k` belong.
    pub(super) fn add(&mut self, arguments: ResidualForward, [x, branch, out, scale]: [View; 4], k: usize) {
        let partials = self.slabs.update_partials.slab(0).after(2 * self.rows * k as u32);
        let side = if arguments.side_mode == 0 { self.slabs.nothing } else { self.slabs.side };
        let views = [x, branch, out, scale, partials, side.slab(0)];
        self.push(arguments, &views, self.row_workgroups(), self.row_flops());
    }

    /// Up to the output of the heads.
    fn attention_forward(&mut self, k: usize) -> View {
        let block = self.sublayers[k].block;
        let family = self.input_family(SublayerKind::Attention);
        let qkv = self.slabs.qkv.slab(self.attention_index(k));
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
        self.heads_forward(k)
    }

    fn cross_attention_forward(&mut self, k: usize) -> View {
        let block = self.sublayers[k].block;
        let slab = self.slabs.qkv.slab(self.attention_index(k));
        let Projections { q, kv, .. } = self.projections(slab, SublayerKind::CrossAttention);
        let queries = self.input_family(SublayerKind::CrossAttention);
        self.matmul(self.sublayer_input(k), self.weight(block, &queries.first), q, &queries);
        let keys = self.memory_family();
        self.matmul(self.slabs.memory.slab(0), self.weight(block, &keys.first), kv, &keys);
        self.heads_forward(k)
    }

    /// Attention proper, with its output where it is kept.
    fn heads_forward(&mut self, k: usize) -> View {
        let heads = self.slabs.heads.slab(self.attention_index(k));
        self.heads_forward_to(k, heads);
        heads
    }

    /// The same with its output in `heads`; again in the later passes where the probabilities were not kept.
    pub(super) fn heads_forward_to(&mut self, k: usize, heads: View) {
        let (sublayer, index) = (self.sublayers[k], self.attention_index(k));
        let Projections { q, q_stride, kv, kv_stride } = self.projections(self.slabs.qkv.slab(index), sublayer.kind);
        let is_self = sublayer.kind == SublayerKind::Attention;
        let arguments = AttentionForward {
            tokens: self.config.tokens,
            heads: self.config.heads,
            head_stride: head_stride(self.config),
            q_stride,
            kv_stride,
            causal: u32::from(self.config.causal.0 && is_self),
            nan_bits: NAN_BITS,
            score_scale: self.score_scale(),
        };
        let (score_rows, _) = super::score_vec4s(self.config);
        // Nobody asks for those of the cross-attention: they share a last place.
        let row = if is_self { sublayer.block as u32 } else { self.config.depth };
        let partials = self.slabs.attention_partials.slab(0).after(row * score_rows);
        let inverse = self.slabs.inverse.slab(index);
        let views = [q, kv, heads, self.probabilities(index), inverse, partials];
        self.push(arguments, &views, self.attention_workgroups(), self.attention_flops());
    }

    pub(super) fn probabilities(&self, attention: usize) -> View {
        self.slabs.probabilities.slab(attention)
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

    /// Up to what follows the activation.
    fn feed_forward(&mut self, k: usize) -> View {
        let block = self.sublayers[k].block;
        let family = self.input_family(SublayerKind::FeedForward);
        let (hidden, activated) = (self.slabs.hidden.slab(block), self.slabs.activated.slab(block));
        let (x, weight) = (self.sublayer_input(k), self.weight(block, &family.first));
        if family.groups == 2 {
            self.matmul(x, weight, hidden, &family);
            let (rows, columns, kind) = (self.rows, self.hidden_stride, self.activation_kind());
            let threads = rows * columns;
            let workgroups = [threads.div_ceil(256), 1, 1];
            let flops = 40 * u64::from(threads);
            self.push(GatedActivation { rows, columns, kind }, &[hidden, activated], workgroups, flops);
        } else {
            self.matmul_rows(self.rows, [x, weight, hidden], Some(activated), &family);
        }
        activated
    }
}
