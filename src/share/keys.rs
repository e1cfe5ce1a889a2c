//! The table of keys.

use crate::model::{
    Activation, Attention, Config, FinalNorm, Init, Norm, Placement, QkNorm, ResidualScale, Tensor, Toggle,
};
use crate::stats::{Engine, Quantity};
use crate::text::{Language, links as says};

use crate::presets;

use super::pins::{self, MOST_PINS};
use super::query::{Along, Part, Relation, Request, Scale, Speed, Target, Theme, View, encode, parse};
use super::shelf::{Guide, Topic, VerdictKind};

/// The version of links that this page writes.
pub const VERSION: u32 = 1;

/// The most characters of a query that the page writes: addresses past 2,000 in all are cut by some programs.
pub const LONGEST: usize = 1_900;

/// The most characters of an address within a link, written as a link has them.
pub(super) const LONGEST_ADDRESS: usize = 200;

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in an inclusive range.
    Integer(u32, u32),
    /// A number in an inclusive range of hundredths.
    Fraction(u32, u32),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A comma list of one or more of these words.
    List(&'static [&'static str]),
    /// The address of a file, beside the page or elsewhere.
    Address,
    /// Up to so many models, each its placement and what is not as the page begins with.
    Models(usize),
}

impl Kind {
    /// The allowed values in words. Numbers are as a link has them, whatever the language.
    #[must_use]
    pub fn allowed(self) -> String {
        match self {
            Self::Integer(low, high) => says::integer(low.to_string(), high.to_string()),
            Self::Fraction(low, high) => {
                let [low, high] = [low, high].map(|hundredths| (f64::from(hundredths) / 100.0).to_string());
                says::fraction(low, high)
            }
            Self::Choice(words) => words.join(", "),
            Self::Models(most) => says::models(most),
            Self::Address => says::address(LONGEST_ADDRESS),
            Self::List(words) => says::list(words.join(", ")),
        }
    }
}

/// A key of a link.
#[derive(Clone, Copy)]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The value as text.
    pub get: fn(&Request) -> String,
    /// Sets a value of the right kind; false where it is not one.
    pub(super) set: fn(&mut Request, &str) -> bool,
}

impl Key {
    /// One line of help.
    #[must_use]
    pub fn help(&self) -> &'static str {
        says::help(self.name)
    }
}

/// An address: of this page's host, or one that begins with `https:`.
fn address(text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    let scheme = text.split(['/', '?', '#']).next().filter(|head| head.contains(':'));
    let is_told = scheme.is_none_or(|head| head == "https:");
    (is_plain && is_told && encode(text).len() <= LONGEST_ADDRESS).then(|| text.to_owned())
}

fn integer(text: &str, low: u32, high: u32) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|value| plain && (low..=high).contains(value))
}

/// What the words of a comma list name, each once; `None` where one names nothing.
fn list<T: PartialEq>(text: &str, of: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let mut list = Vec::new();
    for word in text.split(',') {
        let named = of(word)?;
        if !list.contains(&named) {
            list.push(named);
        }
    }
    Some(list)
}

/// A number from 0 to 1 with up to 15 decimals, right to the last bit, for both sides of the quotient are exact. (The
/// standard library reads any number, and brings a table of 10 KiB to the page that does not compress.)
pub(super) fn fraction(text: &str) -> Option<f64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = [whole, decimals].concat();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && decimals.len() <= 15;
    let number: u64 = digits.parse().ok().filter(|_| plain)?;
    Some(number as f64 / 10_u64.pow(decimals.len() as u32) as f64).filter(|value| *value <= 1.0)
}

/// The words of a named enum, as a constant.
macro_rules! words {
    ($type:ty) => {{
        const WORDS: [&str; <$type>::ALL.len()] = {
            let mut words = [""; <$type>::ALL.len()];
            let mut i = 0;
            while i < words.len() {
                words[i] = <$type>::ALL[i].key();
                i += 1;
            }
            words
        };
        &WORDS
    }};
}

