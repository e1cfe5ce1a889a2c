//! The request in the URL's query. A choice is a step of the history; a movement is one step from its start to its end.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use crate::share::{Notice, Request, Target, parse, to_query};

use super::browser::{self, Later};
use super::state::Gesture;

/// A movement that nothing holds has ended when it rests this long.
const REST_MS: f64 = 1200.0;
/// While something moves, the address follows at this distance: browsers refuse more than some 6 changes a second.
const FOLLOW_MS: u64 = 250;

/// Writes the address.
#[derive(Clone, Default)]
pub(crate) struct Address {
    last_movement_ms: Rc<Cell<Option<f64>>>,
    /// The sweep or drag that the newest step of the history belongs to.
    last_held: Rc<Cell<Option<u32>>>,
    is_pending: Rc<Cell<bool>>,
    later: Later,
}

impl Address {
    /// What the address asks for, and what was wrong with it.
    #[must_use]
    pub(crate) fn read() -> (Request, Vec<Notice>) {
        parse(&browser::window().location().search().unwrap_or_default(), Target::Page)
    }

    /// The whole address of a request.
    #[must_use]
    pub(crate) fn link(request: &Request) -> String {
        let query = to_query(request, Target::Page);
        let mut link = Self::home();
        if !query.is_empty() {
            link.extend(["?", &query]);
        }
        link
    }

    /// The page without a query: not its folder, which on a disk has other files.
    #[must_use]
    pub(crate) fn home() -> String {
        let mut address = browser::window().location().href().unwrap_or_default();
        address.truncate(address.find(['?', '#']).unwrap_or(address.len()));
        address
    }

    /// Drops what was still to be written: the address has been changed from outside.
    pub(crate) fn drop_pending(&self) {
        self.later.forget();
        self.is_pending.set(false);
        self.last_movement_ms.set(None);
        self.last_held.set(None);
    }

    /// Brings the address up to date. `held` is the sweep or drag that goes on: all of it is one movement, however long
    /// it rests for its passes.
    pub(crate) fn write(&self, before: &Request, request: &Request, gesture: Gesture, held: Option<u32>) {
        let now = browser::now_ms();
        let is_recent = self.last_movement_ms.get().is_some_and(|last| now - last < REST_MS);
        let continues = is_recent || (held.is_some() && held == self.last_held.get());
        match gesture {
            Gesture::Choice => {
                // The end of a movement is kept in its own step of the history.
                if self.is_pending.get() && !before.placements.is_empty() {
                    replace(before);
                }
                self.drop_pending();
                push(request);
            }
            Gesture::Movement => {
                self.last_movement_ms.set(Some(now));
                self.last_held.set(held);
                if continues {
                    let request = request.clone();
                    let is_pending = Rc::clone(&self.is_pending);
                    is_pending.set(true);
                    self.later.ask(FOLLOW_MS, move || {
                        is_pending.set(false);
                        replace(&request);
                    });
                } else {
                    push(request);
                }
            }
        }
    }
}

fn push(request: &Request) {
    if let Ok(history) = browser::window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&Address::link(request)));
    }
}

fn replace(request: &Request) {
    if let Ok(history) = browser::window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&Address::link(request)));
    }
}
