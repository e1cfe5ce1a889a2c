//! Named configurations, and what of the original each leaves out.

use crate::app::components::attributes::prelude::*;

use crate::app::state::{Gesture, page};
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
            let is_it = |preset: &&Preset| as_said(preset.query, request) == *request;
            presets::ALL.iter().find(is_it).map_or("", |preset| preset.key)
        })
    });
    let change = move |event| {
        let key = event_target_value(&event);
        // One of a file, which `host.js` has put into the list, has its query.
        let query = presets::find(&key).map_or(key.as_str(), |preset| preset.query);
        if !key.is_empty() {
            page.change(Gesture::Choice, |request| *request = as_said(query, request));
        }
    };
    let group = move |kind: PresetKind| {
        let option = move |preset: &'static Preset| {
            view! { <option value=preset.key selected=live(move || chosen.get() == preset.key)>{preset.title()}</option> }
        };
        let of_kind = presets::ALL.iter().filter(move |preset| preset.kind == kind);
        view! { <optgroup label=words::preset_kind(kind.key())>{of_kind.map(option).collect_view()}</optgroup> }
    };
    let told = move || {
        let preset = presets::find(chosen.get())?;
        Some(view! {
            <p class="told preset" data-preset=preset.key>
                {preset.sentence()} " " <small>{preset.source()} ". " {words::left_out()} " " {preset.left_out()} "."</small>
            </p>
        })
    };
    view! {
        <label class="pick">
            <span class="key">{words::preset()}</span>
            <select name="preset" prop:value=live(move || chosen.get()) on:change=on(change)>
                <option value="" selected=live(move || chosen.get().is_empty())>{words::no_preset()}</option>
                {PresetKind::ALL.iter().map(|kind| group(*kind)).collect_view()}
            </select>
            <span class="art" inner_html=icons::CHEVRON></span>
        </label>
        {part(told)}
    }
}
