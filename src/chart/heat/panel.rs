//! One placement's panel: where its cells lie, axes, outline and probe.

use std::ops::RangeInclusive;

use super::raster::smoothed;
use super::scale::ColorScale;
use super::sheet::{Sheet, texture_of};
use crate::chart::axis::block_ticks;
use crate::chart::pill::{self, HEIGHT, pill};
use crate::chart::scene::{Anchor, Cap, Point, Scene, Shape, point};
use crate::chart::text;
use crate::chart::theme::{Color, Theme};
use crate::stats::Mark;
use crate::text::{chart as says, number};

/// Room for the depths at the left, the word above them and the blocks below.
const LEFT: f64 = 42.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 28.0;
/// About how high the cells are together: a share of their width, within bounds.
const STEEPNESS: f64 = 0.62;
const HEIGHTS: [f64; 2] = [190.0, 400.0];
/// Labels of depths stand at least this far apart.
const LABEL_PITCH: f64 = 15.0;
/// Type of axes.
const NOTE: f64 = 12.0;
/// A pointer this far off the end of a row is still on it.
const NEAR: f64 = 16.0;
/// Room for the label of a contour.
const CONTOUR_LABEL: f64 = 34.0;

/// Where the cells of a panel lie, in CSS pixels that are whole pixels of the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Width of the panel.
    pub width: f64,
    /// Height of the panel.
    pub height: f64,
    /// The cells' first pixel of the device, to the right and down.
    pub origin: [u32; 2],
    /// The cells' size in pixels of the device.
    pub pixels: [u32; 2],
    left: f64,
    top: f64,
    plot_width: f64,
    plot_height: f64,
    depths: RangeInclusive<u32>,
    first: u32,
}

impl Panel {
    /// A panel of a width for depths and blocks from `first` on, on a device with so many pixels in a CSS pixel. Every
    /// depth has the same whole number of pixels, so that none stands out.
    #[must_use]
    pub fn new(width: f64, ratio: f64, depths: RangeInclusive<u32>, first: u32) -> Self {
        let rows = depths.end() + 1 - depths.start();
        let height = (STEEPNESS * (width - LEFT)).clamp(HEIGHTS[0], HEIGHTS[1]);
        let pixels_a_row = (height * ratio / f64::from(rows)).round().max(1.0) as u32;
        let origin = [LEFT, TOP].map(|at| (at * ratio).round() as u32);
        let wide = ((width - LEFT - 1.0).max(1.0) * ratio).floor() as u32;
        let pixels = [wide, pixels_a_row * rows];
        let [left, top, plot_width, plot_height] =
            [origin[0], origin[1], pixels[0], pixels[1]].map(|pixels| f64::from(pixels) / ratio);
        let height = (top + plot_height + BOTTOM).ceil();
        Self { width, height, origin, pixels, left, top, plot_width, plot_height, depths, first }
    }

    fn columns(&self) -> f64 {
        f64::from(self.depths.end() + 1 - self.first)
    }

    fn rows(&self) -> f64 {
        f64::from(self.depths.end() + 1 - self.depths.start())
    }

    /// The left edge of a block.
    fn x(&self, block: f64) -> f64 {
        self.left + self.plot_width * (block - f64::from(self.first)) / self.columns()
    }

    /// The upper edge of a depth.
    fn y(&self, depth: f64) -> f64 {
        self.top + self.plot_height * (depth - f64::from(*self.depths.start())) / self.rows()
    }

    fn bottom(&self) -> f64 {
        self.top + self.plot_height
    }

    /// Depth and block under a place, if there is a row.
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> Option<(u32, u32)> {
        if y < self.top - NEAR / 2.0 || y > self.bottom() + NEAR / 2.0 || x < self.left - NEAR {
            return None;
        }
        let place = |share: f64, count: f64| (share * count).floor().clamp(0.0, count - 1.0) as u32;
        let depth = self.depths.start() + place((y - self.top) / self.plot_height, self.rows());
        if x > self.x(f64::from(depth + 1)) + NEAR {
            return None;
        }
        let block = self.first + place((x - self.left) / self.plot_width, self.columns());
        Some((depth, block.min(depth)))
    }

