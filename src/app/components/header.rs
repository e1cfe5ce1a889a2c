//! The bar at the top: name, link, theme.

use crate::app::components::attributes::prelude::*;
use leptos::ev;
use leptos::task::spawn_local;

use crate::app::address::Address;
use crate::app::browser;
use crate::app::state::{Gesture, Page, effect, page};
use crate::app::words;
use crate::share::{Language, Request, Theme, View};
use crate::text;

use super::erased::{live, on, part};
use super::icons;

const STORED_THEME: &str = "normscope.theme";
const SYSTEM_DARK: &str = "(prefers-color-scheme: dark)";

/// Light and dark follow the system until one is chosen.
pub(super) fn follow_theme(page: Page) {
    let chosen = || browser::stored(STORED_THEME).as_deref().and_then(Theme::from_key);
    // The request changes with every depth; what the reader has chosen since holds until a link forces something else.
    let mut before = None;
    effect(move || {
        let forced = page.request.with(|request| request.theme);
        if before.replace(forced) == Some(forced) {
            return;
        }
        let theme = forced.or_else(chosen);
        if let Some(theme) = theme {
            set_attribute("data-theme", Some(theme.key()));
        }
        page.is_dark.set(theme.map_or_else(|| browser::media_matches(SYSTEM_DARK), |theme| theme == Theme::Dark));
    });
    browser::on_media_change(SYSTEM_DARK, move |is_dark| {
        if page.request.with_untracked(|request| request.theme).or_else(chosen).is_none() {
            page.is_dark.set(is_dark);
        }
    });
}

/// Sets an attribute of the document's root, which the style sheets go by, or removes it.
pub(super) fn set_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        // Both throw only for a name that is none.
        let _ = value.map_or_else(|| root.remove_attribute(name), |value| root.set_attribute(name, value));
    }
}

/// The page in other languages. What is chosen is kept for the next visit, and stands in the link only where the browser
/// refuses to keep it.
#[component]
fn Languages() -> impl IntoView {
    let page = page();
    let link = move |language: Language| {
        let address = move |forced: Option<Language>| {
            page.request.with(|request| Address::link(&Request { language: forced, ..request.clone() }))
        };
        let go = move |event: ev::MouseEvent| {
            event.prevent_default();
            let is_kept = browser::store(browser::STORED_LANGUAGE, language.key());
            browser::go_to(&untrack(|| address((!is_kept).then_some(language))));
        };
        let code = language.key();
        view! {
            <a href=live(move || address(Some(language))) hreflang=code lang=code title=language.title() on:click=on(go)>
                {language.title()}
            </a>
        }
    };
    let others = Language::ALL.iter().filter(|language| Some(**language) != text::language());
    view! { <nav class="languages" aria-label=words::language()>{others.map(|language| link(*language)).collect_view()}</nav> }
}

/// The bar.
#[component]
pub(super) fn Header() -> impl IntoView {
    let page = page();
    let said = RwSignal::new(words::copy_link());
    let later = StoredValue::new_local(browser::Later::default());
    let is_idle = move || !page.has_placement();
    let copy = move |_| {
        // A link to no placement would be a link to the default.
        if untrack(is_idle) {
            return;
        }
        let link = page.request.with_untracked(|request| Address::link(&request.whole()));
        spawn_local(async move {
            let is_copied = browser::copy(&link).await;
            said.set(if is_copied { words::copied() } else { words::copy_link() });
            if !is_copied {
                browser::announce("normscope-refused");
            }
            later.with_value(|later| later.ask(2500, move || said.set(words::copy_link())));
        });
    };
    let toggle_theme = move |_| {
        let theme = if page.is_dark.get_untracked() { Theme::Light } else { Theme::Dark };
        // Where the browser refuses, the next visit begins as the system has it.
        let _ = browser::store(STORED_THEME, theme.key());
        // A link that forces one goes on to do so.
        page.change(Gesture::Choice, |request| request.theme = request.theme.map(|_| theme));
        page.is_dark.set(theme == Theme::Dark);
        set_attribute("data-theme", Some(theme.key()));
    };
    let theme_label = move || if page.is_dark.get() { words::theme_to_light() } else { words::theme_to_dark() };
    view! {
        <header class="top">
            <a class="mark" href=Address::home()><span class="art" inner_html=icons::MARK></span><span class="name">{words::NAME}</span></a>
            <super::claims::Views/>
            {part(move || match page.request.with(|request| request.view) {
                View::Explore => view! { <h1 class="tagline">{words::tagline()}</h1> }.into_any(),
                View::Atlas | View::Claims => view! { <p class="tagline">{words::tagline()}</p> }.into_any(),
            })}
            // A list behind a button where the bar is short (`style/narrow.css`).
            <button class="more-tools" type="button" popovertarget="tools" aria-label=words::tools() title=words::tools()>
                <span class="art" inner_html=icons::LINES></span>
            </button>
            <div class="tools" id="tools" popover="auto">
                <button class="tour-start" type="button" on:click=on(move |_| super::tour::go_to(page, 1))>{words::tour()}</button>
                <button
                    class="copy"
                    type="button"
                    aria-disabled=live(move || is_idle().then_some("true"))
                    aria-description=live(move || is_idle().then_some(words::choose_placement()))
                    data-why=live(move || is_idle().then_some(words::choose_placement()))
                    on:click=on(copy)
                >
                    <span role="status">{part(move || said.get())}</span>
                </button>
                <Languages/>
                <super::shortcuts::Shortcuts/>
                <button class="icon" type="button" on:click=on(toggle_theme) aria-label=live(theme_label) title=live(theme_label)>
                    <span class="art" inner_html=icons::THEME></span>
                </button>
            </div>
        </header>
    }
}
