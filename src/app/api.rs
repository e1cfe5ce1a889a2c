//! What scripts may ask of the page's module, beside the page itself.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::cpu::CpuPass;
use crate::gpu::{Gpu, Setup};
use crate::model::Config;
use crate::plan::{Extent, Limits};
use crate::reference;
use crate::share::{self, Target};
use crate::stats::{Engine, Measurement, Pass, to_json};

use super::browser;

thread_local! {
    static DEVICE: RefCell<Option<Rc<Gpu>>> = const { RefCell::new(None) };
}

/// Starts the page, in a language whose texts are an object of strings by name.
///
/// # Errors
/// Where the texts are no strings.
#[wasm_bindgen]
pub fn mount(language: &str, texts: &js_sys::Object) -> Result<(), JsError> {
    super::mount(language, texts)
}

/// Runs one model and resolves to what the command line prints: the JSON of `normscope run`, with the same query. The
/// engine is the query's, else the GPU. `cpu` and `reference` keep the page waiting until they are done.
///
/// # Errors
/// An `Error` that names the bad key, or says why the engine failed.
#[wasm_bindgen]
pub async fn measure(query: String) -> Result<String, JsError> {
    let (request, notices) = share::parse(&query, Target::CommandLine);
    if !notices.is_empty() {
        let lines: Vec<String> = notices.iter().map(ToString::to_string).collect();
        return Err(JsError::new(&lines.join("; ")));
    }
    let config = &request.config;
    let budget_bytes = request.budget_bytes();
    let measurement = match request.engine.unwrap_or(Engine::Gpu) {
        Engine::Reference => reference::measure(config),
        Engine::Cpu => CpuPass::within(config, &Limits { budget_bytes, ..Limits::default() }, Extent::Curves)?.finish(),
        Engine::Gpu => on_device(config, budget_bytes).await?,
    };
    Ok(to_json(&measurement))
}

async fn on_device(config: &Config, budget_bytes: u64) -> Result<Measurement, JsError> {
    let known = DEVICE.with_borrow(Option::clone).filter(|gpu| gpu.lost().is_none());
    let gpu = match known {
        Some(gpu) => gpu,
        None => Rc::new(Gpu::open(Setup::new(browser::now_ms)).await?),
    };
    gpu.set_budget(budget_bytes);
    DEVICE.set(Some(Rc::clone(&gpu)));
    Ok(gpu.measure(config, || false).await?.measurement)
}
