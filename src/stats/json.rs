//! The output of a run as JSON and CSV.

use std::fmt::Write as _;

use crate::model::Config;

use super::{Mark, Measurement, Quantity};

/// A number as JSON, in the fewest digits that it is read back from; NaN and the infinities, which JSON lacks, as the
/// strings `"NaN"`, `"inf"`, `"-inf"`.
fn number(value: f64) -> String {
    let word = spelled(value);
    if value.is_finite() { word } else { format!("\"{word}\"") }
}

/// A number in the fewest digits that it is read back from.
fn spelled(value: f64) -> String {
    // That of Debug has an exponent where digits would be many.
    format!("{value:?}")
}

/// The members of an object or list, with commas between.
struct Members<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl Members<'_> {
    fn of(out: &mut String) -> Members<'_> {
        Members { out, is_first: true }
    }

    /// Begins a member of an object; what is written then is its value.
    fn named(&mut self, name: &str) -> &mut String {
        self.next();
        *self.out += &format!("\"{name}\":");
        self.out
    }

    /// Begins a member of a list.
    fn next(&mut self) -> &mut String {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        self.out
    }
}

fn write_list(out: &mut String, items: impl Iterator<Item = String>) {
    out.push('[');
    let mut members = Members::of(out);
    items.for_each(|item| *members.next() += &item);
    out.push(']');
}

/// One object: `config`, then each quantity of model and measurement, `engine`, and `marks`: for each quantity with
/// values not to be taken at their word, the indices under the name of each [`Mark`]. The page carries this rather than
/// the writer of `serde_json`, which has tables of 7 KiB for the digits of numbers.
#[must_use]
pub fn to_json(measurement: &Measurement) -> String {
    let mut out = String::from("{");
    let mut root = Members::of(&mut out);
    write_config(root.named("config"), &measurement.config);
    // Those of matrices and of optimisers are members of one object each.
    let stem_of = |quantity: Quantity| match quantity {
        Quantity::GradWeight(tensor) => Some(("grad_weight", tensor.name())),
        Quantity::ModelUpdate(update) => Some(("model_update", update.key())),
        _ => None,
    };
    for series in measurement.series.iter().filter(|series| stem_of(series.quantity).is_none()) {
        let value = root.named(series.quantity.stem());
        match (series.quantity, series.values.first()) {
            (Quantity::Loss | Quantity::GradUnembed, Some(one)) => *value += &number(*one),
            _ => write_list(value, series.values.iter().copied().map(number)),
        }
    }
    for stem in ["grad_weight", "model_update"] {
        let of_stem = |quantity: Quantity| stem_of(quantity).filter(|(of, _)| *of == stem).map(|(_, name)| name);
        if stem == "model_update" && !measurement.series.iter().any(|series| of_stem(series.quantity).is_some()) {
            continue;
        }
        let out = root.named(stem);
        out.push('{');
        let mut members = Members::of(out);
        for series in &measurement.series {
            let Some(name) = of_stem(series.quantity) else { continue };
            let value = members.named(name);
            match (series.quantity, series.values.first()) {
                (Quantity::ModelUpdate(_), Some(one)) => *value += &number(*one),
                _ => write_list(value, series.values.iter().copied().map(number)),
            }
        }
        out.push('}');
    }
    *root.named("engine") += &format!("\"{}\"", measurement.engine.key());
    write_marks(root.named("marks"), measurement);
    out.push('}');
    out
}

/// As serde writes it, which a test compares.
fn write_config(out: &mut String, config: &Config) {
    let whole = |value: u32| value.to_string();
    let word = |word: &str| format!("\"{word}\"");
    let toggle = |toggle: crate::model::Toggle| u8::from(toggle).to_string();
    let members = [
        ("placement", word(config.placement.key())),
        ("depth", whole(config.depth)),
        ("width", whole(config.width)),
        ("heads", whole(config.heads)),
        ("tokens", whole(config.tokens)),
        ("batch", whole(config.batch)),
        ("ffn", whole(config.ffn)),
        ("vocab", whole(config.vocab)),
        ("norm", word(config.norm.key())),
        ("act", word(config.act.key())),
        ("init", word(config.init.key())),
        ("residual_scale", word(config.residual_scale.key())),
        ("qk_norm", word(config.qk_norm.key())),
        ("causal", toggle(config.causal)),
        ("attention", word(config.attention.key())),
        ("output_projection", toggle(config.output_projection)),
        ("cross", toggle(config.cross)),
        ("memory_cos", number(config.memory_cos)),
        ("final_norm", word(config.final_norm.key())),
        ("seed", whole(config.seed)),
    ];
    out.push('{');
    let mut object = Members::of(out);
    for (name, value) in members {
        *object.named(name) += &value;
    }
    out.push('}');
}

fn write_marks(out: &mut String, measurement: &Measurement) {
    out.push('{');
    let mut all = Members::of(out);
    for series in &measurement.series {
        let marks: Vec<_> = (0..series.values.len()).map(|index| measurement.mark(series.quantity, index)).collect();
        if marks.iter().all(Option::is_none) {
            continue;
        }
        let out = all.named(&series.quantity.name());
        out.push('{');
        let mut of_series = Members::of(out);
        for mark in Mark::ALL.iter().filter(|mark| marks.contains(&Some(**mark))) {
            let indices = (0..marks.len()).filter(|index| marks[*index] == Some(*mark));
            write_list(of_series.named(mark.key()), indices.map(|index| index.to_string()));
        }
        out.push('}');
    }
    out.push('}');
}

/// A long table with the header `quantity,layer,value,mark`; `layer` counts from 0.
#[must_use]
pub fn to_csv(measurement: &Measurement) -> String {
    let mut text = String::from("quantity,layer,value,mark\n");
    for series in &measurement.series {
        let name = series.quantity.name();
        for (index, value) in series.values.iter().enumerate() {
            let value = spelled(*value);
            let mark = measurement.mark(series.quantity, index).map_or("", Mark::key);
            let _ = writeln!(text, "{name},{index},{value},{mark}");
        }
    }
    text
}
