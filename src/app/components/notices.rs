//! What went wrong, what is kept, and what can be done. Between depth and charts, without colour.

use crate::app::components::attributes::prelude::*;
use leptos::html;

use super::erased::{on, part};
use crate::app::engines::Failure;
use crate::app::state::{Device, Gesture, Page, Trouble, page};
use crate::app::words;
use crate::stats::Engine;

/// Another engine, where one may do what failed: what the device cannot do the processor may; what no plan holds the
/// reference may, which needs none.
pub(super) fn offer(page: Page, trouble: &Trouble) -> Option<impl IntoView + use<>> {
    let (engine, label) = match (&trouble.failure, trouble.engine) {
        (Failure::NoPlan(_), Engine::Gpu | Engine::Cpu) => (Engine::Reference, words::in_float64()),
        (_, Engine::Gpu) => (Engine::Cpu, words::use_processor()),
        _ => return None,
    };
    let choose = move |_| page.change(Gesture::Choice, |request| request.engine = Some(engine));
    Some(view! { <button type="button" on:click=on(choose)>{label}</button> })
}

/// The notices.
#[component]
pub(super) fn Notices() -> impl IntoView {
    let page = page();
    let is_told = RwSignal::new(false);
    let link = move || {
        let list = page.link_notices.get();
        (!list.is_empty()).then(|| {
            let lines = list.into_iter().map(|notice| view! { <li>{notice.to_string()}</li> }).collect_view();
            let dismiss = move |_| page.link_notices.set(Vec::new());
            view! {
                <div class="notice" data-notice="link" role="alert">
                    <p>{words::link_trouble()}</p>
                    <ul>{lines}</ul>
                    <p><button type="button" on:click=on(dismiss)>{words::dismiss()}</button></p>
                </div>
            }
        })
    };
    let webgpu = move || {
        let is_missing = page.device.with(|device| *device == Device::Missing);
        let wants_gpu = page.request.with(|request| matches!(request.engine, None | Some(Engine::Gpu)));
        (is_missing && wants_gpu && !is_told.get() && page.trouble.with(Option::is_none)).then(|| {
            view! {
                <div class="notice" data-notice="webgpu" role="status">
                    <p>
                        {words::no_webgpu()} " "
                        <button type="button" on:click=on(move |_| is_told.set(true))>{words::dismiss()}</button>
                    </p>
                </div>
            }
        })
    };
    let trouble = move || {
        page.trouble.get().map(|trouble| {
            let is_kept = page.finished.with(|list| !list.is_empty());
            let text = words::trouble(&trouble.config, &trouble.failure, is_kept);
            let again = move |_| {
                page.trouble.set(None);
                page.retries.update(|count| *count += 1);
            };
            let offer = offer(page, &trouble);
            view! {
                <div class="notice" data-notice="trouble" role="alert">
                    <p>{text}</p>
                    <p><button type="button" on:click=on(again)>{words::try_again()}</button>{offer}</p>
                </div>
            }
        })
    };
    let stopped = move || {
        page.stopped.get().map(|running| {
            let is_kept = page.finished.with(|list| !list.is_empty());
            let again = move |_| page.retries.update(|count| *count += 1);
            // It takes the focus over from the button that is gone.
            let button = NodeRef::<html::Button>::new();
            button.on_load(|button| {
                let _ = button.focus();
            });
            view! {
                <div class="notice" data-notice="stopped" role="status">
                    <p>
                        {words::stopped(&running, is_kept)} " "
                        <button type="button" node_ref=button on:click=on(again)>{words::run_again()}</button>
                    </p>
                </div>
            }
        })
    };
    view! { <div class="notices">{part(link)} {part(webgpu)} {part(trouble)} {part(stopped)}</div> }
}
