//! The backward pass of an attention.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Axis};

use super::softmax::softmax_backward;
use super::{Attending, AttentionTape, AttentionWeights, Part, Projection};
use crate::model::Norm;
use crate::reference::measures::{centred, frobenius};
use crate::reference::norm::norm_backward;

/// What [`attention_backward`] returns.
pub(in crate::reference) struct AttentionGradients {
    /// At the input, (N, d). A memory is a constant and gets none.
    pub dx: Array2<f64>,
    /// At the weights.
    pub weights: AttentionWeights,
    /// How far the tokens' values lie apart: `rms(v - mean over tokens) / rms(v)`.
    pub spread: f64,
}

/// x (N, d), dout (N, d).
///
/// Three shifts that change nothing in exact arithmetic keep digits where tokens have become alike or a softmax has
/// saturated. The weights of a query sum to one and the derivatives of its scores to zero, so values and keys may be
/// taken from their mean over the tokens, the derivatives of the weights from that of the largest weight, and, where
/// keys have no norm, what W_K multiplies from its mean.
pub(in crate::reference) fn attention_backward(
    attending: Attending,
    weights: &AttentionWeights,
    x: &Array2<f64>,
    tape: &AttentionTape,
    dout: &Array2<f64>,
) -> AttentionGradients {
    let config = attending.config;
    let tokens = config.tokens as usize;
    let (dmixed, doutput) = match &weights.output {
        Some(matrix) => (dout.dot(&matrix.t()), Some(tape.mixed.t().dot(dout))),
        None => (dout.clone(), None),
    };
    let values = centred(tokens, &tape.values);
    let keys = centred(tokens, &tape.keys.values);
    let mut scores = Array2::zeros((tokens, tokens));
    let mut dqueries = Array2::zeros(x.raw_dim());
    let mut dkeys = Array2::zeros(x.raw_dim());
    let mut dvalues = Array2::zeros(x.raw_dim());
    for (index, attention) in tape.attention.axis_iter(Axis(0)).enumerate() {
        let part = Part::new(config, index);
        let dmixed = part.of(&dmixed);
        general_mat_mul(attending.scale(), &dmixed, &part.of(&values).t(), 0.0, &mut scores);
        softmax_backward(&attention, &mut scores);
        general_mat_mul(1.0, &scores, &part.of(&keys), 0.0, &mut part.of_mut(&mut dqueries));
        general_mat_mul(1.0, &scores.t(), &part.of(&tape.queries.values), 0.0, &mut part.of_mut(&mut dkeys));
        general_mat_mul(1.0, &attention.t(), &dmixed, 0.0, &mut part.of_mut(&mut dvalues));
    }
    let dqueries = project_backward(attending, &tape.queries, dqueries);
    let dkeys = project_backward(attending, &tape.keys, dkeys);
    let mut dx = dqueries.dot(&weights.query.t());
    if attending.memory.is_none() {
        general_mat_mul(1.0, &dkeys, &weights.key.t(), 1.0, &mut dx);
        general_mat_mul(1.0, &dvalues, &weights.value.t(), 1.0, &mut dx);
    }
    let source = attending.source(x);
    let key = match attending.norm_group() {
        None => centred(tokens, source).t().dot(&dkeys),
        Some(_) => source.t().dot(&dkeys),
    };
    AttentionGradients {
        dx,
        weights: AttentionWeights {
            query: x.t().dot(&dqueries),
            key,
            value: source.t().dot(&dvalues),
            output: doutput,
        },
        spread: frobenius(&values) / frobenius(&tape.values),
    }
}

fn project_backward(attending: Attending, projection: &Projection, gradient: Array2<f64>) -> Array2<f64> {
    match (attending.norm_group(), &projection.inverse) {
        (Some(group), Some(inverse)) => norm_backward(Norm::RmsNorm, group, &projection.values, inverse, &gradient),
        _ => gradient,
    }
}
