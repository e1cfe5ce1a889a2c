//! A scene as SVG: the same shapes, in a file that prints at any size. Without the probe.

use std::fmt::Write as _;

use super::scene::{Anchor, Cap, Point, Scene, Shape};

/// Fonts that are on most systems, widest first: a file has none of its own.
const FONTS: &str = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// The scene as an `svg` element that can stand alone or in another.
#[must_use]
pub fn to_svg(scene: &Scene) -> String {
    let (width, height) = (scene.width, scene.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" stroke-linejoin=\"round\">"
    );
    for shape in scene.back.iter().chain(&scene.data) {
        write_shape(&mut out, shape);
    }
    out += "</svg>";
    out
}

fn write_shape(out: &mut String, shape: &Shape) {
    // Writing to a string does not fail.
    let _ = match shape {
        Shape::Line { points, color, alpha, width, cap } => {
            let cap = if *cap == Cap::Round { "round" } else { "butt" };
            let (points, color) = (places(points), color.css());
            write!(
                out,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\"{alpha:.3}\" \
                 stroke-width=\"{width}\" stroke-linecap=\"{cap}\"/>"
            )
        }
        Shape::Hair { from, to, color } => {
            let (points, color) = (places(&[*from, *to]), color.css());
            write!(out, "<polyline points=\"{points}\" stroke=\"{color}\" shape-rendering=\"crispEdges\"/>")
        }
        Shape::Area { points, color, alpha } => {
            let (points, color) = (places(points), color.css());
            write!(out, "<polygon points=\"{points}\" fill=\"{color}\" fill-opacity=\"{alpha:.3}\"/>")
        }
        Shape::Disc { center: Point { x, y }, radius, color, alpha } => {
            let color = color.css();
            write!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{color}\" fill-opacity=\"{alpha:.3}\"/>"
            )
        }
        Shape::Text { at: Point { x, y }, text, size, strong, color, alpha, anchor, halo } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let weight = if *strong { " font-weight=\"600\"" } else { "" };
            let halo = halo.map_or_else(String::new, |halo| {
                format!(" stroke=\"{}\" stroke-width=\"3\" paint-order=\"stroke\"", halo.css())
            });
            let (color, text) = (color.css(), escaped(text));
            write!(
                out,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\"{weight} fill=\"{color}\" \
                 fill-opacity=\"{alpha:.3}\" text-anchor=\"{anchor}\"{halo}>{text}</text>"
            )
        }
    };
}

fn places(points: &[Point]) -> String {
    points.iter().map(|Point { x, y }| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::to_svg;
    use crate::chart::scene::{Anchor, Cap, Scene, Shape, point};
    use crate::chart::theme::Theme;

    #[test]
    fn every_shape_is_written_and_text_is_escaped() {
        let color = Theme::LIGHT.ink;
        let points = vec![point(0.0, 1.0), point(2.5, 3.0)];
        let data = vec![
            Shape::Line { points: points.clone(), color, alpha: 0.5, width: 2.25, cap: Cap::Round },
            Shape::Area { points, color, alpha: 1.0 },
            Shape::Disc { center: point(1.0, 2.0), radius: 3.0, color, alpha: 1.0 },
            Shape::Text {
                at: point(4.0, 5.0),
                text: "a < b & c".into(),
                size: 12.0,
                strong: true,
                color,
                alpha: 1.0,
                anchor: Anchor::End,
                halo: Some(Theme::LIGHT.background),
            },
        ];
        let back = vec![Shape::Hair { from: point(0.0, 9.0), to: point(8.0, 9.0), color }];
        let svg = to_svg(&Scene { width: 100.0, height: 50.0, back, data, ..Scene::default() });
        for part in [
            "width=\"100\" height=\"50\"",
            "<polyline points=\"0.00,9.00 8.00,9.00\" stroke=\"#",
            "stroke-opacity=\"0.500\" stroke-width=\"2.25\" stroke-linecap=\"round\"",
            "<polygon points=\"0.00,1.00 2.50,3.00\"",
            "<circle cx=\"1.00\" cy=\"2.00\" r=\"3.00\"",
            "text-anchor=\"end\" stroke=\"#",
            ">a &lt; b &amp; c</text></svg>",
        ] {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
    }
}
