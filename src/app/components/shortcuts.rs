//! Keys that work wherever nothing else takes them, and the list of all keys.

use crate::app::components::attributes::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::app::browser;
use crate::app::play;
use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::model::Placement;
use crate::share::View;

use super::erased::{live, on};
use super::icons;

/// Where it is kept that keys are wanted only of the element in focus, as who speaks to a computer wants it.
const STORED: &str = "normscope.keys";
const OFF: &str = "off";

/// What a key is taken by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taker {
    /// Nothing.
    Nobody,
    /// A button, a link or a slider, which takes some keys.
    Control,
    /// A field, which takes all.
    Field,
}

fn taker(event: &KeyboardEvent) -> Taker {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return Taker::Nobody;
    };
    let matches = |selector: &str| element.closest(selector).is_ok_and(|found| found.is_some());
    if matches("select, textarea, dialog, [contenteditable], input:not([type=range]):not([type=checkbox])") {
        Taker::Field
    } else if matches("button, a, summary, input, [tabindex]") {
        Taker::Control
    } else {
        Taker::Nobody
    }
}

/// Does what a key is for; false where it is for nothing.
fn act(page: Page, key: &str, is_free: bool, open: impl Fn()) -> bool {
    let explores = page.request.with_untracked(|request| request.view == View::Explore);
    match key {
        "?" => open(),
        " " if is_free && explores => play::toggle(page),
        "ArrowRight" if is_free && explores => play::step(page, 1),
        "ArrowLeft" if is_free && explores => play::step(page, -1),
        "<" if explores => play::change_speed(page, -1),
        ">" if explores => play::change_speed(page, 1),
        "r" | "R" if explores => play::toggle_repeat(page),
        "p" | "P" => toggle_projector(page),
        digit => {
            let number = digit.parse::<usize>().ok().filter(|_| digit.len() == 1);
            let placement = number.and_then(|number| Placement::ALL.get(number.checked_sub(1)?));
            let (Some(placement), View::Explore | View::Atlas) =
                (placement, page.request.with_untracked(|request| request.view))
            else {
                return false;
            };
            page.toggle(*placement);
        }
    }
    true
}

/// Draws the page large, or as it was.
fn toggle_projector(page: Page) {
    page.change(Gesture::Choice, |request| request.projector = !request.projector);
}

/// The button of the list, and the list.
#[component]
pub(super) fn Shortcuts() -> impl IntoView {
    let page = page();
    let dialog = NodeRef::<html::Dialog>::new();
    let is_off = RwSignal::new(browser::stored(STORED).as_deref() == Some(OFF));
    let open = move || {
        if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
            // It throws only while it is open.
            let _ = dialog.show_modal();
        }
    };
    let close = move |_| dialog.get_untracked().into_iter().for_each(|dialog| dialog.close());
    let listener = window_event_listener(ev::keydown, move |event| {
        let has_modifier = event.ctrl_key() || event.alt_key() || event.meta_key();
        let taker = taker(&event);
        if event.default_prevented() || has_modifier || is_off.get_untracked() || taker == Taker::Field {
            return;
        }
        if act(page, &event.key(), taker == Taker::Nobody, open) {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
    let switch = move |event| {
        let off = event_target_checked(&event);
        is_off.set(off);
        // Where the browser refuses, it holds for this visit.
        let _ = browser::store(STORED, if off { OFF } else { "" });
    };
    let keys = [
        (words::key_space(), words::key_play()),
        (words::key_arrows(), words::key_step()),
        (words::key_page(), words::key_leap()),
        (words::key_ends(), words::key_extremes()),
        (words::key_digits(), words::key_placements()),
        (words::key_angles(), words::key_speed()),
        ("R", words::key_repeat()),
        (words::key_arrows(), words::key_chart()),
        ("P", words::key_projector()),
        ("?", words::key_help()),
    ];
    let row = |(key, what): (&'static str, &'static str)| {
        view! { <dt><kbd>{key}</kbd></dt><dd>{what}</dd> }
    };
    view! {
        <button class="icon keys" type="button" on:click=on(move |_| open()) aria-label=words::shortcuts() title=words::shortcuts()>
            <span class="art" inner_html=icons::KEYS></span>
        </button>
        <dialog class="sheet" node_ref=dialog aria-labelledby="keys-title">
            <h2 id="keys-title">{words::shortcuts()}</h2>
            <p>{words::shortcuts_lead()}</p>
            <dl>{keys.into_iter().map(row).collect_view()}</dl>
            <label>
                <input type="checkbox" prop:checked=live(move || is_off.get()) on:change=on(switch)/>
                {words::shortcuts_off()}
            </label>
            <label>
                <input
                    type="checkbox"
                    name="projector"
                    prop:checked=live(move || page.request.with(|request| request.projector))
                    on:change=on(move |_| toggle_projector(page))
                />
                {words::projector()}
            </label>
            <p><button type="button" on:click=on(close)>{words::close()}</button></p>
        </dialog>
    }
}
