//! More measures of the same passes, small.

use std::fmt::Write as _;

use leptos::prelude::*;

use crate::app::state::page;
use crate::app::words;
use crate::chart::number;
use crate::model::Placement;
use crate::stats::{Measurement, Quantity};

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 36.0;
/// The largest number of half precision, as a power of two.
const FP16_BITS: f64 = 15.999_295;

/// One of the small measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    UpdateRatio,
    TokenCosine,
    Headroom,
}

impl Measure {
    const ALL: [Self; 3] = [Self::UpdateRatio, Self::TokenCosine, Self::Headroom];

    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::UpdateRatio => words::UPDATE_RATIO,
            Self::TokenCosine => words::TOKEN_COSINE,
            Self::Headroom => words::HEADROOM,
        }
    }

    /// Its values over the blocks; what is marked is not a number.
    fn values(self, measurement: &Measurement) -> Vec<f64> {
        let known = |quantity: Quantity| {
            let values = measurement.values(quantity).iter().enumerate();
            values.map(move |(index, value)| match measurement.mark(quantity, index) {
                Some(crate::stats::Mark::Zero) | None => *value,
                Some(_) => f64::NAN,
            })
        };
        match self {
            Self::UpdateRatio => {
                let each: Vec<f64> = known(Quantity::UpdateRatio).collect();
                let of_block = |block: &[f64]| block.iter().sum::<f64>() / block.len() as f64;
                each.chunks(measurement.config.sublayers_per_block()).map(of_block).collect()
            }
            Self::TokenCosine => known(Quantity::TokenCosine).collect(),
            Self::Headroom => known(Quantity::StreamMax).map(|largest| FP16_BITS - largest.log2()).collect(),
        }
    }

    fn write(self, value: f64) -> String {
        if value.is_nan() {
            "–".into()
        } else if self == Self::Headroom {
            format!("{value:.1}").replace('-', "−")
        } else {
            number::value(value)
        }
    }

    /// The ends of the y axis.
    fn range(self, all: &[(Placement, Vec<f64>)]) -> (f64, f64) {
        let finite = all.iter().flat_map(|(_, values)| values.iter().copied().filter(|value| value.is_finite()));
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
            let values = |m: &Measurement| (m.config.placement, measure.values(m));
            shown.iter().map(|(pass, _)| values(&pass.measurement)).collect::<Vec<_>>()
        });
        let (name, unit) = measure.name();
        let last = move || {
            let value = |(placement, values): (Placement, Vec<f64>)| {
                let value = measure.write(values.last().copied().unwrap_or(f64::NAN));
                view! {
                    <span class=format!("text-{}", placement.key())>
                        <span class="vh">{placement.recipe().label} " "</span>
                        {value}
                    </span>
                }
            };
            all.get().into_iter().map(value).collect_view()
        };
        view! {
            <div class="spark">
                <p class="what">{name}<small>{unit}</small></p>
                <span class="art line" inner_html=move || all.with(|all| lines(all, measure.range(all)))></span>
                <p class="values" class:many=move || all.with(|all| all.len() > 2) class:crowd=move || all.with(|all| all.len() > 4)>{last}</p>
            </div>
        }
    };
    view! {
        <section class="more" aria-label=words::MEASURES>
            {Measure::ALL.into_iter().map(one).collect_view()}
        </section>
    }
}

/// The curves as SVG; what is not a number is left out.
fn lines(all: &[(Placement, Vec<f64>)], (low, high): (f64, f64)) -> String {
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
    );
    for (placement, values) in all {
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
        let _ = write!(out, "<path class=\"line {}\" d=\"{path}\"/>", placement.key());
    }
    out + "</svg>"
}
