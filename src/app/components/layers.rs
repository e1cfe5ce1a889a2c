//! Canvases over one another, in an element whose size they follow.

use std::rc::Rc;
use std::sync::Arc;

use crate::app::components::attributes::prelude::*;
use leptos::html;
use web_sys::{HtmlCanvasElement, HtmlElement, MouseEvent};

use crate::app::browser;
use crate::app::state::{effect, page};
use crate::chart::canvas::Canvas;
use crate::chart::heat::Raster;
use crate::chart::scene::Scene;

/// Width and height of an element in CSS pixels; 0 until it stands in the document.
pub(super) fn size_of(holder: NodeRef<html::Div>) -> RwSignal<(f64, f64)> {
    let size = RwSignal::new((0.0, 0.0));
    let watch = StoredValue::new_local(None);
    effect(move || {
        let Some(element) = holder.get() else { return };
        let measured = element.clone();
        let measure = move || {
            let now = (f64::from(measured.client_width()), f64::from(measured.client_height()));
            if size.get_untracked() != now {
                size.set(now);
            }
        };
        measure();
        watch.set_value(Some(browser::on_resize(&element, measure)));
    });
    size
}

/// Where a pointer is in an element, in its own CSS pixels, which are larger than those of the window on a page that is
/// drawn large.
pub(super) fn place_in(holder: NodeRef<html::Div>, event: &MouseEvent) -> Option<(f64, f64)> {
    let element: HtmlElement = holder.get_untracked()?.into();
    let bounds = element.get_bounding_client_rect();
    let scale = f64::from(element.client_width()) / bounds.width();
    let place = |at: i32, start: f64| (f64::from(at) - start) * scale;
    Some((place(event.client_x(), bounds.left()), place(event.client_y(), bounds.top())))
}

/// The canvas of a layer, with the font of the page.
fn canvas_of(element: HtmlCanvasElement) -> Option<Canvas> {
    let font = document()
        .document_element()
        .and_then(|root| browser::window().get_computed_style(&root).ok()?)
        .and_then(|style| style.get_property_value("--font").ok())
        .unwrap_or_else(|| "sans-serif".into());
    Canvas::new(element, font.trim().into())
}

/// Draws a scene whenever it changes, back, data and probe each on a layer of its own.
pub(super) fn draw_on(layers: [NodeRef<html::Canvas>; 3], scene: Memo<Scene>) {
    let page = page();
    let ratio = Memo::new(move |_| page.pixel_ratio());
    let canvases = StoredValue::new_local(None::<Rc<[Canvas; 3]>>);
    Effect::new(move |before: Option<(Scene, f64)>| {
        let (scene, ratio) = (scene.get(), ratio.get());
        if canvases.with_value(Option::is_none) {
            let made = layers.map(|layer| layer.get().and_then(canvas_of));
            if let [Some(back), Some(data), Some(over)] = made {
                canvases.set_value(Some(Rc::new([back, data, over])));
            }
        }
        let Some(canvases) = canvases.get_value() else { return (scene, ratio) };
        if scene.width > 0.0 {
            let before = before.filter(|(_, drawn_at)| *drawn_at == ratio).map(|(scene, _)| scene);
            let same_size = before.as_ref().is_some_and(|b| b.width == scene.width && b.height == scene.height);
            let shapes = [
                (&scene.back, before.as_ref().map(|b| &b.back)),
                (&scene.data, before.as_ref().map(|b| &b.data)),
                (&scene.over, before.as_ref().map(|b| &b.over)),
            ];
            for (canvas, (now, before)) in canvases.iter().zip(shapes) {
                if !same_size || before != Some(now) {
                    // A browser that refuses to draw still has the table.
                    let _ = canvas.draw(now, scene.width, scene.height, ratio);
                }
            }
        }
        (scene, ratio)
    });
}

/// Pixels, where on the device they begin, and width and height of their canvas in CSS pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pixels {
    pub(super) raster: Arc<Raster>,
    pub(super) origin: [u32; 2],
    pub(super) size: (f64, f64),
}

/// Puts pixels on a layer whenever they change.
pub(super) fn put_on(layer: NodeRef<html::Canvas>, pixels: Memo<Pixels>) {
    let page = page();
    let canvas = StoredValue::new_local(None::<Rc<Canvas>>);
    effect(move || {
        let ratio = untrack(|| page.pixel_ratio());
        if canvas.with_value(Option::is_none) {
            canvas.set_value(layer.get().and_then(canvas_of).map(Rc::new));
        }
        let Some(canvas) = canvas.get_value() else { return };
        pixels.with(|Pixels { raster, origin, size: (width, height) }| {
            if raster.width > 0 {
                let _ = canvas.put(raster, *origin, *width, *height, ratio);
            }
        });
    });
}
