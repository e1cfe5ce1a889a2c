//! The kernels' twins in f32, one file for each shader with the same stem and argument order, and the engine that runs
//! a plan on them, step by step.

mod activation_forward;
mod attention_forward;
mod attention_key_backward;
mod attention_query_backward;
mod cross_entropy;
mod execute;
mod matmul_backward;
mod matmul_forward;
mod norm_forward;
mod qk_norm_backward;
mod qk_norm_forward;
mod random_weights;
mod reduce_square_sums;
mod residual_backward;
mod residual_forward;
mod shared;
mod skip_backward;
mod stream_statistics;
mod weight_gradient_norm;

pub use execute::{Buffer, execute};
pub use shared::random;
pub use shared::square_sum::SquareSum;

use std::cell::RefCell;

use crate::model::Config;
use crate::plan::{self, BufferSpec, Limits, Plan, PlanError};
use crate::stats::{Engine, Measurement, Pass};

/// A pass on the processor, one dispatch of the plan at a time.
pub struct CpuPass {
    plan: Plan,
    /// The second pass, where there is one.
    shaken: Option<Plan>,
    /// Results of the first pass, once it is over and the second has begun.
    words: Option<Vec<u32>>,
    buffers: Vec<RefCell<Buffer>>,
    done: usize,
}

impl CpuPass {
    /// Plans a pass and makes its buffers.
    ///
    /// # Errors
    /// Where the run needs more memory than there is.
    pub fn new(config: &Config) -> Result<Self, PlanError> {
        Self::within(config, &Limits::default())
    }

    /// The same within given limits.
    ///
    /// # Errors
    /// Where the run does not fit them.
    pub fn within(config: &Config, limits: &Limits) -> Result<Self, PlanError> {
        let plan = plan::build(config, limits)?;
        let buffers = plan.buffers.iter().map(|spec: &BufferSpec| RefCell::new(Buffer::new(spec))).collect();
        Ok(Self { shaken: plan.shaken(), plan, words: None, buffers, done: 0 })
    }

    /// Dispatches of the whole run.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.plan.steps.len() + self.shaken.as_ref().map_or(0, |plan| plan.steps.len())
    }
}

impl Pass for CpuPass {
    fn advance(&mut self) -> Option<Measurement> {
        let second = self.words.is_some();
        let steps = if let (true, Some(shaken)) = (second, &self.shaken) { &shaken.steps } else { &self.plan.steps };
        if let Some(step) = steps.get(self.done) {
            execute(step, &self.buffers);
            self.done += 1;
        }
        if self.done < steps.len() {
            return None;
        }
        let words = self.buffers[self.plan.results.buffer].borrow().words();
        match (&self.words, &self.shaken) {
            (Some(first), _) => Some(plan::measurement(&self.plan, Engine::Cpu, first, Some(&words))),
            (None, None) => Some(plan::measurement(&self.plan, Engine::Cpu, &words, None)),
            (None, Some(_)) => {
                self.words = Some(words);
                self.done = 0;
                None
            }
        }
    }

    fn progress(&self) -> f64 {
        let before = if self.words.is_some() { self.plan.steps.len() } else { 0 };
        (before + self.done) as f64 / self.dispatches() as f64
    }
}
