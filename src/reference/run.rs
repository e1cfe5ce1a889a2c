//! The walk through a model, one sublayer at a time, and who watches it.

use ndarray::Array2;

use super::backward::{output_backward, sublayer_backward};
use super::forward::{SublayerTape, output_forward, sublayer_forward};
use super::norm::{Normed, norm_backward, norm_forward};
use super::parameters::{Parameter, Parameters};
use crate::model::Sublayer;

/// Watches a run. Block boundary `l` is the stream entering block `l`, boundary L the one leaving the last.
pub(super) trait Observer {
    /// The stream at a block boundary, (N, d).
    fn stream(&mut self, _boundary: usize, _x: &Array2<f64>) {}
    /// Size of what a sublayer adds by the size of what it is added to; sublayers count through the whole model.
    fn update_ratio(&mut self, _sublayer: usize, _ratio: f64) {}
    /// Mean cross-entropy, nats.
    fn loss(&mut self, _loss: f64) {}
    /// The gradient at a block boundary, (N, d).
    fn stream_gradient(&mut self, _boundary: usize, _gradient: &Array2<f64>) {}
    /// The gradient at a parameter, of its shape.
    fn gradient(&mut self, _parameter: Parameter, _gradient: Array2<f64>) {}
    /// How far apart the values of a block's attention lie: `rms(v - mean over tokens) / rms(v)`.
    fn value_spread(&mut self, _block: usize, _spread: f64) {}
}

/// Numbers (of 8 bytes) that are kept from the forward for the backward pass, 192 MiB. What does not fit is computed
/// again: a run needs at most this and one stream for each sublayer, whatever its depth.
pub(super) const KEEP_DEFAULT: usize = 24 << 20;

/// One forward and one backward pass.
pub(super) struct Run {
    sublayers: Vec<Sublayer>,
    /// The stream before each sublayer and after the last, (N, d); the backward pass takes them away again.
    streams: Vec<Array2<f64>>,
    /// Inverse deviations of the norm on the embedding.
    embedding_inverse: Option<Vec<f64>>,
    /// One for each sublayer that the forward pass has left, with weights and all; None where there was no room.
    tapes: Vec<Option<SublayerTape>>,
    room: usize,
    /// The gradient at the last of `streams`, once the forward pass is over.
    gradient: Option<Array2<f64>>,
}

impl Run {
    /// A run that keeps at most `room` numbers for its backward pass.
    pub(super) fn new(parameters: &Parameters, room: usize) -> Self {
        let config = parameters.config();
        let mut x = parameters.input();
        let mut embedding_inverse = None;
        if config.placement.recipe().embedding_norm {
            let Normed { y, inverse } = norm_forward(config.norm, config.width as usize, &x);
            x = y;
            embedding_inverse = Some(inverse);
        }
        Self {
            sublayers: config.sublayers(),
            streams: vec![x],
            embedding_inverse,
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
        (forward + 2 * backward) as f64 / (3 * total) as f64
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_done(&self) -> bool {
        self.gradient.is_some() && self.streams.len() == 1
    }

    /// Does the next sublayer. The parameters are the same at every step.
    pub(super) fn step(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        match self.gradient.take() {
            None => self.forward(parameters, observer),
            Some(gradient) => self.backward(parameters, gradient, observer),
        }
    }

    fn forward(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        let index = self.tapes.len();
        let x = &self.streams[index];
        if let Some(boundary) = self.boundary(index) {
            observer.stream(boundary, x);
        }
        let output = sublayer_forward(parameters, &self.sublayers[index], x);
        observer.update_ratio(index, output.update_ratio);
        let room = self.room.checked_sub(output.tape.len());
        self.room = room.unwrap_or(self.room);
        self.tapes.push(room.map(|_| output.tape));
        self.streams.push(output.stream);
        if self.tapes.len() == self.sublayers.len() {
            self.turn(parameters, observer);
        }
    }

    /// The end of the forward and the beginning of the backward pass.
    fn turn(&mut self, parameters: &Parameters, observer: &mut impl Observer) {
        let x = &self.streams[self.sublayers.len()];
        let depth = parameters.config().depth as usize;
        observer.stream(depth, x);
        let output = output_forward(parameters, x);
        observer.loss(output.loss);
        let (dx, dunembedding) = output_backward(parameters.config(), x, output);
        observer.gradient(Parameter::Unembedding, dunembedding);
        observer.stream_gradient(depth, &dx);
        self.gradient = Some(dx);
    }

    fn backward(&mut self, parameters: &Parameters, dy: Array2<f64>, observer: &mut impl Observer) {
        let Some(y) = self.streams.pop() else { return };
        let index = self.streams.len() - 1;
        let (x, sublayer) = (&self.streams[index], &self.sublayers[index]);
        let tape = self.tapes.pop().flatten().unwrap_or_else(|| sublayer_forward(parameters, sublayer, x).tape);
        let gradients = sublayer_backward(parameters.config(), sublayer, x, &y, tape, dy);
        for (tensor, gradient) in gradients.weights {
            observer.gradient(Parameter::Layer { tensor, block: sublayer.block }, gradient);
        }
        if let Some(spread) = gradients.spread {
            observer.value_spread(sublayer.block, spread);
        }
        if let Some(boundary) = self.boundary(index) {
            observer.stream_gradient(boundary, &gradients.dx);
        }
        if index == 0 {
            self.at_input(parameters, &gradients.dx, observer);
        }
        self.gradient = Some(gradients.dx);
    }

    fn at_input(&self, parameters: &Parameters, dx: &Array2<f64>, observer: &mut impl Observer) {
        let config = parameters.config();
        let gradient = match &self.embedding_inverse {
            Some(inverse) => norm_backward(config.norm, config.width as usize, &self.streams[0], inverse, dx),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Config, Placement};
    use crate::reference::statistics::Recorder;
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
            let config = Config { placement, depth: 5, width: 16, tokens: 6, ..Config::default() };
            let kept = measured(&config, usize::MAX);
            for room in [0, 10_000, 30_000] {
                assert_eq!(measured(&config, room), kept, "{placement:?} with room for {room}");
            }
        }
    }
}
