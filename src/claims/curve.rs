//! What was measured for a claim, as curves.

use super::Evidence;
use super::rules::known;
use crate::model::Config;
use crate::stats::{Measurement, Quantity};

/// What of the evidence is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The quantity.
    pub quantity: Quantity,
    /// Which of its values.
    pub of: Of,
    /// What the claim says of them in numbers.
    pub said: Option<Said>,
}

/// Along what a curve runs. Depths of a question are doublings, or as good as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The blocks, or sublayers, of the deepest models.
    Blocks,
    /// Depth: the value of the first block.
    First,
    /// Depth: that of the last one.
    Last,
    /// Depth: the largest.
    Largest,
    /// Depth: that of the first block over that of the last.
    Fall,
    /// Depth: what a step of plain gradient descent does to the logits.
    Step,
}

/// What a claim says, as a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// This value throughout.
    Level(f32),
    /// A power of depth.
    Power(f32),
    /// A power of two, with so many doublings for each block.
    Doublings(f32),
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The model, of depth 0 and seed 0; none of what the claim says.
    pub config: Option<Config>,
    /// Equally far apart; what is not known is not a number.
    pub values: Vec<f64>,
}

/// The mean over seeds: the geometric one of sizes, that of cosines as they are.
fn mean(runs: &[&Measurement], quantity: Quantity, value: &dyn Fn(&Measurement) -> f64) -> f64 {
    let is_cosine = matches!(quantity, Quantity::TokenCosine | Quantity::GradCosine);
    let sum: f64 = runs.iter().map(|run| if is_cosine { value(run) } else { value(run).ln() }).sum();
    let mean = sum / runs.len() as f64;
    if is_cosine { mean } else { mean.exp() }
}

