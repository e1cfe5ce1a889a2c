//! The backward pass of a sublayer and of what follows the last block.

use ndarray::Array2;

use super::attention::{AttentionGradients, attention_backward};
use super::feed_forward::feed_forward_backward;
use super::forward::{Branch, Output, SublayerTape};
use super::loss::loss_backward;
use super::norm::norm_backward;
use crate::model::{Config, Sublayer, Tensor};

/// What [`sublayer_backward`] returns.
pub(super) struct SublayerGradients {
    /// At the stream before the sublayer, (N, d).
    pub dx: Array2<f64>,
    /// At each of its matrices.
    pub weights: Vec<(Tensor, Array2<f64>)>,
    /// How far apart the values of an attention lie, `rms(v - mean over tokens) / rms(v)`; None for the FFN.
    pub spread: Option<f64>,
}

/// x and y the stream before and after the sublayer, dy the gradient at y, (N, d) each.
pub(super) fn sublayer_backward(
    config: &Config,
    sublayer: &Sublayer,
    x: &Array2<f64>,
    y: &Array2<f64>,
    tape: SublayerTape,
    dy: Array2<f64>,
) -> SublayerGradients {
    let norm = |y: &Array2<f64>, inverse: &[f64], dy: &Array2<f64>| {
        norm_backward(config.norm, config.width as usize, y, inverse, dy)
    };
    let dsum = match &tape.sum_inverse {
        Some(inverse) => norm(y, inverse, &dy),
        None => dy,
    };
    let dreturned = tape.returned.as_ref().map(|returned| norm(&returned.y, &returned.inverse, &dsum));
    let dout = dreturned.as_ref().unwrap_or(&dsum);
    let input = tape.read.as_ref().map_or(x, |read| &read.y);
    let (dinput, weights, spread) = match tape.branch {
        Branch::Attention(weights, branch) => {
            let AttentionGradients { dx, weights, spread } = attention_backward(config, &weights, input, &branch, dout);
            (dx, weights.named(), Some(spread))
        }
        Branch::FeedForward(weights, branch) => {
            let (dx, weights) = feed_forward_backward(config.act, &weights, input, &branch, dout);
            (dx, weights.named(), None)
        }
    };
    let mut dx = dsum * sublayer.skip;
    match &tape.read {
        Some(read) => dx += &norm(&read.y, &read.inverse, &dinput),
        None => dx += &dinput,
    }
    SublayerGradients { dx, weights, spread }
}

/// The gradients at x, the stream leaving the last block, (N, d), and at U, (d, V).
pub(super) fn output_backward(config: &Config, x: &Array2<f64>, output: Output) -> (Array2<f64>, Array2<f64>) {
    let Output { normed, unembedding, probabilities, targets, .. } = output;
    let dlogits = loss_backward(probabilities, &targets);
    let dout = dlogits.dot(&unembedding.t());
    match normed {
        Some(normed) => (
            norm_backward(config.norm, config.width as usize, &normed.y, &normed.inverse, &dout),
            normed.y.t().dot(&dlogits),
        ),
        None => (dout, x.t().dot(&dlogits)),
    }
}
