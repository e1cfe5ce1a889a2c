//! What one step of training does to what a model computes.

use super::{Mark, Measurement, Quantity, Series, Update};

/// The change of the logits in one small step of training, relative to the logits: `||F(theta - eta u) - F(theta)|| /
/// (eta ||F||)` as eta goes to 0. F is the logits of all positions, u steps every layer matrix and leaves U as it is.
///
/// Where the gradient of a matrix is below what the engine resolves, its sign is noise, and moves the weights as far as
/// any other; but not the logits: what makes the gradient small there, such as keys that are all alike, makes small what
/// the logits have of a step in any direction. All golden runs bear that out, so it is no reason for a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelUpdate {
    /// With u the gradient.
    pub sgd: f64,
    /// With u the sign of the gradient, 0 where that is 0.
    pub sign: f64,
    /// What is to be said of `sgd` before it is believed.
    pub sgd_mark: Option<Mark>,
    /// What is to be said of `sign`.
    pub sign_mark: Option<Mark>,
}

impl ModelUpdate {
    /// Itself as series of a measurement.
    #[must_use]
    pub fn series(&self) -> [Series; 2] {
        let of = |update, value, mark| {
            let error = if mark == Some(Mark::Unresolved) { f64::INFINITY } else { 0.0 };
            Series { quantity: Quantity::ModelUpdate(update), values: vec![value], relative_error: vec![error] }
        };
        [of(Update::Sgd, self.sgd, self.sgd_mark), of(Update::Sign, self.sign, self.sign_mark)]
    }

    /// The update of a measurement that has it.
    #[must_use]
    pub fn of(measurement: &Measurement) -> Option<Self> {
        let [sgd, sign] = [Update::Sgd, Update::Sign].map(|update| {
            let quantity = Quantity::ModelUpdate(update);
            Some((*measurement.values(quantity).first()?, measurement.mark(quantity, 0)))
        });
        let ((sgd, sgd_mark), (sign, sign_mark)) = sgd.zip(sign)?;
        Some(Self { sgd, sign, sgd_mark, sign_mark })
    }
}
