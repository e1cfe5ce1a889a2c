//! Icons as SVG text.

macro_rules! icon {
    ($name:ident, $width:literal, $height:literal, $body:literal) => {
        pub(super) const $name: &str = concat!(
            "<svg width=\"",
            $width,
            "\" height=\"",
            $height,
            "\" viewBox=\"0 0 ",
            $width,
            " ",
            $height,
            "\" aria-hidden=\"true\">",
            $body,
            "</svg>"
        );
    };
}

icon!(CHEVRON, "10", "6", r#"<path d="M1 1l4 4 4-4" fill="none" stroke="currentColor" stroke-width="1.5"/>"#);
icon!(RIGHT, "6", "10", r#"<path d="M1 1l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.5"/>"#);
icon!(PLAY, "18", "18", r#"<path d="M4.5 2.2v13.6L16 9z" fill="currentColor"/>"#);
icon!(PAUSE, "18", "18", r#"<path d="M4 2.5h3.5v13H4zM10.5 2.5H14v13h-3.5z" fill="currentColor"/>"#);
icon!(
    REPEAT,
    "16",
    "16",
    r#"<path d="M13 8a5 5 0 1 1-1.500-3.500M13 1.500v3.200H9.800" fill="none" stroke="currentColor" stroke-width="1.5"/>"#
);
icon!(
    KEYS,
    "18",
    "18",
    r#"<rect x="1.500" y="4" width="15" height="10" rx="2" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M4.500 7.500h1m2 0h1m2 0h1m2 0h.500M5.500 11h7" stroke="currentColor" stroke-width="1.5"/>"#
);
icon!(LINES, "18", "18", r#"<path d="M2 4.500h14M2 9h14M2 13.500h14" stroke="currentColor" stroke-width="1.5"/>"#);
icon!(CROSS, "12", "12", r#"<path d="M2 2l8 8m0-8l-8 8" stroke="currentColor" stroke-width="1.5"/>"#);
icon!(MINUS, "16", "16", r#"<path d="M3 8h10" stroke="currentColor" stroke-width="1.75" stroke-linecap="round"/>"#);
icon!(
    PLUS,
    "16",
    "16",
    r#"<path d="M3 8h10M8 3v10" stroke="currentColor" stroke-width="1.75" stroke-linecap="round"/>"#
);
icon!(
    THEME,
    "18",
    "18",
    r#"<circle cx="9" cy="9" r="7" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M9 2a7 7 0 0 1 0 14z" fill="currentColor"/>"#
);
icon!(
    DOTS,
    "18",
    "4",
    r#"<circle cx="2" cy="2" r="1.75" fill="currentColor"/><circle cx="9" cy="2" r="1.75" fill="currentColor"/><circle cx="16" cy="2" r="1.75" fill="currentColor"/>"#
);
icon!(
    MARK,
    "28",
    "22",
    r#"<path class="wire" d="M0 14H28M5 14V9q0-5 5-5h2q5 0 5 5v5"/><rect class="bar" x="20" y="7.5" width="5" height="13" rx="1.5"/>"#
);
icon!(
    HOLDS,
    "16",
    "16",
    r#"<circle cx="8" cy="8" r="7.5" fill="currentColor"/><path d="M4.700 8.300l2.300 2.300 4.400-4.800" fill="none" stroke="var(--bg)" stroke-width="1.6"/>"#
);
icon!(
    DOES_NOT_HOLD,
    "16",
    "16",
    r#"<circle cx="8" cy="8" r="6.900" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M5.500 5.500l5 5m0-5l-5 5" stroke="currentColor" stroke-width="1.6"/>"#
);
icon!(
    IN_PART,
    "16",
    "16",
    r#"<circle cx="8" cy="8" r="6.900" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M8 1a7 7 0 0 0 0 14z" fill="currentColor"/>"#
);
icon!(
    OPEN,
    "16",
    "16",
    r#"<circle cx="8" cy="8" r="6.900" fill="none" stroke="currentColor" stroke-width="1.4" stroke-dasharray="2.600 2.200"/>"#
);
