//! A label in a pill of ink on an axis.

use super::scene::{Anchor, Shape, point};
use super::text;
use super::theme::Theme;

/// Height of a pill.
pub(super) const HEIGHT: f64 = 20.0;

/// The left and the right end of a pill about `middle`, moved where it would leave `0..width`.
pub(super) fn ends(words: &str, middle: f64, width: f64) -> [f64; 2] {
    let half = (text::width(words, 12.0, true) / 2.0 + 8.0).round();
    let middle = middle.clamp(half, (width - half).max(half));
    [middle - half, middle + half]
}

/// Draws a pill about `middle`, moved where it would leave `0..width`.
pub(super) fn pill(out: &mut Vec<Shape>, words: String, middle: f64, top: f64, width: f64, theme: &Theme) {
    const RADIUS: f64 = 4.0;
    let [left, right] = ends(&words, middle, width);
    let (middle, bottom) = (left.midpoint(right), top + HEIGHT);
    let corner = |cx: f64, cy: f64, from: f64| {
        (0..=4).map(move |step| {
            let angle = (from + f64::from(step) * 22.5).to_radians();
            point(cx + RADIUS * angle.cos(), cy + RADIUS * angle.sin())
        })
    };
    let mut points = Vec::new();
    points.extend(corner(right - RADIUS, top + RADIUS, -90.0));
    points.extend(corner(right - RADIUS, bottom - RADIUS, 0.0));
    points.extend(corner(left + RADIUS, bottom - RADIUS, 90.0));
    points.extend(corner(left + RADIUS, top + RADIUS, 180.0));
    out.push(Shape::Area { points, color: theme.ink, alpha: 1.0 });
    out.push(Shape::Text {
        at: point(middle, top + 14.5),
        text: words,
        size: 12.0,
        strong: true,
        color: theme.background,
        alpha: 1.0,
        anchor: Anchor::Middle,
        halo: None,
    });
}
