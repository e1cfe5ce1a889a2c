//! Dash and marker of a placement: the same in every chart, in the chips and in the key.

use crate::model::Placement;

/// The sign on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A filled circle.
    Disc,
    /// A filled square.
    Square,
    /// A triangle that points up.
    TriangleUp,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    TriangleDown,
    /// An open circle.
    Ring,
    /// Two strokes.
    Cross,
}

/// How a placement is drawn, colour apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Lengths of strokes and gaps in px; empty for a solid line.
    pub dash: &'static [f64],
    /// The sign at the quarters.
    pub marker: Marker,
}

/// The style of a placement.
#[must_use]
pub const fn style(placement: Placement) -> Style {
    match placement {
        Placement::Post => Style { dash: &[], marker: Marker::Disc },
        Placement::Pre => Style { dash: &[], marker: Marker::Square },
        Placement::Sandwich => Style { dash: &[14.0, 3.0], marker: Marker::TriangleUp },
        Placement::Olmo2 => Style { dash: &[10.0, 3.0, 2.0, 3.0], marker: Marker::Diamond },
        Placement::DeepNorm => Style { dash: &[18.0, 3.0, 3.0, 3.0], marker: Marker::TriangleDown },
        Placement::Peri => Style { dash: &[7.0, 3.0], marker: Marker::Ring },
        Placement::None => Style { dash: &[2.0, 3.0], marker: Marker::Cross },
    }
}
