//! What is said to people, in their language.
//!
//! The texts are in `texts/<language>/<part>.json`, by name. Code declares those that it says by [`texts!`], each with the
//! values that stand in it, and a test compares every language with what is declared. Patterns are those of ICU
//! MessageFormat as far as they are needed, see [`pattern`].
//!
//! A command speaks English, which it carries. The page carries none: `boot.js` fetches the texts of the reader's language
//! while the WebAssembly arrives.

pub(crate) mod chart;
pub(crate) mod claims;
pub(crate) mod errors;
pub(crate) mod links;
pub(crate) mod number;
#[cfg_attr(not(feature = "app"), allow(dead_code))]
pub(crate) mod page;
mod pattern;
pub(crate) mod presets;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
pub(crate) mod theory;
#[cfg(any(feature = "app", test))]
mod typeset;

use std::cell::Cell;

use crate::model::config::named_enum;
use crate::sort::sort_short;
use pattern::{Part, parts};
#[cfg(feature = "app")]
pub(crate) use typeset::typeset;

named_enum! {
    /// A language of the page.
    Language {
        /// English.
        En = "en",
        /// German.
        De = "de",
    }
}

impl Language {
    /// Its own name for itself.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::De => "Deutsch",
        }
    }
}

/// The texts of one language, by `part.name`.
pub(crate) type Texts = Vec<(String, String)>;

