//! A scene as words with tabs between, for a script that makes a file of it (`svg.js`). Without the probe.

use super::scene::{Anchor, Cap, Point, Scene, Shape};
use super::theme::Color;

/// The shapes from the back to the front, each a letter and what it needs: a line `L` its colour, opacity, width, cap and
/// points; a hairline `H` its colour and ends; an area `A` its colour, opacity and corners; a disc `D` its colour, opacity,
/// radius and middle; a text `T` its colour, opacity, size, weight, anchor, rim, words and place. Points end with `;`.
#[must_use]
pub fn to_words(scene: &Scene) -> String {
    let mut out = String::new();
    for shape in scene.back.iter().chain(&scene.data) {
        write_shape(&mut out, shape);
    }
    out
}

fn write_shape(out: &mut String, shape: &Shape) {
    let (letter, color, alpha, numbers, points): (_, _, _, &[f64], &[Point]) = match shape {
        Shape::Line { points, color, alpha, width, .. } => ("L", color, *alpha, &[*width], points),
        Shape::Hair { from, to, color } => ("H", color, 1.0, &[], &[*from, *to]),
        Shape::Area { points, color, alpha } => ("A", color, *alpha, &[], points),
        Shape::Disc { center, radius, color, alpha } => ("D", color, *alpha, &[*radius], &[*center]),
        Shape::Text { at, size, color, alpha, .. } => ("T", color, *alpha, &[*size], &[*at]),
    };
    word(out, letter);
    word(out, &color.css());
    number(out, alpha);
    numbers.iter().for_each(|value| number(out, *value));
    match shape {
        Shape::Line { cap, .. } => word(out, if *cap == Cap::Round { "round" } else { "butt" }),
        Shape::Text { text, strong, anchor, halo, .. } => {
            word(out, if *strong { "600" } else { "400" });
            word(
                out,
                match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                },
            );
            word(out, &halo.map_or_else(String::new, Color::css));
            word(out, text);
        }
        Shape::Hair { .. } | Shape::Area { .. } | Shape::Disc { .. } => {}
    }
    for Point { x, y } in points {
        number(out, *x);
        number(out, *y);
    }
    word(out, ";");
}

fn word(out: &mut String, word: &str) {
    *out += word;
    out.push('\t');
}

fn number(out: &mut String, value: f64) {
    word(out, &format!("{value:.2}"));
}

#[cfg(test)]
mod tests {
    use super::to_words;
    use crate::chart::scene::{Anchor, Cap, Scene, Shape, point};
    use crate::chart::theme::Theme;

    #[test]
    fn every_shape_has_its_words() {
        let color = Theme::LIGHT.ink;
        let points = vec![point(0.0, 1.0), point(2.5, 3.0)];
        let data = vec![
            Shape::Line { points: points.clone(), color, alpha: 0.5, width: 2.25, cap: Cap::Round },
            Shape::Area { points, color, alpha: 1.0 },
            Shape::Disc { center: point(1.0, 2.0), radius: 3.0, color, alpha: 1.0 },
            Shape::Text {
                at: point(4.0, 5.0),
                text: "a < b".into(),
                size: 12.0,
                strong: true,
                color,
                alpha: 1.0,
                anchor: Anchor::End,
                halo: Some(Theme::LIGHT.background),
            },
        ];
        let back = vec![Shape::Hair { from: point(0.0, 9.0), to: point(8.0, 9.0), color }];
        let words = to_words(&Scene { width: 100.0, height: 50.0, back, data, ..Scene::default() });
        let (ink, paper) = (color.css(), Theme::LIGHT.background.css());
        let expected = [
            format!("H {ink} 1.00 0.00 9.00 8.00 9.00 ; L {ink} 0.50 2.25 round 0.00 1.00 2.50 3.00 ;"),
            format!("A {ink} 1.00 0.00 1.00 2.50 3.00 ; D {ink} 1.00 3.00 1.00 2.00 ;"),
            format!("T {ink} 1.00 12.00 600 end {paper} a_<_b 4.00 5.00 ;"),
        ];
        assert_eq!(words.replace(' ', "_").replace('\t', " ").trim_end(), expected.join(" "));
    }
}
