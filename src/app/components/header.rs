//! The bar at the top: name, link, theme.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::app::address::Address;
use crate::app::browser;
use crate::app::state::{Page, page};
use crate::app::words;
use crate::share::View;

use super::icons;

const STORED_THEME: &str = "normscope.theme";
const SYSTEM_DARK: &str = "(prefers-color-scheme: dark)";

/// Light and dark follow the system until one is chosen.
pub(super) fn follow_theme(page: Page) {
    let chosen = browser::stored(STORED_THEME).filter(|theme| theme == "dark" || theme == "light");
    if let Some(theme) = &chosen {
        set_theme_attribute(theme);
    }
    page.is_dark.set(chosen.map_or_else(|| browser::media_matches(SYSTEM_DARK), |theme| theme == "dark"));
    browser::on_media_change(SYSTEM_DARK, move |is_dark| {
        if browser::stored(STORED_THEME).is_none() {
            page.is_dark.set(is_dark);
        }
    });
}

fn set_theme_attribute(theme: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", theme);
    }
}

/// The bar.
#[component]
pub(super) fn Header() -> impl IntoView {
    let page = page();
    let said = RwSignal::new(words::COPY_LINK);
    let later = StoredValue::new_local(browser::Later::default());
    let is_idle = move || !page.has_placement();
    let copy = move |_| {
        // A link to no placement would be a link to the default.
        if untrack(is_idle) {
            return;
        }
        let link = page.request.with_untracked(Address::link);
        spawn_local(async move {
            said.set(if browser::copy(&link).await { words::COPIED } else { words::NOT_COPIED });
            later.with_value(|later| later.ask(2500, move || said.set(words::COPY_LINK)));
        });
    };
    let toggle_theme = move |_| {
        let is_dark = !page.is_dark.get_untracked();
        let theme = if is_dark { "dark" } else { "light" };
        page.is_dark.set(is_dark);
        set_theme_attribute(theme);
        browser::store(STORED_THEME, theme);
    };
    let theme_label = move || if page.is_dark.get() { words::THEME_TO_LIGHT } else { words::THEME_TO_DARK };
    view! {
        <header class="top">
            <a class="mark" href="."><span class="art" inner_html=icons::MARK></span><span class="name">{words::NAME}</span></a>
            <super::claims::Views/>
            {move || match page.request.with(|request| request.view) {
                View::Explore => view! { <h1 class="tagline">{words::TAGLINE}</h1> }.into_any(),
                View::Atlas | View::Claims => view! { <p class="tagline">{words::TAGLINE}</p> }.into_any(),
            }}
            <div class="tools">
                <button
                    class="copy"
                    type="button"
                    aria-disabled=move || is_idle().then_some("true")
                    aria-description=move || is_idle().then_some(words::CHOOSE_PLACEMENT)
                    data-why=move || is_idle().then_some(words::CHOOSE_PLACEMENT)
                    on:click=copy
                >
                    <span class="art" inner_html=icons::LINK></span>
                    <span class="text" role="status">{move || said.get()}</span>
                </button>
                <button class="icon" type="button" on:click=toggle_theme aria-label=theme_label title=theme_label>
                    <span class="art" inner_html=icons::THEME></span>
                </button>
            </div>
        </header>
    }
}
