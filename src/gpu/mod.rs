//! Runs plans on a GPU through wgpu: WebGPU in a browser, Vulkan, Metal or DirectX 12 elsewhere.

mod device;
mod execute;
mod pace;
mod pipelines;
mod pool;
mod scopes;
mod watch;
mod weights;

pub use device::{Gpu, Setup, adapters};
pub use execute::{Counters, Outcome, Run};
pub use pace::Clock;
#[cfg(not(target_arch = "wasm32"))]
pub use pace::system_clock;
pub use watch::Watch;

use crate::plan::PlanError;

/// Why a run on the GPU failed.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter, or none that grants what every WebGPU device must.
    #[error("no GPU to compute on: {0}")]
    NoDevice(String),
    /// The run does not fit.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device ran out of memory.
    #[error("the graphics device ran out of memory: {0}")]
    OutOfMemory(String),
    /// The device refused a command.
    #[error("the graphics device refused a command: {0}")]
    Refused(String),
    /// The device is gone: reset, unplugged, or taken by the system.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// The caller no longer wants the result.
    #[error("a newer run took its place")]
    Cancelled,
}
