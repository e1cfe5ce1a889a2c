//! From the words that come back to the measured series.

use crate::model::{Attention, Config, QkNorm, SublayerKind, Tensor, matrices};
use crate::stats::{Engine, Measurement, Quantity, Series, Update};

use super::{Plan, Results};

/// A sum of squares as the kernels keep it; see `shaders/shared/square_sum.wgsl`.
#[derive(Clone, Copy)]
struct SquareSum {
    sum: f64,
    max_bits: u32,
}

impl SquareSum {
    fn unpack(words: &[u32]) -> Self {
        let part = |i: usize| f64::from(f32::from_bits(words[i]));
        let sum = part(0) * 2f64.powi(-180) + part(1) + part(2) * 2f64.powi(200);
        Self { sum, max_bits: words[3] }
    }

    fn merge(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, max_bits: self.max_bits.max(other.max_bits) }
    }

    /// The largest absolute value, NaN where there was one.
    fn max(self) -> f64 {
        f64::from(f32::from_bits(self.max_bits))
    }

    fn is_finite(self) -> bool {
        f32::from_bits(self.max_bits).is_finite()
    }

    /// The root of the sum; not finite where a value was not.
    fn root(self) -> f64 {
        if self.is_finite() { self.sum.sqrt() } else { self.max() }
    }

    /// Relative error of the root for `roundings` of the sum of squares that the largest value stands for. It stands for
    /// more than the sum only where that is one over pairs of rows, see `shaders/shared/gram.wgsl`.
    fn root_error(self, roundings: f64) -> f64 {
        let known = self.is_finite() && self.sum > 0.0;
        if known { roundings * f64::from(f32::EPSILON) / 4.0 * self.max().powi(2) / self.sum } else { 0.0 }
    }
}

/// Population variances of what each sublayer returned, from the words of the results of a
/// [`profile`](super::build::profile) plan.
pub(super) fn branch_variances(plan: &Plan, words: &[u32]) -> Vec<f64> {
    let count = plan.config.rows() as f64 * f64::from(plan.config.width);
    let at = |vec4: u32| SquareSum::unpack(&words[4 * vec4 as usize..][..4]).sum;
    let sublayers = plan.config.sublayers_per_block() as u32 * plan.config.depth;
    let variance = |k: u32| {
        let (squares, sum) = (at(plan.results.update + 2 * k), at(plan.results.update + 2 * k + 1));
        squares / count - (sum / count).powi(2)
    };
    (0..sublayers).map(variance).collect()
}

/// What was measured of each model, the deepest first, from the words of the results buffer and those of a
/// [`Plan::shaken`] pass where there is one.
///
/// # Panics
/// Where the words are fewer than the plan's results.
pub(super) fn measurements(plan: &Plan, engine: Engine, words: &[u32], shaken: Option<&[u32]>) -> Vec<Measurement> {
    let of_model = |cotangent: usize| {
        let model = Model::new(plan, cotangent);
        let mut series = model.decode(words);
        if let Some(shaken) = shaken {
            for (series, other) in series.iter_mut().zip(model.decode(shaken)) {
                raise_errors(series, &other.values);
            }
            inherit_errors(&model.config, &mut series);
        }
        doubt_updates(&mut series);
        Measurement { config: model.config, engine, series }
    };
    (0..plan.depths.len()).map(of_model).collect()
}

/// Takes the distance from another run that should be equal as the error of each value. Two norms may meet by chance,
/// so the largest distance among the neighbours that are numbers counts.
fn raise_errors(series: &mut Series, other: &[f64]) {
    const NEIGHBOURS: usize = 3;
    let distance = |(value, other): (&f64, &f64)| match (value.is_finite(), other.is_finite()) {
        _ if value == other => 0.0,
        (true, true) => ((value - other) / value).abs(),
        (true, false) => f64::INFINITY,
        // Marked as what it is.
        (false, _) => 0.0,
    };
    let distances: Vec<f64> = series.values.iter().zip(other).map(distance).collect();
    series.relative_error.resize(series.values.len(), 0.0);
    for (i, error) in series.relative_error.iter_mut().enumerate() {
        let near = i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(distances.len());
        *error = distances[near].iter().copied().fold(*error, f64::max);
    }
}

