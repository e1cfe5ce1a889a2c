//! One sublayer of one model.

use super::Config;

/// What a sublayer computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SublayerKind {
    /// Self-attention.
    Attention,
    /// Attention whose keys and values come from a constant memory.
    CrossAttention,
    /// The feed-forward network.
    FeedForward,
}

/// One sublayer of one model, its recipe resolved to numbers: it maps the stream to
/// `N_sum(skip * x + N_branch(f(input_gain * N_input(x))))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sublayer {
    /// The block it belongs to, from 0.
    pub block: usize,
    /// What it computes.
    pub kind: SublayerKind,
    /// A norm on what it reads.
    pub input_norm: bool,
    /// The factor on what that norm gives.
    pub input_gain: f64,
    /// A norm on what it returns.
    pub branch_norm: bool,
    /// A norm on the sum.
    pub sum_norm: bool,
    /// The factor on the stream.
    pub skip: f64,
    /// Whether the sum also has what entered the block.
    pub adds_block_input: bool,
    /// Whether the second stream gathers what it returns.
    pub feeds_dual: bool,
}

impl Sublayer {
    /// Norms that a pass through it takes; those of queries and keys are no part of it.
    #[must_use]
    pub fn norms(&self) -> usize {
        [self.input_norm, self.branch_norm, self.sum_norm].into_iter().filter(|norm| *norm).count()
    }
}

impl Config {
    /// The sublayers of a block, in order.
    #[must_use]
    pub const fn sublayer_kinds(&self) -> &'static [SublayerKind] {
        use SublayerKind::{Attention, CrossAttention, FeedForward};
        if self.cross.0 { &[Attention, CrossAttention, FeedForward] } else { &[Attention, FeedForward] }
    }

    /// Sublayers of a block, `S`.
    #[must_use]
    pub const fn sublayers_per_block(&self) -> usize {
        self.sublayer_kinds().len()
    }
}
