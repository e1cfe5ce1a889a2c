//! One model at every depth.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Blocks, Engine, Mark, Measurement, Quantity};
use crate::model::Config;

/// Measurements of one model that differ in depth alone, as far as they are there.
#[derive(Clone, Debug, PartialEq)]
pub struct Atlas {
    /// The model; its depth says nothing.
    config: Config,
    engine: Engine,
    /// By depth, as far as the deepest one.
    rows: Vec<Option<Arc<Measurement>>>,
}

/// A value at a depth and a block, and what is to be said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The value.
    pub value: f64,
    /// `None` where it can be believed.
    pub mark: Option<Mark>,
}

/// Every model is the same at depth 0.
fn without_depth(config: &Config) -> Config {
    Config { depth: 0, ..config.clone() }
}

impl Atlas {
    /// With nothing measured yet.
    #[must_use]
    pub fn new(config: &Config, engine: Engine) -> Self {
        Self { config: without_depth(config), engine, rows: Vec::new() }
    }

    /// Whether this is the atlas of a model and an engine, at whatever depth.
    #[must_use]
    pub fn is_of(&self, config: &Config, engine: Engine) -> bool {
        self.engine == engine && self.config == without_depth(config)
    }

    /// Takes up a measurement; false where it is of another model or from another engine.
    pub fn insert(&mut self, measurement: Measurement) -> bool {
        let is_mine = self.is_of(&measurement.config, measurement.engine);
        if is_mine {
            let depth = measurement.config.depth as usize;
            self.rows.resize(self.rows.len().max(depth + 1), None);
            self.rows[depth] = Some(Arc::new(measurement));
        }
        is_mine
    }

    /// The measurement at a depth.
    #[must_use]
    pub fn at(&self, depth: u32) -> Option<&Arc<Measurement>> {
        self.rows.get(depth as usize)?.as_ref()
    }

    /// The depths that are measured, shallow first.
    pub fn depths(&self, within: RangeInclusive<u32>) -> impl DoubleEndedIterator<Item = u32> + '_ {
        within.filter(|depth| self.at(*depth).is_some())
    }

    /// The depths that are not, in the order in which to measure them.
    #[must_use]
    pub fn missing(&self, within: RangeInclusive<u32>) -> Vec<u32> {
        coarse_first(within).into_iter().filter(|depth| self.at(*depth).is_none()).collect()
    }

    /// A quantity over the blocks of the model of one depth.
    #[must_use]
    pub fn row(&self, quantity: Quantity, depth: u32) -> Option<Blocks> {
        self.at(depth)?.by_block(quantity)
    }
}

