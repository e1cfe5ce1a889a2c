//! Second moments of the rows of an array: all that the recursion keeps of a stream or of a gradient.

use std::ops::{Add, Mul};

use crate::model::NORM_EPSILON;

/// Second moments of the token rows of an (N, d) array whose tokens are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Mean square of an entry.
    pub own: f64,
    /// Mean product of the same feature of two different tokens of a sequence.
    pub cross: f64,
}

impl Moments {
    /// Nothing at all.
    pub(super) const ZERO: Self = Self { own: 0.0, cross: 0.0 };

    /// From the root mean square of an entry and the cosine of two tokens.
    #[must_use]
    pub fn new(rms: f64, cosine: f64) -> Self {
        let own = rms * rms;
        Self { own, cross: cosine * own }
    }

    /// Cosine of two tokens of a sequence.
    #[must_use]
    pub fn cosine(self) -> f64 {
        // Rounding must not carry it to where an arc cosine is no number.
        (self.cross / self.own).clamp(-1.0, 1.0)
    }

    /// Root mean square of an entry.
    #[must_use]
    pub fn rms(self) -> f64 {
        self.own.sqrt()
    }

    /// What a norm multiplies squares by: `1 / (mean square + epsilon)`. Backward, its Jacobian does the same to the
    /// gradient: what it projects away is one or two of d directions.
    pub(super) fn norm_factor(self) -> f64 {
        1.0 / (self.own + NORM_EPSILON)
    }
}

impl Add for Moments {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { own: self.own + other.own, cross: self.cross + other.cross }
    }
}

impl Mul<f64> for Moments {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { own: self.own * factor, cross: self.cross * factor }
    }
}
