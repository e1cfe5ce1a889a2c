//! The norms of weight gradients where they are taken from products of rows, against float64: over the range of float32,
//! where the gradient cancels, and where it is no number.

#![allow(clippy::print_stdout, reason = "how close they come, for those who ask with --nocapture")]

mod common;

use std::cell::RefCell;

use common::config;
use normscope::cpu::{Buffer, CpuPass, execute};
use normscope::model::{Config, Tensor};
use normscope::plan::{Extent, Limits, Operation, Plan, Step, Tuning, WeightGradientGram, build};
use normscope::reference;
use normscope::stats::{Measurement, Pass, Quantity};

/// Two matrices with the same input, in an odd number of tiles of which the last is not full.
const QUERY: &str = "placement=pre&depth=10&width=128&heads=4&tokens=13&batch=3&act=swiglu";

/// An input and the gradients of its products, row by row.
struct Case {
    name: String,
    x: Vec<f32>,
    g: Vec<f32>,
    way: Way,
}

/// How the norm is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Gram,
    Direct,
    Either,
}

/// Normal-like numbers, the same in every run.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..4 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        }
        sum * 3f64.sqrt()
    }

    /// Rows of a length, each times its factor.
    fn rows(&mut self, rows: usize, columns: usize, factor: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..rows * columns).map(|i| self.next() * factor(i / columns)).collect()
    }
}

fn f32s(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| *value as f32).collect()
}

/// A step of the plan that makes products of rows, and its arguments.
fn gram_step(plan: &Plan) -> (usize, WeightGradientGram) {
    let gram = |(index, step): (usize, &Step)| match step.operation {
        Operation::WeightGradientGram(arguments) if arguments.groups == 2 => Some((index, arguments)),
        _ => None,
    };
    plan.steps.iter().enumerate().find_map(gram).expect("it is cheaper here")
}

fn cases(rows: usize, fan_in: usize, columns: usize) -> Vec<Vec<Case>> {
    let mut draws = Draws(1);
    let mut list = Vec::new();
    let mut add = |name: String, x: &[f64], g: &[f64], way: Way| list.push(Case { name, x: f32s(x), g: f32s(g), way });
    for exponent in -10..=2 {
        let (x, g) = (draws.rows(rows, fan_in, |_| 1.0), draws.rows(rows, columns, |_| 10f64.powi(exponent)));
        add(format!("gradients of 1e{exponent}"), &x, &g, Way::Gram);
    }
    // Past what products of four bear it is the gradient that is made.
    for (exponent, way) in [
        (-30, Way::Direct),
        (-24, Way::Direct),
        (-20, Way::Either),
        (-18, Way::Gram),
        (8, Way::Gram),
        (12, Way::Direct),
        (20, Way::Direct),
        (30, Way::Direct),
    ] {
        let (x, g) = (draws.rows(rows, fan_in, |_| 1.0), draws.rows(rows, columns, |_| 10f64.powi(exponent)));
        add(format!("gradients of 1e{exponent}"), &x, &g, way);
        let x = draws.rows(rows, fan_in, |_| 10f64.powi(-exponent));
        add(format!("gradients of 1e{exponent} from inputs of 1e{}", -exponent), &x, &g, Way::Either);
    }
    let spread = |row: usize| 10f64.powi((row * 7 % 13) as i32 - 10);
    let (x, g) = (draws.rows(rows, fan_in, |_| 1.0), draws.rows(rows, columns, spread));
    add("gradients of 1e-10 to 1e2 by row".into(), &x, &g, Way::Gram);
    let x = draws.rows(rows, fan_in, |row| 1.0 / spread(row));
    add("inputs that make up for it".into(), &x, &g, Way::Gram);
    // Rows of cosine 1 - distance^2, and gradients that leave a share of their sum.
    for (distance, left, way) in
        [(1e-3, 0.0, Way::Direct), (1e-4, 1e-3, Way::Direct), (3e-2, 0.0, Way::Gram), (1e-3, 0.2, Way::Gram)]
    {
        let common = draws.rows(1, fan_in, |_| 1.0);
        let mut x = draws.rows(rows, fan_in, |_| distance);
        x.iter_mut().enumerate().for_each(|(i, x)| *x += common[i % fan_in]);
        let mut g = draws.rows(rows, columns, |_| 1e-6);
        for column in 0..columns {
            let mean = (0..rows).map(|row| g[row * columns + column]).sum::<f64>() / rows as f64;
            (0..rows).for_each(|row| g[row * columns + column] -= (1.0 - left) * mean);
        }
        add(format!("tokens {distance:e} apart, {left} of the gradients' sum"), &x, &g, way);
    }
    let (x, g) = (draws.rows(rows, fan_in, |_| 1.0), draws.rows(rows, columns, |_| 1e-3));
    add("no gradient".into(), &x, &vec![0.0; g.len()], Way::Direct);
    add("no input".into(), &vec![0.0; x.len()], &g, Way::Direct);
    let with = |values: &[f64], value: f64| [&[value], &values[1..]].concat();
    add("an input that is no number".into(), &with(&x, f64::NAN), &g, Way::Direct);
    // In the first matrix alone.
    add("a gradient that is infinite".into(), &x, &with(&g, f64::INFINITY), Way::Either);
    let mut stretches = Vec::new();
    while !list.is_empty() {
        stretches.push(list.drain(..list.len().min(10)).collect());
    }
    stretches
}

