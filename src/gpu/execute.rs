//! Records a plan, submits it and reads the statistics back.

use std::collections::VecDeque;

use futures_channel::oneshot;

use super::GpuError;
use super::device::Gpu;
use super::watch::{Stage, Watch};
use crate::model::Config;
use crate::plan::{Extent, Part, Passes, Plan, Split, Submit, UNIFORM_STRIDE};
use crate::stats::{Engine, Measurement};

/// Submits that may be under way at once: one runs while the next is recorded.
const SUBMITS_AHEAD: usize = 2;

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Dispatches recorded.
    pub dispatches: u32,
    /// Command buffers submitted.
    pub submits: u32,
    /// Buffers mapped for reading.
    pub readbacks: u32,
    /// Bytes that came back.
    pub bytes_read: u64,
    /// Pipelines made.
    pub pipelines: u32,
    /// Bytes that the plans take at most, see [`Plan::peak_bytes`].
    pub peak_bytes: u64,
}

impl Counters {
    /// Adds those of another run.
    pub fn add(&mut self, other: Self) {
        self.dispatches += other.dispatches;
        self.submits += other.submits;
        self.readbacks += other.readbacks;
        self.bytes_read += other.bytes_read;
        self.pipelines += other.pipelines;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
    }
}

/// A measurement and what it took.
#[derive(Clone, Debug)]
pub struct Outcome<M = Measurement> {
    /// What was measured.
    pub measurement: M,
    /// Of all its passes.
    pub counters: Counters,
}

/// What came of the steps of one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The results buffer.
    pub words: Vec<u32>,
    /// What it took.
    pub counters: Counters,
}

/// Receives whether the device did what it was told, and when.
type Done = oneshot::Receiver<(Result<(), wgpu::BufferAsyncError>, f64)>;

/// A submit on its way, or the mapping of what the last one left.
struct UnderWay {
    cost: u64,
    submitted_ms: f64,
    done: Done,
}

/// The submits of a run that are on their way, the oldest first.
struct Flight<'a> {
    watch: &'a dyn Watch,
    under_way: VecDeque<UnderWay>,
    /// Whether its times are those of kernels that have run before.
    is_telling: bool,
    /// When the last one was done.
    done_ms: f64,
    /// Cost of those that are done, and of what has not been submitted.
    done: u64,
    left: u64,
    counters: Counters,
}

/// The results on their way.
struct Readback {
    buffer: wgpu::Buffer,
    bytes: u64,
}

impl Gpu {
    /// All passes of a run, for the curves.
    ///
    /// # Errors
    /// Where the run does not fit, the device fails, or the run was cancelled.
    pub async fn measure(&self, config: &Config, watch: impl Watch) -> Result<Outcome, GpuError> {
        self.measure_to(Extent::Curves, config, watch).await
    }

    /// All passes of a run to this extent.
    ///
    /// # Errors
    /// Where the run does not fit, the device fails, or the run was cancelled.
    pub async fn measure_to(&self, extent: Extent, config: &Config, watch: impl Watch) -> Result<Outcome, GpuError> {
        let passes = Passes::new(config, &self.limits(), extent, Engine::Gpu)?;
        let Outcome { measurement, counters } = self.finish(passes, &watch).await?;
        let measurement = measurement.into_iter().next().expect("a run measures one model");
        Ok(Outcome { measurement, counters })
    }

