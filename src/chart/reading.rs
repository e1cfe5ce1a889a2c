//! A measurement in one sentence, computed from its values.

use crate::stats::{Mark, Measurement, Quantity};

use super::curve::{Curve, Loss, precision, symbol};
use super::gaps::blocks;
use crate::text::{Piece, chart as says, number};

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Plain words.
    Words(String),
    /// A measured number, set strong.
    Number(String),
    /// A symbol and what stands below it.
    Symbol(&'static str, &'static str),
}

/// One placement's sentence, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The words.
    pub spans: Vec<Span>,
    /// Whether the arithmetic could not resolve some of the gradients that are read.
    pub is_unresolved: bool,
}

impl Reading {
    /// The sentence as plain text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for span in &self.spans {
            match span {
                Span::Words(text) | Span::Number(text) => out += text,
                Span::Symbol(letter, below) => {
                    out += letter;
                    out += below;
                }
            }
        }
        out
    }
}

/// Words with numbers and symbols among them.
#[derive(Clone)]
struct Clause(Vec<Span>);

impl FromIterator<Piece<Self>> for Clause {
    fn from_iter<I: IntoIterator<Item = Piece<Self>>>(pieces: I) -> Self {
        let spans = pieces.into_iter().flat_map(|piece| match piece {
            Piece::Words(words) => vec![Span::Words(words)],
            Piece::Value(Self(spans)) => spans,
        });
        let mut all = Vec::new();
        for span in spans {
            if let (Some(Span::Words(last)), Span::Words(words)) = (all.last_mut(), &span) {
                last.push_str(words);
            } else {
                all.push(span);
            }
        }
        Self(all)
    }
}

fn words(text: impl Into<String>) -> Clause {
    Clause(vec![Span::Words(text.into())])
}

fn strong(number: String) -> Clause {
    Clause(vec![Span::Number(number)])
}

fn measured(value: f64) -> Clause {
    strong(number::value(value))
}

/// Reads the stream and one gradient of a run.
#[must_use]
pub fn reading(measurement: &Measurement, quantity: Quantity) -> Reading {
    let (stream, growth) = stream(measurement);
    if measurement.values(quantity).is_empty() {
        let what = matrix(quantity).unwrap_or_else(|| words(says::gradient_of_stream()));
        return Reading { spans: says::then_lacks(stream, what).0, is_unresolved: false };
    }
    let (gradient, is_unresolved) = gradient(measurement, quantity, growth);
    let both = if growth.is_some() { says::and_gradient } else { says::then_gradient };
    Reading { spans: both(stream, gradient).0, is_unresolved }
}

/// What the stream does; the factor by which it grew, where it is known.
fn stream(measurement: &Measurement) -> (Clause, Option<f64>) {
    let quantity = Quantity::StreamRms;
    let values = measurement.values(quantity);
    let believed = |index: &usize| matches!(measurement.mark(quantity, *index), None | Some(Mark::Zero));
    let end = (0..values.len()).find(|index| !believed(index)).unwrap_or(values.len());
    let precision = words(precision(measurement.engine));
    let Some(last) = end.checked_sub(1) else { return (says::no_stream(precision), None) };
    let (first, middle, top) = (values[0], values[last / 2], values[last]);
    let growth = top / first;
    let whole = end == values.len();
    let does = if measurement.config.placement.recipe().sum_norm && (top - 1.0).abs() < 0.05 {
        says::resets(measured(top))
    } else if last >= 6 && top / middle > 3.0 {
        let factor = measured((top / middle).powf(1.0 / (last - last / 2) as f64));
        if whole { says::multiplies_up_to(factor, measured(top)) } else { says::multiplies(factor) }
    } else if (growth - 1.0).abs() < 0.1 {
        says::keeps(measured(top))
    } else if growth > 1.0 {
        says::grows_to(measured(top))
    } else {
        says::shrinks_to(measured(top))
    };
    if whole {
        return (does, Some(growth));
    }
    let then = match Loss::of(measurement) {
        loss if loss.is_none_or(|loss| loss.block as usize > end) => says::then_not_resolved,
        Some(loss) if loss.by_scores => says::then_scores_pass,
        _ => says::then_passes,
    };
    (then(does, strong(end.to_string()), precision), None)
}

