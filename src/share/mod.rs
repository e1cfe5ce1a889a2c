//! Link text to configuration and back. One table, [`keys`], defines every key: its values and default.

mod keys;
mod pins;
mod query;
mod shelf;

pub use crate::text::Language;
pub use keys::{Key, Kind, keys};
pub use pins::MOST_PINS;
pub use shelf::{Guide, Topic, VerdictKind};

pub use query::{
    Along, ChartChoice, ClaimFilter, Notice, Relation, Request, Scale, Speed, Target, View, parse, to_query,
};

#[cfg(test)]
mod tests;