    /// The passes that measure the models of all these depths at once, the deepest first.
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
        watch: impl Watch,
    ) -> Result<Outcome<Vec<Measurement>>, GpuError> {
        self.finish(Passes::sweep(config, depths, &self.limits(), Engine::Gpu)?, &watch).await
    }

    async fn finish(&self, mut passes: Passes, watch: &dyn Watch) -> Result<Outcome<Vec<Measurement>>, GpuError> {
        let mut counters = Counters::default();
        loop {
            let share = |steps: usize| steps as f64 / passes.steps() as f64;
            let before = passes.steps_before();
            let (from, to) = (share(before), share(before + passes.plan().steps.len()));
            let run = self.run_watched(passes.plan(), &Stage { watch, from, to }).await?;
            counters.add(run.counters);
            if let Some(measurement) = passes.advance(run.words)? {
                return Ok(Outcome { measurement, counters });
            }
        }
    }

    /// Runs every step of a plan but those that would only make weights again that an earlier run left. Runs take turns.
    ///
    /// # Errors
    /// Where the device fails, or the run was cancelled.
    pub async fn run(&self, plan: &Plan, watch: impl Watch) -> Result<Run, GpuError> {
        self.run_watched(plan, &watch).await
    }

    async fn run_watched(&self, plan: &Plan, watch: &dyn Watch) -> Result<Run, GpuError> {
        let _turn = self.turn.lock().await;
        let pipelines_before = self.pipelines_made();
        let mut scopes = self.scopes()?;
        let has_made = self.prepare(plan);
        let is_needed = self.pool().weights.needed(plan);
        let rest = Split::new(plan.steps.iter().enumerate().filter(|(index, _)| is_needed[*index]));
        if has_made {
            // Nothing runs with a buffer or a pipeline that could not be made.
            self.verdict(scopes).await?;
            scopes = self.scopes()?;
        }
        let pipelines = self.pipelines_made() - pipelines_before;
        let mut flight = Flight {
            watch,
            under_way: VecDeque::new(),
            is_telling: self.pipelines().season(plan.steps.iter().map(|step| step.operation.kernel())),
            done_ms: 0.0,
            done: 0,
            left: 0,
            counters: Counters { pipelines, peak_bytes: plan.peak_bytes(), ..Counters::default() },
        };
        let submitted = self.submit_all(plan, rest, &mut flight).await;
        let verdict = self.verdict(scopes);
        let words = match submitted {
            Ok(readback) => self.fetch(readback, &mut flight).await,
            Err(error) => Err(error),
        };
        // What the device names comes before what followed from it.
        verdict.await?;
        if !matches!(words, Ok(_) | Err(GpuError::Cancelled)) {
            self.trust(false);
        }
        let words = words?;
        let bytes_read = 4 * words.len() as u64;
        Ok(Run { words, counters: Counters { readbacks: 1, bytes_read, ..flight.counters } })
    }

    /// Submits the parts of a plan. The last submit also copies the results to where they are mapped.
    async fn submit_all(&self, plan: &Plan, mut rest: Split, flight: &mut Flight<'_>) -> Result<Readback, GpuError> {
        let numbers = self.pool().numbers(plan);
        let slots = self.pool().slots();
        let mut slot = 0;
        loop {
            if flight.watch.is_cancelled() {
                return Err(GpuError::Cancelled);
            }
            let budget = self.pace().budget();
            // Where nothing has to run, the results of the same run are there.
            let Submit { parts, cost } = rest.next(budget).unwrap_or_default();
            flight.left = rest.cost(budget);
            if slot + parts.len() > slots {
                slot = 0;
            }
            self.pool().write_uniforms(&self.queue, plan, &parts, slot);
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.record(&mut encoder, plan, &parts, slot, &numbers);
            slot += parts.len();
            flight.counters.dispatches += parts.len() as u32;
            flight.counters.submits += 1;
            let readback =
                rest.is_empty().then(|| self.copy(&mut encoder, plan, plan.results.buffer, plan.readback_bytes()));
            self.queue.submit([encoder.finish()]);
            let submitted_ms = (self.clock)();
            let done = readback.as_ref().map_or_else(|| self.when_done(), |readback| self.map(readback));
            flight.under_way.push_back(UnderWay { cost, submitted_ms, done });
            if let Some(readback) = readback {
                return Ok(readback);
            }
            if flight.under_way.len() >= SUBMITS_AHEAD {
                self.land(flight).await?;
            }
        }
    }

    /// Waits for the oldest submit.
    async fn land(&self, flight: &mut Flight<'_>) -> Result<(), GpuError> {
        let Some(oldest) = flight.under_way.pop_front() else { return Ok(()) };
        let (result, done_ms) = self.settle(oldest.done).await?;
        result.map_err(|error| GpuError::Lost(error.to_string()))?;
        if flight.is_telling {
            self.pace().note(oldest.cost, done_ms - flight.done_ms.max(oldest.submitted_ms));
        }
        flight.done_ms = done_ms;
        flight.done += oldest.cost;
        let under_way: u64 = flight.under_way.iter().map(|submit| submit.cost).sum();
        let all = flight.done + under_way + flight.left;
        flight.watch.progressed(if all > 0 { flight.done as f64 / all as f64 } else { 1.0 });
        Ok(())
    }

    /// Waits for all submits and takes what they left.
    async fn fetch(&self, readback: Readback, flight: &mut Flight<'_>) -> Result<Vec<u32>, GpuError> {
        while !flight.under_way.is_empty() {
            self.land(flight).await?;
        }
        self.take(readback)
    }

    /// Runs one step of a plan on given contents of its buffers, for comparison with the kernel's twin; the contents of
    /// the buffers it binds afterwards, in the order of its views.
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
        let scopes = self.scopes()?;
        self.prepare(plan);
        let views = &plan.steps[step].views;
        for view in views {
            let pool = self.pool();
            let buffer = pool.buffer(&plan.buffers[view.buffer]);
            self.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&contents(view.buffer)));
        }
        let parts = [Part::whole(step, &plan.steps[step])];
        self.pool().write_uniforms(&self.queue, plan, &parts, 0);
        let numbers = self.pool().numbers(plan);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.record(&mut encoder, plan, &parts, 0, &numbers);
        self.queue.submit([encoder.finish()]);
        // Not what a run would leave.
        self.pool().weights.forget();
        let mut after = Vec::new();
        for view in views {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let readback = self.copy(&mut encoder, plan, view.buffer, plan.buffers[view.buffer].bytes());
            self.queue.submit([encoder.finish()]);
            self.settle(self.map(&readback)).await?.0.map_err(|error| GpuError::Lost(error.to_string()))?;
            after.push(self.take(readback)?);
        }
        self.verdict(scopes).await?;
        Ok(after)
    }

    /// Makes what a plan needs and is not there: its buffers and pipelines. Whether it made any.
    fn prepare(&self, plan: &Plan) -> bool {
        let has_made = self.pool().fit(&self.device, plan, &self.limits());
        self.prepare_pipelines(plan);
        has_made || self.pipelines().has_unchecked()
    }

    /// Records parts whose uniforms begin at a slot.
    fn record(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan, parts: &[Part], slot: usize, numbers: &[u16]) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (mut pool, mut pipelines) = (self.pool(), self.pipelines());
        let mut current = None;
        for (offset, part) in parts.iter().enumerate() {
            let step = &plan.steps[part.step];
            let kernel = step.operation.kernel();
            let pipeline = pipelines.get(&self.device, kernel);
            if current.replace(kernel) != Some(kernel) {
                pass.set_pipeline(&pipeline.pipeline);
            }
            let uniform = (UNIFORM_STRIDE as usize * (slot + offset)) as u32;
            pass.set_bind_group(0, &*pool.bind_group(&self.device, &pipeline, plan, step, numbers), &[uniform]);
            let [x, y, z] = part.workgroups;
            pass.dispatch_workgroups(x, y, z);
            pool.weights.note(plan, part);
        }
    }

    /// Records a copy of a buffer to where it can be read.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan, buffer: usize, bytes: u64) -> Readback {
        let mut pool = self.pool();
        let readback = pool.take_readback(&self.device, bytes);
        encoder.copy_buffer_to_buffer(pool.buffer(&plan.buffers[buffer]), 0, &readback, 0, bytes);
        Readback { buffer: readback, bytes }
    }

    /// Receives when all that was submitted is done.
    fn when_done(&self) -> Done {
        let (clock, (sender, done)) = (self.clock, oneshot::channel());
        self.queue.on_submitted_work_done(move || {
            // The receiver is gone where the run was cancelled.
            let _ = sender.send((Ok(()), clock()));
        });
        done
    }

    /// Has a buffer mapped, which is done when all that was submitted is.
    fn map(&self, readback: &Readback) -> Done {
        let (clock, (sender, done)) = (self.clock, oneshot::channel());
        readback.buffer.map_async(wgpu::MapMode::Read, ..readback.bytes, move |result| {
            let _ = sender.send((result, clock()));
        });
        done
    }

    /// What a mapped buffer holds.
    fn take(&self, Readback { buffer, bytes }: Readback) -> Result<Vec<u32>, GpuError> {
        let words = {
            let mapped = buffer.get_mapped_range(..bytes).map_err(|error| GpuError::Refused(error.to_string()))?;
            bytemuck::cast_slice(&mapped).to_vec()
        };
        buffer.unmap();
        self.pool().put_readback(buffer);
        Ok(words)
    }
}
