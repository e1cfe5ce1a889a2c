//! What the page is asked by scripts around it: `host.js` speaks for it to the frame that it stands in, and takes files out
//! and in. Answers are text that a script can read without more than this has to write: a line for each thing, its parts
//! with tabs between.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::chart::scene::Scene;
use crate::chart::words::to_words;
use crate::model::{Config, Placement};
use crate::share::{MOST_PINS, Request, Target, parse, to_query};
use crate::stats::{Engine, Measurement, Quantity, Sample, Series, to_json};

use super::address::Address;
use super::atlas::depths;
use super::browser;
use super::play;
use super::state::{Device, Finished, Gesture, Imported, Page, effect};
use super::words;

/// A plot that is on the page, and what it is called.
type Picture = (Arc<dyn Fn() -> String + Send + Sync>, Memo<Scene>);

thread_local! {
    static PAGE: Cell<Option<Page>> = const { Cell::new(None) };
    static PICTURES: RefCell<Vec<Picture>> = const { RefCell::new(Vec::new()) };
}

/// Lets scripts ask this page, and tells them of changes: events of the window, `normscope-result` where all
/// that is asked for is there, else `normscope-state`.
pub(super) fn offer(page: Page) {
    PAGE.set(Some(page));
    effect(move || {
        page.request.track();
        page.finished.track();
        browser::announce(if page.is_settled() { "normscope-result" } else { "normscope-state" });
    });
}

/// A plot has come onto the page.
pub(super) fn show(title: Arc<dyn Fn() -> String + Send + Sync>, scene: Memo<Scene>) {
    PICTURES.with_borrow_mut(|list| list.push((title, scene)));
}

/// It has gone.
pub(super) fn hide(scene: Memo<Scene>) {
    PICTURES.with_borrow_mut(|list| list.retain(|(_, other)| *other != scene));
}

fn the_page() -> Result<Page, JsError> {
    PAGE.get().ok_or_else(|| JsError::new("the page is not there yet"))
}

/// Answers a question. `state`: the query of what is shown. `set`: takes one; a line for each thing that was wrong with it.
/// `result`: version, link, adapter and whether all is there, then a line for each model with its name, the runs that its
/// values are the median of, their milliseconds, and the JSON of `normscope run`. `atlas`: the same of all depths that are
/// measured, and of the statistic in the atlas alone. `pictures`: a line for each plot with its title, width, height and
/// shapes (`chart::words`). `play`, `pause`: move the depth, and stop it. `drop`: forgets so many of the models that
/// were brought last.
///
/// # Errors
/// Where there is no page yet, or no such question.
#[wasm_bindgen]
pub fn ask(question: &str, text: &str) -> Result<String, JsError> {
    let page = the_page()?;
    match question {
        "state" => Ok(page.request.with_untracked(|request| to_query(request, Target::Page))),
        "set" => Ok(set(page, text)),
        "result" => Ok(untrack(|| result(page))),
        "atlas" => Ok(untrack(|| atlas(page))),
        "pictures" => Ok(untrack(pictures)),
        "drop" => {
            page.imported.update(|list| list.truncate(list.len().saturating_sub(text.parse().unwrap_or(0))));
            Ok(String::new())
        }
        "play" | "pause" => {
            if page.is_playing.get_untracked() != (question == "play") {
                play::toggle(page);
            }
            Ok(String::new())
        }
        _ => Err(JsError::new("there is no such question")),
    }
}

