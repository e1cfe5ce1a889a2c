//! What is measured: names, shapes, the value series of a run, and what of it cannot be trusted.

mod atlas;
mod blocks;
mod derived;
mod json;
mod marks;
mod seeds;
mod update;

pub use atlas::{Atlas, Cell, coarse_first};
pub use blocks::Blocks;
pub use derived::{Format, GrowthExponents};
pub use json::{to_csv, to_json};
pub use marks::{Mark, UNRESOLVED_ABOVE};
pub use seeds::Sample;
pub use update::ModelUpdate;

use crate::model::config::named_enum;
use crate::model::{Attention, Config, Tensor, matrices};

/// Who computed a measurement, and in which precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// WGSL kernels through wgpu, float32.
    Gpu,
    /// The same kernels' twins on the processor, float32.
    Cpu,
    /// The float64 reference.
    Reference,
}

impl Engine {
    /// Every engine.
    pub const ALL: &'static [Self] = &[Self::Gpu, Self::Cpu, Self::Reference];

    /// The name in links and on the command line.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Reference => "reference",
        }
    }

    /// The engine with this name.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|engine| engine.key() == key)
    }

    /// Smallest normal number of its arithmetic; below it values lose digits or vanish.
    #[must_use]
    pub const fn smallest_normal(self) -> f64 {
        match self {
            Self::Gpu | Self::Cpu => f32::MIN_POSITIVE as f64,
            Self::Reference => f64::MIN_POSITIVE,
        }
    }
}

named_enum! {
    /// The direction `u` in which one small step moves every layer matrix, `W - eta u`.
    Update {
        /// The gradient (SGD).
        Sgd = "sgd",
        /// Its sign, 0 where it is 0 (the first step of Adam).
        Sign = "sign",
    }
}

/// A measured quantity. Block boundary `l` is the stream entering block `l`; boundary `L` leaves the last block, before
/// the final norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Mean cross-entropy, nats; one value.
    Loss,
    /// `sqrt(mean x_l^2)` over batch, tokens and features; `L + 1` values.
    StreamRms,
    /// `max |x_l|`; `L + 1` values.
    StreamMax,
    /// Mean off-diagonal cosine of the token rows of a sequence, averaged over the batch; `L + 1` values.
    TokenCosine,
    /// `||f_k|| / ||skip x||` of each sublayer, Frobenius; `S L` values.
    UpdateRatio,
    /// `||dLoss/dx_l||`, Frobenius; `L + 1` values.
    GradStream,
    /// `||dLoss/dW||`, Frobenius, of one matrix in each block; `L` values.
    GradWeight(Tensor),
    /// `||dLoss/dU||`, Frobenius; one value.
    GradUnembed,
    /// Mean off-diagonal cosine of the token rows of `dLoss/dx_l`, as [`Self::TokenCosine`] has it of the stream;
    /// `L + 1` values.
    GradCosine,
    /// `||x_l - 1 mean(x_l)^T|| / ||x_l||`, Frobenius, the mean being over the tokens of each sequence (Dong et al. 2021,
    /// §2.1); `L + 1` values.
    RankResidual,
    /// `-sum a ln a / ln T` of the rows of the self-attention, averaged over batch, heads and queries; `L` values.
    AttentionEntropy,
    /// `max |q . k| / sqrt(k)` over batch, heads and the pairs that see each other in the self-attention; `L` values.
    MaxLogit,
    /// The factor of a sublayer on the squared gradient, `||dLoss/dx||^2` before it over that after it; `S L` values.
    NetFactor,
    /// The norm of the Jacobian of the norm that the stream meets in a sublayer, `sqrt(d) / ||x||`: the mean over tokens
    /// of `1 / sqrt(variance + epsilon)` of the norm on the sum, or where there is none of that on the input (Xiong et al.
    /// 2020, Lemma 3); `S L` values, 0 in a sublayer without either.
    NormJacobian,
    /// `||F(theta - eta u) - F(theta)|| / (eta ||F(theta)||)` as `eta` goes to 0, Frobenius, `F` the logits and `u` a
    /// direction for every layer matrix, U held fixed; one value. Only where it was asked for.
    ModelUpdate(Update),
}

impl Quantity {
    /// What a run has only where it is asked for, for it takes as long again as the rest.
    pub const UPDATES: [Self; 2] = [Self::ModelUpdate(Update::Sgd), Self::ModelUpdate(Update::Sign)];