impl Shown {
    /// The curves: one for each kind of model that was measured, and what the claim says, which begins where the first
    /// of them does.
    #[must_use]
    pub fn curves(&self, evidence: &Evidence) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        let mut depths: Vec<u32> = Vec::new();
        let mut add = |config: &Config, values: &[f64]| {
            let config = Config { seed: 0, depth: 0, ..config.clone() };
            match curves.iter_mut().find(|curve| curve.config.as_ref() == Some(&config)) {
                // Deeper models of the same kind.
                Some(curve) if self.of == Of::Blocks => curve.values = values.to_vec(),
                Some(curve) => curve.values.extend_from_slice(values),
                None => curves.push(Curve { config: Some(config), values: values.to_vec() }),
            }
        };
        let quantity = self.quantity;
        // Seeds stand beside each other.
        let passes: Vec<&Measurement> = evidence.passes.iter().collect();
        for runs in passes.chunk_by(|a, b| Config { seed: b.config.seed, ..a.config.clone() } == b.config) {
            let config = &runs[0].config;
            let count = runs[0].values(quantity).len();
            let at = |index: usize| mean(runs, quantity, &|run| known(run, quantity, index));
            let values = match self.of {
                Of::Step => continue,
                Of::Blocks => (0..count).map(at).collect(),
                Of::First => vec![at(0)],
                Of::Last => vec![at(count - 1)],
                Of::Largest => {
                    let largest =
                        |run: &Measurement| (0..count).map(|i| known(run, quantity, i)).fold(f64::NAN, f64::max);
                    vec![mean(runs, quantity, &largest)]
                }
                Of::Fall => vec![at(0) / at(count - 1)],
            };
            depths.push(config.depth);
            add(config, &values);
        }
        if self.of == Of::Step {
            let is_same = |a: &Config, b: &Config| Config { seed: b.seed, ..a.clone() } == *b;
            for runs in evidence.updates.chunk_by(|(a, _), (b, _)| is_same(a, b)) {
                let known = |update: &crate::stats::ModelUpdate| {
                    if update.sgd_mark.is_none() { update.sgd.ln() } else { f64::NAN }
                };
                let logs: f64 = runs.iter().map(|(_, update)| known(update)).sum();
                depths.push(runs[0].0.depth);
                add(&runs[0].0, &[(logs / runs.len() as f64).exp()]);
            }
        }
        curves.retain(|curve| curve.values.len() > 1);
        if let (Some(said), Some(first)) = (self.said, curves.first()) {
            let (start, shallowest) = (first.values[0], depths[0]);
            let value = |(index, _): (usize, &f64)| {
                let depth = f64::from(depths[index.min(depths.len() - 1)]);
                match said {
                    Said::Level(value) => f64::from(value),
                    Said::Power(power) => start * (depth / f64::from(shallowest)).powf(f64::from(power)),
                    Said::Doublings(each) => start * (f64::from(each) * (depth - f64::from(shallowest))).exp2(),
                }
            };
            let values = first.values.iter().enumerate().map(value).collect();
            curves.push(Curve { config: None, values });
        }
        curves
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Of, Said, Shown};
    use crate::claims::Evidence;
    use crate::model::{Config, Placement};
    use crate::stats::{Engine, Measurement, Quantity, Series};

    /// Passes whose gradient of the stream is the depth times `2^seed` in the first block, and 1 after it.
    fn evidence(placements: &[Placement], depths: &[u32]) -> Evidence {
        let mut passes = Vec::new();
        for &placement in placements {
            for &depth in depths {
                for seed in [0, 2] {
                    let config = Config { placement, depth, seed, ..Config::default() };
                    let mut values = vec![1.0; depth as usize + 1];
                    values[0] = f64::from(depth) * f64::from(seed).exp2();
                    let series = vec![Series::exact(Quantity::GradStream, values)];
                    passes.push(Measurement { config, engine: Engine::Reference, series });
                }
            }
        }
        Evidence { passes, ..Evidence::default() }
    }

    fn curves(of: Of, said: Option<Said>, evidence: &Evidence) -> Vec<(Option<Placement>, Vec<f64>)> {
        let round = |value: f64| (value * 1e6).round() / 1e6;
        let plain = |Curve { config, values }: Curve| {
            (config.map(|config| config.placement), values.into_iter().map(round).collect())
        };
        Shown { quantity: Quantity::GradStream, of, said }.curves(evidence).into_iter().map(plain).collect()
    }

    #[test]
    fn a_curve_is_the_geometric_mean_over_seeds_of_each_kind_of_model() {
        let both = evidence(&[Placement::Post, Placement::Pre], &[4, 8]);
        let along = vec![8.0, 16.0];
        assert_eq!(
            curves(Of::Fall, None, &both),
            [(Some(Placement::Post), along.clone()), (Some(Placement::Pre), along.clone())]
        );
        assert_eq!(curves(Of::Largest, None, &both)[0].1, along);
        assert_eq!(curves(Of::Last, None, &both)[0].1, [1.0, 1.0]);
        // Of the deepest alone.
        let blocks = curves(Of::Blocks, None, &both);
        assert_eq!(blocks[1].1, [vec![16.0], vec![1.0; 8]].concat());
    }

    #[test]
    fn what_a_claim_says_begins_where_the_measured_does() {
        let post = evidence(&[Placement::Post], &[4, 8]);
        let said = |said| curves(Of::First, Some(said), &post)[1].clone();
        assert_eq!(said(Said::Power(0.5)), (None, vec![8.0, 11.313708]));
        assert_eq!(said(Said::Doublings(0.5)), (None, vec![8.0, 32.0]));
        assert_eq!(said(Said::Level(1.5)), (None, vec![1.5, 1.5]));
    }

    #[test]
    fn cosines_have_their_own_mean_whatever_their_sign() {
        let mut evidence = evidence(&[Placement::Post], &[4]);
        for (run, first) in evidence.passes.iter_mut().zip([-0.5, 0.25]) {
            run.series = vec![Series::exact(Quantity::TokenCosine, vec![first, 0.5, 0.75, 1.0, 1.0])];
        }
        let shown = Shown { quantity: Quantity::TokenCosine, of: Of::Blocks, said: None };
        assert_eq!(shown.curves(&evidence)[0].values, [-0.125, 0.5, 0.75, 1.0, 1.0]);
    }

    #[test]
    fn one_depth_is_no_curve() {
        assert_eq!(curves(Of::First, Some(Said::Level(1.0)), &evidence(&[Placement::Post], &[4])), []);
    }
}
