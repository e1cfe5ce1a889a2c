//! The signals of the page. [`Request`] is the one state; all else follows from it or from what has finished.

use std::iter::Sum;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use crate::chart::curve::Curve;
use crate::chart::theme::Theme;
use crate::chart::view;
use crate::model::{Config, Placement};
use crate::share::{Notice, Relation, Request};
use crate::stats::{Engine, Measurement, ModelUpdate, Quantity, Sample};
use crate::text;
use crate::theory::{self, Overlay};

use super::address::Address;
use super::atlas::Atlases;
use super::browser;
use super::engines::{Adapter, Engines, Failure};
use super::laboratory::Laboratory;

/// How a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gesture {
    /// A choice: a step of the history of its own.
    Choice,
    /// One of many in a movement, as a drag: the movement is one step.
    Movement,
}

/// What passes cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Dispatches, or their twins on the processor.
    pub(crate) steps: u32,
    /// Submits; the processor has none.
    pub(crate) submits: u32,
    /// Bytes that were held at most.
    pub(crate) peak_bytes: u64,
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |all, cost| Self {
            steps: all.steps + cost.steps,
            submits: all.submits + cost.submits,
            peak_bytes: all.peak_bytes.max(cost.peak_bytes),
        })
    }
}

/// A pass that has finished.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ran {
    /// Its values.
    pub(crate) measurement: Measurement,
    /// How long it took.
    pub(crate) milliseconds: f64,
    /// What it cost; the reference has no plan to tell.
    pub(crate) cost: Option<Cost>,
    /// Whether the atlas had it, and nothing ran.
    pub(crate) is_from_atlas: bool,
}

/// The finished passes of a placement, one for each seed so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finished {
    /// The median of each value; its configuration is that of the first seed.
    pub(crate) measurement: Measurement,
    /// That and the middle half.
    pub(crate) sample: Sample,
    /// What theory has of it: made once, for charts and list ask at every move of the probe.
    pub(crate) overlays: Vec<Overlay>,
    /// How long the passes took together.
    pub(crate) milliseconds: f64,
    /// What all of them cost.
    pub(crate) cost: Option<Cost>,
    /// Whether the atlas had all of them.
    pub(crate) is_from_atlas: bool,
}

impl Finished {
    /// What passes that differ in their seed came to, the first seed's first.
    pub(crate) fn of(passes: &[Arc<Ran>]) -> Self {
        let sample = Sample::of(&passes.iter().map(|pass| &pass.measurement).collect::<Vec<_>>());
        Self {
            overlays: theory::overlays(&sample.median),
            measurement: sample.median.clone(),
            sample,
            milliseconds: passes.iter().map(|pass| pass.milliseconds).sum(),
            cost: passes.iter().map(|pass| pass.cost).sum(),
            is_from_atlas: passes.iter().all(|pass| pass.is_from_atlas),
        }
    }
}

/// The passes that run now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Running {
    /// Whose pass.
    pub(crate) placement: Placement,
    /// The share of all that is done.
    pub(crate) progress: f64,
    /// Blocks that have been computed, forward and backward, and those of all passes that were asked for.
    pub(crate) blocks: (u32, u32),
    /// Milliseconds left, once something is known of the pace.
    pub(crate) left_ms: Option<f64>,
}

/// What is known of WebGPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// Asked for, no answer yet.
    Asking,
    /// There.
    Ready(Adapter),
    /// Not there.
    Missing,
}

/// A pass that failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    /// The run.
    pub(crate) config: Config,
    /// Who computed.
    pub(crate) engine: Engine,
    /// What went wrong.
    pub(crate) failure: Failure,
}

/// A model from a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imported {
    /// What it is called.
    pub(crate) name: String,
    /// Its values; of the configuration the depth alone is known.
    pub(crate) sample: Sample,
}

