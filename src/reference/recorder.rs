//! Fills a measurement from the arrays of a run.

use std::collections::VecDeque;

use ndarray::Array2;

use super::attention::AttentionTape;
use super::forward::{Branch, Output, SublayerOutput};
use super::measures::{frobenius, peak, rank_residual, token_cosine};
use super::parameters::Parameter;
use super::run::Observer;
use super::standard;
use crate::model::{Config, Sublayer, SublayerKind, Tensor};
use crate::stats::{Engine, Measurement, Quantity, Series};

/// Fills the series of a [`Measurement`].
pub(super) struct Recorder {
    tokens: usize,
    sublayers_per_block: usize,
    measurement: Measurement,
    /// Ahead of each step, what the same step has of a run that should be equal to this one.
    pub shadow: Shadow,
    /// The gradient at the stream after the sublayer that is next in the backward pass.
    after: Option<Known>,
}

/// The norm of a gradient and its estimated relative error.
#[derive(Clone, Copy)]
struct Known {
    size: f64,
    error: f64,
}

/// Keeps the gradients of a run, and the statistics of its forward pass that a saturated softmax may take from it, in
/// the order in which they come.
#[derive(Default)]
pub(super) struct Shadow {
    gradients: VecDeque<Array2<f64>>,
    statistics: VecDeque<f64>,
    tokens: usize,
}

impl Observer for Shadow {
    fn stream(&mut self, _boundary: usize, x: &Array2<f64>) {
        self.statistics.push_back(rank_residual(self.tokens, x));
    }

    fn sublayer(&mut self, _index: usize, output: &SublayerOutput) {
        if let Some(tape) = self_attention(output) {
            self.statistics.extend([tape.entropy(), tape.max_logit]);
        }
    }

    fn stream_gradient(&mut self, _sublayer: usize, gradient: &Array2<f64>) {
        self.gradients.push_back(gradient.clone());
    }

    fn gradient(&mut self, _parameter: Parameter, gradient: Array2<f64>) {
        self.gradients.push_back(gradient);
    }
}

/// What a sublayer has on its tape if it is a self-attention.
fn self_attention(output: &SublayerOutput) -> Option<&AttentionTape> {
    match &output.tape.branch {
        Branch::Attention(_, tape) if !tape.is_cross => Some(tape),
        _ => None,
    }
}

/// `|difference| / |value|`, nothing where both are zero.
fn relative(difference: f64, value: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { (difference / value).abs() }
}

impl Recorder {
    pub(super) fn new(config: &Config) -> Self {
        let series = Quantity::all(config).into_iter();
        let series = series.map(|quantity| Series::exact(quantity, vec![f64::NAN; quantity.len(config)])).collect();
        let measurement = Measurement { config: config.clone(), engine: Engine::Reference, series };
        let tokens = config.tokens as usize;
        Self {
            tokens,
            sublayers_per_block: config.sublayers_per_block(),
            measurement,
            shadow: Shadow { tokens, ..Shadow::default() },
            after: None,
        }
    }

    /// What was recorded, at the end of the run.
    pub(super) fn measurement(&self) -> Measurement {
        self.measurement.clone()
    }

    fn set(&mut self, quantity: Quantity, index: usize, value: f64) {
        if let Some(series) = self.series(quantity) {
            series.values[index] = value;
        }
    }

    /// A statistic of the forward pass, and its distance from the shadow's as the error.
    fn set_statistic(&mut self, quantity: Quantity, index: usize, value: f64) {
        self.set(quantity, index, value);
        if let Some(shadow) = self.shadow.statistics.pop_front() {
            self.raise_error(quantity, index, relative(value - shadow, value));
        }
    }

    /// The norm of a gradient, with its distance from the shadow's as the error.
    fn judge(&mut self, gradient: &Array2<f64>) -> Known {
        let size = frobenius(gradient);
        let shadow = self.shadow.gradients.pop_front();
        let error = shadow.map_or(0.0, |shadow| relative(frobenius(&(gradient - &shadow)), size));
        Known { size, error }
    }

    fn set_known(&mut self, quantity: Quantity, index: usize, known: Known) {
        self.set(quantity, index, known.size);
        self.raise_error(quantity, index, known.error);
    }

