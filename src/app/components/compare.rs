//! The headline numbers of what is shown and of what is kept beside it, and what is kept.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;

use crate::app::state::{Finished, Imported, Page, page};
use crate::app::words;
use crate::chart::curve::precision;
use crate::chart::style::style;
use crate::model::Placement;
use crate::share::{MOST_PINS, Request};
use crate::stats::{GrowthExponents, Mark, Measurement, Quantity};
use crate::text::number;

use super::erased::{live, on, part};
use super::field::Select;
use super::icons;
use super::table::datum;

/// A cell: a number, or a dash where none can be believed.
fn cell(measurement: &Measurement, value: f64, mark: Option<Mark>) -> AnyView {
    if mark.is_none() && value.is_nan() {
        return view! { <td><data value="NaN">"–"</data></td> }.into_any();
    }
    view! { <td>{datum(value, mark, precision(measurement.engine))}</td> }.into_any()
}

/// The first or the last value of a quantity.
fn end(measurement: &Measurement, quantity: Quantity, is_last: bool) -> (f64, Option<Mark>) {
    let values = measurement.values(quantity);
    let index = if is_last { values.len().saturating_sub(1) } else { 0 };
    (values.get(index).copied().unwrap_or(f64::NAN), measurement.mark(quantity, index))
}

/// One value over another; not a number where either cannot be believed.
fn ratio((over, mark): (f64, Option<Mark>), (under, under_mark): (f64, Option<Mark>)) -> f64 {
    if mark.is_none() && under_mark.is_none() { over / under } else { f64::NAN }
}

/// What a row has whoever the model is from.
struct Row<'a> {
    measurement: &'a Measurement,
    letter: Option<char>,
    name: String,
    /// The placement in attributes and colour; none of a model from a file.
    placement: Option<Placement>,
    /// The cells after the gradients.
    rest: AnyView,
    /// What the button that removes it does; none where it cannot be removed.
    remove: Option<Box<dyn FnMut()>>,
}

fn row_of(page: Page, row: Row<'_>) -> AnyView {
    let Row { measurement, letter, name, placement, rest, remove } = row;
    let gradient = page.request.with(Request::gradient);
    let stream = Quantity::StreamRms;
    let growth = ratio(end(measurement, stream, true), end(measurement, stream, false));
    let (first, last) = (end(measurement, gradient, false), end(measurement, gradient, true));
    let remove = remove.map(|mut remove| {
        let label = words::unpin(&name);
        view! {
            <button class="icon" type="button" aria-label=label.clone() title=label on:click=on(move |_| remove())>
                <span class="art" inner_html=icons::CROSS></span>
            </button>
        }
    });
    view! {
        <tr
            data-placement=placement.map(Placement::key)
            data-kept=letter.map(|_| "")
            data-imported=placement.is_none().then_some("")
        >
            <th scope="row" class=placement.map_or_else(String::new, |placement| format!("text-{}", style(placement).hue.key()))>
                {letter.map(|letter| view! { <b class="letter">{letter}</b> " " })} {name} {remove}
            </th>
            <td>{measurement.config.depth}</td>
            {cell(measurement, growth, None)}
            {cell(measurement, first.0, first.1)}
            {cell(measurement, last.0, last.1)}
            {cell(measurement, ratio(first, last), None)}
            {rest}
        </tr>
    }
    .into_any()
}

