//! A series of a measurement as a curve over the blocks.

use std::borrow::Cow;

use crate::model::{Placement, Tensor};
use crate::share::Relation;
use crate::stats::{Blocks, Engine, Mark, Measurement, Quantity, Sample};
use crate::text::{chart as says, number};

/// One model's values over the blocks, with what is to be said of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the chart calls it: the placement's label, or the letter of a model that is kept.
    pub name: Cow<'static, str>,
    /// Of which placement.
    pub placement: Placement,
    /// Whether it is of a model that is kept to compare with: drawn thin, under the others.
    pub is_kept: bool,
    /// Blocks of the model.
    pub depth: u32,
    /// The block of the first value: 0 for states of the stream, 1 for weights.
    pub first: u32,
    /// The values.
    pub values: Vec<f64>,
    /// What is to be said of each value; `None` where it can be believed.
    pub marks: Vec<Option<Mark>>,
    /// The arithmetic: `float32` or `float64`.
    pub precision: &'static str,
    /// The middle half of several seeds about each value; empty for one.
    pub band: Vec<(f64, f64)>,
    /// What its values are: measured, or compared with another model's.
    pub relation: Relation,
    /// Whether it belongs to the depth that is asked for.
    pub fresh: bool,
    /// Where and why the forward pass left the arithmetic, if it did.
    pub loss: Option<Loss>,
}

/// Where a forward pass leaves the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The first state of the stream that is no number.
    pub block: u32,
    /// Whether the scores of attention overflowed: they go with the square of a stream that no norm bounds.
    pub by_scores: bool,
}

impl Loss {
    /// Finds it in a measurement.
    #[must_use]
    pub fn of(measurement: &Measurement) -> Option<Self> {
        let (config, stream) = (&measurement.config, Quantity::StreamRms);
        let values = measurement.values(stream);
        let is_lost =
            |index: &usize| matches!(measurement.mark(stream, *index), Some(Mark::NotANumber | Mark::Overflow));
        let index = (0..values.len()).find(is_lost)?;
        let before = index.checked_sub(1).map_or(0.0, |before| values[before]);
        let range = match measurement.engine {
            Engine::Gpu | Engine::Cpu => f64::from(f32::MAX),
            Engine::Reference => f64::MAX,
        };
        // A factor of a thousand for the spread of the features within a stream, and of one pass within a block.
        let by_scores = config.has_unbounded_scores() && before > range.sqrt() / 1e3 && before < range / 1e6;
        Some(Self { block: index as u32, by_scores })
    }
}

/// The arithmetic of an engine.
#[must_use]
pub const fn precision(engine: Engine) -> &'static str {
    match engine {
        Engine::Gpu | Engine::Cpu => "float32",
        Engine::Reference => "float64",
    }
}

/// The symbol of a tensor: a letter and what is written below it.
#[must_use]
pub const fn symbol(tensor: Tensor) -> (&'static str, &'static str) {
    match tensor {
        Tensor::Wq => ("W", "Q"),
        Tensor::Wk => ("W", "K"),
        Tensor::Wv => ("W", "V"),
        Tensor::Wo => ("W", "O"),
        Tensor::W1 => ("W", "1"),
        Tensor::W2 => ("W", "2"),
        Tensor::Wg => ("W", "g"),
        Tensor::Cq => ("C", "Q"),
        Tensor::Ck => ("C", "K"),
        Tensor::Cv => ("C", "V"),
        Tensor::Co => ("C", "O"),
        Tensor::MemoryShared | Tensor::MemoryOwn => ("memory", ""),
        Tensor::Input => ("x", "0"),
        Tensor::Targets => ("targets", ""),
        Tensor::Unembedding => ("U", ""),
    }
}

impl Curve {
    /// The curve of a quantity; `None` where the run does not have it.
    #[must_use]
    pub fn of(measurement: &Measurement, quantity: Quantity) -> Option<Self> {
        let Blocks { first, values, marks } = measurement.by_block(quantity)?;
        let placement = measurement.config.placement;
        Some(Self {
            name: placement.recipe().label.into(),
            placement,
            is_kept: false,
            depth: measurement.config.depth,
            first,
            values,
            marks,
            precision: precision(measurement.engine),
            band: Vec::new(),
            relation: Relation::Values,
            fresh: true,
            loss: Loss::of(measurement),
        })
    }

