//! The forward pass that a placement takes constants from, before its own run (Admin: Liu et al. 2020, §4.3).

use super::forward::SublayerOutput;
use super::measures::variance;
use super::parameters::Parameters;
use super::run::{Observer, Run};

/// A forward pass of the run that [`crate::model::Config::profiled`] names, with the same parameters.
pub(super) struct Profile {
    run: Box<Run>,
    variances: Variances,
}

/// The population variance of what each sublayer returns, over all B T d entries.
#[derive(Default)]
struct Variances(Vec<f64>);

impl Observer for Variances {
    fn sublayer(&mut self, _index: usize, output: &SublayerOutput) {
        self.0.push(variance(&output.update));
    }
}

impl Profile {
    /// A pass that has yet to begin; None where the placement needs none.
    pub(super) fn new(parameters: &Parameters) -> Option<Self> {
        let sublayers = parameters.config().profiled()?.sublayers();
        Some(Self { run: Box::new(Run::of_sublayers(parameters, sublayers, 0)), variances: Variances::default() })
    }

    /// Does the next sublayer; the variances once all is done.
    pub(super) fn step(&mut self, parameters: &Parameters) -> Option<Vec<f64>> {
        self.run.forward(parameters, &mut self.variances);
        self.run.is_at_turn().then(|| std::mem::take(&mut self.variances.0))
    }

    /// Sublayers that are done.
    pub(super) fn done(&self) -> usize {
        self.variances.0.len()
    }
}

/// The variances, in one go; None where the placement needs none.
pub(super) fn profile(parameters: &Parameters) -> Option<Vec<f64>> {
    let mut profile = Profile::new(parameters)?;
    loop {
        if let Some(variances) = profile.step(parameters) {
            return Some(variances);
        }
    }
}
