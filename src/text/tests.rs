//! Every language says all that is declared, with the values that it is given, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

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

/// The texts of what surrounds the page, in a language, with the values that stand in them. Scripts say them.
fn around(language: &str) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for part in ["host", "beside"] {
        let file = format!("{}/texts/{language}/{part}.json", env!("CARGO_MANIFEST_DIR"));
        let json = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let texts: BTreeMap<String, String> =
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{file}: {error}"));
        for (name, text) in texts {
            assert!(!text.trim().is_empty(), "{language}, {part}.{name}: empty");
            let values = placeholders(&text).unwrap_or_else(|why| panic!("{language}, {part}.{name}: {why}"));
            // They fill braces in, and no more.
            assert!(!text.contains("plural"), "{language}, {part}.{name}: {text}");
            all.insert(format!("{part}.{name}"), values);
        }
    }
    all
}

/// Scripts and markup of the page and of what surrounds it.
fn scripts() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let folder = std::fs::read_dir(format!("{root}/web")).expect("web/ is there");
    let files = folder.map(|entry| entry.expect("an entry of web/").path());
    let is_script = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "js" || end == "html");
    files.filter(is_script).map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

#[test]
fn what_surrounds_the_page_says_the_same_in_every_language() {
    let [english, german] = ["en", "de"].map(|language| BTreeSet::from_iter(around(language)));
    let apart: Vec<_> = english.symmetric_difference(&german).collect();
    assert!(apart.is_empty(), "in one of them alone: {apart:?}");
}

#[test]
fn scripts_say_every_text_of_theirs_and_no_other() {
    let scripts = scripts();
    let texts = around("en");
    // By its name, or by one whose end a table has: `beside.part.${part}`.
    let is_said = |name: &str| {
        let by_table = name.rsplit_once('.').is_some_and(|(stem, _)| scripts.contains(&format!("`{stem}.${{")));
        by_table || scripts.contains(&format!("\"{name}\""))
    };
    let unused: Vec<_> = texts.keys().filter(|name| !is_said(name)).collect();
    assert!(unused.is_empty(), "texts that nobody says: {unused:?}");
    let said = scripts.split('"').filter(|text| text.starts_with("host.") || text.starts_with("beside."));
    let missing: Vec<_> = said.filter(|name| !texts.contains_key(*name)).collect();
    assert!(missing.is_empty(), "no texts of the names {missing:?}");
}

#[test]
fn every_name_has_a_number_of_its_own() {
    // The page knows those of scripts too, which it does not say.
    let names: Vec<String> = declared().into_keys().chain(around("en").into_keys()).collect();
    let by_number: BTreeMap<u32, &String> = names.iter().map(|name| (number_of(name), name)).collect();
    assert_eq!(by_number.len(), names.len());
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