/// All signals.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    /// What is asked for.
    pub(crate) request: RwSignal<Request>,
    /// The last finished pass of each placement.
    pub(crate) finished: RwSignal<Vec<Arc<Finished>>>,
    /// One step of training of the runs shown, as far as it is known.
    pub(crate) updates: RwSignal<Vec<(Engine, Config, ModelUpdate)>>,
    /// The passes that run; none when all that is asked for is there.
    pub(crate) running: RwSignal<Option<Running>>,
    /// Whether a tenth of a second has gone by without a result.
    pub(crate) is_late: RwSignal<bool>,
    /// Whether the passes have run for a second.
    pub(crate) is_long: RwSignal<bool>,
    /// Asks for an end of the passes that run.
    pub(crate) stops: RwSignal<u32>,
    /// Finished passes of the models that are kept to compare with.
    pub(crate) pinned: RwSignal<Vec<Arc<Finished>>>,
    /// The passes that were ended, until something else is asked for.
    pub(crate) stopped: RwSignal<Option<Running>>,
    /// What is known of WebGPU.
    pub(crate) device: RwSignal<Device>,
    /// The pass that failed last, until something else is asked for.
    pub(crate) trouble: RwSignal<Option<Trouble>>,
    /// Asks for the failed pass once more.
    pub(crate) retries: RwSignal<u32>,
    /// Models from files, kept to compare with.
    pub(crate) imported: RwSignal<Vec<Arc<Imported>>>,
    /// What was wrong with the link.
    pub(crate) link_notices: RwSignal<Vec<Notice>>,
    /// The block looked at, in all charts.
    pub(crate) probe: RwSignal<Option<u32>>,
    /// Whether depth moves by itself.
    pub(crate) is_playing: RwSignal<bool>,
    /// Whether the slider's thumb is held.
    pub(crate) is_dragging: StoredValue<bool>,
    /// Counts sweeps of play and drags of the thumb.
    turn: StoredValue<u32>,
    /// Whether the page is dark.
    pub(crate) is_dark: RwSignal<bool>,
    /// The control whose help is shown.
    pub(crate) helped: RwSignal<&'static str>,
    /// The claims under test.
    pub(crate) laboratory: Laboratory,
    /// The models of every depth.
    pub(crate) atlases: Atlases,
    /// The device's pixels in one of CSS, on a page that is not drawn large.
    pub(crate) dots: RwSignal<f64>,
    engines: StoredValue<Rc<Engines>, LocalStorage>,
    /// The URL and the history.
    address: StoredValue<Address, LocalStorage>,
}

impl Page {
    /// The state of the page's address.
    #[must_use]
    pub(crate) fn new(engines: Rc<Engines>) -> Self {
        let (request, notices) = Address::read();
        Self {
            request: RwSignal::new(request),
            finished: RwSignal::new(Vec::new()),
            pinned: RwSignal::new(Vec::new()),
            updates: RwSignal::new(Vec::new()),
            running: RwSignal::new(None),
            is_late: RwSignal::new(false),
            is_long: RwSignal::new(false),
            stops: RwSignal::new(0),
            stopped: RwSignal::new(None),
            device: RwSignal::new(Device::Asking),
            trouble: RwSignal::new(None),
            retries: RwSignal::new(0),
            imported: RwSignal::new(Vec::new()),
            link_notices: RwSignal::new(notices),
            probe: RwSignal::new(None),
            is_playing: RwSignal::new(false),
            is_dragging: StoredValue::new(false),
            turn: StoredValue::new(0),
            is_dark: RwSignal::new(false),
            helped: RwSignal::new("init"),
            laboratory: Laboratory::new(),
            atlases: Atlases::new(),
            dots: RwSignal::new(browser::device_pixel_ratio()),
            engines: StoredValue::new_local(engines),
            address: StoredValue::new_local(Address::default()),
        }
    }

    /// The engines.
    #[must_use]
    pub(crate) fn engines(&self) -> Rc<Engines> {
        self.engines.get_value()
    }

    /// Changes what is asked for, and writes it into the address.
    pub(crate) fn change(&self, gesture: Gesture, edit: impl FnOnce(&mut Request)) {
        let before = self.request.get_untracked();
        let mut after = before.clone();
        edit(&mut after);
        if let Some(first) = after.placements.first() {
            after.config.placement = *first;
        }
        if after == before {
            return;
        }
        self.request.set(after.clone());
        self.trouble.set(None);
        self.atlases.trouble.set(None);
        if after.placements.is_empty() {
            self.is_playing.set(false);
        } else {
            let is_held = self.is_playing.get_untracked() || self.is_dragging.get_value();
            let held = is_held.then(|| self.turn.get_value());
            self.address.with_value(|address| address.write(&before, &after, gesture, held));
        }
    }

    /// Begins a sweep or a drag, which ends any other. What it returns is the turn's until another begins.
    pub(crate) fn next_turn(&self) -> u32 {
        self.turn.update_value(|turn| *turn += 1);
        self.turn.get_value()
    }

    /// Whether a sweep is still the newest.
    #[must_use]
    pub(crate) fn is_turn(&self, turn: u32) -> bool {
        self.turn.get_value() == turn
    }