    /// The curve of the median of several seeds, with its band.
    #[must_use]
    pub fn of_sample(sample: &Sample, quantity: Quantity) -> Option<Self> {
        let mut curve = Self::of(&sample.median, quantity)?;
        if sample.runs > 1 {
            let edge = |edge: &Measurement| quantity.by_block(edge.values(quantity), &edge.config);
            curve.band = edge(&sample.lower).into_iter().zip(edge(&sample.upper)).collect();
        }
        Some(curve)
    }

    /// The block of a value.
    #[must_use]
    pub const fn block(&self, index: usize) -> u32 {
        self.first + index as u32
    }

    /// The value at a block and what is to be said of it.
    #[must_use]
    pub fn at(&self, block: u32) -> Option<(f64, Option<Mark>)> {
        let index = block.checked_sub(self.first)? as usize;
        Some((*self.values.get(index)?, self.marks.get(index).copied().flatten()))
    }

    /// What it has at a block, in words: `Post-LN 1.00`, `No norm: not a number`.
    #[must_use]
    pub fn in_words(&self, block: u32) -> Option<String> {
        let (name, precision) = (&*self.name, self.precision);
        let (value, mark) = self.at(block)?;
        Some(match mark {
            Some(mark) if self.relation != Relation::Values && mark != Mark::Zero => says::value_not_compared(name),
            None => format!("{name} {}", number::value(value)),
            Some(Mark::Zero) => says::value_zero(name),
            Some(Mark::Unresolved) if !self.is_faint(value) => says::value_uncertain(name, precision),
            Some(Mark::Underflow | Mark::Unresolved) => says::value_faint(name, precision),
            Some(Mark::Overflow) => says::value_past(name, precision),
            Some(Mark::NotANumber) => says::value_lost(name),
        })
    }

    /// The last block it has: that of the model, unless it is against a model that has fewer.
    #[must_use]
    pub fn last_block(&self) -> u32 {
        self.block(self.values.len().saturating_sub(1))
    }

    /// The block at a share of the depth, one that the curve has.
    #[must_use]
    pub fn nearest(&self, share: f64) -> u32 {
        ((share * f64::from(self.depth)).round().max(0.0) as u32).clamp(self.first, self.depth)
    }

    /// Whether a value that the arithmetic does not resolve is one too small for it, rounding noise far under the rest of
    /// its curve. Otherwise its size may be right and its digits are not.
    #[must_use]
    pub fn is_faint(&self, value: f64) -> bool {
        const FAR_UNDER: f64 = 1e-3;
        let largest = self.known().map(f64::abs).filter(|known| known.is_finite()).reduce(f64::max).unwrap_or(1.0);
        value.abs() < FAR_UNDER * largest
    }

    /// Those values, and the edges of the band about them.
    pub fn drawn(&self) -> impl Iterator<Item = f64> + '_ {
        let edges = self.band.iter().zip(&self.marks).filter(|(_, mark)| mark.is_none());
        self.known().chain(edges.flat_map(|((low, high), _)| [*low, *high]))
    }

    /// The values that can be believed.
    pub fn known(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().zip(&self.marks).filter(|(_, mark)| mark.is_none()).map(|(value, _)| *value)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Curve;
    use crate::model::Placement;
    use crate::share::Relation;
    use crate::stats::Mark;

    /// A curve of plain values; NaN, infinities and zeros are marked.
    pub(crate) fn curve(placement: Placement, first: u32, values: &[f64]) -> Curve {
        let mark = |value: &f64| match *value {
            v if v.is_nan() => Some(Mark::NotANumber),
            v if v.is_infinite() => Some(Mark::Overflow),
            0.0 => Some(Mark::Zero),
            _ => None,
        };
        Curve {
            name: placement.recipe().label.into(),
            placement,
            is_kept: false,
            depth: values.len() as u32 - 1 + first,
            first,
            values: values.to_vec(),
            marks: values.iter().map(mark).collect(),
            precision: "float32",
            band: Vec::new(),
            relation: Relation::Values,
            fresh: true,
            loss: None,
        }
    }

    #[test]
    fn blocks_count_from_the_first() {
        let curve = curve(Placement::Pre, 1, &[2.0, 3.0]);
        assert_eq!(curve.block(1), 2);
        assert_eq!(curve.at(2), Some((3.0, None)));
        assert_eq!(curve.at(0), None);
        assert_eq!(curve.at(3), None);
    }
}