macro_rules! integer_key {
    ($name:literal, $($field:ident).+, $low:literal, $high:literal) => {
        Key {
            name: $name,
            kind: Kind::Integer($low, $high),
            get: |request| request.$($field).+.to_string(),
            set: |request, text| integer(text, $low, $high).map(|value| request.$($field).+ = value).is_some(),
        }
    };
}

macro_rules! choice_key {
    ($name:literal, $field:ident, $type:ty) => {
        Key {
            name: $name,
            kind: Kind::Choice(words!($type)),
            get: |request| request.config.$field.key().to_owned(),
            set: |request, text| <$type>::from_key(text).map(|value| request.config.$field = value).is_some(),
        }
    };
}

macro_rules! toggle_key {
    ($name:literal, $field:ident) => {
        Key {
            name: $name,
            kind: Kind::Choice(&["0", "1"]),
            get: |request| u8::from(request.config.$field).to_string(),
            set: |request, text| {
                let value = match text {
                    "0" => Toggle(false),
                    "1" => Toggle(true),
                    _ => return false,
                };
                request.config.$field = value;
                true
            },
        }
    };
}

/// A switch of the page, beside those of the model.
macro_rules! switch_key {
    ($name:literal, $field:ident) => {
        Key {
            name: $name,
            kind: Kind::Choice(&["0", "1"]),
            get: |request| u8::from(request.$field).to_string(),
            set: |request, text| {
                request.$field = text == "1";
                matches!(text, "0" | "1")
            },
        }
    };
}

/// The words of a named enum and `all`, as a constant.
macro_rules! words_or_all {
    ($type:ty) => {{
        const WORDS: [&str; <$type>::ALL.len() + 1] = {
            let mut words = ["all"; <$type>::ALL.len() + 1];
            let mut i = 0;
            while i < <$type>::ALL.len() {
                words[i + 1] = <$type>::ALL[i].key();
                i += 1;
            }
            words
        };
        &WORDS
    }};
}

macro_rules! filter_key {
    ($name:literal, $field:ident, $type:ty) => {
        Key {
            name: $name,
            kind: Kind::Choice(words_or_all!($type)),
            get: |request| request.claims.$field.map_or("all", <$type>::key).to_owned(),
            set: |request, text| {
                request.claims.$field = <$type>::from_key(text);
                request.claims.$field.is_some() || text == "all"
            },
        }
    };
}

/// What one of the charts shows.
macro_rules! statistic_key {
    ($name:literal, $chart:literal) => {
        Key {
            name: $name,
            kind: Kind::Choice(STATISTIC_WORDS),
            get: |request| {
                let statistic = STATISTICS.iter().find(|(_, quantity)| *quantity == request.charts[$chart].statistic);
                statistic.map_or("", |(word, _)| word).to_owned()
            },
            set: |request, text| {
                let statistic = STATISTICS.iter().find(|(word, _)| *word == text);
                statistic.map(|(_, quantity)| request.charts[$chart].statistic = *quantity).is_some()
            },
        }
    };
}

/// The scale of one of the charts. No text is the default, which goes by the statistic.
macro_rules! scale_key {
    ($name:literal, $chart:literal) => {
        Key {
            name: $name,
            kind: Kind::Choice(words!(Scale)),
            get: |request| request.charts[$chart].scale.map_or("", Scale::key).to_owned(),
            set: |request, text| {
                request.charts[$chart].scale = Scale::from_key(text);
                request.charts[$chart].scale.is_some() || text.is_empty()
            },
        }
    };
}

