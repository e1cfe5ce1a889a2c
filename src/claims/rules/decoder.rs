//! Post-LN without cross-attention, and with it to a memory of unlike tokens or of tokens that are all the same.

use super::{
    Evidence, Of, Outcome, Placement, Quantity, Question, Rule, Said, Verdict, W2, WIDE_POST, amplification, at_depths,
    by_depth, curve, decide, first, grid, last, number, passes, power, power_of, said, text,
};
use crate::model::Config;
use crate::stats::Measurement;

/// What the blocks attend to beside themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    None,
    /// Its tokens are independent of each other.
    Spread,
    /// Its tokens are all the same.
    Collapsed,
}

fn all_memories(depths: &[u32], seeds: u32) -> Question {
    let with = |memory: &str, seeds| grid(&format!("{WIDE_POST}{memory}"), depths, seeds);
    passes([with("", seeds), with("&cross=1&memory_cos=0", seeds), with("&cross=1", 2)])
}

fn points(evidence: &Evidence, memory: Memory, value: impl Fn(&Measurement) -> f64) -> Vec<(f64, f64)> {
    let of = |config: &Config| match (config.cross.0, config.memory_cos) {
        (false, _) => Memory::None,
        (true, cosine) if cosine < 0.5 => Memory::Spread,
        (true, _) => Memory::Collapsed,
    };
    by_depth(evidence, |config| config.placement == Placement::Post && of(config) == memory, value)
}

/// The gradient at the first layer over that at the last, with and without cross-attention: whether it vanishes.
fn vanishing(evidence: &Evidence, quantity: &str, value: fn(&Measurement) -> f64) -> Outcome {
    let all = [Memory::None, Memory::Spread, Memory::Collapsed].map(|memory| points(evidence, memory, value));
    let deepest = all.each_ref().map(|points| points.last().map_or(f64::NAN, |point| point.1));
    // At these widths one model may drift by a factor of ten over a hundred blocks, for no other reason than chance.
    let (vanishes, survives) = (|ratio: f64| ratio < 1e-3, |ratio: f64| ratio > 0.03);
    let [alone, spread, collapsed] = deepest;
    let verdict = if survives(alone) && survives(spread) && vanishes(collapsed) {
        Verdict::OnlyIf(text::vanishing_condition())
    } else {
        decide(deepest.into_iter().all(vanishes), deepest.into_iter().all(survives))
    };
    let sentence =
        if matches!(verdict, Verdict::OnlyIf(_)) { text::vanishing_sentence() } else { text::vanishing_untold() };
    let [alone, spread, collapsed] = all.map(|points| at_depths(&points));
    Outcome {
        verdict,
        measured: text::vanishing_measured(quantity, alone, collapsed, spread),
        sentence: sentence.into(),
    }
}

fn weights(run: &Measurement) -> f64 {
    first(run, W2) / last(run, W2)
}

/// C61: gradients of deep Post-LN vanish.
pub(in super::super) const VANISHES: Rule = Rule {
    shown: curve(W2, Of::Fall),
    question: || all_memories(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, text::first_over_last(), weights),
};

/// C66: the place of the norm dampens gradients with depth.
pub(in super::super) const DAMPENS: Rule = Rule {
    shown: curve(Quantity::GradStream, Of::Fall),
    question: || all_memories(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, "‖∂L/∂x₀‖ / ‖∂L/∂x_L‖", amplification),
};

/// C69: at 100 layers the first ones get next to nothing.
pub(in super::super) const AT_100: Rule = Rule {
    shown: curve(W2, Of::Blocks),
    question: || all_memories(&[100], 4),
    judge: |evidence| vanishing(evidence, text::first_over_last(), weights),
};

/// C68: the gradient of early layers goes as 1/sqrt(L).
pub(in super::super) const EARLY: Rule = Rule {
    shown: said(W2, Of::First, Said::Power(-0.5)),
    question: || all_memories(&[6, 12, 24, 48], 8),
    judge: |evidence| {
        let of_first = |run: &Measurement| first(run, W2);
        let (alone, cross) = (points(evidence, Memory::None, of_first), points(evidence, Memory::Collapsed, of_first));
        let (with_depth, with_cross) = (power(&alone), power(&cross));
        let as_claimed = |power: f64| (power + 0.5).abs() < 0.15;
        Outcome {
            verdict: decide(
                as_claimed(with_depth) || as_claimed(with_cross),
                with_depth > -0.25 && !(-1.0..=-0.25).contains(&with_cross),
            ),
            measured: text::early_measured(at_depths(&alone), at_depths(&cross)),
            sentence: text::early_sentence(power_of("L", with_depth), power_of("L", with_cross)),
        }
    },
};

/// C70: a learning rate large enough for the early layers is too large for the late ones.
pub(in super::super) const OVERSHOOT: Rule = Rule {
    shown: curve(W2, Of::Blocks),
    question: || all_memories(&[24], 8),
    judge: |evidence| {
        let late = |run: &Measurement| last(run, W2) / first(run, W2);
        let of = |memory| points(evidence, memory, late).last().map_or(f64::NAN, |point| point.1);
        let (alone, cross) = (of(Memory::None), of(Memory::Collapsed));
        let verdict = if alone < 5.0 && cross > 20.0 {
            Verdict::OnlyIf(text::overshoot_condition())
        } else {
            decide(alone > 20.0 && cross > 20.0, alone < 5.0 && cross < 5.0)
        };
        Outcome {
            verdict,
            measured: text::overshoot_measured(number::value(alone), number::value(cross)),
            sentence: text::overshoot_sentence().into(),
        }
    },
};
