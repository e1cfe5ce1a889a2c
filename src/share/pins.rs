//! Models that are kept to compare with, as text: `post;depth:96;init:he~pre`.

use crate::model::{Config, Placement};

use super::keys::keys;
use super::query::{Request, Target};

/// The most models that are kept.
pub const MOST_PINS: usize = 6;

/// The most characters that they may take of a link.
pub const MOST_PIN_LETTERS: usize = 900;

/// A model: its placement, then what is not as the page begins with.
fn text_of(config: &Config) -> String {
    let default = Request::default_for(Target::CommandLine);
    let request = Request { config: config.clone(), ..default.clone() };
    let mut out = config.placement.key().to_owned();
    for key in keys() {
        let value = (key.get)(&request);
        if value != (key.get)(&default) {
            out += &format!(";{}:{value}", key.name);
        }
    }
    out
}

/// The model that a text names; none where it names none, or a key that is not of a model.
fn model_of(text: &str) -> Option<Config> {
    let default = Request::default_for(Target::CommandLine);
    let mut request = default.clone();
    let mut parts = text.split(';');
    let placement = Placement::from_key(parts.next()?)?;
    for part in parts {
        let (name, value) = part.split_once(':')?;
        let key = keys().iter().find(|key| key.name == name)?;
        if !(key.set)(&mut request, value) {
            return None;
        }
    }
    let config = Config { placement, ..request.config.clone() };
    let is_model = Request { config: default.config.clone(), ..request } == default;
    (is_model && config.width.is_multiple_of(config.heads)).then_some(config)
}

/// The models as text; empty where there is none.
pub(crate) fn to_text(pins: &[Config]) -> String {
    pins.iter().map(text_of).collect::<Vec<_>>().join("~")
}

/// The models of a text, each once; none where one of them is none, or where they are too many.
pub(super) fn of_text(text: &str) -> Option<Vec<Config>> {
    let mut pins = Vec::new();
    for part in text.split('~').filter(|_| !text.is_empty()) {
        let pin = model_of(part)?;
        if !pins.contains(&pin) {
            pins.push(pin);
        }
    }
    (pins.len() <= MOST_PINS && to_text(&pins).len() <= MOST_PIN_LETTERS).then_some(pins)
}
