//! The walk through a model, one sublayer at a time, and who watches it.

use ndarray::Array2;

use super::backward::{OutputGradients, SublayerGradients, output_backward, stream_norm_backward, sublayer_backward};
use super::forward::{Output, SublayerOutput, SublayerTape, output_forward, stream_norm, sublayer_forward};
use super::norm::Normed;
use super::parameters::{Parameter, Parameters};
use super::profile::Profile;
use crate::model::Sublayer;

/// Watches a run. Block boundary `l` is the stream entering block `l`, boundary L the one leaving the last. Sublayers
/// count through the whole model.
pub(super) trait Observer {
    /// The stream at a block boundary, (N, d).
    fn stream(&mut self, _boundary: usize, _x: &Array2<f64>) {}
    /// What a sublayer has computed.
    fn sublayer(&mut self, _index: usize, _output: &SublayerOutput) {}
    /// What follows the last block.
    fn output(&mut self, _output: &Output) {}
    /// The gradient at the stream before a sublayer, (N, d); after the last, at S L.
    fn stream_gradient(&mut self, _sublayer: usize, _gradient: &Array2<f64>) {}
    /// The gradient at the second stream, (N, d), where there is one: it is the same everywhere.
    fn dual_gradient(&mut self, _gradient: &Array2<f64>) {}
    /// The gradient at a parameter, of its shape.
    fn gradient(&mut self, _parameter: Parameter, _gradient: Array2<f64>) {}
    /// How far apart the values of an attention lie: `rms(v - mean over tokens) / rms(v)`.
    fn value_spread(&mut self, _sublayer: &Sublayer, _spread: f64) {}
}

/// Numbers (of 8 bytes) that are kept from the forward for the backward pass, 192 MiB. What does not fit is computed
/// again: a run needs at most this and one stream for each sublayer, whatever its depth.
pub(super) const KEEP_DEFAULT: usize = 24 << 20;

/// One forward and one backward pass.
pub(super) struct Run {
    /// The pass that goes before, where the placement needs one and it is not over.
    profile: Option<Profile>,
    /// Sublayers of the pass that goes before.
    profiled: usize,
    sublayers: Vec<Sublayer>,
    /// The stream before each sublayer and after the last, (N, d); the backward pass takes them away again.
    streams: Vec<Array2<f64>>,
    /// Inverse deviations of the norm on the embedding.
    embedding_inverse: Option<Vec<f64>>,
    /// The second stream, (N, d), where the placement has one; in the backward pass the gradient at it, which is the
    /// same everywhere.
    dual: Option<Array2<f64>>,
    /// The gradient at the input of the block by way of a later sublayer that adds it, (N, d).
    dblock: Option<Array2<f64>>,
    /// One for each sublayer that the forward pass has left, with weights and all; None where there was no room.
    tapes: Vec<Option<SublayerTape>>,
    room: usize,
    /// The gradient at the last of `streams`, once the forward pass is over. The second stream is held fixed, save at
    /// the first, where both begin.
    gradient: Option<Array2<f64>>,
}

impl Run {
    /// A run that keeps at most `room` numbers for its backward pass.
    pub(super) fn new(parameters: &Parameters, room: usize) -> Self {
        let config = parameters.config();
        if let Some(variances) = parameters.held_profile() {
            return Self::of_sublayers(parameters, config.sublayers_after(variances), room);
        }
        let mut run = Self::of_sublayers(parameters, config.sublayers(), room);
        run.profile = Profile::new(parameters);
        run.profiled = if run.profile.is_some() { run.sublayers.len() } else { 0 };
        run
    }

    /// A run through these sublayers, with nothing before it.
    pub(super) fn of_sublayers(parameters: &Parameters, sublayers: Vec<Sublayer>, room: usize) -> Self {
        let (x, embedding_inverse) = embedded(parameters);
        Self {
            profile: None,
            profiled: 0,
            dual: sublayers.iter().any(|sublayer| sublayer.feeds_dual).then(|| x.clone()),
            sublayers,
            streams: vec![x],
            embedding_inverse,
            dblock: None,
            tapes: Vec::new(),
            room,
            gradient: None,
        }
    }

