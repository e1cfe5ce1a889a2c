//! Records a plan, submits it and reads the statistics back.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::PoisonError;

use futures_channel::oneshot;

use super::GpuError;
use super::device::Gpu;
use super::pool::{Pool, UNIFORM_STRIDE};
use crate::model::Config;
use crate::plan::{Extent, Passes, Plan};
use crate::stats::{Engine, Measurement};

/// Floating-point operations of one submit: well under the two seconds after which systems reset a device, also where
/// the device is the processor.
const SUBMIT_FLOPS: u64 = 1_000_000_000;
/// Submits that may be under way at once: one runs while the next is recorded.
const SUBMITS_AHEAD: usize = 2;

/// A measurement and what it took.
#[derive(Clone, Debug)]
pub struct Outcome<M = Measurement> {
    /// What was measured.
    pub measurement: M,
    /// Dispatches of the pass.
    pub dispatches: u32,
    /// Command buffers submitted.
    pub submits: u32,
    /// Bytes that came back.
    pub bytes_read: u64,
}

impl<M> Outcome<M> {
    fn map<N>(self, change: impl FnOnce(M) -> N) -> Outcome<N> {
        let Self { measurement, dispatches, submits, bytes_read } = self;
        Outcome { measurement: change(measurement), dispatches, submits, bytes_read }
    }
}

/// What came of the steps of one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The results buffer.
    pub words: Vec<u32>,
    /// Dispatches recorded.
    pub dispatches: u32,
    /// Command buffers submitted.
    pub submits: u32,
}

impl Gpu {
    /// All passes of a run, for the curves. `cancelled` is asked before each submit.
    ///
    /// # Errors
    /// Where the run does not fit, the device fails, or the run was cancelled.
    pub async fn measure(&self, config: &Config, cancelled: impl Fn() -> bool) -> Result<Outcome, GpuError> {
        self.measure_to(Extent::Curves, config, cancelled).await
    }

    /// All passes of a run to this extent. `cancelled` is asked before each submit.
    ///
    /// # Errors
    /// Where the run does not fit, the device fails, or the run was cancelled.
    pub async fn measure_to(
        &self,
        extent: Extent,
        config: &Config,
        cancelled: impl Fn() -> bool,
    ) -> Result<Outcome, GpuError> {
        let passes = Passes::new(config, &self.limits(), extent, Engine::Gpu)?;
        let swept = self.finish(passes, cancelled).await?;
        Ok(swept.map(|measurements| measurements.into_iter().next().expect("a run measures one model")))
    }

    /// The passes that measure the models of all these depths at once, the deepest first. `cancelled` is asked before
    /// each submit.
    ///
    /// # Errors
    /// Where the run does not fit, the device fails, or the run was cancelled.
    ///
    /// # Panics
    /// As [`Passes::sweep`].
    pub async fn sweep(
        &self,
        config: &Config,
        depths: &[u32],
        cancelled: impl Fn() -> bool,
    ) -> Result<Outcome<Vec<Measurement>>, GpuError> {
        self.finish(Passes::sweep(config, depths, &self.limits(), Engine::Gpu)?, cancelled).await
    }

    async fn finish(
        &self,
        mut passes: Passes,
        cancelled: impl Fn() -> bool,
    ) -> Result<Outcome<Vec<Measurement>>, GpuError> {
        let (mut dispatches, mut submits, mut bytes_read) = (0, 0, 0);
        loop {
            let run = self.run(passes.plan(), &cancelled).await?;
            dispatches += run.dispatches;
            submits += run.submits;
            bytes_read += 4 * run.words.len() as u64;
            if let Some(measurement) = passes.advance(run.words)? {
                return Ok(Outcome { measurement, dispatches, submits, bytes_read });
            }
        }
    }

    /// Runs every step of a plan but those that would only make weights again that an earlier run left. Runs take turns.
    ///
    /// # Errors
    /// Where the device fails, or the run was cancelled.
    pub async fn run(&self, plan: &Plan, cancelled: impl Fn() -> bool) -> Result<Run, GpuError> {
        let _turn = self.turn.lock().await;
        self.checked(async {
            self.prepare(plan);
            Ok(())
        })
        .await?;
        self.checked(self.submit_all(plan, cancelled)).await
    }

    async fn submit_all(&self, plan: &Plan, cancelled: impl Fn() -> bool) -> Result<Run, GpuError> {
        let submits = split(plan);
        let mut dispatches = 0;
        let mut under_way = VecDeque::new();
        for range in &submits {
            if cancelled() {
                return Err(GpuError::Cancelled);
            }
            let (commands, recorded) = self.record(plan, range.clone());
            self.queue.submit([commands]);
            dispatches += recorded;
            let (sender, receiver) = oneshot::channel();
            self.queue.on_submitted_work_done(move || {
                // The receiver is gone where the run was cancelled.
                let _ = sender.send(());
            });
            under_way.push_back(receiver);
            if under_way.len() >= SUBMITS_AHEAD
                && let Some(oldest) = under_way.pop_front()
            {
                self.settle(oldest).await?;
            }
        }
        let bytes = 16 * u64::from(plan.results.vec4s);
        let words = self.read(plan, plan.results.buffer, bytes).await?;
        Ok(Run { words, dispatches, submits: submits.len() as u32 })
    }

