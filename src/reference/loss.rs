//! Mean cross-entropy over all positions.

use ndarray::Array2;

/// The loss in nats, and the softmax of the logits.
///
/// logits (N, V), targets (N) below V, probabilities (N, V).
pub(super) fn loss_forward(logits: &Array2<f64>, targets: &[usize]) -> (f64, Array2<f64>) {
    let mut probabilities = logits.clone();
    let mut total = 0.0;
    for (mut row, &target) in probabilities.rows_mut().into_iter().zip(targets) {
        let peak = row.fold(f64::NEG_INFINITY, |peak, value| peak.max(*value));
        let at_target = row[target] - peak;
        row.mapv_inplace(|value| (value - peak).exp());
        let sum = row.sum();
        total += sum.ln() - at_target;
        row /= sum;
    }
    (total / targets.len() as f64, probabilities)
}

/// The gradient at the logits.
///
/// probabilities (N, V), targets (N), dlogits (N, V).
pub(super) fn loss_backward(mut probabilities: Array2<f64>, targets: &[usize]) -> Array2<f64> {
    for (mut row, &target) in probabilities.rows_mut().into_iter().zip(targets) {
        row[target] -= 1.0;
    }
    probabilities /= targets.len() as f64;
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_logits_cost_the_logarithm_of_the_classes() {
        let (loss, probabilities) = loss_forward(&Array2::from_elem((3, 8), 700.0), &[0, 5, 7]);
        assert!((loss - 8f64.ln()).abs() < 1e-15);
        let gradient = loss_backward(probabilities, &[0, 5, 7]);
        assert!((gradient[[1, 5]] + 0.875 / 3.0).abs() < 1e-16);
        assert!(gradient.rows().into_iter().all(|row| row.sum().abs() < 1e-16));
    }
}
