//! A run that takes long: how far it is, how long it will take, and its end.

use crate::app::components::attributes::prelude::*;

use super::erased::{live, on, part, when};
use crate::app::state::page;
use crate::app::words;

/// How far a long run is.
#[component]
pub(super) fn Work() -> impl IntoView {
    let page = page();
    let is_shown = Memo::new(move |_| page.is_long.get() && page.running.with(Option::is_some));
    let text = move || page.running.with(|running| running.as_ref().map(words::work_done));
    let share = move || page.running.with(|running| running.as_ref().map(|running| running.progress.to_string()));
    let cancel = move |_| page.stops.update(|count| *count += 1);
    view! {
            <p class="vh" role="status">{part(move || is_shown.get().then_some(words::takes_long()))}</p>
            {when(move || is_shown.get(), move || view! {
                <div class="work" role="group" aria-label=words::computing()>
                    <span>{part(text)}</span>
                    <progress max="1" prop:value=live(share) aria-hidden="true"></progress>
                    <button type="button" on:click=on(cancel)>{words::cancel()}</button>
                </div>
    })}
        }
}
