//! Post-LN with and without cross-attention.

use super::{
    Evidence, Outcome, Placement, Question, Rule, Verdict, W2, WIDE_POST, amplification, at_depths, by_depth, decide,
    first, grid, last, passes, power, power_of,
};
use crate::stats::Measurement;

const CONDITION: &str = "the blocks have cross-attention, as in the decoder of an encoder-decoder";

fn both(depths: &[u32], seeds: u32) -> Question {
    passes([grid(WIDE_POST, depths, seeds), grid(&format!("{WIDE_POST}&cross=1&causal=1"), depths, 2)])
}

fn points(evidence: &Evidence, cross: bool, value: impl Fn(&Measurement) -> f64) -> Vec<(f64, f64)> {
    by_depth(evidence, |c| c.placement == Placement::Post && c.cross.0 == cross, value)
}

/// The gradient at the first layer over that at the last, with and without cross-attention: whether it vanishes.
fn vanishing(evidence: &Evidence, name: &str, value: fn(&Measurement) -> f64) -> Outcome {
    let (alone, cross) = (points(evidence, false, value), points(evidence, true, value));
    let deepest = |points: &[(f64, f64)]| points.last().map_or(f64::NAN, |point| point.1);
    let (vanishes, survives) = (|ratio: f64| ratio < 0.02, |ratio: f64| ratio > 0.1);
    let verdict = match (deepest(&alone), deepest(&cross)) {
        (a, c) if survives(a) && vanishes(c) => Verdict::OnlyIf(CONDITION),
        (a, c) => decide(vanishes(a) && vanishes(c), survives(a) && survives(c)),
    };
    Outcome {
        verdict,
        measured: format!(
            "{name}: {} with self-attention only; {} with cross-attention",
            at_depths(&alone),
            at_depths(&cross)
        ),
        sentence:
            "Self-attention and FFN give back to the gradient what the norm takes; cross-attention, whose memory has \
                   its own way back, does not, and 2^(−L/2) is left."
                .into(),
    }
}

fn weights(run: &Measurement) -> f64 {
    first(run, W2) / last(run, W2)
}

/// C61: gradients of deep Post-LN vanish.
pub(in super::super) const VANISHES: Rule = Rule {
    question: || both(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, "‖∂L/∂W₂‖ first over last layer", weights),
};

/// C66: the place of the norm dampens gradients with depth.
pub(in super::super) const DAMPENS: Rule = Rule {
    question: || both(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, "‖∂L/∂x₀‖ / ‖∂L/∂x_L‖", amplification),
};

/// C69: at 100 layers the first ones get next to nothing.
pub(in super::super) const AT_100: Rule = Rule {
    question: || both(&[100], 4),
    judge: |evidence| vanishing(evidence, "‖∂L/∂W₂‖ first over last layer", weights),
};

/// C68: the gradient of early layers goes as 1/sqrt(L).
pub(in super::super) const EARLY: Rule = Rule {
    question: || both(&[6, 12, 24, 48], 8),
    judge: |evidence| {
        let of_first = |run: &Measurement| first(run, W2);
        let (alone, cross) = (points(evidence, false, of_first), points(evidence, true, of_first));
        let (with_depth, with_cross) = (power(&alone), power(&cross));
        let as_claimed = |power: f64| (power + 0.5).abs() < 0.15;
        Outcome {
            verdict: decide(
                as_claimed(with_depth) || as_claimed(with_cross),
                with_depth > -0.25 && !(-1.0..=-0.25).contains(&with_cross),
            ),
            measured: format!(
                "‖∂L/∂W₂‖ of the first layer: {}; with cross-attention {}",
                at_depths(&alone),
                at_depths(&cross)
            ),
            sentence: format!(
                "As powers of depth these are {} and {}; the claim needs L^−0.50, as in the last layer of Pre-LN.",
                power_of("L", with_depth),
                power_of("L", with_cross)
            ),
        }
    },
};

/// C70: a learning rate large enough for the early layers is too large for the late ones.
pub(in super::super) const OVERSHOOT: Rule = Rule {
    question: || both(&[24], 8),
    judge: |evidence| {
        let late = |run: &Measurement| last(run, W2) / first(run, W2);
        let of = |cross| points(evidence, cross, late).last().map_or(f64::NAN, |point| point.1);
        let (alone, cross) = (of(false), of(true));
        let verdict = if alone < 5.0 && cross > 20.0 {
            Verdict::OnlyIf(
                "the blocks have cross-attention and the optimiser does not rescale each matrix, as Adam does",
            )
        } else {
            decide(alone > 20.0 && cross > 20.0, alone < 5.0 && cross < 5.0)
        };
        Outcome {
            verdict,
            measured: format!(
                "‖∂L/∂W₂‖ last over first layer at L = 24: {} with self-attention only, {} with cross-attention",
                super::number::value(alone),
                super::number::value(cross)
            ),
            sentence:
                "Plain gradient descent moves the layers in this ratio. A step by the gradient's sign, as Adam's first \
                       is, moves all entries alike."
                    .into(),
        }
    },
};