/// What reaches a block from above is no better known than it is there, and what passes through attention no better
/// than its scores: where one unit in their last place is of the order of 1, the softmax turns on rounding, and two
/// passes may agree on a gradient that is wrong by any factor.
fn inherit_errors(config: &Config, series: &mut [Series]) {
    let place_of: Vec<Quantity> = series.iter().map(|series| series.quantity).collect();
    let place = |quantity: Quantity| place_of.iter().position(|known| *known == quantity);
    let (Some(stream), Some(gradient)) = (place(Quantity::StreamRms), place(Quantity::GradStream)) else { return };
    let updates: Vec<_> = Quantity::UPDATES.into_iter().filter_map(place).collect();
    let matrices = matrices(config);
    let places: Vec<_> = matrices
        .iter()
        .filter_map(|matrix| Some((matrix.sublayer, place(Quantity::GradWeight(matrix.tensor))?)))
        .collect();
    let scores = score_errors(config, &series[stream].values);
    let per_block = config.sublayers_per_block();
    let raise = |series: &mut Series, index: usize, error: f64| {
        let known = &mut series.relative_error[index];
        *known = known.max(error);
    };
    // Forward, what is taken from the stream in a block knows of the scores before it; its own attention too.
    let mut error = 0f64;
    for block in 0..=config.depth as usize {
        let own = scores.get(block).map_or(0.0, |of_block| of_block.iter().copied().fold(0.0, f64::max));
        for (quantity, error) in
            [(Quantity::RankResidual, error), (Quantity::MaxLogit, error), (Quantity::AttentionEntropy, error.max(own))]
        {
            if let Some(place) = place(quantity)
                && block < series[place].values.len()
            {
                raise(&mut series[place], block, error);
            }
        }
        error = error.max(own);
    }
    // Backward.
    let (cosine, factor) = (place(Quantity::GradCosine), place(Quantity::NetFactor));
    let mut error = 0f64;
    for block in (0..config.depth as usize).rev() {
        error = error.max(series[gradient].relative_error[block + 1]);
        for (index, &kind) in config.sublayer_kinds().iter().enumerate().rev() {
            error = error.max(scores[block][index]);
            for &(_, place) in places.iter().filter(|(of, _)| *of == kind) {
                raise(&mut series[place], block, error);
            }
            if let Some(place) = factor {
                raise(&mut series[place], block * per_block + index, error);
            }
        }
        raise(&mut series[gradient], block, error);
        if let Some(place) = cosine {
            raise(&mut series[place], block, error);
        }
    }
    // Along the gradients of all blocks.
    for update in updates {
        raise(&mut series[update], 0, error);
    }
}

/// What one unit in the last place of its scores makes of the attentions of each block, by sublayer.
fn score_errors(config: &Config, stream: &[f64]) -> Vec<Vec<f64>> {
    /// Roundings of a score, and how far the largest ones lie above the typical.
    const SCORE: f64 = 4.0;
    let matrices = matrices(config);
    let deviation = |tensor: Tensor| matrices.iter().find(|matrix| matrix.tensor == tensor).map_or(0.0, |m| m.std);
    let gain = f64::from(config.width) * deviation(Tensor::Wq) * deviation(Tensor::Wk);
    let cross_gain = f64::from(config.width) * deviation(Tensor::Cq) * deviation(Tensor::Ck);
    let unit = f64::from(f32::EPSILON) / 2.0;
    let bounded = config.qk_norm != QkNorm::None || config.attention == Attention::Uniform;
    let error = |kind: &SublayerKind, size: f64| {
        let score = match kind {
            // Queries and keys are products of the stream, and the scores theirs.
            SublayerKind::Attention if bounded => 0.0,
            SublayerKind::Attention => gain * size.powi(2),
            // The memory's rows have size 1.
            SublayerKind::CrossAttention => cross_gain * size,
            SublayerKind::FeedForward => 0.0,
        };
        // Past the range nothing is known.
        if score.is_finite() { SCORE * unit * score } else { f64::INFINITY }
    };
    let of_block = |&size: &f64| config.sublayer_kinds().iter().map(|kind| error(kind, size)).collect();
    stream.iter().take(config.depth as usize).map(of_block).collect()
}

