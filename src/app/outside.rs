//! What the page is asked by scripts around it: the frame that it stands in, files that are taken out and brought in.
//! `host.js` speaks for it to others.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::chart::svg::to_svg;
use crate::model::{Config, Placement};
use crate::presets::{self, Preset};
use crate::share::{Key, Kind, Request, Target, VERSION, keys, parse, to_query};
use crate::stats::{Engine, Measurement, Quantity, Sample, Series, to_json, to_text};

use super::address::Address;
use super::browser;
use super::state::{Device, Finished, Gesture, Imported, Offered, Page, Picture, effect};
use super::words;

thread_local! {
    static PAGE: Cell<Option<Page>> = const { Cell::new(None) };
}

/// The most models that are taken from files.
const MOST_IMPORTED: usize = 6;

/// Lets scripts ask this page, and tells them of changes: events of the window, `normscope-state` and `normscope-result`.
pub(super) fn offer(page: Page) {
    PAGE.set(Some(page));
    effect(move || {
        page.request.track();
        browser::announce("normscope-state");
    });
    effect(move || {
        if page.is_settled() {
            page.finished.track();
            browser::announce("normscope-result");
        }
    });
}

/// Answers a question in text: `state` is the query of what is shown; `set` takes one, and names what was wrong with it;
/// `result` is what was measured, `pictures` the plots as SVG, `keys` all that a link can say, each as JSON; `play` and
/// `pause` move the depth, `tell` shows a sentence, `offer` adds a preset (title, query and sentence, a line each), `forget`
/// drops the models from files.
///
/// # Errors
/// Where there is no page yet, or no such question.
#[wasm_bindgen]
pub fn ask(question: &str, text: &str) -> Result<String, JsError> {
    let page = PAGE.get().ok_or_else(|| JsError::new("the page is not there yet"))?;
    let answer = untrack(|| {
        Some(match question {
            "state" => page.request.with(|request| to_query(request, Target::Page)),
            "set" => set(page, text),
            "result" => to_text(&result(page)),
            "pictures" => to_text(&pictures(page)),
            "keys" => to_text(&all_keys()),
            "play" | "pause" => {
                page.is_playing.set(question == "play");
                String::new()
            }
            "tell" => {
                page.told.set(Some(text.to_owned()).filter(|text| !text.is_empty()));
                String::new()
            }
            "offer" => {
                let mut lines = text.lines();
                let [title, query, sentence] = [(); 3].map(|()| lines.next().unwrap_or_default().to_owned());
                page.offered.update(|list| list.push(Offered { title, query, sentence }));
                String::new()
            }
            "forget" => {
                page.imported.set(Vec::new());
                String::new()
            }
            _ => return None,
        })
    });
    answer.ok_or_else(|| JsError::new("there is no such question"))
}

