//! Whole charts, compared with what they were when somebody last looked: `snapshots/*.txt`.
//! `NORMSCOPE_BLESS=1 cargo test chart` writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::axis::{fit, frame};
use super::curve::{Curve, Loss, tests::curve};
use super::plot::{block_at, plot, plot_rectangle};
use super::scene::{Anchor, Point, Scene, Shape};
use super::theme::Theme;
use super::view::{Along, Theory, View};
use crate::model::Placement;
use crate::stats::Mark;

fn stream(placement: Placement, depth: u32) -> Curve {
    let growth = match placement {
        Placement::Post | Placement::DeepNorm => 0.0,
        Placement::Pre => 1.13,
        _ => 2.0,
    };
    let values: Vec<f64> = (0..=depth)
        .map(|block| match placement {
            Placement::None => 1.61_f64.powi(block as i32),
            _ => (1.0 + growth * f64::from(block)).sqrt(),
        })
        .collect();
    curve(placement, 0, &values)
}

fn view(curves: &[Curve], width: f64, height: f64, log: bool) -> View {
    let deepest = curves.iter().map(|curve| curve.depth).max().unwrap_or(24);
    let first = curves.first().map_or(0, |curve| curve.first);
    View::at_rest(width, height, Theme::LIGHT, first, frame(deepest), fit(curves, log))
}

fn describe(scene: &Scene) -> String {
    let mut out = format!("{} x {}\n", scene.width, scene.height);
    for note in &scene.notes {
        let _ = writeln!(out, "note {note}");
    }
    for (name, layer) in [("back", &scene.back), ("data", &scene.data), ("over", &scene.over)] {
        for shape in layer {
            let _ = writeln!(out, "{name} {}", line(shape));
        }
    }
    out
}

fn line(shape: &Shape) -> String {
    let at = |p: &Point| format!("({:.1} {:.1})", p.x, p.y);
    let ends = |points: &[Point]| match points {
        [] => String::new(),
        [one] => at(one),
        [first, .., last] => format!("{} points {} to {}", points.len(), at(first), at(last)),
    };
    match shape {
        Shape::Line { points, color, alpha, width, .. } => {
            format!("line {} {alpha} {width} px, {}", color.css(), ends(points))
        }
        Shape::Hair { from, to, color } => format!("hair {} {} to {}", color.css(), at(from), at(to)),
        Shape::Area { points, color, alpha } => format!("area {} {alpha}, {}", color.css(), ends(points)),
        Shape::Disc { center, radius, color, alpha } => {
            format!("disc {} {alpha} {} radius {radius:.2}", color.css(), at(center))
        }
        Shape::Text { at: place, text, size, strong, color, alpha, anchor, .. } => {
            let weight = if *strong { " strong" } else { "" };
            format!("text {} {alpha} {} {anchor:?} {size} px{weight}: {text}", color.css(), at(place))
        }
    }
}

fn check(name: &str, curves: &[Curve], view: &View) {
    check_scene(name, &plot(curves, view));
}

