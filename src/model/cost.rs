//! What a model takes to compute.

use super::config::{Norm, QkNorm};
use super::{Config, Sublayer, SublayerKind, matrices};

/// What a model has to learn. Biases, embeddings and positions are not in it: there are none here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Of the matrices of all blocks.
    pub weights: u64,
    /// Gains of all norms, and shifts where they are LayerNorms; of the queries' and keys' norms gains alone.
    pub norms: u64,
    /// Of the un-embedding.
    pub unembedding: u64,
}

impl Parameters {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.weights + self.norms + self.unembedding
    }
}

impl Config {
    /// Floating-point operations of its matrix products, forward, backward to the stream and to the weights, a
    /// multiplication with its addition counting as two: `L (6 N sum(fan_in fan_out) + 12 N T d) + 6 N d V`, and another
    /// `12 N T d` a block for cross-attention.
    #[must_use]
    pub fn flops(&self) -> f64 {
        let (rows, width) = (self.rows() as f64, f64::from(self.width));
        let weights: f64 = matrices(self).iter().map(|matrix| (matrix.fan_in * matrix.fan_out) as f64).sum();
        let attentions = if self.cross.0 { 2.0 } else { 1.0 };
        let block = 6.0 * rows * weights + attentions * 12.0 * rows * f64::from(self.tokens) * width;
        f64::from(self.depth) * block + 6.0 * rows * width * f64::from(self.vocab)
    }
}

impl Config {
    /// Norms of a width that a pass takes: those of the blocks, of the embedding, of a second stream, and before
    /// the un-embedding.
    #[must_use]
    pub fn norms(&self) -> usize {
        let blocks: usize = self.sublayers().iter().map(Sublayer::norms).sum();
        let recipe = self.placement.recipe();
        let ends = [recipe.embedding_norm, recipe.dual_stream, self.has_final_norm()];
        blocks + ends.into_iter().filter(|norm| *norm).count()
    }

    /// What it has to learn.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let width = self.width as usize;
        let block: usize = matrices(self).iter().map(|matrix| matrix.fan_in * matrix.fan_out).sum();
        let of_norm = match self.norm {
            Norm::LayerNorm => 2 * width,
            Norm::RmsNorm => width,
        };
        let of_scores = match self.qk_norm {
            QkNorm::None => 0,
            QkNorm::Head => 2 * width / self.heads as usize,
            QkNorm::Full => 2 * width,
        };
        let attentions = self.sublayers().iter().filter(|sublayer| sublayer.kind == SublayerKind::Attention).count();
        Parameters {
            // In 64 bits, which `usize` has not in a browser.
            weights: u64::from(self.depth) * block as u64,
            norms: (self.norms() * of_norm + attentions * of_scores) as u64,
            unembedding: (width * self.vocab as usize) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Config, Norm, Placement, QkNorm, Toggle};

    /// Vaswani et al. 2017 and those after: 12 d^2 a block; 2, 4 and 2 norms a block, one more at the end of Pre-LN and
    /// Sandwich-LN, one on the embedding of Peri-LN.
    #[test]
    fn parameters_are_those_of_the_papers() {
        let (depth, width) = (24_u64, 64);
        let of = |placement, norm| Config { placement, norm, depth: depth as u32, ..Config::default() }.parameters();
        for (placement, norms) in [
            (Placement::Post, 2 * depth),
            (Placement::Pre, 2 * depth + 1),
            (Placement::Sandwich, 4 * depth + 1),
            (Placement::Peri, 4 * depth + 2),
            (Placement::None, 1),
        ] {
            for (norm, each) in [(Norm::RmsNorm, width), (Norm::LayerNorm, 2 * width)] {
                let parameters = of(placement, norm);
                assert_eq!(parameters.weights, 12 * depth * width * width, "{placement:?}");
                assert_eq!(parameters.norms, norms * each, "{placement:?} {norm:?}");
                assert_eq!(parameters.all(), parameters.weights + parameters.norms + 64 * width);
            }
        }
        let sandwich = of(Placement::Sandwich, Norm::RmsNorm).all();
        assert_eq!(sandwich - of(Placement::Pre, Norm::RmsNorm).all(), 2 * depth * width);
        let with = |qk_norm| Config { qk_norm, ..Config::default() }.parameters().norms;
        let plain = with(QkNorm::None);
        assert_eq!((with(QkNorm::Head) - plain, with(QkNorm::Full) - plain), (depth * 2 * 16, depth * 2 * width));
    }

    #[test]
    fn the_usual_block_takes_72_width_squared_and_12_tokens_width_a_row() {
        let config = Config { depth: 10, ..Config::default() };
        let (rows, width, tokens) = (64.0, 64.0, 32.0);
        let block = rows * (72.0 * width * width + 12.0 * tokens * width);
        assert_eq!(config.flops(), 10.0 * block + 6.0 * rows * width * 64.0);
        let cross = Config { cross: Toggle(true), ..config.clone() };
        assert_eq!(cross.flops() - config.flops(), 10.0 * rows * (24.0 * width * width + 12.0 * tokens * width));
    }
}
