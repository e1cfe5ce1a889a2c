//! A drawing as a list of shapes in CSS pixels. It knows no library: a canvas draws it, and a test reads it.

use super::theme::Color;

/// A place in CSS pixels, from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// A place.
#[must_use]
pub const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// At its last point.
    Butt,
    /// Half a width beyond it, round.
    Round,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A solid line; dashes have been split into lines of their own.
    Line {
        /// Its points.
        points: Vec<Point>,
        /// Its colour.
        color: Color,
        /// Its opacity.
        alpha: f64,
        /// Its width.
        width: f64,
        /// Its ends.
        cap: Cap,
    },
    /// A hairline that runs along the axes and is to fall on whole device pixels.
    Hair {
        /// One end.
        from: Point,
        /// The other end, on the same row or column.
        to: Point,
        /// Its colour.
        color: Color,
    },
    /// A filled polygon.
    Area {
        /// Its corners.
        points: Vec<Point>,
        /// Its colour.
        color: Color,
        /// Its opacity.
        alpha: f64,
    },
    /// A filled circle.
    Disc {
        /// Its middle.
        center: Point,
        /// Its radius.
        radius: f64,
        /// Its colour.
        color: Color,
        /// Its opacity.
        alpha: f64,
    },
    /// One line of text.
    Text {
        /// Where it stands: the anchor's end of its base line.
        at: Point,
        /// What it says.
        text: String,
        /// Height of the type.
        size: f64,
        /// Whether it is set in weight 600.
        strong: bool,
        /// Its colour.
        color: Color,
        /// Its opacity.
        alpha: f64,
        /// What part of it stands at the place.
        anchor: Anchor,
        /// A rim in this colour that keeps it readable over lines.
        halo: Option<Color>,
    },
}

impl Shape {
    /// A text without weight or rim.
    pub(super) const fn label(at: Point, text: String, size: f64, color: Color, anchor: Anchor) -> Self {
        Self::Text { at, text, size, strong: false, color, alpha: 1.0, anchor, halo: None }
    }
}

/// A chart, from the back to the front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Axes, ticks and hairlines.
    pub back: Vec<Shape>,
    /// Curves, rails and labels.
    pub data: Vec<Shape>,
    /// The probe.
    pub over: Vec<Shape>,
    /// The sentences above the plot, in full.
    pub notes: Vec<String>,
}

/// Splits a line into the strokes of a dash pattern; a solid line is one stroke.
#[must_use]
pub fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    if pattern.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut strokes = Vec::new();
    let mut stroke = vec![points[0]];
    let (mut index, mut left) = (0, pattern[0]);
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let length = (to.x - from.x).hypot(to.y - from.y);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let share = done / length;
            let at = point(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
            if index % 2 == 0 {
                stroke.push(at);
                strokes.push(std::mem::take(&mut stroke));
            } else {
                stroke = vec![at];
            }
            index = (index + 1) % pattern.len();
            left = pattern[index];
        }
        left -= length - done;
        if index % 2 == 0 {
            stroke.push(to);
        }
    }
    if stroke.len() > 1 {
        strokes.push(stroke);
    }
    strokes
}

/// A line in a dash pattern, as shapes.
pub(super) fn dashed(points: &[Point], pattern: &[f64], color: Color, alpha: f64, width: f64) -> Vec<Shape> {
    let cap = if pattern.is_empty() { Cap::Round } else { Cap::Butt };
    let strokes = dashes(points, pattern).into_iter();
    strokes.map(|points| Shape::Line { points, color, alpha, width, cap }).collect()
}

/// Slanted strokes that fill a rectangle: here numbers end.
pub(super) fn hatch(left: f64, top: f64, width: f64, height: f64, color: Color, alpha: f64) -> Vec<Shape> {
    const PITCH: f64 = 7.0;
    let line = |points: Vec<Point>, width: f64| Shape::Line { points, color, alpha, width, cap: Cap::Butt };
    let mut shapes = Vec::new();
    let mut start = left - height + PITCH / 2.0;
    while start < left + width {
        // The stroke rises to the right from (start, bottom) to (start + height, top), clipped to the rectangle.
        let from = start.max(left);
        let to = (start + height).min(left + width);
        if to > from {
            let y = |x: f64| top + height - (x - start);
            shapes.push(line(vec![point(from, y(from)), point(to, y(to))], 1.25));
        }
        start += PITCH;
    }
    let (right, bottom) = (left + width, top + height);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    shapes.push(line(corners.map(|(x, y)| point(x, y)).to_vec(), 1.0));
    shapes
}

#[cfg(test)]
mod tests {
    use super::{dashes, point};

    #[test]
    fn a_dash_pattern_is_split_at_its_lengths() {
        let line = [point(0.0, 0.0), point(10.0, 0.0)];
        let strokes = dashes(&line, &[4.0, 2.0]);
        let ends: Vec<_> = strokes.iter().map(|s| (s[0].x, s[s.len() - 1].x)).collect();
        assert_eq!(ends, [(0.0, 4.0), (6.0, 10.0)]);
    }

    #[test]
    fn a_dash_runs_round_a_corner() {
        let line = [point(0.0, 0.0), point(3.0, 0.0), point(3.0, 5.0)];
        let strokes = dashes(&line, &[4.0, 2.0]);
        assert_eq!(strokes[0], [point(0.0, 0.0), point(3.0, 0.0), point(3.0, 1.0)]);
        assert_eq!(strokes[1], [point(3.0, 3.0), point(3.0, 5.0)]);
    }

    #[test]
    fn strokes_and_gaps_add_up() {
        let line: Vec<_> = (0..50).map(|i| point(f64::from(i) * 7.3, f64::from(i * i % 13))).collect();
        let total: f64 = line.windows(2).map(|p| (p[1].x - p[0].x).hypot(p[1].y - p[0].y)).sum();
        let pattern = [10.0, 3.0, 2.0, 3.0];
        let drawn: f64 = dashes(&line, &pattern)
            .iter()
            .flat_map(|stroke| stroke.windows(2).map(|p| (p[1].x - p[0].x).hypot(p[1].y - p[0].y)).collect::<Vec<_>>())
            .sum();
        assert!((drawn / total - 12.0 / 18.0).abs() < 0.05, "{drawn} of {total}");
    }
}
