//! Where the norms stand.

use super::super::Model;
use super::{Evidence, Outcome, Placement, Quantity, Question, Rule, Verdict, decide, first, grid, number, text};
use crate::model::{FinalNorm, Sublayer, SublayerKind};

/// A line of a block as a guide prints it: what it calls, and which norms it has around it.
#[derive(Clone, Copy, PartialEq)]
struct Line {
    kind: SublayerKind,
    input_norm: bool,
    branch_norm: bool,
    sum_norm: bool,
}

impl Line {
    const fn new(kind: SublayerKind, norms: [bool; 3]) -> Self {
        let [input_norm, branch_norm, sum_norm] = norms;
        Self { kind, input_norm, branch_norm, sum_norm }
    }

    fn of(sublayer: &Sublayer) -> Self {
        Self::new(sublayer.kind, [sublayer.input_norm, sublayer.branch_norm, sublayer.sum_norm])
    }
}

const INPUT: [bool; 3] = [true, false, false];
const BRANCH: [bool; 3] = [false, true, false];
const BOTH: [bool; 3] = [true, true, false];
const SUM: [bool; 3] = [false, false, true];

const fn block(attention: [bool; 3], feed_forward: [bool; 3]) -> [Line; 2] {
    [Line::new(SublayerKind::Attention, attention), Line::new(SublayerKind::FeedForward, feed_forward)]
}

/// The blocks of a question, of one block each.
fn models<const N: usize>(placements: [Placement; N]) -> Question {
    let config = |placement: Placement| grid(&format!("placement={}", placement.key()), &[1], 1);
    Question { models: placements.map(config).concat(), ..Question::default() }
}

/// Whether a model's block is made of these lines and adds without factors; None where the model is not there.
fn is_made_of(evidence: &Evidence, placement: Placement, lines: &[Line]) -> Option<bool> {
    let model = evidence.models.iter().find(|model| model.config.placement == placement)?;
    let plain = |sublayer: &Sublayer| {
        sublayer.skip == 1.0 && sublayer.input_gain == 1.0 && !sublayer.adds_block_input && !sublayer.feeds_dual
    };
    Some(model.sublayers.iter().all(plain) && model.sublayers.iter().map(Line::of).eq(lines.iter().copied()))
}

/// How a sublayer is written, with the norms where they are.
fn written(sublayer: &Sublayer) -> String {
    let wrap = |is_there: bool, inner: String| if is_there { format!("N({inner})") } else { inner };
    let name = match sublayer.kind {
        SublayerKind::Attention => "attention",
        SublayerKind::CrossAttention => "cross-attention",
        SublayerKind::FeedForward => "FFN",
    };
    let branch = format!("{name}({})", wrap(sublayer.input_norm, "x".into()));
    let skip = if sublayer.skip == 1.0 { "x".into() } else { format!("{} x", number::fixed(sublayer.skip, 2)) };
    wrap(sublayer.sum_norm, format!("{skip} + {}", wrap(sublayer.branch_norm, branch)))
}

fn first_block(model: &Model) -> String {
    model.sublayers.iter().filter(|sublayer| sublayer.block == 0).map(written).collect::<Vec<_>>().join("; ")
}

fn compare(evidence: &Evidence, placement: Placement, lines: &[Line]) -> Outcome {
    let same = is_made_of(evidence, placement, lines);
    let model = evidence.models.iter().find(|model| model.config.placement == placement);
    Outcome {
        verdict: decide(same == Some(true), same == Some(false)),
        measured: model.map_or_else(String::new, first_block),
        sentence: match same {
            Some(true) => text::block_is_the_same(),
            Some(false) => text::block_is_another(),
            None => text::block_is_missing(),
        }
        .into(),
    }
}

/// C1: the block of 2017.
pub(in super::super) const POST: Rule = Rule {
    shown: None,
    question: || models([Placement::Post]),
    judge: |evidence| compare(evidence, Placement::Post, &block(SUM, SUM)),
};

/// C9, C21: the norm moved to the input of the branch.
pub(in super::super) const PRE: Rule = Rule {
    shown: None,
    question: || models([Placement::Pre]),
    judge: |evidence| compare(evidence, Placement::Pre, &block(INPUT, INPUT)),
};

/// C29: a second norm on the branch.
pub(in super::super) const SANDWICH: Rule = Rule {
    shown: None,
    question: || models([Placement::Sandwich]),
    judge: |evidence| compare(evidence, Placement::Sandwich, &block(BOTH, BOTH)),
};

