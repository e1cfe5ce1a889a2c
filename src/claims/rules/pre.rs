//! Gradients of Pre-LN, DeepNorm and OLMo 2 against depth.

use super::{
    Of, Outcome, Placement, Quantity, Rule, Said, Verdict, W2, amplification, at_depths, by_depth, curve, decide,
    doublings, each, first, grid, is, largest, last, list, mean, number, passes, power, power_of, said, spread, text,
};
use crate::model::{Config, QkNorm};

/// C24: the product of the Jacobians stays close to the identity.
pub(in super::super) const IDENTITY: Rule = Rule {
    shown: said(Quantity::GradStream, Of::Fall, Said::Level(1.0)),
    question: || passes([grid("placement=pre", &[6, 12, 24, 48, 96], 2)]),
    judge: |evidence| {
        let ratios = by_depth(evidence, is(Placement::Pre), amplification);
        let (with_depth, per_block) = (power(&ratios), doublings(&ratios));
        let worst = largest(ratios.iter().map(|(_, ratio)| ratio.max(ratio.recip())));
        let verdict = if worst > 1.5 && with_depth.abs() < 1.0 && per_block.abs() < 0.1 {
            Verdict::InPart(text::identity_part())
        } else {
            decide(worst < 1.3, per_block.abs() > 0.25)
        };
        Outcome {
            verdict,
            measured: format!("‖∂L/∂x₀‖ / ‖∂L/∂x_L‖: {}", at_depths(&ratios)),
            sentence: text::identity_sentence(power_of("L", with_depth)),
        }
    },
};

/// C25: the gradient goes as 1/sqrt(L).
pub(in super::super) const FALLS: Rule = Rule {
    shown: said(W2, Of::Last, Said::Power(-0.5)),
    question: || passes([grid("placement=pre", &[6, 12, 24, 48, 96], 2)]),
    judge: |evidence| {
        let of_last = by_depth(evidence, is(Placement::Pre), |run| last(run, W2));
        let of_first = by_depth(evidence, is(Placement::Pre), |run| first(run, W2));
        let (top, bottom) = (power(&of_last), power(&of_first));
        let as_claimed = |power: f64| (power + 0.5).abs() < 0.15;
        let verdict = if as_claimed(top) && bottom > -0.15 {
            Verdict::InPart(text::falls_part())
        } else {
            decide(as_claimed(top) && as_claimed(bottom), top > -0.2)
        };
        Outcome {
            verdict,
            measured: text::falls_measured(at_depths(&of_last), at_depths(&of_first)),
            sentence: text::falls_sentence(power_of("L", top), power_of("L", bottom)),
        }
    },
};

/// C71: gradients are alike in all layers.
pub(in super::super) const EVEN: Rule = Rule {
    shown: curve(W2, Of::Blocks),
    question: || passes([grid("placement=pre", &[6, 200], 2)]),
    judge: |evidence| {
        let spreads = by_depth(evidence, is(Placement::Pre), |run| spread(each(run, W2)));
        let at = |depth: f64| spreads.iter().find(|point| point.0 == depth).map_or(f64::NAN, |point| point.1);
        let (shallow, deep) = (at(6.0), at(200.0));
        let verdict = if shallow < 4.0 && (4.0..1e3).contains(&deep) {
            Verdict::InPart(text::even_part())
        } else {
            decide(shallow < 4.0 && deep < 4.0, shallow > 4.0 || deep > 1e3)
        };
        Outcome { verdict, measured: text::even_measured(at_depths(&spreads)), sentence: text::even_sentence().into() }
    },
};

/// C45: DeepNorm is stable at 200 layers.
pub(in super::super) const DEEPNORM: Rule = Rule {
    shown: curve(W2, Of::Blocks),
    question: || passes([grid("placement=deepnorm", &[200], 1)]),
    judge: |evidence| {
        let deepnorm = is(Placement::DeepNorm);
        let layers = mean(evidence, &deepnorm, |run| spread(each(run, W2)));
        let ends = [first, last].map(|end| mean(evidence, &deepnorm, |run| end(run, W2)));
        let down = mean(evidence, &deepnorm, amplification);
        let worst = layers.max(down).max(down.recip());
        Outcome {
            verdict: decide(layers < 1.5 && worst < 1.5, worst > 4.0),
            measured: text::deepnorm_measured(list(ends), number::value(down)),
            sentence: text::deepnorm_sentence(number::value(layers)),
        }
    },
};

fn with_qk_norm(placement: Placement, has_it: bool) -> impl Fn(&Config) -> bool {
    move |config| config.placement == placement && (config.qk_norm != QkNorm::None) == has_it
}

/// C49: of OLMo 2's placement, QK-norm and z-loss none can be left out.
pub(in super::super) const OLMO2: Rule = Rule {
    shown: curve(Quantity::GradStream, Of::Blocks),
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
            Verdict::InPart(text::olmo2_part())
        } else {
            decide(needs_qk && needs_placement, neither < 2.0 * both)
        };
        Outcome {
            verdict,
            measured: text::olmo2_measured(number::value(both), number::value(neither), number::value(placement_only)),
            sentence: text::olmo2_sentence().into(),
        }
    },
};

/// C65: the raw signal passes untouched.
pub(in super::super) const UNTOUCHED: Rule = Rule {
    shown: curve(Quantity::StreamRms, Of::Blocks),
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
            measured: text::untouched_measured(number::value(pre), number::value(post)),
            sentence: text::untouched_sentence().into(),
        }
    },
};
