//! One placement's panel, with a probe that all panels share.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;
use leptos::html;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

use crate::app::components::layers::{Pixels, draw_on, place_in, put_on, size_of};
use crate::app::outside;
use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::chart::block::glyph;
use crate::chart::curve::precision;
use crate::chart::heat::raster::paint;
use crate::chart::heat::saying::saying;
use crate::chart::heat::{self, Sheet};
use crate::chart::scene::Scene;
use crate::model::Placement;
use crate::stats::Engine;

use super::super::erased::{live, on, part};
use super::Shared;

/// Depths of a page key.
const PAGE: i64 = 12;
/// No narrower panel is drawn.
const LEAST_WIDTH: f64 = 120.0;

/// A panel.
#[component]
pub(super) fn Panel(placement: Placement, shared: Shared) -> impl IntoView {
    let page = page();
    let holder = NodeRef::<html::Div>::new();
    let size = size_of(holder);
    let sheet = Memo::new_with_compare(
        move |_| shared.sheet(placement),
        |before, now| match (before, now) {
            (Some(Some(before)), Some(Some(now))) => !Arc::ptr_eq(before, now),
            _ => true,
        },
    );
    let place = Memo::new(move |_| {
        let (width, ratio) = (size.get().0.max(LEAST_WIDTH), page.pixel_ratio());
        sheet
            .with(|sheet| Some(heat::Panel::new(width, ratio, sheet.as_ref()?.depths.clone(), sheet.as_ref()?.first())))
    });
    let depth = Memo::new(move |_| page.request.with(|request| request.config.depth));
    let is_there = move || size.with(|(width, _)| *width > 0.0);

    let scene = Memo::new(move |_| {
        let (Some(sheet), Some(place), true) = (sheet.get(), place.get(), is_there()) else { return Scene::default() };
        place.scene(&sheet, &shared.scale.get(), depth.get(), page.atlases.probe.get(), &page.theme())
    });
    let pixels = Memo::new(move |_| {
        let (Some(sheet), Some(place), true) = (sheet.get(), place.get(), is_there()) else { return Pixels::default() };
        let raster = paint(&sheet, &shared.scale.get(), &page.theme(), place.pixels, untrack(|| page.pixel_ratio()));
        Pixels { raster: Arc::new(raster), origin: place.origin, size: (place.width, place.height) }
    });
    let label = placement.recipe().label;
    let name = live(move || words::panel_of(label, shared.quantity.get()));
    outside::show(Arc::clone(&name), scene);
    on_cleanup(move || outside::hide(scene));
    let layers = [NodeRef::<html::Canvas>::new(), NodeRef::new(), NodeRef::new()];
    let cells = NodeRef::<html::Canvas>::new();
    draw_on(layers, scene);
    put_on(cells, pixels);

    // Under the pointer, on the measured depth that is drawn there.
    let under = move |event: &MouseEvent| {
        let (x, y) = place_in(holder, event)?;
        let (depth, block) = place.with_untracked(|place| place.as_ref()?.at(x, y))?;
        let known = sheet.with_untracked(|sheet| sheet.as_ref()?.stand_in(depth))?;
        Some((known, block.min(known)))
    };
    let look = move |event: PointerEvent| set_probe(page, under(&event));
    let leave = move |event: PointerEvent| {
        if event.pointer_type() != "touch" {
            set_probe(page, None);
        }
    };
    let press = move |event: MouseEvent| {
        if let Some((depth, block)) = under(&event) {
            choose(page, depth, block);
        }
    };
    let key = move |event: KeyboardEvent| {
        if let Some(sheet) = sheet.get_untracked() {
            work_by_key(page, &sheet, &event);
        }
    };

    let engine = move || page.engine().unwrap_or(Engine::Gpu);
    let saying = move || sheet.with(|sheet| sheet.as_ref().map_or_else(Vec::new, |sheet| saying(sheet, depth.get())));
    let probed = move || {
        let (depth, block) = page.atlases.probe.get()?;
        let cell = sheet.with(|sheet| sheet.as_ref()?.cell(depth, block));
        let is_marked = cell.is_none_or(|cell| cell.mark.is_some());
        Some((words::place(depth, block), words::cell(cell, precision(engine())), is_marked))
    };
    let lines = move || match probed() {
        Some((place, value, is_marked)) => {
            view! { <p class="probed">{place}<b class:marked=is_marked>{value}</b></p> }.into_any()
        }
        None => saying().into_iter().map(|line| view! { <p>{line}</p> }).collect_view().into_any(),
    };
    let in_words = move || match probed() {
        Some((place, value, _)) => format!("{place}: {value}"),
        None => saying().join("; "),
    };
    let layer = |layer: usize, name: &'static str| view! { <canvas node_ref=layers[layer] data-layer=name></canvas> };
    view! {
        <figure class="panel" data-placement=placement.key()>
            <figcaption>
                <h2>{label}</h2>
                {part(lines)}
                <span class="art" inner_html=glyph(placement)></span>
            </figcaption>
            <div
                class="map"
                node_ref=holder
                tabindex="0"
                role="slider"
                aria-label=name
                aria-orientation="vertical"
                aria-valuemin=live(move || sheet.with(|sheet| sheet.as_ref().map(|sheet| *sheet.depths.start())))
                aria-valuemax=live(move || sheet.with(|sheet| sheet.as_ref().map(|sheet| *sheet.depths.end())))
                aria-valuenow=live(move || page.atlases.probe.get().map_or_else(|| depth.get(), |(depth, _)| depth))
                aria-valuetext=live(in_words)
                aria-describedby="atlas-help"
                style:height=live(move || place.with(|place| place.as_ref().map(|place| format!("{}px", place.height))))
                on:pointermove=on(look)
                on:pointerdown=on(look)
                on:pointerleave=on(leave)
                on:click=on(press)
                on:keydown=on(key)
                on:blur=on(move |_| set_probe(page, None))
            >
                {layer(0, "back")}
                <canvas node_ref=cells data-layer="cells"></canvas>
                {layer(1, "data")} {layer(2, "over")}
            </div>
        </figure>
    }
}

