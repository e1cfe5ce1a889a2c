//! What a sweep costs, how far it has come, and how to start and stop it.

use crate::app::components::attributes::prelude::*;

use super::super::erased::{live, on, part};
use crate::app::atlas::depths;
use crate::app::components::field::NumberRow;
use crate::app::components::notices::offer;
use crate::app::state::page;
use crate::app::words;

/// The row.
#[component]
pub(super) fn Sweep() -> impl IntoView {
    let page = page();
    let atlases = page.atlases;
    let is_running = Memo::new(move |_| atlases.sweep.with(Option::is_some));
    // Models that are missing, those that are there, and placements.
    let counts = Memo::new(move |_| {
        let request = page.request.get();
        let engine = page.engine()?;
        let missing = |config| atlases.missing(config, engine, depths(&request)).len();
        let missing: usize = request.configs().iter().map(missing).sum();
        let all = request.placements.len() * depths(&request).count();
        Some((missing, all - missing, request.placements.len()))
    });
    let state = move || match (is_running.get(), counts.get()) {
        (true, _) => "running",
        (false, Some((0, _, _))) => "done",
        (false, Some((_, 0, _))) => "none",
        (false, Some(_)) => "part",
        (false, None) => "waiting",
    };
    let estimate = move || page.engine().and_then(|engine| atlases.estimate_ms(page, engine));
    let text = move || match (atlases.sweep.get(), counts.get()) {
        (Some(sweep), _) => words::sweeping(sweep.done, sweep.of, sweep.left_ms),
        (None, None) => words::looking().into(),
        (None, Some((_, _, 0))) => words::choose_placement().into(),
        (None, Some((0, all, placements))) => words::all_swept(all, placements),
        (None, Some((missing, done, placements))) => words::sweep_cost(missing, done, placements, estimate()),
    };
    let is_idle = move || !is_running.get() && counts.get().is_none_or(|(missing, ..)| missing == 0);
    let toggle = move |_| {
        if is_running.get_untracked() {
            atlases.stop();
        } else if !untrack(is_idle) {
            atlases.start(page);
        }
    };
    let label = move || match (is_running.get(), counts.get()) {
        (true, _) => words::stop(),
        (false, Some((_, done, _))) if done > 0 => words::go_on(),
        _ => words::sweep(),
    };
    let progress = move || atlases.sweep.get().map(|sweep| format!("{:.2}%", 100.0 * sweep.share));
    let trouble = move || {
        atlases.trouble.get().map(|trouble| {
            let text = words::sweep_trouble(&trouble.config, &trouble.failure);
            let again = move |_| atlases.start(page);
            view! {
                <div class="notice" data-notice="sweep" role="alert">
                    <p>{text}</p>
                    <p><button type="button" on:click=on(again)>{words::try_again()}</button>{offer(page, &trouble)}</p>
                </div>
            }
        })
    };
    view! {
        <div class="sweep" data-sweep=live(state) data-missing=live(move || counts.get().map(|(missing, ..)| missing))>
            <button class="plain" type="button" hidden=live(is_idle) on:click=on(toggle)>{part(label)}</button>
            <p class="cost">{part(text)}</p>
            <NumberRow key="deepest"/>
            <i class="cue" hidden=live(move || progress().is_none()) style:width=live(move || progress().unwrap_or_default())></i>
            <p class="vh" role="status">{part(move || words::sweep_state(is_running.get(), counts.get().is_some_and(|(m, ..)| m == 0)))}</p>
        </div>
        {part(trouble)}
        <p class="vh" id="atlas-help">{words::atlas_help()}</p>
    }
}
