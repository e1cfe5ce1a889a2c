//! One chart: title, scale, plot with probe, or the same numbers as a table.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::app::browser;
use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::chart::axis::{self, Range};
use crate::chart::curve::Curve;
use crate::chart::plot::{block_at, deepest, label_room, plot, value_in_words};
use crate::chart::scene::Scene;
use crate::chart::view::{Theory, View};
use crate::model::{Config, Placement};
use crate::share::{Relation, Request, Scale, Target};
use crate::stats::Quantity;

use super::erased::{live, on, part, rows, when};
use super::field::{choices_of, text_of};
use super::icons;
use super::layers::{draw_on, place_in, size_of};
use super::table::Table;

/// Ranges ease to the next in this time.
const CALM_MS: f64 = 240.0;

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

/// What a y range belongs to: while this stays, the range never shrinks.
#[derive(Clone, Debug, PartialEq)]
struct Belongs {
    frame: u32,
    placements: Vec<Placement>,
    quantity: Quantity,
    /// The query without its depth.
    rest: Request,
    /// How often it was fitted by hand.
    fits: u32,
}

/// A y range, and what it was fitted for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    range: Range,
    belongs: Option<Belongs>,
}

/// The frame of x and the range of y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    frame: f64,
    range: Range,
}

/// A chart.
#[component]
pub(super) fn Chart(subject: Subject) -> impl IntoView {
    let page = page();
    let is_table = RwSignal::new(false);
    let quantity = Memo::new(move |_| page.request.with(|request| request.charts[subject as usize].statistic));
    let curves = Memo::new(move |_| page.curves(quantity.get()));
    let fits = RwSignal::new(0);
    let held = held_range(page, subject, quantity, curves, fits);
    let frame = Memo::new(move |_| frame_of(page, &curves.get()));
    let axes = Axes { subject, quantity, all: curves, held, frame, extent: eased(page, held, frame) };
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
                    <span class="unit">{part(move || unit_of(page, quantity.get()))}</span>
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

/// What the plots of a chart have in common.
#[derive(Clone, Copy)]
struct Axes {
    subject: Subject,
    quantity: Memo<Quantity>,
    /// The curves of all plots together.
    all: Memo<Vec<Curve>>,
    held: Memo<Held>,
    frame: Memo<u32>,
    extent: RwSignal<Extent>,
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
                <button
                    type="button"
                    data-option="linear"
                    hidden=live(is_compared)
                    aria-pressed=live(move || pressed(is_scale(Scale::Linear)))
                    on:click=on(move |_| choose(Scale::Linear))
                >
                    {words::linear()}
                </button>
                <button
                    type="button"
                    data-option="log"
                    hidden=live(is_compared)
                    aria-pressed=live(move || pressed(is_scale(Scale::Log)))
                    on:click=on(move |_| choose(Scale::Log))
                >
                    {words::log()}
                </button>
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

#[component]
fn Plot(axes: Axes, curves: Memo<Vec<Curve>>, is_hidden: RwSignal<bool>) -> impl IntoView {
    let page = page();
    let Axes { subject, quantity, all, held, frame, extent } = axes;
    let holder = NodeRef::<html::Div>::new();
    let size = size_of(holder);
    let layers = [NodeRef::<html::Canvas>::new(), NodeRef::new(), NodeRef::new()];

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
    let key = move |event: KeyboardEvent| probe_by_key(page, quantity, curves, &event);
    // One of several charts of a quantity says whose it is.
    let name = move || {
        let caption = caption_of(page, quantity.get());
        let is_one = page.request.with(|request| request.multiples);
        curves.with(|curves| match curves.as_slice() {
            [curve] if is_one => words::of_model(caption, &*curve.name),
            _ => caption,
        })
    };
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
            aria-valuemax=live(move || page.request.with(|request| request.config.depth))
            aria-valuenow=live(move || page.probe.get().unwrap_or(page.request.with(|request| request.config.depth)))
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

/// The y range: fitted anew where it belongs to something else, and never shrinking otherwise.
fn held_range(
    page: Page,
    subject: Subject,
    quantity: Memo<Quantity>,
    curves: Memo<Vec<Curve>>,
    fits: RwSignal<u32>,
) -> Memo<Held> {
    Memo::new(move |before: Option<&Held>| {
        let request = page.request.get();
        let fits = fits.get();
        let log = request.scale_of(subject as usize) == Scale::Log;
        let is_settled = page.is_settled();
        let fitted = curves.with(|curves| axis::fit(curves, log));
        let before = before.filter(|held| held.range.log == log);
        if !is_settled {
            // Curves of another depth or another model are still shown: their range stays. Before any is known, it grows
            // with what comes.
            return match before {
                Some(held) if held.belongs.is_some() => held.clone(),
                Some(held) if curves.with(|curves| !curves.is_empty()) => {
                    Held { range: held.range.union(&fitted), belongs: None }
                }
                _ => Held { range: fitted, belongs: None },
            };
        }
        let mut rest = request.clone();
        rest.config.depth = 0;
        rest.charts = Request::default_for(Target::Page).charts;
        let belongs = Some(Belongs {
            frame: axis::frame(request.config.depth),
            placements: request.placements,
            quantity: quantity.get(),
            rest,
            fits,
        });
        let range = match before {
            Some(held) if held.belongs == belongs => held.range.union(&fitted),
            _ => fitted,
        };
        Held { range, belongs }
    })
}

/// The frame of the depth asked for, or of a deeper curve that still stands.
fn frame_of(page: Page, curves: &[Curve]) -> u32 {
    let depth = page.request.with(|request| request.config.depth);
    axis::frame(curves.iter().map(|curve| curve.depth).fold(depth, u32::max))
}

/// Frame and range on their way to where they will rest.
fn eased(page: Page, held: Memo<Held>, frame: Memo<u32>) -> RwSignal<Extent> {
    let target = Memo::new(move |_| Extent { frame: f64::from(frame.get()), range: held.get().range });
    let shown = RwSignal::new(target.get_untracked());
    let turn = StoredValue::new(0_u32);
    Effect::new(move |before: Option<Extent>| {
        let to = target.get();
        let from = shown.get_untracked();
        turn.update_value(|turn| *turn += 1);
        // A first range has nothing to come from.
        let is_known = before.is_some() && page.finished.with_untracked(|list| !list.is_empty());
        if from == to || !is_known || from.range.log != to.range.log || browser::prefers_reduced_motion() {
            shown.set(to);
            return to;
        }
        let (mine, start) = (turn.get_value(), browser::now_ms());
        browser::each_frame(move || {
            if turn.get_value() != mine {
                return false;
            }
            let share = ((browser::now_ms() - start) / CALM_MS).clamp(0.0, 1.0);
            // Close to cubic-bezier(.2, 0, 0, 1).
            let eased = 1.0 - (1.0 - share).powi(4);
            shown.set(if share >= 1.0 {
                to
            } else {
                Extent {
                    frame: from.frame * (to.frame / from.frame).powf(eased),
                    range: from.range.toward(&to.range, eased),
                }
            });
            share < 1.0
        });
        to
    });
    shown
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
    (page.finished.with(Vec::is_empty) && page.trouble.with(Option::is_none)).then(|| words::computing().into())
}

/// Moves the probe by the arrow keys.
fn probe_by_key(page: Page, quantity: Memo<Quantity>, curves: Memo<Vec<Curve>>, event: &KeyboardEvent) {
    if curves.with_untracked(Vec::is_empty) {
        return;
    }
    let deepest = curves.with_untracked(|curves| deepest(curves));
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
    let values = |probe: Option<u32>| {
        let one = |curve: &Curve| {
            let block = probe.map_or(curve.last_block(), |probe| view.block_of(curve, probe, deepest(curves)));
            value_in_words(curve, block)
        };
        curves.iter().filter_map(one).collect::<Vec<_>>().join(", ")
    };
    match view.probe {
        Some(block) => words::block_values(block, values(Some(block))),
        None if notes.is_empty() => words::last_block_values(values(None)),
        None => words::last_block_values_and(values(None), notes),
    }
}
