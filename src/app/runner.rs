//! Which pass runs now. The newest request wins: what is under way for an older one is dropped where it can be, and what
//! has finished stays until the new is there.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::{Config, Placement};
use crate::share::{Request, View};
use crate::sort::sort_short;
use crate::stats::{Engine, Measurement};

use super::browser::{self, Later};
use super::engines::{Engines, Waiter};
use super::state::{Cost, Device, Finished, Page, Ran, Running, Trouble, effect};

/// Finished passes that are kept, so that going back costs nothing.
const KEPT: usize = 600;
/// Without a result for this long, what is shown is dimmed.
const LATE_MS: u64 = 100;

/// A run past this shows how far it is.
const LONG_MS: u64 = 1000;
/// How often it shows it.
const TELL_MS: f64 = 100.0;

/// At rest for this long, what takes longer is looked for.
const CALM_MS: u64 = 300;

/// How long the browser may take to give a graphics device.
const PATIENCE_MS: u64 = 15_000;

/// What the page asks for.
#[derive(Clone, PartialEq)]
struct Wanted {
    /// A model of each placement.
    configs: Vec<Config>,
    /// Models that are kept to compare with.
    pins: Vec<Config>,
    /// Runs of each.
    seeds: u32,
}

impl Wanted {
    fn of(request: &Request) -> Self {
        Self { configs: request.configs(), pins: request.pins.clone(), seeds: request.seeds }
    }
}

/// Runs what the page asks for.
struct Runner {
    page: Page,
    engines: Rc<Engines>,
    /// Counts what has been asked for.
    asked: Cell<u64>,
    is_running: Cell<bool>,
    kept: RefCell<VecDeque<Arc<Ran>>>,
    /// Placements in the order in which they were served last.
    served: RefCell<Vec<Placement>>,
    /// Whether what was asked for last was stopped.
    is_stopped: Cell<bool>,
    has_shown: Cell<bool>,
    late: Later,
    long: Later,
    calm: Later,
    is_stepping: Cell<bool>,
    /// Updates that could not be found.
    failed_updates: RefCell<Vec<(Engine, Config)>>,
}

/// The same run with a later seed; past the last one they begin anew.
fn with_seed(config: &Config, after: u32) -> Config {
    Config { seed: config.seed.wrapping_add(after), ..config.clone() }
}

/// Starts to serve the page, for as long as it lives.
pub(crate) fn start(page: Page) {
    let runner = Rc::new(Runner {
        page,
        engines: page.engines(),
        asked: Cell::new(0),
        is_running: Cell::new(false),
        kept: RefCell::default(),
        served: RefCell::default(),
        is_stopped: Cell::new(false),
        has_shown: Cell::new(false),
        late: Later::default(),
        long: Later::default(),
        calm: Later::default(),
        is_stepping: Cell::new(false),
        failed_updates: RefCell::default(),
    });
    let opening = Rc::clone(&runner);
    spawn_local(async move { opening.open_device().await });
    // A browser that never answers is one without.
    Later::default().ask(PATIENCE_MS, move || {
        if page.device.with_untracked(|device| *device == Device::Asking) {
            page.device.set(Device::Missing);
        }
    });

    let wanted = Memo::new(move |_| {
        let wanted = page.request.with(Wanted::of);
        // The end of a sweep and the way back from the claims are a rest of their own.
        let is_still = !page.is_playing.get() && page.request.with(|request| request.view == View::Explore);
        let memory = page.request.with(Request::budget_bytes);
        (wanted, page.engine(), memory, page.retries.get(), is_still)
    });
    let stopping = Rc::clone(&runner);
    effect(move || {
        let (wanted, engine, memory, ..) = wanted.get();
        page.engines().set_budget(memory);
        if let Some(engine) = engine {
            Rc::clone(&runner).ask(&wanted, engine);
        }
    });
    effect(move || {
        if page.stops.get() > 0 {
            stopping.stop();
        }
    });
}

impl Runner {
    async fn open_device(&self) {
        let device = match self.engines.device().await {
            Ok(adapter) => Device::Ready(adapter),
            Err(_) => Device::Missing,
        };
        self.page.device.set(device);
    }

    /// Takes up a new request.
    fn ask(self: Rc<Self>, wanted: &Wanted, engine: Engine) {
        self.asked.set(self.asked.get() + 1);
        self.is_stopped.set(false);
        self.page.stopped.set(None);
        self.calm.forget();
        self.page.is_long.set(false);
        self.publish(wanted, engine);
        if self.missing(wanted, engine).is_empty() {
            self.rest();
            return;
        }
        let page = self.page;
        self.long.ask(LONG_MS, move || page.is_long.set(true));
        if !self.is_running.replace(true) {
            self.expect_soon();
            spawn_local(async move { self.run().await });
        }
    }

