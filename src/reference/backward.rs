//! The backward pass of a sublayer and of what follows the last block.

use ndarray::Array2;

use super::attention::{AttentionGradients, attention_backward, names};
use super::feed_forward::feed_forward_backward;
use super::forward::{Branch, Output, SublayerTape, attending};
use super::loss::loss_backward;
use super::norm::norm_backward;
use super::parameters::Parameters;
use super::weights::BranchWeights;
use crate::model::{Config, Sublayer};

/// What [`sublayer_backward`] returns.
pub(super) struct SublayerGradients {
    /// At the stream before the sublayer, (N, d), by way of this sublayer alone.
    pub dx: Array2<f64>,
    /// At the stream that entered the block, (N, d), where the sublayer adds it.
    pub dblock: Option<Array2<f64>>,
    /// At each of its matrices.
    pub weights: BranchWeights,
    /// How far apart the values of an attention lie, `rms(v - mean over tokens) / rms(v)`; None for the FFN.
    pub spread: Option<f64>,
}

/// x and y the stream before and after the sublayer, dy the gradient at y, `ddual` that at the second stream where
/// there is one, (N, d) each.
pub(super) fn sublayer_backward(
    parameters: &Parameters,
    sublayer: &Sublayer,
    (x, y): (&Array2<f64>, &Array2<f64>),
    tape: &SublayerTape,
    dy: &Array2<f64>,
    ddual: Option<&Array2<f64>>,
) -> SublayerGradients {
    let config = parameters.config();
    let norm = |y: &Array2<f64>, inverse: &[f64], dy: &Array2<f64>| stream_norm_backward(config, y, inverse, dy);
    let dsum = tape.sum_inverse.as_ref().map_or_else(|| dy.clone(), |inverse| norm(y, inverse, dy));
    let dupdate = ddual.map(|ddual| &dsum + ddual);
    let dupdate = dupdate.as_ref().unwrap_or(&dsum);
    let dreturned = tape.returned.as_ref().map(|returned| norm(&returned.y, &returned.inverse, dupdate));
    let dout = dreturned.as_ref().unwrap_or(dupdate);
    let input = tape.input(sublayer, x);
    let (mut dinput, weights, spread) = match &tape.branch {
        Branch::Attention(weights, branch) => {
            let attending = attending(parameters, sublayer.kind);
            let AttentionGradients { dx, weights, spread } =
                attention_backward(attending, weights, &input, branch, dout);
            (dx, BranchWeights::Attention(names(attending), weights), Some(spread))
        }
        Branch::FeedForward(weights, branch) => {
            let (dx, weights) = feed_forward_backward(config.act, weights, &input, branch, dout);
            (dx, BranchWeights::FeedForward(weights), None)
        }
    };
    dinput *= sublayer.input_gain;
    let dblock = sublayer.adds_block_input.then(|| dsum.clone());
    let mut dx = dsum * sublayer.skip;
    match &tape.read {
        Some(read) => dx += &norm(&read.y, &read.inverse, &dinput),
        None => dx += &dinput,
    }
    SublayerGradients { dx, dblock, weights, spread }
}

/// What [`output_backward`] returns.
pub(super) struct OutputGradients {
    /// At the stream leaving the last block, (N, d).
    pub dx: Array2<f64>,
    /// At the second stream, (N, d), where there is one.
    pub ddual: Option<Array2<f64>>,
    /// At U, (d, V).
    pub dunembedding: Array2<f64>,
}

/// Whether there is a second stream, `has_dual`, is as [`super::forward::output_forward`] was told.
pub(super) fn output_backward(config: &Config, output: Output, has_dual: bool) -> OutputGradients {
    let Output { normed, out, unembedding, probabilities, targets, .. } = output;
    let dlogits = loss_backward(probabilities, &targets);
    let dunembedding = out.t().dot(&dlogits);
    let dout = dlogits.dot(&unembedding.t());
    let through_norm = normed.map(|normed| stream_norm_backward(config, &normed.y, &normed.inverse, &dout));
    match through_norm {
        Some(ddual) if has_dual => OutputGradients { dx: dout, ddual: Some(ddual), dunembedding },
        Some(dx) => OutputGradients { dx, ddual: None, dunembedding },
        None => OutputGradients { dx: dout, ddual: None, dunembedding },
    }
}

/// The gradient at the input of any norm of the stream. y, dy (N, d).
pub(super) fn stream_norm_backward(config: &Config, y: &Array2<f64>, inverse: &[f64], dy: &Array2<f64>) -> Array2<f64> {
    norm_backward(config.norm, config.width as usize, y, inverse, dy)
}