fn set_probe(page: Page, probe: Option<(u32, u32)>) {
    if page.atlases.probe.get_untracked() != probe {
        page.atlases.probe.set(probe);
    }
}

/// Makes a depth the one that is asked for, and a block the one of the table.
fn choose(page: Page, depth: u32, block: u32) {
    page.atlases.block.set(block);
    page.is_playing.set(false);
    page.set_depth(depth, Gesture::Choice);
}

/// Moves the probe over what is measured by the arrow keys, and chooses.
fn work_by_key(page: Page, sheet: &Sheet, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let asked = page.request.with_untracked(|request| request.config.depth);
    let now = page.atlases.probe.get_untracked();
    let (depth, block) = now.unwrap_or((asked, page.atlases.block.get_untracked()));
    let Some(depth) = sheet.stand_in(depth) else { return };
    let at = |depth: u32, block: i64| (depth, block.clamp(i64::from(sheet.first()), i64::from(depth)) as u32);
    let block = i64::from(block);
    // The first key finds the place, those after it move.
    let move_by = |depths: i64, blocks: i64| {
        if now.is_none() {
            return Some(at(depth, block));
        }
        let wanted = i64::from(depth) + depths;
        let next = match depths {
            0 => Some(depth),
            1 => sheet.rows().map(|(known, _)| known).find(|known| *known > depth),
            -1 => sheet.rows().map(|(known, _)| known).rev().find(|known| *known < depth),
            _ => sheet.stand_in(wanted.clamp(i64::from(*sheet.depths.start()), i64::from(*sheet.depths.end())) as u32),
        };
        Some(at(next.unwrap_or(depth), block + blocks))
    };
    let next = match event.key().as_str() {
        "ArrowDown" => move_by(1, 0),
        "ArrowUp" => move_by(-1, 0),
        "PageDown" => move_by(PAGE, 0),
        "PageUp" => move_by(-PAGE, 0),
        "ArrowRight" => move_by(0, 1),
        "ArrowLeft" => move_by(0, -1),
        "Home" => Some(at(depth, 0)),
        "End" => Some(at(depth, i64::from(depth))),
        "Enter" | " " => {
            let (depth, block) = at(depth, block);
            choose(page, depth, block);
            Some((depth, block))
        }
        "Escape" => None,
        _ => return,
    };
    event.prevent_default();
    set_probe(page, next);
}
