//! The size of the residual stream, and how alike its tokens are.

use super::{
    Of, Outcome, Placement, Quantity, Question, Rule, Said, Verdict, curve, decide, each, first, grid, is, known,
    largest, last, list, mean, middle, number, passes, power_of, said, text,
};
use crate::model::Init;
use crate::stats::Measurement;

/// The largest finite value of half precision (IEEE 754 binary16).
const HALF_MAX: f64 = 65504.0;

fn top_rms(run: &Measurement) -> f64 {
    last(run, Quantity::StreamRms)
}

/// C30: what a Sandwich-LN sublayer adds is bounded.
pub(in super::super) const BOUNDED_BRANCH: Rule = Rule {
    shown: None,
    question: || passes([grid("placement=sandwich", &[24, 96], 1)]),
    judge: |evidence| {
        let branches = |run: &Measurement| {
            // The first sublayer of each block reads the state at the block's boundary.
            let per_block = run.values(Quantity::UpdateRatio).len() / run.config.depth as usize;
            let of =
                |block| known(run, Quantity::UpdateRatio, block * per_block) * known(run, Quantity::StreamRms, block);
            (0..run.config.depth as usize).map(of).collect::<Vec<_>>()
        };
        let sizes: Vec<f64> = evidence.passes.iter().flat_map(branches).collect();
        let (low, high) = (-largest(sizes.iter().map(|size| -size)), largest(sizes.iter().copied()));
        Outcome {
            verdict: decide(high < 1.05, high > 1.5),
            measured: text::bounded_branch_measured(number::value(low), number::value(high)),
            sentence: text::bounded_branch_sentence().into(),
        }
    },
};

/// C31: the stream of Sandwich-LN does not grow without bound.
pub(in super::super) const SANDWICH: Rule = Rule {
    shown: curve(Quantity::StreamRms, Of::Blocks),
    question: || passes([grid("placement=pre,sandwich", &[200], 2)]),
    judge: |evidence| {
        let rms = |placement, at: fn(&Measurement, Quantity) -> f64| {
            mean(evidence, is(placement), |run| at(run, Quantity::StreamRms))
        };
        let (half, top) = (rms(Placement::Sandwich, middle), rms(Placement::Sandwich, last));
        let pre = rms(Placement::Pre, last);
        Outcome {
            verdict: decide(top / half < 1.05, top / half > 1.3),
            measured: text::sandwich_measured(list([half, top]), number::value(pre)),
            sentence: text::sandwich_sentence(number::value(401f64.sqrt())),
        }
    },
};

/// C32: deep in Pre-LN the stream is much larger than at its beginning.
pub(in super::super) const PRE_GROWS: Rule = Rule {
    shown: curve(Quantity::StreamRms, Of::Blocks),
    question: || passes([grid("placement=pre", &[200], 2)]),
    judge: |evidence| {
        let growth = mean(evidence, is(Placement::Pre), |run| top_rms(run) / first(run, Quantity::StreamRms));
        Outcome {
            verdict: decide(growth > 5.0, growth < 2.0),
            measured: text::pre_grows_measured(number::value(growth)),
            sentence: text::pre_grows_sentence().into(),
        }
    },
};

/// C60, C75: the variance of Pre-LN's stream grows exponentially with depth.
pub(in super::super) const EXPONENTIAL: Rule = Rule {
    shown: curve(Quantity::StreamRms, Of::Blocks),
    question: || passes([grid("placement=pre", &[96], 8), grid("placement=pre&init=he", &[96], 4)]),
    judge: |evidence| {
        // Of a power law this is the power; of an exponential it is at least the number of doublings before the middle.
        let order = |init: Init| {
            let growth = |run: &Measurement| top_rms(run) / middle(run, Quantity::StreamRms);
            2.0 * mean(evidence, |c| c.init == init, growth).log2()
        };
        let (xavier, he) = (order(Init::Xavier), order(Init::He));
        Outcome {
            verdict: decide(xavier > 3.0 && he > 3.0, xavier < 1.5 && he < 1.5),
            measured: text::exponential_measured(power_of("2", xavier), power_of("2", he)),
            sentence: text::exponential_sentence().into(),
        }
    },
};

