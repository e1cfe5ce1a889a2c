//! Texts of links and the command line: help on keys, values allowed, what is wrong with a value.

use super::{find, texts};

texts! { "links":
    integer(low, high);
    fraction(low, high);
    /// One or more words.
    list(words);
    models(most);
    address(most);
    /// What `heads` has to be.
    divisor(width);
    unknown(key);
    left_out(key, given, allowed);
    replaced(key, given, allowed, used);
}

/// The line of help on a key. Empty where there is no such key.
#[must_use]
pub(crate) fn help(key: &str) -> &'static str {
    find(&format!("links.{key}.help")).unwrap_or_default()
}

/// The names that [`help`] asks for.
#[cfg(test)]
pub(super) fn by_table() -> Vec<String> {
    crate::share::keys().iter().map(|key| format!("links.{}.help", key.name)).collect()
}