    /// Whether there is something to play, to draw and to link to.
    #[must_use]
    pub(crate) fn has_placement(&self) -> bool {
        self.request.with(|request| !request.placements.is_empty())
    }

    /// Sets the depth, within 1 to 200.
    pub(crate) fn set_depth(&self, depth: u32, gesture: Gesture) {
        self.change(gesture, |request| request.config.depth = depth.clamp(1, 200));
    }

    /// Switches a placement on or off.
    pub(crate) fn toggle(&self, placement: Placement) {
        self.change(Gesture::Choice, |request| {
            let is_on = request.placements.contains(&placement);
            request.placements = Placement::ALL
                .iter()
                .copied()
                .filter(|other| if *other == placement { !is_on } else { request.placements.contains(other) })
                .collect();
        });
    }

    /// Takes over what the address says, after back and forward.
    pub(crate) fn follow_address(&self) {
        self.address.with_value(Address::drop_pending);
        let (request, notices) = Address::read();
        if request.language.is_some_and(|asked| Some(asked) != text::language()) {
            browser::reload();
            return;
        }
        self.is_playing.set(false);
        self.trouble.set(None);
        self.atlases.trouble.set(None);
        self.link_notices.set(notices);
        self.request.set(request);
    }

    /// The engine for what is asked for; `None` while WebGPU has not answered.
    #[must_use]
    pub(crate) fn engine(&self) -> Option<Engine> {
        let asked = self.request.with(|request| request.engine);
        let device = self.device.get();
        match (asked, device) {
            (Some(engine @ (Engine::Cpu | Engine::Reference)), _) => Some(engine),
            (_, Device::Ready(_)) => Some(Engine::Gpu),
            (_, Device::Missing) => Some(Engine::Cpu),
            (_, Device::Asking) => None,
        }
    }

    /// The finished passes of the placements asked for, each with whether it is what is asked for.
    #[must_use]
    pub(crate) fn shown(&self) -> Vec<(Arc<Finished>, bool)> {
        let engine = self.engine();
        let configs = self.request.with(Request::configs);
        self.finished.with(|finished| {
            let of = |config: Config| {
                let pass = finished.iter().find(|pass| pass.measurement.config.placement == config.placement)?;
                let is_fresh = pass.measurement.config == config && engine == Some(pass.measurement.engine);
                Some((Arc::clone(pass), is_fresh))
            };
            configs.into_iter().filter_map(of).collect()
        })
    }

    /// The finished passes of the models that are kept to compare with, in the order of the link, each with its letter.
    #[must_use]
    pub(crate) fn kept(&self) -> Vec<(char, Arc<Finished>)> {
        let engine = self.engine();
        let pins = self.request.with(|request| request.pins.clone());
        self.pinned.with(|list| {
            let of = |(letter, pin): (char, Config)| {
                let is_it =
                    |pass: &&Arc<Finished>| pass.measurement.config == pin && engine == Some(pass.measurement.engine);
                Some((letter, Arc::clone(list.iter().find(is_it)?)))
            };
            ('A'..).zip(pins).filter_map(of).collect()
        })
    }

    /// The models from files, each with its letter, after those that the link names.
    #[must_use]
    pub(crate) fn imported(&self) -> Vec<(char, Arc<Imported>)> {
        let before = self.request.with(|request| request.pins.len());
        self.imported.with(|list| ('A'..).skip(before).zip(list.iter().cloned()).collect())
    }

    /// Whether every model asked for is there, with all its seeds.
    #[must_use]
    pub(crate) fn is_settled(&self) -> bool {
        let (shown, kept) = (self.shown(), self.kept());
        let count = |request: &Request| (request.placements.len(), request.pins.len(), request.seeds as usize);
        let (placements, pins, seeds) = self.request.with(count);
        (shown.len(), kept.len()) == (placements, pins)
            && shown.iter().all(|(pass, fresh)| *fresh && pass.sample.runs == seeds)
            && kept.iter().all(|(_, pass)| pass.sample.runs == seeds)
    }

    /// Keeps the models that are asked for to compare with.
    pub(crate) fn pin(&self) {
        self.change(Gesture::Choice, |request| request.pins.extend(request.unpinned()));
    }

    /// Keeps a model no more.
    pub(crate) fn unpin(&self, config: &Config) {
        self.change(Gesture::Choice, |request| request.pins.retain(|pin| pin != config));
    }

    /// One step of training from the initialisation of a run, once it is known.
    #[must_use]
    pub(crate) fn update_of(&self, of: &Measurement) -> Option<ModelUpdate> {
        let is_it = |(engine, config, _): &&(Engine, Config, _)| *engine == of.engine && *config == of.config;
        self.updates.with(|list| list.iter().find(is_it).map(|(.., update)| *update))
    }

