//! Puts claims to the test: runs what a rule asks for, and keeps what it found.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::claims::{Claim, Evidence, Model, Outcome, Rule, Test};
use crate::model::Config;
use crate::stats::{Engine, Measurement, ModelUpdate};

use super::engines::{Failure, Waiter};
use super::state::{Device, Page, Ran};
use super::words;

/// Passes that are kept, for claims share them.
const KEPT: usize = 200;

/// Where the test of a claim stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finding {
    /// It waits for its turn.
    Waiting,
    /// Its runs are under way; the share that is done.
    Running(f64),
    /// What the rule found, who computed, and what of it is drawn, as HTML.
    Found(Outcome, Engine, Option<String>),
    /// Its runs failed.
    Failed(String),
}

/// What is known of each claim, by its place in the list.
#[derive(Clone, Copy)]
pub(crate) struct Laboratory {
    pub(crate) findings: RwSignal<Vec<Option<Finding>>>,
    work: StoredValue<Rc<Work>, LocalStorage>,
}

#[derive(Default)]
struct Work {
    queue: RefCell<VecDeque<usize>>,
    is_running: Cell<bool>,
    passes: RefCell<VecDeque<Measurement>>,
    updates: RefCell<VecDeque<(Engine, Config, ModelUpdate)>>,
    /// Whether what runs is still wanted.
    is_stopped: Cell<bool>,
    /// Whether nobody asked for what runs.
    is_unasked: Cell<bool>,
    /// Whether nothing is to run unasked: a run was stopped.
    is_declined: Cell<bool>,
}

impl Laboratory {
    /// With nothing found yet.
    pub(crate) fn new() -> Self {
        let findings = RwSignal::new(vec![None; crate::claims::ALL.len()]);
        Self { findings, work: StoredValue::new_local(Rc::default()) }
    }

    /// Tests a claim, after those that wait already, and at once where nobody asked for what runs.
    pub(crate) fn test(self, page: Page, index: usize) {
        let work = self.work.get_value();
        // One that is about to be dropped runs once more.
        let is_busy = self.findings.with_untracked(|list| match list[index] {
            Some(Finding::Waiting) => true,
            Some(Finding::Running(_)) => !work.is_stopped.get(),
            _ => false,
        });
        let was_unasked = work.is_unasked.replace(false);
        if !is_busy {
            if was_unasked {
                work.is_stopped.set(true);
            }
            self.begin(page, work, index);
        }
    }

    /// Tests the first of these claims of which nothing is known, unless something runs or a run was stopped; a
    /// processor is kept to what takes little.
    pub(crate) fn test_unasked<I: Iterator<Item = usize>>(self, page: Page, claims: impl Fn() -> I) {
        let work = self.work.get_value();
        let is_taken =
            page.running.with_untracked(Option::is_some) || page.atlases.sweep.with_untracked(Option::is_some);
        if work.is_running.get() || work.is_declined.get() || is_taken || document().hidden() {
            return;
        }
        let is_fast =
            page.device.with_untracked(|device| matches!(device, Device::Ready(adapter) if !adapter.is_software));
        let is_next = |index: &usize| {
            let Test::Measured(rule) = crate::claims::ALL[*index].test else { return false };
            let is_known = self.findings.with_untracked(|list| list[*index].is_some());
            !is_known && (is_fast || (rule.question)().is_small())
        };
        if let Some(index) = claims().find(is_next) {
            work.is_unasked.set(true);
            self.begin(page, work, index);
        }
    }

    fn begin(self, page: Page, work: Rc<Work>, index: usize) {
        self.set(index, Some(Finding::Waiting));
        work.queue.borrow_mut().push_back(index);
        if !work.is_running.replace(true) {
            spawn_local(async move { self.work_off(page, &work).await });
        }
    }

    /// Drops what runs if nobody asked for it.
    pub(crate) fn stop_unasked(self) {
        self.work.with_value(|work| {
            if work.is_unasked.get() {
                work.is_stopped.set(work.is_running.get());
            }
        });
    }

