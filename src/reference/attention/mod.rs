//! Attention over the heads of each sequence: self-attention, and cross-attention to a constant memory.

mod backward;
mod softmax;
mod tangent;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Array3, ArrayView2, ArrayViewMut2, Axis, Slice};

pub(super) use backward::{AttentionGradients, attention_backward};
use softmax::{softmax_entropy, softmax_forward};
pub(super) use tangent::attention_tangent;

use super::measures::larger;
use super::norm::{Normed, norm_forward};
use super::parameters::Parameters;
use crate::model::{Config, Norm, QkNorm, Tensor};

/// Which of the attentions of a block.
#[derive(Clone, Copy)]
pub(super) struct Attending<'a> {
    pub config: &'a Config,
    /// What keys and values of a cross-attention are made of, (N, d). A self-attention has none: it makes them of its
    /// input.
    pub memory: Option<&'a Array2<f64>>,
}

impl<'a> Attending<'a> {
    /// What keys and values are made of, (N, d).
    fn source<'b>(&self, x: &'b Array2<f64>) -> &'b Array2<f64>
    where
        'a: 'b,
    {
        self.memory.unwrap_or(x)
    }

    /// Whether a token is hidden from those before it.
    const fn is_causal(&self) -> bool {
        self.config.causal.0 && self.memory.is_none()
    }

    /// How many features of a query or key are normed together.
    const fn norm_group(&self) -> Option<usize> {
        match self.config.qk_norm {
            QkNorm::Head if self.memory.is_none() => Some(self.config.head_width()),
            QkNorm::Full if self.memory.is_none() => Some(self.config.width as usize),
            _ => None,
        }
    }

    /// What a score is multiplied by.
    fn scale(&self) -> f64 {
        1.0 / (self.config.head_width() as f64).sqrt()
    }
}

/// The matrices of one attention, their gradients or their tangents. (d, d) each.
pub(super) struct AttentionWeights {
    pub query: Array2<f64>,
    pub key: Array2<f64>,
    pub value: Array2<f64>,
    /// None where attention has no output projection.
    pub output: Option<Array2<f64>>,
}

/// The names of the matrices of a self-attention: query, key, value, output.
const SELF: [Tensor; 4] = [Tensor::Wq, Tensor::Wk, Tensor::Wv, Tensor::Wo];

/// The names of the matrices of a cross-attention, in the same order.
const CROSS: [Tensor; 4] = [Tensor::Cq, Tensor::Ck, Tensor::Cv, Tensor::Co];

/// The names of the matrices of an attention: query, key, value, output.
pub(super) const fn names(attending: Attending) -> [Tensor; 4] {
    if attending.memory.is_none() { SELF } else { CROSS }
}

impl AttentionWeights {
    pub(super) fn of(parameters: &Parameters, names: [Tensor; 4], block: usize) -> Self {
        let [query, key, value, output] = names;
        Self {
            query: parameters.required(query, block),
            key: parameters.required(key, block),
            value: parameters.required(value, block),
            output: parameters.matrix(output, block),
        }
    }

    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        3 * self.query.len() + self.output.as_ref().map_or(0, Array2::len)
    }

    /// With their names.
    pub(super) fn named(self, names: [Tensor; 4]) -> Vec<(Tensor, Array2<f64>)> {
        let [query, key, value, output] = names;
        let projections = [(query, self.query), (key, self.key), (value, self.value)];
        projections.into_iter().chain(self.output.map(|matrix| (output, matrix))).collect()
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
    /// `max |q . k| / sqrt(k)` of the pairs that see each other.
    pub max_logit: f64,
    /// Whether keys and values are a memory's.
    pub is_cross: bool,
}

impl AttentionTape {
    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        4 * self.values.len() + self.attention.len()
    }

    /// `-sum a ln a / ln T`, averaged over batch, heads and queries.
    pub(super) fn entropy(&self) -> f64 {
        let (pairs, tokens, _) = self.attention.dim();
        let total: f64 = self.attention.axis_iter(Axis(0)).map(|attention| softmax_entropy(&attention)).sum();
        total / (pairs * tokens) as f64 / (tokens as f64).ln()
    }
}

/// x (N, d), out (N, d).
pub(super) fn attention_forward(
    attending: Attending,
    weights: &AttentionWeights,
    x: &Array2<f64>,
) -> (Array2<f64>, AttentionTape) {
    let config = attending.config;
    let source = attending.source(x);
    let queries = project(attending, &weights.query, x);
    let keys = project(attending, &weights.key, source);
    let values = source.dot(&weights.value);
    let tokens = config.tokens as usize;
    let pairs = config.batch as usize * config.heads as usize;
    let mut attention = Array3::zeros((pairs, tokens, tokens));
    let mut mixed = Array2::zeros(x.raw_dim());
    let mut max_logit = 0.0;
    for (index, mut scores) in attention.axis_iter_mut(Axis(0)).enumerate() {
        let part = Part::new(config, index);
        general_mat_mul(attending.scale(), &part.of(&queries.values), &part.of(&keys.values).t(), 0.0, &mut scores);
        max_logit = larger(max_logit, softmax_forward(attending.is_causal(), &mut scores));
        general_mat_mul(1.0, &scores, &part.of(&values), 0.0, &mut part.of_mut(&mut mixed));
    }
    let out = weights.output.as_ref().map_or_else(|| mixed.clone(), |matrix| mixed.dot(matrix));
    (out, AttentionTape { queries, keys, values, attention, mixed, max_logit, is_cross: attending.memory.is_some() })
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

/// `x W`, (N, d), normed as `qk_norm` has it.
fn project(attending: Attending, matrix: &Array2<f64>, x: &Array2<f64>) -> Projection {
    let values = x.dot(matrix);
    match attending.norm_group() {
        None => Projection { values, inverse: None },
        Some(group) => {
            let Normed { y, inverse } = norm_forward(Norm::RmsNorm, group, &values);
            Projection { values: y, inverse: Some(inverse) }
        }
    }
}