/// C76: at block 80 activations are hundreds of times larger.
pub(in super::super) const BLOCK_80: Rule = Rule {
    shown: said(Quantity::StreamRms, Of::Blocks, Said::Level(100.0)),
    question: || passes([grid("placement=pre", &[80], 2), grid("placement=pre&init=he", &[80], 2)]),
    judge: |evidence| {
        let growth =
            |init: Init| mean(evidence, |c| c.init == init, |run| top_rms(run) / first(run, Quantity::StreamRms));
        let (xavier, he) = (growth(Init::Xavier), growth(Init::He));
        Outcome {
            verdict: decide(xavier > 100.0 && he > 100.0, xavier < 50.0 && he < 50.0),
            measured: text::block_80_measured(number::value(xavier), number::value(he)),
            sentence: text::block_80_sentence().into(),
        }
    },
};

/// C77: the stream of Pre-LN leaves the range of FP16 and BF16.
pub(in super::super) const OVERFLOW: Rule = Rule {
    shown: said(Quantity::StreamMax, Of::Blocks, Said::Level(HALF_MAX as f32)),
    question: || passes([grid("placement=pre", &[200], 1), grid("placement=none", &[48], 1)]),
    judge: |evidence| {
        let peak = |placement| mean(evidence, is(placement), |run| largest(each(run, Quantity::StreamMax)));
        let (pre, bare) = (peak(Placement::Pre), peak(Placement::None));
        let verdict = if pre < HALF_MAX / 16.0 && bare > HALF_MAX {
            Verdict::OnlyIf(text::overflow_condition())
        } else {
            decide(pre > HALF_MAX, pre < HALF_MAX / 16.0 && bare < HALF_MAX)
        };
        Outcome {
            verdict,
            measured: text::overflow_measured(number::value(pre), number::value(bare)),
            sentence: text::overflow_sentence(number::fixed((HALF_MAX / pre).log2(), 1)),
        }
    },
};

/// C78: large activations make tokens alike.
pub(in super::super) const COLLAPSE: Rule = Rule {
    shown: curve(Quantity::TokenCosine, Of::Blocks),
    question: || passes([grid("placement=post,pre", &[24], 3)]),
    judge: |evidence| {
        let of = |placement, quantity| mean(evidence, is(placement), |run| last(run, quantity));
        let [post, pre] = [Placement::Post, Placement::Pre].map(|p| of(p, Quantity::TokenCosine));
        let [small, large] = [Placement::Post, Placement::Pre].map(|p| of(p, Quantity::StreamRms));
        Outcome {
            verdict: decide(large > small && pre > post + 0.02, large > small && post > pre + 0.02),
            measured: text::collapse_measured(
                number::value(post),
                number::value(pre),
                number::value(small),
                number::value(large),
            ),
            sentence: text::collapse_sentence().into(),
        }
    },
};

/// C84: Post-LN's standard init is sqrt(2/d), and Pre-LN should have 1/sqrt(d).
pub(in super::super) const INIT: Rule = Rule {
    shown: curve(Quantity::StreamRms, Of::Blocks),
    question: || {
        let inits = ["lecun", "xavier", "he"].map(|init| grid(&format!("placement=pre&init={init}"), &[24], 2));
        Question { models: inits.iter().map(|grid| grid[0].clone()).collect(), ..passes(inits) }
    },
    judge: |evidence| {
        let scaled = |init: Init| {
            let model = evidence.models.iter().find(|model| model.config.init == init);
            let square = model.and_then(|model| model.matrices.iter().find(|m| m.fan_in == m.fan_out));
            square.map_or(f64::NAN, |matrix| matrix.std * (matrix.fan_in as f64).sqrt())
        };
        let top = |init| mean(evidence, |c| c.init == init, top_rms);
        let is_root_two = |value: f64| (value - 2f64.sqrt()).abs() < 0.01;
        let (xavier, he) = (scaled(Init::Xavier), scaled(Init::He));
        Outcome {
            verdict: decide(is_root_two(xavier), (xavier - 1.0).abs() < 0.01 && is_root_two(he)),
            measured: text::init_measured(
                number::value(scaled(Init::Lecun)),
                number::value(xavier),
                number::value(he),
                list([Init::Lecun, Init::Xavier, Init::He].map(top)),
            ),
            sentence: text::init_sentence().into(),
        }
    },
};
