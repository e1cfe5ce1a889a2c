//! The placements, each a switch that is also its legend.

use crate::app::components::attributes::prelude::*;

use crate::app::state::page;
use crate::app::words;
use crate::chart::block::{glyph, sample};
use crate::model::Placement;

use super::erased::{live, on};
use super::icons;

/// Placements that are always in sight.
const FIRST: usize = 7;

/// The chips.
#[component]
pub(super) fn Chips() -> impl IntoView {
    let page = page();
    let chip = move |placement: Placement| {
        let is_on = Memo::new(move |_| page.request.with(|request| request.placements.contains(&placement)));
        let label = placement.recipe().label;
        view! {
            <button
                class="chip"
                type="button"
                role="checkbox"
                data-placement=placement.key()
                aria-checked=live(move || if is_on.get() { "true" } else { "false" })
                title=words::placement_help(placement.key())
                on:click=on(move |_| page.toggle(placement))
            >
                <span class="art swatch" inner_html=move || sample(placement, is_on.get())></span>
                <span class="name">{label}</span>
                <span class="art drawing" inner_html=glyph(placement)></span>
            </button>
        }
    };
    // Open where one of them is on; a hand may open and close it.
    let has_more =
        move || page.request.with(|request| request.placements.iter().any(|p| Placement::ALL[FIRST..].contains(p)));
    view! {
        <div class="placements" role="group" aria-label=words::placement()>
            <span class="label" aria-hidden="true">{words::placement()}</span>
            <div class="chips">{Placement::ALL[..FIRST].iter().map(|placement| chip(*placement)).collect_view()}</div>
            <details class="more-placements" prop:open=live(has_more)>
                <summary>{words::more_placements()}<span class="art" inner_html=icons::RIGHT></span></summary>
                <div class="chips">{Placement::ALL[FIRST..].iter().map(|placement| chip(*placement)).collect_view()}</div>
            </details>
        </div>
    }
}