/// Where a gradient is no number, nothing is known of a step along it, whatever a step along its sign seems to give.
///
/// A gradient that is not resolved is no reason to doubt either: its sign is noise and moves the weights as far as any
/// other, but not the logits. What makes `J^T r` small for the `r` that the loss gives, such as keys that are all
/// alike, makes `J` small, and with it what the logits have of a step in any direction.
fn doubt_updates(series: &mut [Series]) {
    let is_broken = |series: &Series| {
        matches!(series.quantity, Quantity::GradWeight(_)) && series.values.iter().any(|value| !value.is_finite())
    };
    if series.iter().any(is_broken) {
        for series in series.iter_mut().filter(|series| matches!(series.quantity, Quantity::ModelUpdate(_))) {
            series.relative_error = vec![f64::INFINITY];
        }
    }
}

/// One of a plan's models.
struct Model<'a> {
    config: Config,
    results: &'a Results,
    /// Which of the cotangents is its own.
    cotangent: u32,
}

impl<'a> Model<'a> {
    fn new(plan: &'a Plan, cotangent: usize) -> Self {
        let config = Config { depth: plan.depths[cotangent], ..plan.config.clone() };
        Self { config, results: &plan.results, cotangent: cotangent as u32 }
    }

    /// Of the gradient before sublayer `k`, or after the last one.
    fn grad_stream(&self, k: usize) -> u32 {
        let last = self.config.depth as usize * self.config.sublayers_per_block();
        let first = if k == last { self.results.head_grad } else { self.results.grad_stream[k] };
        first + self.cotangent
    }

    /// Of a block's matrix.
    fn grad_weight(&self, index: usize, block: usize) -> u32 {
        let mut before = 0;
        for (first, groups) in &self.results.grad_weight {
            if index < before + *groups as usize {
                return first[block] + self.cotangent * groups + (index - before) as u32;
            }
            before += *groups as usize;
        }
        unreachable!("every matrix of a block has its results")
    }

