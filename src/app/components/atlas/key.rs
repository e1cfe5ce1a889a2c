//! What the colours say: the statistic, chosen here, and its scale.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;
use leptos::html;

use crate::app::components::Subject;
use crate::app::components::chart::Title;
use crate::app::components::layers::{Pixels, draw_on, put_on, size_of};
use crate::app::outside;
use crate::app::state::page;
use crate::app::words;
use crate::chart::heat::legend::{Legend, legend};
use crate::chart::heat::texture::Texture;
use crate::sort::sort_short;

use super::super::erased::{live, part};
use super::Shared;

/// No narrower scale is drawn.
const LEAST_WIDTH: f64 = 100.0;

/// The key.
#[component]
pub(super) fn Key(shared: Shared) -> impl IntoView {
    let page = page();
    let Shared { quantity, sheets, scale } = shared;
    let holder = NodeRef::<html::Div>::new();
    let size = size_of(holder);
    let textures = Memo::new(move |_| {
        let mut all: Vec<Texture> =
            sheets.with(|list| list.iter().flat_map(|made| made.sheet.textures().collect::<Vec<_>>()).collect());
        sort_short(&mut all, Ord::cmp);
        all.dedup();
        all
    });
    let drawn = Memo::new(move |_| {
        let (width, ratio) = (size.get().0, page.pixel_ratio());
        if width < LEAST_WIDTH {
            return Legend::default();
        }
        textures.with(|textures| legend(&scale.get(), textures, width, ratio, &page.theme()))
    });
    let layers = [NodeRef::<html::Canvas>::new(), NodeRef::new(), NodeRef::new()];
    let colors = NodeRef::<html::Canvas>::new();
    let scene = Memo::new(move |_| drawn.with(|drawn| drawn.scene.clone()));
    draw_on(layers, scene);
    let pixels = Memo::new(move |_| {
        drawn.with(|drawn| Pixels {
            raster: Arc::new(drawn.raster.clone()),
            origin: [0, 0],
            size: (drawn.scene.width, drawn.scene.height),
        })
    });
    put_on(colors, pixels);
    let described = live(move || {
        let names: Vec<_> = textures.with(|list| list.iter().map(|texture| texture.name()).collect());
        words::color_scale(&scale.get(), &names)
    });
    outside::show(Arc::clone(&described), scene);
    on_cleanup(move || outside::hide(scene));
    let layer = |layer: usize| view! { <canvas node_ref=layers[layer]></canvas> };
    view! {
        <figure class="chart key-of-colors">
            <figcaption>
                <Title subject=Subject::Gradient quantity=quantity/>
                <span class="unit">{part(move || words::unit(quantity.get()))}</span>
            </figcaption>
            <div
                class="ramp"
                node_ref=holder
                role="img"
                aria-label=described
                style:height=live(move || format!("{}px", drawn.with(|drawn| drawn.scene.height).max(36.0)))
            >
                <canvas node_ref=colors data-layer="colors"></canvas>
                {layer(0)} {layer(1)} {layer(2)}
            </div>
        </figure>
    }
}
