//! The numbers of a chart. Each cell carries its value in full; a mark stands as words.

use leptos::prelude::*;

use crate::app::state::page;
use crate::app::words;
use crate::chart::curve::Curve;
use crate::chart::number;
use crate::stats::Quantity;

/// The table.
#[component]
pub(super) fn Table(quantity: Memo<Quantity>) -> impl IntoView {
    let page = page();
    let body = move || {
        let quantity = quantity.get();
        let shown = page.shown();
        let first = quantity.first_block() as usize;
        let curves: Vec<_> = shown.iter().map(|(pass, _)| Curve::of_sample(&pass.sample, quantity)).collect();
        let rows = curves.iter().flatten().map(|curve| curve.values.len()).max().unwrap_or(0);
        let heads = shown.iter().map(|(pass, is_fresh)| {
            let config = &pass.measurement.config;
            let depth = (!is_fresh).then(|| format!(", {}", words::depth_in_words(config.depth)));
            view! {
                <th scope="col" data-placement=config.placement.key() class:stale=!is_fresh>
                    {config.placement.recipe().label}
                    {depth}
                </th>
            }
        });
        let heads = heads.collect_view();
        let row = |index: usize| {
            let cells = shown.iter().zip(&curves).map(|((pass, _), curve)| {
                let engine = pass.measurement.engine;
                let curve = curve.as_ref();
                let cell =
                    curve.and_then(|curve| curve.values.get(index).zip(curve.marks.get(index))).map(|(value, mark)| {
                        let text = mark.map_or_else(|| number::value(*value), |mark| words::mark(mark, engine));
                        view! {
                            <data value=format!("{value:?}") data-mark=mark.map(crate::stats::Mark::key)>
                                {text}
                            </data>
                        }
                    });
                let band = curve.and_then(|curve| curve.band.get(index)).map(|(low, high)| {
                    view! { <small>{words::middle_half(*low, *high)}</small> }
                });
                let cell = view! { {cell} " " {band} };
                view! { <td>{cell}</td> }
            });
            view! {
                <tr>
                    <th scope="row">{first + index}</th>
                    {cells.collect_view()}
                </tr>
            }
        };
        view! {
            <table>
                <caption class="vh">{words::table_caption(quantity)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words::BLOCK}</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{(0..rows).map(row).collect_view()}</tbody>
            </table>
        }
    };
    view! { <div class="table" tabindex="0" role="region" aria-label=move || words::table_caption(quantity.get())>{body}</div> }
}
