//! The page.
//!
//! | part | what |
//! |---|---|
//! | `words` | every text |
//! | `state` | the signals: what is asked for, what has finished |
//! | `address` | the request in the URL, and back and forward |
//! | `engines` | the three engines behind one call |
//! | `sweep` | one model measured at many depths |
//! | `atlas` | the models of every depth: what is measured, and the sweep that measures the rest |
//! | `laboratory` | puts claims to the test |
//! | `runner` | which pass runs now; the newest request wins |
//! | `play` | depth in motion |
//! | `browser` | small things asked of the browser |
//! | `components` | what is seen |
//! | `api` | what scripts may ask of the module |

mod address;
pub mod api;
mod atlas;
mod browser;
mod components;
mod engines;
mod laboratory;
mod play;
mod runner;
mod state;
mod sweep;
mod words;

use leptos::prelude::*;

/// Puts the page into the document.
pub fn mount() {
    mount_to_body(components::App);
}
