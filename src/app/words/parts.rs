//! What is said of a part of a block's drawing.

use crate::chart::curve::precision;
use crate::chart::parts::{Part, Role};
use crate::model::SublayerKind;
use crate::stats::{Measurement, Quantity};
use crate::text::{chart as says, number};

use super::{capitalised, mark, name};

/// What a part is.
#[must_use]
pub(crate) fn part_name(part: Part) -> String {
    match part.role {
        Role::Function(SublayerKind::Attention) => super::part_self_attention().into(),
        Role::Function(SublayerKind::CrossAttention) => super::part_cross_attention().into(),
        Role::Function(SublayerKind::FeedForward) => super::part_feed_forward().into(),
        Role::Sum => super::part_sum().into(),
        Role::EmbeddingNorm => super::part_norm(says::norm_on_embedding()),
        Role::InputNorm => super::part_norm(says::norm_on_input()),
        Role::BranchNorm => super::part_norm(says::norm_on_branch()),
        Role::SumNorm => super::part_norm(says::norm_on_sum()),
    }
}

/// What was measured at a part: in one block, or in the first and the last.
#[must_use]
pub(crate) fn part_numbers(part: Part, measurement: &Measurement, block: Option<u32>) -> Vec<String> {
    let config = &measurement.config;
    let blocks = match block {
        _ if part.role == Role::EmbeddingNorm => vec![0],
        Some(block) => vec![block.clamp(1, config.depth)],
        None if config.depth == 1 => vec![1],
        None => vec![1, config.depth],
    };
    let value = |quantity: Quantity, block: u32| {
        let index = part.index(quantity, config, block)?;
        let value = *measurement.values(quantity).get(index)?;
        let said = measurement.mark(quantity, index);
        let said = said.map_or_else(|| number::value(value), |it| mark(it, precision(measurement.engine)));
        Some(super::value_in(said, block))
    };
    let of_quantity = |quantity: Quantity| {
        let values: Vec<_> = blocks.iter().filter_map(|block| value(quantity, *block)).collect();
        (!values.is_empty()).then(|| super::part_measured(capitalised(&name(quantity)), values.join(", ")))
    };
    part.quantities(config).into_iter().filter_map(of_quantity).collect()
}
