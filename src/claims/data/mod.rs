//! The claims, in the order of the guides.

mod placement_derivation;
mod placement_evidence;
mod placement_premise;
mod stability_basics;
mod stability_risks;

use super::Claim;

/// The parts, in the order of their numbers.
pub(super) const PARTS: &[&[Claim]] = &[
    placement_premise::CLAIMS,
    placement_derivation::CLAIMS,
    placement_evidence::CLAIMS,
    stability_basics::CLAIMS,
    stability_risks::CLAIMS,
];