/// A range of depths in the order in which to measure them: its ends, then their middle, then the middles of what is left
/// between, so that those at hand are always spread evenly.
#[must_use]
pub fn coarse_first(depths: RangeInclusive<u32>) -> Vec<u32> {
    let (first, last) = depths.into_inner();
    if first >= last {
        return (first..=last).collect();
    }
    let mut order = vec![first, last];
    let mut gaps = VecDeque::from([(first, last)]);
    while let Some((low, high)) = gaps.pop_front() {
        let middle = low.midpoint(high);
        if middle > low {
            order.push(middle);
            gaps.extend([(low, middle), (middle, high)]);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{Atlas, Cell, coarse_first};
    use crate::model::{Config, Tensor};
    use crate::stats::{Engine, Mark, Measurement, Quantity, Series};

    const W2: Quantity = Quantity::GradWeight(Tensor::W2);

    /// Values that say where they stand: depth and block.
    fn run(depth: u32) -> Measurement {
        let config = Config { depth, ..Config::default() };
        let place = |block: u32| f64::from(depth) + f64::from(block) / 1000.0;
        let series = vec![
            Series::exact(Quantity::StreamRms, (0..=depth).map(place).collect()),
            Series::exact(W2, (1..=depth).map(place).collect()),
            Series::exact(Quantity::UpdateRatio, (1..=depth).flat_map(|l| [place(l) - 1.0, place(l) + 1.0]).collect()),
            Series::exact(Quantity::NetFactor, (1..=depth).flat_map(|l| [2.0, place(l) / 2.0]).collect()),
        ];
        Measurement { config, engine: Engine::Cpu, series }
    }

    /// A quantity in one block, or at one state of the stream.
    fn cell(atlas: &Atlas, quantity: Quantity, depth: u32, block: u32) -> Option<Cell> {
        let row = atlas.row(quantity, depth)?;
        let index = block.checked_sub(row.first)? as usize;
        Some(Cell { value: *row.values.get(index)?, mark: *row.marks.get(index)? })
    }

    fn atlas(depths: &[u32]) -> Atlas {
        let mut atlas = Atlas::new(&Config::default(), Engine::Cpu);
        assert!(depths.iter().all(|depth| atlas.insert(run(*depth))));
        atlas
    }

    #[test]
    fn every_beginning_of_the_order_is_spread_evenly() {
        for (first, last) in [(6, 200), (6, 60), (1, 2), (6, 9)] {
            let order = coarse_first(first..=last);
            assert_eq!(order[..2], [first, last]);
            for count in 2..=order.len() {
                let mut sorted = order[..count].to_vec();
                sorted.sort_unstable();
                let gaps: Vec<u32> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
                let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
                assert!(*least > 0, "{count} of {first} to {last}: {sorted:?}");
                assert!(*most <= 2 * least + 2, "{count} of {first} to {last}: {sorted:?}");
            }
            assert_eq!(order.len() as u32, last - first + 1);
        }
        assert_eq!(coarse_first(6..=200)[..5], [6, 200, 103, 54, 151]);
        assert_eq!(coarse_first(7..=7), [7]);
    }

    #[test]
    fn a_cell_is_the_value_of_its_depth_and_block() {
        let atlas = atlas(&[6, 9]);
        let value = |quantity, depth, block| cell(&atlas, quantity, depth, block).map(|cell| cell.value);
        assert_eq!(value(W2, 9, 4), Some(9.004));
        assert_eq!(value(W2, 6, 6), Some(6.006));
        assert_eq!(value(Quantity::StreamRms, 6, 0), Some(6.0));
        assert_eq!(value(Quantity::StreamRms, 6, 6), Some(6.006));
        // A mean over the sublayers of a block, and a product.
        assert_eq!(value(Quantity::UpdateRatio, 9, 9), Some(9.009));
        assert_eq!(value(Quantity::NetFactor, 9, 2), Some(9.002));
        for nowhere in [(W2, 9, 0), (W2, 9, 10), (W2, 7, 1), (Quantity::StreamRms, 6, 7), (Quantity::MaxLogit, 6, 1)] {
            assert_eq!(value(nowhere.0, nowhere.1, nowhere.2), None, "{nowhere:?}");
        }
    }

    #[test]
    fn a_cell_has_the_mark_of_its_value() {
        let mut run = run(6);
        run.series[1].values[2] = f64::NAN;
        run.series[1].relative_error = vec![0.0, 0.9, 0.0, 0.0, 0.0, 0.0];
        run.series[2].values[7] = 0.0;
        let mut atlas = atlas(&[]);
        assert!(atlas.insert(run));
        let mark = |quantity, block| cell(&atlas, quantity, 6, block).and_then(|cell| cell.mark);
        assert_eq!(mark(W2, 2), Some(Mark::Unresolved));
        assert_eq!(mark(W2, 3), Some(Mark::NotANumber));
        assert_eq!(mark(W2, 4), None);
        // The second sublayer of block 4.
        assert_eq!(mark(Quantity::UpdateRatio, 4), Some(Mark::Zero));
        assert_eq!(cell(&atlas, W2, 6, 4), Some(Cell { value: 6.004, mark: None }));
    }

    #[test]
    fn what_is_missing_comes_coarse_first() {
        let atlas = atlas(&[6, 12]);
        assert_eq!(atlas.missing(6..=12), [9, 7, 10, 8, 11]);
        assert_eq!(atlas.missing(6..=6), [0; 0]);
        assert_eq!(atlas.depths(7..=20).collect::<Vec<_>>(), [12]);
    }

    #[test]
    fn another_model_is_refused() {
        let mut atlas = atlas(&[6]);
        let mut other = run(7);
        other.config.width = 32;
        assert!(!atlas.insert(other));
        assert!(!atlas.insert(Measurement { engine: Engine::Gpu, ..run(7) }));
        assert_eq!(atlas.at(7), None);
        assert!(atlas.is_of(&Config { depth: 150, ..Config::default() }, Engine::Cpu));
        assert!(!atlas.is_of(&Config { seed: 1, ..Config::default() }, Engine::Cpu));
    }
}
