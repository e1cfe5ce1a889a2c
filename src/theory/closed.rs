//! Curves in closed form, and bounds that need no knowledge of the tokens.
//!
//! What applies to a model is read from its sublayers: a norm on what they read, on what they return, on the sum.

use super::branch::Branches;
use super::recursion::sublayers;
use super::source::{KEEL, Source, XIONG_LEMMA_2, XIONG_THEOREM_1, deepnet, deepnet_pre, olmo_2, peri, xiong_proof};
use super::{Kind, Moments, Overlay};
use crate::model::{Activation, Config, Init, ResidualScale, Skip, Sublayer, SublayerKind, Tensor};
use crate::stats::{Measurement, Quantity};
use crate::text::theory as says;

/// Which norms every sublayer of a model has.
struct Shape {
    sublayers: Vec<Sublayer>,
    input: bool,
    branch: bool,
    sum: bool,
    /// Whether nothing but the sublayer's norms sets it apart from `x + f(x)`.
    plain: bool,
}

impl Shape {
    fn of(config: &Config, start: Moments) -> Self {
        let sublayers = sublayers(config, start);
        let all = |test: fn(&Sublayer) -> bool| sublayers.iter().all(test);
        Self {
            input: all(|s| s.input_norm),
            branch: all(|s| s.branch_norm),
            sum: all(|s| s.sum_norm),
            plain: all(|s| s.skip == 1.0 && s.input_gain == 1.0 && !s.adds_block_input && !s.feeds_dual),
            sublayers,
        }
    }

    /// `x + f(N(x))`.
    fn is_pre(&self) -> bool {
        self.input && !self.branch && self.has_open_sum() && self.plain
    }

    /// `N(x + f(x))`.
    fn is_post(&self) -> bool {
        self.sum && !self.input && !self.branch && self.plain
    }

    /// Whether no norm ever bounds the stream.
    fn has_open_sum(&self) -> bool {
        self.sublayers.iter().all(|s| !s.sum_norm)
    }
}

/// Every curve of this file that applies to a run.
pub(super) fn overlays(measurement: &Measurement, start: Moments) -> Vec<Overlay> {
    let config = &measurement.config;
    let shape = Shape::of(config, start);
    let mut list = stream(config, &shape, start);
    list.extend(post_sum(config, &shape));
    list.extend(last_weight(measurement, &shape));
    list.extend(stream_gradient(measurement, &shape));
    list
}

/// The stream between the least and the most that attention can leave of what it averages.
fn stream(config: &Config, shape: &Shape, start: Moments) -> Vec<Overlay> {
    if shape.sublayers.last().is_none_or(|last| last.sum_norm) {
        return Vec::new();
    }
    let overlay = |name, source, values, holds, kind| Overlay {
        name,
        source,
        quantity: Quantity::StreamRms,
        first: 0,
        values,
        holds,
        kind,
    };
    let upper = bracket(config, shape, start, 1.0);
    if shape.branch {
        let source = if shape.input { peri() } else { olmo_2() };
        return vec![overlay(says::normed_branches(), source, upper, says::normed_branches_holds(), Kind::Prediction)];
    }
    let lower = bracket(config, shape, start, 0.0);
    let (names, source, holds) = if shape.sublayers.iter().all(|s| s.input_norm || s.sum_norm) {
        ([says::lemma_2_lower(), says::lemma_2_upper()], XIONG_LEMMA_2, says::lemma_2_holds())
    } else {
        ([says::growth_lower(), says::growth_upper()], xiong_proof(), says::growth_holds())
    };
    vec![
        overlay(names[0], source, lower, holds, Kind::LowerBound),
        overlay(names[1], source, upper, holds, Kind::UpperBound),
    ]
}

/// Root mean square of the stream at the block boundaries when attention leaves the share `kept`.
fn bracket(config: &Config, shape: &Shape, start: Moments, kept: f64) -> Vec<f64> {
    let branches = Branches::new(config);
    let only = |own| Moments { own, cross: 0.0 };
    let mut stream = start.own;
    let mut values = vec![stream.sqrt()];
    for (index, sublayer) in shape.sublayers.iter().enumerate() {
        let factor = if sublayer.input_norm { only(stream).norm_factor() } else { 1.0 };
        let read = stream * factor * sublayer.input_gain * sublayer.input_gain;
        let returned = branches.bracket(sublayer.kind, read, kept);
        let added = if sublayer.branch_norm { returned * only(returned).norm_factor() } else { returned };
        stream = sublayer.skip * sublayer.skip * stream + added;
        if sublayer.sum_norm {
            stream *= only(stream).norm_factor();
        }
        if shape.sublayers.get(index + 1).is_none_or(|next| next.block != sublayer.block) {
            values.push(stream.sqrt());
        }
    }
    values
}

