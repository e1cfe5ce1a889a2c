//! The model, placement and depth apart.

use crate::app::components::attributes::prelude::*;

use crate::app::formulas;
use crate::app::state::page;
use crate::app::words;

use super::erased::{on, part};
use super::field::{Message, Number, NumberRow, Select, Told, text_of};
use super::icons;
use super::preset::Presets;

/// The controls.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let page = page();
    let width_message = Message::about("width", Some("heads"));
    view! {
        <section class="controls" aria-label=words::controls()>
            <Presets/>
            <Select key="init"/>
            <Select key="norm"/>
            <Select key="act"/>
            <div class="pick" on:pointerenter=on(move |_| page.helped.set("width"))>
                <span class="key">{words::label("width")}</span>
                <span class="pair">
                    <Number key="width" message=width_message/>
                    <span aria-hidden="true">", "</span>
                    <label>
                        <Number key="heads" message=width_message/>
                        <span aria-hidden="true">{words::label("heads")}</span>
                    </label>
                </span>
            </div>
            <Told key="width" message=width_message/>
            <NumberRow key="tokens"/>
            <NumberRow key="seed"/>
            <NumberRow key="seeds"/>
            <Help/>
            <details class="advanced">
                <summary>{words::advanced()}<span class="art" inner_html=icons::RIGHT></span></summary>
                <NumberRow key="batch"/>
                <NumberRow key="ffn"/>
                <NumberRow key="vocab"/>
                <Select key="residual_scale"/>
                <Select key="qk_norm"/>
                <Select key="causal"/>
                <Select key="attention"/>
                <Select key="cross"/>
                <NumberRow key="memory_cos"/>
                <Select key="output_projection"/>
                <Select key="final_norm"/>
                <Select key="engine" with_automatic=true/>
                <NumberRow key="memory"/>
            </details>
        </section>
    }
}

/// One line on the control that was touched last, with its formula.
#[component]
fn Help() -> impl IntoView {
    let page = page();
    let help = Memo::new(move |_| {
        let key = page.helped.get();
        let value = text_of(page, key);
        (words::help(key, &value), formulas::of_control(key, &value))
    });
    view! {
        <p class="help" id="help">
            {part(move || help.get().0)} " "
            <span inner_html=move || help.get().1></span>
        </p>
    }
}
