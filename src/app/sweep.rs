//! One model measured at many depths: the seam between the atlas and whoever measures it.

use crate::cpu::CpuPass;
use crate::model::Config;
use crate::plan::sweep_count;
use crate::stats::{Engine, Measurement, Pass};

use super::engines::{Engines, Failure, Waiter};

/// Models that one pass measures on a device that runs on the processor: there arithmetic bounds it, more of them would
/// save little, and what is under way is lost where a chart has to go first.
const ON_SOFTWARE: usize = 24;
/// Models that one pass measures on the processor, so that no step of it holds up the page.
const ON_CPU: usize = 4;

/// Whether one pass measures many models.
fn is_shared(engine: Engine, config: &Config) -> bool {
    engine != Engine::Reference && config.shares_blocks()
}

/// Floating-point operations of a sweep, about: a third of a pass goes forward, which models that share their blocks
/// do together.
#[must_use]
pub(crate) fn flops(engine: Engine, config: &Config, depths: &[u32]) -> f64 {
    let alone: f64 = depths.iter().map(|depth| Config { depth: *depth, ..config.clone() }.flops()).sum();
    if is_shared(engine, config) { alone * 2.0 / 3.0 } else { alone }
}

impl Engines {
    /// Measures a model at each of these depths, the depth of `config` apart. Hands over each measurement once it is
    /// there: one at a time or several, those of `depths` that come first no later than the others. Ends early where it
    /// is no longer wanted.
    pub(crate) async fn sweep(
        &self,
        engine: Engine,
        config: &Config,
        depths: &[u32],
        mut take: impl FnMut(Measurement),
        waiting: Waiter<'_>,
    ) -> Result<(), Failure> {
        let all = flops(engine, config, depths);
        let (mut rest, mut done) = (depths, 0.0);
        while !rest.is_empty() {
            let (group, others) = rest.split_at(self.at_once(engine, config, rest)?);
            let own = flops(engine, config, group);
            let told = done;
            let part = Waiter { tell: &|share| (waiting.tell)((told + share * own) / all), ..waiting };
            let Some(measurements) = self.models(engine, config, group, part).await? else { break };
            measurements.into_iter().for_each(&mut take);
            rest = others;
            done += own;
            (waiting.tell)(done / all);
            if !(waiting.is_wanted)() {
                break;
            }
        }
        Ok(())
    }

    /// How many of the first of some depths the next pass measures, by the memory that it may take now.
    fn at_once(&self, engine: Engine, config: &Config, depths: &[u32]) -> Result<usize, Failure> {
        if !is_shared(engine, config) {
            return Ok(1);
        }
        let most = match self.gpu() {
            _ if engine != Engine::Gpu => ON_CPU,
            Some(gpu) if !gpu.is_software() => usize::MAX,
            _ => ON_SOFTWARE,
        };
        sweep_count(config, depths, &self.limits(engine), most).map_err(|error| Failure::from(&error))
    }

    /// Measures the models of a group; nothing where that is no longer wanted.
    async fn models(
        &self,
        engine: Engine,
        config: &Config,
        depths: &[u32],
        waiting: Waiter<'_>,
    ) -> Result<Option<Vec<Measurement>>, Failure> {
        if let ([depth], false) = (depths, is_shared(engine, config)) {
            let config = Config { depth: *depth, ..config.clone() };
            let ran = self.measure(engine, &config, waiting).await?;
            return Ok(ran.map(|ran| vec![ran.measurement]));
        }
        if engine == Engine::Gpu {
            let outcome = self.on_device(async |gpu| gpu.sweep(config, depths, waiting).await).await?;
            return Ok(outcome.map(|outcome| outcome.measurement));
        }
        let mut pass = CpuPass::sweep(config, depths, &self.limits(engine)).map_err(|error| Failure::from(&error))?;
        Ok(self.work_off(|| pass.advance_all().ok_or_else(|| pass.progress()), waiting).await)
    }
}
