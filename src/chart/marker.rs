//! Markers as shapes.

use std::f64::consts::SQRT_2;

use super::scene::{Cap, Point, Shape, point};
use super::style::Marker;
use super::theme::Color;

/// Width of the rim of paper round a marker.
const HALO: f64 = 1.5;

/// Corners of a marker of radius `r`, for those that have some.
pub(super) fn corners(marker: Marker, at: Point, r: f64) -> Vec<Point> {
    let from = |list: &[(f64, f64)]| list.iter().map(|(x, y)| point(at.x + x * r, at.y + y * r)).collect();
    match marker {
        Marker::Square => from(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::TriangleUp => from(&[(0.0, -1.15), (1.15, 0.85), (-1.15, 0.85)]),
        Marker::TriangleDown => from(&[(0.0, 1.15), (1.15, -0.85), (-1.15, -0.85)]),
        Marker::Diamond => from(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        Marker::Hexagon => from(&[(-0.55, -1.0), (0.55, -1.0), (1.1, 0.0), (0.55, 1.0), (-0.55, 1.0), (-1.1, 0.0)]),
        Marker::OpenSquare | Marker::OpenTriangleUp | Marker::OpenTriangleDown | Marker::OpenDiamond => {
            marker.outline_of().map_or(Vec::new(), |filled| corners(filled, at, 0.85 * r))
        }
        Marker::Disc | Marker::Ring | Marker::Cross | Marker::Plus => Vec::new(),
    }
}

/// Directions of the two strokes of a cross or a plus.
pub(super) const fn arms(marker: Marker) -> [(f64, f64); 2] {
    match marker {
        Marker::Plus => [(1.0, 0.0), (0.0, 1.0)],
        _ => [(1.0, 1.0), (-1.0, 1.0)],
    }
}

/// A marker with its rim of paper.
pub(super) fn shapes(marker: Marker, at: Point, r: f64, color: Color, paper: Color, alpha: f64) -> Vec<Shape> {
    let disc = |radius, color, alpha| Shape::Disc { center: at, radius, color, alpha };
    match marker {
        Marker::Disc => vec![disc(r + HALO / 2.0, paper, 1.0), disc(r - HALO / 2.0, color, alpha)],
        Marker::Ring => {
            vec![disc(r + 0.75, paper, 1.0), disc(r * 0.85 + 0.6, color, alpha), disc(r * 0.85 - 1.2, paper, 1.0)]
        }
        Marker::Cross | Marker::Plus => {
            let arm = if marker == Marker::Cross { r * 0.8 } else { r * 1.1 };
            let stroke = |(x, y): (f64, f64)| Shape::Line {
                points: vec![point(at.x - x * arm, at.y - y * arm), point(at.x + x * arm, at.y + y * arm)],
                color,
                alpha,
                width: 2.0,
                cap: Cap::Butt,
            };
            let [a, b] = arms(marker);
            vec![disc(r * SQRT_2 * 0.75, paper, 1.0), stroke(a), stroke(b)]
        }
        _ if marker.outline_of().is_some() => {
            let points = corners(marker, at, r);
            let mut rim = points.clone();
            rim.push(points[0]);
            let line = |color, alpha, width| Shape::Line { points: rim.clone(), color, alpha, width, cap: Cap::Round };
            vec![
                line(paper, 1.0, 2.0 + HALO),
                Shape::Area { points, color: paper, alpha: 1.0 },
                line(color, alpha, 1.8),
            ]
        }
        _ => {
            let points = corners(marker, at, r);
            let mut rim = points.clone();
            rim.push(points[0]);
            vec![
                Shape::Area { points: points.clone(), color: paper, alpha: 1.0 },
                Shape::Area { points, color, alpha },
                Shape::Line { points: rim, color: paper, alpha: 1.0, width: HALO, cap: Cap::Round },
            ]
        }
    }
}
