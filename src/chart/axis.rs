//! Frames of x, ranges and ticks of y.

use super::curve::Curve;
use crate::share::Relation;
use crate::text::number;

/// Where x may end. A chart shows the smallest frame that holds the depth, so that its range holds still within one.
pub const FRAMES: [u32; 5] = [12, 24, 48, 96, 200];

/// A logarithmic axis spans no more than this many decades.
const MOST_DECADES: f64 = 4.0;

/// A curve whose largest value passes the smallest other curve's by more than this leaves a linear axis: it would press
/// the others flat.
const MOST_RATIO: f64 = 100.0;
/// The same of differences. Those of float32 are noise of a millionth and less of what they are between.
const MOST_OF_NOISE: f64 = 1e9;

/// The frame of a depth.
#[must_use]
pub fn frame(depth: u32) -> u32 {
    FRAMES.into_iter().find(|frame| depth <= *frame).unwrap_or(200)
}

/// The labelled blocks of a frame; `first` is the first block a quantity has, 0 or 1.
#[must_use]
pub fn block_ticks(frame: u32, first: u32, roomy: bool) -> Vec<u32> {
    let parts = if roomy { 4 } else { 2 };
    (0..=parts).map(|part| (frame * part / parts).max(first)).collect()
}

/// What a y axis shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The value at the bottom.
    pub low: f64,
    /// The value at the top.
    pub high: f64,
    /// Whether equal steps are equal ratios.
    pub log: bool,
}

/// A labelled value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// Its label.
    pub label: String,
}

impl Range {
    /// The axis before anything is known.
    #[must_use]
    pub const fn unknown(log: bool) -> Self {
        if log { Self { low: 0.1, high: 10.0, log } } else { Self { low: 0.0, high: 4.0, log } }
    }

    /// Height of a value over the bottom, 0 to 1 within the range; not finite where a logarithm is not.
    #[must_use]
    pub fn share(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// The smallest range that holds both, within the decades an axis may have.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        if self.log && (high / low).log10() > MOST_DECADES + 1e-9 {
            return *other;
        }
        if !self.log && low >= 0.0 && high > MOST_RATIO * other.high {
            return *other;
        }
        Self { low, high, log: self.log }
    }

    /// Between this range (at 0) and another (at 1).
    #[must_use]
    pub fn toward(&self, other: &Self, share: f64) -> Self {
        if self.log != other.log || share >= 1.0 {
            return *other;
        }
        let mix = |from: f64, to: f64| {
            if self.log { from * (to / from).powf(share) } else { from + (to - from) * share }
        };
        Self { low: mix(self.low, other.low), high: mix(self.high, other.high), log: self.log }
    }

    /// Five labelled values or fewer.
    #[must_use]
    pub fn ticks(&self) -> Vec<Tick> {
        let values = if self.log { self.log_ticks() } else { self.linear_ticks() };
        values.into_iter().map(|value| Tick { value, label: number::tick(value) }).collect()
    }

    /// The short strokes between the ticks of a logarithmic axis.
    #[must_use]
    pub fn minor_ticks(&self) -> Vec<f64> {
        if !self.log {
            return Vec::new();
        }
        self.log_grid(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let step = nice_step(self.high - self.low);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step * (1.0 + 1e-9)).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    fn log_ticks(&self) -> Vec<f64> {
        let thirds = self.log_grid(&[1.0, 3.0]);
        if thirds.len() <= 5 {
            return if thirds.len() > 1 { thirds } else { self.log_grid(&[1.0, 2.0, 3.0, 5.0, 7.0]) };
        }
        let decades = self.log_grid(&[1.0]);
        let every = decades.len().div_ceil(5);
        decades.into_iter().step_by(every).collect()
    }

    /// Every `step * 10^k` within the range.
    fn log_grid(&self, steps: &[f64]) -> Vec<f64> {
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let grid = (from..=to).flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        grid.filter(|value| *value >= self.low * (1.0 - 1e-9) && *value <= self.high * (1.0 + 1e-9)).collect()
    }
}

/// The smallest of 1, 2, 3, 5, 10 … of which four cover the span.
fn nice_step(span: f64) -> f64 {
    let decade = 10f64.powi((span / 4.0).log10().floor() as i32);
    [1.0, 2.0, 3.0, 5.0, 10.0]
        .map(|step| step * decade)
        .into_iter()
        .find(|step| step * 4.0 >= span * (1.0 - 1e-9))
        .unwrap_or(decade * 10.0)
}

