//! What theory says of a run, as curves to be drawn over what was measured.
//!
//! | file | what it has |
//! |---|---|
//! | `recursion` | second moments from sublayer to sublayer, forward and backward |
//! | `branch` | what attention, cross-attention and FFN do to them |
//! | `gaussian` | the nonlinearities on Gaussians |
//! | `closed` | bounds, scalings and limits in closed form |
//! | `source` | papers |
//!
//! Nothing here runs a model. Where a curve starts from measured values it takes them from a [`Measurement`].

mod branch;
mod closed;
mod gaussian;
mod moments;
mod recursion;
mod source;

use branch::Branches;
pub use moments::Moments;
pub use recursion::{Prediction, predict};
pub use source::{Evidence, Source};

use crate::model::{Config, Tensor};
use crate::stats::{Mark, Measurement, Quantity};
use crate::text::theory as says;

/// What a curve claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The measured value is not below it.
    LowerBound,
    /// The measured value is not above it.
    UpperBound,
    /// The measured values are proportional to it; its size is taken from one of them.
    Scaling,
    /// The measured values are it.
    Prediction,
    /// The axis is to be read as the depth of a model: the values are proportional to the last value that models of
    /// these depths have. Only its own last value is one of this run.
    AcrossDepths,
}

/// One curve of theory over the curve of a measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// What it is called beside the line.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// What it is drawn over; its units are those of this quantity.
    pub quantity: Quantity,
    /// The block or sublayer of the first value: 0 for states of the stream and for sublayers, 1 for weights.
    pub first: usize,
    /// As many values as the quantity has, in the same order; NaN where the theory says nothing.
    pub values: Vec<f64>,
    /// Where it holds.
    pub holds: &'static str,
    /// What it claims.
    pub kind: Kind,
}

/// Every curve that theory has for a run.
///
/// They start from the measured stream and token cosine at boundary 0, and from the measured gradient and its cosine at
/// boundary L. A curve whose start was not measured, or is marked, is left out.
#[must_use]
pub fn overlays(measurement: &Measurement) -> Vec<Overlay> {
    let Some(stream) = moments(measurement, Quantity::StreamRms, Quantity::TokenCosine, 0) else { return Vec::new() };
    let mut list = mean_field(measurement, stream);
    list.extend(closed::overlays(measurement, stream));
    list
}

/// How far the measurement is from a curve at one of its values: the difference of cosines, of anything else
/// `measured / theory - 1`. `None` where either is missing, where the measured value is marked, and where the curve is not
/// about this run ([`Kind::AcrossDepths`]).
#[must_use]
pub fn deviation(overlay: &Overlay, measurement: &Measurement, index: usize) -> Option<f64> {
    let theory = *overlay.values.get(index)?;
    let measured = *measurement.values(overlay.quantity).get(index)?;
    let known = measurement.mark(overlay.quantity, index).is_none() && overlay.kind != Kind::AcrossDepths;
    let deviation = match overlay.quantity {
        Quantity::TokenCosine | Quantity::GradCosine => measured - theory,
        _ => measured / theory - 1.0,
    };
    (known && deviation.is_finite()).then_some(deviation)
}

/// Past this variance of the scores over the keys a softmax over tens of tokens is a few large weights, and averages of
/// exponentials no longer describe it: He's init has 4, the others at most 1.
const SCORES_EVEN_BELOW: f64 = 2.0;

/// Whether the recursion describes such a model: its tokens are alike, and its attention is not peaked.
#[must_use]
pub fn mean_field_holds(config: &Config) -> bool {
    let even = || Branches::new(config).peak_score_variance() < SCORES_EVEN_BELOW;
    !config.causal.0 && !config.has_unbounded_scores() && even()
}

fn mean_field(measurement: &Measurement, stream: Moments) -> Vec<Overlay> {
    let config = &measurement.config;
    if !mean_field_holds(config) {
        return Vec::new();
    }
    let depth = config.depth as usize;
    let top = moments(measurement, Quantity::GradStream, Quantity::GradCosine, depth);
    // Frobenius over all rows and features, where moments are of one entry.
    let entries = config.rows() as f64 * f64::from(config.width);
    let prediction = predict(config, stream, top.map_or(Moments::new(1.0, 0.0), |top| top * (1.0 / entries)));
    let cosines = |list: &[Moments]| list.iter().map(|moments| moments.cosine()).collect();
    let overlay = |quantity, values| Overlay {
        name: says::mean_field(),
        source: source::xiong_proof(),
        quantity,
        first: 0,
        values,
        holds: says::mean_field_holds(),
        kind: Kind::Prediction,
    };
    let mut list = vec![
        overlay(Quantity::StreamRms, prediction.stream.iter().map(|stream| stream.rms()).collect()),
        overlay(Quantity::TokenCosine, cosines(&prediction.stream)),
        overlay(Quantity::UpdateRatio, prediction.update_ratio),
    ];
    if prediction.norm_jacobian.iter().any(|&jacobian| jacobian > 0.0) {
        list.push(overlay(Quantity::NormJacobian, prediction.norm_jacobian));
    }
    if top.is_some() {
        let sizes = prediction.gradient.iter().map(|gradient| (*gradient * entries).rms()).collect();
        list.push(overlay(Quantity::GradStream, sizes));
        list.push(overlay(Quantity::GradCosine, cosines(&prediction.gradient)));
        list.push(overlay(Quantity::NetFactor, prediction.net_factor));
        for tensor in [Tensor::Wo, Tensor::Co, Tensor::W2] {
            let quantity = Quantity::GradWeight(tensor);
            let of = prediction.last_weight.iter().filter(|(last, _)| *last == tensor);
            if measurement.series(quantity).is_some() && of.clone().next().is_some() {
                list.push(Overlay { first: 1, ..overlay(quantity, of.map(|(_, norm)| *norm).collect()) });
            }
        }
    }
    list
}

/// Second moments from a measured size and a measured cosine, if both can be believed.
fn moments(measurement: &Measurement, size: Quantity, cosine: Quantity, index: usize) -> Option<Moments> {
    let value = |quantity| {
        let believed = matches!(measurement.mark(quantity, index), None | Some(Mark::Zero));
        measurement.values(quantity).get(index).copied().filter(|value| believed && value.is_finite())
    };
    let moments = Moments::new(value(size)?, value(cosine)?);
    (moments.own > 0.0).then_some(moments)
}
