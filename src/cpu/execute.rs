//! One step of a plan on buffers in memory.

use std::cell::{Ref, RefCell, RefMut};

use crate::plan::{BufferSpec, Operation, Step};

use super::SquareSum;
use super::activation_tangent::activation_tangent;
use super::attention_forward::attention_forward;
use super::attention_key_backward::attention_key_backward;
use super::attention_query_backward::attention_query_backward;
use super::attention_tangent::attention_tangent;
use super::cross_entropy::cross_entropy;
use super::gated_activation::gated_activation;
use super::matmul_backward::matmul_backward;
use super::matmul_forward::matmul_forward;
use super::matmul_tangent::matmul_tangent;
use super::norm_forward::norm_forward;
use super::norm_tangent::norm_tangent;
use super::qk_norm_backward::qk_norm_backward;
use super::qk_norm_forward::qk_norm_forward;
use super::random_weights::random_weights;
use super::reduce_square_sums::reduce_square_sums;
use super::residual_backward::residual_backward;
use super::residual_forward::residual_forward;
use super::residual_tangent::residual_tangent;
use super::skip_backward::skip_backward;
use super::stream_statistics::stream_statistics;
use super::sum_rows::sum_rows;
use super::weight_gradient::weight_gradient;
use super::weight_gradient_gram::weight_gradient_gram;
use super::weight_gradient_norm::weight_gradient_norm;

/// The content of a buffer of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// Four to a vec4.
    Floats(Vec<f32>),
    /// One to a vec4.
    SquareSums(Vec<SquareSum>),
}

impl Default for Buffer {
    /// Nothing yet.
    fn default() -> Self {
        Self::Floats(Vec::new())
    }
}

impl Buffer {
    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Floats(floats) => floats.is_empty(),
            Self::SquareSums(sums) => sums.is_empty(),
        }
    }

    /// A buffer of zeros.
    #[must_use]
    pub fn new(spec: &BufferSpec) -> Self {
        if spec.role.is_square_sums() {
            Self::SquareSums(vec![SquareSum::default(); spec.vec4s as usize])
        } else {
            Self::Floats(vec![0.0; 4 * spec.vec4s as usize])
        }
    }

    /// A buffer with the words that a GPU holds for it.
    #[must_use]
    pub fn from_words(spec: &BufferSpec, words: &[u32]) -> Self {
        if spec.role.is_square_sums() {
            let sum = |words: &[u32]| SquareSum {
                small: f32::from_bits(words[0]),
                middle: f32::from_bits(words[1]),
                big: f32::from_bits(words[2]),
                max_bits: words[3],
            };
            Self::SquareSums(words.chunks_exact(4).map(sum).collect())
        } else {
            Self::Floats(words.iter().copied().map(f32::from_bits).collect())
        }
    }

    /// The words that a GPU would hold.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        match self {
            Self::Floats(floats) => floats.iter().copied().map(f32::to_bits).collect(),
            Self::SquareSums(sums) => sums
                .iter()
                .flat_map(|sum| [sum.small.to_bits(), sum.middle.to_bits(), sum.big.to_bits(), sum.max_bits])
                .collect(),
        }
    }

    fn floats(&self, at: usize) -> &[f32] {
        match self {
            Self::Floats(floats) => &floats[4 * at..],
            Self::SquareSums(_) => unreachable!("the plan binds floats here"),
        }
    }

    fn floats_mut(&mut self, at: usize) -> &mut [f32] {
        match self {
            Self::Floats(floats) => &mut floats[4 * at..],
            Self::SquareSums(_) => unreachable!("the plan binds floats here"),
        }
    }

    fn sums(&self, at: usize) -> &[SquareSum] {
        match self {
            Self::SquareSums(sums) => &sums[at..],
            Self::Floats(_) => unreachable!("the plan binds square sums here"),
        }
    }

    fn sums_mut(&mut self, at: usize) -> &mut [SquareSum] {
        match self {
            Self::SquareSums(sums) => &mut sums[at..],
            Self::Floats(_) => unreachable!("the plan binds square sums here"),
        }
    }
}

