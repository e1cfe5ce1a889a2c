//! Texts of the presets.

use super::find;

/// What is said of a preset: its `title`, `sentence` or `source`, or what is `left_out`. Empty where there is no such text.
#[must_use]
pub(crate) fn of(key: &str, what: &str) -> &'static str {
    find(&format!("presets.{key}.{what}")).unwrap_or_default()
}

/// The names that [`of`] is asked for.
#[cfg(test)]
pub(super) fn by_table() -> Vec<String> {
    let of_each = |preset: &crate::presets::Preset| {
        let known = [("title", preset.name), ("sentence", None), ("source", preset.source), ("left_out", None)];
        let asked = known.into_iter().filter(|(_, known)| known.is_none());
        asked.map(|(what, _)| format!("presets.{}.{what}", preset.key)).collect::<Vec<_>>()
    };
    crate::presets::ALL.iter().flat_map(of_each).collect()
}
