//! What the first step does to the model.

use super::{
    Evidence, Of, Outcome, Placement, Quantity, Question, Rule, Verdict, W2, at_depths, by_depth, curve, decide, each,
    grid, is, largest, power, power_of, text,
};
use crate::model::Config;
use crate::sort::sort_short;
use crate::stats::Update;

/// The update of a step of plain gradient descent against depth: the geometric mean over seeds.
fn updates(evidence: &Evidence, meant: impl Fn(&Config) -> bool) -> Vec<(f64, f64)> {
    let mut known: Vec<(u32, f64)> = Vec::new();
    for (config, update) in evidence.updates.iter().filter(|(config, _)| meant(config)) {
        known.push((config.depth, if update.sgd_mark.is_none() { update.sgd.ln() } else { f64::NAN }));
    }
    sort_short(&mut known, |(a, _), (b, _)| a.cmp(b));
    let mean = |of_depth: &[(u32, f64)]| {
        let sum: f64 = of_depth.iter().map(|(_, value)| value).sum();
        (f64::from(of_depth[0].0), (sum / of_depth.len() as f64).exp())
    };
    known.chunk_by(|(a, _), (b, _)| a == b).map(mean).collect()
}

/// C8: the first steps overshoot because the gradient grows with depth.
pub(in super::super) const FIRST_STEP: Rule = Rule {
    shown: curve(Quantity::ModelUpdate(Update::Sgd), Of::Step),
    question: || Question {
        passes: grid("placement=post", &[6, 12, 24], 8),
        updates: grid("placement=post", &[6, 12, 24], 4),
        ..Question::default()
    },
    judge: |evidence| {
        let update = updates(evidence, is(Placement::Post));
        let gradient = by_depth(evidence, is(Placement::Post), |run| largest(each(run, W2)));
        let (of_update, of_gradient) = (power(&update), power(&gradient));
        let verdict = if of_update > 0.7 && of_gradient < 0.3 {
            Verdict::InPart(text::first_step_part())
        } else {
            decide(of_update > 0.7 && of_gradient > 0.3, of_update < 0.3)
        };
        Outcome {
            verdict,
            measured: text::step_measured(at_depths(&update)),
            sentence: text::first_step_sentence(power_of("L", of_update), power_of("L", of_gradient)),
        }
    },
};

/// C27: deeper Pre-LN is more stable at the same learning rate.
pub(in super::super) const DEEPER: Rule = Rule {
    shown: curve(Quantity::ModelUpdate(Update::Sgd), Of::Step),
    question: || Question { updates: grid("placement=pre", &[6, 12, 24], 4), ..Question::default() },
    judge: |evidence| {
        let update = updates(evidence, is(Placement::Pre));
        let with_depth = power(&update);
        Outcome {
            verdict: decide(with_depth < -0.2, with_depth > 0.3),
            measured: text::step_measured(at_depths(&update)),
            sentence: text::deeper_sentence(power_of("L", with_depth)),
        }
    },
};
