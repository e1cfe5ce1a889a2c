//! The GPU that tests run on.

use normscope::gpu::Gpu;

/// The best adapter, a software one if there is no other. Without any, a test that needs one is skipped with a message,
/// unless `NORMSCOPE_REQUIRE_GPU` is set, as it is in CI: then it fails.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub fn open() -> Option<Gpu> {
    match pollster::block_on(Gpu::new()) {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("NORMSCOPE_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}
