//! What is measured of the arrays of a run.

use std::collections::VecDeque;

use ndarray::{Array2, Axis};

use super::parameters::Parameter;
use super::run::Observer;
use super::standard;
use crate::model::{Config, Tensor};
use crate::stats::{Engine, Measurement, Quantity, Series};

/// `sqrt(sum of squares)`, also where the squares themselves would not fit.
pub(super) fn frobenius(x: &Array2<f64>) -> f64 {
    norm(standard(x))
}

fn norm(x: &[f64]) -> f64 {
    let peak = peak(x);
    if peak == 0.0 || !peak.is_finite() {
        return peak;
    }
    peak * x.iter().map(|value| (value / peak) * (value / peak)).sum::<f64>().sqrt()
}

/// The largest magnitude; NaN if there is one.
fn peak(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |peak, value| {
        let size = value.abs();
        if size > peak || size.is_nan() { size } else { peak }
    })
}

/// Mean cosine of two different tokens of a sequence, averaged over the sequences; x (N, d).
fn token_cosine(x: &Array2<f64>, tokens: usize) -> f64 {
    let of_sequence = x.axis_chunks_iter(Axis(0), tokens).map(|sequence| {
        let mut sum = vec![0.0; sequence.ncols()];
        for row in sequence.rows() {
            let length = norm(standard(&row));
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / length);
        }
        // The squared length of the sum of T unit vectors is T plus the cosines of all ordered pairs.
        let pairs = sum.iter().map(|value| value * value).sum::<f64>() - tokens as f64;
        pairs / (tokens * (tokens - 1)) as f64
    });
    of_sequence.sum::<f64>() / (x.nrows() / tokens) as f64
}

/// Fills the series of a [`Measurement`].
pub(super) struct Recorder {
    tokens: usize,
    measurement: Measurement,
    /// Ahead of each step, the gradients of the same step of a run that should be equal to this one.
    pub shadow: Shadow,
}

/// Keeps the gradients of a run, in the order in which they come.
#[derive(Default)]
pub(super) struct Shadow(VecDeque<Array2<f64>>);

impl Observer for Shadow {
    fn stream_gradient(&mut self, _boundary: usize, gradient: &Array2<f64>) {
        self.0.push_back(gradient.clone());
    }

    fn gradient(&mut self, _parameter: Parameter, gradient: Array2<f64>) {
        self.0.push_back(gradient);
    }
}

impl Recorder {
    pub(super) fn new(config: &Config) -> Self {
        let series = Quantity::all(config).into_iter();
        let series = series.map(|quantity| Series::exact(quantity, vec![f64::NAN; quantity.len(config)])).collect();
        let measurement = Measurement { config: config.clone(), engine: Engine::Reference, series };
        Self { tokens: config.tokens as usize, measurement, shadow: Shadow::default() }
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

    /// The norm of a gradient, and its distance from the shadow's as the error.
    fn set_gradient(&mut self, quantity: Option<Quantity>, index: usize, gradient: &Array2<f64>) {
        let shadow = self.shadow.0.pop_front();
        let Some(quantity) = quantity else { return };
        let size = frobenius(gradient);
        self.set(quantity, index, size);
        if let Some(shadow) = shadow {
            let distance = frobenius(&(gradient - &shadow));
            self.raise_error(quantity, index, if distance == 0.0 { 0.0 } else { distance / size });
        }
    }

    /// The estimated relative error of a value, unless a larger one is known.
    fn raise_error(&mut self, quantity: Quantity, index: usize, error: f64) {
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
        self.set(Quantity::TokenCosine, boundary, token_cosine(x, self.tokens));
    }

    fn update_ratio(&mut self, sublayer: usize, ratio: f64) {
        self.set(Quantity::UpdateRatio, sublayer, ratio);
    }

    fn loss(&mut self, loss: f64) {
        self.set(Quantity::Loss, 0, loss);
    }

    fn stream_gradient(&mut self, boundary: usize, gradient: &Array2<f64>) {
        self.set_gradient(Some(Quantity::GradStream), boundary, gradient);
    }

    fn gradient(&mut self, parameter: Parameter, gradient: Array2<f64>) {
        let (quantity, index) = match parameter {
            Parameter::Layer { tensor, block } => (Some(Quantity::GradWeight(tensor)), block),
            Parameter::Unembedding => (Some(Quantity::GradUnembed), 0),
            Parameter::Input => (None, 0),
        };
        self.set_gradient(quantity, index, &gradient);
    }

    /// The gradients of W_Q and W_K come from how values differ between tokens, and a difference is known to the
    /// rounding of the values themselves. Against runs in 80 bits, 1.5 `epsilon / spread` is a safe estimate where it
    /// nears one.
    fn value_spread(&mut self, block: usize, spread: f64) {
        for tensor in [Tensor::Wq, Tensor::Wk] {
            self.raise_error(Quantity::GradWeight(tensor), block, 1.5 * f64::EPSILON / spread);
        }
    }
}
