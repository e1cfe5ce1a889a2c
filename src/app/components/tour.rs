//! A tour for who is here for the first time: five steps on the page's own controls. A link may begin at any of them.

use crate::app::components::attributes::prelude::*;
use leptos::{ev, html};
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use super::erased::on;
use crate::app::play;
use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::model::Placement;
use crate::share::{Request, Target, View};

/// Steps of the tour.
const STEPS: u32 = 5;

/// What a step shows on the page, as a selector; the style sheet outlines it, or what it is about (`style/tour.css`).
const fn place(step: u32) -> &'static str {
    match step {
        1 => ".charts",
        2 => ".depth",
        3 => ".readings",
        4 => ".placements",
        _ => ".top",
    }
}

/// What a step is about has to be there: two placements to compare, and deep models where depth matters.
fn set_scene(request: &mut Request, step: u32) {
    request.tour = Some(step);
    request.view = View::Explore;
    match step {
        1 => {
            request.placements = vec![Placement::Post, Placement::Pre];
            request.config.depth = 24;
        }
        2 => request.config.depth = play::SHALLOWEST,
        3 => request.config.depth = 96,
        4 if !request.placements.contains(&Placement::Sandwich) => request.placements.push(Placement::Sandwich),
        _ => {}
    }
}

/// Goes to a step; past the last one the tour is over.
pub(super) fn go_to(page: Page, step: u32) {
    page.is_playing.set(false);
    page.change(Gesture::Choice, |request| if step > STEPS { request.tour = None } else { set_scene(request, step) });
}

/// The card of the step.
#[component]
pub(super) fn Tour() -> impl IntoView {
    let page = page();
    let step = Memo::new(move |_| page.request.with(|request| request.tour));
    let end = move || page.change(Gesture::Choice, |request| request.tour = None);
    // What a step speaks of has to be there, also where a link says no more than the step.
    page.request.update(|request| {
        if let Some(step) = request.tour
            && *request == (Request { tour: Some(step), ..Request::default_for(Target::Page) })
        {
            set_scene(request, step);
        }
    });
    let heading = NodeRef::<html::H2>::new();
    Effect::new(move |before: Option<Option<u32>>| {
        let now = step.get();
        // At the first step of a link nobody has asked for the focus yet.
        if let (Some(heading), Some(step)) = (heading.get(), now)
            && before != Some(now)
        {
            if before.is_some() {
                let _ = heading.focus();
            }
            if let Ok(Some(element)) = document().query_selector(place(step)) {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                element.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        now
    });
    let escape = window_event_listener(ev::keydown, move |event| {
        let is_elsewhere = document().query_selector("dialog[open], .options.open").is_ok_and(|found| found.is_some());
        if event.key() == "Escape" && step.get_untracked().is_some() && !is_elsewhere {
            end();
        }
    });
    on_cleanup(move || escape.remove());
    let card = move |now: u32| {
        let (title, text) = words::tour_step(now);
        let back = (now > 1).then(|| {
            view! { <button type="button" on:click=on(move |_| go_to(page, now - 1))>{words::back()}</button> }
        });
        let next = if now < STEPS { words::next() } else { words::tour_over() };
        view! {
            <aside class="tour" aria-labelledby="tour-title" data-step=now>
                <p class="count">{words::tour_count(now, STEPS)}</p>
                <h2 id="tour-title" tabindex="-1" node_ref=heading>{title}</h2>
                <p>{text}</p>
                <p class="ways">
                    {back}
                    <button class="next" type="button" on:click=on(move |_| go_to(page, now + 1))>{next}</button>
                    {(now < STEPS).then(|| view! { <button type="button" on:click=on(move |_| end())>{words::skip()}</button> })}
                </p>
            </aside>
        }
    };
    move || step.get().map(card)
}
