//! Powers and indices in a text.

/// A text as HTML: what follows `^`, a number, a name or what is in brackets, is raised, and a letter or digit after `_` is
/// lowered. The signs stay for who hears or copies it.
#[must_use]
pub(crate) fn typeset(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['^', '_']) {
        let (tag, length) = match rest[at..].strip_prefix('_') {
            Some(after) => ("sub", after.chars().next().filter(|c| c.is_alphanumeric()).map_or(0, char::len_utf8)),
            None => ("sup", exponent(&rest[at + 1..])),
        };
        let (before, sign) = rest.split_at(at);
        let (sign, after) = sign.split_at(1);
        let (moved, left) = after.split_at(length);
        out += before;
        rest = left;
        if moved.is_empty() {
            out += sign;
            continue;
        }
        let hidden = |sign: &str| format!(r#"<span class="vh">{sign}</span>"#);
        out += &match moved.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) => format!("<{tag}>{}{inner}{}</{tag}>", hidden(&format!("{sign}(")), hidden(")")),
            None => format!("<{tag}>{}{moved}</{tag}>", hidden(sign)),
        };
    }
    out + rest
}

/// How many bytes of a text, from its beginning, are an exponent.
fn exponent(text: &str) -> usize {
    if text.starts_with('(') {
        return text.find(')').map_or(0, |end| end + 1);
    }
    let unsigned = text.trim_start_matches(['-', '−']);
    let mut length = 0;
    for (at, c) in unsigned.char_indices() {
        let next = unsigned[at + c.len_utf8()..].chars().next();
        // A point or a comma is of the number where a digit follows, else of the sentence.
        let is_inside = matches!(c, '.' | ',') && next.is_some_and(|next| next.is_ascii_digit());
        if !c.is_alphanumeric() && !is_inside {
            break;
        }
        length = at + c.len_utf8();
    }
    if length == 0 { 0 } else { text.len() - unsigned.len() + length }
}

#[cfg(test)]
mod tests {
    use super::typeset;

    /// With what is hidden in square brackets.
    fn plain(text: &str) -> String {
        typeset(text).replace(r#"<span class="vh">"#, "[").replace("</span>", "]")
    }

    #[test]
    fn powers_are_raised_and_indices_lowered() {
        for (text, wanted) in [
            ("as L^−0.52, the first as L^0.00.", "as L<sup>[^]−0.52</sup>, the first as L<sup>[^]0.00</sup>."),
            ("wie L^−0,50, also", "wie L<sup>[^]−0,50</sup>, also"),
            ("2^(L/2) and α^L with", "2<sup>[^(]L/2[)]</sup> and α<sup>[^]L</sup> with"),
            ("‖∂L/∂x_L‖ of W_2", "‖∂L/∂x<sub>[_]L</sub>‖ of W<sub>[_]2</sub>"),
            ("a < b & c", "a &lt; b &amp; c"),
            ("a ^ b, x^, y^− and 2^(open, a_", "a ^ b, x^, y^− and 2^(open, a_"),
        ] {
            assert_eq!(plain(text), wanted);
        }
    }

    #[test]
    fn who_copies_it_has_the_text() {
        let text = "as L^−0.52 < 2^(L/2) of x_L";
        let html = typeset(text);
        let mut copied = String::new();
        let mut is_tag = false;
        for c in html.chars() {
            match c {
                '<' => is_tag = true,
                '>' => is_tag = false,
                c if !is_tag => copied.push(c),
                _ => {}
            }
        }
        assert_eq!(copied.replace("&lt;", "<"), text);
    }
}
