//! The change of the logits in one small step of training ([`ModelUpdate`]): a run for the gradients, and a
//! forward-mode pass along the step they make. Nothing is differenced, so nothing cancels.

use ndarray::Array2;

use super::backward::sublayer_backward;
use super::forward::{Output, SublayerOutput, output_forward, sublayer_forward};
use super::measures::frobenius;
use super::parameters::{Parameter, Parameters};
use super::recorder::Recorder;
use super::run::{Observer, Run, embedded};
use super::tangent::{StreamTangent, output_tangent, sublayer_tangent};
use super::{KEEP_DEFAULT, shifted};
use crate::model::{Config, Sublayer};
use crate::stats::{Engine, Mark, Measurement, ModelUpdate};

/// The gradients between sublayers of a run, from which those of any sublayer's matrices can be made again: at the
/// default size they are a twentieth as large.
#[derive(Default)]
struct Kept {
    /// At the stream after the last sublayer, before it and so on, (N, d).
    streams: Vec<Array2<f64>>,
    /// At the second stream, (N, d), where there is one.
    dual: Option<Array2<f64>>,
}

/// Watches for another and keeps the gradients.
struct Keeping<'a, O>(&'a mut O, &'a mut Kept);

impl<O: Observer> Observer for Keeping<'_, O> {
    fn stream(&mut self, boundary: usize, x: &Array2<f64>) {
        self.0.stream(boundary, x);
    }

    fn sublayer(&mut self, index: usize, output: &SublayerOutput) {
        self.0.sublayer(index, output);
    }

    fn output(&mut self, output: &Output) {
        self.0.output(output);
    }

    fn stream_gradient(&mut self, sublayer: usize, gradient: &Array2<f64>) {
        self.1.streams.push(gradient.clone());
        self.0.stream_gradient(sublayer, gradient);
    }

    fn dual_gradient(&mut self, gradient: &Array2<f64>) {
        self.1.dual = Some(gradient.clone());
    }

    fn gradient(&mut self, parameter: Parameter, gradient: Array2<f64>) {
        self.0.gradient(parameter, gradient);
    }

    fn value_spread(&mut self, sublayer: &Sublayer, spread: f64) {
        self.0.value_spread(sublayer, spread);
    }
}

/// The changes of the logits by the size of the logits, (N, V), along the gradient and along its sign.
type Changes = [Array2<f64>; 2];

/// The second forward pass, which carries the changes along.
struct Walk {
    sublayers: Vec<Sublayer>,
    gradients: Kept,
    /// Sublayers that are done.
    done: usize,
    /// The streams as in a [`Run`], (N, d).
    x: Array2<f64>,
    block_input: Array2<f64>,
    dual: Option<Array2<f64>>,
    /// Along the gradient and along its sign.
    changes: [StreamTangent; 2],
}

impl Walk {
    fn new(parameters: &Parameters, sublayers: Vec<Sublayer>, mut gradients: Kept) -> Self {
        let (x, _) = embedded(parameters);
        let change = StreamTangent::none(&x, gradients.dual.is_some());
        // At the input nothing is stepped.
        gradients.streams.pop();
        Self {
            sublayers,
            done: 0,
            block_input: x.clone(),
            dual: gradients.dual.is_some().then(|| x.clone()),
            x,
            changes: [change.clone(), change],
            gradients,
        }
    }

    /// Does the next sublayer; `dF / ||F||`, (N, V), along the gradient and along its sign once all are done.
    fn step(&mut self, parameters: &Parameters) -> Option<Changes> {
        let sublayer = &self.sublayers[self.done];
        if self.done.is_multiple_of(parameters.config().sublayers_per_block()) {
            self.block_input.assign(&self.x);
            self.changes.iter_mut().for_each(|change| change.block_input.assign(&change.x));
        }
        let output = sublayer_forward(parameters, sublayer, &self.x, &self.block_input);
        let dy = self.gradients.streams.pop().expect("a gradient after each sublayer");
        let streams = (&self.x, &output.stream);
        let gradients =
            sublayer_backward(parameters, sublayer, streams, &output.tape, &dy, self.gradients.dual.as_ref()).weights;
        let signs = gradients.map(|g| if g == 0.0 { 0.0 } else { g.signum() });
        for (step, change) in [gradients, signs].iter().zip(&mut self.changes) {
            sublayer_tangent(parameters, sublayer, &self.x, &output, step, change);
        }
        if let Some(dual) = &mut self.dual {
            *dual += &output.update;
        }
        self.x = output.stream;
        self.done += 1;
        (self.done == self.sublayers.len()).then(|| self.at_output(parameters))
    }

