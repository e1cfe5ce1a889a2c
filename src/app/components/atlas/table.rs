//! The numbers of the row that is outlined, or of the column that was chosen last.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;

use crate::app::components::table::{Head, Value, numbers};
use crate::app::state::page;
use crate::app::words;
use crate::chart::curve::precision;
use crate::chart::heat::Sheet;

use super::super::erased::{live, on, part};
use super::Shared;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    /// One depth, block by block.
    Row,
    /// One block, depth by depth.
    Column,
}

/// The tables, none to begin with.
#[component]
pub(super) fn Tables(shared: Shared) -> impl IntoView {
    let page = page();
    let along = RwSignal::new(None::<Along>);
    let depth = Memo::new(move |_| page.request.with(|request| request.config.depth.min(request.deepest)));
    let block = Memo::new(move |_| page.atlases.block.get().max(shared.quantity.get().first_block()));
    let caption = move |along: Along| match along {
        Along::Row => words::caption_of_row(shared.quantity.get(), depth.get()),
        Along::Column => words::caption_of_column(shared.quantity.get(), block.get()),
    };
    let choice = move |wanted: Along, name: &'static str, label: Memo<String>| {
        let is_on = move || along.get() == Some(wanted);
        view! {
            <button
                type="button"
                data-option=name
                aria-pressed=live(move || if is_on() { "true" } else { "false" })
                on:click=on(move |_| along.set((along.get_untracked() != Some(wanted)).then_some(wanted)))
            >
                {part(move || label.get())}
            </button>
        }
    };
    let body = move |along: Along| {
        let Some(engine) = page.engine() else { return ().into_any() };
        let sheets: Vec<_> = shared.sheets.get().into_iter().map(|made| made.sheet).collect();
        let precision = precision(engine);
        let head = |sheet: &Arc<Sheet>| Head {
            placement: sheet.placement,
            name: sheet.placement.recipe().label.into(),
            stale: None,
        };
        let heads = sheets.iter().map(head).collect();
        let value = |sheet: &Sheet, depth: u32, block: u32| {
            let cell = sheet.cell(depth, block)?;
            Some(Value { value: cell.value, mark: cell.mark, band: None, precision })
        };
        let (depth, block) = (depth.get(), block.get());
        let first = shared.quantity.get().first_block();
        let places: Vec<(u32, u32)> = match along {
            Along::Row => (first..=depth).map(|block| (depth, block)).collect(),
            // Of what some placement has.
            Along::Column => {
                let is_known = |depth: &u32| sheets.iter().any(|sheet| sheet.row(*depth).is_some());
                let deepest = sheets.iter().map(|sheet| *sheet.depths.end()).max().unwrap_or(0);
                (block..=deepest).filter(is_known).map(|depth| (depth, block)).collect()
            }
        };
        let rows = places.into_iter().map(|(depth, block)| {
            let number = if along == Along::Row { block } else { depth };
            (number, sheets.iter().map(|sheet| value(sheet, depth, block)).collect())
        });
        let counted = if along == Along::Row { words::block() } else { words::depth_column() };
        numbers(&untrack(|| caption(along)), counted, heads, rows.collect(), words::not_measured())
    };
    view! {
        <div class="options atlas-tables">
            <div class="list" role="group" aria-label=words::table()>
                {choice(Along::Row, "row", Memo::new(move |_| words::row_table(depth.get())))}
                {choice(Along::Column, "column", Memo::new(move |_| words::column_table(block.get())))}
            </div>
        </div>
        {part(move || along.get().map(|along| view! {
            <div class="table" tabindex="0" role="region" aria-label=live(move || caption(along))>{move || body(along)}</div>
        }))}
    }
}
