//! One block as a drawing of its data's way and of a gradient's way back.

use std::fmt::Write as _;

use crate::chart::parts::{Part, Role, parts};
use crate::model::{Placement, Recipe, Skip, SublayerKind};
use crate::text::chart as says;

/// What stands for a gradient's way back in the drawings, and for a norm that it cannot go around.
pub const KEY_BACK: &str = r#"<svg width="28" height="12" viewBox="0 0 28 12" aria-hidden="true"><path class="back" d="M28 6H2"/><path class="head" d="M1 6l5-3v6z"/></svg>"#;
/// See [`KEY_BACK`].
pub const KEY_RING: &str = r#"<svg width="14" height="18" viewBox="0 0 24 32" aria-hidden="true"><g class="ring"><rect class="halo" x="1" y="1" width="22" height="30" rx="7"/></g></svg>"#;

/// How far the gradient's way is drawn beside that of the data.
const BESIDE: f64 = 5.0;

/// Whether a gradient can go around the norm on the sum of a sublayer.
const fn goes_around(recipe: &Recipe, sublayer: usize, sublayers: usize) -> bool {
    recipe.dual_stream || recipe.adds_block_input && sublayer + 1 < sublayers
}

/// Where the norms of a sublayer may stand, from left to right: whether one does, which one, its distance from the
/// sublayer's beginning, and whether it is on the branch.
const fn places(recipe: &Recipe) -> [(bool, Role, f64, bool); 3] {
    [
        (recipe.input_norm, Role::InputNorm, 32.0, true),
        (recipe.branch_norm, Role::BranchNorm, 108.0, true),
        (recipe.sum_norm, Role::SumNorm, 146.0, false),
    ]
}

/// The class of a norm that comes from where one stood in the placement drawn before, by the way it has to go; of one
/// that stays it is none.
fn coming(before: Option<Placement>, role: Role, index: usize, x: f64) -> String {
    let Some(before) = before else { return String::new() };
    let mut from = None;
    let mut count = 0;
    for (taken, old, place, _) in places(&before.recipe()) {
        if taken && old == role {
            return String::new();
        }
        if taken && count <= index {
            from = Some(place);
        }
        count += usize::from(taken);
    }
    from.map_or_else(String::new, |place| format!("from{}", place - x))
}

