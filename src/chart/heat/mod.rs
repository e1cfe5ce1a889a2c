//! The atlas as pictures: down the depth of a model, across its blocks, the value as a colour.
//!
//! | part | what |
//! |---|---|
//! | [`sheet`] | what one placement's panel shows |
//! | [`scale`] | the range of colours that all panels share |
//! | [`ramp`] | the colours |
//! | [`texture`] | the signs of what is no value |
//! | [`raster`] | the cells in the device's pixels |
//! | [`panel`] | axes, outline and probe about them, and what lies under a pointer |
//! | [`legend`] | the scale, and the textures that occur |
//! | [`saying`] | a panel in words |

pub mod legend;
pub mod panel;
pub mod ramp;
pub mod raster;
pub mod saying;
pub mod scale;
pub mod sheet;
#[cfg(test)]
mod snapshots;
pub mod texture;

pub use panel::Panel;
pub use raster::Raster;
pub use sheet::Sheet;
