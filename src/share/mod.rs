//! Link text to configuration and back. One table, [`keys`], defines every key: its values and default.

mod keys;
mod query;
mod shelf;

pub use keys::{Key, Kind, keys};
pub use shelf::{Guide, Topic, VerdictKind};

pub use query::{ClaimFilter, Notice, Request, Scale, Target, View, parse, to_query};

#[cfg(test)]
mod tests;
