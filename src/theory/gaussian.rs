//! Expectations of the nonlinearities over two Gaussians: in closed form for ReLU, by quadrature for the others.

use std::f64::consts::{FRAC_2_PI, PI};

use crate::model::Activation;

/// `E F(z)^2` and `E F(z) F(z')` for Gaussians of one variance and a given correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expectation {
    pub own: f64,
    pub cross: f64,
}

/// Both expectations, of a nonlinearity and of its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kernel {
    pub value: Expectation,
    pub slope: Expectation,
}

/// The kernel of a nonlinearity on Gaussians; of SwiGLU, that of its gate, SiLU.
pub(super) fn kernel(activation: Activation, variance: f64, correlation: f64) -> Kernel {
    match activation {
        Activation::Relu => relu(variance, correlation),
        Activation::Gelu => quadrature(gelu, variance, correlation),
        Activation::SwiGlu => quadrature(silu, variance, correlation),
    }
}

/// The arc-cosine kernels of degree one and zero (Cho & Saul 2009).
fn relu(variance: f64, correlation: f64) -> Kernel {
    let angle = correlation.acos();
    let value = ((1.0 - correlation * correlation).sqrt() + correlation * (PI - angle)) / PI;
    Kernel {
        value: Expectation { own: variance / 2.0, cross: variance / 2.0 * value },
        slope: Expectation { own: 0.5, cross: 0.5 * (1.0 - angle / PI) },
    }
}

/// Value and slope of the tanh form of GELU (Hendrycks & Gimpel 2016).
fn gelu(z: f64) -> (f64, f64) {
    const CUBIC: f64 = 0.044_715;
    let scale = FRAC_2_PI.sqrt();
    let t = (scale * (z + CUBIC * z * z * z)).tanh();
    // Where the tanh is one to the last digit its slope is zero, and the square of z may not fit.
    let bend = if t.abs() < 1.0 { z * (1.0 - t * t) * scale * (1.0 + 3.0 * CUBIC * z * z) } else { 0.0 };
    (0.5 * z * (1.0 + t), 0.5 * (1.0 + t + bend))
}

/// Value and slope of SiLU.
fn silu(z: f64) -> (f64, f64) {
    let s = 1.0 / (1.0 + (-z).exp());
    (z * s, s + z * s * (1.0 - s))
}

/// The trapezoidal rule in both variables, which converges exponentially on what is analytic. No point lies at zero: the
/// functions come near a kink or a step there when the variance is large, and the points on either side are even.
fn quadrature(function: impl Fn(f64) -> (f64, f64), variance: f64, correlation: f64) -> Kernel {
    const STEP: f64 = 0.4;
    const POINTS: u32 = 40;
    let at = |i: u32| (f64::from(i) + 0.5 - f64::from(POINTS) / 2.0) * STEP;
    let weight = |z: f64| STEP * (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    let (deviation, rest) = (variance.sqrt(), (1.0 - correlation * correlation).sqrt());
    let mut kernel =
        Kernel { value: Expectation { own: 0.0, cross: 0.0 }, slope: Expectation { own: 0.0, cross: 0.0 } };
    for z in (0..POINTS).map(at) {
        let (value, slope) = function(deviation * z);
        let (mut other_value, mut other_slope) = (0.0, 0.0);
        for u in (0..POINTS).map(at) {
            let (v, s) = function(deviation * (correlation * z + rest * u));
            other_value += weight(u) * v;
            other_slope += weight(u) * s;
        }
        kernel.value.own += weight(z) * value * value;
        kernel.value.cross += weight(z) * value * other_value;
        kernel.slope.own += weight(z) * slope * slope;
        kernel.slope.cross += weight(z) * slope * other_slope;
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: Kernel, want: Kernel, tolerance: f64, what: &str) {
        for (got, want) in [(got.value, want.value), (got.slope, want.slope)] {
            assert!((got.own / want.own - 1.0).abs() < tolerance, "{what}: {got:?} {want:?}");
            assert!((got.cross - want.cross).abs() < tolerance * want.own, "{what}: {got:?} {want:?}");
        }
    }

    /// At a large variance GELU and SiLU are ReLU, whose kernel is known; of its step the quadrature misses 3 %.
    #[test]
    fn smooth_nonlinearities_become_relu() {
        for correlation in [-0.5, 0.0, 0.3, 0.9, 1.0] {
            let want = relu(1e6, correlation);
            for activation in [Activation::Gelu, Activation::SwiGlu] {
                close(kernel(activation, 1e6, correlation), want, 0.03, &format!("{activation:?} {correlation}"));
            }
        }
    }

    /// At a small variance they are half their argument: value `z/2`, slope 1/2.
    #[test]
    fn smooth_nonlinearities_become_linear() {
        for correlation in [-0.5, 0.0, 0.3, 0.9, 1.0] {
            let variance = 1e-6;
            let want = Kernel {
                value: Expectation { own: variance / 4.0, cross: variance * correlation / 4.0 },
                slope: Expectation { own: 0.25, cross: 0.25 },
            };
            for activation in [Activation::Gelu, Activation::SwiGlu] {
                close(kernel(activation, variance, correlation), want, 1e-5, &format!("{activation:?} {correlation}"));
            }
        }
    }

    /// Price's theorem: the derivative of `E F F'` by the correlation is the variance times the kernel of the slope.
    #[test]
    fn the_kernel_of_the_slope_is_the_slope_of_the_kernel() {
        for &activation in Activation::ALL {
            for variance in [0.1, 1.0, 2.0] {
                for correlation in [-0.4, 0.0, 0.5, 0.9] {
                    let at = |shift| kernel(activation, variance, correlation + shift).value.cross;
                    let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
                    let want = variance * kernel(activation, variance, correlation).slope.cross;
                    let what = format!("{activation:?} variance {variance} correlation {correlation}");
                    assert!((slope / want - 1.0).abs() < 1e-5, "{what}: {slope} {want}");
                }
            }
        }
    }

    /// Correlated to one, two Gaussians are one.
    #[test]
    fn at_correlation_one_both_expectations_are_equal() {
        for &activation in Activation::ALL {
            let Kernel { value, slope } = kernel(activation, 1.3, 1.0);
            assert!((value.own - value.cross).abs() < 1e-12 && (slope.own - slope.cross).abs() < 1e-12);
        }
    }
}
