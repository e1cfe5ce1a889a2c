//! What claims are told apart by: a link can ask for those of one guide, topic or verdict.

use crate::model::config::named_enum;

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
    pub const fn title(self) -> &'static str {
        match self {
            Self::A => "Placement guide",
            Self::B => "Stability guide",
        }
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
    pub const fn title(self) -> &'static str {
        match self {
            Self::Gradients => "Gradients",
            Self::Stream => "Residual stream",
            Self::Training => "Training and warm-up",
            Self::Architecture => "Architecture",
            Self::Init => "Initialisation",
            Self::Precision => "Precision",
            Self::Cost => "Cost",
            Self::History => "History",
            Self::Adoption => "Adoption",
        }
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
    pub const fn title(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::OnlyIf => "holds only if",
            Self::InPart => "holds in part",
            Self::DoesNotHold => "does not hold",
            Self::NotDecided => "not decided at this size",
            Self::NoSource => "no source found",
        }
    }
}
