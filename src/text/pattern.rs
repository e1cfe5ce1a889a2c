//! Texts with places for values, in the part of ICU MessageFormat that the texts use:
//!
//! | pattern | says |
//! |---|---|
//! | `{name}` | the value of that name |
//! | `{name, plural, one {# block} other {# blocks}}` | the form for that count, `#` being the count; `=0 {no block}` takes one count alone |
//!
//! Every language so far says `one` of 1 and `other` of all else.

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Words, the counts among them written out.
    Words(String),
    /// The place of a value.
    Placeholder(&'a str),
}

/// Takes a pattern apart, with the forms for these counts. What is no pattern is taken for words, which a test rules out.
pub(crate) fn parts<'a>(pattern: &'a str, count: &dyn Fn(&str) -> Option<u64>) -> Vec<Part<'a>> {
    let mut out = Vec::new();
    gather(pattern, None, count, &mut out);
    out
}

fn gather<'a>(pattern: &'a str, number: Option<u64>, count: &dyn Fn(&str) -> Option<u64>, out: &mut Vec<Part<'a>>) {
    let mut rest = pattern;
    while let Some(start) = rest.find('{') {
        words(&rest[..start], number, out);
        let Some(end) = closing(&rest[start..]) else { break };
        let inside = &rest[start + 1..start + end];
        rest = &rest[start + end + 1..];
        let mut pieces = inside.splitn(3, ',').map(str::trim);
        let (name, kind, forms) = (pieces.next().unwrap_or_default(), pieces.next(), pieces.next());
        match (kind, forms, count(name)) {
            (Some("plural"), Some(forms), Some(number)) => {
                gather(form(forms, number), Some(number), count, out);
            }
            _ => out.push(Part::Placeholder(name)),
        }
    }
    words(rest, number, out);
}

fn words(text: &str, number: Option<u64>, out: &mut Vec<Part<'_>>) {
    if text.is_empty() {
        return;
    }
    let text = match number {
        Some(number) => text.replace('#', &crate::text::number::grouped(number)),
        None => text.to_owned(),
    };
    match out.last_mut() {
        Some(Part::Words(last)) => last.push_str(&text),
        _ => out.push(Part::Words(text)),
    }
}

/// Where the brace that opens a text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The form for a count: the one for it alone, else that of its category, else the last.
fn form(forms: &str, number: u64) -> &str {
    let exact = format!("={number}");
    let category = if number == 1 { "one" } else { "other" };
    let (mut best, mut rank) = ("", 0);
    for (name, text) in each_form(forms) {
        let of_this = if name == exact {
            3
        } else if name == category {
            2
        } else {
            1
        };
        if of_this > rank || (of_this == 1 && rank == 1) {
            (best, rank) = (text, of_this);
        }
    }
    best
}

/// The forms by name.
fn each_form(forms: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = forms;
    std::iter::from_fn(move || {
        let start = rest.find('{')?;
        let end = start + closing(&rest[start..])?;
        let found = (rest[..start].trim(), &rest[start + 1..end]);
        rest = &rest[end + 1..];
        Some(found)
    })
}

/// The placeholders of a pattern.
///
/// # Errors
/// What is wrong with it.
#[cfg(test)]
pub(crate) fn placeholders(pattern: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(['{', '}']) {
        let end = closing(&rest[start..]).filter(|end| *end > 0).ok_or(format!("a brace alone: {pattern}"))?;
        let inside = &rest[start + 1..start + end];
        rest = &rest[start + end + 1..];
        let mut pieces = inside.splitn(3, ',').map(str::trim);
        let name = pieces.next().unwrap_or_default();
        if name.is_empty()
            || !name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
        {
            return Err(format!("no name: {{{inside}}}"));
        }
        names.push(name.to_owned());
        match (pieces.next(), pieces.next()) {
            (None, _) => {}
            (Some("plural"), Some(forms)) => {
                let forms: Vec<_> = each_form(forms).collect();
                let is_form = |name: &str| {
                    matches!(name, "one" | "other") || name.strip_prefix('=').is_some_and(|n| n.parse::<u64>().is_ok())
                };
                if forms.last().is_none_or(|(name, _)| *name != "other") || !forms.iter().all(|(name, _)| is_form(name))
                {
                    return Err(format!("no forms of a plural, the last being `other`: {{{inside}}}"));
                }
                for (_, text) in forms {
                    names.extend(placeholders(text)?);
                }
            }
            _ => return Err(format!("neither a name nor a plural: {{{inside}}}")),
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pattern: &str, count: u64) -> String {
        let mut out = String::new();
        for part in parts(pattern, &|name| (name == "count").then_some(count)) {
            match part {
                Part::Words(words) => out += &words,
                Part::Placeholder(name) => out += &format!("<{name}>"),
            }
        }
        out
    }

    #[test]
    fn plurals_go_by_the_count() {
        let pattern = "{a}: {count, plural, =0 {no block} one {# block of {b}} other {# blocks of {b}}}, {c}.";
        assert_eq!(said(pattern, 0), "<a>: no block, <c>.");
        assert_eq!(said(pattern, 1), "<a>: 1 block of <b>, <c>.");
        assert_eq!(said(pattern, 2), "<a>: 2 blocks of <b>, <c>.");
        assert_eq!(said(pattern, 1234), "<a>: 1,234 blocks of <b>, <c>.");
        assert_eq!(said("only words # 1", 1), "only words # 1");
        assert_eq!(placeholders(pattern), Ok(["a", "b", "c", "count"].map(String::from).to_vec()));
    }

    #[test]
    fn what_is_no_pattern_is_found() {
        for bad in [
            "{",
            "}",
            "a } b",
            "{a",
            "{}",
            "{a b}",
            "{n, plural}",
            "{n, plural, one {x}}",
            "{n, plural, few {x} other {y}}",
            "{n, select, other {x}}",
        ] {
            assert!(placeholders(bad).is_err(), "{bad}");
        }
    }
}
