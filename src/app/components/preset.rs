//! Named configurations, and what of the original each leaves out.

use crate::app::components::attributes::prelude::*;

use crate::app::state::{Gesture, Offered, page};
use crate::app::words;
use crate::presets::{self, Preset, PresetKind};
use crate::share::{Request, Target, parse};

use super::erased::{live, on, part};
use super::icons;

/// What a preset asks for, on a page that stays as it is embedded.
fn as_said(query: &str, now: &Request) -> Request {
    Request {
        embed: now.embed,
        hide: now.hide.clone(),
        theme: now.theme,
        presets: now.presets.clone(),
        language: now.language,
        ..parse(query, Target::Page).0
    }
}

/// The choice, and a word on the preset that is chosen.
#[component]
pub(super) fn Presets() -> impl IntoView {
    let page = page();
    // A preset is chosen as long as all else is as it says.
    let chosen = Memo::new(move |_| {
        page.request.with(|request| {
            let says = |query: &str| as_said(query, request) == *request;
            let of_page = presets::ALL.iter().find(|preset| says(preset.query)).map(|preset| preset.key.to_owned());
            let of_file =
                || page.offered.with(|list| list.iter().find(|preset| says(&preset.query)).map(|p| p.query.clone()));
            of_page.or_else(of_file).unwrap_or_default()
        })
    });
    // A preset of the page by its key, one of a file by its query.
    let change = move |event| {
        let key = event_target_value(&event);
        if !key.is_empty() {
            let query = presets::find(&key).map_or(key.as_str(), |preset| preset.query);
            page.change(Gesture::Choice, |request| *request = as_said(query, request));
        }
    };
    let of_file = move || {
        let option = |preset: Offered| {
            let query = preset.query.clone();
            view! { <option value=preset.query selected=live(move || chosen.get() == query)>{preset.title}</option> }
        };
        let list = page.offered.get();
        (!list.is_empty()).then(|| {
            view! { <optgroup label=words::offered()>{list.into_iter().map(option).collect_view()}</optgroup> }
        })
    };
    let group = move |kind: PresetKind| {
        let option = move |preset: &'static Preset| {
            view! { <option value=preset.key selected=live(move || chosen.get() == *preset.key)>{preset.title()}</option> }
        };
        let of_kind = presets::ALL.iter().filter(move |preset| preset.kind == kind);
        view! { <optgroup label=words::preset_kind(kind.key())>{of_kind.map(option).collect_view()}</optgroup> }
    };
    let told = move || {
        let chosen = chosen.get();
        let Some(preset) = presets::find(&chosen) else {
            let sentence =
                page.offered.with(|list| Some(list.iter().find(|preset| preset.query == chosen)?.sentence.clone()))?;
            return Some(view! { <p class="told preset">{sentence}</p> }.into_any());
        };
        Some(view! {
            <p class="told preset" data-preset=preset.key>
                {preset.sentence()} " " <small>{preset.source()} ". " {words::left_out()} " " {preset.left_out()} "."</small>
            </p>
        }.into_any())
    };
    view! {
        <label class="pick">
            <span class="key">{words::preset()}</span>
            <select name="preset" prop:value=live(move || chosen.get()) on:change=on(change)>
                <option value="" selected=live(move || chosen.get().is_empty())>{words::no_preset()}</option>
                {PresetKind::ALL.iter().map(|kind| group(*kind)).collect_view()}
                {part(of_file)}
            </select>
            <span class="art" inner_html=icons::CHEVRON></span>
        </label>
        {part(told)}
    }
}
