//! What one step of training does to what a model computes.

use super::{Mark, Measurement, Quantity, Update};

/// The change of the logits in one small step of training, relative to the logits: `||F(theta - eta u) - F(theta)|| /
/// (eta ||F||)` as eta goes to 0. F is the logits of all positions, u steps every layer matrix and leaves U as it is.
///
/// With u the sign of the gradient the question is ill-posed wherever the gradient of a matrix is below what the engine
/// resolves: the sign of noise moves weights as much as a real one. `sign_mark` says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelUpdate {
    /// With u the gradient.
    pub sgd: f64,
    /// With u the sign of the gradient, 0 where that is 0.
    pub sign: f64,
    /// What is to be said of `sgd` before it is believed.
    pub sgd_mark: Option<Mark>,
    /// What is to be said of `sign`: [`Mark::Unresolved`] too where the gradient of some layer matrix is.
    pub sign_mark: Option<Mark>,
}

impl ModelUpdate {
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
