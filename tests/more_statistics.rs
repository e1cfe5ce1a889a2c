//! The statistics that the golden runs do not have, against a third implementation: `scripts/more_statistics.py`.

#![allow(clippy::print_stdout, reason = "how close it comes, for those who ask with --nocapture")]

mod common;

use std::collections::HashSet;

use common::{check_marks_known, config, more};
use normscope::model::{Config, Toggle};
use normscope::reference::{self, Parameter, Parameters};
use normscope::stats::Quantity;

/// One run that has lost all but rounding between its tokens, in 80 bits; the others are in float64.
const COLLAPSED: &str = "placement=post&depth=120&width=16&heads=2&tokens=6";

#[test]
fn every_further_statistic_agrees() {
    let (mut worst, mut seen) = (0.0_f64, HashSet::new());
    for (query, wanted) in more().into_iter().filter(|(query, _)| query != COLLAPSED) {
        let config = config(&query);
        let got = reference::measure(&config);
        let further = Quantity::all(&config).into_iter().filter(|quantity| is_further(*quantity));
        let names: Vec<_> = further.clone().map(Quantity::name).collect();
        assert_eq!(names.len(), wanted.len(), "{query}: {names:?}");
        for quantity in further {
            let name = quantity.name();
            let (values, want) = (got.values(quantity), &wanted[&name]);
            assert_eq!((values.len(), values.len()), (want.len(), quantity.len(&config)), "{query}: {name}");
            for (index, (value, want)) in values.iter().zip(want).enumerate() {
                let error = (value - want).abs() / want.abs().max(f64::MIN_POSITIVE);
                assert!(error <= 1e-9, "{query}: {name}[{index}] is {value:e}, should be {want:e}");
                assert_eq!(got.mark(quantity, index).is_some(), *value == 0.0, "{query}: {name}[{index}]");
                worst = worst.max(error);
            }
            seen.insert(name);
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    println!("worst relative error {worst:.1e}");
}

const fn is_further(quantity: Quantity) -> bool {
    matches!(
        quantity,
        Quantity::GradCosine
            | Quantity::RankResidual
            | Quantity::AttentionEntropy
            | Quantity::MaxLogit
            | Quantity::NetFactor
            | Quantity::NormJacobian
    )
}

/// What sets tokens apart falls below their own last digit from block 70 or so on, and is marked there.
#[test]
fn the_last_digit_of_a_collapsed_stream_is_marked() {
    let (_, truth) = more().into_iter().find(|(query, _)| query == COLLAPSED).expect("a collapsed run");
    let got = reference::measure(&config(COLLAPSED));
    check_marks_known(COLLAPSED, &truth, &got).unwrap();
    let marked = |index| got.mark(Quantity::RankResidual, index).is_some();
    assert!(!marked(0) && marked(120));
}

/// Factors multiply to what the gradient does over the whole depth.
#[test]
fn net_factors_multiply_to_the_gradient() {
    for query in ["placement=residual&depth=6", "placement=b2t&depth=6&cross=1", "placement=keel&depth=6"] {
        let got = reference::measure(&config(query));
        let gradients = got.values(Quantity::GradStream);
        let factors = got.values(Quantity::NetFactor).chunks(got.config.sublayers_per_block());
        for (block, factors) in factors.enumerate() {
            let product: f64 = factors.iter().product();
            let want = (gradients[block] / gradients[block + 1]).powi(2);
            assert!((product - want).abs() <= 1e-12 * want, "{query}, block {block}: {product} {want}");
        }
    }
}

/// Under small scores tokens weigh each other nearly equally, and entropy is nearly all there can be.
#[test]
fn entropies_at_their_bounds() {
    let mut faint = config("placement=pre&depth=2&width=16&heads=2&tokens=6&init=normal-0.02");
    let entropy = |config: &Config| reference::measure(config).values(Quantity::AttentionEntropy).to_vec();
    assert!(entropy(&faint).iter().all(|value| (1.0 - value).abs() < 1e-4));
    // A causal token k of T sees k others and itself: the mean of ln k over ln T.
    faint.causal = Toggle(true);
    let want = (1..=6).map(|k| f64::from(k).ln()).sum::<f64>() / 6.0 / 6f64.ln();
    assert!(entropy(&faint).iter().all(|value| (want - value).abs() < 1e-4), "{want}");
}

/// Before any sublayer all is known of the input: how far it is from rank one, and the Jacobian of the norm it meets.
#[test]
fn the_input_in_closed_form() {
    let config = config("placement=pre&depth=1&width=16&heads=2&tokens=5");
    let input = Parameters::new(&config).get(Parameter::Input).expect("an input");
    let got = reference::measure(&config);
    let mut jacobian = 0.0;
    for row in input.rows() {
        let mean = row.sum() / 16.0;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 16.0;
        jacobian += 1.0 / (variance + 1e-5).sqrt() / 10.0;
    }
    assert!((got.values(Quantity::NormJacobian)[0] - jacobian).abs() < 1e-14);
    // |x - mean|^2 is half the mean over tokens of the squared distance to each token.
    let mut apart = 0.0;
    for pair in (0..10).flat_map(|i| (0..10).map(move |j| (i, j))).filter(|(i, j)| i / 5 == j / 5) {
        let distance = &input.row(pair.0) - &input.row(pair.1);
        apart += distance.dot(&distance) / 10.0;
    }
    let all: f64 = input.iter().map(|x| x * x).sum();
    assert!((got.values(Quantity::RankResidual)[0] - (apart / all).sqrt()).abs() < 1e-14);
}
