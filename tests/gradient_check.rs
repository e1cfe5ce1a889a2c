//! Every derivative of the float64 engine against central differences of its loss.

#![allow(clippy::print_stdout, reason = "how close it comes, for those who ask with --nocapture")]

mod common;

use std::collections::HashMap;

use common::config;
use ndarray::Array2;
use normscope::model::random::Stream;
use normscope::model::{Placement, Tensor};
use normscope::reference::{Parameter, Parameters, gradients, loss, measure};
use normscope::stats::Quantity;

const SIZE: &str = "depth=3&width=16&heads=2&tokens=5&batch=2&ffn=2&vocab=7&seed=3";

/// Between them every norm, activation, mask, norm on queries and keys, init, residual scale and kind of sublayer.
const VARIANTS: &[&str] = &[
    "init=xavier",
    "causal=1&norm=rmsnorm&act=gelu&qk_norm=head&init=he",
    "act=swiglu&qk_norm=full&final_norm=on&init=xavier-uniform&residual_scale=gpt2",
    "output_projection=0&final_norm=off&norm=rmsnorm&init=lecun",
    "attention=uniform&act=gelu&causal=1&init=small",
    "act=swiglu&qk_norm=head&norm=rmsnorm&residual_scale=zero&init=normal-0.02",
    "cross=1&memory_cos=0.6&final_norm=on",
    "cross=1&memory_cos=0&causal=1&qk_norm=head&norm=rmsnorm&act=gelu&output_projection=0",
];

/// The derivative of the loss along a direction.
fn slope(parameters: &Parameters, parameter: Parameter, direction: &Array2<f64>) -> f64 {
    let at = |step: f64| {
        let mut moved = parameters.clone();
        let values = moved.get(parameter).expect("a parameter of this model");
        moved.replace(parameter, values + direction * step);
        loss(&moved)
    };
    let step = 1e-5 / direction.iter().map(|d| d * d).sum::<f64>().sqrt();
    // Richardson: the error is of fourth order in the step.
    let (near, far) = ((at(step) - at(-step)) / (2.0 * step), (at(2.0 * step) - at(-2.0 * step)) / (4.0 * step));
    (4.0 * near - far) / 3.0
}

/// Directions that between them see every entry, and some that see one.
fn directions(gradient: &Array2<f64>, number: u32) -> Vec<Array2<f64>> {
    let shape = gradient.dim();
    let normals = Stream { tensor: 1000, layer: number, seed: 0 }.normals(shape.0 * shape.1);
    let all = Array2::from_shape_vec(shape, normals).expect("as many values as the shape holds");
    let one = |index| {
        let mut direction = Array2::zeros(shape);
        direction[index] = 1.0;
        direction
    };
    let size = |index: &(usize, usize)| gradient[*index].abs();
    let largest = ndarray::indices(shape).into_iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let last = (shape.0 - 1, shape.1 - 1);
    vec![all, one(largest.expect("an entry")), one((0, 0)), one(last), one((shape.0 / 2, shape.1 / 3))]
}

fn check(query: &str) -> (usize, f64) {
    let mut parameters = Parameters::new(&config(query));
    // What a placement takes from another run is a constant in every derivative.
    parameters.hold_profile();
    let gradients: HashMap<Parameter, Array2<f64>> = gradients(&parameters);
    assert_eq!(gradients.len(), parameters.all().len(), "{query}: a gradient for each parameter");
    let (mut checks, mut worst) = (0, 0.0_f64);
    for (number, parameter) in parameters.all().into_iter().enumerate() {
        let gradient = &gradients[&parameter];
        let size = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        for direction in directions(gradient, number as u32) {
            let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
            let expected = (gradient * &direction).sum();
            let error = (slope(&parameters, parameter, &direction) - expected).abs() / length;
            let allowed = 1e-9 + 1e-6 * size;
            assert!(
                error <= allowed,
                "{query}: {parameter:?} is off by {error:.1e}, allowed {allowed:.1e}, gradient {size:.1e}"
            );
            (checks, worst) = (checks + 1, worst.max(error / allowed));
        }
    }
    (checks, worst)
}

#[test]
fn every_derivative_is_a_slope() {
    for placement in Placement::ALL {
        for variant in VARIANTS {
            let query = format!("placement={}&{SIZE}&{variant}", placement.key());
            let (checks, worst) = check(&query);
            println!("{query}: {checks} slopes, worst {worst:.1e} of the allowed error");
        }
    }
}

/// The measured norms are those of the checked gradients.
#[test]
fn measured_norms_are_those_of_the_gradients() {
    for placement in Placement::ALL {
        let config = config(&format!("placement={}&{SIZE}&act=swiglu&cross=1&memory_cos=0.3", placement.key()));
        let (gradients, measured) = (gradients(&Parameters::new(&config)), measure(&config));
        let same = |parameter, quantity, index: usize| {
            let size = gradients[&parameter].iter().map(|g| g * g).sum::<f64>().sqrt();
            let value = measured.values(quantity)[index];
            assert!((value - size).abs() <= 1e-13 * size, "{placement:?} {quantity:?}[{index}]: {value} {size}");
        };
        use Tensor::{Ck, Co, Cq, Cv, W1, W2, Wg, Wk, Wo, Wq, Wv};
        for block in 0..3 {
            for tensor in [Wq, Wk, Wv, Wo, Cq, Ck, Cv, Co, W1, Wg, W2] {
                same(Parameter::Layer { tensor, block }, Quantity::GradWeight(tensor), block);
            }
        }
        same(Parameter::Unembedding, Quantity::GradUnembed, 0);
        // With a norm on the embedding, state 0 is behind that norm and the input before it.
        if !placement.recipe().embedding_norm {
            same(Parameter::Input, Quantity::GradStream, 0);
        }
        let loss = loss(&Parameters::new(&config));
        assert_eq!(measured.values(Quantity::Loss), [loss], "{placement:?}");
    }
}
