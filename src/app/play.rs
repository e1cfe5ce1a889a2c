//! Depth in motion: four seconds a doubling at the speed of 1, whole blocks, never ahead of the last finished pass.

use std::cell::Cell;

use leptos::prelude::*;

use super::browser;
use crate::share::Speed;

use super::state::{Gesture, Page};

/// The first and the last depth of the slider.
pub(crate) const SHALLOWEST: u32 = 6;
/// The last depth of the slider.
pub(crate) const DEEPEST: u32 = 200;
/// The depths with a name under the slider.
pub(crate) const TICKS: [u32; 6] = [6, 12, 24, 48, 96, 200];

const DOUBLING_MS: f64 = 4000.0;
/// The end is seen for this long before play begins anew.
const END_MS: f64 = 1500.0;
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

/// Makes play faster by a step, or slower; past the fastest it is the slowest again.
pub(crate) fn change_speed(page: Page, by: isize) {
    page.change(Gesture::Choice, |request| {
        let count = Speed::ALL.len() as isize;
        let at = Speed::ALL.iter().position(|speed| *speed == request.speed).unwrap_or(0) as isize;
        request.speed = Speed::ALL[(at + by).rem_euclid(count) as usize];
    });
}

/// Whether play begins anew at its end: the other way.
pub(crate) fn toggle_repeat(page: Page) {
    page.change(Gesture::Choice, |request| request.repeat = !request.repeat);
}

/// A depth some blocks on, within the slider. A depth below it, from a link, only ever comes up.
fn shifted(depth: u32, by: i64) -> u32 {
    let target = i64::from(depth) + by;
    if depth < SHALLOWEST && by < 0 { depth } else { target.clamp(i64::from(SHALLOWEST), i64::from(DEEPEST)) as u32 }
}

/// Sets the depth by hand, which ends play.
pub(crate) fn set_depth(page: Page, depth: u32) {
    page.is_playing.set(false);
    page.set_depth(depth, Gesture::Movement);
}

/// Moves the depth by hand.
pub(crate) fn step(page: Page, by: i64) {
    set_depth(page, shifted(page.request.with_untracked(|request| request.config.depth), by));
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
    let pace = move || page.request.with_untracked(|request| (request.speed, request.repeat));
    let (speed, _) = pace();
    // Where the curve of depth over time begins: it begins anew with another speed, and at the end where it repeats.
    let began = Cell::new((f64::from(start), browser::now_ms(), speed));
    let last_step = Cell::new(browser::now_ms());
    let last_set = Cell::new(start);
    browser::each_frame(move || {
        if !page.is_turn(turn) {
            return false;
        }
        let depth = page.request.with_untracked(|request| request.config.depth);
        // Somebody else moved the depth, or paused: the sweep ends.
        let (speed, repeats) = pace();
        let is_end = depth >= DEEPEST;
        if !page.is_playing.get_untracked() || depth != last_set.get() || (is_end && !repeats) {
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
        if is_end {
            if now - last_step.get() >= END_MS {
                began.set((f64::from(SHALLOWEST), now, speed));
                last_step.set(now);
                last_set.set(SHALLOWEST);
                page.set_depth(SHALLOWEST, Gesture::Movement);
            }
            return true;
        }
        let (from, since, with_speed) = began.get();
        if with_speed != speed {
            began.set((f64::from(depth), now, speed));
            return true;
        }
        let next = if browser::prefers_reduced_motion() {
            if now - last_step.get() < STEP_MS / speed.factor() {
                return true;
            }
            TICKS.into_iter().find(|tick| *tick > depth).unwrap_or(DEEPEST)
        } else {
            ((from * 2f64.powf((now - since) * speed.factor() / DOUBLING_MS)) as u32).clamp(depth, DEEPEST)
        };
        if next > depth {
            last_step.set(now);
            last_set.set(next);
            page.set_depth(next, Gesture::Movement);
        }
        true
    });
}
