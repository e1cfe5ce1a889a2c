//! More measures of the same passes, small.

use std::fmt::Write as _;

use crate::app::components::attributes::prelude::*;

use super::erased::{live, part};
use crate::app::state::page;
use crate::app::words;
use crate::chart::block::line;
use crate::chart::curve::precision;
use crate::chart::style::style;
use crate::model::Placement;
use crate::stats::{Format, Mark, Measurement, Quantity};
use crate::text::number;

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 36.0;

/// A measure of one placement.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    placement: Placement,
    values: Vec<f64>,
    /// How many are not known, and why.
    left_out: Option<String>,
}

/// One of the small measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    UpdateRatio,
    TokenCosine,
    Headroom,
}

impl Measure {
    const ALL: [Self; 3] = [Self::UpdateRatio, Self::TokenCosine, Self::Headroom];

    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::UpdateRatio => (words::update_ratio(), words::update_ratio_unit()),
            Self::TokenCosine => (words::token_cosine(), words::token_cosine_unit()),
            Self::Headroom => (words::headroom(), words::headroom_unit()),
        }
    }

    /// Its values over the blocks. What is marked is not a number, and said.
    fn values(self, measurement: &Measurement) -> Row {
        let (quantity, per_block) = match self {
            Self::UpdateRatio => (Quantity::UpdateRatio, measurement.config.sublayers_per_block()),
            Self::TokenCosine => (Quantity::TokenCosine, 1),
            Self::Headroom => (Quantity::StreamMax, 1),
        };
        let mut why: Vec<String> = Vec::new();
        let mut known = |(index, value): (usize, &f64)| match measurement.mark(quantity, index) {
            Some(Mark::Zero) | None => *value,
            Some(mark) => {
                let mark = words::mark(mark, precision(measurement.engine));
                if !why.contains(&mark) {
                    why.push(mark);
                }
                f64::NAN
            }
        };
        let each: Vec<f64> = measurement.values(quantity).iter().enumerate().map(&mut known).collect();
        let of_block = |block: &[f64]| match self {
            Self::UpdateRatio | Self::TokenCosine => block.iter().sum::<f64>() / block.len() as f64,
            Self::Headroom => Format::Fp16.headroom(block[0]),
        };
        let values: Vec<f64> = each.chunks(per_block).map(of_block).collect();
        let missing = values.iter().filter(|value| value.is_nan()).count();
        let left_out = (missing > 0).then(|| words::skipped(missing, values.len(), why.join(", ")));
        Row { placement: measurement.config.placement, values, left_out }
    }

    fn write(self, value: f64) -> String {
        if value.is_nan() {
            "–".into()
        } else if self == Self::Headroom {
            number::fixed(value, 1).replace('-', "−")
        } else {
            number::value(value)
        }
    }

    /// The ends of the y axis.
    fn range(self, all: &[Row]) -> (f64, f64) {
        let finite = all.iter().flat_map(|row| row.values.iter().copied().filter(|value| value.is_finite()));
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        match self {
            Self::UpdateRatio => (0.0, if high > 0.0 { high } else { 1.0 }),
            Self::TokenCosine => (low.min(0.0), 1.0),
            Self::Headroom => (low.min(8.0), high.max(15.0)),
        }
    }
}

/// The row of measures.
#[component]
pub(super) fn Sparklines() -> impl IntoView {
    let page = page();
    let one = move |measure: Measure| {
        let all = Memo::new(move |_| {
            let shown = page.shown();
            shown.iter().map(|(pass, _)| measure.values(&pass.measurement)).collect::<Vec<_>>()
        });
        let (name, unit) = measure.name();
        let last = move || {
            let value = |row: Row| {
                let label = row.placement.recipe().label;
                let value = measure.write(row.values.last().copied().unwrap_or(f64::NAN));
                let said = row.left_out.as_ref().map(|why| format!(" ({why})"));
                let mark = row.left_out.as_ref().map(|_| view! { <sup aria-hidden="true">"*"</sup> });
                view! {
                    <span class=format!("text-{}", style(row.placement).hue.key()) title=row.left_out.map(|why| format!("{label}: {why}"))>
                        <span class="vh">{label} " "</span>
                        {value} {mark} <span class="vh">{said}</span>
                    </span>
                }
            };
            all.get().into_iter().map(value).collect_view()
        };
        view! {
            <div class="spark">
                <p class="what">{name}<small>{unit}</small></p>
                <span class="art line" inner_html=move || all.with(|all| lines(all, measure.range(all)))></span>
                <p class="values" class:many=live(move || all.with(|all| all.len() > 2)) class:crowd=live(move || all.with(|all| all.len() > 4))>{part(last)}</p>
            </div>
        }
    };
    view! {
        <section class="more" aria-label=words::measures()>
            {Measure::ALL.into_iter().map(one).collect_view()}
        </section>
    }
}

/// The curves as SVG.
fn lines(all: &[Row], range: (f64, f64)) -> String {
    framed(&all.iter().map(|Row { placement, values, .. }| line(*placement, &path(values, range))).collect::<String>())
}

/// What is drawn on a small chart.
pub(super) fn framed(drawn: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{drawn}</svg>"
    )
}

/// A curve as the path of an SVG; what is not a number is left out.
pub(super) fn path(values: &[f64], (low, high): (f64, f64)) -> String {
    let last = values.len().saturating_sub(1).max(1) as f64;
    let mut path = String::new();
    let mut is_down = false;
    for (index, value) in values.iter().enumerate() {
        if !value.is_finite() {
            is_down = false;
            continue;
        }
        let x = WIDTH * index as f64 / last;
        let y = HEIGHT - 3.0 - (HEIGHT - 6.0) * (value - low) / (high - low);
        let _ = write!(path, "{}{x:.1} {y:.1}", if is_down { "L" } else { "M" });
        is_down = true;
    }
    path
}
