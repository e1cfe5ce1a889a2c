//! What a pass leaves in the results: statistics of stored states, and the sums of all partial sums.

use super::super::layout::View;
use super::super::{StreamStatistics, SumRows};
use super::matrices::unembedding;
use super::sums::Of;
use super::{Builder, DIRECTIONS, NormCut, score_vec4s, slabs, vec4s};
use crate::model::{Config, Sublayer};

impl Builder<'_> {
    /// What is taken from stored states, and the sums of all partial sums.
    pub(super) fn statistics(&mut self) {
        self.states_statistics(self.slabs.stream, self.results.stream);
        if self.keeps.stream_gradients {
            self.states_statistics(self.slabs.kept_grad, self.results.gradient[0]);
        }
        if let Some(at) = self.results.model_update {
            self.state_statistics(
                self.slabs.logits_tangent.slab(0),
                1 + DIRECTIONS,
                vec4s(self.config.vocab as usize),
                at,
            );
        }
        let (rows, sublayers) = (self.rows, self.sublayers.len() as u32);
        self.reduce(self.slabs.update_partials.slab(0), self.results.update, 2 * sublayers, rows);
        self.add_up(Of::StreamGradients);
        let (score_rows, _) = score_vec4s(self.config);
        self.reduce(self.slabs.attention_partials.slab(0), self.results.attention, self.config.depth, score_rows);
        self.norm_scales();
        for family in 0..self.weight_gradients.len() {
            self.add_up(Of::WeightGradients(family));
        }
        let models = self.depths.len() as u32;
        let partials = NormCut::direct(self.limits.tuning, &unembedding(self.config)).partials();
        self.reduce(self.slabs.unembedding_grad_partials.slab(0), self.results.grad_unembed, models, partials);
        self.reduce(self.slabs.head_grad_partials.slab(0), self.results.head_grad, models, rows);
        self.reduce(self.slabs.loss_partials.slab(0), self.results.loss, models, rows);
    }

    /// Of every state in its slab.
    pub(super) fn states_statistics(&mut self, states: slabs::Slabs, at: u32) {
        let runs: Vec<_> = states.runs().collect();
        for (first, count) in runs {
            let at = at + 3 * first * self.config.batch;
            self.state_statistics(states.slab(first as usize), count, self.stride, at);
        }
    }

    /// Of `count` states, (N, 4 stride) each, that follow each other.
    pub(super) fn state_statistics(&mut self, states: View, count: u32, stride: u32, at: u32) {
        let Config { tokens, batch, .. } = *self.config;
        let results = View { buffer: self.results.buffer, at };
        let flops = 80 * u64::from(count) * u64::from(self.rows) * u64::from(stride);
        let arguments = StreamStatistics { tokens, stride, batch, state_stride: self.rows * stride };
        self.push(arguments, &[states, results], [count, batch, 1], flops);
    }

    /// The scales of the norms that the stream meets, summed over its rows: for each stretch of sublayers that have theirs
    /// in one buffer one dispatch.
    pub(super) fn norm_scales(&mut self) {
        let results = View { buffer: self.results.buffer, at: self.results.norm_scale };
        let source = |k: usize| match self.sublayers[k] {
            Sublayer { sum_norm: true, .. } => Some((self.slabs.residual_scale, self.rows)),
            Sublayer { input_norm: true, .. } => Some((self.slabs.input_scale, 0)),
            _ => None,
        };
        let mut stretches: Vec<(View, u32, SumRows)> = Vec::new();
        for k in 0..self.sublayers.len() {
            let Some((slabs, offset)) = source(k) else { continue };
            let arguments = SumRows { count: self.rows, offset, slab_stride: slabs.slab_vec4s };
            let view = slabs.slab(k);
            match stretches.last_mut() {
                Some((first, count, known))
                    if *known == arguments
                        && first.buffer == view.buffer
                        && first.at + *count * slabs.slab_vec4s == view.at =>
                {
                    *count += 1;
                }
                _ => stretches.push((view, 1, arguments)),
            }
        }
        let mut done = 0;
        for (view, count, arguments) in stretches {
            let flops = u64::from(count) * u64::from(self.rows);
            self.push(arguments, &[view, results.after(done)], [count, 1, 1], flops);
            done += count;
        }
    }
}
