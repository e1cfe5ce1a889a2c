//! What theory has of the runs shown: each curve with its source, where it holds, and how far the measurement is from it.

use std::sync::Arc;

use crate::app::components::attributes::prelude::*;

use crate::app::state::{Finished, Gesture, page};
use crate::app::words;
use crate::chart::style::style;
use crate::theory::{Overlay, deviation};

use super::erased::{live, on, part};
use super::icons;

/// The list, and the switch that draws the curves.
#[component]
pub(super) fn TheoryList() -> impl IntoView {
    let page = page();
    let is_drawn = move || page.request.with(|request| request.theory);
    let toggle = move |event| {
        let wanted = event_target_checked(&event);
        page.change(Gesture::Choice, |request| request.theory = wanted);
    };
    let entries = move || {
        let probe = page.probe.get();
        let shown = page.request.with(|request| request.charts.map(|chart| chart.statistic));
        let is_shown = move |overlay: &&Overlay| shown.contains(&overlay.quantity);
        let of_pass = |pass: Arc<Finished>| {
            let measurement = &pass.measurement;
            let placement = measurement.config.placement;
            let class = format!("text-{}", style(placement).hue.key());
            let rows = pass.overlays.iter().filter(is_shown).map(|overlay| {
                let last = overlay.values.iter().rposition(|value| value.is_finite()).unwrap_or(0);
                let index = probe.map_or(last, |block| (block as usize).saturating_sub(overlay.first).min(last));
                let block = overlay.first + index;
                let distance = deviation(overlay, measurement, index);
                view! {
                    <li data-overlay=overlay.name>
                        <b>{words::overlay(words::name(overlay.quantity), overlay.name)}</b> " "
                        {words::deviation(overlay, distance, block)} " "
                        <small>{overlay.holds} " " {overlay.source.to_string()}</small>
                    </li>
                }
            });
            view! {
                <h3 class=class>{placement.recipe().label}</h3>
                <ul>{rows.collect_view()}</ul>
            }
        };
        page.theory().into_iter().map(of_pass).collect_view()
    };
    view! {
        <details class="fold theory">
            <summary>{words::theory()}<span class="art" inner_html=icons::RIGHT></span></summary>
            <label class="check">
                <input type="checkbox" name="theory" prop:checked=live(is_drawn) on:change=on(toggle)/>
                {words::draw_theory()}
            </label>
            {part(entries)}
        </details>
    }
}
