//! Of the claims.

use super::*;
use crate::claims::{ALL, Guide, VerdictKind};

/// Starts the tests of all claims that are shown.
#[must_use]
pub(crate) fn test_shown(count: usize) -> &'static str {
    if count == ALL.len() { test_all() } else { test_these() }
}

/// A test whose runs failed.
#[must_use]
pub(crate) fn test_failed(config: &Config, failure: &Failure) -> String {
    trouble(config, failure, false)
}

/// Who measured, and what the literature has.
#[must_use]
pub(crate) fn measured_beside(engine: Engine, literature: VerdictKind) -> String {
    let literature = literature_says(literature.title());
    match engine {
        Engine::Gpu => measured_on_gpu(literature),
        Engine::Cpu => measured_on_cpu(literature),
        Engine::Reference => measured_in_float64(literature),
    }
}

/// The guide in full.
#[must_use]
pub(crate) fn in_this_guide(guide: Guide) -> String {
    in_guide(guide.full_title())
}