    /// The curves of a quantity, those of models that are kept after the others, each against the model that is compared
    /// with where that is asked for. What is not of the depth asked for is stale once it is late.
    #[must_use]
    pub(crate) fn curves(&self, quantity: Quantity) -> Vec<Curve> {
        let is_late = self.is_late.get();
        let curve = |(pass, is_fresh): (Arc<Finished>, bool)| {
            let mut curve = Curve::of_sample(&pass.sample, quantity)?;
            curve.fresh = is_fresh || !is_late;
            Some(curve)
        };
        let kept_curve = |(letter, pass): (char, Arc<Finished>)| {
            let curve = Curve::of_sample(&pass.sample, quantity)?;
            Some(Curve { name: String::from(letter).into(), is_kept: true, ..curve })
        };
        let shown: Vec<_> = self.shown().into_iter().filter_map(curve).collect();
        let kept: Vec<_> = self.kept().into_iter().filter_map(kept_curve).collect();
        let (relation, along) = self.request.with(|request| (request.relation, request.along));
        let mut curves = shown;
        curves.extend(kept);
        for (letter, model) in self.imported() {
            let curve = Curve::of_sample(&model.sample, quantity);
            curves.extend(curve.map(|curve| Curve { name: String::from(letter).into(), is_kept: true, ..curve }));
        }
        // Without the model that is compared with there is nothing to show.
        let base = self.base_name().map(|name| curves.iter().position(|curve| curve.name == name));
        match base {
            None => curves,
            Some(None) => Vec::new(),
            Some(Some(base)) => {
                let base = curves.remove(base);
                curves.iter().map(|curve| curve.against(&base, relation, along)).collect()
            }
        }
    }

    /// What a chart calls the model that others are compared with; `None` where none is.
    #[must_use]
    pub(crate) fn base_name(&self) -> Option<&'static str> {
        self.request.with(|request| {
            let first = request.placements.first().filter(|_| request.relation != Relation::Values)?;
            Some(if request.pins.is_empty() { first.recipe().label } else { "A" })
        })
    }

    /// The passes shown that theory has something of.
    #[must_use]
    pub(crate) fn theory(&self) -> Vec<Arc<Finished>> {
        let passes = self.shown().into_iter().map(|(pass, _)| pass);
        passes.filter(|pass| !pass.overlays.is_empty()).collect()
    }

    /// The curves of theory over a quantity: all there are of one placement; of several the prediction of each alone.
    #[must_use]
    pub(crate) fn theory_lines(&self, quantity: Quantity) -> Vec<view::Theory> {
        if !self.request.with(|request| request.theory && request.relation == Relation::Values) {
            return Vec::new();
        }
        let all = self.theory();
        let is_alone = all.len() == 1;
        let line = |config: &Config, overlay: &Overlay| view::Theory {
            placement: config.placement,
            name: overlay.name,
            depth: config.depth,
            first: quantity.first_block(),
            values: quantity.by_block(&overlay.values, config),
        };
        let mut lines = Vec::new();
        for pass in &all {
            let is_wanted = |overlay: &&Overlay| {
                overlay.quantity == quantity && (is_alone || overlay.kind == theory::Kind::Prediction)
            };
            let most = if is_alone { usize::MAX } else { 1 };
            let overlays = pass.overlays.iter().filter(is_wanted).take(most);
            lines.extend(overlays.map(|overlay| line(&pass.measurement.config, overlay)));
        }
        lines
    }

    /// The device's pixels in one of CSS. On a page that is drawn large one of CSS has more of them (`style/base.css`).
    #[must_use]
    pub(crate) fn pixel_ratio(&self) -> f64 {
        const LARGE: f64 = 1.4;
        self.dots.get() * if self.request.with(|request| request.projector) { LARGE } else { 1.0 }
    }

    /// The colours of the charts.
    #[must_use]
    pub(crate) fn theme(&self) -> Theme {
        if self.is_dark.get() { Theme::DARK } else { Theme::LIGHT }
    }
}

/// Runs a function soon, and again whenever what it has read changes. Boxed, for the machinery of an effect is compiled
/// anew for each type of function.
pub(crate) fn effect(run: impl FnMut() + 'static) {
    Effect::new(Box::new(run) as Box<dyn FnMut()>);
}

/// The signals, anywhere below the root.
#[must_use]
pub(crate) fn page() -> Page {
    expect_context()
}
