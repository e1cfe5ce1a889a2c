//! What is drawn: the input, the weights, and the memory that cross-attention reads.

use super::super::RandomWeights;
use super::super::layout::View;
use super::keeps::blocks_at_once;
use super::matrices::{Placed, global, unembedding};
use super::{Builder, norm_kind};
use crate::model::random::GLOBAL_LAYER;
use crate::model::{Norm, Tensor};

impl Builder<'_> {
    /// One tensor of `layers` layers.
    pub(super) fn random(&mut self, placed: &Placed, first_layer: u32, out: View, layers: u32) {
        self.random_rows(placed, first_layer, out, layers, (1, false));
    }

    /// The same with each row `repeat` times, and added to what is there if `adds`.
    pub(super) fn random_rows(
        &mut self,
        placed: &Placed,
        first_layer: u32,
        out: View,
        layers: u32,
        (repeat, adds): (u32, bool),
    ) {
        let Placed { matrix, columns: stride, rows: padded_rows, row_padding, column_padding, fixed, .. } = *placed;
        let draws = match fixed {
            true => 2,
            false => u32::from(first_layer != GLOBAL_LAYER && self.config.init.is_uniform()),
        };
        let arguments = RandomWeights {
            columns: matrix.fan_out as u32,
            padded_rows,
            stride,
            row_segment: row_padding.segment,
            row_step: row_padding.step,
            column_segment: column_padding.segment,
            column_step: column_padding.step,
            layer_stride: self.slabs.weights.slab_vec4s,
            tensor: matrix.tensor.id(),
            first_layer,
            seed: self.config.seed,
            draws,
            repeat,
            adds: u32::from(adds),
            shake: 0,
            deviation: matrix.std as f32,
        };
        let threads = padded_rows * stride;
        let flops = 200 * u64::from(threads) * u64::from(layers);
        self.push(arguments, &[out], [threads.div_ceil(64), layers, 1], flops);
    }

    pub(super) fn inputs(&mut self) {
        let recipe = self.config.placement.recipe();
        let input = if recipe.embedding_norm { self.slabs.embedding.slab(0) } else { self.slabs.stream.slab(0) };
        let (rows, width) = (self.config.rows(), self.config.width as usize);
        let mut embedded = global(self.config, Tensor::Input, (rows, width), 1.0);
        // It is not multiplied as a matrix from the right, so its rows need no padding.
        embedded.rows = self.rows;
        self.random(&embedded, GLOBAL_LAYER, input, 1);
        self.random(&unembedding(self.config), GLOBAL_LAYER, self.slabs.unembedding.slab(0), 1);
        if recipe.embedding_norm {
            let (out, scale) = (self.slabs.stream.slab(0), self.slabs.input_scale.slab(0));
            self.norm(self.kind(), 1.0, input, out, scale);
        }
        if self.config.cross.0 {
            self.memory();
        }
        if self.keeps.weights {
            let runs: Vec<_> = self.slabs.weights.runs().collect();
            for (first, count) in runs {
                self.block_weights(first, count);
            }
        }
    }

    /// All matrices of `count` blocks from `first` on, some blocks at a time: where another run left them, a device
    /// need not make them again.
    pub(super) fn block_weights(&mut self, first: u32, count: u32) {
        // By what a slab takes, so that runs whose matrices lie in the same places make them in the same stretches.
        let at_once = blocks_at_once(128 * 4 * u64::from(self.slabs.weights.slab_vec4s));
        for from in (first..first + count).step_by(at_once as usize) {
            for placed in self.placed.clone() {
                let out = self.weight(from as usize, &placed);
                self.random(&placed, from, out, at_once.min(first + count - from));
            }
        }
    }

    /// The rows that cross-attention reads: LayerNorm of what a sequence shares and what a token has of its own.
    pub(super) fn memory(&mut self) {
        let (rows, width, cosine) = (self.config.rows(), self.config.width as usize, self.config.memory_cos);
        let draws = self.slabs.memory_draws.slab(0);
        let mut own = global(self.config, Tensor::MemoryOwn, (rows, width), (1.0 - cosine).sqrt());
        own.rows = self.rows;
        self.random(&own, GLOBAL_LAYER, draws, 1);
        let mut shared = global(self.config, Tensor::MemoryShared, (rows, width), cosine.sqrt());
        shared.rows = self.rows;
        self.random_rows(&shared, GLOBAL_LAYER, draws, 1, (self.config.tokens, true));
        let (out, scale) = (self.slabs.memory.slab(0), self.slabs.memory_scale.slab(0));
        self.norm(norm_kind(Norm::LayerNorm), 1.0, draws, out, scale);
    }
}
