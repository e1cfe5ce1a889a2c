//! The feed-forward network: `act(x W_1) W_2`, with SwiGLU `(silu(x W_g) * x W_1) W_2`.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Zip};

use super::activation::{activation_backward, activation_forward};
use super::parameters::Parameters;
use crate::model::{Activation, Tensor};

/// The matrices of one feed-forward network, or their gradients.
pub(super) struct FeedForwardWeights {
    /// W_1, (d, h).
    pub w1: Array2<f64>,
    /// W_g, (d, h), where the activation is gated.
    pub wg: Option<Array2<f64>>,
    /// W_2, (h, d).
    pub w2: Array2<f64>,
}

impl FeedForwardWeights {
    pub(super) fn of(parameters: &Parameters, block: usize) -> Self {
        Self {
            w1: parameters.required(Tensor::W1, block),
            wg: parameters.matrix(Tensor::Wg, block),
            w2: parameters.required(Tensor::W2, block),
        }
    }

    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        self.w1.len() + self.w2.len() + self.wg.as_ref().map_or(0, Array2::len)
    }

    /// With their names.
    pub(super) fn named(self) -> Vec<(Tensor, Array2<f64>)> {
        let gate = self.wg.map(|wg| (Tensor::Wg, wg));
        [(Tensor::W1, self.w1), (Tensor::W2, self.w2)].into_iter().chain(gate).collect()
    }
}

/// What the backward pass needs besides the input and the weights.
pub(super) struct FeedForwardTape {
    /// `x W_1`, (N, h).
    hidden: Array2<f64>,
    /// `x W_g`, (N, h).
    gate: Option<Array2<f64>>,
}

impl FeedForwardTape {
    /// Numbers held.
    pub(super) fn len(&self) -> usize {
        self.hidden.len() + self.gate.as_ref().map_or(0, Array2::len)
    }

    /// What W_2 multiplies, (N, h).
    fn activated(&self, kind: Activation) -> Array2<f64> {
        match &self.gate {
            None => self.hidden.mapv(|z| activation_forward(kind, z)),
            Some(gate) => {
                Zip::from(&self.hidden).and(gate).map_collect(|hidden, gate| hidden * activation_forward(kind, *gate))
            }
        }
    }
}

/// x (N, d), out (N, d).
pub(super) fn feed_forward_forward(
    kind: Activation,
    weights: &FeedForwardWeights,
    x: &Array2<f64>,
) -> (Array2<f64>, FeedForwardTape) {
    let tape = FeedForwardTape { hidden: x.dot(&weights.w1), gate: weights.wg.as_ref().map(|wg| x.dot(wg)) };
    (tape.activated(kind).dot(&weights.w2), tape)
}

/// x (N, d), dout (N, d); the gradients at the input, (N, d), and at the weights.
pub(super) fn feed_forward_backward(
    kind: Activation,
    weights: &FeedForwardWeights,
    x: &Array2<f64>,
    tape: &FeedForwardTape,
    dout: &Array2<f64>,
) -> (Array2<f64>, FeedForwardWeights) {
    let dw2 = tape.activated(kind).t().dot(dout);
    let mut dhidden = dout.dot(&weights.w2.t());
    let dgate = tape.gate.as_ref().map(|gate| {
        let mut dgate = &dhidden * &tape.hidden;
        Zip::from(&mut dgate).and(gate).for_each(|d, z| *d *= activation_backward(kind, *z));
        Zip::from(&mut dhidden).and(gate).for_each(|d, z| *d *= activation_forward(kind, *z));
        dgate
    });
    if dgate.is_none() {
        Zip::from(&mut dhidden).and(&tape.hidden).for_each(|d, z| *d *= activation_backward(kind, *z));
    }
    let mut dx = dhidden.dot(&weights.w1.t());
    let mut dwg = None;
    if let (Some(dgate), Some(wg)) = (&dgate, &weights.wg) {
        general_mat_mul(1.0, dgate, &wg.t(), 1.0, &mut dx);
        dwg = Some(x.t().dot(dgate));
    }
    (dx, FeedForwardWeights { w1: x.t().dot(&dhidden), wg: dwg, w2: dw2 })
}

/// What a change of the input, dx, and of the weights makes of the output. x, dx, dout (N, d).
pub(super) fn feed_forward_tangent(
    kind: Activation,
    weights: &FeedForwardWeights,
    dweights: &FeedForwardWeights,
    tape: &FeedForwardTape,
    x: &Array2<f64>,
    dx: &Array2<f64>,
) -> Array2<f64> {
    let through = |matrix: &Array2<f64>, dmatrix: &Array2<f64>| {
        let mut change = x.dot(dmatrix);
        general_mat_mul(1.0, dx, matrix, 1.0, &mut change);
        change
    };
    let mut dactivated = through(&weights.w1, &dweights.w1);
    match (&tape.gate, &weights.wg, &dweights.wg) {
        (Some(gate), Some(wg), Some(dwg)) => {
            let mut dgate = through(wg, dwg);
            Zip::from(&mut dgate).and(gate).for_each(|d, z| *d *= activation_backward(kind, *z));
            dgate *= &tape.hidden;
            Zip::from(&mut dactivated).and(gate).for_each(|d, z| *d *= activation_forward(kind, *z));
            dactivated += &dgate;
        }
        _ => Zip::from(&mut dactivated).and(&tape.hidden).for_each(|d, z| *d *= activation_backward(kind, *z)),
    }
    let mut dout = dactivated.dot(&weights.w2);
    general_mat_mul(1.0, &tape.activated(kind), &dweights.w2, 1.0, &mut dout);
    dout
}