/// The norm of `X^T G` for the columns of one matrix, and `(Σ |x_i|² |g_i|²)^½`; not finite where an entry is not.
fn truth(case: &Case, rows: usize, columns: std::ops::Range<usize>) -> (f64, f64) {
    let (fan_in, stride) = (case.x.len() / rows, case.g.len() / rows);
    let mut gradient = vec![0f64; fan_in * columns.len()];
    let mut terms = 0.0;
    for (x, g) in case.x.chunks_exact(fan_in).zip(case.g.chunks_exact(stride)) {
        let g: Vec<f64> = g[columns.clone()].iter().map(|g| f64::from(*g)).collect();
        for (x, gradient) in x.iter().zip(gradient.chunks_exact_mut(g.len())) {
            gradient.iter_mut().zip(&g).for_each(|(sum, g)| *sum += f64::from(*x) * g);
        }
        let squares = |row: &mut dyn Iterator<Item = f64>| row.map(|value| value * value).sum::<f64>();
        terms += squares(&mut x.iter().map(|x| f64::from(*x))) * squares(&mut g.into_iter());
    }
    (gradient.iter().map(|sum| sum * sum).sum::<f64>().sqrt(), terms.sqrt())
}

/// What a square sum of partial ones says: its root, its largest value, and how many of them are not zero.
fn root(partials: &[u32]) -> (f64, f64, usize) {
    let float = |word: u32| f64::from(f32::from_bits(word));
    let of = |sum: &[u32]| float(sum[0]) * 2f64.powi(-180) + float(sum[1]) + float(sum[2]) * 2f64.powi(200);
    let largest = partials.chunks_exact(4).map(|sum| sum[3]).max().expect("there are some");
    let made = partials.chunks_exact(4).filter(|sum| **sum != [0; 4]).count();
    (partials.chunks_exact(4).map(of).sum::<f64>().sqrt(), float(largest), made)
}

/// What is wrong with the norm of one case.
fn judge(case: &Case, (norm, terms): (f64, f64), partials: &[u32]) -> Option<String> {
    let (got, largest, made) = root(partials);
    let way = if made == 1 { Way::Gram } else { Way::Direct };
    // Where squares are added up rounding goes with the terms, else it is lost among the gradient's entries.
    let error = if way == Way::Gram { 2.4e-7 * (terms / norm).powi(2) } else { 2e-6 };
    let right = if terms.is_finite() {
        got == norm || norm > 0.0 && (got / norm - 1.0).abs() <= error
    } else {
        !largest.is_finite()
    };
    let as_wanted = case.way == Way::Either || way == case.way || norm == 0.0 && made == 0;
    // What the error of a sum over pairs is judged by.
    let known = way == Way::Direct || (largest / terms - 1.0).abs() < 1e-5;
    let distance = got / norm - 1.0;
    println!("{}: {way:?}, off by {distance:.1e} of {error:.1e}, terms {:.1e}", case.name, terms / norm);
    (!right || !as_wanted || !known).then(|| format!("{}: {got:e} is {norm:e}, {way:?}", case.name))
}

