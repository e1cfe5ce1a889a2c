//! The axes of a chart: a range of y that holds still, a frame of x, and both on their way to where they will rest.

use crate::app::components::attributes::prelude::*;

use crate::app::browser;
use crate::app::state::Page;
use crate::chart::axis::{self, Range};
use crate::chart::curve::Curve;
use crate::model::{Config, Placement};
use crate::share::{Request, Scale, Target};
use crate::stats::Quantity;

use super::Subject;

/// Ranges ease to the next in this time.
const CALM_MS: f64 = 240.0;

/// What the plots of a chart have in common.
#[derive(Clone, Copy)]
pub(in crate::app::components) struct Axes {
    pub(super) subject: Subject,
    pub(super) quantity: Memo<Quantity>,
    /// The curves of all plots together.
    pub(super) all: Memo<Vec<Curve>>,
    pub(super) held: Memo<Held>,
    pub(super) frame: Memo<u32>,
    pub(super) extent: RwSignal<Extent>,
}

/// What a y range belongs to: while this stays, the range never shrinks.
#[derive(Clone, Debug, PartialEq)]
struct Belongs {
    frame: u32,
    placements: Vec<Placement>,
    quantity: Quantity,
    /// What else of the request the curves depend on.
    rest: Request,
    /// How often it was fitted by hand.
    fits: u32,
}

/// A y range, and what it was fitted for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    pub(super) range: Range,
    belongs: Option<Belongs>,
}

/// The frame of x and the range of y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) frame: f64,
    pub(super) range: Range,
}

impl Axes {
    /// The axes of a chart, from its curves; `fits` counts how often they were fitted by hand.
    pub(super) fn new(
        page: Page,
        subject: Subject,
        quantity: Memo<Quantity>,
        all: Memo<Vec<Curve>>,
        fits: RwSignal<u32>,
    ) -> Self {
        let held = held_range(page, subject, quantity, all, fits);
        let frame = Memo::new(move |_| frame_of(page, &all.get()));
        Self { subject, quantity, all, held, frame, extent: eased(page, held, frame) }
    }
}

/// The y range: fitted anew where it belongs to something else, and never shrinking otherwise.
fn held_range(
    page: Page,
    subject: Subject,
    quantity: Memo<Quantity>,
    curves: Memo<Vec<Curve>>,
    fits: RwSignal<u32>,
) -> Memo<Held> {
    Memo::new(move |before: Option<&Held>| {
        let request = page.request.get();
        let fits = fits.get();
        let log = request.scale_of(subject as usize) == Scale::Log;
        let is_settled = page.is_settled();
        let fitted = curves.with(|curves| axis::fit(curves, log));
        let before = before.filter(|held| held.range.log == log);
        if !is_settled {
            // Curves of another depth or another model are still shown: their range stays. Before any is known, it grows
            // with what comes.
            return match before {
                Some(held) if held.belongs.is_some() => held.clone(),
                Some(held) if curves.with(|curves| !curves.is_empty()) => {
                    Held { range: held.range.union(&fitted), belongs: None }
                }
                _ => Held { range: fitted, belongs: None },
            };
        }
        // What changes the curves; the rest of the request leaves them as they are.
        let rest = Request {
            config: Config { depth: 0, ..request.config.clone() },
            placements: Vec::new(),
            engine: request.engine,
            seeds: request.seeds,
            pins: request.pins,
            relation: request.relation,
            along: request.along,
            ..Request::default_for(Target::Page)
        };
        let belongs = Some(Belongs {
            frame: axis::frame(request.config.depth),
            placements: request.placements,
            quantity: quantity.get(),
            rest,
            fits,
        });
        let range = match before {
            Some(held) if held.belongs == belongs => held.range.union(&fitted),
            _ => fitted,
        };
        Held { range, belongs }
    })
}

/// The frame of the depth asked for, or of a deeper curve that still stands.
fn frame_of(page: Page, curves: &[Curve]) -> u32 {
    let depth = page.request.with(|request| request.config.depth);
    axis::frame(curves.iter().map(|curve| curve.depth).fold(depth, u32::max))
}

/// Frame and range on their way to where they will rest.
fn eased(page: Page, held: Memo<Held>, frame: Memo<u32>) -> RwSignal<Extent> {
    let target = Memo::new(move |_| Extent { frame: f64::from(frame.get()), range: held.get().range });
    let shown = RwSignal::new(target.get_untracked());
    let turn = StoredValue::new(0_u32);
    Effect::new(move |before: Option<Extent>| {
        let to = target.get();
        let from = shown.get_untracked();
        turn.update_value(|turn| *turn += 1);
        // A first range has nothing to come from.
        let is_known = before.is_some() && page.finished.with_untracked(|list| !list.is_empty());
        if from == to || !is_known || from.range.log != to.range.log || browser::prefers_reduced_motion() {
            shown.set(to);
            return to;
        }
        let (mine, start) = (turn.get_value(), browser::now_ms());
        browser::each_frame(move || {
            if turn.get_value() != mine {
                return false;
            }
            let share = ((browser::now_ms() - start) / CALM_MS).clamp(0.0, 1.0);
            // Close to cubic-bezier(.2, 0, 0, 1).
            let eased = 1.0 - (1.0 - share).powi(4);
            shown.set(if share >= 1.0 {
                to
            } else {
                Extent {
                    frame: from.frame * (to.frame / from.frame).powf(eased),
                    range: from.range.toward(&to.range, eased),
                }
            });
            share < 1.0
        });
        to
    });
    shown
}
