//! Models of every depth at once: a panel a placement.

mod key;
mod panel;
mod sweep;
mod table;

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;

use crate::app::atlas::depths;
use crate::app::state::{Page, page};
use crate::app::words;
use crate::chart::heat::Sheet;
use crate::chart::heat::scale::ColorScale;
use crate::chart::heat::sheet::is_log;
use crate::model::Placement;
use crate::share::Request;
use crate::stats::{self, Quantity};

use super::chips::Chips;
use super::erased::{live, part, rows};
use super::notices::Notices;
use super::status::who;

/// A sheet, and the atlas it was made of.
#[derive(Clone)]
struct Made {
    atlas: Option<Arc<stats::Atlas>>,
    sheet: Arc<Sheet>,
}

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.sheet, &other.sheet)
    }
}

/// The sheets of all panels. One whose atlas has not changed is not made again.
fn sheets(page: Page, quantity: Memo<Quantity>) -> Memo<Vec<Made>> {
    Memo::new(move |before: Option<&Vec<Made>>| {
        let quantity = quantity.get();
        let (configs, depths) = page.request.with(|request| (request.configs(), depths(request)));
        let engine = page.engine();
        let made = configs.iter().map(|config| {
            let atlas = engine.and_then(|engine| page.atlases.of(config, engine));
            let same_atlas = |other: &Made| match (&other.atlas, &atlas) {
                (Some(before), Some(now)) => Arc::ptr_eq(before, now),
                (None, None) => true,
                _ => false,
            };
            let is_same = |other: &&Made| {
                let Sheet { placement, quantity: of, depths: within, .. } = &*other.sheet;
                same_atlas(other) && (*placement, *of, within) == (config.placement, quantity, &depths)
            };
            before.into_iter().flatten().find(is_same).cloned().unwrap_or_else(|| {
                let sheet = Sheet::new(config.placement, atlas.as_deref(), quantity, depths.clone());
                Made { atlas: atlas.clone(), sheet: Arc::new(sheet) }
            })
        });
        made.collect()
    })
}

/// What all panels share.
#[derive(Clone, Copy)]
struct Shared {
    quantity: Memo<Quantity>,
    sheets: Memo<Vec<Made>>,
    scale: Memo<ColorScale>,
}

impl Shared {
    /// The sheet of a placement.
    fn sheet(self, placement: Placement) -> Option<Arc<Sheet>> {
        self.sheets
            .with(|list| list.iter().find(|made| made.sheet.placement == placement).map(|made| Arc::clone(&made.sheet)))
    }
}

/// The view.
#[component]
pub(super) fn Atlas() -> impl IntoView {
    let page = page();
    let quantity = Memo::new(move |_| page.request.with(Request::statistic));
    let sheets = sheets(page, quantity);
    let scale = Memo::new(move |_| {
        sheets.with(|list| ColorScale::fit(list.iter().map(|made| &*made.sheet), is_log(quantity.get())))
    });
    let shared = Shared { quantity, sheets, scale };
    let placements = Memo::new(move |_| page.request.with(|request| request.placements.clone()));
    on_cleanup(move || page.atlases.probe.set(None));
    view! {
        <main class="atlas">
            <header class="atlas-head">
                <div>
                    <h1>{words::atlas_title()}</h1>
                    <p>{words::atlas_lead()}</p>
                </div>
                <key::Key shared=shared/>
            </header>
            <Chips/>
            <sweep::Sweep/>
            <Notices/>
            <section class="panels" aria-label=words::panels()>
                {rows(
                    move || placements.get().into_iter().map(|placement| placement as usize).collect(),
                    move |index| view! { <panel::Panel placement=Placement::ALL[index] shared=shared/> }.into_any(),
                )}
            </section>
            <table::Tables shared=shared/>
            <footer class="status">
                <i class="dot" class:busy=live(move || page.atlases.sweep.with(Option::is_some))></i>
                <span data-status="who">{part(move || who(page))}</span>
                <span>{part(move || page.request.with(|request| words::model(&request.config)))}</span>
                <span class="wide">{part(move || page.request.with(|request| depths(request).contains(&request.config.depth).then(|| words::outlined(request.config.depth))))}</span>
            </footer>
        </main>
    }
}
