//! Which pass runs now. The newest request wins: what is under way for an older one is dropped where it can be, and what
//! has finished stays until the new is there.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::{Config, Placement};
use crate::stats::Engine;

use super::browser::Later;
use super::engines::Engines;
use super::state::{Device, Finished, Page, Running, Trouble};

/// Finished passes that are kept, so that going back costs nothing.
const KEPT: usize = 600;
/// Without a result for this long, what is shown is dimmed.
const LATE_MS: u64 = 100;

/// How long the browser may take to give a graphics device.
const PATIENCE_MS: u64 = 15_000;

/// Runs what the page asks for.
struct Runner {
    page: Page,
    engines: Engines,
    /// Counts what has been asked for.
    asked: Cell<u64>,
    is_running: Cell<bool>,
    kept: RefCell<VecDeque<Arc<Finished>>>,
    /// Placements in the order in which they were served last.
    served: RefCell<Vec<Placement>>,
    late: Later,
}

/// Starts to serve the page, for as long as it lives.
pub(crate) fn start(page: Page) {
    let runner = Rc::new(Runner {
        page,
        engines: Engines::new(),
        asked: Cell::new(0),
        is_running: Cell::new(false),
        kept: RefCell::default(),
        served: RefCell::default(),
        late: Later::default(),
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
        let configs = page.request.with(crate::share::Request::configs);
        (configs, page.engine(), page.retries.get())
    });
    Effect::new(move |_| {
        let (configs, engine, _) = wanted.get();
        if let Some(engine) = engine {
            Rc::clone(&runner).ask(&configs, engine);
        }
    });
}

impl Runner {
    async fn open_device(&self) {
        let device = match self.engines.open_device().await {
            Ok(adapter) => Device::Ready(adapter),
            Err(_) => Device::Missing,
        };
        self.page.device.set(device);
    }

    /// Takes up a new request.
    fn ask(self: Rc<Self>, configs: &[Config], engine: Engine) {
        self.asked.set(self.asked.get() + 1);
        let missing = configs.iter().filter(|config| !self.publish_kept(config, engine)).count();
        if missing == 0 {
            self.rest();
        } else if !self.is_running.replace(true) {
            self.expect_soon();
            spawn_local(async move { self.run().await });
        }
    }

    async fn run(&self) {
        loop {
            let asked = self.asked.get();
            let (mut configs, engine) =
                untrack(|| (self.page.request.with(crate::share::Request::configs), self.page.engine()));
            let Some(engine) = engine else { break };
            configs.retain(|config| !self.publish_kept(config, engine));
            // Who waited longest comes first, so that a fast drag starves no placement.
            let order = self.served.borrow().clone();
            configs.sort_by_key(|config| order.iter().position(|p| *p == config.placement).map_or(0, |at| at + 1));
            let failed = self.serve(&configs, engine, asked).await.is_err();
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

    /// Measures the missing ones, until something newer is asked for.
    async fn serve(&self, configs: &[Config], engine: Engine, asked: u64) -> Result<(), ()> {
        for (index, config) in configs.iter().enumerate() {
            let tell = |share: f64| {
                let progress = (index as f64 + share) / configs.len() as f64;
                self.page.running.set(Some(Running { placement: config.placement, progress }));
            };
            tell(0.0);
            let is_wanted = || self.asked.get() == asked;
            match self.engines.measure(engine, config, &is_wanted, &tell).await {
                Ok(Some(finished)) => self.keep(finished),
                Ok(None) => return Ok(()),
                Err(failure) => {
                    self.page.trouble.set(Some(Trouble { config: config.clone(), engine, failure }));
                    return Err(());
                }
            }
            if !is_wanted() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Publishes a pass that is at hand; false where it is not.
    fn publish_kept(&self, config: &Config, engine: Engine) -> bool {
        let kept = self.kept.borrow();
        let found =
            kept.iter().rev().find(|f| f.measurement.engine == engine && f.measurement.config == *config).cloned();
        drop(kept);
        let Some(found) = found else { return false };
        self.publish(found);
        true
    }

    fn keep(&self, finished: Finished) {
        let finished = Arc::new(finished);
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Arc::clone(&finished));
        drop(kept);
        self.publish(finished);
        // What is dimmed stays so until all is there: no flicker.
        if self.is_running.get() && !self.page.is_late.get_untracked() {
            self.expect_soon();
        }
    }

    /// Shows a finished pass.
    fn publish(&self, finished: Arc<Finished>) {
        let placement = finished.measurement.config.placement;
        let mut served = self.served.borrow_mut();
        served.retain(|other| *other != placement);
        served.push(placement);
        drop(served);
        let is_shown = self.page.finished.with_untracked(|list| list.iter().any(|other| Arc::ptr_eq(other, &finished)));
        if is_shown {
            return;
        }
        self.page.finished.update(|list| {
            list.retain(|other| other.measurement.config.placement != placement);
            list.push(finished);
        });
    }

    /// Dims what is shown, should nothing come for a while.
    fn expect_soon(&self) {
        let page = self.page;
        self.late.ask(LATE_MS, move || page.is_late.set(true));
    }

    fn rest(&self) {
        self.late.forget();
        self.page.is_late.set(false);
        self.page.running.set(None);
    }
}