/// What the gradient does; whether some of it was not resolved.
fn gradient(measurement: &Measurement, quantity: Quantity, growth: Option<f64>) -> (Clause, bool) {
    let values = measurement.values(quantity);
    let precision = words(precision(measurement.engine));
    let spans = |wanted: &[Mark]| spans(measurement, quantity, values.len(), wanted);
    let past = spans(&[Mark::Overflow]);
    let lost = spans(&[Mark::NotANumber]);
    let faint = spans(&[Mark::Unresolved, Mark::Underflow]);
    let zero = spans(&[Mark::Zero]);

    let is_small = Curve::of(measurement, quantity).is_some_and(|curve| {
        let mut unresolved = (0..values.len())
            .filter(|index| matches!(measurement.mark(quantity, *index), Some(Mark::Unresolved | Mark::Underflow)));
        unresolved.all(|index| curve.is_faint(values[index]))
    });
    let subject = matrix(quantity).map_or_else(|| words(says::gradient_of_stream()), says::gradient_of);
    let last = values.len() - 1;
    let everywhere = |list: &[(u32, u32)]| {
        let first = quantity.first_block();
        list == [(first, first + last as u32)]
    };
    let in_blocks = |list: &[(u32, u32)]| (!list.is_empty()).then(|| words(blocks(list)));
    let unresolved = if is_small { says::part_faint } else { says::part_uncertain };
    let marked = [
        in_blocks(&faint).map(|list| unresolved(precision.clone(), list)),
        in_blocks(&past).map(|list| says::part_past(precision.clone(), list)),
        in_blocks(&lost).map(says::part_lost),
        in_blocks(&zero).map(says::part_zero),
    ];
    let said = if everywhere(&lost) {
        says::gradient_lost(subject)
    } else if everywhere(&past) {
        says::gradient_past(subject, precision)
    } else if everywhere(&faint) && is_small {
        says::gradient_faint(subject, precision)
    } else if everywhere(&faint) {
        says::gradient_uncertain(subject, precision)
    } else if everywhere(&zero) {
        says::gradient_zero(subject, strong("0".into()))
    } else if let Some(marked) = marked.into_iter().flatten().reduce(says::listed) {
        let known = |index: usize| measurement.mark(quantity, index).is_none().then(|| values[index]);
        let list = match ends(quantity, known(0), known(last)) {
            Some(ends) => says::listed(ends, marked),
            None => marked,
        };
        says::gradient_is(subject, list)
    } else {
        compare(subject, quantity, values, growth)
    };
    (said, !faint.is_empty())
}

/// Runs of blocks with one of these marks.
fn spans(measurement: &Measurement, quantity: Quantity, count: usize, wanted: &[Mark]) -> Vec<(u32, u32)> {
    let first = quantity.first_block();
    let mut list: Vec<(u32, u32)> = Vec::new();
    for index in 0..count {
        if measurement.mark(quantity, index).is_some_and(|mark| wanted.contains(&mark)) {
            let block = first + index as u32;
            match list.last_mut() {
                Some((_, to)) if *to + 1 == block => *to = block,
                _ => list.push((block, block)),
            }
        }
    }
    list
}

/// The symbol of the weight, where the gradient is of one.
fn matrix(quantity: Quantity) -> Option<Clause> {
    let Quantity::GradWeight(tensor) = quantity else { return None };
    let (letter, below) = symbol(tensor);
    Some(Clause(vec![Span::Symbol(letter, below)]))
}

/// The gradient at both ends, as far as it is known.
fn ends(quantity: Quantity, first: Option<f64>, last: Option<f64>) -> Option<Clause> {
    let is_of_weight = matches!(quantity, Quantity::GradWeight(_));
    Some(match (first.map(measured), last.map(measured)) {
        (Some(first), Some(last)) if is_of_weight => says::weight_ends(first, last),
        (Some(first), None) if is_of_weight => says::weight_first(first),
        (None, Some(last)) if is_of_weight => says::weight_last(last),
        (Some(first), Some(last)) => says::stream_ends(first, last),
        (Some(first), None) => says::stream_first(first),
        (None, Some(last)) => says::stream_last(last),
        (None, None) => return None,
    })
}

/// The gradient at both ends, all of it known.
fn compare(subject: Clause, quantity: Quantity, values: &[f64], growth: Option<f64>) -> Clause {
    let (first, last) = (values[0], values[values.len() - 1]);
    let ends = ends(quantity, Some(first), Some(last)).filter(|_| values.len() > 1);
    let Some(ends) = ends else { return says::gradient_is(subject, measured(first)) };
    let times = first / last;
    let as_much = growth.is_some_and(|growth| growth > 1.5 && (times / growth).ln().abs() < 0.25);
    match times {
        t if t > 2.0 && as_much => says::shrinks_as_much(subject, ends, words(number::ratio(t))),
        t if t > 2.0 => says::shrinks(subject, ends, words(number::ratio(t))),
        t if t < 0.5 => says::grows(subject, ends, words(number::ratio(1.0 / t))),
        _ => says::keeps_size(subject, ends),
    }
}

