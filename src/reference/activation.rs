//! The nonlinearities of the feed-forward network, entry by entry. SwiGLU applies its own, SiLU, to the gate.

use std::f64::consts::FRAC_2_PI;

use crate::model::Activation;

/// The cubic coefficient of the tanh form of GELU (Hendrycks & Gimpel 2016).
const GELU_CUBIC: f64 = 0.044_715;

/// Past this magnitude the tanh of GELU is 1 to the last digit, while its cubic could overflow.
const GELU_LINEAR_PAST: f64 = 20.0;

/// The value at `z`.
pub(super) fn activation_forward(kind: Activation, z: f64) -> f64 {
    match kind {
        Activation::Relu if z > 0.0 || z.is_nan() => z,
        Activation::Relu => 0.0,
        Activation::Gelu if z.abs() > GELU_LINEAR_PAST => z.max(0.0),
        Activation::Gelu => 0.5 * z * (1.0 + gelu_tanh(z)),
        Activation::SwiGlu => z * sigmoid(z),
    }
}

/// The derivative at `z`.
pub(super) fn activation_backward(kind: Activation, z: f64) -> f64 {
    let step = if z > 0.0 { 1.0 } else { 0.0 };
    match kind {
        Activation::Relu => step,
        Activation::Gelu if z.abs() > GELU_LINEAR_PAST => step,
        Activation::Gelu => {
            let t = gelu_tanh(z);
            let slope = FRAC_2_PI.sqrt() * (1.0 + 3.0 * GELU_CUBIC * z * z);
            0.5 * (1.0 + t) + 0.5 * z * (1.0 - t * t) * slope
        }
        Activation::SwiGlu => {
            let s = sigmoid(z);
            s * (1.0 + z * (1.0 - s))
        }
    }
}

fn gelu_tanh(z: f64) -> f64 {
    (FRAC_2_PI.sqrt() * (z + GELU_CUBIC * z * z * z)).tanh()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_slopes() {
        for &kind in Activation::ALL {
            for i in -300..300 {
                let (z, step) = (f64::from(i) / 10.0 + 0.01, 1e-5);
                let slope = (activation_forward(kind, z + step) - activation_forward(kind, z - step)) / (2.0 * step);
                let error = activation_backward(kind, z) - slope;
                assert!(error.abs() < 1e-9, "{kind:?} at {z}: off by {error:e}");
            }
        }
    }

    #[test]
    fn huge_arguments_stay_finite() {
        for &kind in Activation::ALL {
            for (z, value, slope) in [(1e200, 1e200, 1.0), (-1e200, 0.0, 0.0)] {
                assert_eq!((activation_forward(kind, z), activation_backward(kind, z)), (value, slope), "{kind:?} {z}");
            }
            assert!(activation_forward(kind, f64::NAN).is_nan(), "{kind:?}");
        }
    }
}
