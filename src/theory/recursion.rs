//! The mean-field recursion: a model's second moments from one sublayer to the next, forward and backward.
//!
//! Weights are fresh in every sublayer, so what a sublayer returns is uncorrelated with the stream, and squares add up.
//! Backward the weights count as fresh once more, as is usual (Schoenholz et al. 2017).

use super::branch::Branches;
use super::moments::Moments;
use crate::model::{Config, Sublayer, Tensor};

/// What the recursion says of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The stream at the block boundaries, `L + 1`.
    pub stream: Vec<Moments>,
    /// The gradient at the block boundaries, `L + 1`.
    pub gradient: Vec<Moments>,
    /// `||f|| / ||skip x||` of each sublayer, `S L`.
    pub update_ratio: Vec<f64>,
    /// The factor of each sublayer on the squared gradient, `S L`.
    pub net_factor: Vec<f64>,
    /// `1 / sqrt(mean square + epsilon)` at the norm that the stream meets in each sublayer, on the sum or else on the
    /// input, and 0 where there is neither; `S L`.
    pub norm_jacobian: Vec<f64>,
    /// The gradient of the matrix that each sublayer ends with, and that matrix; `S L`. Summed over the rows are products
    /// of what it reads with the gradient at what it returns; two rows of different sequences count as unlike.
    pub last_weight: Vec<(Tensor, f64)>,
}

/// One sublayer of the forward recursion.
struct Step {
    sublayer: Sublayer,
    /// The stream before it.
    stream: Moments,
    /// What the function reads.
    read: Moments,
    /// What the function returns.
    returned: Moments,
    /// What is added to the stream.
    added: Moments,
    /// The sum, before any norm on it.
    sum: Moments,
    /// The stream after it.
    after: Moments,
}

/// The gradients of one sublayer.
#[derive(Clone, Copy)]
struct Back {
    /// At the stream before it.
    stream: Moments,
    /// At what the function returns.
    returned: Moments,
}

/// A gradient that reaches the stream by another way than through the sublayers.
#[derive(Clone, Copy)]
struct Side {
    gradient: Moments,
    /// Products with the gradient at the stream.
    tie: Moments,
}

/// What becomes of the moments of the stream at boundary 0 and of the gradient at boundary L.
#[must_use]
pub fn predict(config: &Config, stream: Moments, gradient: Moments) -> Prediction {
    let branches = Branches::new(config);
    let steps = forward(&branches, &sublayers(config, stream), stream);
    let gradients = backward(&branches, &steps, gradient);
    let after = gradients.iter().skip(1).map(|back| back.stream).chain([gradient]);
    let mut boundaries: Vec<usize> = (0..steps.len()).step_by(config.sublayers_per_block()).collect();
    boundaries.push(steps.len());
    let at = |index: usize| steps.get(index).map_or_else(|| steps[index - 1].after, |step| step.stream);
    let norm_jacobian = |step: &Step| {
        let met = if step.sublayer.sum_norm { step.sum } else { step.stream };
        if step.sublayer.sum_norm || step.sublayer.input_norm { met.norm_factor().sqrt() } else { 0.0 }
    };
    Prediction {
        stream: boundaries.iter().map(|&index| at(index)).collect(),
        gradient: boundaries.iter().map(|&index| gradients.get(index).map_or(gradient, |back| back.stream)).collect(),
        update_ratio: steps.iter().map(|step| step.added.rms() / (step.sublayer.skip * step.stream.rms())).collect(),
        net_factor: gradients.iter().zip(after).map(|(back, after)| back.stream.own / after.own).collect(),
        norm_jacobian: steps.iter().map(norm_jacobian).collect(),
        last_weight: steps
            .iter()
            .zip(&gradients)
            .map(|(step, back)| branches.last_weight(step.sublayer.kind, step.read, back.returned))
            .collect(),
    }
}

