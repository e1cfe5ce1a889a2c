//! The numbers of a chart. Each cell carries its value in full; a mark stands as words.

use crate::app::components::attributes::prelude::*;

use super::chart::caption_of;
use super::erased::{live, part};
use crate::app::state::page;
use crate::app::words;
use crate::chart::curve::Curve;
use crate::model::Placement;
use crate::stats::{Mark, Quantity};
use crate::text::number;

/// The head of a column: a placement, the name of the model, and what is to be said beside it where that is not up to
/// date.
pub(super) struct Head {
    pub(super) placement: Placement,
    pub(super) name: String,
    pub(super) stale: Option<String>,
}

/// A cell: a value, what is to be said of it, and the middle half of several seeds.
pub(super) struct Value {
    pub(super) value: f64,
    pub(super) mark: Option<Mark>,
    pub(super) band: Option<(f64, f64)>,
    pub(super) precision: &'static str,
}

/// A number, or what is to be said in its place, with the value in full for whoever reads the table by script.
pub(super) fn datum(value: f64, mark: Option<Mark>, precision: &str) -> AnyView {
    let text = mark.map_or_else(|| number::value(value), |mark| words::mark(mark, precision));
    view! { <data value=format!("{value:?}") data-mark=mark.map(Mark::key)>{text}</data> }.into_any()
}

/// A table with a column for each placement; a row begins with its number, of what `first` says. What is not known stands
/// as `unknown`.
pub(super) fn numbers(
    caption: &str,
    first: &'static str,
    heads: Vec<Head>,
    rows: Vec<(u32, Vec<Option<Value>>)>,
    unknown: &'static str,
) -> AnyView {
    let head = |Head { placement, name, stale }: Head| {
        let is_stale = stale.is_some();
        view! {
            <th scope="col" data-placement=placement.key() class:stale=is_stale>
                {name}
                {stale.map(|stale| format!(", {stale}"))}
            </th>
        }
    };
    let cell = |cell: Option<Value>| {
        let Some(Value { value, mark, band, precision }) = cell else { return view! { <td>{unknown}</td> }.into_any() };
        let band = band
            .map(|(low, high)| view! { <small>{words::middle_half(number::value(low), number::value(high))}</small> });
        view! {
            <td>
                {datum(value, mark, precision)}
                " "
                {band}
            </td>
        }
        .into_any()
    };
    let row = |(number, cells): (u32, Vec<Option<Value>>)| {
        view! {
            <tr>
                <th scope="row">{number}</th>
                {cells.into_iter().map(cell).collect_view()}
            </tr>
        }
    };
    view! {
        <table>
            <caption class="vh">{caption.to_owned()}</caption>
            <thead>
                <tr>
                    <th scope="col">{first}</th>
                    {heads.into_iter().map(head).collect_view()}
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// The table of a chart.
#[component]
pub(super) fn Table(quantity: Memo<Quantity>, curves: Memo<Vec<Curve>>) -> impl IntoView {
    let page = page();
    let body = move || {
        let quantity = quantity.get();
        let curves = curves.get();
        let count = curves.iter().map(|curve| curve.values.len()).max();
        let depth = page.request.with(|request| request.config.depth);
        let kept = page.kept();
        let heads = curves.iter().map(|curve| {
            let kept = kept.iter().find(|(letter, _)| curve.is_kept && curve.name.starts_with(*letter));
            let in_full = kept.map(|(letter, pass)| {
                let name = page.request.with(|now| words::model_name(&pass.measurement.config, &now.config));
                format!("{letter}: {name}")
            });
            let is_other = !curve.is_kept && curve.depth != depth;
            Head {
                placement: curve.placement,
                name: in_full.unwrap_or_else(|| curve.name.to_string()),
                stale: is_other.then(|| words::depth_in_words(curve.depth)),
            }
        });
        let value = |index: usize, curve: &Curve| {
            Some(Value {
                value: *curve.values.get(index)?,
                mark: *curve.marks.get(index)?,
                band: curve.band.get(index).copied(),
                precision: curve.precision,
            })
        };
        let rows = (0..count.unwrap_or(0)).map(|index| {
            let cells = curves.iter().map(|curve| value(index, curve)).collect();
            (quantity.first_block() + index as u32, cells)
        });
        numbers(&caption_of(page, quantity), words::block(), heads.collect(), rows.collect(), "")
    };
    view! { <div class="table" tabindex="0" role="region" aria-label=live(move || caption_of(page, quantity.get()))>{part(body)}</div> }
}
