//! Where the norms stand. A placement is described once, as a [`Recipe`]; both engines, the block diagram and the
//! written equation read it.

use super::Config;
use super::config::{Attention, QkNorm, named_enum};

named_enum! {
    /// Where the norms of a block stand.
    Placement {
        /// `x <- N(x + f(x))` (Vaswani et al. 2017).
        Post = "post",
        /// `x <- x + f(N(x))` (Xiong et al. 2020).
        Pre = "pre",
        /// `x <- x + N(f(N(x)))` (CogView: Ding et al. 2021, §2.4).
        Sandwich = "sandwich",
        /// `x <- x + N(f(x))` (OLMo 2: 2025, §3.2).
        Olmo2 = "olmo2",
        /// `x <- N(alpha x + f(x))`, weights times beta (DeepNet: Wang et al. 2022, §4).
        DeepNorm = "deepnorm",
        /// `x <- x + N(f(N(x)))` on a normalised embedding (Kim et al. 2025).
        Peri = "peri",
        /// `x <- x + f(x)`.
        None = "none",
    }
}

/// The factor on the stream where a sublayer's output is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// 1.
    Identity,
    /// `alpha = (2L)^(1/4)` (DeepNet: Wang et al. 2022, table "encoder-only").
    DeepNorm,
}

/// What a placement is: which of the places of a norm are taken, and its constants.
///
/// A sublayer maps the stream to `N_sum(skip * x + N_branch(f(N_input(x))))`, where a norm that is not taken is the
/// identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The name as the field writes it.
    pub label: &'static str,
    /// A norm on the embedding, before state 0.
    pub embedding_norm: bool,
    /// A norm on what the sublayer reads.
    pub input_norm: bool,
    /// A norm on what the sublayer returns, before it is added.
    pub branch_norm: bool,
    /// A norm on the sum.
    pub sum_norm: bool,
    /// The factor on the stream.
    pub skip: Skip,
    /// Whether `beta = (8L)^(-1/4)` multiplies the std of W_V, W_O, W_1, W_2 and W_g.
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
            branch_norm: false,
            sum_norm: false,
            skip: Skip::Identity,
            scales_init: false,
            final_norm: true,
        };
        match self {
            Self::Post => Recipe { label: "Post-LN", sum_norm: true, final_norm: false, ..BARE },
            Self::Pre => Recipe { label: "Pre-LN", input_norm: true, ..BARE },
            Self::Sandwich => Recipe { label: "Sandwich-LN", input_norm: true, branch_norm: true, ..BARE },
            Self::Olmo2 => Recipe { label: "OLMo 2", branch_norm: true, ..BARE },
            Self::DeepNorm => Recipe {
                label: "DeepNorm",
                sum_norm: true,
                skip: Skip::DeepNorm,
                scales_init: true,
                final_norm: false,
                ..BARE
            },
            Self::Peri => {
                Recipe { label: "Peri-LN", embedding_norm: true, input_norm: true, branch_norm: true, ..BARE }
            }
            Self::None => BARE,
        }
    }
}

/// What a sublayer computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SublayerKind {
    /// Self-attention.
    Attention,
    /// The feed-forward network.
    FeedForward,
}

/// One sublayer of one model, its recipe resolved to numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sublayer {
    /// The block it belongs to, from 0.
    pub block: usize,
    /// What it computes.
    pub kind: SublayerKind,
    /// A norm on what it reads.
    pub input_norm: bool,
    /// A norm on what it returns.
    pub branch_norm: bool,
    /// A norm on the sum.
    pub sum_norm: bool,
    /// The factor on the stream.
    pub skip: f64,
}

impl Config {
    /// Every sublayer in the order of the forward pass, `S * L` of them.
    #[must_use]
    pub fn sublayers(&self) -> Vec<Sublayer> {
        let recipe = self.placement.recipe();
        let skip = match recipe.skip {
            Skip::Identity => 1.0,
            Skip::DeepNorm => (2.0 * f64::from(self.depth)).powf(0.25),
        };
        (0..self.depth as usize)
            .flat_map(|block| {
                [SublayerKind::Attention, SublayerKind::FeedForward].map(|kind| Sublayer {
                    block,
                    kind,
                    input_norm: recipe.input_norm,
                    branch_norm: recipe.branch_norm,
                    sum_norm: recipe.sum_norm,
                    skip,
                })
            })
            .collect()
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
        let bounded = recipe.input_norm || recipe.sum_norm || self.qk_norm != QkNorm::None;
        self.attention == Attention::Softmax && !bounded
    }
}