    /// The panel about its cells: axes behind, edge, labels of contours and the outline of a depth before them, and a
    /// probe over all.
    #[must_use]
    pub fn scene(
        &self,
        sheet: &Sheet,
        scale: &ColorScale,
        current: u32,
        probe: Option<(u32, u32)>,
        theme: &Theme,
    ) -> Scene {
        let mut scene = Scene { width: self.width, height: self.height, ..Scene::default() };
        let probe = probe.filter(|(depth, block)| self.depths.contains(depth) && block <= depth);
        let probe = probe.map(|(depth, block)| (depth, block.max(self.first)));
        self.axes(&mut scene.back, current, probe, theme);
        self.edge(&mut scene.data, theme);
        self.contour_labels(&mut scene.data, sheet, scale, theme);
        if self.depths.contains(&current) {
            self.outline(&mut scene.data, current, theme);
        }
        if let Some((depth, block)) = probe {
            self.probe(&mut scene.over, depth, block, theme);
        }
        scene
    }

    /// Ticks of both axes. Under the pills of a probe there are none.
    fn axes(&self, out: &mut Vec<Shape>, current: u32, probe: Option<(u32, u32)>, theme: &Theme) {
        let deepest = *self.depths.end();
        let is_narrow = self.width < 300.0;
        let label = |at: Point, text: String, anchor, is_current: bool| Shape::Text {
            at,
            text,
            size: NOTE,
            strong: is_current,
            color: if is_current { theme.ink } else { theme.ink_2 },
            alpha: 1.0,
            anchor,
            halo: None,
        };
        out.push(label(point(self.left - 8.0, self.top - 10.0), says::depth_axis().into(), Anchor::End, false));
        let middle = |depth: u32| self.y(f64::from(depth) + 0.5);
        let ticks = block_ticks(deepest, *self.depths.start(), true);
        let is_current_shown = self.depths.contains(&current);
        let is_clear = |depth: u32, of: u32, pitch: f64| (middle(depth) - middle(of)).abs() >= pitch;
        let is_free = |depth: u32| probe.is_none_or(|(of, _)| is_clear(depth, of, HEIGHT - 3.0));
        for depth in ticks {
            if is_free(depth) && (!is_current_shown || is_clear(depth, current, LABEL_PITCH)) {
                out.push(label(point(self.left - 8.0, middle(depth) + 4.0), depth.to_string(), Anchor::End, false));
            }
        }
        if is_current_shown && is_free(current) {
            out.push(label(point(self.left - 8.0, middle(current) + 4.0), current.to_string(), Anchor::End, true));
        }
        for block in block_ticks(deepest, self.first, !is_narrow) {
            let x = self.x(f64::from(block) + 0.5);
            let (from, to) = (point(x, self.bottom() + 1.0), point(x, self.bottom() + 5.0));
            out.push(Shape::Hair { from, to, color: theme.rule_strong });
            let (text, anchor, x) = if block == self.first {
                (says::block(block), Anchor::Start, self.left)
            } else if block == deepest {
                (block.to_string(), Anchor::End, self.left + self.plot_width)
            } else {
                (block.to_string(), Anchor::Middle, x)
            };
            let wide = text::width(&text, NOTE, false);
            let from = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - wide / 2.0,
                Anchor::End => x - wide,
            };
            let is_under = |(_, of): (u32, u32)| {
                let [left, right] = pill::ends(&says::block(of), self.x(f64::from(of) + 0.5), self.width);
                from < right + 4.0 && from + wide > left - 4.0
            };
            if !probe.is_some_and(is_under) {
                out.push(label(point(x, self.bottom() + 20.0), text, anchor, false));
            }
        }
    }

    /// The line where models end: a step a depth.
    fn edge(&self, out: &mut Vec<Shape>, theme: &Theme) {
        let mut points = vec![point(self.left, self.top)];
        for depth in self.depths.clone() {
            let x = self.x(f64::from(depth) + 1.0);
            points.push(point(x, self.y(f64::from(depth))));
            points.push(point(x, self.y(f64::from(depth) + 1.0)));
        }
        points.push(point(self.left, self.bottom()));
        points.push(point(self.left, self.top));
        out.push(Shape::Line { points, color: theme.rule_strong, alpha: 1.0, width: 1.0, cap: Cap::Butt });
    }

    /// Powers of ten at the contours that the deepest model crosses.
    fn contour_labels(&self, out: &mut Vec<Shape>, sheet: &Sheet, scale: &ColorScale, theme: &Theme) {
        let Some(row) = sheet.row(*self.depths.end()) else { return };
        let log = scale.range.log;
        let contour =
            |(value, mark): (&f64, &Option<Mark>)| texture_of(*mark, log).is_none().then(|| scale.contour(*value));
        let contours = smoothed(&row.values.iter().zip(&row.marks).map(contour).collect::<Vec<_>>());
        let mut free = self.left + CONTOUR_LABEL;
        for index in 1..contours.len() {
            let (Some(before), Some(after)) = (contours[index - 1], contours[index]) else { continue };
            let x = self.x(f64::from(self.first) + index as f64);
            // The last power of ten that is passed on the way out.
            let outer = if before.abs() > after.abs() { before } else { after };
            if before == after || x < free {
                continue;
            }
            free = x + CONTOUR_LABEL;
            out.push(Shape::Text {
                at: point(x - 4.0, self.bottom() - 6.0),
                text: format!("10{}", number::superscript(scale.exponent(outer))),
                size: NOTE,
                strong: true,
                color: if outer > 0 { theme.background } else { theme.ink },
                alpha: 1.0,
                anchor: Anchor::End,
                halo: None,
            });
        }
    }

    /// A frame about the row of a depth.
    fn outline(&self, out: &mut Vec<Shape>, depth: u32, theme: &Theme) {
        const GAP: f64 = 1.0;
        let (left, right) = (self.left - GAP, self.x(f64::from(depth) + 1.0) + GAP);
        let (top, bottom) = (self.y(f64::from(depth)) - GAP, self.y(f64::from(depth) + 1.0) + GAP);
        out.extend(framed(left, right, top, bottom, theme));
    }

    /// A ring about a cell, and its depth and block on the axes.
    fn probe(&self, out: &mut Vec<Shape>, depth: u32, block: u32, theme: &Theme) {
        const LEAST: f64 = 9.0;
        let (x, y) = (self.x(f64::from(block) + 0.5), self.y(f64::from(depth) + 0.5));
        let half = |size: f64| (size / 2.0 + 1.0).max(LEAST / 2.0);
        let (across, down) = (half(self.plot_width / self.columns()), half(self.plot_height / self.rows()));
        for (color, alpha, width) in [(theme.background, 0.75, 3.0), (theme.ink, 1.0, 1.0)] {
            let line = |points: Vec<Point>| Shape::Line { points, color, alpha, width, cap: Cap::Butt };
            out.push(line(vec![point(self.left, y), point(x - across, y)]));
            out.push(line(vec![point(x, y + down), point(x, self.bottom())]));
        }
        out.extend(framed(x - across, x + across, y - down, y + down, theme));
        let words = depth.to_string();
        let middle = self.left - 7.0 - text::width(&words, NOTE, true) / 2.0;
        pill(out, words, middle, y - HEIGHT / 2.0, self.width, theme);
        pill(out, says::block(block), x, self.bottom() + 6.0, self.width, theme);
    }
}