/// Runs one step.
///
/// # Panics
/// Where the step binds a buffer that it writes a second time, as a GPU would refuse to.
pub fn execute(step: &Step, buffers: &[RefCell<Buffer>]) {
    let place = |i: usize| (step.views[i].buffer, step.views[i].at as usize);
    let floats = |i: usize| {
        let (buffer, at) = place(i);
        Ref::map(buffers[buffer].borrow(), |buffer| buffer.floats(at))
    };
    let floats_mut = |i: usize| {
        let (buffer, at) = place(i);
        RefMut::map(buffers[buffer].borrow_mut(), |buffer| buffer.floats_mut(at))
    };
    let sums = |i: usize| {
        let (buffer, at) = place(i);
        Ref::map(buffers[buffer].borrow(), |buffer| buffer.sums(at))
    };
    let sums_mut = |i: usize| {
        let (buffer, at) = place(i);
        RefMut::map(buffers[buffer].borrow_mut(), |buffer| buffer.sums_mut(at))
    };
    let [x, y, z] = step.workgroups;
    match &step.operation {
        Operation::RandomWeights(p) => random_weights(p, &mut floats_mut(0), y),
        Operation::NormForward(p) => norm_forward(p, &floats(0), &mut floats_mut(1), &mut floats_mut(2)),
        Operation::MatmulForward(p) => {
            matmul_forward(p, &floats(0), &floats(1), &mut floats_mut(2), &mut floats_mut(3));
        }
        Operation::GatedActivation(p) => gated_activation(p, &mut floats_mut(0), &mut floats_mut(1)),
        Operation::QkNormForward(p) => qk_norm_forward(p, &mut floats_mut(0), &mut floats_mut(1)),
        Operation::AttentionForward(p) => attention_forward(
            p,
            &floats(0),
            &floats(1),
            &mut floats_mut(2),
            &mut floats_mut(3),
            &mut floats_mut(4),
            &mut sums_mut(5),
            z,
        ),
        Operation::ResidualForward(p) => residual_forward(
            p,
            &floats(0),
            &mut floats_mut(1),
            &mut floats_mut(2),
            &mut floats_mut(3),
            &mut sums_mut(4),
            &mut floats_mut(5),
        ),
        Operation::CrossEntropy(p) => cross_entropy(p, &mut floats_mut(0), &mut sums_mut(1)),
        Operation::MatmulBackward(p) => {
            matmul_backward(p, &floats(0), &floats(1), &floats(2), &mut floats_mut(3), z);
        }
        Operation::ResidualBackward(p) => residual_backward(
            p,
            &floats(0),
            &floats(1),
            &floats(2),
            &mut floats_mut(3),
            &mut floats_mut(4),
            &mut floats_mut(5),
            y,
        ),
        Operation::SkipBackward(p) => skip_backward(
            p,
            &floats(0),
            &floats(1),
            &floats(2),
            &mut floats_mut(3),
            &mut sums_mut(4),
            &floats(5),
            &mut floats_mut(6),
            y,
        ),
        Operation::AttentionQueryBackward(p) => {
            attention_query_backward(
                p,
                &floats(0),
                &floats(1),
                &floats(2),
                &floats(3),
                &mut floats_mut(4),
                &mut floats_mut(5),
                z,
            );
        }
        Operation::AttentionKeyBackward(p) => {
            attention_key_backward(
                p,
                &floats(0),
                &floats(1),
                &floats(2),
                &floats(3),
                &floats(4),
                &mut floats_mut(5),
                z,
            );
        }
        Operation::QkNormBackward(p) => qk_norm_backward(p, &floats(0), &floats(1), &mut floats_mut(2), y),
        Operation::WeightGradientNorm(p) => {
            weight_gradient_norm(p, &floats(0), &floats(1), &floats(2), &mut sums_mut(3), z);
        }
        Operation::WeightGradientGram(p) => weight_gradient_gram(p, &floats(0), &floats(1), &mut floats_mut(2)),
        Operation::WeightGradient(p) => weight_gradient(p, &floats(0), &floats(1), &mut floats_mut(2), z),
        Operation::MatmulTangent(p) => {
            matmul_tangent(p, &floats(0), &floats(1), &floats(2), &floats(3), &mut floats_mut(4), z);
        }
        Operation::NormTangent(p) => norm_tangent(p, &floats(0), &floats(1), &floats(2), &mut floats_mut(3), y),
        Operation::ActivationTangent(p) => activation_tangent(p, &floats(0), &floats(1), &mut floats_mut(2), y),
        Operation::AttentionTangent(p) => attention_tangent(
            p,
            &floats(0),
            &floats(1),
            &floats(2),
            &floats(3),
            &floats(4),
            &floats(5),
            &mut floats_mut(6),
            &mut floats_mut(7),
            z,
        ),
        Operation::ResidualTangent(p) => residual_tangent(
            p,
            &floats(0),
            &floats(1),
            &floats(2),
            &floats(3),
            &mut floats_mut(4),
            &mut floats_mut(5),
            y,
        ),
        Operation::StreamStatistics(p) => stream_statistics(p, &floats(0), &mut sums_mut(1), x),
        Operation::SumRows(p) => sum_rows(p, &floats(0), &mut sums_mut(1), x),
        Operation::ReduceSquareSums(p) => reduce_square_sums(p, &sums(0), &mut sums_mut(1)),
    }
}
