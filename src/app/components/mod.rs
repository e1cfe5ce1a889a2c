//! What is seen.

#![expect(unreachable_pub, reason = "the component macro makes its property types public")]

mod atlas;
mod attributes;
mod block;
mod chart;
mod chips;
mod claims;
mod compare;
mod controls;
mod depth;
mod erased;
mod evidence;
mod field;
mod header;
mod icons;
mod layers;
mod notices;
mod preset;
mod readings;
mod shortcuts;
mod sparklines;
mod status;
mod table;
mod theory;
mod tour;
mod work;

use std::rc::Rc;

use crate::app::components::attributes::prelude::*;
use leptos::ev;

use super::address::Address;
use super::engines::Engines;
use super::state::{Page, effect};
use super::{browser, outside, runner, words};
use crate::share::View;
use erased::{live, when};

pub(super) use chart::Subject;
pub(super) use evidence::evidence;

/// The whole page.
#[component]
pub(super) fn App(engines: Rc<Engines>) -> impl IntoView {
    let page = Page::new(engines);
    provide_context(page);
    header::follow_theme(page);
    browser::on_pixel_ratio(move || page.dots.set(browser::device_pixel_ratio()));
    effect(move || {
        page.request.with(|request| {
            let hidden = request.hide.iter().map(|part| part.key()).collect::<Vec<_>>().join(" ");
            header::set_attribute("data-projector", request.projector.then_some(""));
            header::set_attribute("data-embed", request.embed.then_some(""));
            header::set_attribute("data-hide", Some(hidden.as_str()).filter(|hidden| !hidden.is_empty()));
        });
    });
    runner::start(page);
    outside::offer(page);

    let back = window_event_listener(ev::popstate, move |_| page.follow_address());
    on_cleanup(move || back.remove());
    effect(move || {
        let depth = page.request.with(|request| request.config.depth);
        document().set_title(&words::page_title(words::NAME, words::depth_in_words(depth)));
    });

    view! {
            <header::Header/>
            {when(move || page.request.with(|request| request.view == View::Claims), move || view! {
                <claims::Claims/>
    })}
            {when(move || page.request.with(|request| request.view == View::Atlas), move || view! {
                <atlas::Atlas/>
    })}
            <main class="app" hidden=live(move || page.request.with(|request| request.view != View::Explore))>
                <depth::Depth/>
                <chips::Chips/>
                <div class="main">
                    <notices::Notices/>
                    <work::Work/>
                    <section class="charts" aria-label=words::charts()>
                        <chart::Chart subject=Subject::Stream/>
                        <chart::Chart subject=Subject::Gradient/>
                    </section>
                    <readings::Readings/>
                    <sparklines::Sparklines/>
                    <compare::Compare/>
                    <theory::TheoryList/>
                    <status::Status/>
                    <a class="whole" target="_blank" rel="noopener" href=live(move || page.request.with(|request| Address::link(&request.whole())))>{words::open_whole()}</a>
                </div>
                <controls::Controls/>
            </main>
            <tour::Tour/>
            <status::Announcer/>
        }
}