    /// Drops what waits and what runs, and lets nothing run unasked from now on.
    pub(crate) fn stop(self) {
        self.work.with_value(|work| work.is_declined.set(true));
        let waiting: Vec<_> = self.work.with_value(|work| {
            work.is_stopped.set(work.is_running.get());
            work.queue.borrow_mut().drain(..).collect()
        });
        for index in waiting {
            self.set(index, None);
        }
    }

    fn set(self, index: usize, finding: Option<Finding>) {
        self.findings.update(|list| list[index] = finding);
    }

    async fn work_off(self, page: Page, work: &Work) {
        loop {
            work.is_stopped.set(false);
            let next = work.queue.borrow_mut().pop_front();
            let Some(index) = next else { break };
            let claim = &crate::claims::ALL[index];
            let Test::Measured(rule) = claim.test else { continue };
            let finding = self.find(page, work, index, rule).await;
            self.set(index, finding);
        }
        work.is_running.set(false);
        work.is_unasked.set(false);
    }

    /// What a rule finds; nothing where it was stopped.
    async fn find(self, page: Page, work: &Work, index: usize, rule: Rule) -> Option<Finding> {
        let question = (rule.question)();
        let engine = loop {
            match untrack(|| page.engine()) {
                Some(engine) => break engine,
                // The browser has not said yet whether there is a graphics device.
                None if work.is_stopped.get() => return None,
                None => page.engines().breathe().await,
            }
        };
        let all = (question.passes.len() + question.updates.len()).max(1) as f64;
        let mut evidence = Evidence { models: question.models.iter().map(Model::new).collect(), ..Evidence::default() };
        let tell = |done: usize, share: f64| self.set(index, Some(Finding::Running((done as f64 + share) / all)));
        for config in &question.passes {
            let done = evidence.passes.len();
            tell(done, 0.0);
            match pass(page, work, engine, config, &|share| tell(done, share)).await {
                Ok(Some(measurement)) => evidence.passes.push(measurement),
                Ok(None) => return None,
                Err(failure) => return Some(Finding::Failed(words::test_failed(config, &failure))),
            }
        }
        for config in &question.updates {
            let done = evidence.passes.len() + evidence.updates.len();
            let is_it = |known: &&(Engine, Config, ModelUpdate)| known.0 == engine && known.1 == *config;
            let known = work.updates.borrow().iter().find(is_it).map(|(_, config, update)| (config.clone(), *update));
            tell(done, 0.0);
            let update = match known {
                Some(update) => update,
                None => {
                    let found = page
                        .engines()
                        .model_update(
                            engine,
                            config,
                            Waiter { is_wanted: &|| !work.is_stopped.get(), tell: &|share| tell(done, share) },
                        )
                        .await;
                    let update = match found {
                        Ok(Some(update)) => update,
                        Ok(None) => return None,
                        Err(failure) => return Some(Finding::Failed(words::test_failed(config, &failure))),
                    };
                    let mut updates = work.updates.borrow_mut();
                    if updates.len() >= KEPT {
                        updates.pop_front();
                    }
                    updates.push_back((engine, config.clone(), update));
                    (config.clone(), update)
                }
            };
            evidence.updates.push(update);
        }
        let curves = rule.shown.as_ref().and_then(|shown| super::components::evidence(shown, &evidence));
        Some(Finding::Found((rule.judge)(&evidence), engine, curves))
    }
}

async fn pass(
    page: Page,
    work: &Work,
    engine: Engine,
    config: &Config,
    tell: &dyn Fn(f64),
) -> Result<Option<Measurement>, Failure> {
    let is_it = |known: &&Measurement| known.config == *config && known.engine == engine;
    let known = work.passes.borrow().iter().find(is_it).cloned();
    if let Some(known) = known {
        return Ok(Some(known));
    }
    let ran = page.engines().measure(engine, config, Waiter { is_wanted: &|| !work.is_stopped.get(), tell }).await?;
    let Some(Ran { measurement, .. }) = ran else { return Ok(None) };
    let mut passes = work.passes.borrow_mut();
    if passes.len() >= KEPT {
        passes.pop_front();
    }
    passes.push_back(measurement.clone());
    Ok(Some(measurement))
}

/// Whether there is something to run or to look up for a claim.
pub(crate) const fn is_measurable(claim: &Claim) -> bool {
    matches!(claim.test, Test::Measured(_))
}
