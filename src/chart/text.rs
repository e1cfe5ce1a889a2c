//! How wide a text will be, near enough to lay labels out without a browser.

/// Estimated width in px; rather a little too wide than too narrow.
pub(super) fn width(text: &str, size: f64, strong: bool) -> f64 {
    let em: f64 = text.chars().map(advance).sum();
    em * size * if strong { 1.07 } else { 1.0 }
}

fn advance(character: char) -> f64 {
    match character {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '’' | '|' | '\u{2009}' => 0.29,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '-' => 0.38,
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.42,
        'm' | 'w' | 'M' | 'W' => 0.92,
        'A'..='Z' | '×' | '∞' => 0.70,
        '0'..='9' => 0.63,
        _ => 0.60,
    }
}
