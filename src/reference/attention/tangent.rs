//! The forward-mode pass of an attention.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Axis};

use super::softmax::softmax_tangent;
use super::{Attending, AttentionTape, AttentionWeights, Part, Projection};
use crate::model::Norm;
use crate::reference::norm::norm_tangent;

/// What a change of the input, dx, and of the weights makes of the output. x, dx, dout (N, d); a memory never changes.
pub(in crate::reference) fn attention_tangent(
    attending: Attending,
    weights: &AttentionWeights,
    dweights: &AttentionWeights,
    tape: &AttentionTape,
    x: &Array2<f64>,
    dx: &Array2<f64>,
) -> Array2<f64> {
    let config = attending.config;
    let through = |matrix: &Array2<f64>, dmatrix: &Array2<f64>| {
        let mut change = x.dot(dmatrix);
        general_mat_mul(1.0, dx, matrix, 1.0, &mut change);
        change
    };
    let of_source = |matrix: &Array2<f64>, dmatrix: &Array2<f64>| {
        attending.memory.map_or_else(|| through(matrix, dmatrix), |memory| memory.dot(dmatrix))
    };
    let dqueries = project_tangent(attending, &tape.queries, through(&weights.query, &dweights.query));
    let dkeys = project_tangent(attending, &tape.keys, of_source(&weights.key, &dweights.key));
    let dvalues = of_source(&weights.value, &dweights.value);
    let tokens = config.tokens as usize;
    let mut dscores = Array2::zeros((tokens, tokens));
    let mut dmixed = Array2::zeros(x.raw_dim());
    for (index, attention) in tape.attention.axis_iter(Axis(0)).enumerate() {
        let part = Part::new(config, index);
        let (queries, keys) = (part.of(&tape.queries.values), part.of(&tape.keys.values));
        general_mat_mul(attending.scale(), &part.of(&dqueries), &keys.t(), 0.0, &mut dscores);
        general_mat_mul(attending.scale(), &queries, &part.of(&dkeys).t(), 1.0, &mut dscores);
        softmax_tangent(&attention, &mut dscores);
        let mut dmixed = part.of_mut(&mut dmixed);
        general_mat_mul(1.0, &dscores, &part.of(&tape.values), 0.0, &mut dmixed);
        general_mat_mul(1.0, &attention, &part.of(&dvalues), 1.0, &mut dmixed);
    }
    match (&weights.output, &dweights.output) {
        (Some(matrix), Some(dmatrix)) => {
            let mut dout = dmixed.dot(matrix);
            general_mat_mul(1.0, &tape.mixed, dmatrix, 1.0, &mut dout);
            dout
        }
        _ => dmixed,
    }
}

fn project_tangent(attending: Attending, projection: &Projection, change: Array2<f64>) -> Array2<f64> {
    match (attending.norm_group(), &projection.inverse) {
        (Some(group), Some(inverse)) => norm_tangent(Norm::RmsNorm, group, &projection.values, inverse, &change),
        _ => change,
    }
}
