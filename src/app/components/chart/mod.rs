//! One chart: title, scale, plot with probe, or the same numbers as a table.

mod axes;
mod plot;

use crate::app::components::attributes::prelude::*;
use leptos::html;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::model::Config;
use crate::share::{Relation, Request, Scale};
use crate::stats::Quantity;

use super::erased::{live, on, part, rows, when};
use super::field::{choices_of, text_of};
use super::icons;
use super::table::Table;
use axes::Axes;
use plot::Plot;

/// What a chart is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The first, of the residual stream unless another is chosen.
    Stream,
    /// The second, of a gradient unless another is chosen.
    Gradient,
}

impl Subject {
    const fn key(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Gradient => "gradient",
        }
    }

    /// The key of a link that says what it shows.
    const fn statistic(self) -> &'static str {
        match self {
            Self::Stream => "first_statistic",
            Self::Gradient => "statistic",
        }
    }
}

/// The unit beside a title, and what the curves are compared with.
fn unit_of(page: Page, quantity: Quantity) -> String {
    words::unit_against(quantity, page.request.with(|request| request.relation), page.base_name())
}

/// What a chart and its table are called.
pub(super) fn caption_of(page: Page, quantity: Quantity) -> String {
    words::caption(quantity, &unit_of(page, quantity))
}

/// A chart.
#[component]
pub(super) fn Chart(subject: Subject) -> impl IntoView {
    let page = page();
    let is_table = RwSignal::new(false);
    let quantity = Memo::new(move |_| page.request.with(|request| request.charts[subject as usize].statistic));
    let curves = Memo::new(move |_| page.curves(quantity.get()));
    let fits = RwSignal::new(0);
    let axes = Axes::new(page, subject, quantity, curves, fits);
    let is_split = Memo::new(move |_| page.request.with(|request| request.multiples) && curves.with(|c| c.len() > 1));
    let plots = move || {
        if !is_split.get() {
            return view! { <Plot axes=axes curves=curves is_hidden=is_table/> }.into_any();
        }
        let cells = rows(
            move || (0..curves.with(Vec::len)).collect(),
            move |index| {
                let one = Memo::new(move |_| curves.with(|curves| curves.get(index).cloned().into_iter().collect()));
                view! { <div class="cell"><Plot axes=axes curves=one is_hidden=is_table/></div> }.into_any()
            },
        );
        view! { <div class="cells">{cells}</div> }.into_any()
    };
    let progress = move || {
        let running = page.running.get().filter(|_| page.is_late.get());
        running.map(|running| format!("{:.1}%", 4.0 + 96.0 * running.progress))
    };
    view! {
            <figure class="chart" data-chart=subject.key()>
                <figcaption>
                    <Title subject=subject quantity=quantity/>
                    <span class="unit" title=live(move || unit_of(page, quantity.get()))>{part(move || unit_of(page, quantity.get()))}</span>
                    <Options subject=subject is_table=is_table fits=fits/>
                </figcaption>
                <i class="cue" hidden=live(move || progress().is_none()) style:width=live(move || progress().unwrap_or_default())></i>
                <div class="frame" class:split=live(move || is_split.get())>
                    {part(plots)}
                    {when(move || is_table.get(), move || view! {
                        <Table quantity=quantity curves=curves/>
    })}
                </div>
            </figure>
        }
}

