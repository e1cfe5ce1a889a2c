//! How a chart is seen, and the way from values to places.

use super::axis::Range;
use super::curve::Curve;
use super::theme::Theme;
use crate::model::Placement;
pub use crate::share::Along;
use crate::text::{chart as says, number};

/// Below this width margins are small.
const NARROW: f64 = 400.0;

/// How a chart is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The colours.
    pub theme: Theme,
    /// The first block of the quantity.
    pub first: u32,
    /// Where x ends when it has come to rest.
    pub frame: u32,
    /// Where x ends now, on its way there.
    pub frame_now: f64,
    /// What x counts.
    pub along: Along,
    /// What y shows when it has come to rest.
    pub range: Range,
    /// What y shows now, on its way there.
    pub range_now: Range,
    /// The block that is looked at.
    pub probe: Option<u32>,
    /// Said in the plot where there are no curves.
    pub message: Option<String>,
    /// What theory has, under the measurement.
    pub theory: Vec<Theory>,
    /// The depth of the deepest model of all charts that share the probe; 0 where this is the only one.
    pub deepest: u32,
    /// Whether it says what its dashes and bands are.
    pub has_key: bool,
    /// The least room at the right of the plot, so that several charts can be compared.
    pub least_margin: f64,
}

/// A curve of theory.
#[derive(Clone, Debug, PartialEq)]
pub struct Theory {
    /// Of which placement.
    pub placement: Placement,
    /// Its name.
    pub name: &'static str,
    /// Blocks of the model.
    pub depth: u32,
    /// The block of the first value.
    pub first: u32,
    /// The values; not a number where it says nothing.
    pub values: Vec<f64>,
}

impl Theory {
    /// Its value at a block.
    #[must_use]
    pub fn at(&self, block: u32) -> Option<f64> {
        let index = block.checked_sub(self.first)? as usize;
        self.values.get(index).copied().filter(|value| value.is_finite())
    }
}

impl View {
    /// A chart at rest.
    #[must_use]
    pub const fn at_rest(width: f64, height: f64, theme: Theme, first: u32, frame: u32, range: Range) -> Self {
        Self {
            width,
            height,
            theme,
            first,
            frame,
            frame_now: frame as f64,
            along: Along::Block,
            range,
            range_now: range,
            probe: None,
            message: None,
            theory: Vec::new(),
            deepest: 0,
            has_key: false,
            least_margin: 0.0,
        }
    }

    /// The depth of the deepest model: the probe counts its blocks. Where several charts share a probe, it is that of all.
    #[must_use]
    pub fn deepest_of(&self, curves: &[Curve]) -> u32 {
        curves.iter().map(|curve| curve.depth).fold(self.deepest, u32::max).max(1)
    }

    /// The block of a curve at the probe, which counts the blocks of the deepest.
    #[must_use]
    pub fn block_of(&self, curve: &Curve, probe: u32, deepest: u32) -> u32 {
        match self.along {
            Along::Block => probe,
            Along::Share => curve.nearest(f64::from(probe) / f64::from(deepest.max(1))),
        }
    }

    /// Where the probe is: a block, or a share of the depth.
    #[must_use]
    pub fn place_in_words(&self, probe: u32, deepest: u32) -> String {
        match self.along {
            Along::Block => says::block(probe),
            Along::Share => says::share(number::fixed(f64::from(probe) / f64::from(deepest.max(1)), 2)),
        }
    }

    /// Whether margins are small.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.width < NARROW
    }
}

/// The rectangle of the plot and the way from values to places.
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// The base of the x axis; under the floor rails where there are some.
    pub(super) base: f64,
    pub(super) frame: f64,
    pub(super) along: Along,
    pub(super) range: Range,
}

impl Area {
    /// The place of a block of a model of some depth.
    pub(super) fn x(&self, block: f64, depth: u32) -> f64 {
        let end = match self.along {
            Along::Block => self.frame,
            Along::Share => f64::from(depth.max(1)),
        };
        self.left + (self.right - self.left) * block / end
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.range.share(value)
    }

    /// The block of a model of some depth under an x, not yet rounded or clamped.
    pub(super) fn block(&self, x: f64, depth: u32) -> f64 {
        let end = match self.along {
            Along::Block => self.frame,
            Along::Share => f64::from(depth),
        };
        (x - self.left) / (self.right - self.left) * end
    }
}
