//! The atlas of each model that is asked for: what has been measured, and the sweep that measures the rest.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::Config;
use crate::share::Request;
use crate::stats::{Atlas, Engine, Measurement, coarse_first};

use super::browser;
use super::engines::{Failure, Waiter};
use super::play::SHALLOWEST;
use super::state::{Page, Trouble};
use super::sweep;

/// Atlases that are kept: one of 195 depths holds about 6 MB.
const KEPT: usize = 16;
/// Depths of each model that are measured before the rest of any: enough for a first picture of all panels.
const COARSE: usize = 9;
/// The charts have been at rest for this long before a sweep goes on, and are asked this often whether they are.
const CALM_MS: f64 = 300.0;
const ASK_MS: i32 = 50;

/// How far a sweep has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sweep {
    /// Models that were measured since it began.
    pub(crate) done: usize,
    /// Models that were missing then.
    pub(crate) of: usize,
    /// The share of its operations that is done.
    pub(crate) share: f64,
    /// Milliseconds it will take from now on, once that can be told.
    pub(crate) left_ms: Option<f64>,
}

/// All atlases.
#[derive(Clone, Copy)]
pub(crate) struct Atlases {
    /// What has been measured, what was measured last at the end.
    kept: RwSignal<Vec<Arc<Atlas>>>,
    /// The sweep under way.
    pub(crate) sweep: RwSignal<Option<Sweep>>,
    /// Why the last one ended early, if it failed.
    pub(crate) trouble: RwSignal<Option<Trouble>>,
    /// Depth and block looked at, in all panels.
    pub(crate) probe: RwSignal<Option<(u32, u32)>>,
    /// The block that was chosen last.
    pub(crate) block: RwSignal<u32>,
    /// Milliseconds of an operation, as the last sweep had it, and on which engine.
    pace: RwSignal<Option<(Engine, f64)>>,
    /// Counts starts and stops.
    turn: StoredValue<Rc<Cell<u64>>, LocalStorage>,
}

/// The depths of the atlas.
#[must_use]
pub(crate) const fn depths(request: &Request) -> RangeInclusive<u32> {
    SHALLOWEST..=request.deepest
}

impl Atlases {
    /// With nothing measured.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            kept: RwSignal::new(Vec::new()),
            sweep: RwSignal::new(None),
            trouble: RwSignal::new(None),
            probe: RwSignal::new(None),
            block: RwSignal::new(1),
            pace: RwSignal::new(None),
            turn: StoredValue::new_local(Rc::default()),
        }
    }

    /// The atlas of a model, whatever its depth.
    #[must_use]
    pub(crate) fn of(self, config: &Config, engine: Engine) -> Option<Arc<Atlas>> {
        self.kept.with(|list| list.iter().find(|atlas| atlas.is_of(config, engine)).cloned())
    }

    /// What an atlas has of a run.
    #[must_use]
    pub(crate) fn measurement(self, config: &Config, engine: Engine) -> Option<Arc<Measurement>> {
        self.kept
            .with_untracked(|list| list.iter().find(|atlas| atlas.is_of(config, engine))?.at(config.depth).cloned())
    }

    /// The depths of a model that are not measured, coarse ones first.
    #[must_use]
    pub(crate) fn missing(self, config: &Config, engine: Engine, within: RangeInclusive<u32>) -> Vec<u32> {
        self.of(config, engine).map_or_else(|| coarse_first(within.clone()), |atlas| atlas.missing(within.clone()))
    }

    /// How long what is missing would take, by the pace of the last sweep or of the passes that are shown.
    #[must_use]
    pub(crate) fn estimate_ms(self, page: Page, engine: Engine) -> Option<f64> {
        let of_sweep = self.pace.get().filter(|(of, _)| *of == engine).map(|(_, pace)| pace);
        // The fastest one: the first pass of all waits for compilers.
        let of_passes = || {
            let shown = page.shown();
            let passes = shown.iter().map(|(pass, _)| pass).filter(|pass| !pass.is_from_atlas);
            let of_engine = passes.filter(|pass| pass.measurement.engine == engine);
            let paces =
                of_engine.map(|pass| pass.milliseconds / (pass.measurement.config.flops() * pass.sample.runs as f64));
            paces.min_by(f64::total_cmp)
        };
        let pace = of_sweep.or_else(of_passes)?;
        let request = page.request.get();
        let flops = request.configs().into_iter().map(|config| {
            let missing = self.missing(&config, engine, depths(&request));
            sweep::flops(engine, &config, &missing)
        });
        Some(flops.sum::<f64>() * pace)
    }

    fn insert(self, measurement: Measurement) {
        self.kept.update(|list| {
            let at = list.iter().position(|atlas| atlas.is_of(&measurement.config, measurement.engine));
            let mut atlas = match at {
                Some(at) => list.remove(at),
                None => Arc::new(Atlas::new(&measurement.config, measurement.engine)),
            };
            Arc::make_mut(&mut atlas).insert(measurement);
            list.push(atlas);
            if list.len() > KEPT {
                list.remove(0);
            }
        });
    }

    /// Measures what is missing of the models that are asked for now. Another sweep ends.
    pub(crate) fn start(self, page: Page) {
        let Some(engine) = untrack(|| page.engine()) else { return };
        let turn = self.next_turn();
        let request = page.request.get_untracked();
        self.trouble.set(None);
        spawn_local(async move {
            let job = Job { atlases: self, page, turn, engine, deepest: request.deepest };
            job.run(&request.configs()).await;
            if self.is_turn(turn) {
                self.sweep.set(None);
            }
        });
    }

    /// Ends the sweep; what it has measured is kept.
    pub(crate) fn stop(self) {
        self.next_turn();
        self.trouble.set(None);
        self.sweep.set(None);
    }

    fn next_turn(self) -> u64 {
        self.turn.with_value(|turn| {
            turn.set(turn.get() + 1);
            turn.get()
        })
    }

    fn is_turn(self, turn: u64) -> bool {
        self.turn.with_value(|now| now.get() == turn)
    }
}