/// The sublayers, their factors on the stream profiled by the recursion itself where they need profiling.
pub(super) fn sublayers(config: &Config, stream: Moments) -> Vec<Sublayer> {
    let Some(profiled) = config.profiled() else { return config.sublayers() };
    let steps = forward(&Branches::new(&profiled), &profiled.sublayers(), stream);
    config.sublayers_after(&steps.iter().map(|step| step.added.own).collect::<Vec<_>>())
}

fn forward(branches: &Branches, sublayers: &[Sublayer], start: Moments) -> Vec<Step> {
    let mut stream = start;
    // What entered the block, and its products with the stream.
    let (mut block, mut block_input, mut tie) = (None, start, start);
    let step = |&sublayer: &Sublayer| {
        if block != Some(sublayer.block) {
            (block, block_input, tie) = (Some(sublayer.block), stream, stream);
        }
        let read = if sublayer.input_norm { stream * stream.norm_factor() } else { stream }
            * (sublayer.input_gain * sublayer.input_gain);
        let returned = branches.forward(sublayer.kind, read);
        let added = if sublayer.branch_norm { returned * returned.norm_factor() } else { returned };
        let mut sum = stream * (sublayer.skip * sublayer.skip) + added;
        tie = tie * sublayer.skip;
        if sublayer.adds_block_input {
            sum = sum + block_input + tie * 2.0;
            tie = tie + block_input;
        }
        let factor = if sublayer.sum_norm { sum.norm_factor() } else { 1.0 };
        tie = tie * factor.sqrt();
        let before = std::mem::replace(&mut stream, sum * factor);
        Step { sublayer, stream: before, read, returned, added, sum, after: stream }
    };
    sublayers.iter().map(step).collect()
}

fn backward(branches: &Branches, steps: &[Step], top: Moments) -> Vec<Back> {
    let mut side = second_stream(steps, top);
    let mut gradient = top;
    let mut all = vec![Back { stream: Moments::ZERO, returned: Moments::ZERO }; steps.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        let sublayer = &step.sublayer;
        if sublayer.sum_norm {
            let factor = step.sum.norm_factor();
            gradient = gradient * factor;
            side = side.map(|side| Side { tie: side.tie * factor.sqrt(), ..side });
        }
        if sublayer.adds_block_input {
            side = Some(Side { gradient, tie: gradient });
        }
        let mut at_branch = gradient;
        if let Some(side) = side.filter(|_| sublayer.feeds_dual) {
            at_branch = at_branch + side.gradient + side.tie * 2.0;
        }
        if sublayer.branch_norm {
            at_branch = at_branch * step.returned.norm_factor();
        }
        let mut at_input =
            branches.backward(sublayer.kind, step.read, at_branch) * (sublayer.input_gain * sublayer.input_gain);
        if sublayer.input_norm {
            at_input = at_input * step.stream.norm_factor();
        }
        gradient = gradient * (sublayer.skip * sublayer.skip) + at_input;
        side = side.map(|side| Side { tie: side.tie * sublayer.skip, ..side });
        // A second stream begins with the model, the way around a block with the block.
        let begins_block = index.checked_sub(1).is_none_or(|below| steps[below].sublayer.block != sublayer.block);
        if begins_block
            && (index == 0 || !sublayer.feeds_dual)
            && let Some(side) = side.take()
        {
            gradient = gradient + side.gradient + side.tie * 2.0;
        }
        all[index] = Back { stream: gradient, returned: at_branch };
    }
    all
}

/// The gradient at the second stream, if there is one: that of the output, through a norm. It is the same at every
/// sublayer, since each only adds to that stream.
fn second_stream(steps: &[Step], top: Moments) -> Option<Side> {
    let feeds: Vec<&Step> = steps.iter().filter(|step| step.sublayer.feeds_dual).collect();
    let start = feeds.first()?.stream;
    let factor = feeds.iter().fold(start, |stream, step| stream + step.added).norm_factor();
    Some(Side { gradient: top * factor, tie: top * factor.sqrt() })
}
