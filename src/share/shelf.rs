//! What claims are told apart by: a link can ask for those of one guide, topic or verdict.

use crate::model::config::named_enum;
use crate::text::claims as text;

named_enum! {
    /// Who says it.
    Guide {
        /// "Pre-Norm, Post-Norm, and Sandwich Placement".
        A = "a",
        /// "Pre-Norm vs Post-Norm Transformers: Stability Guide for LLMs".
        B = "b",
    }
}

impl Guide {
    /// Its name, short.
    #[must_use]
    pub fn title(self) -> &'static str {
        text::of("guide", self.key())
    }

    /// Its name in full.
    #[must_use]
    pub const fn full_title(self) -> &'static str {
        match self {
            Self::A => "Pre-Norm, Post-Norm, and Sandwich Placement",
            Self::B => "Pre-Norm vs Post-Norm Transformers: Stability Guide for LLMs",
        }
    }
}

named_enum! {
    /// What a claim is about.
    Topic {
        /// Size of gradients over layers and depth.
        Gradients = "gradients",
        /// Size of the residual stream, and how alike its tokens are.
        Stream = "stream",
        /// Warm-up, learning rates, convergence, quality.
        Training = "training",
        /// Where the norms stand.
        Architecture = "architecture",
        /// Initialisation.
        Init = "init",
        /// Ranges of number formats.
        Precision = "precision",
        /// Parameters and operations.
        Cost = "cost",
        /// Who proposed or showed what, and when.
        History = "history",
        /// Which models have it.
        Adoption = "adoption",
    }
}

impl Topic {
    /// The name as the page writes it.
    #[must_use]
    pub fn title(self) -> &'static str {
        text::of("topic", self.key())
    }
}

named_enum! {
    /// A verdict without its condition, to filter by.
    VerdictKind {
        /// Supported.
        Holds = "holds",
        /// Supported under a condition.
        OnlyIf = "only-if",
        /// A part of it is supported.
        InPart = "in-part",
        /// Contradicted.
        DoesNotHold = "does-not-hold",
        /// The runs do not tell.
        NotDecided = "not-decided",
        /// Nobody was found who says it.
        NoSource = "no-source",
    }
}

impl VerdictKind {
    /// The words of the verdict.
    #[must_use]
    pub fn title(self) -> &'static str {
        text::of("verdict", self.key())
    }
}
