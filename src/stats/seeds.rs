//! Several seeds of one configuration as a median and a middle half.

use super::{Measurement, Series};
use crate::sort::sort_short;

/// What runs that differ in their seed have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The first quartile of each value.
    pub lower: Measurement,
    /// The median of each value; its configuration is the first run's.
    pub median: Measurement,
    /// The third quartile.
    pub upper: Measurement,
    /// How many runs.
    pub runs: usize,
}

impl Sample {
    /// Quartiles of each value over the runs, with linear interpolation between neighbours (Hyndman & Fan 1996, type 7).
    /// What is not a number counts as largest. A value's error is the median of the runs' errors, so that it is marked
    /// where most of them are.
    ///
    /// # Panics
    /// Without a run.
    #[must_use]
    pub fn of(runs: &[&Measurement]) -> Self {
        let at = |share: f64| {
            let mut measurement = runs[0].clone();
            for (index, series) in measurement.series.iter_mut().enumerate() {
                let all: Vec<&Series> = runs.iter().map(|run| &run.series[index]).collect();
                for (i, value) in series.values.iter_mut().enumerate() {
                    *value = quantile(all.iter().map(|series| series.values[i]).collect(), share);
                }
                if all.iter().any(|series| !series.relative_error.is_empty()) {
                    let error = |i: usize| {
                        let of_run = |series: &&Series| series.relative_error.get(i).copied().unwrap_or(0.0);
                        quantile(all.iter().map(of_run).collect(), 0.5)
                    };
                    series.relative_error = (0..series.values.len()).map(error).collect();
                }
            }
            measurement
        };
        Self { lower: at(0.25), median: at(0.5), upper: at(0.75), runs: runs.len() }
    }
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    // A NaN's sign must not put it first.
    values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = f64::NAN);
    sort_short(&mut values, f64::total_cmp);
    let place = share * (values.len() - 1) as f64;
    let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
    if below == above || place.fract() == 0.0 { below } else { below + (above - below) * place.fract() }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quartiles_are_numpys() {
        let values = || vec![7.0, 1.0, 4.0, 2.0];
        assert_eq!([0.25, 0.5, 0.75].map(|share| quantile(values(), share)), [1.75, 3.0, 4.75]);
        assert_eq!(quantile(vec![3.0], 0.75), 3.0);
    }

    #[test]
    fn what_is_no_number_is_largest() {
        let values = || vec![-f64::NAN, 1.0, f64::INFINITY, 2.0, 3.0];
        assert_eq!(quantile(values(), 0.5), 3.0);
        assert_eq!(quantile(values(), 0.75), f64::INFINITY);
        assert!(quantile(values(), 1.0).is_nan());
    }
}