    fn decode(&self, words: &[u32]) -> Vec<Series> {
        let Self { config, results, cotangent } = self;
        let at = |vec4: u32| SquareSum::unpack(&words[4 * vec4 as usize..][..4]);
        let of_state = 3 * config.batch;
        let stream = StateResults::read(config, |state| results.stream + of_state * state, words, &at);
        let of_gradient = |state: u32| results.gradient[state as usize] + of_state * cotangent;
        let gradient = StateResults::read(config, of_gradient, words, &at);
        let grad_stream = |k: u32| at(self.grad_stream(k as usize)).root();
        let matrices = matrices(config);
        let size = |first: u32| {
            (0..config.batch)
                .map(|b| at(first + 3 * b))
                .reduce(SquareSum::merge)
                .expect("a batch has a sequence")
                .root()
        };
        let updates = Quantity::UPDATES.into_iter().filter(|_| results.model_update.is_some());
        Quantity::all(config)
            .into_iter()
            .chain(updates)
            .map(|quantity| {
                let many = |place: &dyn Fn(usize) -> u32| {
                    (0..quantity.len(config)).map(|i| at(place(i)).root()).collect::<Vec<_>>()
                };
                match quantity {
                    Quantity::Loss => {
                        let loss = at(results.loss + cotangent);
                        let mean = loss.sum / config.rows() as f64;
                        Series::exact(quantity, vec![if loss.is_finite() { mean } else { loss.max() }])
                    }
                    Quantity::StreamRms => Series::exact(quantity, stream.rms.clone()),
                    Quantity::StreamMax => Series::exact(quantity, stream.max.clone()),
                    Quantity::TokenCosine => Series::exact(quantity, stream.cosine.clone()),
                    Quantity::UpdateRatio => {
                        let ratio = |k: u32| at(results.update + 2 * k).root() / at(results.update + 2 * k + 1).root();
                        Series::exact(quantity, (0..quantity.len(config) as u32).map(ratio).collect())
                    }
                    Quantity::GradStream => {
                        Series::exact(quantity, many(&|state| self.grad_stream(state * config.sublayers_per_block())))
                    }
                    Quantity::GradUnembed => Series::exact(quantity, many(&|_| results.grad_unembed + cotangent)),
                    Quantity::GradWeight(tensor) => {
                        let index = matrices.iter().position(|matrix| matrix.tensor == tensor);
                        let index = index.expect("what is listed is a matrix of the block");
                        let relative_error = match tensor {
                            Tensor::Wq | Tensor::Wk => stream.score_gradient_error(config),
                            // Here the differences are those between the rows of the memory.
                            Tensor::Cq | Tensor::Ck => {
                                vec![difference_error((1.0 - config.memory_cos).sqrt()); config.depth as usize]
                            }
                            _ => sum_errors((0..config.depth as usize).map(|block| at(self.grad_weight(index, block)))),
                        };
                        Series { quantity, values: many(&|block| self.grad_weight(index, block)), relative_error }
                    }
                    Quantity::GradCosine => Series::exact(quantity, gradient.cosine.clone()),
                    Quantity::RankResidual => {
                        let relative_error = stream.spread.iter().map(|spread| difference_error(*spread)).collect();
                        Series { quantity, values: stream.spread.clone(), relative_error }
                    }
                    Quantity::AttentionEntropy => {
                        let tokens = f64::from(config.tokens);
                        let rows = f64::from(config.batch * config.heads) * tokens;
                        let of_block = |block: u32| {
                            let sum = at(results.attention + block);
                            if sum.is_finite() { sum.sum / rows / tokens.ln() } else { f64::NAN }
                        };
                        Series::exact(quantity, (0..config.depth).map(of_block).collect())
                    }
                    Quantity::MaxLogit => {
                        let of_block = |block: u32| at(results.attention + block).max();
                        Series::exact(quantity, (0..config.depth).map(of_block).collect())
                    }
                    Quantity::NetFactor => {
                        let factor = |k: u32| (grad_stream(k) / grad_stream(k + 1)).powi(2);
                        Series::exact(quantity, (0..quantity.len(config) as u32).map(factor).collect())
                    }
                    Quantity::NormJacobian => {
                        let mean = |k: u32| {
                            let sum = at(results.norm_scale + k);
                            if sum.is_finite() { sum.sum / config.rows() as f64 } else { sum.max() }
                        };
                        Series::exact(quantity, (0..quantity.len(config) as u32).map(mean).collect())
                    }
                    Quantity::ModelUpdate(update) => {
                        let logits = results.model_update.expect("it is listed where it was asked for");
                        let of_one = 3 * config.batch;
                        let tangent = logits
                            + match update {
                                Update::Sgd => of_one,
                                Update::Sign => 2 * of_one,
                            };
                        Series::exact(quantity, vec![size(tangent) / size(logits)])
                    }
                }
            })
            .collect()
    }
}

/// Relative error of what is made of differences between tokens that lie this far from their mean, over the RMS of the
/// whole: rounding adds about one unit in the last place for each of the few operations that made the tokens, whatever is
/// left of their differences.
fn difference_error(spread: f64) -> f64 {
    const ROUNDINGS: f64 = 2.8;
    ROUNDINGS * f64::from(f32::EPSILON) / 2.0 / spread
}

/// Relative errors of the norms of weight gradients, which differ with the way they were made; empty where they are
/// negligible throughout.
fn sum_errors(sums: impl Iterator<Item = SquareSum>) -> Vec<f64> {
    /// Of a product of rows, which is a sum of many; `tests/gram.rs` holds the kernels to it.
    const ROUNDINGS: f64 = 8.0;
    let errors: Vec<f64> = sums.map(|sum| sum.root_error(ROUNDINGS)).collect();
    let negligible = errors.iter().all(|error| *error <= ROUNDINGS * f64::from(f32::EPSILON));
    if negligible { Vec::new() } else { errors }
}

/// What is known of the states, or of the gradients at them.
struct StateResults {
    rms: Vec<f64>,
    max: Vec<f64>,
    cosine: Vec<f64>,
    /// RMS distance of a token from the mean of its sequence, over the RMS of the state.
    spread: Vec<f64>,
}

