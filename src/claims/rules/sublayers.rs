//! Single sublayers: what they add, and what they do to a gradient.

use super::{
    Of, Outcome, Placement, Quantity, Rule, Said, Verdict, curve, decide, grid, is, known, list, mean, number, passes,
    said, text,
};
use crate::model::{Config, Init, ResidualScale};
use crate::stats::Measurement;

/// The index of the FFN of a block; the attention is the first sublayer of its block.
fn ffn(run: &Measurement, block: usize) -> usize {
    (block + 1) * run.config.sublayers_per_block() - 1
}

/// C16: the sum has twice the variance of the stream.
pub(in super::super) const TWICE: Rule = Rule {
    shown: said(Quantity::UpdateRatio, Of::Blocks, Said::Level(1.0)),
    question: || passes([grid("placement=post", &[6], 3), grid("placement=post&init=he", &[6], 3)]),
    judge: |evidence| {
        let sum = |init: Init, index: fn(&Measurement) -> usize| {
            let ratio = |run: &Measurement| known(run, Quantity::UpdateRatio, index(run));
            1.0 + mean(evidence, |c| c.init == init, ratio).powi(2)
        };
        let of = |init| [sum(init, |_| 0), sum(init, |run| ffn(run, 0))];
        let sums = [of(Init::Xavier), of(Init::He)].concat();
        let all = |low: f64, high: f64| sums.iter().all(|value| (low..high).contains(value));
        let verdict = if all(1.01, 10.0) && !all(1.6, 2.5) {
            Verdict::InPart(text::twice_part())
        } else {
            decide(all(1.6, 2.5), sums.iter().all(|value| *value < 1.01 || *value > 10.0))
        };
        Outcome { verdict, measured: text::twice_measured(list(sums)), sentence: text::twice_sentence().into() }
    },
};

/// C23: a Pre-LN branch starts near zero.
pub(in super::super) const NEAR_ZERO: Rule = Rule {
    shown: curve(Quantity::UpdateRatio, Of::Blocks),
    question: || passes([grid("placement=pre", &[24], 3), grid("placement=pre&residual_scale=gpt2", &[24], 3)]),
    judge: |evidence| {
        let ratio = |scale: ResidualScale, block: fn(&Measurement) -> usize| {
            mean(evidence, |c| c.residual_scale == scale, |run| known(run, Quantity::UpdateRatio, ffn(run, block(run))))
        };
        let of = |scale| [ratio(scale, |_| 0), ratio(scale, |run| run.config.depth as usize - 1)];
        let (plain, scaled) = (of(ResidualScale::None), of(ResidualScale::Gpt2));
        let verdict = if plain[0] > 0.25 && scaled[0] < 0.15 {
            Verdict::OnlyIf(text::near_zero_condition())
        } else {
            decide(plain[0] < 0.15, plain[0] > 0.25 && scaled[0] > 0.25)
        };
        Outcome {
            verdict,
            measured: text::near_zero_measured(list(plain), list(scaled)),
            sentence: text::near_zero_sentence().into(),
        }
    },
};

/// C14: the chain rule through Post-LN is a product of the norm's Jacobian and the identity plus that of the branch.
pub(in super::super) const CHAIN: Rule = Rule {
    shown: curve(Quantity::NetFactor, Of::Blocks),
    question: || passes([grid("placement=post", &[12], 3)]),
    judge: |evidence| {
        // For an FFN the second moment of J_f is the variance of the branch, v, and the norm's Jacobian is 1/sqrt(1+v).
        let over_ffns = |run: &Measurement, value: &dyn Fn(usize) -> f64| {
            let blocks = run.config.depth as usize;
            ((0..blocks).map(|block| value(ffn(run, block)).ln()).sum::<f64>() / blocks as f64).exp()
        };
        let norm_only = mean(evidence, is(Placement::Post), |run| {
            over_ffns(run, &|index| known(run, Quantity::NormJacobian, index).powi(2))
        });
        let product = mean(evidence, is(Placement::Post), |run| {
            over_ffns(run, &|index| {
                let v = known(run, Quantity::UpdateRatio, index).powi(2);
                known(run, Quantity::NormJacobian, index).powi(2) * (1.0 + v)
            })
        });
        let found =
            mean(evidence, is(Placement::Post), |run| over_ffns(run, &|index| known(run, Quantity::NetFactor, index)));
        let off = |expected: f64| (found / expected).ln().abs();
        Outcome {
            verdict: decide(off(product) < 0.1, off(norm_only) < 0.1 || off(product) > 0.3),
            measured: text::chain_measured(number::value(found)),
            sentence: text::chain_sentence(number::value(product), number::value(norm_only)),
        }
    },
};

/// C15: the norm's Jacobian is one over the size of what it normalises.
pub(in super::super) const JACOBIAN: Rule = Rule {
    shown: curve(Quantity::NormJacobian, Of::Blocks),
    question: || passes([grid("placement=pre", &[48], 2)]),
    judge: |evidence| {
        let pre = is(Placement::Pre);
        let at = |block: fn(&Config) -> usize| {
            let jacobian = |run: &Measurement| {
                known(run, Quantity::NormJacobian, block(&run.config) * run.config.sublayers_per_block())
            };
            let rms = |run: &Measurement| known(run, Quantity::StreamRms, block(&run.config));
            (mean(evidence, &pre, jacobian), mean(evidence, &pre, rms))
        };
        let (bottom, top) = (at(|_| 0), at(|config| config.depth as usize - 1));
        let products = [bottom, top].map(|(jacobian, rms)| jacobian * rms);
        Outcome {
            verdict: decide(
                products.iter().all(|product| (product - 1.0).abs() < 0.1),
                products.iter().any(|product| (product - 1.0).abs() > 0.3),
            ),
            measured: text::jacobian_measured(list([bottom.0, top.0]), list([bottom.1, top.1])),
            sentence: text::jacobian_sentence(list(products)),
        }
    },
};
