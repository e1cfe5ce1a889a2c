//! Where the norms stand. A placement is described once, as a [`Recipe`]; both engines, theory, the block diagram and
//! the written equation read it.

use super::config::{Attention, QkNorm, named_enum};
use super::{Config, Sublayer};

named_enum! {
    /// Where the norms of a block stand.
    Placement {
        /// `x <- N(x + f(x))` (Vaswani et al. 2017).
        Post = "post",
        /// `x <- x + f(N(x))` (Xiong et al. 2020).
        Pre = "pre",
        /// `x <- x + N(f(N(x)))` (CogView: Ding et al. 2021, §2.4).
        Sandwich = "sandwich",
        /// `x <- x + N(f(x))` (OLMo 2: 2025, §3.3.2).
        Olmo2 = "olmo2",
        /// `x <- N(alpha x + f(x))`, weights times beta (DeepNet: Wang et al. 2022, §4).
        DeepNorm = "deepnorm",
        /// `x <- x + N(f(N(x)))` on a normalised embedding (Kim et al. 2025).
        Peri = "peri",
        /// `x <- x + f(x)`.
        None = "none",
        /// `x <- N(x + f(x))` beside `z <- z + f(x)`; the output is `x + N(z)` (ResiDual: Xie et al. 2023).
        Residual = "residual",
        /// Post-LN whose last sublayer of a block adds the block's input (Takase et al. 2022).
        B2t = "b2t",
        /// `x <- N(omega_k x + f(x))`, omega profiled (Admin: Liu et al. 2020).
        Admin = "admin",
        /// `x <- x + f(N(x) / sqrt(l))` in block l (Sun et al. 2025).
        Lns = "lns",
        /// Post-LN for the first quarter of the blocks, Pre-LN after (Li et al. 2024).
        MixLn = "mixln",
        /// `x <- N(alpha x + f(N(x)))` (Keel: Chen & Wei 2026, eq. 8).
        Keel = "keel",
    }
}

/// The factor on the stream where a sublayer's output is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// 1.
    Identity,
    /// `alpha = (2L)^(1/4)` (DeepNet: Wang et al. 2022, §4.3, encoder only and decoder only).
    DeepNorm,
    /// `omega_k = sqrt(1 + sum_{j<k} Var f_j)`, from a forward pass of the same configuration with Post-LN.
    Admin,
    /// `alpha = S L`; 1 in the first two sublayers, of which the first has no norm on its sum (Keel, §3.1).
    Keel,
}

/// What a placement is: which of the places of a norm are taken, and its constants.
///
/// A sublayer maps the stream to `N_sum(skip * x + N_branch(f(gain * N_input(x))))`, where a norm that is not taken is
/// the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The name as the field writes it.
    pub label: &'static str,
    /// A norm on the embedding, before state 0.
    pub embedding_norm: bool,
    /// A norm on what the sublayer reads.
    pub input_norm: bool,
    /// Whether what that norm gives is divided by the root of the block's number, counted from 1.
    pub input_damped: bool,
    /// A norm on what the sublayer returns, before it is added.
    pub branch_norm: bool,
    /// A norm on the sum.
    pub sum_norm: bool,
    /// The factor on the stream.
    pub skip: Skip,
    /// Whether the last sublayer of a block also adds what entered the block.
    pub adds_block_input: bool,
    /// Whether a second stream `z`, without norms, gathers what the sublayers return, and its norm is added at the end.
    pub dual_stream: bool,
    /// Whether the first quarter of the blocks are built as Post-LN.
    pub begins_as_post: bool,
    /// Whether `beta = (8L)^(-1/4)` multiplies the std of W_V, W_O, W_1, W_2, W_g, C_V and C_O.
    pub scales_init: bool,
    /// Whether `final_norm=auto` means on.
    pub final_norm: bool,
}

impl Placement {
    /// The description every other part reads.
    #[must_use]
    pub const fn recipe(self) -> Recipe {
        const BARE: Recipe = Recipe {
            label: "No norm",
            embedding_norm: false,
            input_norm: false,
            input_damped: false,
            branch_norm: false,
            sum_norm: false,
            skip: Skip::Identity,
            adds_block_input: false,
            dual_stream: false,
            begins_as_post: false,
            scales_init: false,
            final_norm: true,
        };
        const POST: Recipe = Recipe { label: "Post-LN", sum_norm: true, final_norm: false, ..BARE };
        const PRE: Recipe = Recipe { label: "Pre-LN", input_norm: true, ..BARE };
        match self {
            Self::Post => POST,
            Self::Pre => PRE,
            Self::Sandwich => Recipe { label: "Sandwich-LN", branch_norm: true, ..PRE },
            Self::Olmo2 => Recipe { label: "OLMo 2", branch_norm: true, ..BARE },
            Self::DeepNorm => Recipe { label: "DeepNorm", skip: Skip::DeepNorm, scales_init: true, ..POST },
            Self::Peri => Recipe { label: "Peri-LN", embedding_norm: true, branch_norm: true, ..PRE },
            Self::None => BARE,
            Self::Residual => Recipe { label: "ResiDual", dual_stream: true, ..POST },
            Self::B2t => Recipe { label: "B2T", adds_block_input: true, ..POST },
            Self::Admin => Recipe { label: "Admin", skip: Skip::Admin, ..POST },
            Self::Lns => Recipe { label: "LNS", input_damped: true, ..PRE },
            Self::MixLn => Recipe { label: "Mix-LN", begins_as_post: true, ..PRE },
            Self::Keel => Recipe { label: "Keel", input_norm: true, skip: Skip::Keel, ..POST },
        }
    }
}