/// Post-LN's norm divides by the root of `(1 + v)` after every FFN, whatever the attention.
fn post_sum(config: &Config, shape: &Shape) -> Option<Overlay> {
    let branches = Branches::new(config);
    let value = |sublayer: &Sublayer| {
        let v = branches.bracket(sublayer.kind, 1.0, 1.0);
        if sublayer.kind == SublayerKind::FeedForward {
            Moments { own: 1.0 + v, cross: 0.0 }.norm_factor().sqrt()
        } else {
            f64::NAN
        }
    };
    shape.is_post().then(|| Overlay {
        name: "Lemma 2, Post-LN",
        source: XIONG_LEMMA_2,
        quantity: Quantity::NormJacobian,
        first: 0,
        values: shape.sublayers.iter().map(value).collect(),
        holds: says::post_sum_holds(),
        kind: Kind::Prediction,
    })
}

/// How the gradient of the last W_2 depends on the depth of the model.
fn last_weight(measurement: &Measurement, shape: &Shape) -> Option<Overlay> {
    let config = &measurement.config;
    let as_in_the_theorem = matches!(config.init, Init::Xavier | Init::XavierUniform)
        && config.residual_scale == ResidualScale::None
        && config.act == Activation::Relu;
    let quantity = Quantity::GradWeight(Tensor::W2);
    let last = finite(measurement, quantity)?;
    let overlay = |name, source, values, holds| Overlay {
        name,
        source,
        quantity,
        first: 1,
        values,
        holds,
        kind: Kind::AcrossDepths,
    };
    let depth = config.depth;
    if as_in_the_theorem && shape.is_pre() {
        let values = (1..=depth).map(|l| last * (f64::from(depth) / f64::from(l)).sqrt()).collect();
        Some(overlay("Theorem 1, Pre-LN", XIONG_THEOREM_1, values, says::last_weight_pre_holds()))
    } else if as_in_the_theorem && shape.is_post() {
        Some(overlay("Theorem 1, Post-LN", XIONG_THEOREM_1, vec![last; depth as usize], says::last_weight_post_holds()))
    } else if is_deepnorm(config) {
        let flat = overlay(says::deepnorm_flat(), deepnet(), vec![last; depth as usize], says::deepnorm_weight_holds());
        Some(Overlay { kind: Kind::Scaling, ..flat })
    } else {
        None
    }
}

/// The gradient at the stream, through its measured value at the top.
fn stream_gradient(measurement: &Measurement, shape: &Shape) -> Option<Overlay> {
    let config = &measurement.config;
    let quantity = Quantity::GradStream;
    let top = finite(measurement, quantity)?;
    let overlay = |name, source: Source, values, holds| Overlay {
        name,
        source,
        quantity,
        first: 0,
        values,
        holds,
        kind: Kind::Scaling,
    };
    if is_deepnorm(config) {
        let values = vec![top; config.depth as usize + 1];
        return Some(overlay(says::deepnorm_flat(), deepnet(), values, says::deepnorm_stream_holds()));
    }
    // A gated branch is quadratic in what it reads, and its Jacobian larger than itself.
    if shape.input && shape.has_open_sum() && config.act != Activation::SwiGlu {
        let stream = measurement.values(Quantity::StreamRms);
        let last = finite(measurement, Quantity::StreamRms)?;
        let values = stream.iter().map(|rms| top * last / rms).collect();
        return Some(overlay(says::inverse_stream(), deepnet_pre(), values, says::inverse_stream_holds()));
    }
    if shape.is_post() && config.cross.0 {
        let gain = Branches::new(config).value_gain(SublayerKind::CrossAttention);
        let factor = (1.0 + gain * config.memory_cos).sqrt();
        let values = (0..=config.depth).rev().map(|left| top * factor.powi(-(left as i32))).collect();
        return Some(overlay(says::cross_attention(), KEEL, values, says::cross_attention_holds()));
    }
    None
}

fn is_deepnorm(config: &Config) -> bool {
    let recipe = config.placement.recipe();
    recipe.skip == Skip::DeepNorm && recipe.scales_init
}

/// The last value of a quantity, if it is a number that can be drawn through.
fn finite(measurement: &Measurement, quantity: Quantity) -> Option<f64> {
    let last = measurement.values(quantity).len().checked_sub(1)?;
    let value = measurement.values(quantity)[last];
    (value > 0.0 && measurement.mark(quantity, last).is_none()).then_some(value)
}