impl StateResults {
    fn read(config: &Config, first: impl Fn(u32) -> u32, words: &[u32], at: &impl Fn(u32) -> SquareSum) -> Self {
        let (batch, tokens) = (config.batch, f64::from(config.tokens));
        let values = config.rows() as f64 * f64::from(config.width);
        let mut this = Self { rms: Vec::new(), max: Vec::new(), cosine: Vec::new(), spread: Vec::new() };
        for state in 0..=config.depth {
            let place = |sequence: u32| first(state) + 3 * sequence;
            let merged = |part: u32| {
                (0..batch).map(|b| at(place(b) + part)).reduce(SquareSum::merge).expect("a batch has a sequence")
            };
            let (squares, spread) = (merged(0), merged(1));
            let pairs = tokens * (tokens - 1.0);
            let cosines = (0..batch).map(|b| f64::from(f32::from_bits(words[4 * (place(b) as usize + 2)])) / pairs);
            let cosine = cosines.sum::<f64>() / f64::from(batch);
            this.rms.push(squares.root() / values.sqrt());
            this.max.push(squares.max());
            this.cosine.push(if squares.is_finite() { cosine } else { f64::NAN });
            this.spread.push(spread.root() / squares.root());
        }
        this
    }

    /// Relative error of the gradients of W_Q and W_K in each block: both are made of differences between the tokens that
    /// enter it.
    fn score_gradient_error(&self, config: &Config) -> Vec<f64> {
        self.spread.iter().take(config.depth as usize).map(|spread| difference_error(*spread)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(values: &[f64], other: &[f64]) -> Vec<f64> {
        let mut series = Series::exact(Quantity::GradStream, values.to_vec());
        raise_errors(&mut series, other);
        series.relative_error
    }

    #[test]
    fn the_largest_distance_nearby_counts() {
        let known = [1.0; 9];
        let mut other = known;
        other[4] = 1.5;
        assert_eq!(errors(&known, &other), [0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn the_error_of_a_norm_is_that_of_the_way_it_was_made() {
        let sum = |root: f64, largest: f32| SquareSum { sum: root * root, max_bits: largest.to_bits() };
        let known = |largest: f32| sum_errors([sum(1e-3, largest), sum(2.0, 1.0), sum(0.0, 0.0)].into_iter());
        // No entry of a gradient is larger than its norm.
        assert_eq!(known(9e-4), [0.0; 0]);
        // Terms fifty times as large as their sum.
        let errors = known(5e-2);
        assert!((errors[0] / (2500.0 * 2.0 * f64::from(f32::EPSILON)) - 1.0).abs() < 1e-6, "{errors:?}");
        assert!(errors[1] < 1e-6 && errors[2] == 0.0, "{errors:?}");
        let broken = SquareSum { sum: 1.0, max_bits: f32::NAN.to_bits() };
        assert_eq!(sum_errors([broken].into_iter()), [0.0; 0]);
    }

    #[test]
    fn an_update_along_what_is_no_number_is_not_known() {
        let weights = |value: f64| Series::exact(Quantity::GradWeight(Tensor::W1), vec![1.0, value]);
        let [sgd, sign] = Quantity::UPDATES.map(|quantity| Series::exact(quantity, vec![2.0]));
        let doubted = |value: f64| {
            let mut series = [weights(value), sgd.clone(), sign.clone()];
            doubt_updates(&mut series);
            series.map(|series| series.relative_error.first().copied())
        };
        assert_eq!(doubted(1e-30), [None; 3]);
        assert_eq!(doubted(f64::INFINITY), [None, Some(f64::INFINITY), Some(f64::INFINITY)]);
    }

    #[test]
    fn what_is_no_number_says_nothing_of_its_neighbours() {
        assert_eq!(errors(&[1.0, 2.0, f64::NAN, f64::INFINITY], &[1.0, 2.0, f64::NAN, f64::NAN]), [0.0; 4]);
        assert_eq!(errors(&[2.0, 0.0], &[f64::NAN, 0.0]), [f64::INFINITY; 2]);
    }
}
