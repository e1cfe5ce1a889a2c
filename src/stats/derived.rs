//! What follows from measured values alone.

use super::{Measurement, Quantity};

/// A number format that a model may be trained in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// IEEE 754 half precision: 5 bits of exponent.
    Fp16,
    /// The upper half of float32: 8 bits of exponent, and so its range.
    Bf16,
}

impl Format {
    /// The largest finite number.
    #[must_use]
    pub fn max(self) -> f64 {
        match self {
            Self::Fp16 => 65_504.0,
            Self::Bf16 => (2.0 - 2f64.powi(-7)) * 2f64.powi(127),
        }
    }

    /// Doublings between a value and the end of the format; negative past it.
    #[must_use]
    pub fn headroom(self, value: f64) -> f64 {
        (self.max() / value).log2()
    }
}

/// Growth over a model, per block, as an exponent: 0 is level (OLMo 2: 2025, §3.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthExponents {
    /// `(1/L) ln(stream_rms[L] / stream_rms[0])`.
    pub forward: f64,
    /// `(1/L) ln(grad_stream[0] / grad_stream[L])`.
    pub backward: f64,
}

impl GrowthExponents {
    /// Those of a run; what rests on a value that is marked is not a number.
    #[must_use]
    pub fn of(measurement: &Measurement) -> Self {
        let depth = measurement.config.depth as usize;
        let known = |quantity: Quantity, index: usize| {
            let value = measurement.values(quantity).get(index).copied().unwrap_or(f64::NAN);
            if measurement.mark(quantity, index).is_none() { value } else { f64::NAN }
        };
        let exponent = |quantity, from, to| (known(quantity, to) / known(quantity, from)).ln() / depth as f64;
        Self { forward: exponent(Quantity::StreamRms, 0, depth), backward: exponent(Quantity::GradStream, depth, 0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Config;
    use crate::stats::{Engine, Series};

    #[test]
    fn headroom_is_counted_in_doublings() {
        assert_eq!(Format::Fp16.headroom(65_504.0), 0.0);
        assert_eq!(Format::Fp16.headroom(65_504.0 / 8.0), 3.0);
        assert_eq!(Format::Fp16.headroom(65_504.0 * 2.0), -1.0);
        // float32 ends one unit of bf16's last place later.
        assert_eq!(Format::Bf16.max(), f64::from(f32::from_bits(0x7f7f_0000)));
    }

    #[test]
    fn exponents_are_those_of_geometric_growth() {
        let config = Config { depth: 5, ..Config::default() };
        let powers = |base: f64| (0..6).map(|l| base.powi(l)).collect();
        let series =
            vec![Series::exact(Quantity::StreamRms, powers(1.5)), Series::exact(Quantity::GradStream, powers(0.5))];
        let mut run = Measurement { config, engine: Engine::Reference, series };
        let exponents = GrowthExponents::of(&run);
        assert!((exponents.forward - 1.5f64.ln()).abs() < 1e-15);
        assert!((exponents.backward - 2f64.ln()).abs() < 1e-15);
        run.series[0].values[5] = f64::INFINITY;
        assert!(GrowthExponents::of(&run).forward.is_nan());
    }
}
