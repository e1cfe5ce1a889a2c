//! One model measured at many depths: the seam between the atlas and whoever measures it.

use crate::model::Config;
use crate::stats::{Engine, Measurement};

use super::engines::{Engines, Failure};

/// Floating-point operations of a sweep.
#[must_use]
pub(crate) fn flops(config: &Config, depths: &[u32]) -> f64 {
    depths.iter().map(|depth| Config { depth: *depth, ..config.clone() }.flops()).sum()
}

impl Engines {
    /// Measures a model at each of these depths, the depth of `config` apart. Hands over each measurement once it is
    /// there: one at a time or several, those of `depths` that come first no later than the others. `tell` hears what
    /// share of the [`flops`] is done. Ends early where it is no longer wanted.
    pub(crate) async fn sweep(
        &self,
        engine: Engine,
        config: &Config,
        depths: &[u32],
        mut take: impl FnMut(Measurement),
        is_wanted: &dyn Fn() -> bool,
        tell: &dyn Fn(f64),
    ) -> Result<(), Failure> {
        let all = flops(config, depths);
        let mut done = 0.0;
        for &depth in depths {
            let config = Config { depth, ..config.clone() };
            let own = config.flops();
            let told = done;
            let ran = self.measure(engine, &config, is_wanted, &|share| tell((told + share * own) / all)).await?;
            let Some(ran) = ran else { break };
            take(ran.measurement);
            done += own;
            tell(done / all);
            if !is_wanted() {
                break;
            }
        }
        Ok(())
    }
}
