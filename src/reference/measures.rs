//! Numbers that stand for an array.

use ndarray::{Array2, Axis};

use super::standard;

/// `sqrt(sum of squares)`, also where the squares themselves would not fit.
pub(super) fn frobenius(x: &Array2<f64>) -> f64 {
    norm(standard(x))
}

fn norm(x: &[f64]) -> f64 {
    let peak = peak(x);
    if peak == 0.0 || !peak.is_finite() {
        return peak;
    }
    peak * x.iter().map(|value| (value / peak) * (value / peak)).sum::<f64>().sqrt()
}

/// The largest magnitude; NaN if there is one.
pub(super) fn peak(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |peak, value| larger(peak, value.abs()))
}

/// The larger of two numbers; NaN if one of them is.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Mean cosine of two different tokens of a sequence, averaged over the sequences; x (N, d).
pub(super) fn token_cosine(tokens: usize, x: &Array2<f64>) -> f64 {
    let of_sequence = x.axis_chunks_iter(Axis(0), tokens).map(|sequence| {
        let mut sum = vec![0.0; sequence.ncols()];
        for row in sequence.rows() {
            let length = norm(standard(&row));
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / length);
        }
        // The squared length of the sum of T unit vectors is T plus the cosines of all ordered pairs.
        let pairs = sum.iter().map(|value| value * value).sum::<f64>() - tokens as f64;
        pairs / (tokens * (tokens - 1)) as f64
    });
    of_sequence.sum::<f64>() / (x.nrows() / tokens) as f64
}

/// x (N, d) less its mean over the tokens of each sequence.
///
/// The first token is taken away before the mean is: where all are equal, nothing is left, to the last digit.
pub(super) fn centred(tokens: usize, x: &Array2<f64>) -> Array2<f64> {
    let mut centred = x.clone();
    for mut sequence in centred.axis_chunks_iter_mut(Axis(0), tokens) {
        let first = sequence.row(0).to_owned();
        sequence -= &first;
        if let Some(mean) = sequence.mean_axis(Axis(0)) {
            sequence -= &mean;
        }
    }
    centred
}

/// `||x - 1 mean(x)^T|| / ||x||`, the mean being over the tokens of each sequence; x (N, d).
pub(super) fn rank_residual(tokens: usize, x: &Array2<f64>) -> f64 {
    frobenius(&centred(tokens, x)) / frobenius(x)
}

/// The population variance of all entries.
pub(super) fn variance(x: &Array2<f64>) -> f64 {
    let count = x.len() as f64;
    let mean = x.sum() / count;
    x.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: [[f64; 2]; 4]) -> Array2<f64> {
        Array2::from(values.to_vec())
    }

    #[test]
    fn norms_of_huge_tiny_and_broken_arrays() {
        for scale in [1.0, 1e-300, 1e300] {
            let size = frobenius(&(rows([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0], [0.0, 12.0]]) * scale));
            assert!((size / scale - 13.0).abs() < 1e-14, "{size:e}");
        }
        assert_eq!(frobenius(&rows([[0.0; 2]; 4])), 0.0);
        assert!(frobenius(&rows([[1.0, f64::NAN], [0.0; 2], [0.0; 2], [2.0; 2]])).is_nan());
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
    }

    /// The sequences (a, a) and (b, -b): cosines 1 and -1, and all of the second is apart.
    #[test]
    fn tokens_alike_and_opposed() {
        let x = rows([[3.0, 4.0], [3.0, 4.0], [0.0, 5.0], [0.0, -5.0]]);
        assert!(token_cosine(2, &x).abs() < 1e-15);
        assert!(token_cosine(4, &x).abs() < 1e-15);
        assert!((rank_residual(2, &x) - 0.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(rank_residual(2, &rows([[0.1, 0.7], [0.1, 0.7], [0.3, 1.1], [0.3, 1.1]])), 0.0);
        assert!((variance(&x) - (100.0 / 8.0 - (14.0_f64 / 8.0).powi(2))).abs() < 1e-14);
    }
}
