//! Parameters and operations.

use super::{Evidence, Outcome, Placement, Question, Rule, Verdict, decide, grid, number, text};
use crate::model::Config;

/// Operations of an RMSNorm for each element: square, add, times the inverse root, times the gain.
const NORM_OPERATIONS: usize = 4;

fn three() -> Question {
    let configs: Vec<Config> = grid("placement=post,pre,sandwich&norm=rmsnorm", &[24], 1);
    Question { models: configs, ..Question::default() }
}

fn model(evidence: &Evidence, placement: Placement) -> Option<&super::super::Model> {
    evidence.models.iter().find(|model| model.config.placement == placement)
}

fn undecided() -> Outcome {
    Outcome { verdict: Verdict::NotDecided, measured: String::new(), sentence: text::model_missing().into() }
}

/// C33: 2, 4 and 2 norms a block, d parameters each, 2Ld more for Sandwich-LN than for Pre-LN.
pub(in super::super) const NORMS: Rule = Rule {
    shown: None,
    question: three,
    judge: |evidence| {
        let models = [Placement::Pre, Placement::Sandwich, Placement::Post].map(|placement| model(evidence, placement));
        let [Some(pre), Some(sandwich), Some(post)] = models else { return undecided() };
        let (depth, width) = (pre.config.depth as usize, pre.config.width as usize);
        let a_block = [pre, sandwich, post].map(|model| model.norms() / depth);
        let more = (sandwich.norms() * width).saturating_sub(pre.norms() * width);
        let is_so = a_block == [2, 4, 2] && more == 2 * depth * width;
        let counts = a_block.map(|count| count.to_string()).join(", ");
        Outcome {
            verdict: decide(is_so, !is_so),
            measured: text::norms_measured(counts, more, depth, width),
            sentence: text::norms_sentence(2 * depth * width),
        }
    },
};

/// C34: Sandwich-LN costs 2LTd operations more, which is negligible.
pub(in super::super) const OPERATIONS: Rule = Rule {
    shown: None,
    question: three,
    judge: |evidence| {
        let models = [Placement::Pre, Placement::Sandwich].map(|placement| model(evidence, placement));
        let [Some(pre), Some(sandwich)] = models else { return undecided() };
        let config = &pre.config;
        let (depth, width, tokens) = (config.depth as usize, config.width as usize, config.tokens as usize);
        let said = 2 * depth * tokens * width;
        let counted = sandwich.norms().saturating_sub(pre.norms()) * tokens * width * NORM_OPERATIONS;
        let products = 2 * tokens * pre.weights() + 4 * depth * tokens * tokens * width;
        let (times, share) = (counted as f64 / said as f64, counted as f64 / products as f64);
        let (is_small, is_exact) = (share < 0.02, (0.8..1.25).contains(&times));
        let verdict = if is_small && !is_exact {
            Verdict::InPart(text::operations_part())
        } else {
            decide(is_small && is_exact, !is_small)
        };
        Outcome {
            verdict,
            measured: text::operations_measured(counted, depth, tokens, width, number::ratio(times)),
            sentence: text::operations_sentence(products, number::fixed(100.0 * share, 1)),
        }
    },
};
