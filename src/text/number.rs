//! How values are written: three significant digits at 1 or more, two below; a power of ten outside 0.001 to 99,999.

use super::{get, number_of};

/// A space that keeps a sign and its numbers together.
pub(crate) const THIN: char = '\u{2009}';

/// A measured value: `10.5`, `0.073`, `2.4 × 10⁸`.
#[must_use]
pub(crate) fn value(value: f64) -> String {
    if value.is_nan() {
        return get(const { number_of("number.nan") }).into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    let exponent = scientific(size, if size >= 0.995 { 3 } else { 2 }).1;
    match exponent {
        3 | 4 => format!("{sign}{}", grouped(size.round() as u64)),
        -3..=2 => {
            let decimals = if exponent < 0 { 1 - exponent } else { 2 - exponent } as usize;
            format!("{sign}{}", decimal(&format!("{size:.decimals$}")))
        }
        _ => {
            let (mantissa, exponent) = scientific(size, 2);
            format!("{sign}{}{THIN}×{THIN}10{}", decimal(&mantissa), superscript(exponent))
        }
    }
}

/// The label of a tick: as short as it can be without rounding.
#[must_use]
pub(crate) fn tick(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    let (mantissa, exponent) = scientific(size, 3);
    match exponent {
        4 => format!("{sign}{}", grouped(size.round() as u64)),
        3 => format!("{sign}{size:.0}"),
        -3..=2 => {
            let decimals = (2 - exponent) as usize;
            format!("{sign}{}", decimal(short(&format!("{size:.decimals$}"))))
        }
        _ => {
            let power = format!("10{}", superscript(exponent));
            match short(&mantissa) {
                "1" => format!("{sign}{power}"),
                mantissa => format!("{sign}{}{THIN}×{THIN}{power}", decimal(mantissa)),
            }
        }
    }
}

/// How many times larger: `9.5`, `12`, `3.1 × 10⁴`.
#[must_use]
pub(crate) fn ratio(times: f64) -> String {
    match times {
        t if t < 99.95 => fixed(t, 1),
        t if t < 9999.5 => grouped(t.round() as u64),
        t => value(t),
    }
}

/// A number with so many decimals.
#[must_use]
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    decimal(&format!("{value:.decimals$}"))
}

/// A number as short as it is: `0.5`, `1`.
#[cfg(feature = "app")]
#[must_use]
pub(crate) fn plain(value: f64) -> String {
    decimal(&value.to_string())
}

/// Digits with the language's decimal sign.
fn decimal(digits: &str) -> String {
    digits.replace('.', get(const { number_of("number.decimal") }))
}

/// A whole number with the language's sign at every thousand.
#[must_use]
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out += get(const { number_of("number.group") });
        }
        out.push(digit);
    }
    out
}

/// A whole number in raised digits.
#[must_use]
pub(crate) fn superscript(number: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = if number < 0 { "⁻" } else { "" };
    let digits = number.unsigned_abs().to_string();
    sign.chars().chain(digits.bytes().map(|digit| RAISED[usize::from(digit - b'0')])).collect()
}

/// Mantissa and exponent at so many significant digits; `size` is positive.
fn scientific(size: f64, digits: usize) -> (String, i32) {
    let text = format!("{size:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// A decimal without the zeros at its end.
fn short(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

#[cfg(test)]
mod tests {
    use super::{grouped, ratio, superscript, tick, value};

    #[test]
    fn values_have_the_digits_the_page_promises() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (10.46, "10.5"),
            (99.96, "100"),
            (123.4, "123"),
            (1234.4, "1,234"),
            (0.999, "1.00"),
            (0.703, "0.70"),
            (0.0731, "0.073"),
            (0.001_04, "0.0010"),
            (-2.5, "−2.50"),
            (2.43e8, "2.4\u{2009}×\u{2009}10⁸"),
            (9.97e-7, "1.0\u{2009}×\u{2009}10⁻⁶"),
            (99_999.7, "1.0\u{2009}×\u{2009}10⁵"),
            (134_510.0, "1.3\u{2009}×\u{2009}10⁵"),
        ];
        for (number, text) in cases {
            assert_eq!(value(number), text, "{number}");
        }
        assert_eq!(value(f64::NAN), "not a number");
        assert_eq!(value(f64::INFINITY), "∞");
    }

    #[test]
    fn ticks_are_short() {
        let cases = [
            (0.0, "0"),
            (0.3, "0.3"),
            (12.0, "12"),
            (1.5, "1.5"),
            (1000.0, "1000"),
            (20_000.0, "20,000"),
            (0.05, "0.05"),
            (2000.0, "2000"),
            (100.0, "100"),
            (1e-4, "10⁻⁴"),
            (2.5e-5, "2.5\u{2009}×\u{2009}10⁻⁵"),
        ];
        for (number, text) in cases {
            assert_eq!(tick(number), text);
        }
        assert_eq!(tick(3e6), "3\u{2009}×\u{2009}10⁶");
    }

    #[test]
    fn the_rest() {
        assert_eq!(grouped(2310), "2,310");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(superscript(-12), "⁻¹²");
        assert_eq!(ratio(9.52), "9.5");
        assert_eq!(ratio(120.4), "120");
    }
}