    /// Ends what runs. What is shown stays as it is, dimmed.
    fn stop(&self) {
        let Some(running) = self.page.running.get_untracked() else { return };
        self.asked.set(self.asked.get() + 1);
        self.is_stopped.set(true);
        self.late.forget();
        self.long.forget();
        self.page.is_playing.set(false);
        self.page.running.set(None);
        self.page.is_long.set(false);
        self.page.is_late.set(true);
        self.page.stopped.set(Some(running));
    }

    async fn run(self: Rc<Self>) {
        loop {
            let asked = self.asked.get();
            let (wanted, engine) = untrack(|| (self.page.request.with(Wanted::of), self.page.engine()));
            let Some(engine) = engine.filter(|_| !self.is_stopped.get()) else { break };
            let failed = self.serve(&wanted, engine, asked).await.is_err();
            if self.asked.get() == asked {
                self.is_running.set(false);
                self.rest();
                if failed {
                    self.page.is_late.set(true);
                }
                return;
            }
        }
        self.is_running.set(false);
    }

    /// The runs that are not at hand: the first seed of each placement, then the second, and so on, and then those of the
    /// models that are kept to compare with. Among placements, who waited longest comes first, so that a fast drag starves
    /// none.
    fn missing(&self, wanted: &Wanted, engine: Engine) -> Vec<Config> {
        let order = self.served.borrow();
        let served = |config: &Config| order.iter().position(|p| *p == config.placement).map_or(0, |at| at + 1);
        let mut configs = wanted.configs.clone();
        sort_short(&mut configs, |a, b| served(a).cmp(&served(b)));
        let mut missing: Vec<Config> = Vec::new();
        for models in [&configs, &wanted.pins] {
            for config in (0..wanted.seeds).flat_map(|after| models.iter().map(move |config| with_seed(config, after)))
            {
                if self.at_hand(&config, engine).is_none() && !missing.contains(&config) {
                    missing.push(config);
                }
            }
        }
        missing
    }

    /// Measures the missing ones, until something newer is asked for.
    async fn serve(&self, wanted: &Wanted, engine: Engine, asked: u64) -> Result<(), ()> {
        let missing = self.missing(wanted, engine);
        let all: u32 = missing.iter().map(|config| config.depth).sum();
        let mut before = 0;
        let begun_ms = browser::now_ms();
        let told_ms = Cell::new(f64::NEG_INFINITY);
        let is_wanted = || self.asked.get() == asked;
        for config in &missing {
            let tell = |share: f64| {
                let now = browser::now_ms();
                if !is_wanted() || (share > 0.0 && now - told_ms.get() < TELL_MS) {
                    return;
                }
                told_ms.set(now);
                let done = f64::from(before) + share * f64::from(config.depth);
                let progress = done / f64::from(all);
                let left_ms = (done > 0.0).then(|| (now - begun_ms) * (1.0 / progress - 1.0));
                let blocks = (done as u32, all);
                self.page.running.set(Some(Running { placement: config.placement, progress, blocks, left_ms }));
            };
            tell(0.0);
            match self.engines.measure(engine, config, Waiter { is_wanted: &is_wanted, tell: &tell }).await {
                Ok(Some(ran)) => {
                    self.keep(ran);
                    // What ends after its time is kept for later: the page shows what was asked for since.
                    if !is_wanted() {
                        return Ok(());
                    }
                    self.publish(wanted, engine);
                    // What is dimmed stays so until all is there: no flicker.
                    if !self.page.is_late.get_untracked() {
                        self.expect_soon();
                    }
                }
                Ok(None) => return Ok(()),
                Err(failure) => {
                    self.page.trouble.set(Some(Trouble { config: config.clone(), engine, failure }));
                    return Err(());
                }
            }
            before += config.depth;
        }
        Ok(())
    }

    /// A run that is at hand, in the atlas or from a pass.
    fn at_hand(&self, config: &Config, engine: Engine) -> Option<Arc<Ran>> {
        let from_atlas = |measurement: Arc<Measurement>| {
            let measurement = Measurement::clone(&measurement);
            Arc::new(Ran { measurement, milliseconds: 0.0, cost: Some(Cost::default()), is_from_atlas: true })
        };
        self.page.atlases.measurement(config, engine).map(from_atlas).or_else(|| self.kept(config, engine))
    }

    /// A pass that is kept.
    fn kept(&self, config: &Config, engine: Engine) -> Option<Arc<Ran>> {
        let kept = self.kept.borrow();
        kept.iter().rev().find(|ran| ran.measurement.engine == engine && ran.measurement.config == *config).cloned()
    }

