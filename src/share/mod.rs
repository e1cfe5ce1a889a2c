//! Link text to configuration and back. One table, [`keys`], defines every key: its values and default.

mod keys;
mod pins;
mod query;
mod shelf;

pub use crate::text::Language;
pub use keys::{Key, Kind, keys};
pub use pins::MOST_PINS;
pub use shelf::{Guide, Topic, VerdictKind};

pub use query::{ClaimFilter, Notice, Request, Scale, Speed, Target, View, parse, to_query};

#[cfg(test)]
mod tests;
