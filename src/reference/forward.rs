//! The forward pass of a sublayer and of what follows the last block.

use ndarray::Array2;

use super::attention::{AttentionTape, AttentionWeights, attention_forward};
use super::feed_forward::{FeedForwardTape, FeedForwardWeights, feed_forward_forward};
use super::frobenius;
use super::loss::loss_forward;
use super::norm::{Normed, norm_forward};
use super::parameters::Parameters;
use crate::model::{Sublayer, SublayerKind};

/// What the backward pass of a sublayer needs besides the stream before and after it.
pub(super) struct SublayerTape {
    /// What the branch reads, where that is not the stream itself.
    pub read: Option<Normed>,
    pub branch: Branch,
    /// What is added to the stream, where a norm made it.
    pub returned: Option<Normed>,
    /// Inverse deviations of the norm on the sum; its output is the stream after the sublayer.
    pub sum_inverse: Option<Vec<f64>>,
}

/// The function `f` of a sublayer: its weights and what it computed on the way.
pub(super) enum Branch {
    Attention(AttentionWeights, Box<AttentionTape>),
    FeedForward(FeedForwardWeights, FeedForwardTape),
}

impl SublayerTape {
    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        let norms = [&self.read, &self.returned].into_iter().flatten().map(|norm| norm.y.len()).sum::<usize>();
        norms
            + match &self.branch {
                Branch::Attention(weights, tape) => {
                    3 * weights.wq.len() + weights.wo.as_ref().map_or(0, Array2::len) + tape.len()
                }
                Branch::FeedForward(weights, tape) => {
                    2 * weights.w1.len() + weights.wg.as_ref().map_or(0, Array2::len) + tape.len()
                }
            }
    }
}

/// What [`sublayer_forward`] returns.
pub(super) struct SublayerOutput {
    /// The stream after the sublayer, (N, d).
    pub stream: Array2<f64>,
    /// Size of what was added to the stream by the size of what it was added to.
    pub update_ratio: f64,
    pub tape: SublayerTape,
}

/// `N_sum(skip x + N_branch(f(N_input(x))))`, x (N, d).
pub(super) fn sublayer_forward(parameters: &Parameters, sublayer: &Sublayer, x: &Array2<f64>) -> SublayerOutput {
    let config = parameters.config();
    let norm = |x: &Array2<f64>| norm_forward(config.norm, config.width as usize, x);
    let read = sublayer.input_norm.then(|| norm(x));
    let input = read.as_ref().map_or(x, |read| &read.y);
    let (out, branch) = match sublayer.kind {
        SublayerKind::CrossAttention => unimplemented!(),
        SublayerKind::Attention => {
            let weights = AttentionWeights::of(parameters, sublayer.block);
            let (out, tape) = attention_forward(config, &weights, input);
            (out, Branch::Attention(weights, Box::new(tape)))
        }
        SublayerKind::FeedForward => {
            let weights = FeedForwardWeights::of(parameters, sublayer.block);
            let (out, tape) = feed_forward_forward(config.act, &weights, input);
            (out, Branch::FeedForward(weights, tape))
        }
    };
    let returned = sublayer.branch_norm.then(|| norm(&out));
    let update = returned.as_ref().map_or(&out, |returned| &returned.y);
    let update_ratio = frobenius(update) / (sublayer.skip * frobenius(x));
    let mut stream = x * sublayer.skip;
    stream += update;
    let mut sum_inverse = None;
    if sublayer.sum_norm {
        let Normed { y, inverse } = norm(&stream);
        stream = y;
        sum_inverse = Some(inverse);
    }
    SublayerOutput { stream, update_ratio, tape: SublayerTape { read, branch, returned, sum_inverse } }
}

/// What follows the last block.
pub(super) struct Output {
    /// Mean cross-entropy, nats.
    pub loss: f64,
    /// The final norm, where there is one.
    pub normed: Option<Normed>,
    /// U, (d, V).
    pub unembedding: Array2<f64>,
    /// (N, V).
    pub probabilities: Array2<f64>,
    /// (N).
    pub targets: Vec<usize>,
}

/// Final norm, un-embedding and loss; x (N, d).
pub(super) fn output_forward(parameters: &Parameters, x: &Array2<f64>) -> Output {
    let config = parameters.config();
    let normed = config.has_final_norm().then(|| norm_forward(config.norm, config.width as usize, x));
    let unembedding = parameters.unembedding();
    let targets = parameters.targets();
    let logits = normed.as_ref().map_or(x, |normed| &normed.y).dot(&unembedding);
    let (loss, probabilities) = loss_forward(&logits, &targets);
    Output { loss, normed, unembedding, probabilities, targets }
}
