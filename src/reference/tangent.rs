//! The forward-mode pass of a sublayer and of what follows the last block: what a small change of the stream and of the
//! weights makes of what comes out, to first order.

use ndarray::Array2;

use super::attention::attention_tangent;
use super::feed_forward::feed_forward_tangent;
use super::forward::{Branch, Output, SublayerOutput, attending};
use super::norm::norm_tangent;
use super::parameters::Parameters;
use super::weights::BranchWeights;
use crate::model::{Config, Sublayer};

/// The changes of a stream on its way through the model, (N, d) each.
#[derive(Clone)]
pub(super) struct StreamTangent {
    /// Of the stream itself.
    pub x: Array2<f64>,
    /// Of the stream that entered the block.
    pub block_input: Array2<f64>,
    /// Of the second stream, where there is one.
    pub dual: Option<Array2<f64>>,
}

impl StreamTangent {
    /// No change: of a stream as the input makes it.
    pub(super) fn none(x: &Array2<f64>, has_dual: bool) -> Self {
        let zero = Array2::zeros(x.raw_dim());
        Self { x: zero.clone(), block_input: zero.clone(), dual: has_dual.then_some(zero) }
    }
}

/// In place from the change before a sublayer to that after it. x is the stream before it, (N, d), `output` what
/// [`super::forward::sublayer_forward`] made of it; skip is a constant.
pub(super) fn sublayer_tangent(
    parameters: &Parameters,
    sublayer: &Sublayer,
    x: &Array2<f64>,
    output: &SublayerOutput,
    dweights: &BranchWeights,
    change: &mut StreamTangent,
) {
    let config = parameters.config();
    let tape = &output.tape;
    let norm = |y: &Array2<f64>, inverse: &[f64], dx: &Array2<f64>| stream_norm_tangent(config, y, inverse, dx);
    let read = tape.read.as_ref().map(|read| norm(&read.y, &read.inverse, &change.x) * sublayer.input_gain);
    let dinput = read.as_ref().unwrap_or(&change.x);
    let input = tape.input(sublayer, x);
    let dout = match (&tape.branch, dweights) {
        (Branch::Attention(weights, branch), BranchWeights::Attention(_, dweights)) => {
            let attending = attending(parameters, sublayer.kind);
            attention_tangent(attending, weights, dweights, branch, &input, dinput)
        }
        (Branch::FeedForward(weights, branch), BranchWeights::FeedForward(dweights)) => {
            feed_forward_tangent(config.act, weights, dweights, branch, &input, dinput)
        }
        _ => unreachable!("the weights are of this sublayer"),
    };
    let dupdate = tape.returned.as_ref().map_or(dout.clone(), |returned| norm(&returned.y, &returned.inverse, &dout));
    if let Some(dual) = &mut change.dual {
        *dual += &dupdate;
    }
    change.x *= sublayer.skip;
    change.x += &dupdate;
    if sublayer.adds_block_input {
        change.x += &change.block_input;
    }
    if let Some(inverse) = &tape.sum_inverse {
        change.x = norm(&output.stream, inverse, &change.x);
    }
}

/// The change of the logits, (N, V).
pub(super) fn output_tangent(config: &Config, output: &Output, change: &StreamTangent) -> Array2<f64> {
    let into_norm = change.dual.as_ref().unwrap_or(&change.x);
    let normed =
        output.normed.as_ref().map(|normed| stream_norm_tangent(config, &normed.y, &normed.inverse, into_norm));
    let dout = match (normed, &change.dual) {
        (Some(normed), Some(_)) => normed + &change.x,
        (Some(normed), None) => normed,
        (None, _) => change.x.clone(),
    };
    dout.dot(&output.unembedding)
}

fn stream_norm_tangent(config: &Config, y: &Array2<f64>, inverse: &[f64], dx: &Array2<f64>) -> Array2<f64> {
    norm_tangent(config.norm, config.width as usize, y, inverse, dx)
}
