//! How much arithmetic a submit may hold, by how long submits took before.

use crate::plan::{Budget, Tuning};

/// Milliseconds of a clock that never goes back.
pub type Clock = fn() -> f64;

/// The system's clock.
#[cfg(not(target_arch = "wasm32"))]
#[must_use]
pub fn system_clock() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}

/// What a submit is to take: half of the longest, for steps of the same arithmetic differ in time.
const TARGET_MS: f64 = 150.0;
/// Shorter ones say more of the way to the device than of the device.
const SHORTEST_MS: f64 = 15.0;
/// How far measured times may take the budget from the first one.
const RANGE: (f64, f64) = (1.0 / 32.0, 256.0);
/// The weight of the newest time.
const SMOOTHING: f64 = 0.25;
/// What takes longer counts at once: no submit is to.
const LONGEST_MS: f64 = 300.0;

/// The pace of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Of the first submits, which nothing is known for yet.
    first: Budget,
    /// Of the next ones.
    flops: f64,
    is_fixed: bool,
}

impl Pace {
    /// The first budget keeps slow devices of a kind within the target: two processor cores at 2 GFLOP/s, and graphics
    /// hardware at 100 GFLOP/s that takes 50 µs for a dispatch.
    pub(super) const fn new(tuning: Tuning) -> Self {
        let first = match tuning {
            Tuning::Graphics => Budget { flops: 15_000_000_000, dispatch_flops: 5_000_000 },
            Tuning::Processor => Budget { flops: 300_000_000, dispatch_flops: 40_000 },
        };
        Self { first, flops: first.flops as f64, is_fixed: false }
    }

    /// Whatever times are measured.
    pub(super) const fn fixed(flops: u64) -> Self {
        Self { first: Budget { flops, dispatch_flops: 0 }, flops: flops as f64, is_fixed: true }
    }

    pub(super) const fn budget(&self) -> Budget {
        Budget { flops: self.flops as u64, ..self.first }
    }

    /// Takes note of a submit of this cost.
    pub(super) fn note(&mut self, cost: u64, milliseconds: f64) {
        if self.is_fixed || milliseconds < SHORTEST_MS && (cost as f64) < self.flops {
            return;
        }
        let first = self.first.flops as f64;
        let fits = cost as f64 * TARGET_MS / milliseconds.max(SHORTEST_MS);
        let is_long = milliseconds > LONGEST_MS;
        let next = if is_long { fits.min(self.flops) } else { self.flops + SMOOTHING * (fits - self.flops) };
        self.flops = next.clamp(RANGE.0 * first, RANGE.1 * first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Submits of a device of a speed, each as large as is allowed.
    fn settle(pace: &mut Pace, flops_per_ms: f64) -> f64 {
        for _ in 0..40 {
            let cost = pace.budget().flops;
            pace.note(cost, cost as f64 / flops_per_ms);
        }
        pace.budget().flops as f64 / flops_per_ms
    }

    #[test]
    fn submits_come_to_take_what_they_are_to() {
        let mut pace = Pace::new(Tuning::Processor);
        for flops_per_ms in [2e6, 3e5, 4e7, 1e6] {
            let milliseconds = settle(&mut pace, flops_per_ms);
            assert!((milliseconds / TARGET_MS - 1.0).abs() < 0.01, "{milliseconds} ms at {flops_per_ms}");
        }
    }

    #[test]
    fn what_took_too_long_counts_at_once_and_all_else_in_time() {
        let mut pace = Pace::new(Tuning::Graphics);
        let first = pace.budget().flops;
        for milliseconds in [0.9 * LONGEST_MS, TARGET_MS / 10.0] {
            pace.note(first, milliseconds);
            assert!(pace.budget().flops > first / 2 && pace.budget().flops < 4 * first);
        }
        pace.note(first, 10.0 * TARGET_MS);
        assert_eq!(pace.budget().flops, first / 10);
    }

    #[test]
    fn no_time_is_taken_at_its_word() {
        let first = Pace::new(Tuning::Processor).first.flops as f64;
        let mut pace = Pace::new(Tuning::Processor);
        settle(&mut pace, 1.0);
        assert_eq!(pace.budget().flops as f64, (first * RANGE.0).floor());
        for _ in 0..100 {
            let cost = pace.budget().flops;
            pace.note(cost, 0.0);
        }
        assert!(pace.budget().flops as f64 <= first * RANGE.1);
        // A short one that was no full submit says nothing.
        let mut pace = Pace::new(Tuning::Processor);
        pace.note(1, 1.0);
        assert_eq!(pace.budget().flops as f64, first);
    }
}
