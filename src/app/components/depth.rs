//! The depth: figure, steps, play, and a logarithmic slider over a native range.

use crate::app::components::attributes::prelude::*;
use leptos::html;
use web_sys::{HtmlElement, KeyboardEvent, PointerEvent};

use crate::app::play::{self, DEEPEST, SHALLOWEST, TICKS};
use crate::app::state::page;
use crate::app::words;
use crate::text::number;

use super::erased::{live, on, part};
use super::icons;

/// Blocks of a page key.
const PAGE: i64 = 12;

/// The depth.
#[component]
pub(super) fn Depth() -> impl IntoView {
    let page = page();
    let depth = Memo::new(move |_| page.request.with(|request| request.config.depth));
    let step = move |by: i64| play::step(page, by);
    let speed = move || format!("{}×", number::plain(page.request.with(|request| request.speed.factor())));
    let repeats = move || page.request.with(|request| request.repeat);
    let toggle = move |_| play::toggle(page);
    let play_label = move || {
        if page.is_playing.get() { words::pause().into() } else { words::play_from(play::start_from(depth.get())) }
    };
    let is_idle = move || !page.has_placement();
    let play_icon = move || if page.is_playing.get() { icons::PAUSE } else { icons::PLAY };
    view! {
        <section class="depth" aria-label=words::depth()>
            <p class="figure" aria-hidden="true">
                <b>{part(move || depth.get())}</b>
                <span>{part(move || if depth.get() == 1 { words::block() } else { words::blocks() })}</span>
            </p>
            <div class="buttons">
                <button class="step" type="button" aria-label=words::fewer() title=words::fewer() on:click=on(move |_| step(-1))>
                    <span class="art" inner_html=icons::MINUS></span>
                </button>
                <button
                    class="play"
                    type="button"
                    aria-label=live(play_label)
                    title=live(move || (!is_idle()).then(play_label))
                    aria-disabled=live(move || is_idle().then_some("true"))
                    aria-description=live(move || is_idle().then_some(words::choose_placement()))
                    data-why=live(move || is_idle().then_some(words::choose_placement()))
                    on:click=on(toggle)
                >
                    <span class="art" inner_html=live(play_icon)></span>
                </button>
                <button class="step" type="button" aria-label=words::more() title=words::more() on:click=on(move |_| step(1))>
                    <span class="art" inner_html=icons::PLUS></span>
                </button>
            </div>
            <div class="pace">
                <button
                    class="speed"
                    type="button"
                    aria-label=live(move || words::speed(speed()))
                    title=live(move || words::speed(speed()))
                    on:click=on(move |_| play::change_speed(page, 1))
                >
                    {part(speed)}
                </button>
                <button
                    class="repeat"
                    type="button"
                    aria-label=words::repeat()
                    title=words::repeat()
                    aria-pressed=live(move || if repeats() { "true" } else { "false" })
                    on:click=on(move |_| play::toggle_repeat(page))
                >
                    <span class="art" inner_html=icons::REPEAT></span>
                </button>
            </div>
            <Slider depth=depth/>
        </section>
    }
}

#[component]
fn Slider(depth: Memo<u32>) -> impl IntoView {
    let page = page();
    let rail = NodeRef::<html::Div>::new();
    let range = NodeRef::<html::Input>::new();

    let depth_under = move |event: &PointerEvent| {
        let element: HtmlElement = rail.get_untracked()?.into();
        let bounds = element.get_bounding_client_rect();
        let share = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
        Some(play::depth_at(share))
    };
    let press = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        event.prevent_default();
        if let Some(element) = rail.get_untracked() {
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        if let Some(range) = range.get_untracked() {
            let _ = range.focus();
        }
        page.is_playing.set(false);
        page.next_turn();
        page.is_dragging.set_value(true);
        if let Some(depth) = depth_under(&event) {
            play::set_depth(page, depth);
        }
    };
    let drag = move |event: PointerEvent| {
        if page.is_dragging.get_value()
            && let Some(depth) = depth_under(&event)
        {
            play::set_depth(page, depth);
        }
    };
    let release = move |_: PointerEvent| page.is_dragging.set_value(false);
    let key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let by = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => 1,
            "ArrowLeft" | "ArrowDown" => -1,
            "PageUp" => PAGE,
            "PageDown" => -PAGE,
            "Home" => -i64::from(DEEPEST),
            "End" => i64::from(DEEPEST),
            " " => {
                event.prevent_default();
                play::toggle(page);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        play::step(page, by);
    };
    // Assistive technology may set the native range directly.
    let input = move |event| {
        if let Ok(depth) = event_target_value(&event).parse() {
            play::set_depth(page, depth);
        }
    };

    let position = move || format!("{:.3}%", 100.0 * play::share_of(depth.get()));
    let tick = move |(index, tick): (usize, u32)| {
        let left = format!("{:.3}%", 100.0 * play::share_of(tick));
        let is_last = index == TICKS.len() - 1;
        view! {
            <span
                class="tick"
                class:on=live(move || depth.get() == tick)
                class:first=index == 0
                class:last=is_last
                style:left=left
            >
                {tick}
                <small>{words::MODELS[index]}</small>
            </span>
        }
    };
    view! {
        <div
            class="slider"
            node_ref=rail
            on:pointerdown=on(press)
            on:pointermove=on(drag)
            on:pointerup=on(release)
            on:pointercancel=on(release)
        >
            <input
                node_ref=range
                type="range"
                min=SHALLOWEST
                max=DEEPEST
                step="1"
                aria-label=words::depth()
                aria-valuetext=live(move || words::depth_in_words(depth.get()))
                aria-describedby="depth-help"
                prop:value=live(move || depth.get().to_string())
                on:keydown=on(key)
                on:input=on(input)
            />
            <span class="vh" id="depth-help">{words::depth_help()}</span>
            <span class="ticks" aria-hidden="true">
                {TICKS.into_iter().enumerate().map(tick).collect_view()}
            </span>
            <i class="track"></i>
            <i class="fill" style:width=live(position)></i>
            <i class="thumb" style:left=live(position)></i>
        </div>
    }
}
