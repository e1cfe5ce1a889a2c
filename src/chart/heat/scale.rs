//! The range of colours. All panels share it, or they could not be compared.

use super::sheet::{Counts, Sheet, count};
use crate::chart::axis::Range;

/// A scale spans no more half decades than these: what lies further out keeps the colour of the end.
const MOST_HALF_DECADES: i32 = 8;
/// And no fewer, or noise would look like structure.
const LEAST_HALF_DECADES: i32 = 2;

/// A shared scale, and whether some values lie beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColorScale {
    /// Its ends.
    pub range: Range,
    /// Whether some are smaller.
    pub has_under: bool,
    /// Whether some are larger.
    pub has_over: bool,
}

impl ColorScale {
    /// The scale of some panels of one quantity. A logarithmic one ends at half decades, 1 and 3 of a decade, and where
    /// values span more than it may, it is where most of them are. Another ends at tenths.
    #[must_use]
    pub fn fit<'a>(sheets: impl Iterator<Item = &'a Sheet>, log: bool) -> Self {
        let (mut counts, mut ends) = (Counts::new(), None::<(f64, f64)>);
        for sheet in sheets {
            for (half, more) in sheet.half_decades() {
                count(&mut counts, *half, *more);
            }
            if let Some((low, high)) = sheet.ends() {
                let (lowest, highest) = ends.unwrap_or((low, high));
                ends = Some((low.min(lowest), high.max(highest)));
            }
        }
        if log { Self::of_half_decades(&counts, ends) } else { Self::of_ends(ends) }
    }

    fn of_half_decades(counts: &Counts, ends: Option<(f64, f64)>) -> Self {
        let edge = |half: i32| 10f64.powi(half.div_euclid(2)) * if half.rem_euclid(2) == 0 { 1.0 } else { 3.0 };
        let (Some(&(first, _)), Some(&(last, _))) = (counts.first(), counts.last()) else {
            return Self { range: Range { low: 0.1, high: 10.0, log: true }, has_under: false, has_over: false };
        };
        let within = |from: i32| counts.iter().filter(move |(half, _)| (from..from + MOST_HALF_DECADES).contains(half));
        let held = |from: i32| within(from).map(|(_, count)| count).sum::<usize>();
        let starts = first..=(last + 1 - MOST_HALF_DECADES).max(first);
        // The lowest of those that hold as many, so that the scale does not move without need.
        let from = starts.rev().max_by_key(|from| held(*from)).unwrap_or(first);
        let mut within = within(from).map(|(half, _)| *half);
        let mut low = within.next().unwrap_or(from);
        let mut high = within.next_back().unwrap_or(low) + 1;
        if high - low < LEAST_HALF_DECADES {
            // To the side on which the values are.
            let middle = ends.map_or(0.0, |(least, most)| (least * most).sqrt());
            if middle * middle < edge(low) * edge(high) { low -= 1 } else { high += 1 }
        }
        Self {
            range: Range { low: edge(low), high: edge(high), log: true },
            has_under: first < low,
            has_over: last >= high,
        }
    }

    fn of_ends(ends: Option<(f64, f64)>) -> Self {
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        let tenths = |value: f64| value / 10.0;
        let low = tenths((10.0 * low).floor().min(0.0));
        let high = tenths((10.0 * high).ceil()).max(low + 0.1);
        Self { range: Range { low, high, log: false }, has_under: false, has_over: false }
    }

    /// How many contours lie between the scale's end and a value beyond it: one at every second power of ten.
    #[must_use]
    pub fn contour(&self, value: f64) -> i8 {
        let Range { low, high, log } = self.range;
        if !log || value.is_nan() || value <= 0.0 || (low..=high).contains(&value) {
            return 0;
        }
        // An end of the scale may be off by rounding.
        let hundreds = |value: f64| value.log10() / 2.0;
        let count = if value > high {
            hundreds(value).floor() - (hundreds(high) + 1e-9).floor()
        } else {
            hundreds(value).ceil() - (hundreds(low) - 1e-9).ceil()
        };
        count.clamp(-100.0, 100.0) as i8
    }

    /// The exponent of ten of a contour, as [`Self::contour`] counts them.
    #[must_use]
    pub fn exponent(&self, contour: i8) -> i32 {
        let hundreds = |value: f64| value.log10() / 2.0;
        let from = if contour > 0 {
            (hundreds(self.range.high) + 1e-9).floor()
        } else {
            (hundreds(self.range.low) - 1e-9).ceil()
        };
        2 * (from as i32 + i32::from(contour))
    }
}

#[cfg(test)]
mod tests {
    use super::ColorScale;
    use crate::chart::axis::Range;
    use crate::chart::heat::sheet::tests::sheet;
    use crate::model::Placement;

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-12
    }

    #[test]
    fn a_scale_ends_at_half_decades_about_all_values() {
        let pre = sheet(Placement::Pre, 24, &[6, 24], |_, block| 1.2 / f64::from(block).sqrt());
        let post = sheet(Placement::Post, 24, &[6], |_, _| 0.7);
        let ColorScale { range, has_under, has_over } = ColorScale::fit([&pre, &post].into_iter(), true);
        assert!(close(range.low, 0.1) && close(range.high, 3.0), "{range:?}");
        assert!(!has_under && !has_over);
    }

    #[test]
    fn a_narrow_band_is_not_spread_over_all_colours() {
        let level = sheet(Placement::Post, 24, &[6], |_, block| 1.0 + f64::from(block) / 100.0);
        let range = ColorScale::fit([&level].into_iter(), true).range;
        assert!(close(range.low, 0.3) && close(range.high, 3.0), "{range:?}");
        let level = sheet(Placement::Post, 24, &[6], |_, _| 2.8);
        let range = ColorScale::fit([&level].into_iter(), true).range;
        assert!(close(range.low, 1.0) && close(range.high, 10.0), "{range:?}");
    }

    #[test]
    fn what_explodes_does_not_press_the_rest_flat() {
        let pre = sheet(Placement::Pre, 48, &[12, 24, 48], |_, block| 1.2 / f64::from(block).sqrt());
        let olmo = sheet(Placement::Olmo2, 48, &[24], |depth, block| 1.5f64.powi((depth - block) as i32));
        let scale = ColorScale::fit([&pre, &olmo].into_iter(), true);
        assert!(close(scale.range.low, 0.1) && close(scale.range.high, 1000.0), "{scale:?}");
        assert!(scale.has_over && !scale.has_under);
        assert_eq!([900.0, 9e3, 2e4, 2e6, 0.5].map(|value| scale.contour(value)), [0, 0, 1, 2, 0]);
        assert_eq!([scale.exponent(1), scale.exponent(2)], [4, 6]);
        assert_eq!([0.05, 0.02, 0.009, 1e-7].map(|value| scale.contour(value)), [0, 0, -1, -3]);
        assert_eq!([scale.exponent(-1), scale.exponent(-3)], [-2, -6]);
    }

    #[test]
    fn shares_have_a_plain_scale() {
        let cosine = sheet(Placement::Post, 24, &[6], |_, block| f64::from(block) / 6.0 - 0.2);
        let range = ColorScale::fit([&cosine].into_iter(), false).range;
        assert_eq!(range, Range { low: -0.1, high: 0.8, log: false });
    }
}
