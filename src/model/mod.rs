//! What is computed: the configuration of a run, the place of the norms, initialisation, random numbers and the table
//! of parameters. Nothing here knows of an engine, a GPU or a page.

pub(crate) mod config;
mod cost;
mod init;
mod placement;
pub mod random;
mod sublayer;
mod tensors;

pub use config::{Activation, Attention, Config, FinalNorm, NORM_EPSILON, Norm, QkNorm, Toggle};
pub use cost::Parameters;
pub use init::{Init, ResidualScale};
pub use placement::{Placement, Recipe, Skip};
pub use sublayer::{Sublayer, SublayerKind};
pub use tensors::{Matrix, Tensor, matrices};
