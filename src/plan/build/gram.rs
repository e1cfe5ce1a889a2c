//! Where the norms of weight gradients are taken from products of pairs of rows, `‖X^T G‖² = Σ (x_i·x_j)(g_i·g_j)`: half
//! of `N² (fan_in + fan_out)` products where the gradient itself takes `N fan_in fan_out`.

use crate::model::{Config, Tensor};

use super::super::{Tuning, WeightGradientGram};
use super::gradient_norm::Stretch;
use super::{Builder, Family, Placed, View};

/// Matrices with the same x whose sums one workgroup makes, where there are many.
const SAME_X: u32 = 8;
/// How many times fewer products it has to take.
const GAIN: u64 = 2;
/// Products of a gradient under which its norm is not worth a dispatch.
const PRODUCTS: u64 = 1 << 18;

/// How the norms of a family's gradients are cut.
#[derive(Clone, Copy)]
pub(super) struct NormCut {
    /// Partial sums of one matrix in x and y; in y they are also the workgroups.
    pub(super) tiles: (u32, u32),
    pub(super) gram: Option<Gram>,
}

impl NormCut {
    /// Partial sums of one matrix.
    pub(super) const fn partials(&self) -> u32 {
        self.tiles.0 * self.tiles.1
    }

    /// Of gradients made in registers.
    pub(super) fn direct(tuning: Tuning, matrix: &Placed) -> Self {
        let (tile_rows, tile_columns) = tuning.gradient_partial();
        Self { tiles: (matrix.columns.div_ceil(tile_columns), (matrix.rows / 4).div_ceil(tile_rows)), gram: None }
    }

    /// As suits a family of a run with so many models.
    pub(super) fn new(config: &Config, tuning: Tuning, family: &Family, models: usize) -> Self {
        let direct = Self::direct(tuning, &family.first);
        let Some(gram) = Gram::of(config, tuning, family, models) else { return direct };
        let (tiles_x, tiles_y) = direct.tiles;
        Self { tiles: (tiles_x, tiles_y.min(tuning.gram_check_rows())), gram: Some(gram) }
    }
}

/// The pairs of rows of one matrix, in tiles.
#[derive(Clone, Copy)]
pub(super) struct Gram {
    /// Tiles of rows.
    tiles: u32,
    /// Matrices that have the same x.
    same_x: u32,
    /// Products of all pairs of a matrix.
    products: u64,
}

impl Gram {
    /// Where it is clearly cheaper. What cancels it does not resolve: gradients of scores have their own way.
    fn of(config: &Config, tuning: Tuning, family: &Family, models: usize) -> Option<Self> {
        let Placed { matrix, rows: x_columns, columns, .. } = family.first;
        if matches!(matrix.tensor, Tensor::Wq | Tensor::Cq | Tensor::Ck) {
            return None;
        }
        let rows = config.rows() as u32;
        let same_x = if models == 1 { family.groups } else { SAME_X };
        let tiles = rows.div_ceil(Tuning::GRAM_ROWS);
        let pairs = u64::from(tiles) * u64::from(tiles + 1) / 2 * u64::from(Tuning::GRAM_ROWS.pow(2));
        let length = |vec4s: u32| 4 * u64::from(vec4s.next_multiple_of(tuning.gram_lanes()));
        let products = pairs * (length(x_columns / 4) / u64::from(same_x) + length(columns));
        let direct = 4 * u64::from(rows) * u64::from(x_columns) * u64::from(columns);
        (direct >= PRODUCTS && direct >= GAIN * products).then_some(Self { tiles, same_x, products })
    }

    /// Sums of one matrix.
    const fn sums(&self) -> u32 {
        (self.tiles + 1) * self.tiles.div_ceil(2)
    }
}

/// vec4s of the sums over pairs of those matrices whose norms are made `at_once`, of all families together.
pub(super) fn gram_vec4s(cuts: impl Iterator<Item = (NormCut, u32)>, at_once: u32) -> u32 {
    let of_family = |(cut, groups): (NormCut, u32)| cut.gram.map_or(0, |gram| at_once * groups * gram.sums());
    cuts.map(of_family).max().unwrap_or(0)
}

impl Builder<'_> {
    /// The sums over the pairs of rows of some matrices: where they lie, and how many there are of one matrix.
    pub(super) fn gram_sums(&mut self, stretch: &Stretch, family: &Family, gram: &Gram) -> (View, u32) {
        let Stretch { x, g, steps: (x_step, g_step), count } = *stretch;
        let placed = family.first;
        let matrices = count * family.groups;
        let arguments = WeightGradientGram {
            rows: self.rows,
            x_stride: placed.rows / 4,
            g_stride: placed.columns * family.groups,
            group_columns: placed.columns,
            groups: family.groups,
            x_step,
            g_step,
            matrices,
            same_x: gram.same_x,
            tiles: gram.tiles,
        };
        let tuning = self.limits.tuning;
        let (sums, view) = (gram.sums(), self.slabs.gram.slab(0));
        let workgroups = match tuning {
            Tuning::Graphics => sums,
            Tuning::Processor => sums.div_ceil(tuning.gradient().threads.0),
        };
        let flops = 2 * u64::from(matrices) * gram.products;
        self.push(arguments, &[x, g, view], [workgroups, 1, matrices.div_ceil(gram.same_x)], flops);
        (view, sums)
    }
}
