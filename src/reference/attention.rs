//! Self-attention over the heads of each sequence.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Array3, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::norm::{Normed, norm_backward, norm_forward};
use super::parameters::Parameters;
use super::{frobenius, standard_mut};
use crate::model::{Config, Norm, QkNorm, Tensor};

/// The matrices of one attention, or their gradients. (d, d) each.
pub(super) struct AttentionWeights {
    pub wq: Array2<f64>,
    pub wk: Array2<f64>,
    pub wv: Array2<f64>,
    /// None where attention has no output projection.
    pub wo: Option<Array2<f64>>,
}

impl AttentionWeights {
    pub(super) fn of(parameters: &Parameters, block: usize) -> Self {
        Self {
            wq: parameters.required(Tensor::Wq, block),
            wk: parameters.required(Tensor::Wk, block),
            wv: parameters.required(Tensor::Wv, block),
            wo: parameters.matrix(Tensor::Wo, block),
        }
    }

    /// With their names.
    pub(super) fn named(self) -> Vec<(Tensor, Array2<f64>)> {
        let output = self.wo.map(|wo| (Tensor::Wo, wo));
        [(Tensor::Wq, self.wq), (Tensor::Wk, self.wk), (Tensor::Wv, self.wv)].into_iter().chain(output).collect()
    }
}

/// Queries or keys, (N, d), and the inverse deviations of their norm if they have one.
struct Projection {
    values: Array2<f64>,
    inverse: Option<Vec<f64>>,
}

/// What the backward pass needs besides the input and the weights.
pub(super) struct AttentionTape {
    queries: Projection,
    keys: Projection,
    /// (N, d).
    values: Array2<f64>,
    /// Weights of the tokens, (B H, T, T): query by key.
    attention: Array3<f64>,
    /// What W_O multiplies, (N, d).
    mixed: Array2<f64>,
}

impl AttentionTape {
    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        4 * self.values.len() + self.attention.len()
    }
}

/// x (N, d), out (N, d).
pub(super) fn attention_forward(
    config: &Config,
    weights: &AttentionWeights,
    x: &Array2<f64>,
) -> (Array2<f64>, AttentionTape) {
    let queries = project(config, &weights.wq, x);
    let keys = project(config, &weights.wk, x);
    let values = x.dot(&weights.wv);
    let tokens = config.tokens as usize;
    let pairs = config.batch as usize * config.heads as usize;
    let scale = 1.0 / (config.head_width() as f64).sqrt();
    let mut attention = Array3::zeros((pairs, tokens, tokens));
    let mut mixed = Array2::zeros(x.raw_dim());
    for (index, mut scores) in attention.axis_iter_mut(Axis(0)).enumerate() {
        let part = Part::new(config, index);
        general_mat_mul(scale, &part.of(&queries.values), &part.of(&keys.values).t(), 0.0, &mut scores);
        softmax_forward(config.causal.0, &mut scores);
        general_mat_mul(1.0, &scores, &part.of(&values), 0.0, &mut part.of_mut(&mut mixed));
    }
    let out = weights.wo.as_ref().map_or_else(|| mixed.clone(), |wo| mixed.dot(wo));
    (out, AttentionTape { queries, keys, values, attention, mixed })
}

/// What [`attention_backward`] returns.
pub(super) struct AttentionGradients {
    /// At the input, (N, d).
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
/// keys have no norm, the input of W_K from its mean.
pub(super) fn attention_backward(
    config: &Config,
    weights: &AttentionWeights,
    x: &Array2<f64>,
    tape: &AttentionTape,
    dout: &Array2<f64>,
) -> AttentionGradients {
    let (dmixed, dwo) = match &weights.wo {
        Some(wo) => (dout.dot(&wo.t()), Some(tape.mixed.t().dot(dout))),
        None => (dout.clone(), None),
    };
    let values = centred(config, &tape.values);
    let keys = centred(config, &tape.keys.values);
    let scale = 1.0 / (config.head_width() as f64).sqrt();
    let tokens = config.tokens as usize;
    let mut scores = Array2::zeros((tokens, tokens));
    let mut dqueries = Array2::zeros(x.raw_dim());
    let mut dkeys = Array2::zeros(x.raw_dim());
    let mut dvalues = Array2::zeros(x.raw_dim());
    for (index, attention) in tape.attention.axis_iter(Axis(0)).enumerate() {
        let part = Part::new(config, index);
        let dmixed = part.of(&dmixed);
        general_mat_mul(scale, &dmixed, &part.of(&values).t(), 0.0, &mut scores);
        softmax_backward(&attention, &mut scores);
        general_mat_mul(1.0, &scores, &part.of(&keys), 0.0, &mut part.of_mut(&mut dqueries));
        general_mat_mul(1.0, &scores.t(), &part.of(&tape.queries.values), 0.0, &mut part.of_mut(&mut dkeys));
        general_mat_mul(1.0, &attention.t(), &dmixed, 0.0, &mut part.of_mut(&mut dvalues));
    }
    let dqueries = project_backward(config, &tape.queries, dqueries);
    let dkeys = project_backward(config, &tape.keys, dkeys);
    let mut dx = dqueries.dot(&weights.wq.t());
    general_mat_mul(1.0, &dkeys, &weights.wk.t(), 1.0, &mut dx);
    general_mat_mul(1.0, &dvalues, &weights.wv.t(), 1.0, &mut dx);
    let dwk = if config.qk_norm == QkNorm::None { centred(config, x).t().dot(&dkeys) } else { x.t().dot(&dkeys) };
    AttentionGradients {
        dx,
        weights: AttentionWeights { wq: x.t().dot(&dqueries), wk: dwk, wv: x.t().dot(&dvalues), wo: dwo },
        spread: frobenius(&values) / frobenius(&tape.values),
    }
}

/// One head of one sequence in an (N, d) array.
struct Part([Slice; 2]);

impl Part {
    /// The `index`-th of B H.
    fn new(config: &Config, index: usize) -> Self {
        let (heads, tokens, width) = (config.heads as usize, config.tokens as usize, config.head_width());
        let (row, column) = (index / heads * tokens, index % heads * width);
        Self([Slice::from(row..row + tokens), Slice::from(column..column + width)])
    }

