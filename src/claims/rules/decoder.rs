//! Post-LN without cross-attention, and with it to a memory of unlike tokens or of tokens that are all the same.

use super::{
    Evidence, Outcome, Placement, Question, Rule, Verdict, W2, WIDE_POST, amplification, at_depths, by_depth, decide,
    first, grid, last, passes, power, power_of,
};
use crate::model::Config;
use crate::stats::Measurement;

const CONDITION: &str =
    "the blocks attend to a memory whose tokens are alike, as a decoder does to a collapsed encoder";

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
fn vanishing(evidence: &Evidence, name: &str, value: fn(&Measurement) -> f64) -> Outcome {
    let all = [Memory::None, Memory::Spread, Memory::Collapsed].map(|memory| points(evidence, memory, value));
    let deepest = all.each_ref().map(|points| points.last().map_or(f64::NAN, |point| point.1));
    // At these widths one model may drift by a factor of ten over a hundred blocks, for no other reason than chance.
    let (vanishes, survives) = (|ratio: f64| ratio < 1e-3, |ratio: f64| ratio > 0.03);
    let [alone, spread, collapsed] = deepest;
    let verdict = if survives(alone) && survives(spread) && vanishes(collapsed) {
        Verdict::OnlyIf(CONDITION)
    } else {
        decide(deepest.into_iter().all(vanishes), deepest.into_iter().all(survives))
    };
    let sentence = if matches!(verdict, Verdict::OnlyIf(_)) {
        "Self-attention and FFN give back to the gradient what the norm takes, and so does attention to a memory of \
         unlike tokens. Where all of them are the same, nothing comes back through the scores, and 2^(−L/2) is left."
    } else {
        "The three models have to differ as in the literature for a condition to be told."
    };
    let [alone, spread, collapsed] = all.map(|points| at_depths(&points));
    Outcome {
        verdict,
        measured: format!(
            "{name}: {alone} with self-attention only; {collapsed} with a collapsed memory; {spread} with a memory of \
             unlike tokens"
        ),
        sentence: sentence.into(),
    }
}

fn weights(run: &Measurement) -> f64 {
    first(run, W2) / last(run, W2)
}

/// C61: gradients of deep Post-LN vanish.
pub(in super::super) const VANISHES: Rule = Rule {
    question: || all_memories(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, "‖∂L/∂W₂‖ first over last layer", weights),
};

/// C66: the place of the norm dampens gradients with depth.
pub(in super::super) const DAMPENS: Rule = Rule {
    question: || all_memories(&[6, 12, 24, 48], 8),
    judge: |evidence| vanishing(evidence, "‖∂L/∂x₀‖ / ‖∂L/∂x_L‖", amplification),
};

/// C69: at 100 layers the first ones get next to nothing.
pub(in super::super) const AT_100: Rule = Rule {
    question: || all_memories(&[100], 4),
    judge: |evidence| vanishing(evidence, "‖∂L/∂W₂‖ first over last layer", weights),
};

/// C68: the gradient of early layers goes as 1/sqrt(L).
pub(in super::super) const EARLY: Rule = Rule {
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
            measured: format!(
                "‖∂L/∂W₂‖ of the first layer: {}; with a collapsed memory {}",
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
    question: || all_memories(&[24], 8),
    judge: |evidence| {
        let late = |run: &Measurement| last(run, W2) / first(run, W2);
        let of = |memory| points(evidence, memory, late).last().map_or(f64::NAN, |point| point.1);
        let (alone, cross) = (of(Memory::None), of(Memory::Collapsed));
        let verdict = if alone < 5.0 && cross > 20.0 {
            Verdict::OnlyIf(
                "the blocks attend to a collapsed memory and the optimiser does not rescale each matrix, as Adam does",
            )
        } else {
            decide(alone > 20.0 && cross > 20.0, alone < 5.0 && cross < 5.0)
        };
        Outcome {
            verdict,
            measured: format!(
                "‖∂L/∂W₂‖ last over first layer at L = 24: {} with self-attention only, {} with a collapsed memory",
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
