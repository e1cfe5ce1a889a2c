//! LayerNorm and RMSNorm, gain 1 and shift 0.

use ndarray::Array2;

use super::{standard, standard_mut};
use crate::model::{NORM_EPSILON, Norm};

/// The output of a norm and what its derivative needs besides.
pub(super) struct Normed {
    /// (N, d).
    pub y: Array2<f64>,
    /// `1 / sqrt(variance + epsilon)` of each group of features.
    pub inverse: Vec<f64>,
}

/// `y = (x - mean) / sqrt(variance + epsilon)` over each `group` consecutive features; RMSNorm leaves the mean.
///
/// x (N, d), `group` divides d. Entries are divided by the largest of them before they are squared, so that the result
/// is right as long as x itself is finite.
pub(super) fn norm_forward(kind: Norm, group: usize, x: &Array2<f64>) -> Normed {
    let count = group as f64;
    let mut y = x.clone();
    let mut inverse = Vec::with_capacity(x.len() / group);
    for row in standard_mut(&mut y).chunks_exact_mut(group) {
        let scale = row.iter().fold(1.0_f64, |peak, value| peak.max(value.abs()));
        row.iter_mut().for_each(|value| *value /= scale);
        if kind == Norm::LayerNorm {
            let mean = row.iter().sum::<f64>() / count;
            row.iter_mut().for_each(|value| *value -= mean);
        }
        let mean_square = row.iter().map(|value| value * value).sum::<f64>() / count;
        let deviation = (mean_square + NORM_EPSILON / scale / scale).sqrt();
        row.iter_mut().for_each(|value| *value /= deviation);
        inverse.push(1.0 / (scale * deviation));
    }
    Normed { y, inverse }
}

/// The gradient at the input of a norm from that at its output.
///
/// y (N, d), dy (N, d), dx (N, d); `y` and `inverse` as [`norm_forward`] returned them.
pub(super) fn norm_backward(
    kind: Norm,
    group: usize,
    y: &Array2<f64>,
    inverse: &[f64],
    dy: &Array2<f64>,
) -> Array2<f64> {
    let count = group as f64;
    let mut dx = dy.clone();
    let groups = standard_mut(&mut dx).chunks_exact_mut(group).zip(standard(y).chunks_exact(group)).zip(inverse);
    for ((dx, y), inverse) in groups {
        let along = dx.iter().zip(y).map(|(d, y)| d * y).sum::<f64>() / count;
        let mean = if kind == Norm::LayerNorm { dx.iter().sum::<f64>() / count } else { 0.0 };
        for (d, y) in dx.iter_mut().zip(y) {
            *d = (*d - mean - y * along) * inverse;
        }
    }
    dx
}

/// The change of a norm's output that a change of its input makes; shapes as in [`norm_backward`]. The Jacobian of a
/// norm without gains is symmetric.
pub(super) fn norm_tangent(
    kind: Norm,
    group: usize,
    y: &Array2<f64>,
    inverse: &[f64],
    dx: &Array2<f64>,
) -> Array2<f64> {
    norm_backward(kind, group, y, inverse, dx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_huge_and_tiny_rows() {
        for kind in [Norm::LayerNorm, Norm::RmsNorm] {
            let x = Array2::from_shape_fn((1, 4), |(_, j)| [1.0, -2.0, 4.0, 3.0][j]);
            let unit = norm_forward(kind, 4, &(&x * 1e3)).y;
            let huge = norm_forward(kind, 4, &(&x * 1e300)).y;
            assert!((&unit - &huge).iter().all(|error| error.abs() < 1e-9), "{kind:?}: {unit} {huge}");
            // Far below epsilon a norm is a division by sqrt(epsilon).
            let tiny = norm_forward(kind, 4, &(&x * 1e-300));
            let mean = if kind == Norm::LayerNorm { 1.5 } else { 0.0 };
            let expected = (&x - mean) * 1e-300 / NORM_EPSILON.sqrt();
            assert!((&tiny.y / &expected).iter().all(|ratio| (ratio - 1.0).abs() < 1e-12), "{kind:?}");
        }
    }

    #[test]
    fn groups_are_normed_apart() {
        let x = Array2::from_shape_fn((2, 6), |(i, j)| ((i * 6 + j) as f64).sin() * 10f64.powi(j as i32));
        let whole = norm_forward(Norm::RmsNorm, 3, &x);
        assert_eq!(whole.inverse.len(), 4);
        for half in 0..2 {
            let columns = ndarray::Slice::from(half * 3..half * 3 + 3);
            let part = x.slice_axis(ndarray::Axis(1), columns).as_standard_layout().to_owned();
            let alone = norm_forward(Norm::RmsNorm, 3, &part).y;
            assert_eq!(whole.y.slice_axis(ndarray::Axis(1), columns), alone);
        }
    }
}