/// One block, its sublayers from left to right, norms lit, the chosen one of its [`parts`] marked; `low` takes less
/// height. Dashed, how a gradient comes back, and a ring of dashes around a norm that it cannot go around. With the
/// placement that was drawn `before` in its stead the norms have a class each for the way they come.
#[must_use]
pub fn diagram(
    placement: Placement,
    kinds: &[SublayerKind],
    low: bool,
    chosen: Option<usize>,
    before: Option<Placement>,
) -> String {
    let recipe = placement.recipe();
    let all = parts(placement, kinds);
    let part = |role: Role, sublayer: usize, drawn: &str| {
        let index = all.iter().position(|part| *part == Part { role, sublayer });
        let class = if index.is_some() && index == chosen { " class=\"chosen\"" } else { "" };
        format!(r#"<g data-part="{}"{class}>{drawn}</g>"#, index.unwrap_or_default())
    };
    let class = if low { "diagram low" } else { "diagram" };
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
        r#"<path class="back" d="M{} {}H4"/><path class="wire" d="M4 {y}H{}"/><path class="dot" d="M{} {}l8 4.5l-8 4.5z"/>"#,
        width - 12.0,
        y - BESIDE,
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
        let _ = write!(
            out,
            r#"<path class="back" d="M{} {back}V{}q0-4-4-4H{}q-4 0-4 4V{back}"/><path class="head" d="M{} {}h6l-3 5zM{} {back}l5-3v6z"/>"#,
            s + 124.0 - BESIDE,
            t + 4.0 + BESIDE,
            s + 18.0 + BESIDE,
            s + 11.0 + BESIDE,
            (t + y) / 2.0,
            s + 66.0,
            back = y - BESIDE
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
        let mut at = 0;
        for (taken, role, x, is_above) in places(&recipe) {
            if !taken {
                continue;
            }
            let ring = if !is_above && !goes_around(&recipe, index, kinds.len()) { "ring" } else { "" };
            let norm = lit(s + x, if is_above { t } else { y });
            let norm = format!(r#"<g class="{ring} {}">{norm}</g>"#, coming(before, role, at, x));
            out += &part(role, index, &norm);
            at += 1;
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
        r#"<svg class="{class}" width="330" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{}">{out}</svg>"#,
        in_words(&recipe)
    )
}

/// The way of a gradient along what runs beside the stream.
fn way_back(left: f64, right: f64, y: f64) -> String {
    format!(r#"<path class="back" d="M{right} {y}H{left}"/><path class="head" d="M{left} {y}l5-3v6z"/>"#)
}

/// What runs beside the stream, under it, and what else there is to say of a block.
fn beside(recipe: &Recipe, (start, pitch): (f64, f64), sublayers: usize, y: f64, width: f64) -> String {
    let below = y + 14.0;
    let mut out = String::new();
    if recipe.adds_block_input {
        let last = start + (sublayers - 1) as f64 * pitch + 124.0;
        let _ = write!(
            out,
            r#"<path class="wire" d="M{} {y}V{}q0 6 6 6H{}q6 0 6-6V{}"/>{}"#,
            start + 6.0,
            below - 6.0,
            last - 6.0,
            y + 8.0,
            way_back(start + 9.0, last - 4.0, below + 4.0)
        );
    }
    if recipe.dual_stream {
        let _ = write!(
            out,
            r#"<path class="wire" d="M4 {below}H{}"/>{}"#,
            width - 8.0,
            way_back(4.0, width - 12.0, below + 4.0)
        );
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
        (recipe.sum_norm && !recipe.dual_stream && !recipe.adds_block_input, says::way_through()),
        (recipe.sum_norm && recipe.adds_block_input, says::way_through_last()),
        (!recipe.sum_norm || recipe.dual_stream, says::way_past()),
    ];
    let more = more.into_iter().filter(|(has, _)| *has).map(|(_, clause)| clause);
    more.fold(says::diagram(recipe.label, norms), says::diagram_with)
}

#[cfg(test)]
mod tests {
    use super::{diagram, in_words};
    use crate::chart::block::glyph;
    use crate::chart::parts::parts;
    use crate::model::{Placement, SublayerKind};

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
                let drawn = diagram(*placement, kinds, false, Some(1), None);
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
    fn a_gradient_goes_around_what_the_recipe_lets_it() {
        let kinds = [SublayerKind::Attention, SublayerKind::CrossAttention, SublayerKind::FeedForward];
        let expected = [
            (Placement::Post, 3),
            (Placement::Pre, 0),
            (Placement::Peri, 0),
            (Placement::DeepNorm, 3),
            (Placement::B2t, 1),
            (Placement::Residual, 0),
            (Placement::Keel, 3),
        ];
        for (placement, rings) in expected {
            let drawn = diagram(placement, &kinds, false, None, None);
            assert_eq!(drawn.matches(r#"class="ring "#).count(), rings, "{placement:?}");
            assert!(drawn.matches(r#"class="back""#).count() > kinds.len());
        }
    }

    #[test]
    fn norms_come_from_where_those_of_the_placement_before_stood() {
        let kinds = [SublayerKind::Attention, SublayerKind::FeedForward];
        let ways = |before, now| {
            let drawn = diagram(now, &kinds, false, None, Some(before));
            ["from76", "from-76", "from114", "from-114", "from38", "from-38"]
                .map(|way| drawn.matches(&format!(" {way}\"")).count())
        };
        assert_eq!(ways(Placement::Post, Placement::Pre), [0, 0, 2, 0, 0, 0]);
        assert_eq!(ways(Placement::Pre, Placement::Post), [0, 0, 0, 2, 0, 0]);
        assert_eq!(ways(Placement::Post, Placement::Sandwich), [0, 0, 2, 0, 2, 0]);
        // The one that both have stays, and the other comes out of it.
        assert_eq!(ways(Placement::Pre, Placement::Sandwich), [0, 2, 0, 0, 0, 0]);
        assert_eq!(ways(Placement::Olmo2, Placement::Post), [0, 0, 0, 0, 0, 2]);
        assert_eq!(ways(Placement::None, Placement::Post), [0; 6]);
        assert_eq!(ways(Placement::DeepNorm, Placement::Post), [0; 6]);
    }

    #[test]
    fn a_diagram_is_told_in_words() {
        assert_eq!(
            in_words(&Placement::DeepNorm.recipe()),
            "One DeepNorm block: norms on the sum; the stream is multiplied by alpha; \
             a gradient comes back through every norm on a sum"
        );
        assert_eq!(
            in_words(&Placement::None.recipe()),
            "One No norm block: no norm; a gradient comes back past all norms of the block"
        );
        assert!(in_words(&Placement::B2t.recipe()).ends_with("through the norm on the last sum alone"));
        assert!(in_words(&Placement::Residual.recipe()).ends_with("past all norms of the block"));
    }
}
