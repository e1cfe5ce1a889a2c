//! What one panel shows: a quantity of a placement, at every depth and block that is measured.

use std::ops::RangeInclusive;

use super::texture::Texture;
use crate::model::Placement;
use crate::sort::sort_short;
use crate::stats::{Atlas, Blocks, Cell, Mark, Quantity};

/// The values of one panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Whose.
    pub placement: Placement,
    /// Of what.
    pub quantity: Quantity,
    /// The depths of the panel, measured or not.
    pub depths: RangeInclusive<u32>,
    /// Those that are measured, shallow first.
    rows: Vec<(u32, Blocks)>,
    half_decades: Counts,
    /// The smallest and the largest value.
    ends: Option<(f64, f64)>,
    textures: Vec<Texture>,
}

/// How many values each half decade has, by twice its exponent, in the order of those.
pub(super) type Counts = Vec<(i32, usize)>;

/// Counts values of a half decade.
pub(super) fn count(counts: &mut Counts, half: i32, more: usize) {
    match counts.binary_search_by_key(&half, |(known, _)| *known) {
        Ok(index) => counts[index].1 += more,
        Err(index) => counts.insert(index, (half, more)),
    }
}

/// Whether equal steps of colour are equal ratios: not of shares and of what changes sign.
#[must_use]
pub const fn is_log(quantity: Quantity) -> bool {
    !matches!(quantity, Quantity::TokenCosine | Quantity::GradCosine | Quantity::AttentionEntropy)
}

/// The half decade of a positive value: they begin at 1 and at 3 of each decade. Twice the exponent of ten.
pub(super) fn half_decade(value: f64) -> i32 {
    let exponent = value.log10().floor();
    // Neither 0.3 nor a tenth is a number of binary arithmetic.
    2 * exponent as i32 + i32::from(value * (1.0 + 1e-12) >= 3.0 * 10f64.powf(exponent))
}

impl Sheet {
    /// What an atlas has of a quantity; nothing measured where there is none.
    #[must_use]
    pub fn new(placement: Placement, atlas: Option<&Atlas>, quantity: Quantity, depths: RangeInclusive<u32>) -> Self {
        let mut rows = Vec::new();
        if let Some(atlas) = atlas {
            rows.extend(atlas.depths(depths.clone()).filter_map(|depth| Some((depth, atlas.row(quantity, depth)?))));
        }
        let mut half_decades = Counts::new();
        let mut ends = None;
        let mut textures = Vec::new();
        let log = is_log(quantity);
        for (_, row) in &rows {
            for (&value, &mark) in row.values.iter().zip(&row.marks) {
                if let Some(texture) = texture_of(mark, log) {
                    if !textures.contains(&texture) {
                        textures.push(texture);
                    }
                    continue;
                }
                let (low, high) = ends.unwrap_or((value, value));
                ends = Some((value.min(low), value.max(high)));
                if value > 0.0 {
                    count(&mut half_decades, half_decade(value), 1);
                }
            }
        }
        sort_short(&mut textures, Ord::cmp);
        Self { placement, quantity, depths, rows, half_decades, ends, textures }
    }

    /// The first block of a row: 0 for states of the stream, 1 for what belongs to a block.
    #[must_use]
    pub const fn first(&self) -> u32 {
        self.quantity.first_block()
    }

    /// Values of the deepest row.
    #[must_use]
    pub const fn columns(&self) -> u32 {
        *self.depths.end() + 1 - self.first()
    }

    /// Depths of the panel.
    #[must_use]
    pub const fn count(&self) -> u32 {
        *self.depths.end() + 1 - *self.depths.start()
    }

    /// How many of them are measured.
    #[must_use]
    pub fn measured(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The row of a depth that is measured.
    #[must_use]
    pub fn row(&self, depth: u32) -> Option<&Blocks> {
        let index = self.rows.binary_search_by_key(&depth, |(known, _)| *known).ok()?;
        Some(&self.rows[index].1)
    }

    /// The rows that are measured, shallow first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (u32, &Blocks)> {
        self.rows.iter().map(|(depth, row)| (*depth, row))
    }

    /// The measured depth that stands where a depth would: the nearest, the shallower of two.
    #[must_use]
    pub fn stand_in(&self, depth: u32) -> Option<u32> {
        let depths = || self.rows.iter().map(|(known, _)| *known);
        let below = depths().rfind(|known| *known <= depth);
        let above = depths().find(|known| *known >= depth);
        match (below, above) {
            (Some(below), Some(above)) if depth - below > above - depth => Some(above),
            (below, above) => below.or(above),
        }
    }

    /// A value.
    #[must_use]
    pub fn cell(&self, depth: u32, block: u32) -> Option<Cell> {
        let row = self.row(depth)?;
        let index = block.checked_sub(row.first)? as usize;
        Some(Cell { value: *row.values.get(index)?, mark: *row.marks.get(index)? })
    }

    /// How many values each half decade has.
    pub(super) const fn half_decades(&self) -> &Counts {
        &self.half_decades
    }

    /// The smallest and the largest value that can be believed.
    pub(super) const fn ends(&self) -> Option<(f64, f64)> {
        self.ends
    }

    /// What occurs that has no colour on a scale.
    pub fn textures(&self) -> impl Iterator<Item = Texture> + '_ {
        let missing = (self.measured() < self.count()).then_some(Texture::NotMeasured);
        self.textures.iter().copied().chain(missing)
    }
}

/// Whether a value has a colour: there is nothing to say of it, or no more than that it is 0 where the scale has one.
pub(super) fn texture_of(mark: Option<Mark>, log: bool) -> Option<Texture> {
    mark.and_then(|mark| Texture::of(mark, log))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Sheet, half_decade};
    use crate::model::{Config, Placement, Tensor};
    use crate::stats::{Atlas, Engine, Measurement, Quantity, Series};

    pub(crate) const W2: Quantity = Quantity::GradWeight(Tensor::W2);

    /// An atlas of gradients, `value(depth, block)`, blocks from 1.
    pub(crate) fn sheet(placement: Placement, deepest: u32, depths: &[u32], value: impl Fn(u32, u32) -> f64) -> Sheet {
        let config = Config { placement, ..Config::default() };
        let mut atlas = Atlas::new(&config, Engine::Gpu);
        for &depth in depths {
            let values: Vec<f64> = (1..=depth).map(|block| value(depth, block)).collect();
            // What is just above half of the bound is marked as not resolved.
            let error = |value: &f64| if *value == 1e-9 { 1.0 } else { 0.0 };
            let relative_error = values.iter().map(error).collect();
            let series = vec![Series { quantity: W2, values, relative_error }];
            atlas.insert(Measurement { config: Config { depth, ..config.clone() }, engine: Engine::Gpu, series });
        }
        Sheet::new(placement, Some(&atlas), W2, 6..=deepest)
    }

    #[test]
    fn half_decades_begin_at_one_and_three() {
        for (value, half) in [(1.0, 0), (2.99, 0), (3.0, 1), (9.99, 1), (10.0, 2), (0.1, -2), (0.3, -1), (1e-9, -18)] {
            assert_eq!(half_decade(value), half, "{value}");
        }
    }

    #[test]
    fn the_nearest_measured_depth_stands_in() {
        let sheet = sheet(Placement::Pre, 24, &[6, 12, 24], |_, _| 1.0);
        assert_eq!([6, 8, 9, 10, 17, 18, 19, 24].map(|d| sheet.stand_in(d).unwrap()), [6, 6, 6, 12, 12, 12, 24, 24]);
        assert_eq!((sheet.measured(), sheet.count(), sheet.columns()), (3, 19, 24));
    }
}
