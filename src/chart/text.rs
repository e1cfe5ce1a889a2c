//! How wide a text will be, near enough to lay labels out without a browser.

/// Estimated width in px; rather a little too wide than too narrow: as in DejaVu Sans, the widest of the usual fonts.
pub(super) fn width(text: &str, size: f64, strong: bool) -> f64 {
    let em: f64 = text.chars().map(advance).sum();
    em * size * if strong { 1.15 } else { 1.0 }
}

fn advance(character: char) -> f64 {
    match character {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '’' | '|' | '\u{2009}' => 0.29,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '-' => 0.38,
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.42,
        'm' | 'w' | 'M' | 'W' => 0.92,
        'A'..='Z' | 'Ä' | 'Ö' | 'Ü' | '×' | '∞' => 0.70,
        '0'..='9' => 0.63,
        _ => 0.60,
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn a_wide_font_fits() {
        // Advances of DejaVu Sans Bold, in em.
        for (text, em) in
            [("Sandwich-LN", 7.284), (" 0.24", 2.816), ("DeepNorm 1.00", 8.78), ("Post-LN", 4.39), ("2,345", 3.164)]
        {
            assert!(width(text, 1.0, true) >= em, "{text}: {} of {em}", width(text, 1.0, true));
        }
    }
}
