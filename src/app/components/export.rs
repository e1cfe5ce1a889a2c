//! What is taken out of the page and brought in. Scripts do it: the page says which (`host.js`).

use crate::app::components::attributes::prelude::*;

use crate::app::browser;
use crate::app::words;

use super::erased::on;
use super::icons;

/// The list of a bar's button.
#[component]
pub(super) fn Export() -> impl IntoView {
    let kinds = [
        ("png1", words::export_png(1_u32)),
        ("png2", words::export_png(2_u32)),
        ("png3", words::export_png(3_u32)),
        ("svg", words::export_svg().into()),
        ("csv", words::export_csv().into()),
        ("json", words::export_json().into()),
        ("jax", words::export_script("JAX")),
        ("torch", words::export_script("PyTorch")),
        ("bibtex", words::export_bibtex().into()),
        ("video", words::export_video().into()),
        ("import", words::import().into()),
    ];
    let item = |(kind, label): (&'static str, String)| {
        let choose = move |_| browser::announce(&format!("normscope-do-{kind}"));
        view! {
            <button type="button" data-export=kind popovertarget="export" popovertargetaction="hide" on:click=on(choose)>
                {label}
            </button>
        }
    };
    view! {
        <button class="export" type="button" popovertarget="export" aria-label=words::export() title=words::export()>
            <span class="art" inner_html=icons::EXPORT></span>
            <span class="text">{words::export()}</span>
        </button>
        <div class="menu" id="export" popover="auto" role="group" aria-label=words::export()>
            {kinds.into_iter().map(item).collect_view()}
        </div>
    }
}