fn set(page: Page, query: &str) -> String {
    let (request, notices) = parse(query, Target::Page);
    let says = |name: &str| query.trim_start_matches('?').split('&').any(|pair| pair.split('=').next() == Some(name));
    // Many in a row are one step back for the reader.
    page.change(Gesture::Movement, |now| {
        // A language takes a new page.
        let before = std::mem::replace(now, Request { language: now.language, ..request });
        // How it is framed is not what is shown.
        if !says("embed") {
            now.embed = before.embed;
        }
        if !says("hide") {
            now.hide = before.hide;
        }
        if !says("theme") {
            now.theme = before.theme;
        }
    });
    notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The first line of what was measured.
fn head(page: Page, is_whole: bool) -> String {
    let adapter = page.device.with(|device| match device {
        Device::Ready(adapter) => adapter.name.clone(),
        Device::Asking | Device::Missing => String::new(),
    });
    let link = page.request.with(|request| Address::link(&request.whole()));
    format!("{}\t{link}\t{adapter}\t{is_whole}", env!("CARGO_PKG_VERSION"))
}

/// A further line of it.
fn run(name: &str, runs: usize, milliseconds: f64, measurement: &Measurement) -> String {
    format!("\n{name}\t{runs}\t{milliseconds}\t{}", to_json(measurement))
}

fn result(page: Page) -> String {
    let own = page.request.with(|request| request.config.clone());
    let mut out = head(page, page.is_settled());
    let mut line = |letter: Option<char>, pass: &Finished| {
        let name = words::model_name(&pass.measurement.config, &own);
        let name = letter.map_or_else(|| name.clone(), |letter| format!("{letter}: {name}"));
        out += &run(&name, pass.sample.runs, pass.milliseconds, &pass.measurement);
    };
    page.shown().iter().filter(|(_, is_fresh)| *is_fresh).for_each(|(pass, _)| line(None, pass));
    page.kept().iter().for_each(|(letter, pass)| line(Some(*letter), pass));
    out
}

fn atlas(page: Page) -> String {
    let request = page.request.get();
    let quantity = request.statistic();
    let (mut out, mut is_whole) = (String::new(), true);
    for config in request.configs() {
        let atlas = page.engine().and_then(|engine| page.atlases.of(&config, engine));
        for depth in depths(&request) {
            let Some(measurement) = atlas.as_ref().and_then(|atlas| atlas.at(depth)) else {
                is_whole = false;
                continue;
            };
            let series = measurement.series(quantity).cloned().into_iter().collect();
            let of_one = Measurement { config: measurement.config.clone(), engine: measurement.engine, series };
            out += &run(&words::model_name(&config, &config), 1, f64::NAN, &of_one);
        }
    }
    head(page, is_whole) + &out
}

fn pictures() -> String {
    let line = |(title, scene): &Picture| {
        scene.with(|scene| format!("{}\t{}\t{}\t{}", title(), scene.width, scene.height, to_words(scene)))
    };
    PICTURES.with_borrow(|list| list.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Takes a model from a file: its name, its depth, and the values of each quantity by their names in JSON, one for each
/// state of the stream or each block.
///
/// # Errors
/// What is wrong with it, in a sentence.
#[wasm_bindgen]
pub fn bring(name: String, depth: u32, quantities: &js_sys::Object) -> Result<(), JsError> {
    let refuse = |text: String| Err(JsError::new(&text));
    let page = the_page()?;
    if page.imported.with_untracked(Vec::len) >= MOST_PINS {
        return refuse(words::most_pinned(MOST_PINS));
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
        let values = js_sys::Float64Array::new(&entry.get(1)).to_vec();
        // Of several sublayers all have the value of their block, or the first has the factor of them all.
        let each = match quantity {
            Quantity::NetFactor | Quantity::UpdateRatio | Quantity::NormJacobian => config.sublayers_per_block(),
            _ => 1,
        };
        let wanted = quantity.len(&config) / each;
        if values.len() != wanted {
            return refuse(words::wrong_length(&name, values.len(), wanted));
        }
        let others = |value: f64| if quantity == Quantity::NetFactor { 1.0 } else { value };
        let of_block = |value: &f64| std::iter::once(*value).chain(std::iter::repeat_n(others(*value), each - 1));
        let values = values.iter().flat_map(of_block).collect();
        series.push(Series::exact(quantity, values));
    }
    let measurement = Measurement { config, engine: Engine::Reference, series };
    let imported = Imported { name, sample: Sample::of(&[&measurement]) };
    page.imported.update(|list| list.push(Arc::new(imported)));
    Ok(())
}