#[cfg(test)]
mod tests {
    use super::{Span, reading};
    use crate::model::{Config, Placement, Tensor};
    use crate::stats::{Engine, Measurement, Quantity, Series};
    use crate::text::in_german;

    const W2: Quantity = Quantity::GradWeight(Tensor::W2);

    fn measurement(placement: Placement, stream: Vec<f64>, gradient: Vec<f64>) -> Measurement {
        Measurement {
            config: Config { placement, depth: gradient.len() as u32, ..Config::default() },
            engine: Engine::Gpu,
            series: vec![Series::exact(Quantity::StreamRms, stream), Series::exact(W2, gradient)],
        }
    }

    #[test]
    fn the_two_of_the_first_view() {
        let post = measurement(Placement::Post, vec![1.0; 97], [vec![0.7], vec![1.1; 95]].concat());
        assert_eq!(
            reading(&post, W2).text(),
            "resets the stream to 1.00 after every sublayer, and W2’s gradient keeps its size: 0.70 in the first block, \
             1.10 in the last."
        );
        let stream = (0..=96).map(|l| (1.0 + 1.13 * f64::from(l)).sqrt()).collect();
        let gradient = (0..96).map(|l| 1.23 / (1.0 + 1.15 * f64::from(l)).sqrt()).collect();
        assert_eq!(
            reading(&measurement(Placement::Pre, stream, gradient), W2).text(),
            "lets the stream grow to 10.5, and W2’s gradient shrinks by as much: 1.23 in the first block, 0.12 in the \
             last, 10.5 times less."
        );
    }

    #[test]
    fn leaving_the_arithmetic() {
        let stream: Vec<f64> = (0..=200)
            .map(|l| {
                let value = 1.61_f64.powi(l);
                if value < 3e38 { value } else { f64::INFINITY }
            })
            .collect();
        let none = measurement(Placement::None, stream, vec![f64::NAN; 200]);
        assert_eq!(
            reading(&none, W2).text(),
            "multiplies the stream by 1.61 a block and passes float32’s range in block 187; W2’s gradient is not a \
             number in any block."
        );
    }

    #[test]
    fn past_the_range_is_not_the_same_as_no_number() {
        let mut gradient = vec![f64::NAN; 57];
        gradient.extend([f64::INFINITY, 2e38, 1e38]);
        let none = measurement(Placement::None, vec![1.0; 61], gradient);
        assert!(reading(&none, W2).text().ends_with(
            "W2’s gradient is 1.0\u{2009}×\u{2009}10³⁸ in the last, past float32’s range in block 58, not a number in \
             blocks 1 to 57."
        ));
        let over = measurement(Placement::None, vec![1.0; 7], vec![f64::INFINITY; 6]);
        assert!(reading(&over, W2).text().ends_with("W2’s gradient is past float32’s range in every block."));
    }

    #[test]
    fn a_matrix_the_model_lacks() {
        let pre = measurement(Placement::Pre, vec![1.0; 7], vec![1.0; 6]);
        let text = reading(&pre, Quantity::GradWeight(Tensor::Wg)).text();
        assert_eq!(text, "keeps the stream at 1.00; it has no Wg.");
    }

    #[test]
    fn what_is_not_resolved() {
        let mut post = measurement(Placement::Post, vec![1.0; 201], vec![0.1; 200]);
        post.series[1].relative_error = (0..200).map(|l| if l < 28 { 0.0 } else { 1.0 }).collect();
        post.series[1].values[28..].fill(1e-9);
        let reading = reading(&post, W2);
        assert!(reading.is_unresolved);
        assert_eq!(
            reading.text(),
            "resets the stream to 1.00 after every sublayer, and W2’s gradient is 0.10 in the first block, below what \
             float32 resolves in blocks 29 to 200."
        );
    }
    #[test]
    fn numbers_and_symbols_stand_where_the_language_has_them() {
        let post = measurement(Placement::Post, vec![1.0; 97], [vec![0.7], vec![1.1; 95]].concat());
        let read = in_german(|| reading(&post, W2));
        let of = |words: &str| Span::Words(words.into());
        let number = |text: &str| Span::Number(text.into());
        assert_eq!(
            read.spans,
            [
                of("setzt den Strom nach jeder Teilschicht auf "),
                number("1,00"),
                of(" zurück, und der Gradient von "),
                Span::Symbol("W", "2"),
                of(" behält seine Größe: "),
                number("0,70"),
                of(" im ersten Block, "),
                number("1,10"),
                of(" im letzten."),
            ]
        );
    }
}
