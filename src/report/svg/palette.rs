//! Colours of pages and charts, on light and on dark, and the rules by which charts wear them.

use std::fmt::Write as _;

/// Colours that go together.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Scheme {
    /// What all stands on.
    pub(in crate::report) paper: &'static str,
    /// What is set apart from it, such as heads of tables.
    pub(in crate::report) panel: &'static str,
    /// Text.
    pub(in crate::report) ink: &'static str,
    /// Text that matters less.
    pub(in crate::report) muted: &'static str,
    /// Lines that help the eye.
    pub(in crate::report) grid: &'static str,
    /// Links.
    pub(in crate::report) link: &'static str,
    /// What went wrong.
    pub(in crate::report) bad: &'static str,
    /// Rows; when they run out they come again, with other dashes.
    pub(in crate::report) rows: [&'static str; COLOURS],
}

/// Colours of rows.
pub(in crate::report) const COLOURS: usize = 8;
/// Dashes of lines, from none.
const DASHES: [&str; 3] = ["none", "7 3", "2 3"];

pub(in crate::report) const LIGHT: Scheme = Scheme {
    paper: "#ffffff",
    panel: "#f4f5f7",
    ink: "#1c2024",
    muted: "#5a6270",
    grid: "#dfe2e7",
    link: "#0b5cad",
    bad: "#b3261e",
    rows: ["#1666b0", "#c2410c", "#2f7d32", "#8b3fa8", "#946200", "#0b7a75", "#c2185b", "#5d5750"],
};

pub(in crate::report) const DARK: Scheme = Scheme {
    paper: "#14171c",
    panel: "#1f242b",
    ink: "#e8eaee",
    muted: "#a3abb8",
    grid: "#343a44",
    link: "#7db8ff",
    bad: "#ff8a80",
    rows: ["#6cb6ff", "#ff9a5c", "#7ccf7f", "#cf9bf0", "#e3c15a", "#4fd1c5", "#ff8fc0", "#c4bdb5"],
};

/// The fonts of the reader's system.
pub(in crate::report) const FONTS: &str =
    "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif";

/// The classes of a row of this place among all targets: its colour, and its dashes.
pub(super) fn classes(place: usize) -> String {
    format!("k{} e{}", place % COLOURS, place / COLOURS % DASHES.len())
}

/// The rules of charts. Colours stand in them as such: not every program that shows SVG knows variables.
pub(in crate::report) fn chart_rules() -> String {
    let mut rules = format!(
        ".chart text{{font:12px {FONTS};font-variant-numeric:tabular-nums}}\
         .chart .s{{font-size:10.5px}}\
         .chart .t{{font-size:14px;font-weight:600}}\
         .chart .b{{font-weight:600}}\
         .chart .b,.chart .v{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}\
         .chart path,.chart line{{fill:none}}\
         .chart .g{{stroke-width:1}}\
         .chart .r{{stroke-width:1;stroke-dasharray:3 3}}\
         .chart .l{{stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}}\
         .chart .w{{stroke-width:.75;opacity:.7}}\
         .chart .i{{stroke-width:1.75}}\
         .chart .o{{stroke-width:5;stroke-linecap:round;opacity:.4}}\
         .chart .q{{stroke-width:4.5;stroke-linecap:round}}\
         .chart .x{{stroke-width:2}}\
         .chart .d,.chart .h{{stroke-width:1.75}}\
         .chart .row:hover .l{{stroke-width:3}}.chart .row:hover .o{{opacity:.9}}\
         .chart .row:hover text{{font-weight:600}}"
    );
    for (number, dash) in DASHES.iter().enumerate().skip(1) {
        // Writing to a string does not fail.
        let _ = write!(rules, ".chart .e{number} .l{{stroke-dasharray:{dash}}}");
    }
    rules.push_str(&colours(&LIGHT));
    rules.extend(["@media (prefers-color-scheme:dark){", &colours(&DARK), "}"]);
    rules
}

fn colours(scheme: &Scheme) -> String {
    let Scheme { paper, ink, muted, grid, bad, .. } = scheme;
    let mut rules = format!(
        ".chart text{{fill:{ink}}}.chart .m{{fill:{muted}}}.chart .g{{stroke:{grid}}}\
         .chart .r{{stroke:{muted}}}.chart .bg{{fill:{paper};stroke:{grid}}}\
         .chart .b,.chart .v{{stroke:{paper}}}\
         .chart .d{{stroke:{paper}}}.chart .h{{fill:{paper}}}.chart .x{{stroke:{bad}}}"
    );
    for (number, colour) in scheme.rows.iter().enumerate() {
        let lines: Vec<String> = ["l", "w", "i", "o", "q", "h"]
            .map(|class| format!(".chart .k{number} .{class}"))
            .into();
        // Writing to a string does not fail.
        let _ = write!(
            rules,
            "{}{{stroke:{colour}}}.chart .k{number} .d{{fill:{colour}}}",
            lines.join(",")
        );
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ratio of two colours by WCAG 2.2, "contrast ratio".
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let channel = |at: usize| {
                let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
                let share = f64::from(value) / 255.0;
                if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_stands_out_by_four_and_a_half_and_lines_by_three() {
        assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
        assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01);
        for scheme in [LIGHT, DARK] {
            for text in [scheme.ink, scheme.muted, scheme.link, scheme.bad] {
                for ground in [scheme.paper, scheme.panel] {
                    assert!(contrast(text, ground) >= 4.5, "{text} on {ground}");
                }
            }
            for line in scheme.rows {
                assert!(contrast(line, scheme.paper) >= 3.0, "{line} on {}", scheme.paper);
            }
        }
    }

    #[test]
    fn rows_differ_in_colour_and_where_colours_run_out_in_dashes() {
        let all: std::collections::BTreeSet<String> = (0..24).map(classes).collect();
        assert_eq!(all.len(), 24);
        let rules = chart_rules();
        for class in all.iter().flat_map(|classes| classes.split(' ')) {
            assert!(class == "e0" || rules.contains(&format!(".{class} ")), "{class}");
        }
    }
}
