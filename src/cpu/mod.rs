//! The kernels' twins in f32, one file for each shader with the same stem and argument order, and the engine that runs
//! a plan on them, step by step.

mod activation_tangent;
mod attention_forward;
mod attention_key_backward;
mod attention_query_backward;
mod attention_tangent;
mod cross_entropy;
mod execute;
mod gated_activation;
mod matmul_backward;
mod matmul_forward;
mod matmul_tangent;
mod norm_forward;
mod norm_tangent;
mod qk_norm_backward;
mod qk_norm_forward;
mod random_weights;
mod reduce_square_sums;
mod residual_backward;
mod residual_forward;
mod residual_tangent;
mod shared;
mod skip_backward;
mod stream_statistics;
mod sum_rows;
mod weight_gradient;
mod weight_gradient_gram;
mod weight_gradient_norm;

pub use execute::{Buffer, execute};
pub use shared::random;
pub use shared::square_sum::SquareSum;

use std::cell::RefCell;

use crate::model::Config;
use crate::plan::{Extent, Limits, Passes, Plan, PlanError, Step};
use crate::stats::{Engine, Measurement, Pass};

/// A pass on the processor, one dispatch of the plan at a time.
pub struct CpuPass {
    passes: Passes,
    buffers: Vec<RefCell<Buffer>>,
    done: usize,
}

/// Makes those buffers that a step binds and that no step before it did: all at once would hold up a page.
fn make_buffers(plan: &Plan, step: &Step, buffers: &[RefCell<Buffer>]) {
    for view in &step.views {
        let mut buffer = buffers[view.buffer].borrow_mut();
        if buffer.is_empty() {
            *buffer = Buffer::new(&plan.buffers[view.buffer]);
        }
    }
}

/// Buffers with nothing in them yet.
fn buffers(plan: &Plan) -> Vec<RefCell<Buffer>> {
    plan.buffers.iter().map(|_| RefCell::default()).collect()
}

impl CpuPass {
    /// Plans a pass for the curves.
    ///
    /// # Errors
    /// Where the run needs more memory than there is.
    pub fn new(config: &Config) -> Result<Self, PlanError> {
        Self::to(Extent::Curves, config)
    }

    /// Plans a pass of this extent.
    ///
    /// # Errors
    /// Where the run needs more memory than there is.
    pub fn to(extent: Extent, config: &Config) -> Result<Self, PlanError> {
        Self::within(config, &Limits::default(), extent)
    }

    /// The same within given limits.
    ///
    /// # Errors
    /// Where the run does not fit them.
    pub fn within(config: &Config, limits: &Limits, extent: Extent) -> Result<Self, PlanError> {
        Ok(Self::of(Passes::new(config, limits, extent, Engine::Cpu)?))
    }

    /// A pass that measures the models of all these depths at once.
    ///
    /// # Errors
    /// Where the run does not fit the limits.
    ///
    /// # Panics
    /// As [`Passes::sweep`].
    pub fn sweep(config: &Config, depths: &[u32], limits: &Limits) -> Result<Self, PlanError> {
        Ok(Self::of(Passes::sweep(config, depths, limits, Engine::Cpu)?))
    }

    fn of(passes: Passes) -> Self {
        Self { buffers: buffers(passes.plan()), passes, done: 0 }
    }

    /// Dispatches of the whole run.
    #[must_use]
    pub const fn dispatches(&self) -> usize {
        self.passes.steps()
    }

    /// Bytes that a device would hold for it at most, as this engine does.
    #[must_use]
    pub const fn peak_bytes(&self) -> u64 {
        self.passes.peak_bytes()
    }

    /// One dispatch; after the last one what was measured, the deepest model first.
    pub fn advance_all(&mut self) -> Option<Vec<Measurement>> {
        let plan = self.passes.plan();
        if let Some(step) = plan.steps.get(self.done) {
            make_buffers(plan, step, &self.buffers);
            execute(step, &self.buffers);
            self.done += 1;
        }
        if self.done < plan.steps.len() {
            return None;
        }
        let words = self.buffers[plan.results.buffer].borrow().words();
        let planned = self.passes.advance(words);
        let measurements = planned.unwrap_or_else(|why| panic!("the run was planned when the pass was made: {why}"));
        if measurements.is_none() {
            self.buffers = buffers(self.passes.plan());
            self.done = 0;
        }
        measurements
    }
}

impl Pass for CpuPass {
    fn advance(&mut self) -> Option<Measurement> {
        self.advance_all().and_then(|measurements| measurements.into_iter().next())
    }

    fn progress(&self) -> f64 {
        (self.passes.steps_before() + self.done) as f64 / self.dispatches() as f64
    }
}
