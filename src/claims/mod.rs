//! Ninety statements on norms and depth, from two guides that are widely read, each beside what its sources say and,
//! where a pass at initialisation can tell, a rule that measures it.
//!
//! | file | what |
//! |---|---|
//! | `data/` | the statements, in the order of the guides; their words are in `texts/<language>/claims.json` |
//! | [`Source`] | the literature |
//! | [`Question`], [`Evidence`] | what a rule asks for and what it is told |
//! | [`Shown`], [`Curve`] | what is drawn of the evidence |
//! | `rules/` | from evidence to an [`Outcome`] |
//!
//! No engine is in here: whoever asks runs the passes of a [`Question`] on the engine of their choice.

mod curve;
mod data;
mod evidence;
mod rules;
mod source;

use std::fmt;

pub use curve::{Curve, Of, Said, Shown};
pub use evidence::{Evidence, Model, Question};
pub use source::{Cite, Source, SourceId};

pub use crate::share::{Guide, Topic, VerdictKind};
use crate::text::claims as text;

/// What becomes of a claim: in the literature, or by a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Supported.
    Holds,
    /// Contradicted.
    DoesNotHold,
    /// Supported under a condition, which completes "holds only if".
    OnlyIf(&'static str),
    /// A part of it is supported, named so as to complete "holds in part:".
    InPart(&'static str),
    /// The runs do not tell.
    NotDecided,
    /// Nobody was found who says it, the cited source included.
    NoSource,
}

impl Verdict {
    /// The verdict without its condition.
    #[must_use]
    pub const fn kind(self) -> VerdictKind {
        match self {
            Self::Holds => VerdictKind::Holds,
            Self::DoesNotHold => VerdictKind::DoesNotHold,
            Self::OnlyIf(_) => VerdictKind::OnlyIf,
            Self::InPart(_) => VerdictKind::InPart,
            Self::NotDecided => VerdictKind::NotDecided,
            Self::NoSource => VerdictKind::NoSource,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OnlyIf(condition) => f.write_str(&text::only_if(condition)),
            Self::InPart(part) => f.write_str(&text::in_part(part)),
            _ => f.write_str(self.kind().title()),
        }
    }
}

/// How a claim can be tested.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// By passes at initialisation, or by the description of a model alone.
    Measured(Rule),
    /// Only by reading.
    Cited,
    /// Only by training.
    NeedsTraining,
}

/// What decides a claim: what is run, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What it has to know.
    pub question: fn() -> Question,
    /// What follows. It goes by the configurations of the evidence and not by their order; a value that the engine
    /// marks as unresolved decides nothing.
    pub judge: fn(&Evidence) -> Outcome,
    /// What of the evidence is drawn; nothing where there is no pass.
    pub shown: Option<Shown>,
}

/// What a rule finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The values it rests on, with their names and units.
    pub measured: String,
    /// What they say of the claim, in a sentence.
    pub sentence: String,
}

/// One statement of a guide. Its words are in the files of texts, by its id.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// `C1` to `C90`.
    pub id: &'static str,
    /// Who says it.
    pub guide: Guide,
    /// What it is about.
    pub topic: Topic,
    /// The sources; none where none was found.
    pub sources: &'static [Cite],
    /// The kind of [`Claim::literature`].
    pub verdict: VerdictKind,
    /// How it is tested here.
    pub test: Test,
    /// The query that shows it in Explore.
    pub explore: Option<&'static str>,
}

impl Claim {
    /// Where in the guide.
    #[must_use]
    pub fn place(&self) -> &'static str {
        text::of(self.id, "place")
    }

    /// What the guide says, in other words.
    #[must_use]
    pub fn said(&self) -> &'static str {
        text::of(self.id, "said")
    }

    /// What the sources say.
    #[must_use]
    pub fn source_says(&self) -> &'static str {
        text::of(self.id, "source")
    }

    /// What follows from the sources, and for what can be computed from measurements made with another program.
    #[must_use]
    pub fn literature(&self) -> Verdict {
        match self.verdict {
            VerdictKind::Holds => Verdict::Holds,
            VerdictKind::DoesNotHold => Verdict::DoesNotHold,
            VerdictKind::OnlyIf => Verdict::OnlyIf(text::of(self.id, "condition")),
            VerdictKind::InPart => Verdict::InPart(text::of(self.id, "condition")),
            VerdictKind::NotDecided => Verdict::NotDecided,
            VerdictKind::NoSource => Verdict::NoSource,
        }
    }
}

/// How many there are.
const COUNT: usize = 90;

/// All claims, in the order of their numbers.
pub static ALL: [Claim; COUNT] = {
    let mut all = [data::PARTS[0][0]; COUNT];
    let (mut part, mut count) = (0, 0);
    while part < data::PARTS.len() {
        let mut i = 0;
        while i < data::PARTS[part].len() {
            all[count] = data::PARTS[part][i];
            i += 1;
            count += 1;
        }
        part += 1;
    }
    assert!(count == COUNT, "there are ninety claims");
    all
};

/// The claim with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Claim> {
    ALL.iter().find(|claim| claim.id == id)
}
