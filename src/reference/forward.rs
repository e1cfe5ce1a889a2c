//! The forward pass of a sublayer and of what follows the last block.

use std::borrow::Cow;

use ndarray::Array2;

use super::attention::{Attending, AttentionTape, AttentionWeights, attention_forward, names};
use super::feed_forward::{FeedForwardTape, FeedForwardWeights, feed_forward_forward};
use super::loss::loss_forward;
use super::measures::frobenius;
use super::norm::{Normed, norm_forward};
use super::parameters::Parameters;
use crate::model::{Config, Sublayer, SublayerKind};

/// What the backward pass of a sublayer needs besides the stream before and after it.
pub(super) struct SublayerTape {
    /// The norm on what the branch reads, where there is one.
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
                Branch::Attention(weights, tape) => weights.len() + tape.len(),
                Branch::FeedForward(weights, tape) => weights.len() + tape.len(),
            }
    }

    /// What the branch reads, (N, d), of the stream x before the sublayer, (N, d).
    pub(super) fn input<'a>(&'a self, sublayer: &Sublayer, x: &'a Array2<f64>) -> Cow<'a, Array2<f64>> {
        read_of(sublayer, self.read.as_ref(), x)
    }
}

/// What a branch reads: the stream x, (N, d), or what the norm on it gives, damped as the sublayer has it.
fn read_of<'a>(sublayer: &Sublayer, normed: Option<&'a Normed>, x: &'a Array2<f64>) -> Cow<'a, Array2<f64>> {
    let read = normed.map_or(x, |normed| &normed.y);
    if sublayer.input_gain == 1.0 { Cow::Borrowed(read) } else { Cow::Owned(read * sublayer.input_gain) }
}

/// The attention that a sublayer of this kind is, if it is one.
pub(super) fn attending(parameters: &Parameters, kind: SublayerKind) -> Attending<'_> {
    let memory = if kind == SublayerKind::CrossAttention { parameters.memory() } else { None };
    Attending { config: parameters.config(), memory }
}

/// Any norm of the stream. x (N, d).
pub(super) fn stream_norm(config: &Config, x: &Array2<f64>) -> Normed {
    norm_forward(config.norm, config.width as usize, x)
}

/// What [`sublayer_forward`] returns.
pub(super) struct SublayerOutput {
    /// The stream after the sublayer, (N, d).
    pub stream: Array2<f64>,
    /// What was added to the stream, (N, d).
    pub update: Array2<f64>,
    /// Size of what was added to the stream by the size of what it was added to.
    pub update_ratio: f64,
    pub tape: SublayerTape,
}

/// `N_sum(skip x + N_branch(f(input_gain N_input(x))))`, and the stream that entered the block in the sum too where the
/// sublayer adds it. x and `block_input` (N, d).
pub(super) fn sublayer_forward(
    parameters: &Parameters,
    sublayer: &Sublayer,
    x: &Array2<f64>,
    block_input: &Array2<f64>,
) -> SublayerOutput {
    let config = parameters.config();
    let read = sublayer.input_norm.then(|| stream_norm(config, x));
    let input = read_of(sublayer, read.as_ref(), x);
    let (out, branch) = match sublayer.kind {
        SublayerKind::Attention | SublayerKind::CrossAttention => {
            let attending = attending(parameters, sublayer.kind);
            let weights = AttentionWeights::of(parameters, names(attending), sublayer.block);
            let (out, tape) = attention_forward(attending, &weights, &input);
            (out, Branch::Attention(weights, Box::new(tape)))
        }
        SublayerKind::FeedForward => {
            let weights = FeedForwardWeights::of(parameters, sublayer.block);
            let (out, tape) = feed_forward_forward(config.act, &weights, &input);
            (out, Branch::FeedForward(weights, tape))
        }
    };
    let returned = sublayer.branch_norm.then(|| stream_norm(config, &out));
    let update = returned.as_ref().map_or(out, |returned| returned.y.clone());
    let update_ratio = frobenius(&update) / (sublayer.skip * frobenius(x));
    let mut stream = x * sublayer.skip;
    stream += &update;
    if sublayer.adds_block_input {
        stream += block_input;
    }
    let mut sum_inverse = None;
    if sublayer.sum_norm {
        let Normed { y, inverse } = stream_norm(config, &stream);
        stream = y;
        sum_inverse = Some(inverse);
    }
    drop(input);
    SublayerOutput { stream, update, update_ratio, tape: SublayerTape { read, branch, returned, sum_inverse } }
}

/// What follows the last block.
pub(super) struct Output {
    /// Mean cross-entropy, nats.
    pub loss: f64,
    /// The final norm, where there is one, or that of the second stream.
    pub normed: Option<Normed>,
    /// What is un-embedded, (N, d).
    pub out: Array2<f64>,
    /// U, (d, V).
    pub unembedding: Array2<f64>,
    /// (N, V).
    pub probabilities: Array2<f64>,
    /// (N).
    pub targets: Vec<usize>,
}

impl Output {
    /// (N, V).
    pub(super) fn logits(&self) -> Array2<f64> {
        self.out.dot(&self.unembedding)
    }
}

/// Final norm, un-embedding and loss; x (N, d), and the second stream, (N, d), where the placement has one.
pub(super) fn output_forward(parameters: &Parameters, x: &Array2<f64>, dual: Option<&Array2<f64>>) -> Output {
    let config = parameters.config();
    let normed = match dual {
        Some(dual) => Some(stream_norm(config, dual)),
        None => config.has_final_norm().then(|| stream_norm(config, x)),
    };
    let out = match (&normed, dual) {
        (Some(normed), Some(_)) => x + &normed.y,
        (Some(normed), None) => normed.y.clone(),
        (None, _) => x.clone(),
    };
    let unembedding = parameters.unembedding();
    let targets = parameters.targets();
    let (loss, probabilities) = loss_forward(&out.dot(&unembedding), &targets);
    Output { loss, normed, out, unembedding, probabilities, targets }
}
