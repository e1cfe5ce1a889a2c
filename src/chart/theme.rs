//! The colours of a scene. The same values stand in `style/tokens.css`; a test compares them.

use super::style::style;
use crate::model::Placement;

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Color {
    const fn hex(rgb: u32) -> Self {
        Self { red: (rgb >> 16) as u8, green: (rgb >> 8) as u8, blue: rgb as u8 }
    }

    /// `#RRGGBB`.
    #[must_use]
    pub fn css(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.red, self.green, self.blue)
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The paper.
    pub background: Color,
    /// Titles, values, controls.
    pub ink: Color,
    /// Labels, ticks, notes.
    pub ink_2: Color,
    /// Marks that are no text.
    pub ink_3: Color,
    /// Hairlines.
    pub rule: Color,
    /// The base of an axis.
    pub rule_strong: Color,
    /// Colours of lines, and of text in the same hue.
    placements: Hues,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hues {
    post: [Color; 2],
    pre: [Color; 2],
    sandwich: [Color; 2],
    olmo2: [Color; 2],
    deepnorm: [Color; 2],
    peri: [Color; 2],
    none: [Color; 2],
}

const fn pair(line: u32, text: u32) -> [Color; 2] {
    [Color::hex(line), Color::hex(text)]
}

impl Theme {
    /// Ink on paper.
    pub const LIGHT: Self = Self {
        background: Color::hex(0xFFFFFF),
        ink: Color::hex(0x16181D),
        ink_2: Color::hex(0x555C66),
        ink_3: Color::hex(0x888E97),
        rule: Color::hex(0xE3E5E9),
        rule_strong: Color::hex(0xC5C9D0),
        placements: Hues {
            post: pair(0xD55E00, 0xBF5400),
            pre: pair(0x0072B2, 0x0072B2),
            sandwich: pair(0x009E73, 0x098561),
            olmo2: pair(0xC573A1, 0xAA5A87),
            deepnorm: pair(0xBC8208, 0x9C6B06),
            peri: pair(0x3496C9, 0x097CAE),
            none: pair(0x16181D, 0x16181D),
        },
    };

    /// The night view.
    pub const DARK: Self = Self {
        background: Color::hex(0x111317),
        ink: Color::hex(0xECEEF0),
        ink_2: Color::hex(0xA6ACB5),
        ink_3: Color::hex(0x777E88),
        rule: Color::hex(0x272B32),
        rule_strong: Color::hex(0x434953),
        placements: Hues {
            post: pair(0xEE7A2C, 0xEE7A2C),
            pre: pair(0x3C97DB, 0x4AA0E0),
            sandwich: pair(0x12AD82, 0x12AD82),
            olmo2: pair(0xD68BB5, 0xD68BB5),
            deepnorm: pair(0xE69F00, 0xE69F00),
            peri: pair(0x8CCBF2, 0x8CCBF2),
            none: pair(0xECEEF0, 0xECEEF0),
        },
    };

    /// The colour of a placement's line.
    #[must_use]
    pub const fn line(&self, placement: Placement) -> Color {
        self.hue(placement)[0]
    }

    /// The same hue with enough contrast for text.
    #[must_use]
    pub const fn text(&self, placement: Placement) -> Color {
        self.hue(placement)[1]
    }

    const fn hue(&self, placement: Placement) -> [Color; 2] {
        match style(placement).hue {
            Placement::Post => self.placements.post,
            Placement::Pre => self.placements.pre,
            Placement::Sandwich => self.placements.sandwich,
            Placement::Olmo2 => self.placements.olmo2,
            Placement::DeepNorm => self.placements.deepnorm,
            Placement::Peri => self.placements.peri,
            _ => self.placements.none,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Color, Theme};
    use crate::chart::style::style;
    use crate::model::Placement;

    const TOKENS: &str = include_str!("../../style/tokens.css");

    /// The value of a custom property inside the first rule that starts with `selector`.
    fn token(selector: &str, name: &str) -> String {
        let rule = TOKENS.split(selector).nth(1).expect(selector).split('}').next().unwrap();
        let line = rule.lines().find(|line| line.trim_start().starts_with(&format!("--{name}:"))).expect(name);
        line.split(':').nth(1).unwrap().split(';').next().unwrap().trim().to_uppercase()
    }

    #[test]
    fn the_style_sheet_has_the_same_colours() {
        let themes = [("\n:root {", Theme::LIGHT), ("\n:root[data-theme=\"dark\"] {", Theme::DARK)];
        for (selector, theme) in themes {
            let same = |name: &str, color: Color| assert_eq!(token(selector, name), color.css(), "{selector} --{name}");
            same("bg", theme.background);
            same("ink", theme.ink);
            same("ink-2", theme.ink_2);
            same("ink-3", theme.ink_3);
            same("rule", theme.rule);
            same("rule-strong", theme.rule_strong);
            for placement in Placement::ALL {
                let hue = style(*placement).hue.key();
                same(hue, theme.line(*placement));
                same(&format!("{hue}-text"), theme.text(*placement));
            }
        }
    }

    #[test]
    fn the_system_s_dark_is_the_chosen_dark() {
        let body = |selector: &str| {
            let rule = TOKENS.split(selector).nth(1).unwrap().split('}').next().unwrap();
            rule.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(body(":root:not([data-theme=\"light\"]) {"), body("\n:root[data-theme=\"dark\"] {"));
    }

    /// Contrast of WCAG 2.
    fn contrast(a: Color, b: Color) -> f64 {
        let luminance = |color: Color| {
            let linear = |channel: u8| {
                let c = f64::from(channel) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_lines_have_contrast() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            assert!(contrast(theme.ink_2, theme.background) >= 4.5);
            assert!(contrast(theme.ink_3, theme.background) >= 3.0);
            for placement in Placement::ALL {
                assert!(contrast(theme.text(*placement), theme.background) >= 4.5, "{placement:?}");
                assert!(contrast(theme.line(*placement), theme.background) >= 3.0, "{placement:?}");
            }
        }
    }
}
