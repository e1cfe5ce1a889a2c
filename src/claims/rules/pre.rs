//! Gradients of Pre-LN, DeepNorm and OLMo 2 against depth.

use super::{
    Outcome, Placement, Quantity, Rule, Verdict, W2, amplification, at_depths, by_depth, decide, doublings, each,
    first, grid, is, largest, last, list, mean, number, passes, power, power_of, spread,
};
use crate::model::{Config, QkNorm};

/// C24: the product of the Jacobians stays close to the identity.
pub(in super::super) const IDENTITY: Rule = Rule {
    question: || passes([grid("placement=pre", &[6, 12, 24, 48, 96], 2)]),
    judge: |evidence| {
        let ratios = by_depth(evidence, is(Placement::Pre), amplification);
        let (with_depth, per_block) = (power(&ratios), doublings(&ratios));
        let worst = largest(ratios.iter().map(|(_, ratio)| ratio.max(ratio.recip())));
        let verdict = if worst > 1.5 && with_depth.abs() < 1.0 && per_block.abs() < 0.1 {
            Verdict::InPart("no factor is exponential in depth, but the gradient grows towards the input as about √L")
        } else {
            decide(worst < 1.3, per_block.abs() > 0.25)
        };
        Outcome {
            verdict,
            measured: format!("‖∂L/∂x₀‖ / ‖∂L/∂x_L‖: {}", at_depths(&ratios)),
            sentence: format!("It goes as {}.", power_of("L", with_depth)),
        }
    },
};

/// C25: the gradient goes as 1/sqrt(L).
pub(in super::super) const FALLS: Rule = Rule {
    question: || passes([grid("placement=pre", &[6, 12, 24, 48, 96], 2)]),
    judge: |evidence| {
        let of_last = by_depth(evidence, is(Placement::Pre), |run| last(run, W2));
        let of_first = by_depth(evidence, is(Placement::Pre), |run| first(run, W2));
        let (top, bottom) = (power(&of_last), power(&of_first));
        let as_claimed = |power: f64| (power + 0.5).abs() < 0.15;
        let verdict = if as_claimed(top) && bottom > -0.15 {
            Verdict::InPart("the last layer's gradient falls so; the first layer's does not fall")
        } else {
            decide(as_claimed(top) && as_claimed(bottom), top > -0.2)
        };
        Outcome {
            verdict,
            measured: format!("‖∂L/∂W₂‖, last layer: {}; first layer: {}", at_depths(&of_last), at_depths(&of_first)),
            sentence: format!("The last layer goes as {}, the first as {}.", power_of("L", top), power_of("L", bottom)),
        }
    },
};

/// C71: gradients are alike in all layers.
pub(in super::super) const EVEN: Rule = Rule {
    question: || passes([grid("placement=pre", &[6, 200], 2)]),
    judge: |evidence| {
        let spreads = by_depth(evidence, is(Placement::Pre), |run| spread(each(run, W2)));
        let at = |depth: f64| spreads.iter().find(|point| point.0 == depth).map_or(f64::NAN, |point| point.1);
        let (shallow, deep) = (at(6.0), at(200.0));
        let verdict = if shallow < 4.0 && (4.0..1e3).contains(&deep) {
            Verdict::InPart(
                "a shallow model's layers are within a factor of 4; over 200 layers the gradient falls tenfold or more",
            )
        } else {
            decide(shallow < 4.0 && deep < 4.0, shallow > 4.0 || deep > 1e3)
        };
        Outcome {
            verdict,
            measured: format!("largest over smallest ‖∂L/∂W₂‖ of the layers: {}", at_depths(&spreads)),
            sentence: "It is largest in the first layers and falls as the stream grows.".into(),
        }
    },
};

/// C45: DeepNorm is stable at 200 layers.
pub(in super::super) const DEEPNORM: Rule = Rule {
    question: || passes([grid("placement=deepnorm", &[200], 1)]),
    judge: |evidence| {
        let deepnorm = is(Placement::DeepNorm);
        let layers = mean(evidence, &deepnorm, |run| spread(each(run, W2)));
        let ends = [first, last].map(|end| mean(evidence, &deepnorm, |run| end(run, W2)));
        let down = mean(evidence, &deepnorm, amplification);
        let worst = layers.max(down).max(down.recip());
        Outcome {
            verdict: decide(layers < 1.5 && worst < 1.5, worst > 4.0),
            measured: format!(
                "‖∂L/∂W₂‖ first and last of 200 layers: {}; ‖∂L/∂x₀‖ / ‖∂L/∂x_L‖: {}",
                list(ends),
                number::value(down)
            ),
            sentence: format!(
                "Over all layers it varies by a factor of {}: every layer starts with the same gradient.",
                number::value(layers)
            ),
        }
    },
};

fn with_qk_norm(placement: Placement, has_it: bool) -> impl Fn(&Config) -> bool {
    move |config| config.placement == placement && (config.qk_norm != QkNorm::None) == has_it
}

/// C49: of OLMo 2's placement, QK-norm and z-loss none can be left out.
pub(in super::super) const OLMO2: Rule = Rule {
    question: || {
        passes([
            grid("placement=olmo2&norm=rmsnorm", &[12], 3),
            grid("placement=olmo2,pre&qk_norm=full&norm=rmsnorm", &[12], 3),
        ])
    },
    judge: |evidence| {
        let ratio = |placement, qk_norm| mean(evidence, with_qk_norm(placement, qk_norm), amplification);
        let (neither, both) = (ratio(Placement::Olmo2, false), ratio(Placement::Olmo2, true));
        let placement_only = ratio(Placement::Pre, true);
        let (needs_qk, needs_placement) = (neither > 5.0 * both, placement_only > 5.0 * both);
        let verdict = if needs_qk && placement_only < 2.0 * both {
            Verdict::InPart(
                "without QK-norm the placement explodes at initialisation; of the other two a pass shows nothing",
            )
        } else {
            decide(needs_qk && needs_placement, neither < 2.0 * both)
        };
        Outcome {
            verdict,
            measured: format!(
                "‖∂L/∂x₀‖ / ‖∂L/∂x_L‖ at L = 12: {} with QK-norm, {} without; {} for Pre-LN with QK-norm",
                number::value(both),
                number::value(neither),
                number::value(placement_only)
            ),
            sentence:
                "An attention that reads a stream of any size has scores that grow with its square. The z-loss is not \
                       part of the model here."
                    .into(),
        }
    },
};

/// C65: the raw signal passes untouched.
pub(in super::super) const UNTOUCHED: Rule = Rule {
    question: || passes([grid("placement=post,pre&residual_scale=zero&init=xavier", &[24], 1)]),
    judge: |evidence| {
        let change = |placement| {
            let of = |run: &crate::stats::Measurement, quantity| {
                let start = first(run, quantity);
                largest(each(run, quantity).map(move |value| (value / start - 1.0).abs()))
            };
            let runs = evidence.passes.iter().filter(|run| run.config.placement == placement);
            largest(runs.flat_map(|run| [of(run, Quantity::StreamRms), of(run, Quantity::GradStream)]))
        };
        let (pre, post) = (change(Placement::Pre), change(Placement::Post));
        Outcome {
            verdict: decide((0.0..1e-5).contains(&pre), pre > 1e-3),
            measured: format!(
                "branches silenced, stream and gradient change by {} over 24 blocks of Pre-LN, by {} of Post-LN",
                number::value(pre),
                number::value(post)
            ),
            sentence: "What the residual path of Pre-LN carries is changed by additions alone.".into(),
        }
    },
};