/// The number by which a text is known while the program runs, FNV-1a of its name: the page would carry 5 KiB of names. A
/// test sees that no two names have the same.
pub(crate) const fn number_of(name: &str) -> u32 {
    let (name, mut number, mut i) = (name.as_bytes(), 0x811c_9dc5_u32, 0);
    while i < name.len() {
        number = (number ^ name[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    number
}

/// Texts by their numbers, in the order of those.
type Numbered = Vec<(u32, String)>;

/// What may stand in the place of a placeholder. Behind a pointer where it is filled in: there are hundreds of texts.
pub(crate) trait Say {
    /// Writes it out.
    fn write(&self, out: &mut String);

    /// The count that it is, which plural forms go by.
    fn count(&self) -> Option<u64> {
        None
    }
}

impl Say for str {
    fn write(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Say for String {
    fn write(&self, out: &mut String) {
        out.push_str(self);
    }
}

macro_rules! counts {
    ($($type:ty),+) => {
        $(impl Say for $type {
            fn write(&self, out: &mut String) {
                out.push_str(&number::grouped(*self as u64));
            }

            fn count(&self) -> Option<u64> {
                Some(*self as u64)
            }
        })+
    };
}

counts!(u32, u64, usize);

impl<T: Say + ?Sized> Say for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }

    fn count(&self) -> Option<u64> {
        (**self).count()
    }
}

#[cfg(not(all(target_arch = "wasm32", feature = "app")))]
mod carried {
    use super::Texts;

    /// The parts of a language that are carried.
    macro_rules! parts_of {
        ($language:literal: $($part:literal),+) => {
            [$(($part, include_str!(concat!("../../texts/", $language, "/", $part, ".json")))),+]
        };
    }

    fn gather(parts: &[(&str, &str)]) -> Texts {
        let mut all = Texts::new();
        for (part, json) in parts {
            let texts: std::collections::BTreeMap<String, String> =
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{part}.json: {error}"));
            all.extend(texts.into_iter().map(|(name, text)| (format!("{part}.{name}"), text)));
        }
        all
    }

    pub(super) fn english() -> Texts {
        gather(&parts_of!("en": "number", "page", "chart", "theory", "presets", "links", "errors", "claims", "rules"))
    }

    #[cfg(test)]
    pub(super) fn german() -> Texts {
        gather(&parts_of!("de": "number", "page", "chart", "theory", "presets", "links", "errors", "claims", "rules"))
    }
}

thread_local! {
    static CURRENT: Cell<Option<(Language, &'static Numbered)>> = const { Cell::new(None) };
}

/// Has what is said meanwhile be German.
#[cfg(test)]
pub(crate) fn in_german<T>(say: impl FnOnce() -> T) -> T {
    let before = current();
    speak(Language::De, carried::german());
    let said = say();
    CURRENT.set(before);
    said
}

/// Speaks a language from now on. Its texts stay in memory: what was said may be in use.
pub(crate) fn speak(language: Language, texts: Texts) {
    let mut texts: Numbered = texts.into_iter().map(|(name, text)| (number_of(&name), text)).collect();
    sort_short(&mut texts, |(a, _), (b, _)| a.cmp(b));
    CURRENT.set(Some((language, Box::leak(Box::new(texts)))));
}

fn current() -> Option<(Language, &'static Numbered)> {
    #[cfg(not(all(target_arch = "wasm32", feature = "app")))]
    if CURRENT.get().is_none() {
        speak(Language::En, carried::english());
    }
    CURRENT.get()
}

/// The language that is spoken.
#[cfg(feature = "app")]
#[must_use]
pub(crate) fn language() -> Option<Language> {
    current().map(|(language, _)| language)
}

/// The text of a name that is made while the page runs, as for each choice of a key; none where there is none.
#[must_use]
pub(crate) fn find(name: &str) -> Option<&'static str> {
    numbered(number_of(name))
}

fn numbered(number: u32) -> Option<&'static str> {
    let (_, texts) = current()?;
    let index = texts.binary_search_by_key(&number, |(known, _)| *known).ok()?;
    Some(&texts[index].1)
}

/// The text of a number; nothing where a file of texts lacks it, which a test rules out.
#[must_use]
pub(crate) fn get(number: u32) -> &'static str {
    numbered(number).unwrap_or_default()
}

/// The text of a number in pieces: words, and what stands for its placeholders.
pub(crate) fn pieces<V: Clone>(number: u32, values: &[(&str, V)]) -> Vec<Piece<V>> {
    let piece = |part| match part {
        Part::Words(words) => Some(Piece::Words(words)),
        Part::Placeholder(placeholder) => {
            let value = values.iter().find(|(known, _)| *known == placeholder);
            value.map(|(_, value)| Piece::Value(value.clone()))
        }
    };
    parts(get(number), &|_| None).into_iter().filter_map(piece).collect()
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece<V> {
    /// Words of the language.
    Words(String),
    /// What stands in it.
    Value(V),
}

impl FromIterator<Piece<Self>> for String {
    fn from_iter<I: IntoIterator<Item = Piece<Self>>>(pieces: I) -> Self {
        let text = |piece| match piece {
            Piece::Words(text) | Piece::Value(text) => text,
        };
        pieces.into_iter().map(text).collect()
    }
}

/// The text of a number with values in the places of its placeholders.
#[must_use]
pub(crate) fn fill(number: u32, values: &[(&str, &dyn Say)]) -> String {
    let value = |placeholder: &str| values.iter().find(|(known, _)| *known == placeholder).map(|(_, value)| *value);
    let mut out = String::new();
    for part in parts(get(number), &|placeholder| value(placeholder).and_then(Say::count)) {
        match part {
            Part::Words(words) => out += &words,
            Part::Placeholder(placeholder) => value(placeholder).into_iter().for_each(|value| value.write(&mut out)),
        }
    }
    out
}

/// Declares texts of a part: a function for each, which says it in the reader's language.
///
/// ```ignore
/// texts! { "page":
///     /// The button beside the slider.
///     pause;
///     play(from, to);
///     /// Its values keep their kind, such as strong numbers.
///     keeps[value];
/// }
/// assert_eq!(play(6, 200), "Play from 6 to 200 blocks");
/// ```
macro_rules! texts {
    ($part:literal: $($(#[$doc:meta])* $name:ident $(($($value:ident),+))? $([$($piece:ident),+])?;)*) => {
        $($crate::text::texts!(@say $part, [$(#[$doc])*], $name $(, $($value),+)? $(, [$($piece),+])?);)*

        /// What is declared here, with its placeholders.
        #[cfg(test)]
        pub(crate) const DECLARED: &[(&str, &[&str])] = &[
            $((concat!($part, ".", stringify!($name)), &[$($(stringify!($value)),+)? $($(stringify!($piece)),+)?])),*
        ];
    };
    (@say $part:literal, [$(#[$doc:meta])*], $name:ident) => {
        $(#[$doc])*
        #[must_use]
        pub(crate) fn $name() -> &'static str {
            $crate::text::get(const { $crate::text::number_of(concat!($part, ".", stringify!($name))) })
        }
    };
    (@say $part:literal, [$(#[$doc:meta])*], $name:ident, $($value:ident),+) => {
        $(#[$doc])*
        #[must_use]
        pub(crate) fn $name($($value: impl $crate::text::Say),+) -> String {
            const NUMBER: u32 = $crate::text::number_of(concat!($part, ".", stringify!($name)));
            $crate::text::fill(NUMBER, &[$((stringify!($value), &$value)),+])
        }
    };
    (@say $part:literal, [$(#[$doc:meta])*], $name:ident, [$($piece:ident),+]) => {
        $(#[$doc])*
        #[must_use]
        pub(crate) fn $name<V: Clone + FromIterator<$crate::text::Piece<V>>>($($piece: V),+) -> V {
            const NUMBER: u32 = $crate::text::number_of(concat!($part, ".", stringify!($name)));
            let values = [$((stringify!($piece), $piece)),+];
            $crate::text::pieces(NUMBER, &values).into_iter().collect()
        }
    };
}

pub(crate) use texts;