    /// The estimated relative error of a value, unless a larger one is known.
    fn raise_error(&mut self, quantity: Quantity, index: usize, error: f64) {
        if error == 0.0 {
            return;
        }
        if let Some(series) = self.series(quantity) {
            series.relative_error.resize(series.values.len(), 0.0);
            let known = &mut series.relative_error[index];
            *known = if error.is_nan() { error } else { known.max(error) };
        }
    }

    fn series(&mut self, quantity: Quantity) -> Option<&mut Series> {
        self.measurement.series.iter_mut().find(|series| series.quantity == quantity)
    }
}

impl Observer for Recorder {
    fn stream(&mut self, boundary: usize, x: &Array2<f64>) {
        self.set(Quantity::StreamRms, boundary, frobenius(x) / (x.len() as f64).sqrt());
        self.set(Quantity::StreamMax, boundary, peak(standard(x)));
        self.set(Quantity::TokenCosine, boundary, token_cosine(self.tokens, x));
        let residual = rank_residual(self.tokens, x);
        self.set_statistic(Quantity::RankResidual, boundary, residual);
        // A difference of tokens is known to the rounding of the tokens themselves.
        self.raise_error(Quantity::RankResidual, boundary, SPREAD_ERROR / residual);
    }

    fn sublayer(&mut self, index: usize, output: &SublayerOutput) {
        self.set(Quantity::UpdateRatio, index, output.update_ratio);
        let tape = &output.tape;
        let inverse = tape.sum_inverse.as_ref().or_else(|| tape.read.as_ref().map(|read| &read.inverse));
        let jacobian = inverse.map_or(0.0, |inverse| inverse.iter().sum::<f64>() / inverse.len() as f64);
        self.set(Quantity::NormJacobian, index, jacobian);
        if let Some(tape) = self_attention(output) {
            let block = index / self.sublayers_per_block;
            self.set_statistic(Quantity::AttentionEntropy, block, tape.entropy());
            self.set_statistic(Quantity::MaxLogit, block, tape.max_logit);
        }
    }

    fn output(&mut self, output: &Output) {
        self.set(Quantity::Loss, 0, output.loss);
    }

    fn stream_gradient(&mut self, sublayer: usize, gradient: &Array2<f64>) {
        let known = self.judge(gradient);
        if sublayer.is_multiple_of(self.sublayers_per_block) {
            let boundary = sublayer / self.sublayers_per_block;
            self.set_known(Quantity::GradStream, boundary, known);
            let cosine = token_cosine(self.tokens, gradient);
            self.set(Quantity::GradCosine, boundary, cosine);
            // A cosine moves by no more than the directions it is between.
            self.raise_error(Quantity::GradCosine, boundary, relative(known.error, cosine));
        }
        if let Some(after) = self.after.replace(known) {
            let ratio = known.size / after.size;
            self.set(Quantity::NetFactor, sublayer, ratio * ratio);
            self.raise_error(Quantity::NetFactor, sublayer, 2.0 * (known.error + after.error));
        }
    }

    fn gradient(&mut self, parameter: Parameter, gradient: Array2<f64>) {
        let known = self.judge(&gradient);
        match parameter {
            Parameter::Layer { tensor, block } => self.set_known(Quantity::GradWeight(tensor), block, known),
            Parameter::Unembedding => self.set_known(Quantity::GradUnembed, 0, known),
            Parameter::Input => {}
        }
    }

    /// The gradients of W_Q and W_K come from how values differ between tokens, and a difference is known to the
    /// rounding of the values themselves.
    fn value_spread(&mut self, sublayer: &Sublayer, spread: f64) {
        let tensors = match sublayer.kind {
            SublayerKind::CrossAttention => [Tensor::Cq, Tensor::Ck],
            SublayerKind::Attention | SublayerKind::FeedForward => [Tensor::Wq, Tensor::Wk],
        };
        for tensor in tensors {
            self.raise_error(Quantity::GradWeight(tensor), sublayer.block, SPREAD_ERROR / spread);
        }
    }
}

/// By this over how far tokens lie apart, by their own size, what comes of their differences is uncertain. A safe
/// estimate, against runs in 80 bits, where it nears one.
const SPREAD_ERROR: f64 = 1.5 * f64::EPSILON;