    /// The share of the work that is done. A sublayer's backward pass counts twice its forward pass.
    pub(super) fn progress(&self) -> f64 {
        let total = self.sublayers.len();
        let (forward, backward) = match self.gradient {
            None => (self.tapes.len(), 0),
            Some(_) => (total, total + 1 - self.streams.len()),
        };
        let before = self.profile.as_ref().map_or(self.profiled, Profile::done);
        (before + forward + 2 * backward) as f64 / (self.profiled + 3 * total) as f64
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_done(&self) -> bool {
        self.gradient.is_some() && self.streams.len() == 1
    }

    /// Whether the forward pass has done the last sublayer.
    pub(super) fn is_at_turn(&self) -> bool {
        self.tapes.len() == self.sublayers.len()
    }

    /// The sublayers, with the constants of the pass that went before, once that is over.
    pub(super) fn sublayers(&self) -> &[Sublayer] {
        &self.sublayers
    }

    /// Does the next sublayer. The parameters are the same at every step.
    pub(super) fn step(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        if let Some(profile) = &mut self.profile {
            if let Some(variances) = profile.step(parameters) {
                self.sublayers = parameters.config().sublayers_after(&variances);
                self.profile = None;
            }
        } else if let Some(gradient) = self.gradient.take() {
            self.backward(parameters, &gradient, observer);
        } else {
            self.forward(parameters, observer);
            if self.is_at_turn() {
                self.turn(parameters, observer);
            }
        }
    }

    /// Does the next sublayer of the forward pass.
    pub(super) fn forward(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        let index = self.tapes.len();
        if let Some(boundary) = self.boundary(index) {
            observer.stream(boundary, &self.streams[index]);
        }
        let output = self.evaluate(parameters, index);
        if let Some(dual) = &mut self.dual {
            *dual += &output.update;
        }
        observer.sublayer(index, &output);
        let room = self.room.checked_sub(output.tape.len());
        self.room = room.unwrap_or(self.room);
        self.tapes.push(room.map(|_| output.tape));
        self.streams.push(output.stream);
    }

    /// The forward pass of one sublayer whose input is there.
    fn evaluate(&self, parameters: &Parameters, index: usize) -> SublayerOutput {
        let sublayer = &self.sublayers[index];
        let first = sublayer.block * parameters.config().sublayers_per_block();
        sublayer_forward(parameters, sublayer, &self.streams[index], &self.streams[first])
    }

    /// The end of the forward and the beginning of the backward pass.
    fn turn(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        let total = self.sublayers.len();
        let x = &self.streams[total];
        observer.stream(parameters.config().depth as usize, x);
        let output = output_forward(parameters, x, self.dual.as_ref());
        observer.output(&output);
        let OutputGradients { dx, ddual, dunembedding } =
            output_backward(parameters.config(), output, self.dual.is_some());
        observer.gradient(Parameter::Unembedding, dunembedding);
        observer.stream_gradient(total, &dx);
        if let Some(ddual) = &ddual {
            observer.dual_gradient(ddual);
        }
        self.dual = ddual;
        self.gradient = Some(dx);
    }

    fn backward(&mut self, parameters: &Parameters, dy: &Array2<f64>, observer: &mut impl Observer) {
        let Some(y) = self.streams.pop() else { return };
        let index = self.streams.len() - 1;
        let (x, sublayer) = (&self.streams[index], &self.sublayers[index]);
        let tape = self.tapes.pop().flatten().unwrap_or_else(|| self.evaluate(parameters, index).tape);
        let SublayerGradients { mut dx, dblock, weights, spread } =
            sublayer_backward(parameters, sublayer, (x, &y), &tape, dy, self.dual.as_ref());
        for (tensor, gradient) in weights.named() {
            observer.gradient(Parameter::Layer { tensor, block: sublayer.block }, gradient);
        }
        if let Some(spread) = spread {
            observer.value_spread(sublayer, spread);
        }
        self.dblock = dblock.or_else(|| self.dblock.take());
        if self.boundary(index).is_some()
            && let Some(dblock) = self.dblock.take()
        {
            dx += &dblock;
        }
        if index == 0
            && let Some(ddual) = self.dual.take()
        {
            dx += &ddual;
        }
        observer.stream_gradient(index, &dx);
        if index == 0 {
            self.at_input(parameters, &dx, observer);
        }
        self.gradient = Some(dx);
    }

    fn at_input(&self, parameters: &Parameters, dx: &Array2<f64>, observer: &mut impl Observer) {
        let gradient = match &self.embedding_inverse {
            Some(inverse) => stream_norm_backward(parameters.config(), &self.streams[0], inverse, dx),
            None => dx.clone(),
        };
        observer.gradient(Parameter::Input, gradient);
    }

    /// The block boundary before a sublayer, if it is the first of a block.
    fn boundary(&self, index: usize) -> Option<usize> {
        let block = self.sublayers[index].block;
        let first = index == 0 || self.sublayers[index - 1].block != block;
        first.then_some(block)
    }
}

/// State 0, (N, d), and the inverse deviations of the norm on the embedding if there is one.
pub(super) fn embedded(parameters: &Parameters) -> (Array2<f64>, Option<Vec<f64>>) {
    let config = parameters.config();
    let x = parameters.input();
    if config.placement.recipe().embedding_norm {
        let Normed { y, inverse } = stream_norm(config, &x);
        (y, Some(inverse))
    } else {
        (x, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Config, Placement, Toggle};
    use crate::reference::recorder::Recorder;
    use crate::stats::Measurement;

    fn measured(config: &Config, room: usize) -> Measurement {
        let parameters = Parameters::new(config);
        let (mut run, mut recorder) = (Run::new(&parameters, room), Recorder::new(config));
        let mut progress = run.progress();
        assert_eq!(progress, 0.0);
        while !run.is_done() {
            run.step(&parameters, &mut recorder);
            assert!(run.progress() > progress, "{} after {progress}", run.progress());
            progress = run.progress();
        }
        assert_eq!(progress, 1.0);
        recorder.measurement()
    }

    #[test]
    fn what_was_not_kept_is_computed_again_to_the_last_digit() {
        for &placement in Placement::ALL {
            for cross in [Toggle(false), Toggle(true)] {
                let small = Config { width: 16, tokens: 6, ..Config::default() };
                let config = Config { placement, depth: 5, cross, memory_cos: 0.5, ..small };
                let kept = measured(&config, usize::MAX);
                for room in [0, 10_000, 30_000] {
                    assert_eq!(measured(&config, room), kept, "{placement:?} with room for {room}");
                }
            }
        }
    }
}