/// Runs the two steps that make the norms of all cases, each an instance; `run` takes a step of the plan and the words of
/// all buffers, and changes those that the step does.
fn check(tuning: Tuning, mut run: impl FnMut(&Plan, usize, &mut [Vec<u32>])) {
    let limits = Limits { tuning, ..Limits::default() };
    let plan = build(&config(QUERY), &limits, &[], Extent::Curves).expect("this fits");
    let (step, p) = gram_step(&plan);
    let Operation::WeightGradientNorm(norm) = plan.steps[step + 1].operation else { panic!("the norm follows") };
    let [x_view, g_view, _, partials_view] = plan.steps[step + 1].views[..] else { panic!("it binds four") };
    let rows = p.rows as usize;
    let (fan_in, columns, group) = (4 * p.x_stride as usize, 4 * p.g_stride as usize, 4 * p.group_columns as usize);
    let mut failures = Vec::new();
    for cases in cases(rows, fan_in, columns) {
        let mut words: Vec<Vec<u32>> = plan.buffers.iter().map(|spec| vec![0; 4 * spec.vec4s as usize]).collect();
        for (instance, case) in cases.iter().enumerate() {
            for (values, view, distance) in [(&case.x, x_view, p.x_step), (&case.g, g_view, p.g_step)] {
                let at = 4 * (view.at + instance as u32 * distance) as usize;
                for (word, value) in words[view.buffer][at..].iter_mut().zip(values) {
                    *word = value.to_bits();
                }
            }
        }
        // The partial sums of other blocks were there before.
        words[partials_view.buffer].fill(1f32.to_bits());
        for step in [step, step + 1] {
            run(&plan, step, &mut words);
        }
        let of_matrix = 4 * (norm.tiles_x * norm.tiles_y) as usize;
        let partials = words[partials_view.buffer][4 * partials_view.at as usize..].chunks_exact(of_matrix);
        for (place, partials) in partials.enumerate().take(2 * cases.len()) {
            let matrix = place % 2;
            let truth = truth(&cases[place / 2], rows, group * matrix..group * (matrix + 1));
            failures.extend(judge(&cases[place / 2], truth, partials));
        }
    }
    assert!(failures.is_empty(), "{tuning:?}:\n{}", failures.join("\n"));
}

/// Runs of such a width against the float64 engine, to what float32 resolves: also where tokens become alike.
fn check_runs(measure: impl Fn(&Config) -> Measurement) {
    for query in ["placement=post&depth=24", "placement=pre&depth=6&act=swiglu", "placement=keel&depth=6&cross=1"] {
        let config = config(&format!("{query}&width=128&tokens=16"));
        let (got, want) = (measure(&config), reference::measure(&config));
        for tensor in [Tensor::Wv, Tensor::Wo, Tensor::Co, Tensor::W1, Tensor::Wg, Tensor::W2] {
            let quantity = Quantity::GradWeight(tensor);
            let Some(series) = got.series(quantity) else { continue };
            for (block, (value, want)) in series.values.iter().zip(want.values(quantity)).enumerate() {
                let error = (value / want - 1.0).abs();
                println!("{query}, {}[{block}]: off by {error:.1e}", quantity.name());
                assert!(error <= 5e-6, "{query}, {}[{block}]: {value:e}, {want:e}", quantity.name());
                assert_eq!(got.mark(quantity, block), None, "{query}, {}[{block}]", quantity.name());
            }
        }
    }
}

#[test]
fn runs_on_the_cpu_agree_with_float64() {
    check_runs(|config| CpuPass::new(config).expect("this fits").finish());
}

#[cfg(feature = "gpu")]
#[test]
fn runs_on_the_gpu_agree_with_float64() {
    let Some(gpu) = common::gpu::open() else { return };
    check_runs(|config| pollster::block_on(gpu.measure(config, || false)).expect("the GPU runs").measurement);
}

#[test]
fn norms_on_the_cpu_are_those_in_float64() {
    for &tuning in Tuning::ALL {
        check(tuning, |plan, step, words| {
            let buffer = |(spec, words): (_, &Vec<u32>)| RefCell::new(Buffer::from_words(spec, words));
            let buffers: Vec<_> = plan.buffers.iter().zip(&*words).map(buffer).collect();
            execute(&plan.steps[step], &buffers);
            for (words, buffer) in words.iter_mut().zip(buffers) {
                *words = buffer.into_inner().words();
            }
        });
    }
}

#[cfg(feature = "gpu")]
#[test]
fn norms_on_the_gpu_are_those_in_float64() {
    for &tuning in Tuning::ALL {
        let Some(gpu) = common::gpu::open_with_tuning(tuning) else { return };
        check(tuning, |plan, step, words| {
            let after =
                pollster::block_on(gpu.replay(plan, step, |buffer| words[buffer].clone())).expect("the GPU runs");
            for (view, after) in plan.steps[step].views.iter().zip(after) {
                words[view.buffer] = after;
            }
        });
    }
}
