//! The output of a run as JSON and CSV.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Mark, Measurement, Quantity};

/// A number as JSON; NaN and the infinities, which JSON lacks, as the strings `"NaN"`, `"inf"`, `"-inf"`.
#[must_use]
pub fn number(value: f64) -> Value {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        (if value > 0.0 { "inf" } else { "-inf" }).into()
    } else {
        value.into()
    }
}

/// One object: `config`, then each quantity of model and measurement, `engine`, and `marks`: for each quantity with
/// values not to be taken at their word, the indices under the name of each [`Mark`].
#[must_use]
pub fn to_json(measurement: &Measurement) -> Value {
    let mut root = Map::new();
    root.insert("config".into(), serde_json::to_value(&measurement.config).unwrap_or(Value::Null));
    let (mut grad_weight, mut model_update) = (Map::new(), Map::new());
    for series in &measurement.series {
        let mut values = series.values.iter().copied().map(number);
        match series.quantity {
            Quantity::GradWeight(tensor) => {
                grad_weight.insert(tensor.name().into(), values.collect());
            }
            Quantity::ModelUpdate(update) => {
                model_update.insert(update.key().into(), values.next().unwrap_or(Value::Null));
            }
            Quantity::Loss | Quantity::GradUnembed => {
                root.insert(series.quantity.name(), values.next().unwrap_or(Value::Null));
            }
            _ => {
                root.insert(series.quantity.name(), values.collect());
            }
        }
    }
    root.insert("grad_weight".into(), Value::Object(grad_weight));
    if !model_update.is_empty() {
        root.insert("model_update".into(), Value::Object(model_update));
    }
    root.insert("engine".into(), measurement.engine.key().into());
    root.insert("marks".into(), marks(measurement));
    Value::Object(root)
}

/// JSON as text, each number in the fewest digits that it is read back from. The writer of `serde_json` does the same with
/// tables of 7 KiB, which the page would have to carry.
#[must_use]
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(value), ..) => out.push_str(&value.to_string()),
            (_, Some(value), _) => out.push_str(&value.to_string()),
            // That of Debug has an exponent where digits would be many.
            (_, _, Some(value)) => out.push_str(&format!("{value:?}")),
            _ => out.push_str("null"),
        },
        Value::String(text) => write_text(out, text),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_value(out, value);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_text(out, name);
                out.push(':');
                write_value(out, value);
            }
            out.push('}');
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

fn marks(measurement: &Measurement) -> Value {
    let mut all = Map::new();
    for series in &measurement.series {
        let mut of_series = Map::new();
        for mark in Mark::ALL {
            let indices: Vec<Value> = (0..series.values.len())
                .filter(|&index| measurement.mark(series.quantity, index) == Some(*mark))
                .map(Value::from)
                .collect();
            if !indices.is_empty() {
                of_series.insert(mark.key().into(), Value::Array(indices));
            }
        }
        if !of_series.is_empty() {
            all.insert(series.quantity.name(), Value::Object(of_series));
        }
    }
    Value::Object(all)
}

/// A long table with the header `quantity,layer,value,mark`; `layer` counts from 0.
#[must_use]
pub fn to_csv(measurement: &Measurement) -> String {
    let mut text = String::from("quantity,layer,value,mark\n");
    for series in &measurement.series {
        let name = series.quantity.name();
        for (index, value) in series.values.iter().enumerate() {
            let value = match number(*value) {
                Value::String(word) => word,
                other => other.to_string(),
            };
            let mark = measurement.mark(series.quantity, index).map_or("", Mark::key);
            let _ = writeln!(text, "{name},{index},{value},{mark}");
        }
    }
    text
}
