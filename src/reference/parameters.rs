//! The numbers of one model: as the generator draws them, unless replaced.

use std::collections::HashMap;

use ndarray::{Array2, Axis};

use super::norm::norm_forward;
use super::profile::profile;
use crate::model::random::Stream;
use crate::model::{Config, Matrix, Norm, Tensor, matrices};

/// One parameter tensor, or the input, which has a gradient like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// `x_0` before any norm, (N, d).
    Input,
    /// U, (d, V).
    Unembedding,
    /// A layer matrix, (fan_in, fan_out).
    Layer {
        /// Which one.
        tensor: Tensor,
        /// Of which block, from 0.
        block: usize,
    },
}

/// Every number a run starts from. Tensors are drawn when they are asked for, save the memory and those that
/// [`Parameters::replace`] has set.
#[derive(Clone, Debug)]
pub struct Parameters {
    config: Config,
    matrices: Vec<Matrix>,
    /// What cross-attention reads, (N, d), where there is one.
    memory: Option<Array2<f64>>,
    replaced: HashMap<Parameter, Array2<f64>>,
    /// What the branches of the profiled run vary, if that is not to be asked of these parameters.
    branch_variances: Option<Vec<f64>>,
}

impl Parameters {
    /// As the generator draws them.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            matrices: matrices(config),
            memory: config.cross.0.then(|| memory(config)),
            replaced: HashMap::new(),
            branch_variances: None,
        }
    }

    /// The run they belong to.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Every parameter this model has.
    #[must_use]
    pub fn all(&self) -> Vec<Parameter> {
        let blocks = 0..self.config.depth as usize;
        let layers =
            blocks.flat_map(|block| self.matrices.iter().map(move |m| Parameter::Layer { tensor: m.tensor, block }));
        [Parameter::Input, Parameter::Unembedding].into_iter().chain(layers).collect()
    }

    /// The values of a parameter; None where the model has no such.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> Option<Array2<f64>> {
        if let Some(values) = self.replaced.get(&parameter) {
            return Some(values.clone());
        }
        let (width, seed) = (self.config.width as usize, self.config.seed);
        match parameter {
            Parameter::Input => {
                let shape = (self.config.rows(), width);
                Some(shaped(shape, Stream::global(Tensor::Input, seed).normals(shape.0 * shape.1)))
            }
            Parameter::Unembedding => {
                let shape = (width, self.config.vocab as usize);
                let stream = Stream::global(Tensor::Unembedding, seed);
                Some(shaped(shape, stream.normals(shape.0 * shape.1)) / (width as f64).sqrt())
            }
            Parameter::Layer { tensor, block } => {
                let matrix = self.matrices.iter().find(|matrix| matrix.tensor == tensor)?;
                (block < self.config.depth as usize).then(|| self.draw(matrix, block))
            }
        }
    }

    /// Puts other values in the place of a parameter, of the same shape.
    pub fn replace(&mut self, parameter: Parameter, values: Array2<f64>) {
        self.replaced.insert(parameter, values);
    }

    /// Keeps what the placement takes from the run [`Config::profiled`] names (the omegas of Admin) as it is now,
    /// whatever is replaced later. Derivatives take it for a constant.
    pub fn hold_profile(&mut self) {
        self.branch_variances = profile(self);
    }

    /// What [`Self::hold_profile`] has kept.
    pub(super) fn held_profile(&self) -> Option<&[f64]> {
        self.branch_variances.as_deref()
    }

    /// What cross-attention reads, (N, d); None in a model without. It is a constant: no gradient is taken at it.
    #[must_use]
    pub const fn memory(&self) -> Option<&Array2<f64>> {
        self.memory.as_ref()
    }

    /// The class each position should predict, (N).
    #[must_use]
    pub fn targets(&self) -> Vec<usize> {
        let classes = Stream::global(Tensor::Targets, self.config.seed).classes(self.config.rows(), self.config.vocab);
        classes.into_iter().map(|class| class as usize).collect()
    }

    /// A layer matrix that some models lack.
    pub(super) fn matrix(&self, tensor: Tensor, block: usize) -> Option<Array2<f64>> {
        self.get(Parameter::Layer { tensor, block })
    }

    /// A layer matrix that every model has.
    pub(super) fn required(&self, tensor: Tensor, block: usize) -> Array2<f64> {
        self.matrix(tensor, block).expect("every block has this matrix")
    }

    /// The input, (N, d).
    pub(super) fn input(&self) -> Array2<f64> {
        self.get(Parameter::Input).expect("every model has an input")
    }

    /// U, (d, V).
    pub(super) fn unembedding(&self) -> Array2<f64> {
        self.get(Parameter::Unembedding).expect("every model has an un-embedding")
    }

    fn draw(&self, matrix: &Matrix, block: usize) -> Array2<f64> {
        let shape = (matrix.fan_in, matrix.fan_out);
        let stream = Stream::layer(matrix.tensor, block, self.config.seed);
        let count = shape.0 * shape.1;
        if self.config.init.is_uniform() {
            shaped(shape, stream.uniforms(count)) * (3f64.sqrt() * matrix.std)
        } else {
            shaped(shape, stream.normals(count)) * matrix.std
        }
    }
}

/// Rows that have a part in common within each sequence, so that two of them have the cosine `memory_cos` on average,
/// each through a LayerNorm: (N, d).
fn memory(config: &Config) -> Array2<f64> {
    let (width, tokens) = (config.width as usize, config.tokens as usize);
    let normals =
        |tensor, rows: usize| shaped((rows, width), Stream::global(tensor, config.seed).normals(rows * width));
    let shared = normals(Tensor::MemoryShared, config.batch as usize) * config.memory_cos.sqrt();
    let mut rows = normals(Tensor::MemoryOwn, config.rows()) * (1.0 - config.memory_cos).sqrt();
    for (mut sequence, shared) in rows.axis_chunks_iter_mut(Axis(0), tokens).zip(shared.rows()) {
        sequence += &shared;
    }
    norm_forward(Norm::LayerNorm, width, &rows).y
}

fn shaped(shape: (usize, usize), values: Vec<f64>) -> Array2<f64> {
    Array2::from_shape_vec(shape, values).expect("as many values as the shape holds")
}
