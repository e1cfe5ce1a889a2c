//! Normscope: what depth does to a randomly initialised Transformer, and what the place of its normalization has to do
//! with it.
//!
//! | module | what lives there | what it may use |
//! |---|---|---|
//! | [`model`] | configuration, placements, init, random numbers, parameter table | nothing |
//! | [`share`] | link text to configuration and back: one table of keys | `model`, `stats`, `text` |
//! | [`stats`] | what is measured, its marks, JSON and CSV | `model` |
//! | [`mod@reference`] | the float64 engine | `model`, `stats` |
//! | [`theory`] | curves that papers and a mean-field recursion predict, over what is measured | `model`, `stats`, `text` |
//! | [`plan`] | a configuration as buffers and dispatches, as data | `model`, `stats`, `text` |
//! | [`cpu`] | the kernels' twins, and the engine that runs a plan on them | `plan` |
//! | `gpu` | shaders, pipelines, execution and readback through wgpu | `plan` |
//! | [`claims`] | what guides and literature say, and rules that test it | `model`, `share`, `stats`, `text` |
//! | [`presets`] | named queries of links | `text` |
//! | [`chart`] | charts as scenes of shapes, with no canvas in them | `stats`, `text` |
//! | `app` | the page | all of it |
//! | `sort` | what is short, sorted | nothing |
//! | `text` | texts and numbers in the reader's language | nothing |
//!
//! `model` never sees a GPU or a DOM. `reference` never reads `plan`, or a wiring mistake would hide in both.

#[cfg(feature = "app")]
pub mod app;
pub mod chart;
pub mod claims;
pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod model;
pub mod plan;
pub mod presets;
pub mod reference;
pub mod share;
mod sort;
pub mod stats;
mod text;
pub mod theory;
