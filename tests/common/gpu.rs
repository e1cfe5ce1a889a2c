//! The GPU that tests run on.

use std::io::Write as _;

use normscope::gpu::{Gpu, GpuError, Setup, system_clock};
use normscope::plan::Tuning;

/// The best adapter, a software one if there is no other. Without any, a test that needs one is skipped with a message,
/// unless `NORMSCOPE_REQUIRE_GPU` is set, as it is in CI: then it fails.
pub fn open() -> Option<Gpu> {
    open_with(Setup::new(system_clock))
}

/// The same with kernels cut for a kind of device.
pub fn open_with_tuning(tuning: Tuning) -> Option<Gpu> {
    open_with(Setup { tuning: Some(tuning), ..Setup::new(system_clock) })
}

/// The same in another way.
pub fn open_with(setup: Setup) -> Option<Gpu> {
    or_skip(pollster::block_on(Gpu::open(setup)))
}

fn or_skip(opened: Result<Gpu, GpuError>) -> Option<Gpu> {
    match opened {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("NORMSCOPE_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            // Not with eprintln!, which the test runner keeps from those who do not ask.
            let _ = writeln!(std::io::stderr(), "skipped, no GPU to test on: {error}");
            None
        }
    }
}