/// The title of a chart, which chooses the statistic.
#[component]
pub(super) fn Title(subject: Subject, quantity: Memo<Quantity>) -> impl IntoView {
    let page = page();
    let words = move || {
        let (before, letter, below) = words::title(quantity.get());
        view! { {before}{letter}<sub>{below}</sub> }
    };
    let key = subject.statistic();
    let label = if subject == Subject::Stream { words::first_statistic() } else { words::label("statistic") };
    let change = move |event| {
        let text = event_target_value(&event);
        page.change(Gesture::Choice, |request| {
            // A word of the list itself is always allowed.
            let _ = request.set(key, &text);
            request.charts[subject as usize].scale = None;
        });
    };
    let option = move |word: &'static str| {
        let is_missing = move || page.request.with(|request| is_missing(request, word));
        view! {
            <option value=word selected=live(move || text_of(page, key) == word) disabled=live(is_missing)>
                {words::choice("statistic", word)}
            </option>
        }
    };
    view! {
        <h2 class="choice">
            <span aria-hidden="true">{part(words)}<span class="art" inner_html=icons::CHEVRON></span></span>
            <select
                name=key
                aria-label=label
                prop:value=live(move || text_of(page, key))
                on:change=on(change)
                on:focus=on(move |_| page.helped.set("statistic"))
            >
                {choices_of("statistic").iter().map(|word| option(word)).collect_view()}
            </select>
        </h2>
    }
}

/// Whether no model asked for has this statistic.
fn is_missing(request: &Request, word: &str) -> bool {
    let has = |config: &Config| Quantity::all(config).iter().any(|quantity| quantity.name() == word);
    !request.configs().iter().any(has)
}

#[component]
fn Options(subject: Subject, is_table: RwSignal<bool>, fits: RwSignal<u32>) -> impl IntoView {
    let page = page();
    let is_open = RwSignal::new(false);
    let scale = Memo::new(move |_| page.request.with(|request| request.scale_of(subject as usize)));
    let pressed = |is_on: bool| if is_on { "true" } else { "false" };
    let choose = move |wanted: Scale| {
        is_table.set(false);
        is_open.set(false);
        page.change(Gesture::Choice, |request| request.charts[subject as usize].scale = Some(wanted));
    };
    let is_scale = move |wanted: Scale| !is_table.get() && scale.get() == wanted;
    // What is compared has a scale of its own.
    let is_compared = move || page.request.with(|request| request.relation != Relation::Values);
    let scale_button = move |wanted: Scale, name: &'static str| {
        view! {
            <button
                type="button"
                data-option=wanted.key()
                hidden=live(is_compared)
                aria-pressed=live(move || pressed(is_scale(wanted)))
                on:click=on(move |_| choose(wanted))
            >
                {name}
            </button>
        }
    };
    let close_on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            is_open.set(false);
        }
    };
    // A press or a focus anywhere else closes the list.
    let holder = NodeRef::<html::Div>::new();
    let close_outside = move |event: &web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        let is_inside = holder.get_untracked().is_some_and(|holder| holder.contains(target.as_ref()));
        if is_open.get_untracked() && !is_inside {
            is_open.set(false);
        }
    };
    let pressed_outside = window_event_listener(leptos::ev::pointerdown, move |event| close_outside(&event));
    let focused_outside = window_event_listener(leptos::ev::focusin, move |event| close_outside(&event));
    on_cleanup(move || {
        pressed_outside.remove();
        focused_outside.remove();
    });
    view! {
        <div class="options" node_ref=holder class:open=live(move || is_open.get()) on:keydown=on(close_on_escape)>
            <button
                class="dots"
                type="button"
                aria-label=words::chart_options()
                aria-expanded=live(move || pressed(is_open.get()))
                on:click=on(move |_| is_open.update(|open| *open = !*open))
            >
                <span class="art" inner_html=icons::DOTS></span>
            </button>
            <div class="list" role="group" aria-label=words::chart_options()>
                {scale_button(Scale::Linear, words::linear())}
                {scale_button(Scale::Log, words::log())}
                <button
                    type="button"
                    data-option="fit"
                    on:click=on(move |_| {
                        is_open.set(false);
                        is_table.set(false);
                        fits.update(|fits| *fits += 1);
                    })
                >
                    {words::fit()}
                </button>
                <button
                    type="button"
                    data-option="table"
                    aria-pressed=live(move || pressed(is_table.get()))
                    on:click=on(move |_| {
                        is_open.set(false);
                        is_table.update(|table| *table = !*table);
                    })
                >
                    {words::table()}
                </button>
            </div>
        </div>
    }
}
