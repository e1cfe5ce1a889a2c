//! Gradients of Post-LN against depth.

use super::{
    Evidence, Of, Outcome, Placement, Quantity, Question, Rule, Said, Verdict, W2, WIDE_POST, amplification, at_depths,
    by_depth, curve, decide, doublings, each, first, grid, is, joined, largest, last, list, mean, middle, number,
    passes, power, power_of, said, text,
};

const DEPTHS: &[u32] = &[6, 12, 24, 48];

/// Xiong's simplified setting: one head, an FFN as wide as the stream, W_Q = W_K = 0, no W_O.
const SIMPLIFIED: &str = "heads=1&ffn=1&attention=uniform&output_projection=0";

fn post() -> Question {
    passes([grid(WIDE_POST, DEPTHS, 8)])
}

/// The powers of depth that the gradients of W_2 follow, and the doublings a block of the gradient of the stream.
struct Growth {
    first: f64,
    middle: f64,
    last: f64,
    largest: f64,
    doublings: f64,
}

impl Growth {
    fn of(evidence: &Evidence) -> Self {
        let along = |value: fn(&crate::stats::Measurement) -> f64| by_depth(evidence, is(Placement::Post), value);
        Self {
            first: power(&along(|run| first(run, W2))),
            middle: power(&along(|run| middle(run, W2))),
            last: power(&along(|run| last(run, W2))),
            largest: power(&along(|run| largest(each(run, W2)))),
            doublings: doublings(&along(amplification)),
        }
    }
}

/// C7: the gradient grows with depth.
pub(in super::super) const GROWS: Rule = Rule {
    shown: curve(W2, Of::Largest),
    question: post,
    judge: |evidence| {
        let growth = Growth::of(evidence);
        let peaks = by_depth(evidence, is(Placement::Post), |run| largest(each(run, W2)));
        Outcome {
            verdict: decide(growth.largest > 0.3, growth.largest < 0.2),
            measured: text::grows_measured(at_depths(&peaks)),
            sentence: text::grows_sentence(power_of("L", growth.largest)),
        }
    },
};

/// C17: the gradient is multiplied by 2^(L/2).
pub(in super::super) const EXPLODES: Rule = Rule {
    shown: said(Quantity::GradStream, Of::Fall, Said::Doublings(0.5)),
    question: || passes([grid(WIDE_POST, DEPTHS, 8), grid("placement=none", &[12], 1)]),
    judge: |evidence| {
        let ratios = by_depth(evidence, is(Placement::Post), amplification);
        let per_block = doublings(&ratios);
        let bare = mean(evidence, is(Placement::None), amplification);
        Outcome {
            verdict: decide(per_block > 0.4, per_block < 0.1),
            measured: format!("‖∂L/∂x₀‖ / ‖∂L/∂x_L‖: {}", at_depths(&ratios)),
            sentence: text::explodes_sentence(power_of("2", per_block), number::value(bare)),
        }
    },
};

/// C18: the gradient of the last sublayer is of the order d sqrt(ln d), whatever the depth.
pub(in super::super) const LAST_LAYER: Rule = Rule {
    shown: said(W2, Of::Last, Said::Power(0.0)),
    question: || {
        let at_width = |width| grid(&format!("placement=post&{SIMPLIFIED}&width={width}"), &[6], 3);
        let depths = grid(&format!("placement=post&{SIMPLIFIED}"), &[6, 12, 24, 48], 3);
        passes([depths, at_width(32), at_width(128), at_width(256)])
    },
    judge: |evidence| {
        let post = is(Placement::Post);
        let depths = by_depth(evidence, |c| post(c) && c.width == 64, |run| last(run, W2));
        let widths = [32.0, 64.0, 128.0, 256.0]
            .map(|d| (d, mean(evidence, |c| c.depth == 6 && f64::from(c.width) == d, |run| last(run, W2))));
        let (with_depth, with_width) = (power(&depths), power(&widths));
        let flat = with_depth.abs() < 0.15;
        let order = power(&widths.map(|(d, _)| (d, d * d.ln().sqrt())));
        let verdict = if flat && with_width < order - 0.3 {
            Verdict::InPart(text::last_layer_part())
        } else {
            decide(flat && (with_width - order).abs() < 0.15, with_depth.abs() > 0.3)
        };
        Outcome {
            verdict,
            measured: text::last_layer_measured(at_depths(&depths), list(widths.map(|w| w.1))),
            sentence: text::last_layer_sentence(
                power_of("L", with_depth),
                power_of("d", with_width),
                power_of("d", order),
            ),
        }
    },
};