/// What a chart and the atlas can show, by the names of JSON.
pub(super) const STATISTICS: &[(&str, Quantity)] = &[
    ("grad_weight.w2", Quantity::GradWeight(Tensor::W2)),
    ("grad_weight.w1", Quantity::GradWeight(Tensor::W1)),
    ("grad_weight.wg", Quantity::GradWeight(Tensor::Wg)),
    ("grad_weight.wo", Quantity::GradWeight(Tensor::Wo)),
    ("grad_weight.wv", Quantity::GradWeight(Tensor::Wv)),
    ("grad_weight.wk", Quantity::GradWeight(Tensor::Wk)),
    ("grad_weight.wq", Quantity::GradWeight(Tensor::Wq)),
    ("grad_weight.co", Quantity::GradWeight(Tensor::Co)),
    ("grad_weight.cv", Quantity::GradWeight(Tensor::Cv)),
    ("grad_weight.ck", Quantity::GradWeight(Tensor::Ck)),
    ("grad_weight.cq", Quantity::GradWeight(Tensor::Cq)),
    ("grad_stream", Quantity::GradStream),
    ("stream_rms", Quantity::StreamRms),
    ("grad_cosine", Quantity::GradCosine),
    ("net_factor", Quantity::NetFactor),
    ("norm_jacobian", Quantity::NormJacobian),
    ("update_ratio", Quantity::UpdateRatio),
    ("token_cosine", Quantity::TokenCosine),
    ("rank_residual", Quantity::RankResidual),
    ("attention_entropy", Quantity::AttentionEntropy),
    ("max_logit", Quantity::MaxLogit),
    ("stream_max", Quantity::StreamMax),
];

const PRESET_WORDS: &[&str] = &{
    let mut words = [""; presets::ALL.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = presets::ALL[i].key;
        i += 1;
    }
    words
};

const STATISTIC_WORDS: &[&str] = &{
    let mut words = [""; STATISTICS.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = STATISTICS[i].0;
        i += 1;
    }
    words
};

