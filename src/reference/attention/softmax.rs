//! The softmax of an attention, and what is measured of it.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::reference::measures::larger;
use crate::reference::standard_mut;

/// In place from scores to the weights of the tokens, (T, T), query by key; the largest magnitude of a score that
/// counts.
pub(super) fn softmax_forward(causal: bool, scores: &mut ArrayViewMut2<f64>) -> f64 {
    let tokens = scores.ncols();
    let mut largest = 0.0;
    for (query, mut row) in scores.rows_mut().into_iter().enumerate() {
        let (seen, unseen) = standard_mut(&mut row).split_at_mut(if causal { query + 1 } else { tokens });
        unseen.fill(0.0);
        let peak = seen.iter().fold(f64::NEG_INFINITY, |peak, score| peak.max(*score));
        let mut sum = 0.0;
        for score in &mut *seen {
            largest = larger(largest, score.abs());
            *score = (*score - peak).exp();
            sum += *score;
        }
        seen.iter_mut().for_each(|weight| *weight /= sum);
    }
    largest
}

/// In place from the gradient at the weights of the tokens to that at the scores, (T, T) both.
pub(super) fn softmax_backward(attention: &ArrayView2<f64>, gradient: &mut Array2<f64>) {
    for (weights, mut row) in attention.rows().into_iter().zip(gradient.rows_mut()) {
        let base = row[largest(weights.iter())];
        row -= base;
        let mean = weights.dot(&row);
        row.zip_mut_with(&weights, |d, weight| *d = (*d - mean) * weight);
    }
}

/// In place from a change of the scores to that of the weights of the tokens, (T, T) both. The Jacobian of a softmax is
/// symmetric.
pub(super) fn softmax_tangent(attention: &ArrayView2<f64>, change: &mut Array2<f64>) {
    softmax_backward(attention, change);
}

/// Sum over the queries of `-sum a ln a`, attention (T, T).
///
/// The logarithm of the largest weight is taken from how much it lacks of one, or nothing would be left of it where the
/// softmax has saturated.
pub(super) fn softmax_entropy(attention: &ArrayView2<f64>) -> f64 {
    let of_query = attention.rows().into_iter().map(|weights| {
        let largest = largest(weights.iter());
        let (mut others, mut entropy) = (0.0, 0.0);
        for (index, &weight) in weights.iter().enumerate() {
            if index != largest && weight != 0.0 {
                others += weight;
                entropy -= weight * weight.ln();
            }
        }
        entropy - weights[largest] * f64::ln_1p(-others)
    });
    of_query.sum()
}

fn largest<'a>(weights: impl Iterator<Item = &'a f64>) -> usize {
    let pick =
        |best: (usize, f64), (index, &weight): (usize, &f64)| if weight > best.1 { (index, weight) } else { best };
    weights.enumerate().fold((0, f64::NEG_INFINITY), pick).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropies_in_closed_form() {
        let even = Array2::from_elem((4, 4), 0.25);
        assert!((softmax_entropy(&even.view()) - 4.0 * 4f64.ln()).abs() < 1e-14);
        // One weight lacks `x` of one, and another has it: x + x ln(1/x) up to x^2.
        for x in [1e-9, 1e-16, 1e-200] {
            let saturated = Array2::from_shape_vec((1, 3), vec![x, 1.0 - x, 0.0]).unwrap();
            let want = x - x * f64::ln(x);
            assert!((softmax_entropy(&saturated.view()) / want - 1.0).abs() < 1e-9, "{x:e}");
        }
        let sure = Array2::from_shape_vec((1, 2), vec![0.0, 1.0]).unwrap();
        assert_eq!(softmax_entropy(&sure.view()), 0.0);
    }

    #[test]
    fn the_largest_score_is_one_that_is_seen() {
        let mut scores = Array2::from_shape_vec((2, 2), vec![1.0, 100.0, -3.0, 2.0]).unwrap();
        assert_eq!(softmax_forward(true, &mut scores.clone().view_mut()), 3.0);
        assert_eq!(softmax_forward(false, &mut scores.view_mut()), 100.0);
        assert!((softmax_forward(false, &mut Array2::from_elem((2, 2), f64::NAN).view_mut())).is_nan());
    }
}
