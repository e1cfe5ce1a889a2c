//! A placement as glyph, diagram, equation and line sample: SVG and MathML written from its recipe.

mod diagram;
mod equation;
mod sign;

pub use diagram::{KEY_BACK, KEY_RING, diagram};
pub use equation::equation;
pub use sign::{glyph, line, sample};