/// Every key, in the order in which a link writes them.
#[must_use]
pub fn keys() -> &'static [Key] {
    const KEYS: &[Key] = &[
        // A query that is not empty begins with it.
        Key { name: "v", kind: Kind::Choice(&["1"]), get: |_| VERSION.to_string(), set: |_, text| text == "1" },
        Key {
            name: "preset",
            kind: Kind::Choice(PRESET_WORDS),
            // What it says is written out, for presets may come to say something else.
            get: |_| String::new(),
            set: |request, text| {
                let preset = presets::find(text);
                if let Some(preset) = preset {
                    *request = parse(preset.query, Target::Page).0;
                }
                preset.is_some() || text.is_empty()
            },
        },
        Key {
            name: "presets",
            kind: Kind::Address,
            get: |request| request.presets.clone(),
            set: |request, text| address(text).map(|address| request.presets = address).is_some(),
        },
        Key {
            name: "view",
            kind: Kind::Choice(words!(View)),
            get: |request| request.view.key().to_owned(),
            set: |request, text| View::from_key(text).map(|view| request.view = view).is_some(),
        },
        Key {
            name: "claim",
            kind: Kind::Integer(1, 90),
            get: |request| request.claims.claim.map_or_else(String::new, |claim| claim.to_string()),
            set: |request, text| {
                request.claims.claim = integer(text, 1, 90);
                request.claims.claim.is_some() || text.is_empty()
            },
        },
        Key {
            name: "tour",
            kind: Kind::Integer(1, 5),
            get: |request| request.tour.map_or_else(String::new, |step| step.to_string()),
            set: |request, text| {
                request.tour = integer(text, 1, 5);
                request.tour.is_some() || text.is_empty()
            },
        },
        filter_key!("guide", guide, Guide),
        filter_key!("topic", topic, Topic),
        filter_key!("verdict", verdict, VerdictKind),
        Key {
            name: "placement",
            kind: Kind::List(words!(Placement)),
            get: |request| request.placements.iter().map(|placement| placement.key()).collect::<Vec<_>>().join(","),
            set: |request, text| list(text, Placement::from_key).map(|all| request.placements = all).is_some(),
        },
        integer_key!("depth", config.depth, 1, 200),
        integer_key!("width", config.width, 16, 1024),
        integer_key!("heads", config.heads, 1, 16),
        integer_key!("tokens", config.tokens, 2, 256),
        integer_key!("batch", config.batch, 1, 8),
        integer_key!("ffn", config.ffn, 1, 8),
        integer_key!("vocab", config.vocab, 2, 1024),
        choice_key!("norm", norm, Norm),
        choice_key!("act", act, Activation),
        choice_key!("init", init, Init),
        choice_key!("residual_scale", residual_scale, ResidualScale),
        choice_key!("qk_norm", qk_norm, QkNorm),
        toggle_key!("causal", causal),
        choice_key!("attention", attention, Attention),
        toggle_key!("output_projection", output_projection),
        toggle_key!("cross", cross),
        Key {
            name: "memory_cos",
            kind: Kind::Fraction(0, 100),
            get: |request| request.config.memory_cos.to_string(),
            set: |request, text| fraction(text).map(|value| request.config.memory_cos = value).is_some(),
        },
        choice_key!("final_norm", final_norm, FinalNorm),
        integer_key!("seed", config.seed, 0, 4_294_967_295),
        integer_key!("seeds", seeds, 1, 32),
        Key {
            name: "engine",
            kind: Kind::Choice(&["gpu", "cpu", "reference"]),
            get: |request| request.engine.map_or("", Engine::key).to_owned(),
            // No text is the default, which leaves the choice open.
            set: |request, text| {
                request.engine = Engine::from_key(text);
                request.engine.is_some() || text.is_empty()
            },
        },
        statistic_key!("first_statistic", 0),
        statistic_key!("statistic", 1),
        scale_key!("first_scale", 0),
        scale_key!("statistic_scale", 1),
        Key {
            name: "relation",
            kind: Kind::Choice(words!(Relation)),
            get: |request| request.relation.key().to_owned(),
            set: |request, text| Relation::from_key(text).map(|relation| request.relation = relation).is_some(),
        },
        Key {
            name: "along",
            kind: Kind::Choice(words!(Along)),
            get: |request| request.along.key().to_owned(),
            set: |request, text| Along::from_key(text).map(|along| request.along = along).is_some(),
        },
        switch_key!("multiples", multiples),
        switch_key!("projector", projector),
        switch_key!("theory", theory),
        integer_key!("deepest", deepest, 12, 200),
        integer_key!("memory", memory, 64, 16_384),
        Key {
            name: "speed",
            kind: Kind::Choice(words!(Speed)),
            get: |request| request.speed.key().to_owned(),
            set: |request, text| Speed::from_key(text).map(|speed| request.speed = speed).is_some(),
        },
        Key {
            name: "pin",
            kind: Kind::Models(MOST_PINS),
            get: |request| pins::to_text(&request.pins),
            set: |request, text| pins::of_text(text).map(|models| request.pins = models).is_some(),
        },
        switch_key!("repeat", repeat),
        Key {
            name: "lang",
            kind: Kind::Choice(words!(Language)),
            get: |request| request.language.map_or("", Language::key).to_owned(),
            set: |request, text| {
                request.language = Language::from_key(text);
                request.language.is_some() || text.is_empty()
            },
        },
        Key {
            name: "theme",
            kind: Kind::Choice(words!(Theme)),
            get: |request| request.theme.map_or("", Theme::key).to_owned(),
            set: |request, text| {
                request.theme = Theme::from_key(text);
                request.theme.is_some() || text.is_empty()
            },
        },
        switch_key!("embed", embed),
        Key {
            name: "hide",
            kind: Kind::List(words!(Part)),
            get: |request| request.hide.iter().map(|part| part.key()).collect::<Vec<_>>().join(","),
            set: |request, text| {
                let parts = list(text, Part::from_key);
                request.hide = parts.clone().unwrap_or_default();
                parts.is_some() || text.is_empty()
            },
        },
    ];
    KEYS
}

impl Config {
    /// Mends clashes between values that are each allowed: `heads` becomes the largest divisor of `width` up to 4.
    /// True where it had to.
    pub(super) fn settle_heads(&mut self) -> bool {
        if self.width.is_multiple_of(self.heads) {
            return false;
        }
        self.heads = (1..=4).rev().find(|heads| self.width.is_multiple_of(*heads)).unwrap_or(1);
        true
    }
}
