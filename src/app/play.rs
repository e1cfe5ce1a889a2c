//! Depth in motion: four seconds a doubling, whole blocks, never ahead of the last finished pass.

use std::cell::Cell;

use leptos::prelude::*;

use super::browser;
use super::state::{Gesture, Page};

/// The first and the last depth of the slider.
pub(crate) const SHALLOWEST: u32 = 6;
/// The last depth of the slider.
pub(crate) const DEEPEST: u32 = 200;
/// The depths with a name under the slider.
pub(crate) const TICKS: [u32; 6] = [6, 12, 24, 48, 96, 200];

const DOUBLING_MS: f64 = 4000.0;
/// With reduced motion: from tick to tick at this pace.
const STEP_MS: f64 = 1000.0;

/// Where a depth stands on the slider, 0 to 1: each doubling is one step of the eye.
#[must_use]
pub(crate) fn share_of(depth: u32) -> f64 {
    let depth = f64::from(depth.clamp(SHALLOWEST, DEEPEST));
    (depth / f64::from(SHALLOWEST)).ln() / (f64::from(DEEPEST) / f64::from(SHALLOWEST)).ln()
}

/// The depth at a place of the slider.
#[must_use]
pub(crate) fn depth_at(share: f64) -> u32 {
    let ratio = f64::from(DEEPEST) / f64::from(SHALLOWEST);
    let depth = f64::from(SHALLOWEST) * ratio.powf(share.clamp(0.0, 1.0));
    (depth.round() as u32).clamp(SHALLOWEST, DEEPEST)
}

/// Starts or stops.
pub(crate) fn toggle(page: Page) {
    if page.is_playing.get_untracked() {
        page.is_playing.set(false);
    } else {
        start(page);
    }
}

/// Where a sweep begins that is started at a depth.
#[must_use]
pub(crate) const fn start_from(depth: u32) -> u32 {
    if SHALLOWEST <= depth && depth < DEEPEST { depth } else { SHALLOWEST }
}

fn start(page: Page) {
    // Nothing computes without a placement.
    if !untrack(|| page.has_placement()) {
        return;
    }
    // A sweep that was paused within this frame has not seen it yet: its turn is over.
    let turn = page.next_turn();
    page.is_playing.set(true);
    let start = start_from(page.request.with_untracked(|request| request.config.depth));
    page.set_depth(start, Gesture::Movement);
    let from = f64::from(start);
    let began = browser::now_ms();
    let last_step = Cell::new(began);
    let last_set = Cell::new(start);
    browser::each_frame(move || {
        if !page.is_turn(turn) {
            return false;
        }
        let depth = page.request.with_untracked(|request| request.config.depth);
        // Somebody else moved the depth, or paused: the sweep ends.
        if !page.is_playing.get_untracked() || depth != last_set.get() || depth >= DEEPEST {
            page.is_playing.set(false);
            return false;
        }
        if !untrack(|| page.is_settled()) {
            return page.trouble.with_untracked(Option::is_none) || {
                page.is_playing.set(false);
                false
            };
        }
        let now = browser::now_ms();
        let next = if browser::prefers_reduced_motion() {
            if now - last_step.get() < STEP_MS {
                return true;
            }
            TICKS.into_iter().find(|tick| *tick > depth).unwrap_or(DEEPEST)
        } else {
            ((from * 2f64.powf((now - began) / DOUBLING_MS)) as u32).clamp(depth, DEEPEST)
        };
        if next > depth {
            last_step.set(now);
            last_set.set(next);
            page.set_depth(next, Gesture::Movement);
        }
        true
    });
}
