//! Where the curves come from.

use std::fmt;

/// How well a source is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The place was read in the paper.
    Read,
    /// Known from notes, an abstract or another paper that quotes it.
    SecondHand,
    /// The paper has the architecture or the claim; the curve is derived here.
    Derived,
}

/// Where a curve comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// As they are cited.
    pub authors: &'static str,
    /// Of the version cited.
    pub year: u16,
    /// The identifier at arxiv.org.
    pub arxiv: &'static str,
    /// Where in the paper, or what of it.
    pub place: &'static str,
    /// How well it is known.
    pub evidence: Evidence,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { authors, year, arxiv, place, evidence } = self;
        write!(f, "{authors} {year}, arXiv:{arxiv}, {place}")?;
        match evidence {
            Evidence::Read => Ok(()),
            Evidence::SecondHand => write!(f, " (second-hand)"),
            Evidence::Derived => write!(f, " (the curve is derived here)"),
        }
    }
}

/// The stream of Pre-LN and of Post-LN.
pub(super) const XIONG_LEMMA_2: Source =
    Source { authors: "Xiong et al.", year: 2020, arxiv: "2002.04745", place: "Lemma 2", evidence: Evidence::Read };

/// The gradient of the last W_2.
pub(super) const XIONG_THEOREM_1: Source = Source { place: "Theorem 1", ..XIONG_LEMMA_2 };

/// Norms before and after each sublayer: the variance grows linearly.
pub(super) const PERI: Source = Source {
    authors: "Kim et al.",
    year: 2025,
    arxiv: "2502.02732",
    place: "linear growth of the variance",
    evidence: Evidence::SecondHand,
};

/// The norm on the branch alone.
pub(super) const OLMO_2: Source = Source {
    authors: "OLMo 2",
    year: 2025,
    arxiv: "2501.00656",
    place: "\u{a7}3.3.2, the equations of a block",
    evidence: Evidence::Derived,
};

/// What DeepNorm's constants are made for.
pub(super) const DEEPNET: Source = Source {
    authors: "Wang et al.",
    year: 2022,
    arxiv: "2203.00555",
    place: "\u{a7}4, Theorem 4.2: an update of size \u{398}(\u{3b7})",
    evidence: Evidence::Derived,
};

/// Early layers of Pre-LN have the larger gradients.
pub(super) const DEEPNET_PRE: Source = Source { place: "\u{a7}5, larger gradients in early Pre-LN layers", ..DEEPNET };

/// Gradients of Post-LN fall by a constant factor a layer.
pub(super) const KEEL: Source =
    Source { authors: "Keel", year: 2026, arxiv: "2601.19895", place: "eq. 15, 2^(-L/2)", evidence: Evidence::Derived };

/// The premise of the recursion and of the bounds of a stream without norms: squares add up.
pub(super) const XIONG_PROOF: Source =
    Source { place: "\u{a7}3.3, attention that averages", evidence: Evidence::Derived, ..XIONG_LEMMA_2 };
