//! The rule of a sublayer.

use std::fmt::Write as _;

use crate::model::{Placement, Skip};
use crate::text::chart as says;

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

#[cfg(test)]
mod tests {
    use super::equation;
    use crate::model::Placement;

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
}
