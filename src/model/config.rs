//! The configuration of one run: one model, one seed.

use serde::{Deserialize, Serialize};

use super::{Init, Placement, ResidualScale, matrices};

/// Added to the variance (LayerNorm) or the mean square (RMSNorm) of every norm.
pub const NORM_EPSILON: f64 = 1e-5;

/// Declares an enum whose variants have one name each: in links, on the command line and in JSON.
macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every value, in the order in which it is offered.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in links, on the command line and in JSON.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The value with this name.
            #[must_use]
            pub fn from_key(key: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.key() == key)
            }
        }
    };
}
pub(crate) use named_enum;

named_enum! {
    /// Which norm stands wherever the placement puts one. Gains are 1 and shifts 0.
    Norm {
        /// Mean removed, divided by the standard deviation (Ba et al. 2016).
        LayerNorm = "layernorm",
        /// Divided by the root mean square (Zhang & Sennrich 2019).
        RmsNorm = "rmsnorm",
    }
}

named_enum! {
    /// The nonlinearity of the feed-forward network.
    Activation {
        /// `max(x, 0)`.
        Relu = "relu",
        /// The tanh form of Hendrycks & Gimpel 2016.
        Gelu = "gelu",
        /// `(silu(x W_g) * x W_1) W_2` (Shazeer 2020).
        SwiGlu = "swiglu",
    }
}

named_enum! {
    /// A norm on queries and keys of the self-attention: RMSNorm with epsilon 1e-5.
    QkNorm {
        /// None.
        None = "none",
        /// Over each head's query and key, as in Gemma 3.
        Head = "head",
        /// Over the whole projection, as in OLMo 2.
        Full = "full",
    }
}

named_enum! {
    /// How attention weighs the tokens.
    Attention {
        /// `softmax(q k^T / sqrt(k))`.
        Softmax = "softmax",
        /// W_Q = W_K = 0: every token averages all (the simplified setting of Xiong et al. 2020).
        Uniform = "uniform",
    }
}

named_enum! {
    /// Whether a norm stands between the last block and the un-embedding.
    FinalNorm {
        /// As the placement's authors have it.
        Auto = "auto",
        /// Always.
        On = "on",
        /// Never.
        Off = "off",
    }
}

/// A choice between off and on, written 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "u8", from = "u8")]
pub struct Toggle(pub bool);

impl From<Toggle> for u8 {
    fn from(toggle: Toggle) -> Self {
        Self::from(toggle.0)
    }
}

impl From<u8> for Toggle {
    fn from(value: u8) -> Self {
        Self(value != 0)
    }
}

/// One run: the model, its input and its seed. Serialises to the `config` object of the JSON output.
///
/// Shapes elsewhere use `B` batch, `T` tokens, `d` width, `H` heads, `k = d/H`, `V` vocabulary, `L` depth, `S` sublayers
/// a block, `h = ffn * d` and `N = B * T` rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Where the norms stand.
    pub placement: Placement,
    /// Blocks, `L`: 1 to 200.
    pub depth: u32,
    /// Features of the residual stream, `d`: 16 to 1024, a multiple of `heads`.
    pub width: u32,
    /// Attention heads, `H`: 1 to 16.
    pub heads: u32,
    /// Tokens of a sequence, `T`: 2 to 256.
    pub tokens: u32,
    /// Sequences, `B`: 1 to 8.
    pub batch: u32,
    /// The hidden layer of the FFN is this many times the width: 1 to 8.
    pub ffn: u32,
    /// Classes of the loss, `V`: 2 to 1024.
    pub vocab: u32,
    /// Which norm.
    pub norm: Norm,
    /// The nonlinearity of the FFN.
    pub act: Activation,
    /// Distribution of the weights.
    pub init: Init,
    /// Scale of the matrices that write into the residual stream.
    pub residual_scale: ResidualScale,
    /// Norm on queries and keys.
    pub qk_norm: QkNorm,
    /// Whether a token sees only itself and the tokens before it.
    pub causal: Toggle,
    /// How attention weighs the tokens.
    pub attention: Attention,
    /// Whether attention has an output projection W_O.
    pub output_projection: Toggle,
    /// A cross-attention sublayer between attention and FFN, which reads a constant memory.
    pub cross: Toggle,
    /// Pairwise cosine of the memory's tokens, 0 to 1; without effect while `cross` is off.
    pub memory_cos: f64,
    /// The norm before the un-embedding.
    pub final_norm: FinalNorm,
    /// Seed of every random number.
    pub seed: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            placement: Placement::Pre,
            depth: 24,
            width: 64,
            heads: 4,
            tokens: 32,
            batch: 2,
            ffn: 4,
            vocab: 64,
            norm: Norm::LayerNorm,
            act: Activation::Relu,
            init: Init::Xavier,
            residual_scale: ResidualScale::None,
            qk_norm: QkNorm::None,
            causal: Toggle(false),
            attention: Attention::Softmax,
            output_projection: Toggle(true),
            cross: Toggle(false),
            memory_cos: 1.0,
            final_norm: FinalNorm::Auto,
            seed: 0,
        }
    }
}

impl Config {
    /// Rows of the residual stream, `N = B * T`.
    #[must_use]
    pub const fn rows(&self) -> usize {
        (self.batch * self.tokens) as usize
    }

    /// Features of one head, `k = d / H`.
    #[must_use]
    pub const fn head_width(&self) -> usize {
        (self.width / self.heads) as usize
    }

    /// Features of the FFN's hidden layer, `h = ffn * d`.
    #[must_use]
    pub const fn hidden(&self) -> usize {
        (self.ffn * self.width) as usize
    }

    /// Whether a norm stands between the last block and the un-embedding. A placement with a second stream has its own
    /// way of ending.
    #[must_use]
    pub fn has_final_norm(&self) -> bool {
        if self.placement.recipe().dual_stream {
            return false;
        }
        match self.final_norm {
            FinalNorm::On => true,
            FinalNorm::Off => false,
            FinalNorm::Auto => self.placement.recipe().final_norm,
        }
    }

    /// Whether a block is the same however many follow it: then the first blocks of a deep model are a shallower one.
    #[must_use]
    pub fn shares_blocks(&self) -> bool {
        let of_depth = |depth: u32| {
            let config = Self { depth, ..self.clone() };
            let deviations: Vec<f64> = matrices(&config).iter().map(|matrix| matrix.std).collect();
            (config.sublayers(), deviations)
        };
        let ((few, of_few), (many, of_many)) = (of_depth(2), of_depth(60));
        many.starts_with(&few) && of_few == of_many
    }
}