/// C19: the gradients of the single layers are of the order sqrt(L).
pub(in super::super) const LAYERS: Rule = Rule {
    shown: said(W2, Of::First, Said::Power(0.5)),
    question: post,
    judge: |evidence| {
        let growth = Growth::of(evidence);
        let powers = [growth.first, growth.middle, growth.last];
        Outcome {
            verdict: decide(powers.iter().all(|p| (p - 0.5).abs() < 0.15), powers.iter().all(|p| *p < 0.25)),
            measured: text::layers_measured(joined(powers.map(|p| power_of("L", p)))),
            sentence: text::layers_sentence().into(),
        }
    },
};

/// C20: all that the guide says of Post-LN's gradient at once.
pub(in super::super) const TOGETHER: Rule = Rule {
    shown: said(Quantity::GradStream, Of::Fall, Said::Doublings(0.5)),
    question: post,
    judge: |evidence| {
        let growth = Growth::of(evidence);
        let said = [
            (text::together_gradient(), growth.largest > 0.3),
            (text::together_factor(), growth.doublings > 0.4),
            (text::together_last_layer(), growth.last.abs() < 0.15),
            (text::together_layers(), [growth.first, growth.middle].iter().all(|p| (p - 0.5).abs() < 0.15)),
        ];
        let found: Vec<&str> = said.iter().filter(|(_, is_so)| *is_so).map(|(what, _)| *what).collect();
        let is_known =
            [growth.first, growth.middle, growth.last, growth.doublings].iter().all(|value| value.is_finite());
        Outcome {
            verdict: decide(found.len() == said.len(), is_known && found.len() < said.len()),
            measured: text::together_measured(
                joined([growth.first, growth.middle, growth.last].map(|p| power_of("L", p))),
                power_of("2", growth.doublings),
            ),
            sentence: text::together_sentence(found.len(), found.join(text::between_statements())),
        }
    },
};

/// C72: Pre-LN's gradients are near 1.6 in all layers at any depth.
pub(in super::super) const ONE_POINT_SIX: Rule = Rule {
    shown: said(W2, Of::Blocks, Said::Level(1.6)),
    question: || passes([grid(&format!("placement=post,pre&width=256&tokens=64&batch=1&{SIMPLIFIED}"), &[6, 18], 2)]),
    judge: |evidence| {
        let near = |value: f64| (1.2..2.15).contains(&value);
        let of = |placement, value: fn(&crate::stats::Measurement) -> f64| by_depth(evidence, is(placement), value);
        let (low, high) = (of(Placement::Pre, |run| last(run, W2)), of(Placement::Pre, |run| first(run, W2)));
        let post = of(Placement::Post, |run| last(run, W2));
        let ends = || low.iter().chain(&high).map(|(_, value)| *value);
        Outcome {
            verdict: decide(ends().count() > 0 && ends().all(near), ends().all(f64::is_finite) && !ends().all(near)),
            measured: text::one_point_six_measured(
                list(high.iter().map(|p| p.1)),
                list(low.iter().map(|p| p.1)),
                at_depths(&post),
            ),
            sentence: if post.iter().all(|(_, value)| near(*value)) {
                text::one_point_six_of_post()
            } else {
                text::one_point_six_nowhere()
            }
            .into(),
        }
    },
};

/// C13, C63: what leaves a norm has variance 1, at any depth.
pub(in super::super) const UNIT_VARIANCE: Rule = Rule {
    shown: said(Quantity::StreamRms, Of::Blocks, Said::Level(1.0)),
    question: || passes([grid("placement=post", &[24, 96], 1), grid("placement=post&norm=rmsnorm", &[24], 1)]),
    judge: |evidence| {
        let worst = largest(
            evidence
                .passes
                .iter()
                .map(|run| largest(each(run, Quantity::StreamRms).skip(1).map(|rms| (rms * rms - 1.0).abs()))),
        );
        Outcome {
            verdict: decide(worst < 0.02, worst > 0.1),
            measured: text::unit_variance_measured(number::value(worst)),
            sentence: text::unit_variance_sentence().into(),
        }
    },
};