    /// (T, k).
    fn of<'a>(&self, x: &'a Array2<f64>) -> ArrayView2<'a, f64> {
        x.slice_each_axis(|axis| self.0[axis.axis.index()])
    }

    /// (T, k).
    fn of_mut<'a>(&self, x: &'a mut Array2<f64>) -> ArrayViewMut2<'a, f64> {
        x.slice_each_axis_mut(|axis| self.0[axis.axis.index()])
    }
}

/// In place from scores to the weights of the tokens, (T, T), query by key.
fn softmax_forward(causal: bool, scores: &mut ArrayViewMut2<f64>) {
    let tokens = scores.ncols();
    for (query, mut row) in scores.rows_mut().into_iter().enumerate() {
        let (seen, unseen) = standard_mut(&mut row).split_at_mut(if causal { query + 1 } else { tokens });
        unseen.fill(0.0);
        let peak = seen.iter().fold(f64::NEG_INFINITY, |peak, score| peak.max(*score));
        let mut sum = 0.0;
        for score in &mut *seen {
            *score = (*score - peak).exp();
            sum += *score;
        }
        seen.iter_mut().for_each(|weight| *weight /= sum);
    }
}

/// In place from the gradient at the weights of the tokens to that at the scores, (T, T) both.
fn softmax_backward(attention: &ArrayView2<f64>, gradient: &mut Array2<f64>) {
    for (weights, mut row) in attention.rows().into_iter().zip(gradient.rows_mut()) {
        let (largest, _) = weights.iter().enumerate().fold((0, f64::NEG_INFINITY), |best, (index, &weight)| {
            if weight > best.1 { (index, weight) } else { best }
        });
        let base = row[largest];
        row -= base;
        let mean = weights.dot(&row);
        row.zip_mut_with(&weights, |d, weight| *d = (*d - mean) * weight);
    }
}

/// `x W`, (N, d), normed as `qk_norm` has it.
fn project(config: &Config, matrix: &Array2<f64>, x: &Array2<f64>) -> Projection {
    let values = x.dot(matrix);
    match norm_group(config) {
        None => Projection { values, inverse: None },
        Some(group) => {
            let Normed { y, inverse } = norm_forward(Norm::RmsNorm, group, &values);
            Projection { values: y, inverse: Some(inverse) }
        }
    }
}

fn project_backward(config: &Config, projection: &Projection, gradient: Array2<f64>) -> Array2<f64> {
    match (norm_group(config), &projection.inverse) {
        (Some(group), Some(inverse)) => norm_backward(Norm::RmsNorm, group, &projection.values, inverse, &gradient),
        _ => gradient,
    }
}

/// How many features of a query or key are normed together.
fn norm_group(config: &Config) -> Option<usize> {
    match config.qk_norm {
        QkNorm::None => None,
        QkNorm::Head => Some(config.head_width()),
        QkNorm::Full => Some(config.width as usize),
    }
}

/// x (N, d) less its mean over the tokens of each sequence.
fn centred(config: &Config, x: &Array2<f64>) -> Array2<f64> {
    let mut centred = x.clone();
    for mut sequence in centred.axis_chunks_iter_mut(Axis(0), config.tokens as usize) {
        if let Some(mean) = sequence.mean_axis(Axis(0)) {
            sequence -= &mean;
        }
    }
    centred
}
