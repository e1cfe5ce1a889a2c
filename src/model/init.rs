//! Standard deviations of the weights.

use super::config::named_enum;

named_enum! {
    /// Distribution of the layer matrices. The un-embedding has std `1/sqrt(d)` whatever this is.
    Init {
        /// Normal, std `sqrt(2 / (fan_in + fan_out))` (Glorot & Bengio 2010).
        Xavier = "xavier",
        /// Uniform with the standard deviation of `xavier`.
        XavierUniform = "xavier-uniform",
        /// Normal, std `sqrt(2 / fan_in)` (He et al. 2015).
        He = "he",
        /// Normal, std `sqrt(1 / fan_in)` (LeCun et al. 1998).
        Lecun = "lecun",
        /// Normal, std 0.02 (BERT, GPT-2).
        Normal002 = "normal-0.02",
        /// Normal, std `sqrt(2 / (5 min(fan_in, fan_out)))` (Nguyen & Salazar 2019).
        Small = "small",
    }
}

named_enum! {
    /// Scale of the matrices that write into the residual stream: W_O and W_2.
    ResidualScale {
        /// As the init has it.
        None = "none",
        /// Times `1/sqrt(S L)` (GPT-2: Radford et al. 2019, §2.3).
        Gpt2 = "gpt2",
        /// Zero (as Fixup and ReZero start).
        Zero = "zero",
    }
}

impl Init {
    /// Standard deviation of a (fan_in, fan_out) matrix.
    #[must_use]
    pub fn std(self, fan_in: usize, fan_out: usize) -> f64 {
        let (fan_in, fan_out) = (fan_in as f64, fan_out as f64);
        match self {
            Self::Xavier | Self::XavierUniform => (2.0 / (fan_in + fan_out)).sqrt(),
            Self::He => (2.0 / fan_in).sqrt(),
            Self::Lecun => (1.0 / fan_in).sqrt(),
            Self::Normal002 => 0.02,
            Self::Small => (2.0 / (5.0 * fan_in.min(fan_out))).sqrt(),
        }
    }

    /// Whether the draws are uniform on an interval rather than normal.
    #[must_use]
    pub const fn is_uniform(self) -> bool {
        matches!(self, Self::XavierUniform)
    }
}

impl ResidualScale {
    /// Factor on the standard deviation for a model of `sublayers` sublayers in all, `S * L`.
    #[must_use]
    pub fn factor(self, sublayers: usize) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Gpt2 => 1.0 / (sublayers as f64).sqrt(),
            Self::Zero => 0.0,
        }
    }
}