    /// Does some work of a run and asks the device whether all of it was well. Where it was not, nothing that the pool
    /// holds is trusted again: a buffer that could not be made looks like any other.
    async fn checked<T>(&self, work: impl Future<Output = Result<T, GpuError>>) -> Result<T, GpuError> {
        if let Some(reason) = self.lost() {
            return Err(GpuError::Lost(reason));
        }
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work.await;
        let refused = validation.pop().await.map(|error| error.to_string()).or_else(|| self.take_fault());
        let exhausted = memory.pop().await;
        let result = match (exhausted, refused) {
            (Some(error), _) => Err(GpuError::OutOfMemory(error.to_string())),
            (None, Some(error)) => Err(self.lost().map_or(GpuError::Refused(error), GpuError::Lost)),
            (None, None) => result,
        };
        if !matches!(result, Ok(_) | Err(GpuError::Cancelled)) {
            *self.pool() = Pool::default();
        }
        result
    }

    /// Runs one step of a plan on given contents of its buffers, for comparison with the kernel's twin; the contents
    /// of the buffers it binds afterwards, in the order of its views.
    ///
    /// # Errors
    /// Where the device fails.
    pub async fn replay(
        &self,
        plan: &Plan,
        step: usize,
        contents: impl Fn(usize) -> Vec<u32>,
    ) -> Result<Vec<Vec<u32>>, GpuError> {
        let _turn = self.turn.lock().await;
        self.checked(async {
            self.prepare(plan);
            let views = &plan.steps[step].views;
            for view in views {
                let pool = self.pool();
                let buffer = pool.buffer(&plan.buffers[view.buffer]);
                self.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&contents(view.buffer)));
            }
            // Not what a run would leave.
            self.pool().forget_weights();
            self.queue.submit([self.record(plan, step..step + 1).0]);
            self.pool().forget_weights();
            let mut after = Vec::new();
            for view in views {
                after.push(self.read(plan, view.buffer, plan.buffers[view.buffer].bytes()).await?);
            }
            Ok(after)
        })
        .await
    }

    fn pool(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the buffers of a plan and writes its uniforms.
    fn prepare(&self, plan: &Plan) {
        let words_per_step = UNIFORM_STRIDE as usize / 4;
        let mut uniforms = vec![0u32; words_per_step * plan.steps.len()];
        for (place, words) in uniforms.chunks_exact_mut(words_per_step).zip(plan.uniforms()) {
            place[..words.len()].copy_from_slice(&words);
        }
        let mut pool = self.pool();
        pool.fit(&self.device, plan, self.limits().binding_bytes);
        self.queue.write_buffer(pool.uniforms(), 0, bytemuck::cast_slice(&uniforms));
    }

    /// The commands of some steps, and how many dispatches they are.
    fn record(&self, plan: &Plan, steps: Range<usize>) -> (wgpu::CommandBuffer, u32) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut dispatches = 0;
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let mut pool = self.pool();
            let mut current = None;
            for (offset, step) in plan.steps[steps.clone()].iter().enumerate() {
                if pool.holds(plan, step) {
                    continue;
                }
                dispatches += 1;
                let kernel = step.operation.kernel();
                let pipeline = &self.pipelines[&kernel];
                if current.replace(kernel) != Some(kernel) {
                    pass.set_pipeline(&pipeline.pipeline);
                }
                let uniform = (UNIFORM_STRIDE as usize * (steps.start + offset)) as u32;
                pass.set_bind_group(0, &*pool.bind_group(&self.device, &pipeline.layout, plan, step), &[uniform]);
                let [x, y, z] = step.workgroups;
                pass.dispatch_workgroups(x, y, z);
            }
        }
        (encoder.finish(), dispatches)
    }

    async fn read(&self, plan: &Plan, buffer: usize, bytes: u64) -> Result<Vec<u32>, GpuError> {
        let readback = self.pool().take_readback(&self.device, bytes);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(self.pool().buffer(&plan.buffers[buffer]), 0, &readback, 0, bytes);
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = oneshot::channel();
        readback.map_async(wgpu::MapMode::Read, ..bytes, move |result| {
            // The receiver is gone where the run was dropped.
            let _ = sender.send(result);
        });
        self.settle(receiver).await?.map_err(|error| GpuError::Lost(error.to_string()))?;
        let words = {
            let mapped = readback.get_mapped_range(..bytes).map_err(|error| GpuError::Refused(error.to_string()))?;
            bytemuck::cast_slice(&mapped).to_vec()
        };
        readback.unmap();
        self.pool().put_readback(readback);
        Ok(words)
    }
}

/// The steps of each submit.
fn split(plan: &Plan) -> Vec<Range<usize>> {
    let mut submits = Vec::new();
    let (mut start, mut flops) = (0, 0);
    for (i, step) in plan.steps.iter().enumerate() {
        if flops > 0 && flops + step.flops > SUBMIT_FLOPS {
            submits.push(start..i);
            (start, flops) = (i, 0);
        }
        flops += step.flops;
    }
    submits.push(start..plan.steps.len());
    submits
}
