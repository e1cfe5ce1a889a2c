//! Twins of `shaders/shared/`.

pub(super) mod activation;
pub(super) mod attention;
pub(super) mod gram;
pub(super) mod norm;
pub mod random;
pub(super) mod square_sum;
