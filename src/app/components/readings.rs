//! One row a placement: a sentence from its data, its equation, its block.

use crate::app::components::attributes::prelude::*;

use super::block::Block;
use super::erased::{live, on, part, rows};
use crate::app::state::{Gesture, page};
use crate::app::words;
use crate::chart::block::{KEY_BACK, KEY_RING, equation};
use crate::chart::reading::{Span, reading};
use crate::chart::style::style;
use crate::model::Placement;
use crate::share::Request;
use crate::stats::Engine;

/// The readings.
#[component]
pub(super) fn Readings() -> impl IntoView {
    let page = page();
    let placements = Memo::new(move |_| page.request.with(|request| request.placements.clone()));
    // A card stands in the stead of the first that has gone, so that its norms come from there.
    let drawn = StoredValue::new(Vec::<Placement>::new());
    let before = move |placement: Placement| {
        let mut gone = None;
        drawn.update_value(|drawn| {
            if drawn.contains(&placement) {
                return;
            }
            let place = placements.with_untracked(|now| drawn.iter().position(|drawn| !now.contains(drawn)));
            match place {
                Some(place) => gone = Some(std::mem::replace(&mut drawn[place], placement)),
                None => drawn.push(placement),
            }
        });
        gone
    };
    let is_many = Memo::new(move |_| placements.with(|list| list.len() >= 3));
    view! {
        <section
            class="readings"
            class:many=live(move || is_many.get())
            aria-label=words::readings()
        >
            {rows(
                move || placements.get().into_iter().map(|placement| placement as usize).collect(),
                move |index| {
                    let placement = Placement::ALL[index];
                    view! { <Reading placement=placement is_low=is_many before=before(placement)/> }.into_any()
                },
            )}
            <p class="drawn" aria-hidden="true">
                <span class="art" inner_html=KEY_BACK></span> {words::key_back()}
                <span class="art" inner_html=KEY_RING></span> {words::key_ring()}
            </p>
        </section>
    }
}

#[component]
fn Reading(placement: Placement, is_low: Memo<bool>, before: Option<Placement>) -> impl IntoView {
    let page = page();
    let pass = Memo::new(move |_| page.shown().into_iter().find(|(p, _)| p.measurement.config.placement == placement));
    let name_class = format!("name text-{}", style(placement).hue.key());
    let sentence = move || {
        let (pass, is_fresh) = pass.get()?;
        let gradient = page.request.with(Request::gradient);
        let read = reading(&pass.measurement, gradient);
        let spans = read.spans.into_iter().map(|span| match span {
            Span::Words(text) => text.into_any(),
            Span::Number(text) => view! { <b>{text}</b> }.into_any(),
            Span::Symbol(letter, below) => view! { {letter}<sub>{below}</sub> }.into_any(),
        });
        // Of another depth, it says which.
        let depth = pass.measurement.config.depth;
        let is_late = page.is_late.get() && !is_fresh;
        let other =
            is_late.then(|| view! { " " <span class="other">{words::of_depth(words::depth_in_words(depth))}</span> });
        let offer = (read.is_unresolved && pass.measurement.engine != Engine::Reference).then(|| {
            let compute = move |_| page.change(Gesture::Choice, |request| request.engine = Some(Engine::Reference));
            view! { " " <button class="inline" type="button" on:click=on(compute)>{words::in_float64()}</button> }
        });
        Some(view! { {spans.collect_view()} {other} {offer} })
    };
    view! {
        <div class="reading" data-placement=placement.key()>
            <p class="say">
                <b class=name_class>{placement.recipe().label}</b> " "
                {part(sentence)}
            </p>
            <p class="equation" inner_html=equation(placement)></p>
            <Block placement=placement pass=pass is_low=is_low before=before/>
        </div>
    }
}
