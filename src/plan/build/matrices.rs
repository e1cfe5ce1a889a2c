//! The matrices of a block: where each lies, with which padding, and which are one product.

use super::{head_stride, vec4s};
use crate::model::{Config, Matrix, SublayerKind, Tensor, matrices};

/// Weights of a block.
pub(super) fn weights_of_block(config: &Config) -> usize {
    matrices(config).iter().map(|matrix| matrix.fan_in * matrix.fan_out).sum()
}

/// Rows or columns of a matrix: each `segment` of them are padded to `step`.
#[derive(Clone, Copy)]
pub(super) struct Padding {
    pub(super) segment: u32,
    pub(super) step: u32,
    pub(super) count: u32,
}

impl Padding {
    /// All of them together.
    pub(super) fn whole(length: usize) -> Self {
        Self { segment: length as u32, step: 4 * vec4s(length), count: 1 }
    }

    /// Head by head.
    pub(super) fn heads(config: &Config) -> Self {
        Self { segment: config.head_width() as u32, step: 4 * head_stride(config), count: config.heads }
    }

    pub(super) const fn padded(&self) -> u32 {
        self.step * self.count
    }
}

/// A matrix and its place in the slab of its block.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) matrix: Matrix,
    pub(super) at: u32,
    /// vec4s of a row.
    pub(super) columns: u32,
    /// Rows, padded.
    pub(super) rows: u32,
    pub(super) row_padding: Padding,
    pub(super) column_padding: Padding,
    /// No parameter, but ones on the diagonal: what takes the padding out of the heads where nothing projects them.
    pub(super) fixed: bool,
}

impl Placed {
    pub(super) fn new(config: &Config, matrix: Matrix) -> Self {
        let row_padding = match matrix.tensor {
            Tensor::Wo | Tensor::Co => Padding::heads(config),
            _ => Padding::whole(matrix.fan_in),
        };
        let column_padding = match matrix.tensor {
            Tensor::Wq | Tensor::Wk | Tensor::Wv | Tensor::Cq | Tensor::Ck | Tensor::Cv => Padding::heads(config),
            _ => Padding::whole(matrix.fan_out),
        };
        let (rows, columns) = (row_padding.padded(), column_padding.padded() / 4);
        Self { matrix, at: 0, columns, rows, row_padding, column_padding, fixed: false }
    }
}

/// A tensor that no block owns.
pub(super) fn global(config: &Config, tensor: Tensor, (fan_in, fan_out): (usize, usize), std: f64) -> Placed {
    let sublayer = SublayerKind::FeedForward;
    Placed::new(config, Matrix { tensor, sublayer, fan_in, fan_out, std })
}

/// U.
pub(super) fn unembedding(config: &Config) -> Placed {
    let std = 1.0 / f64::from(config.width).sqrt();
    global(config, Tensor::Unembedding, (config.width as usize, config.vocab as usize), std)
}

/// Every matrix of a block in its slab.
pub(super) fn place(config: &Config) -> Vec<Placed> {
    let mut placed: Vec<_> = matrices(config).into_iter().map(|matrix| Placed::new(config, matrix)).collect();
    if !config.output_projection.0 && !config.head_width().is_multiple_of(4) {
        let width = config.width as usize;
        let (sublayer, std) = (SublayerKind::Attention, 1.0);
        let matrix = Matrix { tensor: Tensor::Wo, sublayer, fan_in: width, fan_out: width, std };
        placed.push(Placed { fixed: true, ..Placed::new(config, matrix) });
    }
    let mut at = 0;
    for placed in &mut placed {
        placed.at = at;
        at += placed.rows * placed.columns;
    }
    placed
}

/// Matrices of one shape that follow each other and are multiplied with the same input: one product serves them all.
#[derive(Clone, Copy)]
pub(super) struct Family {
    pub(super) index: usize,
    pub(super) first: Placed,
    pub(super) groups: u32,
}

impl Family {
    /// Of all its matrices.
    pub(super) const fn vec4s(&self) -> u32 {
        self.groups * self.first.rows * self.first.columns
    }
}

pub(super) fn families(placed: &[Placed]) -> Vec<Family> {
    let mut list: Vec<Family> = Vec::new();
    for &placed in placed {
        match (placed.matrix.tensor, list.last_mut()) {
            (Tensor::Wk | Tensor::Wv | Tensor::Wg | Tensor::Cv, Some(family)) => family.groups += 1,
            _ => list.push(Family { index: list.len(), first: placed, groups: 1 }),
        }
    }
    list
}

/// The products of parameters.
pub(super) fn trained(families: &[Family]) -> impl Iterator<Item = &Family> {
    families.iter().filter(|family| !family.first.fixed)
}