impl Config {
    /// Every sublayer in the order of the forward pass, `S * L` of them. Where [`Self::profiled`] is something, the
    /// factors on the stream are still 1; [`Self::sublayers_after`] has them.
    #[must_use]
    pub fn sublayers(&self) -> Vec<Sublayer> {
        let recipe = self.placement.recipe();
        let depth = f64::from(self.depth);
        let kinds = self.sublayer_kinds();
        let total = kinds.len() * self.depth as usize;
        let post_blocks = if recipe.begins_as_post { (depth / 4.0).round_ties_even() as usize } else { 0 };
        let sublayer = |index: usize| {
            let block = index / kinds.len();
            let recipe = if block < post_blocks { Placement::Post.recipe() } else { recipe };
            let is_last = index % kinds.len() == kinds.len() - 1;
            Sublayer {
                block,
                kind: kinds[index % kinds.len()],
                input_norm: recipe.input_norm,
                input_gain: if recipe.input_damped { (block as f64 + 1.0).sqrt().recip() } else { 1.0 },
                branch_norm: recipe.branch_norm,
                sum_norm: recipe.sum_norm && !(recipe.skip == Skip::Keel && index == 0),
                skip: match recipe.skip {
                    Skip::Identity | Skip::Admin => 1.0,
                    Skip::DeepNorm => (2.0 * depth).powf(0.25),
                    Skip::Keel => {
                        if index < 2 {
                            1.0
                        } else {
                            total as f64
                        }
                    }
                },
                adds_block_input: recipe.adds_block_input && is_last,
                feeds_dual: recipe.dual_stream,
            }
        };
        (0..total).map(sublayer).collect()
    }

    /// The run whose branch variances [`Self::sublayers_after`] asks for, if the placement needs one (Admin: Liu et al.
    /// 2020, §4.3).
    #[must_use]
    pub fn profiled(&self) -> Option<Self> {
        let needed = self.placement.recipe().skip == Skip::Admin;
        needed.then(|| Self { placement: Placement::Post, ..self.clone() })
    }

    /// The sublayers, given the population variance of what each one returns in the run [`Self::profiled`] names.
    #[must_use]
    pub fn sublayers_after(&self, branch_variances: &[f64]) -> Vec<Sublayer> {
        let mut sublayers = self.sublayers();
        if self.placement.recipe().skip == Skip::Admin {
            let mut before = 1.0;
            for (sublayer, variance) in sublayers.iter_mut().zip(branch_variances) {
                sublayer.skip = f64::sqrt(before);
                before += variance;
            }
        }
        sublayers
    }

    /// `beta`, the factor of the placement on the std of the matrices it scales.
    #[must_use]
    pub fn init_gain(&self) -> f64 {
        if self.placement.recipe().scales_init { (8.0 * f64::from(self.depth)).powf(-0.25) } else { 1.0 }
    }

    /// Whether attention reads a stream that no norm bounds. Its scores grow with the square of the stream, and a
    /// softmax of large scores magnifies every rounding error.
    #[must_use]
    pub fn has_unbounded_scores(&self) -> bool {
        let recipe = self.placement.recipe();
        let self_attention = self.attention == Attention::Softmax && self.qk_norm == QkNorm::None;
        (self_attention || self.cross.0) && !recipe.input_norm && !recipe.sum_norm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(placement: Placement, depth: u32) -> Vec<f64> {
        Config { placement, depth, ..Config::default() }.sublayers().iter().map(|sublayer| sublayer.skip).collect()
    }

    #[test]
    fn keel_leaves_its_first_sublayers_as_they_are() {
        assert_eq!(skips(Placement::Keel, 3), [1.0, 1.0, 6.0, 6.0, 6.0, 6.0]);
        let norms: Vec<_> = Config { placement: Placement::Keel, depth: 2, ..Config::default() }
            .sublayers()
            .iter()
            .map(|sublayer| sublayer.sum_norm)
            .collect();
        assert_eq!(norms, [false, true, true, true]);
    }

    #[test]
    fn the_first_quarter_of_mix_ln_is_post_ln() {
        let post_blocks = |depth| {
            let sublayers = Config { placement: Placement::MixLn, depth, ..Config::default() }.sublayers();
            sublayers.iter().filter(|sublayer| sublayer.sum_norm).count() / 2
        };
        // Halves round to even, as NumPy has it.
        assert_eq!([6, 10, 14, 24].map(post_blocks), [2, 2, 4, 6]);
    }

    #[test]
    fn admin_adds_up_what_came_before() {
        let config = Config { placement: Placement::Admin, depth: 2, ..Config::default() };
        assert_eq!(config.profiled().map(|config| config.placement), Some(Placement::Post));
        let squares: Vec<_> = config.sublayers_after(&[0.5, 0.25, 2.0, 9.0]).iter().map(|s| s.skip * s.skip).collect();
        for (got, want) in squares.iter().zip([1.0, 1.5, 1.75, 3.75]) {
            assert!((got - want).abs() < 1e-15, "{squares:?}");
        }
    }
}
