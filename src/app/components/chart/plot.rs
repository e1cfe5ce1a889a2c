//! The plot of a chart on its canvases, with its probe and its words.

use crate::app::components::attributes::prelude::*;
use leptos::html;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::app::components::erased::{live, on};
use crate::app::components::layers::{draw_on, place_in, size_of};
use crate::app::outside;
use crate::app::state::{Page, page};
use crate::app::words;
use crate::chart::curve::Curve;
use crate::chart::plot::{block_at, label_room, plot};
use crate::chart::scene::Scene;
use crate::chart::view::{Theory, View};
use crate::stats::Quantity;

use super::axes::Axes;
use super::{Subject, caption_of};

/// A plot.
#[component]
pub(super) fn Plot(axes: Axes, curves: Memo<Vec<Curve>>, is_hidden: RwSignal<bool>) -> impl IntoView {
    let page = page();
    let Axes { subject, quantity, all, held, frame, extent } = axes;
    let holder = NodeRef::<html::Div>::new();
    let size = size_of(holder);
    let layers = [NodeRef::<html::Canvas>::new(), NodeRef::new(), NodeRef::new()];

    let deepest_now = Memo::new(move |_| all.with(|all| all.iter().map(|curve| curve.depth).max().unwrap_or(1)));
    let theory = Memo::new(move |_| {
        let is_here = |line: &Theory| curves.with(|c| c.iter().any(|c| !c.is_kept && c.placement == line.placement));
        page.theory_lines(quantity.get()).into_iter().filter(is_here).collect::<Vec<_>>()
    });
    let view = Memo::new(move |_| {
        let (width, height) = size.get();
        let extent = extent.get();
        let is_one_of_many = curves.with(Vec::len) < all.with(Vec::len);
        let view = View {
            width,
            height,
            theme: page.theme(),
            first: quantity.get().first_block(),
            frame: frame.get(),
            frame_now: extent.frame,
            along: page.request.with(|request| request.along),
            range: held.get().range,
            range_now: extent.range,
            probe: page.probe.get(),
            message: message(page, quantity.get()),
            theory: theory.get(),
            deepest: deepest_now.get(),
            has_key: subject == Subject::Stream && !is_one_of_many,
            least_margin: 0.0,
        };
        let least_margin = if is_one_of_many { all.with(|all| label_room(all, &view)) } else { 0.0 };
        View { least_margin, ..view }
    });
    let scene = Memo::new(move |_| {
        let view = view.get();
        if view.width < 100.0 || view.height < 80.0 { Scene::default() } else { curves.with(|c| plot(c, &view)) }
    });
    draw_on(layers, scene);

    let block_of = move |event: &PointerEvent| {
        let (x, _) = place_in(holder, event)?;
        view.with_untracked(|view| curves.with_untracked(|curves| block_at(curves, view, x)))
    };
    let look = move |event: PointerEvent| page.probe.set(block_of(&event));
    let leave = move |event: PointerEvent| {
        if event.pointer_type() != "touch" {
            page.probe.set(None);
        }
    };
    let key = move |event: KeyboardEvent| probe_by_key(page, quantity, deepest_now.get_untracked(), &event);
    // One of several charts of a quantity says whose it is.
    let name = move || {
        let caption = caption_of(page, quantity.get());
        let is_one = page.request.with(|request| request.multiples);
        curves.with(|curves| match curves.as_slice() {
            [curve] if is_one => words::of_model(caption, &*curve.name),
            _ => caption,
        })
    };
    outside::show(live(name), scene);
    on_cleanup(move || outside::hide(scene));
    let described = move || {
        let message = view.with(|view| view.message.clone()).unwrap_or_default();
        curves.with(|curves| match curves.is_empty() {
            true => message,
            false => in_words(curves, &view.get(), &scene.with(|s| s.notes.join(". "))),
        })
    };
    let canvas = |layer: usize, name: &'static str| view! { <canvas node_ref=layers[layer] data-layer=name></canvas> };
    view! {
        <div
            class="plot"
            class:away=live(move || is_hidden.get())
            node_ref=holder
            tabindex="0"
            role="slider"
            aria-label=live(name)
            aria-valuemin=live(move || quantity.get().first_block())
            aria-valuemax=live(move || deepest_now.get())
            aria-valuenow=live(move || page.probe.get().unwrap_or(deepest_now.get()))
            aria-valuetext=live(described)
            on:pointermove=on(look)
            on:pointerdown=on(look)
            on:pointerleave=on(leave)
            on:keydown=on(key)
            on:blur=on(move |_| page.probe.set(None))
        >
            {canvas(0, "back")} {canvas(1, "data")} {canvas(2, "over")}
        </div>
    }
}

/// What stands in a plot without curves.
fn message(page: Page, quantity: Quantity) -> Option<String> {
    let request = page.request.get();
    if request.placements.is_empty() {
        return Some(words::choose_placement().into());
    }
    let has_quantity = request.configs().iter().any(|config| Quantity::all(config).contains(&quantity));
    if let Quantity::GradWeight(tensor) = quantity
        && !has_quantity
    {
        return Some(words::lacks(tensor).into());
    }
    let has_finished = page.finished.with(|list| !list.is_empty());
    if let Some(base) = page.base_name().filter(|_| has_finished && page.is_settled()) {
        // The model that is compared with lacks the statistic, or is alone.
        let is_alone = request.placements.len() + request.pins.len() < 2;
        return Some(if is_alone { words::nothing_beside(base) } else { words::nothing_to_compare(base) });
    }
    if page.stopped.with(Option::is_some) {
        return Some(words::not_measured().into());
    }
    (!has_finished && page.trouble.with(Option::is_none)).then(|| words::computing().into())
}

/// Moves the probe by the arrow keys.
fn probe_by_key(page: Page, quantity: Memo<Quantity>, deepest: u32, event: &KeyboardEvent) {
    let first = quantity.get_untracked().first_block();
    let now = page.probe.get_untracked();
    let shifted = |by: i64| {
        let from = now.map_or(if by > 0 { i64::from(first) - 1 } else { i64::from(deepest) + 1 }, i64::from);
        (from + by).clamp(i64::from(first), i64::from(deepest)) as u32
    };
    let next = match event.key().as_str() {
        "ArrowRight" | "ArrowUp" => Some(shifted(1)),
        "ArrowLeft" | "ArrowDown" => Some(shifted(-1)),
        "PageUp" => Some(shifted(12)),
        "PageDown" => Some(shifted(-12)),
        "Home" => Some(first),
        "End" => Some(deepest),
        "Escape" => None,
        _ => return,
    };
    event.prevent_default();
    page.probe.set(next);
}

/// The chart, or its probe, in words.
fn in_words(curves: &[Curve], view: &View, notes: &str) -> String {
    let deepest = view.deepest_of(curves);
    let values = |probe: Option<u32>| {
        let one = |curve: &Curve| {
            curve.in_words(probe.map_or(curve.last_block(), |probe| view.block_of(curve, probe, deepest)))
        };
        curves.iter().filter_map(one).collect::<Vec<_>>().join(", ")
    };
    match view.probe {
        Some(probe) => format!("{}: {}", view.place_in_words(probe, deepest), values(Some(probe))),
        None if notes.is_empty() => words::last_block_values(values(None)),
        None => words::last_block_values_and(values(None), notes),
    }
}
