//! A placement as glyph, diagram, equation and line sample: SVG and MathML written from its recipe.

use std::fmt::Write as _;

use crate::model::{Placement, Recipe, Skip, SublayerKind};
use crate::text::chart as says;

use super::marker;
use super::parts::{Part, Role, parts};
use super::scene::point;
use super::style::{Marker, Style, style};

/// One sublayer, small: the stream below, the branch above; a lit bar is a norm.
#[must_use]
pub fn glyph(placement: Placement) -> String {
    let recipe = placement.recipe();
    let (width, y, t, a, b) = (64.0, 22.0, 8.0, 9.0, 46.0);
    let bar = |x: f64, y: f64| {
        format!(r#"<rect class="bar" x="{}" y="{}" width="5" height="13" rx="1.5"/>"#, x - 2.5, y - 6.5)
    };
    let mut out = format!(
        r#"<path class="wire" d="M1 {y}H{}M{a} {y}V{}q0-5 5-5H{}q5 0 5 5V{y}"/>"#,
        width - 1.0,
        t + 5.0,
        b - 5.0
    );
    if recipe.skip != Skip::Identity {
        let _ = write!(out, r#"<path class="wire thick" d="M{a} {y}H{b}"/>"#);
    }
    let middle = (a + b) / 2.0;
    let _ = write!(
        out,
        r#"<rect class="box" x="{}" y="{}" width="12" height="12" rx="2"/><circle class="dot" cx="{b}" cy="{y}" r="2.5"/>"#,
        middle - 6.0,
        t - 6.0
    );
    if recipe.input_norm {
        out += &bar(middle - 13.0, t);
    }
    if recipe.branch_norm {
        out += &bar(middle + 13.0, t);
    }
    if recipe.sum_norm {
        out += &bar(b + 9.0, y);
    }
    if recipe.embedding_norm {
        out += &bar(3.5, y);
    }
    format!(r#"<svg class="glyph" width="64" height="30" viewBox="0 0 64 30" aria-hidden="true">{out}</svg>"#)
}

/// One block, its sublayers from left to right, norms lit, the chosen one of its [`parts`] marked; `low` takes less
/// height.
#[must_use]
pub fn diagram(placement: Placement, kinds: &[SublayerKind], low: bool, chosen: Option<usize>) -> String {
    let recipe = placement.recipe();
    let all = parts(placement, kinds);
    let part = |role: Role, sublayer: usize, drawn: &str| {
        let index = all.iter().position(|part| *part == Part { role, sublayer });
        let class = if index.is_some() && index == chosen { " class=\"chosen\"" } else { "" };
        format!(r#"<g data-part="{}"{class}>{drawn}</g>"#, index.unwrap_or_default())
    };
    // Three take the room of two.
    let width = 330.0 + 157.0 * (kinds.len() - 2) as f64;
    let (height, y, t) = if low { (60.0, 42.0, 16.0) } else { (76.0, 56.0, 18.0) };
    let (start, pitch) = if recipe.embedding_norm { (14.0, 150.0) } else { (0.0, 157.0) };
    let lit = |x: f64, y: f64| {
        format!(
            concat!(
                r#"<rect class="halo" x="{}" y="{}" width="24" height="34" rx="7"/>"#,
                r#"<rect class="bar" x="{}" y="{}" width="16" height="26" rx="3"/>"#,
                r#"<text class="norm" x="{}" y="{}">N</text>"#
            ),
            x - 12.0,
            y - 17.0,
            x - 8.0,
            y - 13.0,
            x,
            y + 4.5
        )
    };
    let mut out = format!(
        r#"<path class="wire" d="M4 {y}H{}"/><path class="dot" d="M{} {}l8 4.5l-8 4.5z"/>"#,
        width - 8.0,
        width - 9.0,
        y - 4.5
    );
    if recipe.embedding_norm {
        out += &part(Role::EmbeddingNorm, 0, &lit(12.0, y));
    }
    for (index, kind) in kinds.iter().enumerate() {
        let s = start + index as f64 * pitch;
        let _ = write!(
            out,
            r#"<path class="wire" d="M{a} {y}V{}q0-8 8-8H{}q8 0 8 8V{}"/><circle class="dot" cx="{a}" cy="{y}" r="2.5"/>"#,
            t + 8.0,
            s + 116.0,
            y - 8.0,
            a = s + 14.0
        );
        let name = match kind {
            SublayerKind::Attention => says::part_attention(),
            SublayerKind::CrossAttention => says::part_cross(),
            SublayerKind::FeedForward => "FFN",
        };
        let function = format!(
            r#"<rect class="box" x="{}" y="{}" width="46" height="26" rx="4"/><text class="part" x="{}" y="{}">{name}</text>"#,
            s + 47.0,
            t - 13.0,
            s + 70.0,
            t + 4.5
        );
        out += &part(Role::Function(*kind), index, &function);
        let sum = format!(
            r#"<circle class="plus" cx="{x}" cy="{y}" r="8"/><path class="wire" d="M{} {y}h8M{x} {}v8"/>"#,
            s + 120.0,
            y - 4.0,
            x = s + 124.0
        );
        out += &part(Role::Sum, index, &sum);
        let norms = [
            (recipe.input_norm, Role::InputNorm, 32.0, t),
            (recipe.branch_norm, Role::BranchNorm, 108.0, t),
            (recipe.sum_norm, Role::SumNorm, 146.0, y),
        ];
        for (_, role, x, y) in norms.into_iter().filter(|(taken, ..)| *taken) {
            out += &part(role, index, &lit(s + x, y));
        }
        let factor = match recipe.skip {
            Skip::Identity if recipe.input_damped => "÷ √l",
            Skip::Identity => "",
            Skip::DeepNorm | Skip::Keel => "× α",
            Skip::Admin => "× ω",
        };
        // A factor on the stream stands under it, one on what is read before the branch.
        let at = if recipe.input_damped { s + 36.0 } else { s + 70.0 };
        if !factor.is_empty() {
            let _ = write!(out, r#"<text class="part factor" x="{at}" y="{}">{factor}</text>"#, y + 16.0);
        }
    }
    out += &beside(&recipe, (start, pitch), kinds.len(), y, width);
    format!(
        r#"<svg class="diagram" width="330" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{}">{out}</svg>"#,
        in_words(&recipe)
    )
}

/// What runs beside the stream, under it, and what else there is to say of a block.
fn beside(recipe: &Recipe, (start, pitch): (f64, f64), sublayers: usize, y: f64, width: f64) -> String {
    let below = y + 14.0;
    let mut out = String::new();
    if recipe.adds_block_input {
        let last = start + (sublayers - 1) as f64 * pitch + 124.0;
        let _ = write!(
            out,
            r#"<path class="wire" d="M{} {y}V{}q0 6 6 6H{}q6 0 6-6V{}"/>"#,
            start + 6.0,
            below - 6.0,
            last - 6.0,
            y + 8.0
        );
    }
    if recipe.dual_stream {
        let _ = write!(out, r#"<path class="wire" d="M4 {below}H{}"/>"#, width - 8.0);
        for sublayer in 0..sublayers {
            let x = start + sublayer as f64 * pitch + 124.0;
            let _ = write!(out, r#"<circle class="dot" cx="{x}" cy="{below}" r="2.5"/>"#);
        }
        let _ = write!(out, r#"<text class="part factor" x="12" y="{}">z</text>"#, below - 3.0);
    }
    if recipe.begins_as_post {
        let _ = write!(
            out,
            r#"<text class="part factor" x="{}" y="{}">{}</text>"#,
            width / 2.0,
            y + 16.0,
            says::first_quarter(Placement::Post.recipe().label)
        );
    }
    out
}

/// The diagram in words.
fn in_words(recipe: &Recipe) -> String {
    let places = [
        (recipe.embedding_norm, says::norm_on_embedding()),
        (recipe.input_norm, says::norm_on_input()),
        (recipe.branch_norm, says::norm_on_branch()),
        (recipe.sum_norm, says::norm_on_sum()),
    ];
    let taken = places.into_iter().filter(|(taken, _)| *taken).map(|(_, place)| place.to_owned());
    let norms = taken.reduce(says::both).map_or_else(|| says::no_norm().to_owned(), says::norms);
    let more = [
        (recipe.skip == Skip::Admin, says::skip_omega()),
        (matches!(recipe.skip, Skip::DeepNorm | Skip::Keel), says::skip_alpha()),
        (recipe.input_damped, says::input_damped()),
        (recipe.adds_block_input, says::adds_block_input()),
        (recipe.dual_stream, says::dual_stream()),
        (recipe.begins_as_post, says::begins_as_post()),
    ];
    let more = more.into_iter().filter(|(has, _)| *has).map(|(_, clause)| clause);
    more.fold(says::diagram(recipe.label, norms), says::diagram_with)
}

/// The sublayer's rule in MathML, norms lit.
#[must_use]
pub fn equation(placement: Placement) -> String {
    const SPACE: &str = r#"<mspace width=".16em" height=".82em" depth=".16em"></mspace>"#;
    const OPEN: &str = r#"<mo stretchy="false">(</mo>"#;
    const CLOSE: &str = r#"<mo stretchy="false">)</mo>"#;
    let recipe = placement.recipe();
    let normed = |taken: bool, inner: String| {
        if taken {
            let norm = format!(r#"<mrow class="lit">{SPACE}<mi mathvariant="normal">N</mi>{SPACE}</mrow>"#);
            format!("{norm}{OPEN}{inner}{CLOSE}")
        } else {
            inner
        }
    };
    let mut input = normed(recipe.input_norm, "<mi>x</mi>".into());
    if recipe.input_damped {
        input += "<mo>/</mo><msqrt><mi>l</mi></msqrt>";
    }
    let branch = normed(recipe.branch_norm, format!("<mi>f</mi>{OPEN}{input}{CLOSE}"));
    let skip = match recipe.skip {
        Skip::Identity => "<mi>x</mi>",
        Skip::DeepNorm | Skip::Keel => "<mi>α</mi><mi>x</mi>",
        Skip::Admin => "<msub><mi>ω</mi><mi>k</mi></msub><mi>x</mi>",
    };
    let block = if recipe.adds_block_input { "<mo>+</mo><mi>b</mi>" } else { "" };
    let sum = normed(recipe.sum_norm, format!("{skip}{block}<mo>+</mo>{branch}"));
    let line = |of: &str, becomes: &str| {
        format!(r#"<math display="inline"><mrow><mi>{of}</mi><mo>←</mo>{becomes}</mrow></math>"#)
    };
    let mut out = line("x", &sum);
    if recipe.dual_stream {
        let _ = write!(out, "<br>{}", line("z", &format!("<mi>z</mi><mo>+</mo>{branch}")));
    }
    if recipe.begins_as_post {
        let _ = write!(out, "<br><small>{}</small>", says::in_first_quarter(Placement::Post.recipe().label));
    }
    if recipe.adds_block_input {
        let _ = write!(out, "<br><small>{}</small>", says::block_input());
    }
    out
}

/// The line of a placement with its marker, as the switch shows it; hollow when it is off.
#[must_use]
pub fn sample(placement: Placement, on: bool) -> String {
    let line = if on { line(placement, "M1 8H29") } else { String::new() };
    let sign = sign(placement, 15.0, 8.0, if on { "sign" } else { "sign off" });
    format!(
        r#"<svg class="sample" width="30" height="16" viewBox="0 0 30 16" preserveAspectRatio="xMidYMid slice" aria-hidden="true">{line}{sign}</svg>"#
    )
}

/// A path in the colour and the dash of a placement.
#[must_use]
pub fn line(placement: Placement, path: &str) -> String {
    let Style { hue, dash, .. } = style(placement);
    let hue = hue.key();
    let lengths: Vec<_> = dash.iter().map(f64::to_string).collect();
    let dash = if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{}""#, lengths.join(" ")) };
    format!(r#"<path class="line {hue}"{dash} d="{path}"/>"#)
}

fn sign(placement: Placement, x: f64, y: f64, class: &str) -> String {
    const R: f64 = 4.5;
    let key = style(placement).hue.key();
    match style(placement).marker {
        Marker::Disc => format!(r#"<circle class="{class} {key}" cx="{x}" cy="{y}" r="{R}"/>"#),
        Marker::Ring => format!(r#"<circle class="{class} open {key}" cx="{x}" cy="{y}" r="{}"/>"#, R * 0.85),
        cross @ (Marker::Cross | Marker::Plus) => {
            let a = if cross == Marker::Cross { R * 0.8 } else { R };
            let stroke = |(dx, dy): (f64, f64)| format!("M{} {}L{} {}", x - dx * a, y - dy * a, x + dx * a, y + dy * a);
            format!(r#"<path class="{class} open {key}" d="{}"/>"#, marker::arms(cross).map(stroke).concat())
        }
        sign => {
            let corners = marker::corners(sign, point(x, y), R);
            let list: Vec<_> = corners.iter().map(|p| format!("{:.2} {:.2}", p.x, p.y)).collect();
            let open = if sign.outline_of().is_some() { " open" } else { "" };
            format!(r#"<path class="{class}{open} {key}" d="M{}z"/>"#, list.join("L"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{diagram, equation, glyph, in_words, sample};
    use crate::chart::parts::parts;
    use crate::model::{Placement, SublayerKind};

    /// The equation without its tags.
    fn plain(placement: Placement) -> String {
        let text = equation(placement);
        let mut out = String::new();
        let mut inside = false;
        for character in text.chars() {
            match character {
                '<' => inside = true,
                '>' => inside = false,
                c if !inside => out.push(c),
                _ => {}
            }
        }
        out
    }

    #[test]
    fn equations_are_those_of_the_model() {
        let expected = [
            (Placement::Post, "x←N(x+f(x))"),
            (Placement::Pre, "x←x+f(N(x))"),
            (Placement::Sandwich, "x←x+N(f(N(x)))"),
            (Placement::Olmo2, "x←x+N(f(x))"),
            (Placement::DeepNorm, "x←N(αx+f(x))"),
            (Placement::Peri, "x←x+N(f(N(x)))"),
            (Placement::None, "x←x+f(x)"),
            (Placement::Residual, "x←N(x+f(x))z←z+f(x)"),
            (Placement::B2t, "x←N(x+b+f(x))b enters the block; last sublayer"),
            (Placement::Admin, "x←N(ωkx+f(x))"),
            (Placement::Lns, "x←x+f(N(x)/l)"),
            (Placement::MixLn, "x←x+f(N(x))Post-LN in the first quarter"),
            (Placement::Keel, "x←N(αx+f(N(x)))"),
        ];
        for (placement, equation) in expected {
            assert_eq!(plain(placement), equation);
        }
    }

    #[test]
    fn a_lit_bar_stands_for_each_norm() {
        let bars = |text: String| text.matches(r#"class="bar""#).count();
        for placement in Placement::ALL {
            let recipe = placement.recipe();
            let norms = [recipe.input_norm, recipe.branch_norm, recipe.sum_norm];
            let a_sublayer = norms.into_iter().filter(|taken| *taken).count();
            assert_eq!(bars(glyph(*placement)), a_sublayer + usize::from(recipe.embedding_norm));
            let kinds = [SublayerKind::Attention, SublayerKind::CrossAttention, SublayerKind::FeedForward];
            for kinds in [&[kinds[0], kinds[2]][..], &kinds] {
                let drawn = diagram(*placement, kinds, false, Some(1));
                assert_eq!(bars(drawn.clone()), kinds.len() * a_sublayer + usize::from(recipe.embedding_norm));
                // Each part once, by its number, and one of them marked.
                for index in 0..parts(*placement, kinds).len() {
                    assert_eq!(drawn.matches(&format!(r#"data-part="{index}""#)).count(), 1, "{placement:?} {index}");
                }
                assert_eq!(drawn.matches(r#"<g data-part="1" class="chosen">"#).count(), 1);
            }
        }
    }

    #[test]
    fn signs_differ() {
        let mut signs: Vec<_> = Placement::ALL.iter().map(|placement| sample(*placement, false)).collect();
        signs.sort();
        signs.dedup();
        assert_eq!(signs.len(), Placement::ALL.len());
    }

    #[test]
    fn a_diagram_is_told_in_words() {
        assert_eq!(
            in_words(&Placement::DeepNorm.recipe()),
            "One DeepNorm block: norms on the sum; the stream is multiplied by alpha"
        );
        assert_eq!(in_words(&Placement::None.recipe()), "One No norm block: no norm");
    }
}