/// The range that shows these curves best; what does not fit it leaves the axis and says so.
#[must_use]
pub fn fit(curves: &[Curve], log: bool) -> Range {
    let fitted = if log { fit_log(curves) } else { fit_linear(curves) };
    fitted.unwrap_or(Range::unknown(log))
}

fn fit_linear(curves: &[Curve]) -> Option<Range> {
    // The ends of each curve.
    let mut all: Vec<(f64, f64)> = Vec::new();
    for curve in curves {
        let known = curve.drawn().filter(|value| value.is_finite());
        let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if high >= low {
            all.push((low, high));
        }
    }
    // Differences may be rounding noise, which is no measure of what is large.
    let most =
        if curves.iter().any(|curve| curve.relation == Relation::Difference) { MOST_OF_NOISE } else { MOST_RATIO };
    let size = |(low, high): &(f64, f64)| high.abs().max(low.abs());
    let smallest = all.iter().map(size).filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
    all.retain(|ends| size(ends) <= smallest * most);
    let low = all.iter().map(|(low, _)| *low).fold(0.0, f64::min);
    let high = all.iter().map(|(_, high)| *high).reduce(f64::max)?.max(0.0);
    // Nothing but zeros is seen in the middle of an axis.
    let (low, high) = if high > low { (low, high) } else { (-1.0, 1.0) };
    let step = nice_step(high - low);
    let up = |value: f64| (value / step * (1.0 - 1e-9)).ceil() * step;
    let least = if low < 0.0 { 0.0 } else { step };
    Some(Range { low: -up(-low), high: up(high).max(least), log: false })
}

fn fit_log(curves: &[Curve]) -> Option<Range> {
    let drawable = |curve: &Curve| curve.drawn().filter(|v| v.is_finite() && *v > 0.0).collect::<Vec<_>>();
    let all: Vec<Vec<f64>> = curves.iter().map(drawable).filter(|values| !values.is_empty()).collect();
    let lowest = all.iter().flatten().copied().reduce(f64::min)?;
    let highest = all.iter().flatten().copied().reduce(f64::max)?;
    let (mut low, mut high) = (step_below(lowest), step_above(highest));
    if (high / low).log10() > MOST_DECADES {
        high = best_top(&all, lowest, highest)?;
        low = high / 10f64.powf(MOST_DECADES);
    }
    if high / low < 4.0 {
        (low, high) = (step_below(low * 0.7), step_above(high * 1.4));
    }
    Some(Range { low, high, log: true })
}

/// The top of the decades that show most: of each curve the share of its values, and its ends more than the rest.
fn best_top(all: &[Vec<f64>], lowest: f64, highest: f64) -> Option<f64> {
    let score = |top: f64| {
        // With a little room to the edges.
        let inside = top / 10f64.powf(MOST_DECADES) * 1.1..=top / 1.1;
        let is_in = |value: &f64| f64::from(u8::from(inside.contains(value)));
        let of_curve = |values: &Vec<f64>| {
            let share = values.iter().map(is_in).sum::<f64>() / values.len() as f64;
            share + 0.5 * values.first().map_or(0.0, is_in) + 0.5 * values.last().map_or(0.0, is_in)
        };
        all.iter().map(of_curve).sum::<f64>()
    };
    let decades = lowest.log10().floor() as i32..=highest.log10().ceil() as i32;
    let tops = decades.flat_map(|decade| STOPS.map(|stop| stop * 10f64.powi(decade)));
    // Of equals, the highest: what is large is seen first.
    tops.map(|top| (score(top), top)).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, top)| top)
}

const STOPS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0];

/// A round value some way below.
fn step_below(value: f64) -> f64 {
    let value = value * 0.9;
    let decade = 10f64.powf(value.log10().floor());
    STOPS.into_iter().rev().map(|stop| stop * decade).find(|stop| *stop <= value).unwrap_or(decade)
}

/// A round value some way above.
fn step_above(value: f64) -> f64 {
    let value = value * 1.15;
    let decade = 10f64.powf(value.log10().floor());
    STOPS.into_iter().map(|stop| stop * decade).find(|stop| *stop >= value).unwrap_or(decade * 10.0)
}

#[cfg(test)]
mod tests {
    use super::{Range, block_ticks, fit, frame};
    use crate::chart::curve::Curve;
    use crate::chart::curve::tests::curve;
    use crate::model::Placement;
    use crate::share::Relation;

