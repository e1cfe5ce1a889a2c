//! The scale of colours with its ticks, and the textures that occur.

use super::ramp::Ramp;
use super::raster::Raster;
use super::scale::ColorScale;
use super::texture::Texture;
use crate::chart::scene::{Anchor, Scene, Shape, point};
use crate::chart::text;
use crate::chart::theme::Theme;
use crate::text::number;

/// Height of the bar, and of all down to the labels of its ticks.
const BAR: f64 = 12.0;
const WITH_TICKS: f64 = 36.0;
/// From one line of textures to the next, and the size of a swatch.
const PITCH: f64 = 20.0;
const SWATCH: (f64, f64) = (18.0, 12.0);
const GAP: f64 = 14.0;
const NOTE: f64 = 12.0;

/// A legend: colours and textures as pixels, and what is drawn about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Legend {
    /// Frame, ticks and words.
    pub scene: Scene,
    /// Colours and textures.
    pub raster: Raster,
}

/// The legend of a scale.
#[must_use]
pub fn legend(scale: &ColorScale, textures: &[Texture], width: f64, ratio: f64, theme: &Theme) -> Legend {
    let pixels = |size: f64| (size * ratio).round() as u32;
    let places = places(textures, width);
    let lines = places.last().map_or(0, |(line, _)| line + 1);
    let height = WITH_TICKS + PITCH * f64::from(lines);
    let mut raster = Raster::new(pixels(width), pixels(height));
    raster.bar(0..pixels(width), 0..pixels(BAR), &Ramp::of(theme));
    let mut scene = Scene { width, height, ..Scene::default() };
    let mut word = |x: f64, y: f64, text: String, anchor| {
        let at = point(x, y);
        let (color, size) = (theme.ink_2, NOTE);
        scene.data.push(Shape::Text { at, text, size, strong: false, color, alpha: 1.0, anchor, halo: None });
    };
    for (x, label, anchor) in labels(scale, width) {
        word(x, BAR + 20.0, label, anchor);
    }
    for (texture, (line, x)) in textures.iter().zip(&places) {
        let top = WITH_TICKS + PITCH * f64::from(*line) + 4.0;
        raster.swatch(pixels(*x)..pixels(x + SWATCH.0), pixels(top)..pixels(top + SWATCH.1), *texture, ratio, theme);
        word(x + SWATCH.0 + 6.0, top + 10.5, texture.name().into(), Anchor::Start);
        let (right, bottom) = (x + SWATCH.0, top + SWATCH.1);
        let corners = [(*x, top), (right, top), (right, bottom), (*x, bottom), (*x, top)];
        let hair = |pair: &[(f64, f64)]| Shape::Hair {
            from: point(pair[0].0, pair[0].1),
            to: point(pair[1].0, pair[1].1),
            color: theme.rule_strong,
        };
        scene.back.extend(corners.windows(2).map(hair));
    }
    let stroke = |value: f64, length: f64| {
        let x = (width * scale.range.share(value)).clamp(0.5, width - 0.5);
        Shape::Hair { from: point(x, BAR), to: point(x, BAR + length), color: theme.ink_3 }
    };
    scene.back.extend(scale.range.minor_ticks().into_iter().map(|value| stroke(value, 3.0)));
    let [low, high] = [scale.range.low, scale.range.high];
    let labelled = scale.range.ticks().into_iter().map(|tick| tick.value).chain([low, high]);
    scene.back.extend(labelled.map(|value| stroke(value, 6.0)));
    Legend { scene, raster }
}

/// The labels of the bar: its ends, and the ticks between for which there is room.
fn labels(scale: &ColorScale, width: f64) -> Vec<(f64, String, Anchor)> {
    const APART: f64 = 10.0;
    let beyond = |is: bool, sign: &str, value: f64| {
        if is { format!("{sign}{}{}", number::THIN, number::tick(value)) } else { number::tick(value) }
    };
    let low = beyond(scale.has_under, "≤", scale.range.low);
    let high = beyond(scale.has_over, "≥", scale.range.high);
    let wide = |label: &str| text::width(label, NOTE, false);
    let (mut from, to) = (wide(&low) + APART, width - wide(&high) - APART);
    let mut labels = vec![(0.0, low, Anchor::Start)];
    for tick in scale.range.ticks() {
        let (x, half) = (width * scale.range.share(tick.value), wide(&tick.label) / 2.0);
        if x - half >= from && x + half <= to {
            from = x + half + APART;
            labels.push((x, tick.label, Anchor::Middle));
        }
    }
    labels.push((width, high, Anchor::End));
    labels
}

/// Line and left end of each texture.
fn places(textures: &[Texture], width: f64) -> Vec<(u32, f64)> {
    let (mut line, mut x) = (0, 0.0);
    let mut place = |texture: &Texture| {
        let wide = SWATCH.0 + 6.0 + text::width(texture.name(), NOTE, false);
        if x > 0.0 && x + wide > width {
            (line, x) = (line + 1, 0.0);
        }
        let at = (line, x);
        x += wide + GAP;
        at
    };
    textures.iter().map(&mut place).collect()
}