/// Compares a scene with what it was.
pub(super) fn check_scene(name: &str, scene: &Scene) {
    sound(scene);
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/chart/snapshots").join(format!("{name}.txt"));
    let now = describe(scene);
    if std::env::var_os("NORMSCOPE_BLESS").is_some() {
        std::fs::write(&file, now).unwrap();
        return;
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(before == now, "{name} is drawn otherwise than in {}:\n{now}", file.display());
}

/// What holds for every scene: finite places, and nothing outside of it.
fn sound(scene: &Scene) {
    for shape in scene.back.iter().chain(&scene.data).chain(&scene.over) {
        let places = match shape {
            Shape::Line { points, .. } | Shape::Area { points, .. } => points.clone(),
            Shape::Hair { from, to, .. } => vec![*from, *to],
            Shape::Disc { center, .. } => vec![*center],
            Shape::Text { at, .. } => vec![*at],
        };
        for place in places {
            assert!(place.x.is_finite() && place.y.is_finite(), "{shape:?}");
            assert!((-1.0..=scene.width + 1.0).contains(&place.x), "{shape:?}");
            assert!((-1.0..=scene.height + 1.0).contains(&place.y), "{shape:?}");
        }
    }
}

#[test]
fn two_lines() {
    let curves = [stream(Placement::Post, 24), stream(Placement::Pre, 24)];
    check("two-lines", &curves, &view(&curves, 512.0, 368.0, false));
}

#[test]
fn two_lines_on_a_phone_with_a_probe() {
    let curves = [stream(Placement::Post, 96), stream(Placement::Pre, 96)];
    let mut view = view(&curves, 358.0, 214.0, false);
    view.probe = Some(80);
    check("phone-probe", &curves, &view);
}

#[test]
fn a_line_that_leaves_the_axis_and_then_the_arithmetic() {
    let mut none = stream(Placement::None, 96);
    for block in 93..=96 {
        none.values[block] = f64::NAN;
        none.marks[block] = Some(Mark::NotANumber);
    }
    none.loss = Some(Loss { block: 93, by_scores: true });
    let curves = [stream(Placement::Post, 96), stream(Placement::Pre, 96), none];
    check("leaves", &curves, &view(&curves, 512.0, 368.0, false));
}

#[test]
fn what_is_not_resolved() {
    let values: Vec<f64> = (0..96).map(|block| 0.1 * 0.5_f64.powi(block)).collect();
    let mut post = curve(Placement::Post, 1, &values);
    for block in 28..96 {
        post.values[block] = 1e-9;
        post.marks[block] = Some(Mark::Unresolved);
    }
    let curves = [post, curve(Placement::Pre, 1, &[0.2; 96])];
    check("unresolved", &curves, &view(&curves, 512.0, 368.0, true));
}

#[test]
fn all_placements() {
    let curves: Vec<_> = Placement::ALL.iter().map(|placement| stream(*placement, 12)).collect();
    check("all", &curves, &view(&curves, 512.0, 368.0, true));
}

#[test]
fn no_label_is_cut() {
    for (width, height) in [(512.0, 368.0), (358.0, 214.0), (440.0, 330.0)] {
        for scale in [0.0243, 1.0, 3.7e-9, 2.4e8] {
            for count in 1..=7 {
                let curves: Vec<_> = Placement::ALL[..count]
                    .iter()
                    .map(|placement| curve(*placement, 1, &[scale, 1.3 * scale, 1.1 * scale]))
                    .collect();
                for shape in plot(&curves, &view(&curves, width, height, true)).data {
                    if let Shape::Text { at, text, size, anchor: Anchor::Start, .. } = shape {
                        let end = at.x + super::text::width(&text, size, true);
                        assert!(end <= width, "{text} ends at {end} of {width}");
                    }
                }
            }
        }
    }
}

#[test]
fn stale_curves_are_dimmed_and_compared_with_nobody() {
    let mut curves = [stream(Placement::Post, 24), stream(Placement::Pre, 20)];
    curves[1].fresh = false;
    check("stale", &curves, &view(&curves, 344.0, 330.0, false));
}

#[test]
fn seeds_have_a_band_and_theory_is_dashed() {
    let mut curves = [stream(Placement::Post, 24), stream(Placement::Pre, 24)];
    curves[1].band = curves[1].values.iter().map(|value| (0.9 * value, 1.2 * value)).collect();
    // Where a value is not known, neither is its band.
    curves[1].marks[12] = Some(crate::stats::Mark::Unresolved);
    let mut view = view(&curves, 512.0, 368.0, false);
    let sizes = (0..=24).map(|block| f64::from(1 + block).sqrt());
    view.theory = vec![
        Theory { placement: Placement::Pre, name: "mean field", depth: 24, first: 0, values: sizes.collect() },
        // Past the axis and unknown in places, it is drawn where it is not.
        Theory {
            placement: Placement::Post,
            name: "bound",
            depth: 24,
            first: 0,
            values: vec![0.5, f64::NAN, 1.0, 1e9],
        },
    ];
    view.probe = Some(16);
    check("seeds-and-theory", &curves, &view);
}

/// A model of half the depth that is kept beside two others.
fn with_kept() -> [Curve; 3] {
    let kept = Curve { name: "A".into(), is_kept: true, ..stream(Placement::Pre, 12) };
    [stream(Placement::Post, 24), stream(Placement::Pre, 24), kept]
}

#[test]
fn a_kept_model_is_thin_and_lettered() {
    let curves = with_kept();
    check("kept", &curves, &view(&curves, 512.0, 368.0, false));
}

#[test]
fn over_the_share_of_depth_all_models_end_together() {
    let curves = with_kept();
    let mut view = view(&curves, 512.0, 368.0, false);
    view.along = Along::Share;
    view.probe = Some(12);
    check("share", &curves, &view);
    let [left, _, right, _] = plot_rectangle(&curves, &view);
    assert_eq!(block_at(&curves, &view, right), Some(24));
    assert_eq!(block_at(&curves, &view, (left + right) / 2.0), Some(12));
    // Half way through a model of twelve blocks.
    assert_eq!(curves.each_ref().map(|curve| view.block_of(curve, 12, 24)), [12, 12, 6]);
}

#[test]
fn a_key_stands_where_no_curve_is() {
    let mut curves = [stream(Placement::Post, 24), stream(Placement::Pre, 24)];
    curves[1].band = curves[1].values.iter().map(|value| (0.9 * value, 1.2 * value)).collect();
    let mut view = view(&curves, 512.0, 368.0, false);
    view.has_key = true;
    let key = |curves: &[Curve], view: &View| {
        let scene = plot(curves, view);
        let at = |shape: &Shape| match shape {
            Shape::Text { at, text, .. } if text == "middle half of the seeds" => Some(*at),
            _ => None,
        };
        scene.data.iter().find_map(at)
    };
    let [left, top, _, bottom] = plot_rectangle(&curves, &view);
    let at = key(&curves, &view).expect("the upper left corner is free");
    assert!(at.x < left + 60.0 && at.y < top + 40.0, "{at:?}");
    // A curve through that corner sends it elsewhere, curves everywhere leave it out.
    let falling: Vec<f64> = (0..=24).map(|block| view.range.high * f64::from(24 - block) / 25.0).collect();
    let crossed = [curves[1].clone(), curve(Placement::Olmo2, 0, &falling)];
    let elsewhere = key(&crossed, &view).expect("another corner is free");
    assert!(elsewhere.y > bottom - 60.0, "{elsewhere:?}");
    let everywhere: Vec<Curve> = (0..24)
        .map(|level| curve(Placement::Olmo2, 0, &[f64::from(level) * view.range.high / 24.0; 25]))
        .chain([curves[1].clone()])
        .collect();
    assert_eq!(key(&everywhere, &view), None);
}

#[test]
fn nothing_leaves_the_plot_while_axes_are_on_their_way() {
    let curves = [stream(Placement::Post, 96), stream(Placement::Pre, 96), stream(Placement::None, 96)];
    for log in [false, true] {
        let mut view = view(&curves, 512.0, 368.0, log);
        for (frame, high) in [(12.0, 2.0), (40.0, 5.0), (150.0, 400.0)] {
            view.frame_now = frame;
            view.range_now.high = high;
            let scene = plot(&curves, &view);
            sound(&scene);
            let [_, _, right, _] = plot_rectangle(&curves, &view);
            for shape in &scene.data {
                if let Shape::Line { points, color, .. } = shape
                    && *color != view.theme.ink_3
                {
                    assert!(points.iter().all(|point| point.x <= right + 6.0), "{shape:?}");
                }
            }
        }
    }
}

#[test]
fn an_empty_chart_has_its_frame() {
    let mut view = view(&[], 512.0, 368.0, false);
    view.message = Some("Computing".into());
    check("empty", &[], &view);
}

#[test]
fn the_block_under_a_pointer() {
    let curves = [stream(Placement::Post, 24), stream(Placement::Pre, 24)];
    let view = view(&curves, 512.0, 368.0, false);
    let [left, _, right, _] = plot_rectangle(&curves, &view);
    assert_eq!(block_at(&curves, &view, left), Some(0));
    assert_eq!(block_at(&curves, &view, right), Some(24));
    assert_eq!(block_at(&curves, &view, (left + right) / 2.0 + 1.0), Some(12));
    assert_eq!(block_at(&curves, &view, right + 40.0), None);
}

#[test]
fn every_place_of_every_value_is_sound() {
    // Values from far above to far below, in every order, with every mark.
    let strange = [1e-300, 1.0, 1e300, 0.0, f64::INFINITY, f64::NAN, 2.0, 1e-12, 1e12];
    for start in 0..strange.len() {
        for step in 1..strange.len() {
            let values: Vec<f64> = (0..13).map(|i| strange[(start + i * step) % strange.len()]).collect();
            let curves = [curve(Placement::Olmo2, 1, &values), curve(Placement::Pre, 1, &[1.0; 13])];
            for log in [false, true] {
                let mut view = view(&curves, 344.0, 330.0, log);
                view.probe = Some(5);
                sound(&plot(&curves, &view));
            }
        }
    }
}
