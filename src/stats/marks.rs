//! What the arithmetic could not resolve is marked, never drawn as if known.

use super::Engine;

/// A value whose estimated relative error passes this is marked as unresolved.
pub const UNRESOLVED_ABOVE: f64 = 0.3;

/// Why a value is not to be taken at its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Exactly zero: nothing to draw on a logarithmic axis.
    Zero,
    /// Below the smallest normal number of the engine.
    Underflow,
    /// Below what rounding leaves of it: the value shown is noise.
    Unresolved,
    /// Past the largest number of the engine.
    Overflow,
    /// Not a number.
    NotANumber,
}

impl Mark {
    /// Every mark.
    pub const ALL: &'static [Self] = &[Self::Zero, Self::Underflow, Self::Unresolved, Self::Overflow, Self::NotANumber];

    /// The name in JSON.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Underflow => "underflow",
            Self::Unresolved => "unresolved",
            Self::Overflow => "overflow",
            Self::NotANumber => "nan",
        }
    }

    /// What is to be said of a value with an estimated relative error; `None` where it can be believed.
    #[must_use]
    pub fn of(value: f64, relative_error: f64, engine: Engine) -> Option<Self> {
        if value.is_nan() {
            Some(Self::NotANumber)
        } else if value.is_infinite() {
            Some(Self::Overflow)
        } else if value == 0.0 {
            Some(Self::Zero)
        } else if relative_error.is_nan() || relative_error > UNRESOLVED_ABOVE {
            Some(Self::Unresolved)
        } else if value.abs() < engine.smallest_normal() {
            Some(Self::Underflow)
        } else {
            None
        }
    }
}
