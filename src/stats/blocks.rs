//! One value a block, or a state of the stream, of what a run may have several of in a block.

use super::{Mark, Measurement, Quantity};
use crate::model::Config;

/// The values of a quantity over the blocks of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// The block of the first value: 0 for states of the stream, 1 for what belongs to a block.
    pub first: u32,
    /// The values.
    pub values: Vec<f64>,
    /// What is to be said of each value; `None` where it can be believed.
    pub marks: Vec<Option<Mark>>,
}

impl Quantity {
    /// The first block it has a value for. States are counted from 0, what belongs to a block from 1.
    #[must_use]
    pub const fn first_block(self) -> u32 {
        match self {
            Self::StreamRms
            | Self::StreamMax
            | Self::TokenCosine
            | Self::RankResidual
            | Self::GradStream
            | Self::GradCosine => 0,
            _ => 1,
        }
    }

    /// One value a state or a block: of what each sublayer has, the mean over the block, and of factors their product.
    #[must_use]
    pub fn by_block(self, values: &[f64], config: &Config) -> Vec<f64> {
        let per_block = config.sublayers_per_block();
        match self {
            Self::NetFactor => values.chunks(per_block).map(|block| block.iter().product()).collect(),
            Self::UpdateRatio | Self::NormJacobian => {
                values.chunks(per_block).map(|block| block.iter().sum::<f64>() / block.len() as f64).collect()
            }
            _ => values.to_vec(),
        }
    }
}

impl Measurement {
    /// A quantity block by block; `None` where the run does not have it. Of a block whose sublayers have a value each,
    /// the mark is that of the first of which there is something to say.
    #[must_use]
    pub fn by_block(&self, quantity: Quantity) -> Option<Blocks> {
        let series = self.series(quantity)?;
        let marks: Vec<_> = (0..series.values.len()).map(|index| self.mark(quantity, index)).collect();
        let marks = match quantity {
            Quantity::NetFactor | Quantity::UpdateRatio | Quantity::NormJacobian => {
                let per_block = self.config.sublayers_per_block();
                marks.chunks(per_block).map(|block| block.iter().copied().flatten().next()).collect()
            }
            _ => marks,
        };
        let values = quantity.by_block(&series.values, &self.config);
        Some(Blocks { first: quantity.first_block(), values, marks })
    }
}
