//! Of the claims.

use super::trouble;
use crate::app::engines::Failure;
use crate::claims::{Guide, VerdictKind};
use crate::model::Config;
use crate::stats::Engine;

pub(crate) const CLAIMS_TITLE: &str = "What people say, measured";
pub(crate) const CLAIMS_LEAD: &str = "What two popular guides say of norms and depth, what the papers they cite say, and \
    what a pass at initialisation finds now, in this page, on this machine. What training does later is another question.";
pub(crate) const FILTERS: &str = "Which claims";
pub(crate) const SHOW: &str = "Show";
pub(crate) const TEST: &str = "Measure";
pub(crate) const STOP: &str = "Stop";
pub(crate) const WAITING: &str = "Waiting";
pub(crate) const SECOND_HAND: &str = " (second-hand)";
pub(crate) const NO_SOURCE: &str = "No source was found.";
pub(crate) const CITED: &str = "Cannot be measured here.";
pub(crate) const NEEDS_TRAINING: &str = "Needs training.";
pub(crate) const BY_LITERATURE: &str = "by the literature";

/// Starts the tests of all claims that are shown.
#[must_use]
pub(crate) fn test_all(count: usize) -> String {
    if count == crate::claims::ALL.len() { "Measure all".into() } else { "Measure these".into() }
}

/// How many claims are shown.
#[must_use]
pub(crate) fn claims_shown(count: usize) -> String {
    format!("{count} of {} claims", crate::claims::ALL.len())
}

/// A test under way.
#[must_use]
pub(crate) fn testing(share: f64) -> String {
    format!("Measuring, {:.0} %", (100.0 * share).floor())
}

/// A test whose runs failed.
#[must_use]
pub(crate) fn test_failed(config: &Config, failure: &Failure) -> String {
    trouble(config, failure, false)
}

/// Who measured.
#[must_use]
const fn measured_by(engine: Engine) -> &'static str {
    match engine {
        Engine::Gpu => "measured now, WebGPU",
        Engine::Cpu => "measured now, processor",
        Engine::Reference => "measured now, float64",
    }
}

/// Who measured, and what the literature has.
#[must_use]
pub(crate) fn measured_beside(engine: Engine, literature: VerdictKind) -> String {
    format!("{}; {}", measured_by(engine), literature_says(literature))
}

/// The verdict of the literature beside a measured one.
#[must_use]
pub(crate) fn literature_says(literature: VerdictKind) -> String {
    format!("literature: {}", literature.title())
}

/// The guide in full.
#[must_use]
pub(crate) fn in_guide(guide: Guide) -> String {
    format!("In “{}”", guide.full_title())
}
