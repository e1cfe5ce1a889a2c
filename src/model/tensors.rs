//! The table of parameters: name, shape, number in the random stream, standard deviation.

use super::config::{Activation, Attention};
use super::{Config, SublayerKind};

/// What a random tensor is; the number enters the counter of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Tensor {
    /// `x_0`, (B, T, d).
    Input = 0,
    /// Targets, (B, T).
    Targets = 1,
    /// U, (d, V).
    Unembedding = 2,
    /// What the rows of a sequence's memory share, (B, d).
    MemoryShared = 3,
    /// What each row of the memory has of its own, (B, T, d).
    MemoryOwn = 4,
    /// W_Q, (d, d).
    Wq = 8,
    /// W_K, (d, d).
    Wk = 9,
    /// W_V, (d, d).
    Wv = 10,
    /// W_O, (d, d).
    Wo = 11,
    /// W_1, (d, h).
    W1 = 12,
    /// W_2, (h, d).
    W2 = 13,
    /// W_g, (d, h).
    Wg = 14,
    /// C_Q, (d, d): queries of the cross-attention.
    Cq = 16,
    /// C_K, (d, d).
    Ck = 17,
    /// C_V, (d, d).
    Cv = 18,
    /// C_O, (d, d).
    Co = 19,
}

impl Tensor {
    /// The number in the counter of the generator.
    #[must_use]
    pub const fn id(self) -> u32 {
        self as u32
    }

    /// The name of a layer matrix in the output; empty for the others.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wq => "wq",
            Self::Wk => "wk",
            Self::Wv => "wv",
            Self::Wo => "wo",
            Self::W1 => "w1",
            Self::W2 => "w2",
            Self::Wg => "wg",
            Self::Cq => "cq",
            Self::Ck => "ck",
            Self::Cv => "cv",
            Self::Co => "co",
            Self::Input | Self::Targets | Self::Unembedding | Self::MemoryShared | Self::MemoryOwn => "",
        }
    }
}

/// A matrix that every block has: (fan_in, fan_out), applied as `y = x W`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// Which one.
    pub tensor: Tensor,
    /// The sublayer it belongs to.
    pub sublayer: SublayerKind,
    /// Rows.
    pub fan_in: usize,
    /// Columns.
    pub fan_out: usize,
    /// Standard deviation of its entries.
    pub std: f64,
}

/// The layer matrices of a block, in the order in which `grad_weight` lists them.
#[must_use]
pub fn matrices(config: &Config) -> Vec<Matrix> {
    use SublayerKind::{Attention as Attn, CrossAttention as Cross, FeedForward as Ffn};
    let (d, h) = (config.width as usize, config.hidden());
    let gain = config.init_gain();
    let residual = config.residual_scale.factor(config.depth as usize * config.sublayers_per_block());
    let query_key = if config.attention == Attention::Uniform { 0.0 } else { 1.0 };
    let matrix = |tensor, sublayer, fan_in, fan_out, gain: f64| Matrix {
        tensor,
        sublayer,
        fan_in,
        fan_out,
        std: config.init.std(fan_in, fan_out) * gain,
    };
    let mut list = vec![
        matrix(Tensor::Wq, Attn, d, d, query_key),
        matrix(Tensor::Wk, Attn, d, d, query_key),
        matrix(Tensor::Wv, Attn, d, d, gain),
    ];
    if config.output_projection.0 {
        list.push(matrix(Tensor::Wo, Attn, d, d, gain * residual));
    }
    if config.cross.0 {
        list.extend([
            matrix(Tensor::Cq, Cross, d, d, 1.0),
            matrix(Tensor::Ck, Cross, d, d, 1.0),
            matrix(Tensor::Cv, Cross, d, d, gain),
            matrix(Tensor::Co, Cross, d, d, gain * residual),
        ]);
    }
    list.push(matrix(Tensor::W1, Ffn, d, h, gain));
    if config.act == Activation::SwiGlu {
        list.push(matrix(Tensor::Wg, Ffn, d, h, gain));
    }
    list.push(matrix(Tensor::W2, Ffn, h, d, gain * residual));
    list
}