    fn keep(&self, ran: Ran) {
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Arc::new(ran));
    }

    /// Shows what is at hand.
    fn publish(&self, wanted: &Wanted, engine: Engine) {
        for config in &wanted.configs {
            let placement = config.placement;
            let is_it = |known: &Config| known.placement == placement;
            if self.publish_one(self.page.finished, config, wanted.seeds, engine, is_it) {
                let mut served = self.served.borrow_mut();
                served.retain(|other| *other != placement);
                served.push(placement);
            }
        }
        for pin in &wanted.pins {
            self.publish_one(self.page.pinned, pin, wanted.seeds, engine, |known| known == pin);
        }
        let is_old = |pin: &Arc<Finished>| !wanted.pins.contains(&pin.measurement.config);
        if self.page.pinned.with_untracked(|list| list.iter().any(is_old)) {
            self.page.pinned.update(|list| list.retain(|pin| !is_old(pin)));
        }
    }

    /// Puts what is at hand of a model, from its first seed on, into a list, in the place of what is of it there; false
    /// where nothing is at hand.
    fn publish_one(
        &self,
        list: RwSignal<Vec<Arc<Finished>>>,
        config: &Config,
        seeds: u32,
        engine: Engine,
        is_it: impl Fn(&Config) -> bool,
    ) -> bool {
        let passes: Vec<_> = (0..seeds).map_while(|after| self.at_hand(&with_seed(config, after), engine)).collect();
        let is_shown = list.with_untracked(|list| {
            list.iter().any(|other| {
                let known = &other.measurement;
                known.engine == engine && known.config == *config && other.sample.runs == passes.len()
            })
        });
        if passes.is_empty() || is_shown {
            return !passes.is_empty();
        }
        let finished = Arc::new(Finished::of(&passes));
        list.update(|list| {
            list.retain(|other| !is_it(&other.measurement.config));
            list.push(finished);
        });
        true
    }

    /// Dims what is shown, should nothing come for a while.
    fn expect_soon(&self) {
        let page = self.page;
        self.late.ask(LATE_MS, move || page.is_late.set(true));
    }

    fn rest(self: &Rc<Self>) {
        self.late.forget();
        self.long.forget();
        self.page.is_long.set(false);
        if !self.has_shown.replace(true) {
            request_animation_frame(|| browser::measure_from_start("normscope:first-curves"));
        }
        self.page.is_late.set(false);
        self.page.running.set(None);
        let (runner, asked) = (Rc::clone(self), self.asked.get());
        self.calm.ask(CALM_MS, move || {
            if runner.asked.get() == asked && !runner.is_stepping.replace(true) {
                spawn_local(async move { runner.step().await });
            }
        });
    }

    /// Makes the kernels ready that nothing has needed yet, and finds what one step of training does to each model that
    /// is shown, while nothing else is asked for: it costs several passes, and no curve waits for it.
    async fn step(self: Rc<Self>) {
        let asked = self.asked.get();
        let is_on_gpu = untrack(|| self.page.engine()) == Some(Engine::Gpu);
        while is_on_gpu && self.asked.get() == asked && self.engines.make_pipeline().await {}
        let is_wanted = || {
            let is_explored = self.page.request.with_untracked(|request| request.view == View::Explore);
            self.asked.get() == asked && is_explored && !self.page.is_playing.get_untracked()
        };
        let Wanted { configs, pins, .. } = self.page.request.with_untracked(Wanted::of);
        for config in configs.into_iter().chain(pins) {
            let Some(engine) = untrack(|| self.page.engine()) else { break };
            let is_it = |known: &(Engine, Config, _)| known.0 == engine && known.1 == config;
            let has_failed = self.failed_updates.borrow().contains(&(engine, config.clone()));
            if has_failed || self.page.updates.with_untracked(|list| list.iter().any(is_it)) || !is_wanted() {
                continue;
            }
            // What does not fit or fails has been said of the curves, or has none of its own. It is not tried again.
            let found =
                self.engines.model_update(engine, &config, Waiter { is_wanted: &is_wanted, tell: &|_| () }).await;
            if found.is_err() {
                self.failed_updates.borrow_mut().push((engine, config.clone()));
            }
            let Ok(Some(update)) = found else { continue };
            self.page.updates.update(|list| {
                if list.len() >= KEPT {
                    list.remove(0);
                }
                list.push((engine, config.clone(), update));
            });
        }
        self.is_stepping.set(false);
        if self.asked.get() != asked && !self.is_running.get() {
            self.rest();
        }
    }
}
