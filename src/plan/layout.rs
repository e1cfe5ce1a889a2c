//! Buffers, and the places in them that a step binds.

use std::fmt;

use super::Tuning;
use crate::text::errors as says;

/// What a buffer holds. Each role has one slab a block, a sublayer or a pass; its slabs lie one after the other in as
/// few buffers as the binding limit allows, none of them cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The matrices of a block, one after the other, each padded to multiples of 4.
    Weights,
    /// U, (d, V).
    Unembedding,
    /// The input before the norm of the embedding, (N, d).
    Embedding,
    /// The stream at block boundaries, (N, d) each.
    Stream,
    /// The stream inside a block, after this one of its sublayers, (N, d).
    Middle(u8),
    /// What a second stream holds, (N, d).
    Side,
    /// A second stream after its norm at the end, (N, d).
    FinalSide,
    /// What the memory is made of, (N, d).
    MemoryDraws,
    /// The memory that cross-attention reads, (N, d).
    Memory,
    /// Scale of its norm, (N).
    MemoryScale,
    /// What a sublayer reads after its norm, (N, d).
    Normed,
    /// Scale of that norm, (N).
    InputScale,
    /// Queries, keys and values: (N, q | k | v), or for cross-attention (N, q) and then (N, k | v).
    Qkv,
    /// Scale of the norm on queries and keys, (N, 2, segments).
    QkScale,
    /// Output of the heads, (N, H, k).
    Heads,
    /// Exponentials of the scores, (B, H, ceil(T / 4), T, 4).
    Probabilities,
    /// One over the sums of the exponentials, (B, H, ceil(T / 4), 4).
    Inverse,
    /// Slopes of the activation, (N, h); where it is gated pre-activations, then slopes, (N, h | gate).
    Hidden,
    /// After the activation, (N, h).
    Activated,
    /// What a sublayer returns, (N, d).
    Branch,
    /// Scales of the norms on branch and sum, (2, N).
    ResidualScale,
    /// The stream after the final norm, (N, d).
    FinalNormed,
    /// Scale of the final norm, (2, N).
    FinalScale,
    /// Logits, then their gradient, (N, V).
    Logits,
    /// Gradients of the stream, (models, N, d); those that follow, up to the gradients of weights, have as many.
    Grad,
    /// The same of one model, kept at each block boundary, (L + 1, N, d).
    KeptGrad,
    /// The same inside a block, after this one of its sublayers.
    KeptMiddleGrad(u8),
    /// Gradient of a second stream, (N, d).
    SideGrad,
    /// Gradient of a sublayer's output, (N, d).
    BranchGrad,
    /// Gradient of what a sublayer reads, (N, d).
    InputGrad,
    /// Gradient of the output of the heads, (N, H, k).
    HeadsGrad,
    /// Shaped as `Qkv`.
    QkvGrad,
    /// Gradients of the scores, shaped as `Probabilities`.
    ScoreGrad,
    /// Gradient of the pre-activations, shaped as `Hidden`.
    HiddenGrad,
    /// The gradients of the matrices of one product, shaped as in `Weights`.
    WeightGrad,
    /// Tangents of the stream, (2, N, d): one for each direction in which the weights move.
    StreamTangent,
    /// Of a second stream, (2, N, d).
    SideTangent,
    /// Of what a norm gives, (2, N, d).
    NormedTangent,
    /// Of queries, keys and values: (2, N, q | k | v), or for cross-attention (2, N, q) and then (2, N, k | v).
    QkvTangent,
    /// Of the probabilities, (2, B, H, ceil(T / 4), T, 4).
    ScoreTangent,
    /// Of the output of the heads, (2, N, H, k).
    HeadsTangent,
    /// Of the pre-activations, (2, N, h) or (2, N, h | g).
    HiddenTangent,
    /// Of what follows the activation, (2, N, h).
    ActivatedTangent,
    /// Of what a sublayer returns, (2, N, d).
    BranchTangent,
    /// The logits, and their tangents, (3, N, V).
    LogitsTangent,
    /// Square sums of branch and stream, (S L + 1, 2, N).
    UpdatePartials,
    /// Square sums of the stream's gradients before each sublayer, (cotangents, N) each, as they are made.
    StreamGradPartials,
    /// The same after the last sublayer of each model, (models, N).
    HeadGradPartials,
    /// Sums of the entropies of attention, and largest scores, (L + 1, B, H, ceil(T / 4)).
    AttentionPartials,
    /// What pairs of rows give of weight gradients, (cotangents, matrices, tiles of pairs) of those made at once.
    Gram,
    /// Square sums of weight gradients, (cotangents, matrices, tiles) each as they are made, by product of the block.
    WeightGradPartials(u8),
    /// Square sums of the un-embedding's gradients, (models, tiles).
    UnembeddingGradPartials,
    /// Losses, (models, N).
    LossPartials,
    /// What comes back.
    Results,
    /// What a kernel binds and does not touch.
    Nothing,
}

