//! The drawing of a block, with the formula and the numbers of the part that is looked at.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent, PointerEvent};

use super::erased::{live, on, part};
use crate::app::formulas;
use crate::app::state::{Finished, page};
use crate::app::words;
use crate::chart::block::diagram;
use crate::chart::parts::parts;
use crate::model::{Config, Placement};

/// The part of a drawing under the pointer.
fn part_under(event: &PointerEvent) -> Option<usize> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest("[data-part]").ok()??.get_attribute("data-part")?.parse().ok()
}

/// The drawing. One stop of the keyboard; its arrows go from part to part.
#[component]
pub(super) fn Block(
    placement: Placement,
    pass: Memo<Option<(Arc<Finished>, bool)>>,
    is_low: Memo<bool>,
    /// The placement that stood here until now: the norms come from where its own were.
    before: Option<Placement>,
) -> impl IntoView {
    let page = page();
    let kinds = Memo::new(move |_| page.request.with(|request| request.config.sublayer_kinds()));
    let all = Memo::new(move |_| parts(placement, kinds.get()));
    let chosen = RwSignal::new(None::<usize>);
    let found = move || chosen.get().and_then(|index| all.get().get(index).copied());
    let numbers = move || {
        let part = found()?;
        let (pass, _) = pass.get()?;
        Some(words::part_numbers(part, &pass.measurement, page.probe.get()))
    };
    let name = move || found().map(words::part_name);
    let in_words = move || match name() {
        Some(name) => format!("{name}. {}", numbers().unwrap_or_default().join(". ")),
        None => words::part_lead().into(),
    };
    let key = move |event: KeyboardEvent| {
        let last = all.get_untracked().len() - 1;
        let now = chosen.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => Some(now.map_or(0, |now| (now + 1).min(last))),
            "ArrowLeft" | "ArrowUp" => Some(now.map_or(last, |now| now.saturating_sub(1))),
            "Home" => Some(0),
            "End" => Some(last),
            "Escape" => None,
            _ => return,
        };
        event.prevent_default();
        chosen.set(next);
    };
    let look = move |event: PointerEvent| {
        // Between two parts the last one stays, so that its words can be reached and read.
        if let Some(index) = part_under(&event) {
            chosen.set(Some(index));
        }
    };
    let leave = move |event: PointerEvent| {
        if event.pointer_type() != "touch" {
            chosen.set(None);
        }
    };
    // They come once, and stay when it is drawn anew.
    let mut before = before;
    let art = move || diagram(placement, kinds.get(), is_low.get(), chosen.get(), before.take());
    let card = move || {
        let part = found()?;
        let config = page.request.with(|request| Config { placement, ..request.config.clone() });
        let lines = numbers().unwrap_or_default().into_iter().map(|line| view! { <span>{line}</span> });
        Some(view! {
            <p class="card" aria-hidden="true">
                <b>{words::part_name(part)}</b>
                <span inner_html=formulas::of_part(part, &config)></span>
                {lines.collect_view()}
            </p>
        })
    };
    view! {
        <div
            class="block"
            tabindex="0"
            role="slider"
            aria-label=words::parts_of(placement.recipe().label)
            aria-valuemin="1"
            aria-valuemax=live(move || all.with(Vec::len))
            aria-valuenow=live(move || chosen.get().map_or(1, |index| index + 1))
            aria-valuetext=live(in_words)
            on:pointerover=on(look)
            on:pointerdown=on(look)
            on:pointerleave=on(leave)
            on:keydown=on(key)
            on:blur=on(move |_| chosen.set(None))
        >
            <div class="art" inner_html=art></div>
            {part(card)}
        </div>
    }
}