/// The table, folded away until something is kept or it is opened.
#[component]
pub(super) fn Compare() -> impl IntoView {
    let page = page();
    let pins = Memo::new(move |_| page.request.with(|request| request.pins.clone()));
    let why = move || {
        let (kept, more) = page.request.with(|request| (request.pins.len(), request.unpinned().len()));
        match more {
            0 => Some(words::all_pinned().to_owned()),
            _ if kept + more > MOST_PINS => Some(words::most_pinned(MOST_PINS)),
            // The most of them that a link takes.
            _ => page.request.with(|request| !request.has_room()).then(|| words::most_pinned(kept)),
        }
    };
    let pin = move |_| {
        if untrack(why).is_none() {
            page.pin();
        }
    };
    let row = move |pass: &Arc<Finished>, letter: Option<char>| {
        let measurement = &pass.measurement;
        let config = measurement.config.clone();
        let exponents = GrowthExponents::of(measurement);
        let update = page.update_of(measurement).map_or_else(
            || view! { <td><data value="NaN">"…"</data></td> }.into_any(),
            |update| {
                let by_sign = update.sign_mark.filter(|mark| *mark != Mark::Zero).map_or(update.sign, |_| f64::NAN);
                let said = words::by_sign(config.placement.recipe().label, number::value(by_sign));
                view! {
                    <td data-update=config.placement.key() title=said.clone()>
                        {datum(update.sgd, update.sgd_mark, precision(measurement.engine))}
                        <span class="vh">{format!(" ({said})")}</span>
                    </td>
                }
                .into_any()
            },
        );
        let (parameters, flops) = (config.parameters(), config.flops());
        let rest = view! {
            {update}
            {cell(measurement, exponents.forward, None)}
            {cell(measurement, exponents.backward, None)}
            <td>{number::grouped(parameters.all())} " " <small>{words::of_norms(parameters.norms)}</small></td>
            <td>{number::value(flops / 1e9)}</td>
        }
        .into_any();
        let name = page.request.with(|request| words::model_name(&config, &request.config));
        let placement = Some(config.placement);
        let remove = letter.map(|_| Box::new(move || page.unpin(&config)) as Box<dyn FnMut()>);
        row_of(page, Row { measurement, letter, name, placement, rest, remove })
    };
    let imported = move |letter: char, model: &Arc<Imported>| {
        let measurement = &model.sample.median;
        let rest = (0..5).map(|_| cell(measurement, f64::NAN, None)).collect_view().into_any();
        let of = Arc::clone(model);
        let remove = move || page.imported.update(|list| list.retain(|other| !Arc::ptr_eq(other, &of)));
        let (letter, name, remove) = (Some(letter), model.name.clone(), Some(Box::new(remove) as Box<dyn FnMut()>));
        row_of(page, Row { measurement, letter, name, placement: None, rest, remove })
    };
    let rows = move || {
        let shown = page.shown().into_iter().map(|(pass, _)| row(&pass, None)).collect_view();
        let kept = page.kept().iter().map(|(letter, pass)| row(pass, Some(*letter))).collect_view();
        let from_files = page.imported().into_iter().map(|(letter, model)| imported(letter, &model)).collect_view();
        view! { {shown} {kept} {from_files} }
    };
    let gradient = move || words::name(page.request.with(Request::gradient));
    let heads = move || {
        let all = [
            words::models().to_owned(),
            words::depth().to_owned(),
            words::stream_growth().to_owned(),
            words::first_of(gradient()),
            words::last_of(gradient()),
            words::first_over_last().to_owned(),
            words::model_update().to_owned(),
            words::stream_exponent().to_owned(),
            words::gradient_exponent().to_owned(),
            words::parameters().to_owned(),
            words::gflop().to_owned(),
        ];
        all.into_iter().map(|head| view! { <th scope="col">{head}</th> }).collect_view()
    };
    view! {
        <details class="fold compare" prop:open=live(move || pins.with(|pins| !pins.is_empty()) || page.imported.with(|list| !list.is_empty()))>
            <summary>{words::compare()}<span class="art" inner_html=icons::RIGHT></span></summary>
            <div class="table" tabindex="0" role="region" aria-label=words::headlines()>
                <table>
                    <caption class="vh">{words::headlines()}</caption>
                    <thead><tr>{part(heads)}</tr></thead>
                    <tbody>{part(rows)}</tbody>
                </table>
            </div>
            <div class="picks">
                <Select key="relation"/>
                <Select key="along"/>
                <Select key="multiples"/>
            </div>
            <p>
                <button
                    class="pin"
                    type="button"
                    aria-disabled=live(move || why().map(|_| "true"))
                    aria-description=live(why)
                    data-why=live(why)
                    on:click=on(pin)
                >
                    {words::pin()}
                </button>
                <span class="note">{words::pin_help()}</span>
            </p>
        </details>
    }
}