/// C35: four blocks in code.
pub(in super::super) const FOUR: Rule = Rule {
    shown: None,
    question: || models([Placement::Post, Placement::Pre, Placement::Sandwich, Placement::Olmo2]),
    judge: |evidence| {
        let printed = [
            (Placement::Post, block(SUM, SUM)),
            (Placement::Pre, block(INPUT, INPUT)),
            (Placement::Sandwich, block(BOTH, BOTH)),
            (Placement::Olmo2, block(BRANCH, BRANCH)),
        ];
        let same = printed.map(|(placement, lines)| is_made_of(evidence, placement, &lines));
        let count = same.iter().filter(|same| **same == Some(true)).count();
        Outcome {
            verdict: decide(count == same.len(), same.contains(&Some(false))),
            measured: text::four_measured(count, same.len()),
            sentence: text::four_sentence().into(),
        }
    },
};

/// C81: Post-LN in pseudocode, its first line included.
pub(in super::super) const POST_PRINTED: Rule = Rule {
    shown: None,
    question: || models([Placement::Post]),
    judge: |evidence| {
        let [attention, feed_forward] = block(SUM, SUM);
        let printed = [Line::new(SublayerKind::Attention, INPUT), attention, feed_forward];
        let calls = evidence.models.iter().map(|model| model.sublayers.len()).sum::<usize>();
        Outcome {
            sentence: text::post_printed_sentence(printed.len(), calls),
            ..compare(evidence, Placement::Post, &printed)
        }
    },
};

/// C82: Pre-LN in pseudocode.
pub(in super::super) const PRE_PRINTED: Rule = Rule {
    shown: None,
    question: || models([Placement::Pre]),
    judge: |evidence| {
        let outcome = compare(evidence, Placement::Pre, &block(INPUT, INPUT));
        Outcome { sentence: text::pre_printed_sentence(&outcome.sentence), ..outcome }
    },
};

/// C36: a final norm in all four placements.
pub(in super::super) const FINAL_NORM: Rule = Rule {
    shown: None,
    question: || Question {
        passes: [grid("placement=post", &[6], 1), grid("placement=post&final_norm=on", &[6], 1)].concat(),
        ..models([Placement::Post, Placement::Pre, Placement::Sandwich, Placement::Olmo2])
    },
    judge: |evidence| {
        let with = evidence.models.iter().filter(|model| model.final_norm).count();
        let loss = |is_on: bool| {
            let run = evidence.passes.iter().find(|run| (run.config.final_norm == FinalNorm::On) == is_on);
            run.map_or(f64::NAN, |run| first(run, Quantity::Loss))
        };
        let (off, on) = (loss(false), loss(true));
        Outcome {
            verdict: decide(with == evidence.models.len() && with > 0, with < evidence.models.len()),
            measured: text::final_norm_measured(
                with,
                evidence.models.len(),
                number::fixed(off, 6),
                number::fixed(on, 6),
            ),
            sentence: text::final_norm_sentence(number::value((on - off).abs())),
        }
    },
};

/// C44: DeepNorm multiplies the branch.
pub(in super::super) const DEEPNORM: Rule = Rule {
    shown: None,
    question: || Question { models: grid("placement=deepnorm", &[24], 1), ..Question::default() },
    judge: |evidence| {
        let Some(model) = evidence.models.first() else {
            return Outcome { verdict: Verdict::NotDecided, measured: String::new(), sentence: String::new() };
        };
        let skip_is_scaled = model.sublayers.iter().any(|sublayer| sublayer.skip != 1.0);
        let branch_is_scaled = model.sublayers.iter().any(|sublayer| sublayer.input_gain != 1.0);
        let alpha = model.sublayers.first().map_or(f64::NAN, |sublayer| sublayer.skip);
        Outcome {
            verdict: decide(branch_is_scaled && !skip_is_scaled, skip_is_scaled && !branch_is_scaled),
            measured: text::deepnorm_block_measured(
                model.config.depth,
                number::value(alpha),
                number::value(model.init_gain),
            ),
            sentence: text::deepnorm_block_sentence(model.sublayers.first().map_or_else(String::new, written)),
        }
    },
};

/// C88: Peri-LN has norms at several points of the residual path.
pub(in super::super) const PERI: Rule = Rule {
    shown: None,
    question: || models([Placement::Peri]),
    judge: |evidence| {
        let sublayers = || evidence.models.iter().flat_map(|model| &model.sublayers);
        let count = |is_there: fn(&Sublayer) -> bool| sublayers().filter(|sublayer| is_there(sublayer)).count();
        let in_branch = count(|sublayer| sublayer.input_norm) + count(|sublayer| sublayer.branch_norm);
        let on_path = count(|sublayer| sublayer.sum_norm);
        let several = in_branch > sublayers().count();
        let verdict = if several && on_path == 0 {
            Verdict::InPart(text::peri_part())
        } else {
            decide(on_path > 0, on_path == 0 && sublayers().count() > 0)
        };
        Outcome {
            verdict,
            measured: text::peri_measured(in_branch, on_path),
            sentence: evidence.models.first().map_or_else(String::new, first_block),
        }
    },
};
