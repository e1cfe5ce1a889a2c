//! The float64 engine against every golden run.

#![allow(clippy::print_stdout, reason = "how close it comes, for those who ask with --nocapture")]

mod common;

use common::{Golden, check_f64, check_marks, check_marks_missing, config, extended};
use normscope::model::Tensor;
use normscope::reference;
use normscope::stats::{Mark, Quantity};

#[test]
fn every_golden_run_agrees_and_is_marked_rightly() {
    let mut failures = Vec::new();
    for golden in Golden::all() {
        let got = reference::measure(&golden.config);
        match check_f64(&golden, &got) {
            Ok(worst) => println!("{}: {worst}", golden.query),
            Err(failure) => failures.push(failure),
        }
        failures.extend(check_marks(&golden, &got).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Scores of 1e40: from one block to the next the softmax turns on the last digit, and no gradient is known.
#[test]
fn a_run_past_the_resolution_of_float64_is_marked() {
    let query = "placement=none&depth=100";
    let got = reference::measure(&config(query));
    let truth = extended(query).expect("a run of 80 bits");
    check_marks_missing(query, &truth, &got).unwrap();
    assert_eq!(got.mark(Quantity::GradStream, 0), Some(Mark::Unresolved));
    assert_eq!(got.mark(Quantity::StreamRms, 100), None);
}

/// Where tokens have become alike float64 resolves what is left to be seen of W_Q down to about 1e-33, and what sets
/// the tokens apart down to its own last digit.
#[test]
fn a_collapsed_post_ln_is_resolved_for_a_hundred_blocks() {
    let got = reference::measure(&config("placement=post&depth=200"));
    for tensor in [Tensor::Wq, Tensor::Wk] {
        let quantity = Quantity::GradWeight(tensor);
        assert!((0..100).all(|block| got.mark(quantity, block).is_none()), "{tensor:?}");
        assert!((110..200).all(|block| got.mark(quantity, block) == Some(Mark::Unresolved)), "{tensor:?}");
    }
    for quantity in Quantity::all(&got.config) {
        let of_differences = matches!(quantity, Quantity::GradWeight(Tensor::Wq | Tensor::Wk) | Quantity::RankResidual);
        let marked = (0..quantity.len(&got.config)).any(|index| got.mark(quantity, index).is_some());
        assert_eq!(marked, of_differences, "{quantity:?}");
    }
}