    fn labels(range: Range) -> Vec<String> {
        range.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn frames_hold_still() {
        assert_eq!([1, 12, 13, 24, 96, 97, 200].map(frame), [12, 12, 24, 24, 96, 200, 200]);
        assert_eq!(block_ticks(96, 0, true), [0, 24, 48, 72, 96]);
        assert_eq!(block_ticks(96, 1, true), [1, 24, 48, 72, 96]);
        assert_eq!(block_ticks(200, 1, false), [1, 100, 200]);
    }

    #[test]
    fn linear_ticks_are_round_and_few() {
        let fitted = |top| fit(&[curve(Placement::Pre, 0, &[1.0, top])], false);
        assert_eq!(labels(fitted(10.99)), ["0", "3", "6", "9", "12"]);
        assert_eq!(labels(fitted(5.3)), ["0", "2", "4", "6"]);
        assert_eq!(labels(fitted(1.0)), ["0", "0.3", "0.6", "0.9", "1.2"]);
        assert_eq!(labels(fitted(14.5)), ["0", "5", "10", "15"]);
        for top in 1..4000 {
            let ticks = fitted(f64::from(top) * 0.037).ticks();
            assert!((2..=5).contains(&ticks.len()), "{top}: {ticks:?}");
        }
    }

    #[test]
    fn log_ticks_are_round_and_few() {
        let fitted = |low, high| fit(&[curve(Placement::Pre, 1, &[high, low])], true);
        assert_eq!(labels(fitted(0.11, 1.7)), ["0.1", "0.3", "1"]);
        assert_eq!(labels(fitted(0.05, 30.0)), ["0.1", "1", "10"]);
        for high in 1..300 {
            let high = 10f64.powf(f64::from(high) * 0.02);
            let ticks = fitted(0.8, high).ticks();
            assert!((2..=5).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }

    #[test]
    fn a_log_axis_spans_four_decades_at_most() {
        let values: Vec<f64> = (0..40).map(|i| 10f64.powi(i - 30)).collect();
        let range = fit(&[curve(Placement::Post, 1, &values), curve(Placement::Pre, 1, &[1.0; 40])], true);
        assert!((range.high / range.low).log10() <= 4.0 + 1e-9);
        assert!(range.low <= 1.0 && 1.0 <= range.high);
    }

    #[test]
    fn an_exploding_curve_does_not_press_the_others_flat() {
        let range = fit(&[curve(Placement::Pre, 0, &[1.0, 10.0]), curve(Placement::None, 0, &[1.0, 1e20])], false);
        assert_eq!(range.high, 12.0);
        let alone = fit(&[curve(Placement::None, 0, &[1.0, 1e20])], false);
        assert!(alone.high >= 1e20);
    }

    #[test]
    fn differences_are_seen_whole() {
        let apart = |values: &[f64]| Curve {
            relation: Relation::Difference,
            // Zero is a difference like any other.
            marks: vec![None; values.len()],
            ..curve(Placement::Pre, 0, values)
        };
        // Beside a model less itself, and beside noise.
        let fitted = fit(&[apart(&[0.0, 0.0]), apart(&[0.0, 16.8])], false);
        assert_eq!((fitted.low, fitted.high), (0.0, 20.0));
        let fitted = fit(&[apart(&[0.0, 4e-6]), apart(&[0.0, -5.2])], false);
        assert_eq!((fitted.low, fitted.high), (-6.0, 2.0));
        let fitted = fit(&[apart(&[0.0, 3.0]), apart(&[0.0, -3.0])], false);
        assert_eq!((fitted.low, fitted.high), (-4.0, 4.0));
        // What explodes still leaves it, and nothing but zeros has an axis too.
        let fitted = fit(&[apart(&[0.0, 3.0]), apart(&[0.0, 1e20])], false);
        assert!(fitted.high < 10.0);
        assert_eq!(fit(&[apart(&[0.0, 0.0])], false), Range { low: -1.0, high: 1.0, log: false });
    }

    #[test]
    fn a_range_grows_and_eases() {
        let (a, b) = (Range { low: 0.0, high: 6.0, log: false }, Range { low: 0.0, high: 12.0, log: false });
        assert_eq!(b.union(&a), b);
        assert_eq!(a.toward(&b, 0.5).high, 9.0);
        assert_eq!(a.toward(&b, 1.0), b);
        let log = Range { low: 0.1, high: 10.0, log: true };
        assert!((log.share(1.0) - 0.5).abs() < 1e-12);
        assert!(log.share(0.0).is_infinite());
    }
}
