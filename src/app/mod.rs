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

use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use address::Address;
use engines::Engines;

/// What a browser is given to find a graphics device before the page is put together, which keeps it from answering.
const HEAD_START_MS: i32 = 30;

/// Puts the page into the document.
pub fn mount() {
    spawn_local(async {
        let engines = Rc::new(Engines::new());
        let found = engines.promise();
        let of_page = Rc::clone(&engines);
        let put_together = move || mount_to_body(move || components::App(components::AppProps { engines: of_page }));
        let opening = pin!(engines.open_for(Address::read().0.configs()));
        // Nobody takes the answer where the page has gone.
        match select(opening, pin!(browser::sleep(HEAD_START_MS))).await {
            Either::Left((device, _)) => {
                let _ = found.send(device);
                // After the kernels that were begun.
                spawn_local(async move { put_together() });
            }
            Either::Right(((), opening)) => {
                put_together();
                let _ = found.send(opening.await);
            }
        }
    });
}
