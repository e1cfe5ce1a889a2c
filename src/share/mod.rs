//! Link text to configuration and back. One table, [`keys`], defines every key: its values and default.

mod keys;
mod pins;
mod query;
mod shelf;

pub use crate::text::Language;
pub use keys::{Key, Kind, LONGEST, VERSION, keys};
pub use pins::{MOST_PIN_LETTERS, MOST_PINS};
pub use shelf::{Guide, Topic, VerdictKind};

pub use query::{
    Along, ChartChoice, ClaimFilter, Notice, Part, Relation, Request, Scale, Speed, Target, Theme, View, parse,
    to_query,
};

#[cfg(test)]
mod tests;