fn set(page: Page, query: &str) -> String {
    let (request, notices) = parse(query, Target::Page);
    // Many in a row are one step back for the reader.
    page.change(Gesture::Movement, |now| {
        // A language takes a new page.
        let language = now.language;
        *now = Request { language, ..request };
    });
    notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What was measured: each model with its name, the runs that its values are the median of, and their time.
fn result(page: Page) -> Value {
    let own = page.request.with(|request| request.config.clone());
    let shown = page.shown().into_iter().filter(|(_, is_fresh)| *is_fresh).map(|(pass, _)| (None, pass));
    let kept = page.kept().into_iter().map(|(letter, pass)| (Some(letter), pass));
    let run = |(letter, pass): (Option<char>, Arc<Finished>)| {
        let mut run = to_json(&pass.measurement);
        if let Value::Object(run) = &mut run {
            let name = words::model_name(&pass.measurement.config, &own);
            run.insert("name".into(), letter.map_or_else(|| name.clone(), |letter| format!("{letter}: {name}")).into());
            run.insert("seeds".into(), (pass.sample.runs as u32).into());
            run.insert("milliseconds".into(), pass.milliseconds.into());
        }
        run
    };
    let adapter = page.device.with(|device| match device {
        Device::Ready(adapter) => Value::from(adapter.name.clone()),
        Device::Asking | Device::Missing => Value::Null,
    });
    json!({
        "normscope": env!("CARGO_PKG_VERSION"),
        "schema": 1,
        "link": page.request.with(Address::link),
        "settled": page.is_settled(),
        "adapter": adapter,
        "runs": shown.chain(kept).map(run).collect::<Vec<_>>(),
    })
}

fn pictures(page: Page) -> Value {
    let of = |picture: &Picture| {
        let svg = picture.scene.with(to_svg);
        let (width, height) = picture.scene.with(|scene| (scene.width, scene.height));
        json!({ "title": (picture.title)(), "width": width, "height": height, "svg": svg })
    };
    page.pictures.with_value(|list| list.iter().map(of).collect())
}

fn all_keys() -> Value {
    let default = Request::default_for(Target::Page);
    let of = |key: &Key| {
        let mut out = Map::new();
        out.insert("name".into(), key.name.into());
        out.insert("help".into(), key.help().into());
        out.insert("allowed".into(), key.kind.allowed().into());
        out.insert("default".into(), (key.get)(&default).into());
        match key.kind {
            Kind::Choice(words) => out.insert("choice".into(), words.into()),
            Kind::List(words) => out.insert("list".into(), words.into()),
            Kind::Integer(low, high) => out.insert("range".into(), vec![low, high].into()),
            Kind::Fraction(..) | Kind::Address | Kind::Models(_) => None,
        };
        Value::Object(out)
    };
    let preset =
        |preset: &Preset| json!({ "title": preset.title(), "query": preset.query, "sentence": preset.sentence() });
    json!({
        "v": VERSION,
        "keys": keys().iter().map(of).collect::<Vec<_>>(),
        "presets": presets::ALL.iter().map(preset).collect::<Vec<_>>(),
    })
}

/// Takes a model from a file: its name, its depth, and the values of each quantity by their names in JSON.
///
/// # Errors
/// What is wrong with it, in a sentence.
#[wasm_bindgen]
pub fn bring(name: &str, depth: u32, quantities: &js_sys::Object) -> Result<(), JsError> {
    let refuse = |text: String| Err(JsError::new(&text));
    let page = PAGE.get().ok_or_else(|| JsError::new("the page is not there yet"))?;
    if page.imported.with_untracked(Vec::len) >= MOST_IMPORTED {
        return refuse(words::most_pinned(MOST_IMPORTED));
    }
    if !(1..=200).contains(&depth) {
        return refuse(words::no_depth(depth));
    }
    let config = Config { placement: Placement::None, depth, ..Config::default() };
    let mut by_name = Request::default_for(Target::Page);
    let mut series = Vec::new();
    for entry in js_sys::Object::entries(quantities).iter() {
        let entry: js_sys::Array = entry.unchecked_into();
        let name = entry.get(0).as_string().unwrap_or_default();
        if by_name.set("statistic", &name).is_err() {
            return refuse(words::no_quantity(&name));
        }
        let quantity = by_name.statistic();
        let mut values = js_sys::Float64Array::new(&entry.get(1)).to_vec();
        // One value for a block of several sublayers: all of them have it, or the first has the factor of them all.
        let each = quantity.len(&config) / depth as usize;
        let wanted = if each > 1 { depth as usize } else { quantity.len(&config) };
        if values.len() != wanted {
            return refuse(words::wrong_length(&name, values.len(), wanted));
        }
        if each > 1 {
            let others = |value: f64| if quantity == Quantity::NetFactor { 1.0 } else { value };
            let of_block = |value: f64| std::iter::once(value).chain(std::iter::repeat_n(others(value), each - 1));
            values = values.into_iter().flat_map(of_block).collect();
        }
        series.push(Series::exact(quantity, values));
    }
    let measurement = Measurement { config, engine: Engine::Reference, series };
    let imported = Imported { name: name.to_owned(), sample: Sample::of(&[&measurement]) };
    page.imported.update(|list| list.push(Arc::new(imported)));
    Ok(())
}
