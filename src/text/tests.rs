//! Every language says all that is declared, with the values that it is given, and nothing else.

use std::collections::BTreeMap;

use super::pattern::placeholders;
use super::{Texts, carried, number_of};

/// The names that code says, with the values it gives.
fn declared() -> BTreeMap<String, Vec<String>> {
    let by_macro = [
        super::page::DECLARED,
        super::chart::DECLARED,
        super::theory::DECLARED,
        super::links::DECLARED,
        super::errors::DECLARED,
        super::claims::DECLARED,
        super::rules::DECLARED,
    ];
    let mut all = BTreeMap::new();
    for (name, values) in by_macro.into_iter().flatten() {
        let mut values: Vec<String> = values.iter().map(ToString::to_string).collect();
        values.sort();
        assert!(all.insert((*name).to_owned(), values).is_none(), "{name} is declared twice");
    }
    for name in by_table() {
        assert!(all.insert(name.clone(), Vec::new()).is_none(), "{name} is declared twice");
    }
    all
}

/// Names that are made from tables of the code, as that of each preset.
fn by_table() -> Vec<String> {
    let numbers = ["decimal", "group", "nan"].map(|name| format!("number.{name}"));
    let tables =
        [super::page::by_table(), super::presets::by_table(), super::links::by_table(), super::claims::by_table()];
    numbers.into_iter().chain(tables.into_iter().flatten()).collect()
}

fn check(language: &str, texts: Texts) {
    let texts: BTreeMap<String, String> = texts.into_iter().collect();
    let declared = declared();
    let missing: Vec<_> = declared.keys().filter(|name| !texts.contains_key(*name)).collect();
    assert!(missing.is_empty(), "{language} lacks {missing:?}");
    let unused: Vec<_> = texts.keys().filter(|name| !declared.contains_key(*name)).collect();
    assert!(unused.is_empty(), "{language} has texts that nobody says: {unused:?}");
    for (name, values) in &declared {
        let text = &texts[name];
        assert!(!text.trim().is_empty(), "{language}, {name}: empty");
        let found = placeholders(text).unwrap_or_else(|why| panic!("{language}, {name}: {why}"));
        assert_eq!(&found, values, "{language}, {name}: {text}");
    }
}

#[test]
fn every_name_has_a_number_of_its_own() {
    let by_number: BTreeMap<u32, String> = declared().into_keys().map(|name| (number_of(&name), name)).collect();
    assert_eq!(by_number.len(), declared().len());
    // Of FNV-1a as its authors publish it.
    assert_eq!([number_of(""), number_of("a"), number_of("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
}

#[test]
fn english_is_complete() {
    check("en", carried::english());
}

#[test]
fn german_is_complete() {
    check("de", carried::german());
}
