//! The norms of weight gradients. Nothing in a pass waits for them, so those of several blocks are one dispatch.

use super::super::WeightGradientNorm;
use super::super::layout::View;
use super::gram::NormCut;
use super::sums::Of;
use super::{Builder, Family};

/// Inputs and output gradients that lie in the same buffers, at equal distances.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub(super) x: View,
    pub(super) g: View,
    /// From one x to the next, and from one g.
    pub(super) steps: (u32, u32),
    pub(super) count: u32,
}

impl Stretch {
    /// Whether the next ones lie as it would go on; where they do they are part of it.
    fn takes(&mut self, x: View, g: View) -> bool {
        let last = self.count - 1;
        let distance = |first: View, step: u32, next: View| {
            (first.buffer == next.buffer).then(|| next.at.checked_sub(first.at + last * step)).flatten()
        };
        let (Some(x_step), Some(g_step)) = (distance(self.x, self.steps.0, x), distance(self.g, self.steps.1, g))
        else {
            return false;
        };
        if last > 0 && self.steps != (x_step, g_step) {
            return false;
        }
        self.steps = (x_step, g_step);
        self.count += 1;
        true
    }
}

impl Builder<'_> {
    /// The norms of `X^T G` for the matrices of a family in one block: when [`Self::waiting_norms`] is called, or at
    /// once where the stream's gradients are not kept for it.
    pub(super) fn gradient_norm(&mut self, x: View, g: View, family: &Family, cotangents: u32) {
        if self.keeps.stream_gradients {
            self.waiting[family.index].push((x, g));
            return;
        }
        let partials = self.partials(Of::WeightGradients(family.index), cotangents * family.groups);
        let step = self.rows * family.first.columns * family.groups;
        let cut = self.norm_cuts[family.index];
        self.push_norms(Stretch { x, g, steps: (0, step), count: cotangents }, partials, family, cut);
    }

    /// The norms of the blocks that went by since the last call, in order of the blocks.
    pub(super) fn waiting_norms(&mut self) {
        for family in self.families.clone() {
            let mut blocks = std::mem::take(&mut self.waiting[family.index]);
            blocks.reverse();
            let mut stretches: Vec<Stretch> = Vec::new();
            for (x, g) in blocks {
                if !stretches.last_mut().is_some_and(|stretch| stretch.takes(x, g)) {
                    stretches.push(Stretch { x, g, steps: (0, 0), count: 1 });
                }
            }
            for stretch in stretches {
                let partials = self.partials(Of::WeightGradients(family.index), stretch.count * family.groups);
                self.push_norms(stretch, partials, &family, self.norm_cuts[family.index]);
            }
        }
    }

    /// The norm of the un-embedding's gradient.
    pub(super) fn unembedding_norm(&mut self, x: View, g: View, partials: View, family: &Family) {
        let cut = NormCut::direct(self.limits.tuning, &family.first);
        self.push_norms(Stretch { x, g, steps: (0, 0), count: 1 }, partials, family, cut);
    }

    fn push_norms(&mut self, stretch: Stretch, partials: View, family: &Family, cut: NormCut) {
        let Stretch { x, g, steps: (x_step, g_step), count } = stretch;
        let Family { first: placed, groups, .. } = *family;
        let tuning = self.limits.tuning;
        let (tiles_x, tiles_y) = cut.tiles;
        let (gram, gram_sums) = match &cut.gram {
            Some(gram) => self.gram_sums(&stretch, family, gram),
            None => (self.slabs.nothing.slab(0), 0),
        };
        let (tile_rows, tile_columns) = tuning.gradient_partial();
        let arguments = WeightGradientNorm {
            sequences: self.config.batch,
            tokens: self.config.tokens,
            x_stride: placed.rows / 4,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            groups,
            centred: self.keys_in(family).unwrap_or(u32::MAX),
            x_step,
            g_step,
            tiles_x,
            tiles_y,
            tile_columns,
            tile_rows,
            gram_sums,
        };
        let (workgroups_x, _) = tuning.gradient().workgroups(placed.rows / 4, placed.columns);
        let workgroups = [workgroups_x, tiles_y, count * groups];
        // Of what is most often done.
        let flops = match cut.gram {
            Some(_) => u64::from(4 * gram_sums * workgroups_x * tiles_y),
            None => self.matmul_flops(family),
        };
        self.push(arguments, &[x, g, gram, partials], workgroups, u64::from(count) * flops);
    }
}