    fn at_output(&self, parameters: &Parameters) -> Changes {
        let output = output_forward(parameters, &self.x, self.dual.as_ref());
        let size = frobenius(&output.logits());
        let change = |change| output_tangent(parameters.config(), &output, change) / size;
        self.changes.each_ref().map(change)
    }
}

/// One model on its way through both passes.
struct Stepped {
    parameters: Parameters,
    run: Run,
    kept: Kept,
    walk: Option<Walk>,
}

impl Stepped {
    fn new(parameters: Parameters, room: usize) -> Self {
        Self { run: Run::new(&parameters, room), parameters, kept: Kept::default(), walk: None }
    }

    /// Does the next sublayer.
    fn step(&mut self, observer: &mut impl Observer) -> Option<Changes> {
        if let Some(walk) = &mut self.walk {
            return walk.step(&self.parameters);
        }
        self.run.step(&self.parameters, &mut Keeping(observer, &mut self.kept));
        if self.run.is_done() {
            let kept = std::mem::take(&mut self.kept);
            self.walk = Some(Walk::new(&self.parameters, self.run.sublayers().to_vec(), kept));
        }
        None
    }
}

/// [`ModelUpdate`] in float64, a little at a time, so that a page stays alive beside it; on the way all that
/// [`super::ReferencePass`] measures.
///
/// Where the model is ill-conditioned a second one goes beside it, as there: what differs is not resolved.
pub struct ModelUpdatePass {
    model: Stepped,
    shadow: Option<Stepped>,
    recorder: Recorder,
}

impl ModelUpdatePass {
    /// A run that has yet to begin.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let parameters = Parameters::new(config);
        let shifted = shifted(&parameters);
        let room = if shifted.is_some() { KEEP_DEFAULT / 2 } else { KEEP_DEFAULT };
        Self {
            model: Stepped::new(parameters, room),
            shadow: shifted.map(|shifted| Stepped::new(shifted, room)),
            recorder: Recorder::new(config),
        }
    }

    /// Does the next sublayer, a few milliseconds at the default width; the result once all is done.
    pub fn advance(&mut self) -> Option<ModelUpdate> {
        let shadow = self.shadow.as_mut().and_then(|shadow| shadow.step(&mut self.recorder.shadow));
        let changes = self.model.step(&mut self.recorder)?;
        Some(judged(&changes, shadow.as_ref()))
    }

    /// The share of the work that is done, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        // The second pass does a sublayer forward, backward and twice along a step, the first forward and backward.
        let walked = self.model.walk.as_ref().map_or(0.0, |walk| walk.done as f64 / walk.sublayers.len() as f64);
        (self.model.run.progress() * 3.0 + walked * 6.0) / 9.0
    }

    /// Everything else that is measured of the run, once its gradients are known.
    #[must_use]
    pub fn measurement(&self) -> Option<Measurement> {
        self.model.walk.is_some().then(|| self.recorder.measurement())
    }
}

/// The sizes of the changes, and how far each is from the shadow's.
fn judged(changes: &Changes, shadow: Option<&Changes>) -> ModelUpdate {
    let [sgd, sign] = changes.each_ref().map(frobenius);
    let mark = |which: usize, size: f64| {
        let error = shadow.map_or(0.0, |shadow| frobenius(&(&changes[which] - &shadow[which])) / size);
        Mark::of(size, error, Engine::Reference)
    };
    ModelUpdate { sgd, sign, sgd_mark: mark(0, sgd), sign_mark: mark(1, sign) }
}

/// Everything measured in one run, in float64, with what one small step of training does to the logits.
#[must_use]
pub fn measure_with_update(config: &Config) -> Measurement {
    let mut pass = ModelUpdatePass::new(config);
    loop {
        if let Some(update) = pass.advance() {
            let mut measurement = pass.recorder.measurement();
            measurement.series.extend(update.series());
            return measurement;
        }
    }
}

/// The change of the logits in one small step of training, in float64.
#[must_use]
pub fn model_update(config: &Config) -> ModelUpdate {
    let mut pass = ModelUpdatePass::new(config);
    loop {
        if let Some(update) = pass.advance() {
            return update;
        }
    }
}