/// A sweep over the models that were asked for when it began.
struct Job {
    atlases: Atlases,
    page: Page,
    turn: u64,
    engine: Engine,
    deepest: u32,
}

impl Job {
    async fn run(&self, models: &[Config]) {
        let missing =
            |config: &Config| untrack(|| self.atlases.missing(config, self.engine, SHALLOWEST..=self.deepest));
        let all: Vec<(Config, Vec<u32>)> = models.iter().map(|config| (config.clone(), missing(config))).collect();
        let mut progress = Progress::of(self.engine, &all);
        self.atlases.sweep.set(Some(progress.sweep(0.0)));
        let coarse = &coarse_first(SHALLOWEST..=self.deepest)[..];
        for first in [&coarse[..COARSE.min(coarse.len())], coarse] {
            for (config, _) in &all {
                loop {
                    let mut depths = missing(config);
                    depths.retain(|depth| first.contains(depth));
                    if depths.is_empty() || !self.is_wanted(config) {
                        break;
                    }
                    self.let_charts_go_first().await;
                    if let Err(failure) = self.measure(config, &depths, &mut progress).await {
                        let config = Config { depth: self.deepest, ..config.clone() };
                        if self.atlases.is_turn(self.turn) {
                            self.atlases.trouble.set(Some(Trouble { config, engine: self.engine, failure }));
                        }
                        return;
                    }
                }
            }
        }
    }

    async fn measure(&self, config: &Config, depths: &[u32], progress: &mut Progress) -> Result<(), Failure> {
        let began = browser::now_ms();
        let own = sweep::flops(self.engine, config, depths);
        let before = progress.clone();
        let came = Cell::new(0);
        let done = Cell::new(0.0);
        let tell = |share: f64| {
            // A pass may end after its sweep was stopped.
            if !self.atlases.is_turn(self.turn) {
                return;
            }
            let now = Progress { done: before.done + came.get(), flops: before.flops + share * own, ..before.clone() };
            self.atlases.sweep.set(Some(now.sweep(browser::now_ms() - began)));
        };
        let take = |measurement: Measurement| {
            came.set(came.get() + 1);
            done.set(done.get() + sweep::flops(self.engine, config, &[measurement.config.depth]));
            self.atlases.insert(measurement);
        };
        let is_wanted = || self.is_wanted(config) && !self.are_charts_busy();
        let waiting = Waiter { is_wanted: &is_wanted, tell: &tell };
        let result = self.page.engines().sweep(self.engine, config, depths, take, waiting).await;
        progress.spent_ms += browser::now_ms() - began;
        progress.done += came.get();
        progress.flops += done.get();
        if progress.flops > 0.0 {
            self.atlases.pace.set(Some((self.engine, progress.spent_ms / progress.flops)));
        }
        result
    }

    /// Whether a model is still asked for, by this sweep.
    fn is_wanted(&self, config: &Config) -> bool {
        self.atlases.is_turn(self.turn)
            && untrack(|| self.page.engine()) == Some(self.engine)
            && self.page.request.with_untracked(|request| {
                let same = |other: Config| Config { depth: config.depth, ..other } == *config;
                request.deepest == self.deepest && request.configs().into_iter().any(same)
            })
    }

    /// Whether the charts wait for a pass, or will at once.
    fn are_charts_busy(&self) -> bool {
        self.page.running.with_untracked(Option::is_some)
            || self.page.is_playing.get_untracked()
            || self.page.is_dragging.get_value()
    }

    /// Waits until the charts have what they need: nobody waits for an atlas as for a curve under a slider.
    async fn let_charts_go_first(&self) {
        while self.are_charts_busy() && self.atlases.is_turn(self.turn) {
            let busy = browser::now_ms();
            while browser::now_ms() - busy < CALM_MS {
                browser::sleep(ASK_MS).await;
            }
        }
    }
}

/// What a sweep has to do, and has done.
#[derive(Clone)]
struct Progress {
    of: usize,
    all_flops: f64,
    done: usize,
    flops: f64,
    spent_ms: f64,
}

impl Progress {
    fn of(engine: Engine, all: &[(Config, Vec<u32>)]) -> Self {
        Self {
            of: all.iter().map(|(_, depths)| depths.len()).sum(),
            all_flops: all.iter().map(|(config, depths)| sweep::flops(engine, config, depths)).sum(),
            done: 0,
            flops: 0.0,
            spent_ms: 0.0,
        }
    }

    /// What is to be said after so long a time of what is under way.
    fn sweep(&self, running_ms: f64) -> Sweep {
        let share = self.flops / self.all_flops.max(1.0);
        let ms_a_flop = (self.spent_ms + running_ms) / self.flops;
        let left_ms = (self.flops > 0.0).then_some(ms_a_flop * (self.all_flops - self.flops));
        Sweep { done: self.done, of: self.of, share, left_ms }
    }
}
