//! The plans that one measurement takes, one after the other.

use super::build::{build, build_sweep, profile};
use super::decode::{branch_variances, measurements};
use super::{Limits, Plan, PlanError};
use crate::model::Config;
use crate::stats::{Engine, Measurement};

/// What a run is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Every quantity of [`Quantity::all`](crate::stats::Quantity::all): a forward and a backward pass.
    #[default]
    Curves,
    /// Also [`Quantity::UPDATES`](crate::stats::Quantity::UPDATES): the gradients of all blocks are kept, and a pass of
    /// tangents follows.
    WithUpdate,
}

/// A measurement on its way: the plan to run now, and what earlier ones gave.
pub struct Passes {
    engine: Engine,
    limits: Limits,
    extent: Extent,
    config: Config,
    /// Of the models, where there are several.
    depths: Vec<u32>,
    plan: Plan,
    stage: Stage,
    steps: usize,
    steps_before: usize,
    peak_bytes: u64,
}

enum Stage {
    /// A forward pass whose branch variances the run needs.
    Profile,
    /// The pass itself.
    Main,
    /// A second one beside it; with the words of the first.
    Shaken(Vec<u32>),
}

impl Passes {
    /// The passes of a run.
    ///
    /// # Errors
    /// Where a device of these limits cannot hold it.
    pub fn new(config: &Config, limits: &Limits, extent: Extent, engine: Engine) -> Result<Self, PlanError> {
        Self::of(config.clone(), Vec::new(), limits, extent, engine)
    }

    /// The passes that measure the models of all these depths at once; their number counts for the memory that they take.
    ///
    /// # Errors
    /// Where a device of these limits cannot hold them.
    ///
    /// # Panics
    /// Where there is no depth, or a block of the configuration knows how many there are, see
    /// [`Config::shares_blocks`].
    pub fn sweep(config: &Config, depths: &[u32], limits: &Limits, engine: Engine) -> Result<Self, PlanError> {
        let depth = depths.iter().copied().max().expect("a sweep has a depth");
        Self::of(Config { depth, ..config.clone() }, depths.to_vec(), limits, Extent::Curves, engine)
    }

    fn of(
        config: Config,
        depths: Vec<u32>,
        limits: &Limits,
        extent: Extent,
        engine: Engine,
    ) -> Result<Self, PlanError> {
        let mut plan = main_plan(&config, &depths, limits, &[], extent)?;
        let mut stage = Stage::Main;
        let mut steps = plan.steps.len() * if plan.shaken().is_some() { 2 } else { 1 };
        let mut peak_bytes = plan.peak_bytes();
        if let Some(profiled) = config.profiled() {
            plan = profile(&profiled, limits)?;
            stage = Stage::Profile;
            steps += plan.steps.len();
            peak_bytes = peak_bytes.max(plan.peak_bytes());
        }
        Ok(Self { engine, limits: *limits, extent, config, depths, plan, stage, steps, steps_before: 0, peak_bytes })
    }

    /// The plan to run now.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Steps of all plans together.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// Bytes that the largest of all plans takes, see [`Plan::peak_bytes`].
    #[must_use]
    pub const fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Steps of the plans that have run.
    #[must_use]
    pub const fn steps_before(&self) -> usize {
        self.steps_before
    }

    /// Takes the words of the results of the plan that has run: where it was the last one the measurements, the deepest
    /// model first.
    ///
    /// # Errors
    /// Where the next plan does not fit.
    pub fn advance(&mut self, words: Vec<u32>) -> Result<Option<Vec<Measurement>>, PlanError> {
        self.steps_before += self.plan.steps.len();
        match std::mem::replace(&mut self.stage, Stage::Main) {
            Stage::Profile => {
                let variances = branch_variances(&self.plan, &words);
                self.plan = main_plan(&self.config, &self.depths, &self.limits, &variances, self.extent)?;
                Ok(None)
            }
            Stage::Main => match self.plan.shaken() {
                Some(shaken) => {
                    self.plan = shaken;
                    self.stage = Stage::Shaken(words);
                    Ok(None)
                }
                None => Ok(Some(measurements(&self.plan, self.engine, &words, None))),
            },
            Stage::Shaken(first) => Ok(Some(measurements(&self.plan, self.engine, &first, Some(&words)))),
        }
    }
}

/// How many of the first of some depths of one model a device can take at once in a [`Passes::sweep`], of `most` at most.
///
/// # Errors
/// Where not even one of them fits.
pub fn sweep_count(config: &Config, depths: &[u32], limits: &Limits, most: usize) -> Result<usize, PlanError> {
    let mut count = most.clamp(1, depths.len().max(1));
    while let Err(error) = Passes::sweep(config, &depths[..count], limits, Engine::Gpu) {
        if count == 1 {
            return Err(error);
        }
        count = count.div_ceil(2);
    }
    Ok(count)
}

/// All of some depths in groups of [`sweep_count`], in the order given.
///
/// # Errors
/// Where not even one of them fits.
pub fn sweep_groups(config: &Config, depths: &[u32], limits: &Limits, most: usize) -> Result<Vec<Vec<u32>>, PlanError> {
    let mut groups = Vec::new();
    let (mut rest, mut most) = (depths, most);
    while !rest.is_empty() {
        // What did not fit once is not tried again.
        most = sweep_count(config, rest, limits, most)?;
        let (group, others) = rest.split_at(most);
        groups.push(group.to_vec());
        rest = others;
    }
    Ok(groups)
}

fn main_plan(
    config: &Config,
    depths: &[u32],
    limits: &Limits,
    branch_variances: &[f64],
    extent: Extent,
) -> Result<Plan, PlanError> {
    match depths {
        [] => build(config, limits, branch_variances, extent),
        depths => build_sweep(config, limits, branch_variances, depths),
    }
}
