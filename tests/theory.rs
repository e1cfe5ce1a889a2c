//! What theory draws, against the float64 engine: by how much each curve may miss, and the limits in which curves are
//! one another.

#![allow(clippy::print_stdout, reason = "how close it comes, for those who ask with --nocapture")]

mod common;

use common::config;
use normscope::model::{Config, Placement, Tensor};
use normscope::reference::measure;
use normscope::stats::{Measurement, Quantity};
use normscope::theory::{Evidence, Kind, Moments, Overlay, deviation, mean_field_holds, overlays, predict};

/// The setting in which the recursion is exact but for the width.
const UNIFORM: &str = "depth=24&width=256&tokens=32&batch=1&attention=uniform";

/// Xiong et al. 2020, §3.3.
const XIONG: &str = "heads=1&ffn=1&attention=uniform&output_projection=0";

fn runs(query: &str, seeds: u32) -> Vec<Measurement> {
    (0..seeds).map(|seed| measure(&Config { seed, ..config(query) })).collect()
}

fn find(list: &[Overlay], name: &str, quantity: Quantity) -> Overlay {
    let found = list.iter().find(|overlay| overlay.name == name && overlay.quantity == quantity);
    found.unwrap_or_else(|| panic!("{name} over {quantity:?}")).clone()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Of each value of a curve, how far the mean over the runs is from it: the geometric mean of what has a size.
fn misses(runs: &[Measurement], name: &str, quantity: Quantity) -> Vec<f64> {
    let curves: Vec<Overlay> = runs.iter().map(|run| find(&overlays(run), name, quantity)).collect();
    let is_cosine = matches!(quantity, Quantity::TokenCosine | Quantity::GradCosine);
    let miss = |index: usize| {
        let deviations = runs.iter().zip(&curves).map(|(run, curve)| {
            deviation(curve, run, index).unwrap_or_else(|| panic!("{name} over {quantity:?} has no value {index}"))
        });
        if is_cosine {
            mean(deviations)
        } else {
            mean(deviations.map(f64::ln_1p).collect::<Vec<_>>().into_iter()).exp_m1()
        }
    };
    let all: Vec<f64> =
        (0..curves[0].values.len()).filter(|&index| curves[0].values[index].is_finite()).map(miss).collect();
    assert!(!all.is_empty(), "{name} over {quantity:?} says nothing");
    all
}

fn largest(misses: &[f64]) -> f64 {
    misses.iter().fold(0.0, |largest, miss| miss.abs().max(largest))
}

/// What the recursion says of each quantity misses at most this.
#[derive(Clone, Copy)]
struct Allowed {
    stream: f64,
    cosine: f64,
    gradient: f64,
    gradient_cosine: f64,
    /// Of the quantities of a sublayer.
    sublayer: f64,
    /// Of the gradient of the matrix that a sublayer ends with.
    weight: f64,
}

fn check_recursion(query: &str, seeds: u32, allowed: Allowed) {
    let runs = runs(query, seeds);
    let mut line = query.to_owned();
    let mut failures = Vec::new();
    for (quantity, allowed) in [
        (Quantity::StreamRms, allowed.stream),
        (Quantity::TokenCosine, allowed.cosine),
        (Quantity::GradStream, allowed.gradient),
        (Quantity::GradCosine, allowed.gradient_cosine),
        (Quantity::UpdateRatio, allowed.sublayer),
        (Quantity::NormJacobian, allowed.sublayer),
        (Quantity::NetFactor, allowed.sublayer),
        (Quantity::GradWeight(Tensor::Wo), allowed.weight),
        (Quantity::GradWeight(Tensor::Co), allowed.weight),
        (Quantity::GradWeight(Tensor::W2), allowed.weight),
    ] {
        if runs[0].series(quantity).is_none() {
            continue;
        }
        let miss = largest(&misses(&runs, "mean field", quantity));
        line += &format!(" {} {miss:.3}", quantity.name());
        if miss > allowed {
            failures.push(format!("{query}: {} misses by {miss:.3}, allowed {allowed}", quantity.name()));
        }
    }
    println!("{line}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_recursion_is_followed_at_width_256() {
    let tight =
        Allowed { stream: 0.04, cosine: 0.05, gradient: 0.07, gradient_cosine: 0.05, sublayer: 0.15, weight: 0.15 };
    for (query, seeds) in
        [("pre", 4), ("sandwich", 4), ("deepnorm", 2), ("pre&residual_scale=gpt2", 2), ("pre&init=he", 4)]
    {
        check_recursion(&format!("placement={query}&{UNIFORM}"), seeds, tight);
    }
    // Once its tokens are alike, a Post-LN's gradient is one vector a sequence, and scatters as such.
    let post = Allowed { gradient: 0.4, sublayer: 0.2, weight: 0.4, ..tight };
    check_recursion(&format!("placement=post&{UNIFORM}"), 4, post);
}

#[test]
fn the_recursion_is_followed_by_every_placement() {
    let tight =
        Allowed { stream: 0.1, cosine: 0.1, gradient: 0.15, gradient_cosine: 0.12, sublayer: 0.2, weight: 0.25 };
    let loose = Allowed { gradient: 0.4, sublayer: 0.3, weight: 0.6, ..tight };
    for &placement in Placement::ALL {
        for cross in ["", "&cross=1&memory_cos=0.4"] {
            let query = format!("placement={}&depth=12&width=128{cross}", placement.key());
            if !mean_field_holds(&config(&query)) {
                assert!(matches!(placement, Placement::Olmo2 | Placement::None), "{placement:?}");
                continue;
            }
            // Where a norm on the sum lets tokens become alike, gradients scatter.
            let recipe = placement.recipe();
            let scatters = recipe.begins_as_post || recipe.sum_norm && !recipe.input_norm && !recipe.scales_init;
            check_recursion(&query, 3, if scatters { loose } else { tight });
        }
    }
    // Without a norm on what it reads, only attention that cannot be peaked is described. What no norm sets right adds up.
    check_recursion("placement=olmo2&depth=12&width=128&qk_norm=full", 3, tight);
    let unbounded = Allowed { stream: 0.3, gradient: 0.3, ..tight };
    check_recursion("placement=none&depth=12&width=128&attention=uniform", 3, unbounded);
}

#[test]
fn the_recursion_knows_every_init_and_nonlinearity() {
    let allowed =
        Allowed { stream: 0.1, cosine: 0.1, gradient: 0.15, gradient_cosine: 0.1, sublayer: 0.2, weight: 0.3 };
    for variant in [
        "act=gelu&init=lecun",
        "act=gelu&init=he&attention=uniform",
        "act=swiglu&init=lecun&ffn=2",
        "act=swiglu&init=small&norm=rmsnorm",
        "act=swiglu&init=he&attention=uniform",
        "init=small&ffn=8",
        "init=xavier-uniform&output_projection=0&heads=1",
        "init=normal-0.02",
        "residual_scale=zero",
        "qk_norm=head&tokens=16",
        "tokens=4&batch=8",
    ] {
        for placement in ["pre", "sandwich"] {
            let query = format!("placement={placement}&depth=12&width=128&{variant}");
            if query.contains("zero") && placement == "sandwich" {
                // Nothing is added, so that there is no ratio to compare.
                continue;
            }
            if query.contains("zero") {
                let run = &runs(&query, 1)[0];
                for quantity in [Quantity::StreamRms, Quantity::TokenCosine, Quantity::GradStream] {
                    let miss = largest(&misses(std::slice::from_ref(run), "mean field", quantity));
                    assert!(miss < 1e-12, "{quantity:?} {miss}");
                }
                // They end with zeros, and learn.
                for tensor in [Tensor::Wo, Tensor::W2] {
                    let quantity = Quantity::GradWeight(tensor);
                    let miss = largest(&misses(std::slice::from_ref(run), "mean field", quantity));
                    assert!(miss < 0.3, "{quantity:?} {miss}");
                }
                continue;
            }
            check_recursion(&query, 3, allowed);
        }
    }
}

/// Single gradients of a Post-LN scatter by large factors; their mean square over seeds is what the recursion says.
#[test]
fn the_mean_square_of_a_post_ln_is_predicted() {
    let runs = runs("placement=post&depth=24", 24);
    for quantity in [Quantity::GradWeight(Tensor::W2), Quantity::GradStream] {
        let curves: Vec<Overlay> = runs.iter().map(|run| find(&overlays(run), "mean field", quantity)).collect();
        let count = curves[0].values.len();
        let miss = |index: usize| {
            let measured = mean(runs.iter().map(|run| run.values(quantity)[index].powi(2)));
            let theory = mean(curves.iter().map(|curve| curve.values[index].powi(2)));
            (measured / theory).sqrt() - 1.0
        };
        let all: Vec<f64> = (0..count).map(miss).collect();
        println!("{}: {:.2} at most, {:.3} on average", quantity.name(), largest(&all), mean(all.iter().copied()));
        assert!(largest(&all) < 0.25 && mean(all.iter().copied()).abs() < 0.1, "{quantity:?}: {all:.2?}");
    }
}

/// Where the norm on a branch meets one so small that epsilon counts.
#[test]
fn epsilon_counts_where_branches_are_tiny() {
    let query = "placement=sandwich&init=normal-0.02&depth=12&width=64&attention=uniform&tokens=32";
    let run = &runs(query, 1)[0];
    let stream = find(&overlays(run), "mean field", Quantity::StreamRms);
    let normed = 3f64.sqrt();
    assert!(stream.values[1] < 0.96 * normed, "{}", stream.values[1]);
    assert!(deviation(&stream, run, 1).unwrap().abs() < 0.02, "{stream:?}");
}

#[test]
fn sandwich_grows_as_the_root_of_its_sublayers() {
    let runs = runs("placement=sandwich&depth=200", 6);
    let name = "stream of normed branches";
    let curve = find(&overlays(&runs[0]), name, Quantity::StreamRms);
    let start = runs[0].values(Quantity::StreamRms)[0];
    for (l, value) in curve.values.iter().enumerate() {
        let want = (start * start + 2.0 * l as f64).sqrt();
        assert!((value / want - 1.0).abs() < 1e-4, "{l}: {value} {want}");
    }
    let measured = mean(runs.iter().map(|run| run.values(Quantity::StreamRms)[200].ln())).exp();
    println!("sandwich, depth 200: measured {measured:.2}, theory {:.2}", curve.values[200]);
    // Tokens are alike there: 64 Gaussians a run, whose root mean square is known to 9 %.
    assert!(largest(&misses(&runs, name, Quantity::StreamRms)) < 0.1);
}

#[test]
fn lemma_2_brackets_the_stream() {
    for depth in [6, 24] {
        let runs = runs(&format!("placement=pre&depth={depth}&{XIONG}&width=256&tokens=64"), 2);
        let list = overlays(&runs[0]);
        let stream = runs[0].values(Quantity::StreamRms);
        let start = stream[0] * stream[0];
        for (name, slope) in [("Lemma 2, lower", 0.5), ("Lemma 2, upper", 1.5)] {
            let curve = find(&list, name, Quantity::StreamRms);
            for (l, value) in curve.values.iter().enumerate() {
                let want = start + slope * l as f64;
                assert!((value * value / want - 1.0).abs() < 1e-4, "{name} {l}: {} {want}", value * value);
            }
            for run in &runs {
                let curve = find(&overlays(run), name, Quantity::StreamRms);
                for l in 1..=depth {
                    let miss = deviation(&curve, run, l).unwrap();
                    // At boundary 1 the lower bound is missing nothing but what the average of 64 tokens leaves.
                    let kept = if curve.kind == Kind::LowerBound { miss > -0.02 } else { miss < 0.0 };
                    assert!(kept, "{name} at {l}: {miss}");
                }
            }
        }
    }
    // The bounds of another init, mask and softmax, with memory to read.
    for query in [
        "placement=pre&depth=12&init=he&causal=1",
        "placement=lns&depth=12&cross=1&memory_cos=0.5",
        "placement=none&depth=8",
    ] {
        let run = &runs(query, 1)[0];
        let bounds: Vec<Overlay> = overlays(run).into_iter().filter(|o| o.kind != Kind::Scaling).collect();
        let of = |kind| bounds.iter().find(|overlay| overlay.kind == kind).expect("a bound").clone();
        let (lower, upper) = (of(Kind::LowerBound), of(Kind::UpperBound));
        for l in 1..=config(query).depth as usize {
            assert!(deviation(&lower, run, l).unwrap() > -0.05, "{query} {l}");
            assert!(deviation(&upper, run, l).unwrap() < 0.05, "{query} {l}");
        }
    }
}

/// 3/2 before the norm after a FFN, from which the norm makes 1.
#[test]
fn lemma_2_knows_what_post_ln_divides_by() {
    let runs = runs(&format!("placement=post&depth=12&{XIONG}&width=256&tokens=64"), 4);
    let curve = find(&overlays(&runs[0]), "Lemma 2, Post-LN", Quantity::NormJacobian);
    assert!(curve.values.iter().skip(1).step_by(2).all(|value| (value * value * 1.5 - 1.0).abs() < 1e-4));
    assert!(curve.values.iter().step_by(2).all(|value| value.is_nan()), "attention has no such constant");
    let misses = misses(&runs, "Lemma 2, Post-LN", Quantity::NormJacobian);
    assert_eq!(misses.len(), 12);
    let square = mean(misses.iter().map(|miss| 1.5 / ((1.0 + miss) * (1.0 + miss))));
    println!("Post-LN before the norm after a FFN: {square:.3}, Lemma 2 1.5");
    assert!((square - 1.5).abs() < 0.05, "{square}");
}

/// The last W_2 of models of several depths is proportional to the curve that is drawn through one of them.
#[test]
fn theorem_1_scales_over_depths() {
    let quantity = Quantity::GradWeight(Tensor::W2);
    for (placement, name, allowed) in [("pre", "Theorem 1, Pre-LN", 0.12), ("post", "Theorem 1, Post-LN", 0.3)] {
        let at = |depth: u32| runs(&format!("placement={placement}&depth={depth}&{XIONG}&width=128&tokens=32"), 6);
        let deepest = at(24);
        let curve = find(&overlays(&deepest[0]), name, quantity);
        assert_eq!((curve.first, curve.kind, curve.values.len()), (1, Kind::AcrossDepths, 24));
        assert!((curve.values[23] / deepest[0].values(quantity)[23] - 1.0).abs() < 1e-12);
        assert!(deviation(&curve, &deepest[0], 3).is_none(), "it is not about this run");
        let last = |runs: &[Measurement]| mean(runs.iter().map(|run| run.values(quantity).last().unwrap().ln())).exp();
        let scale = last(&deepest) / curve.values[23];
        for depth in [6, 12] {
            let (got, want) = (last(&at(depth)), scale * curve.values[depth as usize - 1]);
            println!("{placement}, depth {depth}: last W_2 {got:.3}, as depth 24 has it {want:.3}");
            assert!((got / want - 1.0).abs() < allowed, "{placement} {depth}: {got} {want}");
        }
    }
}

/// A collapsed memory takes 2^(-1/2) from the gradient in each block.
#[test]
fn cross_attention_halves_the_squared_gradient() {
    let query = "placement=post&cross=1&memory_cos=1&depth=24";
    let runs = runs(query, 4);
    let name = "cross-attention: V c a block";
    let curve = find(&overlays(&runs[0]), name, Quantity::GradStream);
    for pair in curve.values.windows(2) {
        assert!((pair[0] / pair[1] - 0.5f64.sqrt()).abs() < 1e-12, "{pair:?}");
    }
    let block =
        |of: &dyn Fn(usize) -> f64, first: usize, last: usize| (of(first) / of(last)).powf(1.0 / (last - first) as f64);
    let measured =
        |quantity: Quantity, index: usize| mean(runs.iter().map(|run| run.values(quantity)[index].ln())).exp();
    let of_weights = block(&|l| measured(Quantity::GradWeight(Tensor::W2), l), 0, 23);
    // Below the first few blocks from the top, where the gradient of each token is still its own.
    let of_stream = block(&|l| measured(Quantity::GradStream, l), 2, 18);
    let prediction = find(&overlays(&runs[0]), "mean field", Quantity::GradStream).values;
    let predicted = block(&|l| prediction[l], 2, 18);
    println!("a collapsed memory, a block: W_2 {of_weights:.3}, stream {of_stream:.3}, mean field {predicted:.3}");
    for factor in [of_weights, of_stream, predicted] {
        assert!((0.69..=0.74).contains(&factor), "{of_weights} {of_stream} {predicted}");
    }
}

#[test]
fn deepnorm_is_flat() {
    let runs = runs("placement=deepnorm&depth=48", 2);
    for quantity in [Quantity::GradStream, Quantity::GradWeight(Tensor::W2)] {
        assert!(largest(&misses(&runs, "DeepNorm: flat", quantity)) < 0.06, "{quantity:?}");
    }
}

/// Once tokens and gradients are alike a Pre-LN's gradient goes as one over its stream.
#[test]
fn gradients_of_pre_ln_follow_its_stream() {
    let runs = runs("placement=pre&depth=48", 4);
    let misses = misses(&runs, "gradient as 1/stream", Quantity::GradStream);
    // Lower down attention still averages more of the stream away than of the gradient.
    assert!(largest(&misses[36..]) < 0.15, "{misses:?}");
    assert!(largest(&misses) < 0.6, "{misses:?}");
}

/// Tokens and gradients that are all alike: attention neither averages away nor adds.
const ALIKE: f64 = 1.0;

fn limit(query: &str) -> Vec<(f64, f64)> {
    let start = Moments::new(1.0, ALIKE);
    let prediction = predict(&config(query), start, start);
    let both = prediction.stream.iter().zip(&prediction.gradient);
    both.map(|(stream, gradient)| (stream.own, gradient.own)).collect()
}

#[test]
fn closed_forms_are_limits_of_the_recursion() {
    let near = |got: f64, want: f64, what: &str| assert!((got / want - 1.0).abs() < 2e-3, "{what}: {got} {want}");
    let setting = "depth=20&attention=uniform&ffn=1";
    let (v, big_v) = (0.5, 1.0);
    let pre = limit(&format!("placement=pre&{setting}"));
    let none = limit(&format!("placement=none&{setting}"));
    let sandwich = limit(&format!("placement=sandwich&{setting}"));
    let olmo2 = limit(&format!("placement=olmo2&{setting}"));
    let post = limit(&format!("placement=post&{setting}"));
    let crossed = limit(&format!("placement=post&cross=1&memory_cos=0.6&{setting}"));
    let crossed_he = limit(&format!("placement=post&cross=1&init=he&{setting}"));
    for l in 0..=20 {
        let (f, left) = (l as f64, 20.0 - l as f64);
        near(pre[l].0, 1.0 + (big_v + v) * f, "Pre-LN's stream");
        near(pre[l].1, pre[20].0 / pre[l].0, "Pre-LN's gradient");
        near(none[l].0, ((1.0 + big_v) * (1.0 + v)).powf(f), "the stream without norms");
        near(none[l].1, ((1.0 + big_v) * (1.0 + v)).powf(left), "the gradient without norms");
        near(sandwich[l].0, 1.0 + 2.0 * f, "Sandwich's stream");
        near(sandwich[l].1, sandwich[20].0 / sandwich[l].0, "Sandwich's gradient");
        near(olmo2[l].0, 1.0 + 2.0 * f, "OLMo 2's stream");
        near(post[l].0, 1.0, "Post-LN's stream");
        near(post[l].1, 1.0, "Post-LN's gradient");
        near(crossed_he[l].1, 5f64.powf(-left), "Post-LN's gradient with V = 4");
        // Scores of variance 0.4 over the keys, whose weights' squares sum to p, let p (1 - p) of a gradient through.
        let p = 1.0 / (1.0 + 31.0 * f64::exp(-0.4));
        let through = 0.4 * 0.4 * p * (1.0 - p);
        near(crossed[l].1, ((1.0 + through) / (1.6 + 0.4 * p)).powf(left), "Post-LN's gradient with a memory");
    }
    // DeepNorm: 1 + O(1/L) a sublayer.
    let deepnorm = predict(&config("placement=deepnorm&depth=200"), Moments::new(1.0, 0.0), Moments::new(1.0, 0.1));
    assert!(deepnorm.gradient.iter().all(|gradient| (gradient.own - 1.0).abs() < 0.05));
    // Scores of W_Q = W_K = 0 weigh evenly whatever norm stands on queries and keys.
    assert_eq!(limit(&format!("placement=pre&qk_norm=head&{setting}")), pre);
}

#[test]
fn a_curve_fits_what_it_is_drawn_over() {
    for &placement in Placement::ALL {
        for variant in ["", "&cross=1", "&causal=1&init=he", "&act=swiglu&norm=rmsnorm"] {
            let query = format!("placement={}&depth=3&width=32&{variant}", placement.key());
            let run = &runs(&query, 1)[0];
            let list = overlays(run);
            for overlay in &list {
                let what = format!("{query}: {overlay:?}");
                let series = run.series(overlay.quantity).unwrap_or_else(|| panic!("{what}"));
                assert_eq!(overlay.values.len(), series.values.len(), "{what}");
                assert!(overlay.values.iter().any(|value| value.is_finite()), "{what}");
                assert_eq!(overlay.first, usize::from(matches!(overlay.quantity, Quantity::GradWeight(_))), "{what}");
                assert!(!overlay.holds.contains("  "), "{what}");
                let cited = overlay.source.to_string();
                assert!(cited.contains(&format!("arXiv:{}", overlay.source.arxiv)), "{cited}");
                assert_eq!(cited.contains("second-hand"), overlay.source.evidence == Evidence::SecondHand, "{cited}");
                if overlay.kind != Kind::Scaling && overlay.quantity == Quantity::StreamRms {
                    assert_eq!(overlay.values[0], run.values(Quantity::StreamRms)[0], "{what}");
                }
                if overlay.quantity == Quantity::GradStream {
                    let (got, want) = (overlay.values[3], run.values(Quantity::GradStream)[3]);
                    assert!((got / want - 1.0).abs() < 1e-12, "{what}");
                }
                let same = |other: &&Overlay| other.name == overlay.name && other.quantity == overlay.quantity;
                assert_eq!(list.iter().filter(same).count(), 1, "two of one name: {what}");
            }
            let has_recursion = list.iter().any(|overlay| overlay.name == "mean field");
            assert_eq!(has_recursion, mean_field_holds(&run.config), "{query}");
        }
    }
}

#[test]
fn what_was_not_measured_starts_no_curve() {
    let run = &runs("depth=3&width=32", 1)[0];
    let without = |quantity: Quantity, index: usize| {
        let mut run = run.clone();
        let series = run.series.iter_mut().find(|series| series.quantity == quantity).expect("measured");
        series.values[index] = f64::NAN;
        overlays(&run)
    };
    let over = |list: &[Overlay], quantity| list.iter().any(|overlay| overlay.quantity == quantity);
    assert!(without(Quantity::StreamRms, 0).is_empty());
    for start in [Quantity::GradStream, Quantity::GradCosine] {
        let list = without(start, 3);
        let mean_field: Vec<Overlay> = list.into_iter().filter(|overlay| overlay.name == "mean field").collect();
        assert!(over(&mean_field, Quantity::StreamRms), "{start:?}");
        assert!(!over(&mean_field, Quantity::GradStream) && !over(&mean_field, Quantity::NetFactor), "{start:?}");
    }
    // That of the recursion starts from the gradient at the stream.
    let weight = Quantity::GradWeight(Tensor::W2);
    let left: Vec<Overlay> = without(weight, 2).into_iter().filter(|overlay| overlay.quantity == weight).collect();
    assert!(left.len() == 1 && left[0].name == "mean field", "{left:?}");
    let curve = find(&overlays(run), "mean field", Quantity::TokenCosine);
    let measured = run.values(Quantity::TokenCosine)[2];
    assert_eq!(deviation(&curve, run, 2), Some(measured - curve.values[2]));
    assert_eq!(deviation(&curve, run, 4), None);
}
