//! The page.
//!
//! | part | what |
//! |---|---|
//! | `words` | what is said, put together from texts |
//! | `formulas` | MathML |
//! | `state` | the signals: what is asked for, what has finished |
//! | `address` | the request in the URL, and back and forward |
//! | `engines` | the three engines behind one call |
//! | `sweep` | one model measured at many depths |
//! | `atlas` | the models of every depth: what is measured, and the sweep that measures the rest |
//! | `laboratory` | puts claims to the test |
//! | `runner` | which pass runs now; the newest request wins |
//! | `outside` | what frames and files ask of the page |
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
mod formulas;
mod laboratory;
pub mod outside;
mod play;
mod runner;
mod state;
mod sweep;
mod words;

use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use leptos::prelude::*;
use wasm_bindgen::{JsError, JsValue};
use wasm_bindgen_futures::spawn_local;

use crate::share::Language;
use crate::text;

use address::Address;
use engines::Engines;

/// What a browser is given to find a graphics device before the page is put together, which keeps it from answering.
const HEAD_START_MS: i32 = 30;

/// Puts the page into the document, in a language whose texts are an object of strings by name.
///
/// # Errors
/// Where the texts are not.
pub(crate) fn mount(language: &str, texts: &js_sys::Object) -> Result<(), JsError> {
    let text_of = |name: JsValue| Some((name.as_string()?, js_sys::Reflect::get(texts, &name).ok()?.as_string()?));
    let names = js_sys::Object::keys(texts);
    let texts = names.iter().map(text_of).collect::<Option<_>>();
    let texts = texts.ok_or_else(|| JsError::new("the file of texts has something else"))?;
    text::speak(Language::from_key(language).unwrap_or(Language::En), texts);
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
    Ok(())
}
