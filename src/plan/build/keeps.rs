//! What is kept of a pass, by the memory that it may take.

use super::super::layout::PlanError;
use super::Plan;
use super::matrices::weights_of_block;
use crate::model::Config;

/// How far a plan goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// To the gradients of everything.
    AtTheInput,
    /// To these, and to the tangents of the logits where the weights move along their gradients.
    AfterTheUpdate,
    /// Forward alone, with the sums that the variances of the branches are made of.
    AfterTheBlocks,
}

/// What is kept for all blocks at once.
#[derive(Clone, Copy)]
pub(super) struct Keeps {
    pub(super) weights: bool,
    /// Of all attentions whose activations are kept.
    pub(super) probabilities: bool,
    /// All that the backward pass reads and that is not the stream at a block boundary.
    pub(super) activations: bool,
    /// Whether there is a backward pass at all.
    pub(super) has_backward: bool,
    /// Of the outputs of all matrices.
    pub(super) gradients: bool,
    /// Of the stream, before each sublayer and after the last.
    pub(super) stream_gradients: bool,
    /// Blocks whose weight gradients have their norms made at once, for nothing waits for them; where there are many
    /// cotangents, or the activations of one block alone, it is one.
    pub(super) norms_at_once: u32,
}

/// Blocks that one dispatch serves where it takes so many floating-point operations for each: enough to fill a device, and
/// no more than the processor makes while a page waits.
pub(super) fn blocks_at_once(flops: u64) -> u32 {
    const MOST: u64 = 10;
    const FLOPS: u64 = 1 << 28;
    (FLOPS / flops.max(1)).clamp(1, MOST) as u32
}

impl Keeps {
    /// What may be kept, what takes the least time first and the least memory last. Making weights again takes more time
    /// than making probabilities, and activations more than both; those of one block are there with its probabilities.
    pub(super) fn ladder(config: &Config, ends: Ends, models: usize) -> impl DoubleEndedIterator<Item = Self> {
        let rungs = [(true, true, true), (true, false, true), (false, true, true), (false, false, true)];
        let lean = [(true, true, false), (false, true, false)];
        let has_backward = ends != Ends::AfterTheBlocks;
        // In 64 bits, which `usize` has not in a browser.
        let of_norms = blocks_at_once(2 * config.rows() as u64 * weights_of_block(config) as u64);
        // Nothing comes back for the activations.
        rungs.into_iter().chain(lean).filter(move |rung| has_backward || !rung.2).map(
            move |(weights, probabilities, activations)| {
                let gradients = ends == Ends::AfterTheUpdate;
                let stream_gradients = has_backward && models == 1 && (activations || gradients);
                let norms_at_once = if stream_gradients && activations { of_norms } else { 1 };
                Self { weights, probabilities, activations, has_backward, gradients, stream_gradients, norms_at_once }
            },
        )
    }
}

/// The fastest plan that is within the budget.
pub(super) fn within_budget(
    config: &Config,
    ends: Ends,
    models: usize,
    plan: impl Fn(Keeps) -> Result<Plan, PlanError>,
) -> Result<Plan, PlanError> {
    let mut ladder = Keeps::ladder(config, ends, models);
    let leanest = ladder.next_back().expect("there is a ladder");
    for keeps in ladder {
        match plan(keeps) {
            Err(PlanError::TooLarge { .. }) => (),
            outcome => return outcome,
        }
    }
    plan(leanest)
}
