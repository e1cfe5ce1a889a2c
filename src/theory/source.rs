//! Where the curves come from.

use std::fmt;

use crate::text::theory as says;

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
            Evidence::SecondHand => write!(f, " {}", says::second_hand()),
            Evidence::Derived => write!(f, " {}", says::derived()),
        }
    }
}

/// The stream of Pre-LN and of Post-LN.
pub(super) const XIONG_LEMMA_2: Source =
    Source { authors: "Xiong et al.", year: 2020, arxiv: "2002.04745", place: "Lemma 2", evidence: Evidence::Read };

/// The gradient of the last W_2.
pub(super) const XIONG_THEOREM_1: Source = Source { place: "Theorem 1", ..XIONG_LEMMA_2 };

/// Norms before and after each sublayer: the variance grows linearly.
pub(super) fn peri() -> Source {
    Source {
        authors: "Kim et al.",
        year: 2025,
        arxiv: "2502.02732",
        place: says::place_peri(),
        evidence: Evidence::SecondHand,
    }
}

/// The norm on the branch alone.
pub(super) fn olmo_2() -> Source {
    Source {
        authors: "OLMo 2",
        year: 2025,
        arxiv: "2501.00656",
        place: says::place_olmo_2(),
        evidence: Evidence::Derived,
    }
}

/// What DeepNorm's constants are made for.
pub(super) fn deepnet() -> Source {
    Source {
        authors: "Wang et al.",
        year: 2022,
        arxiv: "2203.00555",
        place: says::place_deepnet(),
        evidence: Evidence::Derived,
    }
}

/// Early layers of Pre-LN have the larger gradients.
pub(super) fn deepnet_pre() -> Source {
    Source { place: says::place_deepnet_pre(), ..deepnet() }
}

/// Gradients of Post-LN fall by a constant factor a layer.
pub(super) const KEEL: Source =
    Source { authors: "Keel", year: 2026, arxiv: "2601.19895", place: "eq. 15, 2^(-L/2)", evidence: Evidence::Derived };

/// The premise of the recursion and of the bounds of a stream without norms: squares add up.
pub(super) fn xiong_proof() -> Source {
    Source { place: says::place_xiong_proof(), evidence: Evidence::Derived, ..XIONG_LEMMA_2 }
}
