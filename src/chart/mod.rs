//! Charts as scenes of shapes, with no canvas in them, and the small drawings and sentences that stand beside a chart.
//!
//! | part | what |
//! |---|---|
//! | [`theme`], [`style`] | the colours of light and dark; dash and marker of a placement |
//! | [`curve`] | a series of a measurement with what is to be said of each value |
//! | [`axis`] | frames of x, ranges and ticks of y |
//! | [`gaps`] | where a curve leaves its axis or its arithmetic, and the sentence that says so |
//! | [`view`], [`scene`], [`plot`] | how a chart is seen, and its shapes |
//! | [`heat`] | the atlas: depth against block, values as colours |
//! | [`block`] | a placement as glyph, diagram and equation, from its recipe |
//! | [`parts`] | the parts of that diagram, and what was measured at each |
//! | [`reading`] | a measurement in one sentence |
//! | [`words`] | a scene as text, of which a script makes SVG |
//! | `canvas` | a scene on an HTML canvas, through plotters |

pub mod axis;
pub mod block;
#[cfg(feature = "app")]
pub mod canvas;
pub mod curve;
pub mod gaps;
pub mod heat;
mod key;
mod labels;
mod marker;
pub mod parts;
mod pen;
mod pill;
pub mod plot;
mod probe;
pub mod reading;
mod relation;
pub mod scene;
#[cfg(test)]
mod snapshots;
pub mod style;
mod text;
pub mod theme;
pub mod view;
pub mod words;
