//! The parts of a block's drawing, and what was measured at each.

use crate::model::{Config, Placement, SublayerKind, Tensor};
use crate::stats::Quantity;

/// What a part does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The norm on the embedding.
    EmbeddingNorm,
    /// The norm on what a sublayer reads.
    InputNorm,
    /// Attention or feed-forward network.
    Function(SublayerKind),
    /// The norm on what it returns.
    BranchNorm,
    /// Where what it returns is added to the stream.
    Sum,
    /// The norm on the sum.
    SumNorm,
}

/// A part of the drawing of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it does.
    pub role: Role,
    /// In which sublayer of the block; 0 for the norm on the embedding.
    pub sublayer: usize,
}

/// The parts of a block, in the order in which the data pass them.
#[must_use]
pub fn parts(placement: Placement, kinds: &[SublayerKind]) -> Vec<Part> {
    let recipe = placement.recipe();
    let mut list = Vec::new();
    if recipe.embedding_norm {
        list.push(Part { role: Role::EmbeddingNorm, sublayer: 0 });
    }
    for (sublayer, kind) in kinds.iter().enumerate() {
        let all = [
            (recipe.input_norm, Role::InputNorm),
            (true, Role::Function(*kind)),
            (recipe.branch_norm, Role::BranchNorm),
            (true, Role::Sum),
            (recipe.sum_norm, Role::SumNorm),
        ];
        list.extend(all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, role)| Part { role, sublayer }));
    }
    list
}

impl Part {
    /// What is measured at this part, in the blocks where [`Self::index`] says so.
    #[must_use]
    pub fn quantities(self, config: &Config) -> Vec<Quantity> {
        let is_last = self.sublayer + 1 == config.sublayers_per_block();
        match self.role {
            Role::InputNorm => vec![Quantity::NormJacobian],
            Role::Function(SublayerKind::Attention) => {
                vec![Quantity::AttentionEntropy, Quantity::GradWeight(Tensor::Wo)]
            }
            Role::Function(SublayerKind::CrossAttention) => vec![Quantity::GradWeight(Tensor::Co)],
            Role::Function(SublayerKind::FeedForward) => vec![Quantity::GradWeight(Tensor::W2)],
            Role::BranchNorm => vec![Quantity::UpdateRatio],
            Role::Sum if is_last && !config.placement.recipe().sum_norm => {
                vec![Quantity::UpdateRatio, Quantity::StreamRms]
            }
            Role::Sum => vec![Quantity::UpdateRatio],
            Role::SumNorm if is_last => vec![Quantity::NormJacobian, Quantity::StreamRms],
            Role::SumNorm => vec![Quantity::NormJacobian],
            Role::EmbeddingNorm => vec![Quantity::StreamRms],
        }
    }

    /// Which value of a quantity is the one at this part in a block, counted from 1. Of the stream that is the state after
    /// the block, and at the embedding the first. The Jacobian is that of the norm which the stream meets, the one on the
    /// sum, and only where there is none the one on the input: none is of this part in a block where it is the other's, or
    /// where the block is built otherwise, as the first ones of Mix-LN and Keel.
    #[must_use]
    pub fn index(self, quantity: Quantity, config: &Config, block: u32) -> Option<usize> {
        let block = block as usize;
        let sublayer = || (block - 1) * config.sublayers_per_block() + self.sublayer;
        Some(match quantity {
            _ if self.role == Role::EmbeddingNorm => 0,
            Quantity::StreamRms => block,
            Quantity::UpdateRatio => sublayer(),
            Quantity::NormJacobian => {
                let built = config.sublayers();
                let meets_sum = built.get(sublayer())?.sum_norm;
                let is_here = meets_sum == (self.role == Role::SumNorm);
                return is_here.then(sublayer);
            }
            _ => block - 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Role, parts};
    use crate::model::{Config, Placement, SublayerKind, Toggle};
    use crate::reference;
    use crate::stats::Quantity;

    #[test]
    fn parts_stand_in_the_order_of_the_data() {
        use SublayerKind::{Attention, FeedForward};
        let roles = |placement| {
            let list = parts(placement, &[Attention, FeedForward]);
            list.into_iter().map(|part| (part.sublayer, part.role)).collect::<Vec<_>>()
        };
        assert_eq!(
            roles(Placement::Post),
            [
                (0, Role::Function(Attention)),
                (0, Role::Sum),
                (0, Role::SumNorm),
                (1, Role::Function(FeedForward)),
                (1, Role::Sum),
                (1, Role::SumNorm)
            ]
        );
        assert_eq!(
            roles(Placement::Peri)[..5],
            [
                (0, Role::EmbeddingNorm),
                (0, Role::InputNorm),
                (0, Role::Function(Attention)),
                (0, Role::BranchNorm),
                (0, Role::Sum)
            ]
        );
    }

    /// The first quarter of Mix-LN is Post-LN, and the first sublayer of Keel has no norm on its sum.
    #[test]
    fn a_norm_that_is_not_there_has_no_number() {
        let of = |placement, role, block| {
            let config = Config { placement, depth: 8, ..Config::default() };
            Part { role, sublayer: 0 }.index(Quantity::NormJacobian, &config, block)
        };
        assert_eq!(
            [1, 2, 3, 8].map(|block| of(Placement::MixLn, Role::InputNorm, block)),
            [None, None, Some(4), Some(14)]
        );
        assert_eq!([1, 2].map(|block| of(Placement::Keel, Role::SumNorm, block)), [None, Some(2)]);
        assert_eq!([1, 2].map(|block| of(Placement::Keel, Role::InputNorm, block)), [Some(0), None]);
        assert_eq!(of(Placement::Post, Role::SumNorm, 8), Some(14));
    }

    /// A norm on a stream of root mean square `r` scales what passes back by about `1 / r` (Xiong et al. 2020, Lemma 3),
    /// so the numbers at the parts of Pre-LN hang together; with three sublayers a block an index that is off shows.
    #[test]
    fn numbers_are_those_of_the_sublayer() {
        let config = Config {
            placement: Placement::Pre,
            depth: 5,
            width: 32,
            heads: 2,
            tokens: 8,
            batch: 1,
            cross: Toggle(true),
            ..Config::default()
        };
        let measured = reference::measure(&config);
        let value = |part: Part, quantity: Quantity, block: u32| {
            measured.values(quantity)[part.index(quantity, &config, block).expect("it is measured there")]
        };
        let input = Part { role: Role::InputNorm, sublayer: 0 };
        let sum = Part { role: Role::Sum, sublayer: 2 };
        assert_eq!(sum.quantities(&config), [Quantity::UpdateRatio, Quantity::StreamRms]);
        for block in 2..=5 {
            let (before, jacobian) =
                (value(sum, Quantity::StreamRms, block - 1), value(input, Quantity::NormJacobian, block));
            assert!((before * jacobian - 1.0).abs() < 0.05, "block {block}: {before} {jacobian}");
        }
    }
}