/// A frame of ink with a rim of paper outside, to be seen on any colour. What is within stays to be seen.
fn framed(left: f64, right: f64, top: f64, bottom: f64, theme: &Theme) -> [Shape; 2] {
    const INK: f64 = 2.0;
    const RIM: f64 = 1.5;
    let line = |out: f64, color: Color, width: f64| {
        let (left, right, top, bottom) = (left - out, right + out, top - out, bottom + out);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
        let points = corners.map(|(x, y)| point(x, y)).to_vec();
        Shape::Line { points, color, alpha: 1.0, width, cap: Cap::Butt }
    };
    [line(INK.midpoint(RIM), theme.background, RIM), line(0.0, theme.ink, INK)]
}

#[cfg(test)]
mod tests {
    use super::Panel;

    #[test]
    fn every_depth_has_as_many_whole_pixels() {
        for ratio in [1.0, 1.25, 1.5, 2.0, 3.0] {
            for deepest in [12, 60, 200] {
                let panel = Panel::new(424.0, ratio, 6..=deepest, 1);
                assert_eq!(panel.pixels[1] % (deepest - 5), 0, "{deepest} at {ratio}");
                assert!((190.0..380.0).contains(&panel.height), "{panel:?}");
                assert!(f64::from(panel.origin[0] + panel.pixels[0]) <= (424.0 * ratio).round(), "{panel:?}");
            }
        }
    }

    #[test]
    fn a_place_is_found_where_it_is_drawn() {
        for (first, ratio) in [(0, 1.0), (1, 1.5), (1, 2.0)] {
            let panel = Panel::new(424.0, ratio, 6..=200, first);
            for depth in [6, 7, 54, 199, 200] {
                for block in [first, depth / 2, depth] {
                    let (x, y) = (panel.x(f64::from(block) + 0.5), panel.y(f64::from(depth) + 0.5));
                    assert_eq!(panel.at(x, y), Some((depth, block)), "{depth}, {block} at {ratio}");
                }
            }
            let beside = panel.x(101.0) + 8.0;
            assert_eq!(panel.at(beside, panel.y(100.5)), Some((100, 100)), "just past the last block");
            assert_eq!(panel.at(beside + 20.0, panel.y(100.5)), None);
            assert_eq!(panel.at(panel.left + 5.0, panel.bottom() + 20.0), None);
        }
    }
}
