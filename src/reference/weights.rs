//! The matrices of any one sublayer.

use ndarray::Array2;

use super::attention::AttentionWeights;
use super::feed_forward::FeedForwardWeights;
use crate::model::Tensor;

/// The matrices of one sublayer, their gradients or their tangents; those of an attention with their names.
pub(super) enum BranchWeights {
    Attention([Tensor; 4], AttentionWeights),
    FeedForward(FeedForwardWeights),
}

impl BranchWeights {
    /// Each with its name.
    pub(super) fn named(self) -> Vec<(Tensor, Array2<f64>)> {
        match self {
            Self::Attention(names, weights) => weights.named(names),
            Self::FeedForward(weights) => weights.named(),
        }
    }

    /// Matrices of the same shapes, entry by entry.
    pub(super) fn map(&self, entry: impl Fn(f64) -> f64) -> Self {
        let of = |matrix: &Array2<f64>| matrix.mapv(&entry);
        match self {
            Self::Attention(names, AttentionWeights { query, key, value, output }) => {
                let (query, key, value, output) = (of(query), of(key), of(value), output.as_ref().map(of));
                Self::Attention(*names, AttentionWeights { query, key, value, output })
            }
            Self::FeedForward(FeedForwardWeights { w1, wg, w2 }) => {
                Self::FeedForward(FeedForwardWeights { w1: of(w1), wg: wg.as_ref().map(of), w2: of(w2) })
            }
        }
    }
}
