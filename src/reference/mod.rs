//! The float64 engine: what the others are measured against, and what resolves a collapsed model longest.
//!
//! One file or folder an operation, `x_forward`, `x_backward` and `x_tangent` (forward mode), with shapes as in
//! [`Config`]; [`ReferencePass`] and [`ModelUpdatePass`] walk through a model one sublayer at a time. It reads the
//! model's description and nothing of the other engines.

mod activation;
mod attention;
mod backward;
mod feed_forward;
mod forward;
mod loss;
mod measures;
mod norm;
mod parameters;
mod profile;
mod recorder;
mod run;
mod tangent;
mod update;
mod weights;

use std::collections::HashMap;

use ndarray::{Array2, ArrayBase, Data, DataMut, Dimension};

use forward::Output;
pub use parameters::{Parameter, Parameters};
use recorder::Recorder;
use run::{KEEP_DEFAULT, Observer, Run};
pub use update::{ModelUpdatePass, measure_with_update, model_update};

use crate::model::Config;
use crate::stats::{Measurement, Pass};

/// A run in float64, and where that is ill-conditioned a second one beside it, from an input changed in the last digit:
/// what differs between the two is not resolved.
pub struct ReferencePass {
    parameters: Parameters,
    run: Run,
    shadow: Option<(Parameters, Run)>,
    recorder: Recorder,
}

impl ReferencePass {
    /// A run that has yet to begin.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let parameters = Parameters::new(config);
        let shifted = shifted(&parameters);
        let room = if shifted.is_some() { KEEP_DEFAULT / 2 } else { KEEP_DEFAULT };
        let run = |parameters: &Parameters| Run::new(parameters, room);
        Self {
            run: run(&parameters),
            parameters,
            shadow: shifted.map(|shifted| (shifted.clone(), run(&shifted))),
            recorder: Recorder::new(config),
        }
    }
}

impl Pass for ReferencePass {
    /// Does one sublayer, forward or backward: a few milliseconds at the default width.
    fn advance(&mut self) -> Option<Measurement> {
        if let Some((parameters, run)) = &mut self.shadow {
            run.step(parameters, &mut self.recorder.shadow);
        }
        self.run.step(&self.parameters, &mut self.recorder);
        self.run.is_done().then(|| self.recorder.measurement())
    }

    fn progress(&self) -> f64 {
        self.run.progress()
    }
}

/// The same model with an input changed in the last digit, where the model is ill-conditioned.
fn shifted(parameters: &Parameters) -> Option<Parameters> {
    parameters.config().has_unbounded_scores().then(|| {
        let mut shifted = parameters.clone();
        let shift = |x: f64| if x.to_bits() & 1 == 0 { x.next_up() } else { x.next_down() };
        shifted.replace(Parameter::Input, parameters.input().mapv_into(shift));
        shifted
    })
}

/// Everything measured in one run, in float64.
#[must_use]
pub fn measure(config: &Config) -> Measurement {
    ReferencePass::new(config).finish()
}

/// The loss of a model with these parameters, nats.
#[must_use]
pub fn loss(parameters: &Parameters) -> f64 {
    of_output(parameters, |output| output.loss)
}

/// The logits of a model with these parameters, (N, V).
#[must_use]
pub fn logits(parameters: &Parameters) -> Array2<f64> {
    of_output(parameters, Output::logits)
}

/// Something of what follows the last block.
fn of_output<T>(parameters: &Parameters, of: impl Fn(&Output) -> T) -> T {
    struct Taken<F, T>(F, Option<T>);
    impl<T, F: Fn(&Output) -> T> Observer for Taken<F, T> {
        fn output(&mut self, output: &Output) {
            self.1 = Some(self.0(output));
        }
    }
    let (mut run, mut observer) = (Run::new(parameters, 0), Taken(of, None));
    loop {
        run.step(parameters, &mut observer);
        if let Some(taken) = observer.1 {
            return taken;
        }
    }
}

/// The derivative of the loss by every parameter, each of its parameter's shape.
#[must_use]
pub fn gradients(parameters: &Parameters) -> HashMap<Parameter, Array2<f64>> {
    #[derive(Default)]
    struct Gradients(HashMap<Parameter, Array2<f64>>);
    impl Observer for Gradients {
        fn gradient(&mut self, parameter: Parameter, gradient: Array2<f64>) {
            self.0.insert(parameter, gradient);
        }
    }
    let (mut run, mut observer) = (Run::new(parameters, KEEP_DEFAULT), Gradients::default());
    while !run.is_done() {
        run.step(parameters, &mut observer);
    }
    observer.0
}

/// The numbers of an array, row after row.
fn standard<S: Data<Elem = f64>, D: Dimension>(x: &ArrayBase<S, D>) -> &[f64] {
    x.as_slice().expect("arrays of the engine are in standard layout")
}

/// The numbers of an array, row after row.
fn standard_mut<S: DataMut<Elem = f64>, D: Dimension>(x: &mut ArrayBase<S, D>) -> &mut [f64] {
    x.as_slice_mut().expect("arrays of the engine are in standard layout")
}
