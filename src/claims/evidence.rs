//! What a rule asks for, and what it is told.

use crate::model::{Config, Matrix, Sublayer, matrices};
use crate::stats::{Measurement, ModelUpdate};

/// What a rule has to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Forward and backward passes.
    pub passes: Vec<Config>,
    /// One-step updates of the model; each costs several passes.
    pub updates: Vec<Config>,
    /// Descriptions of models, which cost nothing.
    pub models: Vec<Config>,
}

/// The answers, in the order of the question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What the passes measured.
    pub passes: Vec<Measurement>,
    /// What one step does to the logits, each with its model.
    pub updates: Vec<(Config, ModelUpdate)>,
    /// The descriptions.
    pub models: Vec<Model>,
}

impl Question {
    /// Whether it takes few runs.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.passes.len() <= 4 && self.updates.is_empty()
    }

    /// The evidence, each part from whoever knows it.
    pub fn answer(
        &self,
        measure: impl FnMut(&Config) -> Measurement,
        mut update: impl FnMut(&Config) -> ModelUpdate,
    ) -> Evidence {
        Evidence {
            passes: self.passes.iter().map(measure).collect(),
            updates: self.updates.iter().map(|config| (config.clone(), update(config))).collect(),
            models: self.models.iter().map(Model::new).collect(),
        }
    }
}

/// What is known of a model before anything is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its configuration.
    pub config: Config,
    /// Its sublayers, in order.
    pub sublayers: Vec<Sublayer>,
    /// The matrices of one block.
    pub matrices: Vec<Matrix>,
    /// Factor of the placement on the std of the matrices that it scales.
    pub init_gain: f64,
    /// Whether a norm stands before the un-embedding.
    pub final_norm: bool,
}

impl Model {
    /// The description of a model.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            sublayers: config.sublayers(),
            matrices: matrices(config),
            init_gain: config.init_gain(),
            final_norm: config.has_final_norm(),
        }
    }

    /// Norms of the blocks, the final one left out.
    #[must_use]
    pub fn norms(&self) -> usize {
        self.sublayers.iter().map(Sublayer::norms).sum()
    }

    /// Parameters of the matrices of all blocks.
    #[must_use]
    pub fn weights(&self) -> usize {
        self.matrices.iter().map(|matrix| matrix.fan_in * matrix.fan_out).sum::<usize>() * self.config.depth as usize
    }
}
