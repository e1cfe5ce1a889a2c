//! Whole panels and legends, compared with what they were when somebody last looked.

use super::legend::legend;
use super::panel::Panel;
use super::scale::ColorScale;
use super::sheet::Sheet;
use super::sheet::tests::sheet;
use super::texture::Texture;
use crate::chart::snapshots::check_scene;
use crate::chart::theme::Theme;
use crate::model::Placement;

fn scale(sheet: &Sheet) -> ColorScale {
    ColorScale::fit([sheet].into_iter(), true)
}

#[test]
fn a_panel_with_an_outline_and_a_probe() {
    let all: Vec<u32> = (6..=96).collect();
    let pre = sheet(Placement::Pre, 96, &all, |_, block| 1.2 / f64::from(block).sqrt());
    let panel = Panel::new(424.0, 1.0, 6..=96, 1);
    check_scene("atlas-panel", &panel.scene(&pre, &scale(&pre), 48, Some((80, 30)), &Theme::LIGHT));
}

#[test]
fn a_panel_with_contours_on_a_phone() {
    let olmo =
        sheet(Placement::Olmo2, 200, &[6, 103, 200], |depth, block| 0.3 * 1.06f64.powi(depth as i32 - block as i32));
    let mut counts = scale(&olmo);
    counts.range.high = 30.0;
    let panel = Panel::new(358.0, 3.0, 6..=200, 1);
    check_scene("atlas-contours", &panel.scene(&olmo, &counts, 24, None, &Theme::DARK));
}

#[test]
fn a_legend_with_textures() {
    let pre = sheet(Placement::Pre, 24, &[6, 24], |_, block| 1.2 / f64::from(block).powi(2));
    let mut scale = scale(&pre);
    scale.has_over = true;
    check_scene("atlas-legend", &legend(&scale, &Texture::ALL, 320.0, 1.0, &Theme::LIGHT).scene);
}

#[test]
fn labels_of_a_legend_stay_apart_and_within() {
    for low in [1e-9, 0.003, 1.0] {
        for span in [10.0, 30.0, 1e3, 1e4] {
            for width in [180.0, 320.0] {
                let range = crate::chart::axis::Range { low, high: low * span, log: true };
                let scale = ColorScale { range, has_under: true, has_over: true };
                for shape in legend(&scale, &Texture::ALL, width, 2.0, &Theme::LIGHT).scene.data {
                    let crate::chart::scene::Shape::Text { at, text, size, anchor, .. } = shape else { continue };
                    let wide = crate::chart::text::width(&text, size, false);
                    let left = match anchor {
                        crate::chart::scene::Anchor::Start => at.x,
                        crate::chart::scene::Anchor::Middle => at.x - wide / 2.0,
                        crate::chart::scene::Anchor::End => at.x - wide,
                    };
                    assert!(left >= -0.1 && left + wide <= width + 0.1, "{text} at {left} of {width}");
                }
            }
        }
    }
}