impl Role {
    /// Whether it holds square sums, four words each, rather than floats.
    #[must_use]
    pub const fn is_square_sums(self) -> bool {
        matches!(
            self,
            Self::UpdatePartials
                | Self::StreamGradPartials
                | Self::HeadGradPartials
                | Self::AttentionPartials
                | Self::WeightGradPartials(_)
                | Self::UnembeddingGradPartials
                | Self::LossPartials
                | Self::Results
        )
    }
}

/// One buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSpec {
    /// What it holds.
    pub role: Role,
    /// Which of the role's buffers it is.
    pub page: u32,
    /// Its length in vec4s.
    pub vec4s: u32,
}

impl BufferSpec {
    /// Its length in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        16 * self.vec4s as u64
    }
}

/// A place in a buffer; what is bound is the whole buffer, and the kernel adds the offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Index into the plan's buffers.
    pub buffer: usize,
    /// Offset in vec4s.
    pub at: u32,
}

impl View {
    /// The place `vec4s` further on.
    #[must_use]
    pub const fn after(self, vec4s: u32) -> Self {
        Self { buffer: self.buffer, at: self.at + vec4s }
    }
}

/// What a device can hold, and what suits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one binding.
    pub binding_bytes: u64,
    /// Bytes of a buffer, where one slab does not take more.
    pub page_bytes: u64,
    /// Bytes that a run may take at most, see [`Plan::peak_bytes`](super::Plan::peak_bytes). What does not fit is made
    /// again when it is needed: first probabilities of attention, then weights, then all but the stream.
    pub budget_bytes: u64,
    /// Workgroups in one dimension of a dispatch.
    pub workgroups: u32,
    /// How its kernels are cut.
    pub tuning: Tuning,
}

impl Default for Limits {
    /// What every WebGPU device grants, and 512 MiB in all.
    fn default() -> Self {
        Self {
            binding_bytes: 128 << 20,
            page_bytes: 128 << 20,
            budget_bytes: 512 << 20,
            workgroups: 65_535,
            tuning: Tuning::default(),
        }
    }
}

/// Why a configuration has no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// Even with all made again that can be, the run takes more than its budget.
    TooLarge {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// One slab does not fit a binding.
    SlabTooLarge {
        /// Whose slab.
        role: Role,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A dispatch needs more workgroups than a device takes.
    TooManyWorkgroups {
        /// Workgroups needed in one dimension.
        needed: u32,
        /// Workgroups allowed.
        allowed: u32,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20).to_string();
        f.write_str(&match *self {
            Self::TooLarge { needed, allowed } => says::too_large(mib(needed), mib(allowed)),
            Self::SlabTooLarge { needed, allowed, .. } => says::slab_too_large(mib(needed), mib(allowed)),
            Self::TooManyWorkgroups { needed, allowed } => {
                says::too_many_workgroups(needed.to_string(), allowed.to_string())
            }
        })
    }
}

impl std::error::Error for PlanError {}

/// Where a statistic lies in the results buffer, in vec4s. A gradient has a value for each cotangent that reaches it: those
/// of the models, from the deepest one on, that have at least so many blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// The buffer.
    pub buffer: usize,
    /// Length in vec4s.
    pub vec4s: u32,
    /// (L + 1, B, 3): of each state and sequence square sum, spread, cosine.
    pub stream: u32,
    /// By state (cotangents, B, 3): the same of the gradients.
    pub gradient: Vec<u32>,
    /// (S L, 2): of each sublayer branch and stream.
    pub update: u32,
    /// By sublayer (cotangents): of the gradients before it.
    pub grad_stream: Vec<u32>,
    /// (models): of the gradient after the last sublayer.
    pub head_grad: u32,
    /// (L): sum of entropies, largest score.
    pub attention: u32,
    /// (S L): sum of the scales of a norm.
    pub norm_scale: u32,
    /// For each product of a block, by block (cotangents, matrices), and how many matrices it has.
    pub grad_weight: Vec<(Vec<u32>, u32)>,
    /// (models).
    pub grad_unembed: u32,
    /// (models), the sum of the losses as middle part.
    pub loss: u32,
    /// (3, B, 3): of the logits and of their tangents what `stream` has of a state; only where it was asked for.
    pub model_update: Option<u32>,
}