    /// Every quantity that each run with this configuration has, in the order of the output.
    #[must_use]
    pub fn all(config: &Config) -> Vec<Self> {
        let mut list =
            vec![Self::Loss, Self::StreamRms, Self::StreamMax, Self::TokenCosine, Self::UpdateRatio, Self::GradStream];
        list.extend(matrices(config).iter().map(|matrix| Self::GradWeight(matrix.tensor)));
        list.extend([Self::GradUnembed, Self::GradCosine, Self::RankResidual]);
        if config.attention == Attention::Softmax {
            list.extend([Self::AttentionEntropy, Self::MaxLogit]);
        }
        list.push(Self::NetFactor);
        let recipe = config.placement.recipe();
        if recipe.input_norm || recipe.sum_norm {
            list.push(Self::NormJacobian);
        }
        list
    }

    /// The name in JSON and CSV: `stream_rms`, `grad_weight.w2`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::GradWeight(tensor) => format!("{}.{}", self.stem(), tensor.name()),
            Self::ModelUpdate(update) => format!("{}.{}", self.stem(), update.key()),
            _ => self.stem().into(),
        }
    }

    /// The name without that of a matrix or an optimiser.
    pub(crate) const fn stem(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::StreamRms => "stream_rms",
            Self::StreamMax => "stream_max",
            Self::TokenCosine => "token_cosine",
            Self::UpdateRatio => "update_ratio",
            Self::GradStream => "grad_stream",
            Self::GradWeight(_) => "grad_weight",
            Self::GradUnembed => "grad_unembed",
            Self::GradCosine => "grad_cosine",
            Self::RankResidual => "rank_residual",
            Self::AttentionEntropy => "attention_entropy",
            Self::MaxLogit => "max_logit",
            Self::NetFactor => "net_factor",
            Self::NormJacobian => "norm_jacobian",
            Self::ModelUpdate(_) => "model_update",
        }
    }

    /// How many values a run with this configuration has.
    #[must_use]
    pub fn len(self, config: &Config) -> usize {
        let depth = config.depth as usize;
        match self {
            Self::Loss | Self::GradUnembed | Self::ModelUpdate(_) => 1,
            Self::StreamRms
            | Self::StreamMax
            | Self::TokenCosine
            | Self::GradStream
            | Self::GradCosine
            | Self::RankResidual => depth + 1,
            Self::UpdateRatio | Self::NetFactor | Self::NormJacobian => depth * config.sublayers_per_block(),
            Self::GradWeight(_) | Self::AttentionEntropy | Self::MaxLogit => depth,
        }
    }
}

/// The values of one quantity and how far each may be off.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Which quantity.
    pub quantity: Quantity,
    /// Its values, in the order of the blocks.
    pub values: Vec<f64>,
    /// Estimated relative error of each value that comes from the engine's precision; empty where it is negligible
    /// throughout.
    pub relative_error: Vec<f64>,
}

impl Series {
    /// A series whose rounding errors are negligible.
    #[must_use]
    pub const fn exact(quantity: Quantity, values: Vec<f64>) -> Self {
        Self { quantity, values, relative_error: Vec::new() }
    }
}

/// Everything measured in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The run.
    pub config: Config,
    /// Who computed it.
    pub engine: Engine,
    /// One series for each of [`Quantity::all`], then of [`Quantity::UPDATES`] where they were asked for.
    pub series: Vec<Series>,
}

impl Measurement {
    /// The series of a quantity, if this run has it.
    #[must_use]
    pub fn series(&self, quantity: Quantity) -> Option<&Series> {
        self.series.iter().find(|series| series.quantity == quantity)
    }

    /// The values of a quantity; empty if this run does not have it.
    #[must_use]
    pub fn values(&self, quantity: Quantity) -> &[f64] {
        self.series(quantity).map_or(&[], |series| &series.values)
    }

    /// What is to be said of a value before it is believed; `None` where it can be.
    #[must_use]
    pub fn mark(&self, quantity: Quantity, index: usize) -> Option<Mark> {
        let series = self.series(quantity)?;
        let value = *series.values.get(index)?;
        Mark::of(value, series.relative_error.get(index).copied().unwrap_or(0.0), self.engine)
    }
}

/// A run that is computed a little at a time, so that a page stays alive beside it.
pub trait Pass {
    /// Does the next piece of work, a few milliseconds; the measurement once all is done.
    fn advance(&mut self) -> Option<Measurement>;

    /// The share of the work that is done, 0 to 1.
    fn progress(&self) -> f64;

    /// Runs to the end.
    fn finish(mut self) -> Measurement
    where
        Self: Sized,
    {
        loop {
            if let Some(measurement) = self.advance() {
                return measurement;
            }
        }
    }
}

#[cfg(test)]
mod tests;
