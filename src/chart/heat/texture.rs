//! What is no value has a texture of its own, told apart without colour.

use crate::stats::Mark;
use crate::text::chart as says;

/// A sign for what is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Texture {
    /// Past the range of the arithmetic, or not a number: strokes that rise.
    NoNumber,
    /// Not resolved by the arithmetic: strokes that fall.
    Unresolved,
    /// Under the smallest normal number: strokes across.
    Underflow,
    /// Exactly zero, which has no logarithm: strokes down.
    Zero,
    /// Not measured yet: dots.
    NotMeasured,
}

/// Between two strokes, and their width, in CSS pixels.
const PITCH: f64 = 6.0;
const STROKE: f64 = 1.2;
/// Between two dots.
const GRID: f64 = 4.0;

impl Texture {
    /// Every texture.
    pub const ALL: [Self; 5] = [Self::NoNumber, Self::Unresolved, Self::Underflow, Self::Zero, Self::NotMeasured];

    /// The texture of a mark; `None` where a scale has a place for the value: one that is not logarithmic has one for 0.
    #[must_use]
    pub const fn of(mark: Mark, log: bool) -> Option<Self> {
        match mark {
            Mark::Overflow | Mark::NotANumber => Some(Self::NoNumber),
            Mark::Unresolved => Some(Self::Unresolved),
            Mark::Underflow => Some(Self::Underflow),
            Mark::Zero => {
                if log {
                    Some(Self::Zero)
                } else {
                    None
                }
            }
        }
    }

    /// What it says.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoNumber => says::texture_no_number(),
            Self::Unresolved => says::texture_unresolved(),
            Self::Underflow => says::texture_underflow(),
            Self::Zero => says::texture_zero(),
            Self::NotMeasured => says::texture_not_measured(),
        }
    }
}

/// The textures in the pixels of a device. All cells share one pattern, so that it runs on from row to row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weave {
    pitch: u32,
    stroke: u32,
    grid: u32,
    dot: u32,
}

impl Weave {
    /// For so many device pixels in a CSS pixel.
    pub(super) fn new(ratio: f64) -> Self {
        let pixels = |size: f64| (size * ratio).round().max(1.0) as u32;
        Self { pitch: pixels(PITCH).max(3), stroke: pixels(STROKE), grid: pixels(GRID).max(3), dot: pixels(1.0) }
    }

    /// Whether a pixel is inked.
    pub(super) const fn is_ink(self, texture: Texture, x: u32, y: u32) -> bool {
        let Self { pitch, stroke, grid, dot } = self;
        match texture {
            Texture::NoNumber => (x + y) % pitch < stroke,
            Texture::Unresolved => (x + pitch - y % pitch) % pitch < stroke,
            Texture::Underflow => y % pitch < stroke,
            Texture::Zero => x % pitch < stroke,
            Texture::NotMeasured => x % grid < dot && y % grid < dot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Texture, Weave};

    #[test]
    fn no_two_textures_look_alike() {
        for ratio in [1.0, 1.5, 2.0, 3.0] {
            let weave = Weave::new(ratio);
            let drawn = Texture::ALL.map(|texture| {
                let pixels = (0..40).flat_map(|y| (0..40).map(move |x| weave.is_ink(texture, x, y)));
                pixels.collect::<Vec<_>>()
            });
            for (i, one) in drawn.iter().enumerate() {
                let share = one.iter().filter(|ink| **ink).count() as f64 / 1600.0;
                assert!((0.04..0.4).contains(&share), "{:?} at {ratio}: {share}", Texture::ALL[i]);
                for other in &drawn[i + 1..] {
                    let differ = one.iter().zip(other).filter(|(a, b)| a != b).count();
                    assert!(differ > 150, "{:?} at {ratio}: {differ}", Texture::ALL[i]);
                }
            }
        }
    }
}
