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
    /// Two strokes, upright.
    Plus,
    /// An open square.
    OpenSquare,
    /// An open triangle that points up.
    OpenTriangleUp,
    /// An open triangle that points down.
    OpenTriangleDown,
    /// An open square on its corner.
    OpenDiamond,
    /// A filled hexagon.
    Hexagon,
}

impl Marker {
    /// The filled shape that an open one is the outline of.
    #[must_use]
    pub const fn outline_of(self) -> Option<Self> {
        match self {
            Self::OpenSquare => Some(Self::Square),
            Self::OpenTriangleUp => Some(Self::TriangleUp),
            Self::OpenTriangleDown => Some(Self::TriangleDown),
            Self::OpenDiamond => Some(Self::Diamond),
            _ => None,
        }
    }
}

/// How a placement is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// The placement whose colours it has; those that came later share them, with another dash and marker.
    pub hue: Placement,
    /// Lengths of strokes and gaps in px; empty for a solid line.
    pub dash: &'static [f64],
    /// The sign at the quarters.
    pub marker: Marker,
}

/// The style of a placement.
#[must_use]
pub const fn style(placement: Placement) -> Style {
    const fn new(hue: Placement, dash: &'static [f64], marker: Marker) -> Style {
        Style { hue, dash, marker }
    }
    match placement {
        Placement::Post => new(Placement::Post, &[], Marker::Disc),
        Placement::Pre => new(Placement::Pre, &[], Marker::Square),
        Placement::Sandwich => new(Placement::Sandwich, &[14.0, 3.0], Marker::TriangleUp),
        Placement::Olmo2 => new(Placement::Olmo2, &[10.0, 3.0, 2.0, 3.0], Marker::Diamond),
        Placement::DeepNorm => new(Placement::DeepNorm, &[18.0, 3.0, 3.0, 3.0], Marker::TriangleDown),
        Placement::Peri => new(Placement::Peri, &[7.0, 3.0], Marker::Ring),
        Placement::None => new(Placement::None, &[2.0, 3.0], Marker::Cross),
        Placement::Residual => new(Placement::Olmo2, &[5.0, 2.0], Marker::OpenDiamond),
        Placement::B2t => new(Placement::Post, &[9.0, 2.0, 2.0, 2.0, 2.0, 2.0], Marker::OpenTriangleUp),
        Placement::Admin => new(Placement::DeepNorm, &[6.0, 2.0, 2.0, 2.0], Marker::OpenTriangleDown),
        Placement::Lns => new(Placement::Pre, &[12.0, 4.0], Marker::OpenSquare),
        Placement::MixLn => new(Placement::Peri, &[16.0, 3.0, 6.0, 3.0], Marker::Plus),
        Placement::Keel => new(Placement::Sandwich, &[4.0, 3.0], Marker::Hexagon),
    }
}
