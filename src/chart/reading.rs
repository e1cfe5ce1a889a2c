//! A measurement in one sentence, computed from its values.

use crate::stats::{Mark, Measurement, Quantity};

use super::curve::{Curve, Loss, precision, symbol};
use super::gaps::blocks;
use crate::text::number;

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

/// A sentence in the making.
#[derive(Default)]
struct Sentence(Vec<Span>);

impl Sentence {
    fn words(&mut self, text: &str) -> &mut Self {
        if let Some(Span::Words(last)) = self.0.last_mut() {
            last.push_str(text);
        } else {
            self.0.push(Span::Words(text.into()));
        }
        self
    }

    fn number(&mut self, value: f64) -> &mut Self {
        self.strong(number::value(value))
    }

    fn strong(&mut self, text: String) -> &mut Self {
        self.0.push(Span::Number(text));
        self
    }
}

/// Reads the stream and one gradient of a run.
#[must_use]
pub fn reading(measurement: &Measurement, gradient: Quantity) -> Reading {
    let mut sentence = Sentence::default();
    let growth = stream(&mut sentence, measurement);
    let is_unresolved = gradients(&mut sentence, measurement, gradient, growth);
    Reading { spans: sentence.0, is_unresolved }
}

/// What the stream does; the factor by which it grew, where it is known.
fn stream(out: &mut Sentence, measurement: &Measurement) -> Option<f64> {
    let quantity = Quantity::StreamRms;
    let values = measurement.values(quantity);
    let believed = |index: &usize| matches!(measurement.mark(quantity, *index), None | Some(Mark::Zero));
    let end = (0..values.len()).find(|index| !believed(index)).unwrap_or(values.len());
    let range = precision(measurement.engine);
    let Some(last) = end.checked_sub(1) else {
        out.words("has no number for the stream in ").words(range);
        return None;
    };
    let (first, middle, top) = (values[0], values[last / 2], values[last]);
    let growth = top / first;
    let whole = end == values.len();
    if measurement.config.placement.recipe().sum_norm && (top - 1.0).abs() < 0.05 {
        out.words("resets the stream to ").number(top).words(" after every sublayer");
    } else if last >= 6 && top / middle > 3.0 {
        let factor = (top / middle).powf(1.0 / (last - last / 2) as f64);
        out.words("multiplies the stream by ").number(factor).words(" a block");
        if whole {
            out.words(", up to ").number(top);
        }
    } else if (growth - 1.0).abs() < 0.1 {
        out.words("keeps the stream at ").number(top);
    } else {
        out.words(if growth > 1.0 { "lets the stream grow to " } else { "lets the stream shrink to " }).number(top);
    }
    if whole {
        return Some(growth);
    }
    match Loss::of(measurement) {
        loss if loss.is_none_or(|loss| loss.block as usize > end) => {
            out.words("; from block ").strong(end.to_string()).words(&format!(" on, {range} does not resolve it"));
        }
        Some(loss) if loss.by_scores => {
            out.words("; from block ").strong(end.to_string());
            out.words(&format!(" on, its attention scores pass {range}’s range"));
        }
        _ => {
            out.words(" and passes ").words(range).words("’s range in block ").strong(end.to_string());
        }
    }
    None
}

/// What the gradient does; whether some of it was not resolved.
fn gradients(out: &mut Sentence, measurement: &Measurement, quantity: Quantity, growth: Option<f64>) -> bool {
    let values = measurement.values(quantity);
    let range = precision(measurement.engine);
    if values.is_empty() {
        out.words("; it has no ");
        name(out, quantity, "");
        out.words(".");
        return false;
    }
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
    out.words(if growth.is_some() { ", and " } else { "; " });
    name(out, quantity, "’s gradient");
    let last = values.len() - 1;
    let mark = |index| measurement.mark(quantity, index);
    let everywhere = |list: &[(u32, u32)]| {
        let first = quantity.first_block();
        list == [(first, first + last as u32)]
    };
    if everywhere(&lost) {
        out.words(" is not a number in any block.");
    } else if everywhere(&past) {
        out.words(&format!(" is past {range}’s range in every block."));
    } else if everywhere(&faint) && is_small {
        out.words(&format!(" is below what {range} resolves in every block."));
    } else if everywhere(&faint) {
        out.words(&format!(" is not resolved by {range} in any block."));
    } else if everywhere(&zero) {
        out.words(" is exactly ").strong("0".into()).words(" in every block.");
    } else if [&lost, &past, &faint, &zero].iter().all(|list| list.is_empty()) {
        compare(out, quantity, values[0], values[last], last, growth);
    } else {
        let (at_first, at_last) = places(quantity);
        let known: Vec<_> =
            [(0, at_first), (last, at_last)].into_iter().filter(|(index, _)| mark(*index).is_none()).collect();
        out.words(" is ");
        for (index, place) in known {
            out.number(values[index]).words(" ").words(place).words(", ");
        }
        let mut parts = Vec::new();
        if !faint.is_empty() {
            let how =
                if is_small { format!("below what {range} resolves") } else { format!("not resolved by {range}") };
            parts.push(format!("{how} in {}", blocks(&faint)));
        }
        if !past.is_empty() {
            parts.push(format!("past {range}’s range in {}", blocks(&past)));
        }
        if !lost.is_empty() {
            parts.push(format!("not a number in {}", blocks(&lost)));
        }
        if !zero.is_empty() {
            parts.push(format!("exactly 0 in {}", blocks(&zero)));
        }
        out.words(&parts.join(", ")).words(".");
    }
    !faint.is_empty()
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

/// The weight with what is said of it; or the gradient of the stream.
fn name(out: &mut Sentence, quantity: Quantity, of_weight: &str) {
    if let Quantity::GradWeight(tensor) = quantity {
        let (letter, below) = symbol(tensor);
        out.0.push(Span::Symbol(letter, below));
        out.words(of_weight);
    } else {
        out.words("the stream’s gradient");
    }
}

const fn places(quantity: Quantity) -> (&'static str, &'static str) {
    match quantity {
        Quantity::GradWeight(_) => ("in the first block", "in the last"),
        _ => ("before the first block", "after the last"),
    }
}

/// The gradient at both ends, all of it known.
fn compare(out: &mut Sentence, quantity: Quantity, first: f64, last: f64, length: usize, growth: Option<f64>) {
    if length == 0 {
        out.words(" is ").number(first).words(".");
        return;
    }
    let (at_first, at_last) = places(quantity);
    let times = first / last;
    let as_much = growth.is_some_and(|growth| growth > 1.5 && (times / growth).ln().abs() < 0.25);
    out.words(match times {
        t if t > 2.0 && as_much => " shrinks by as much: ",
        t if t > 2.0 => " shrinks: ",
        t if t < 0.5 => " grows with the block: ",
        _ => " keeps its size: ",
    });
    out.number(first).words(" ").words(at_first).words(", ").number(last).words(" ").words(at_last);
    if times > 2.0 {
        out.words(&format!(", {} times less", number::ratio(times)));
    } else if times < 0.5 {
        out.words(&format!(", {} times more", number::ratio(1.0 / times)));
    }
    out.words(".");
}

#[cfg(test)]
mod tests {
    use super::reading;
    use crate::model::{Config, Placement, Tensor};
    use crate::stats::{Engine, Measurement, Quantity, Series};

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
}
