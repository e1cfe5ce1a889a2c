//! Who computed, how long it took; and the result in words once it rests.

use crate::app::components::attributes::prelude::*;

use super::erased::{live, part};
use crate::app::browser::Later;
use crate::app::state::{Cost, Device, Page, effect, page};
use crate::app::words;
use crate::chart::curve::precision;
use crate::chart::reading::reading;
use crate::stats::Engine;

/// Who computes.
pub(super) fn who(page: Page) -> String {
    let engine = page.engine();
    page.device.with(|device| match device {
        Device::Ready(adapter) => words::who(engine, &adapter.name, adapter.is_software),
        _ => words::who(engine, "", false),
    })
}

/// The status line.
#[component]
pub(super) fn Status() -> impl IntoView {
    let page = page();
    let time = move || {
        let shown = page.shown();
        let (from_atlas, ran): (Vec<_>, Vec<_>) = shown.iter().partition(|(pass, _)| pass.is_from_atlas);
        let sum: f64 = ran.iter().map(|(pass, _)| pass.milliseconds).sum();
        match (ran.len(), from_atlas.len()) {
            (0, 0) => None,
            (0, _) => Some(words::from_atlas().into()),
            (count, 0) => Some(words::time_of_passes(count, sum)),
            (count, _) => Some(format!("{}, {}", words::time_of_passes(count, sum), words::from_atlas())),
        }
    };
    let cost = move || {
        let shown = page.shown();
        let cost: Option<Cost> = shown.iter().map(|(pass, _)| pass.cost).sum();
        cost.filter(|_| !shown.is_empty()).map(words::cost)
    };
    let running = move || {
        page.running.get().filter(|_| page.is_late.get()).map(|running| {
            let percent = (running.progress * 100.0).floor() as u32;
            view! { <span class="running">{words::running(running.placement.recipe().label, percent)}</span> }
        })
    };
    view! {
        <footer class="status">
            <i class="dot" class:busy=live(move || page.running.with(Option::is_some))></i>
            <span data-status="who">{part(move || who(page))}</span>
            <span data-status="time">{part(time)}</span>
            <span class="wide" data-status="cost">{part(cost)}</span>
            <span>{part(move || page.request.with(|request| words::seed(request.config.seed.to_string())))}</span>
            <span class="wide">{part(move || page.engine().map(precision))}</span>
            {part(running)}
        </footer>
    }
}

/// Reads the result aloud once it has come to rest.
#[component]
pub(super) fn Announcer() -> impl IntoView {
    let page = page();
    let said = RwSignal::new(String::new());
    let later = Later::default();
    effect(move || {
        let is_settled = page.is_settled();
        let shown = page.shown();
        let (depth, gradient) = page.request.with(|request| (request.config.depth, request.gradient()));
        later.forget();
        if is_settled && !shown.is_empty() && !page.is_playing.get() {
            later.ask(800, move || {
                let sentences = shown.iter().map(|(pass, _)| {
                    let label = pass.measurement.config.placement.recipe().label;
                    format!("{label} {}", reading(&pass.measurement, gradient).text())
                });
                let sentences: Vec<_> = sentences.collect();
                said.set(format!("{}. {}", words::depth_in_words(depth), sentences.join(" ")));
            });
        }
    });
    let engine = move || page.engine().map_or("", Engine::key);
    view! {
        <p
            class="vh"
            role="status"
            aria-live="polite"
            data-announcer=""
            data-engine=live(engine)
            data-settled=live(move || if page.is_settled() { "true" } else { "false" })
        >
            {part(move || said.get())}
        </p>
    }
}
