//! Text that comes from targets, made harmless for where it is shown.

use std::fmt::Write as _;

/// For a terminal and for plain text: control characters, and those that turn the direction of writing, are written
/// as what they are.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            // Writing to a string does not fail.
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    safe
}

/// For a cell of a Markdown table: as plain text, and with nothing that Markdown or HTML would take for its own.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            other => safe.push(other),
        }
    }
    safe
}

/// For a cell of a CSV file that a spreadsheet may open: what would be taken for a formula begins with an apostrophe.
pub fn csv(text: &str) -> String {
    let safe = plain(text);
    if safe.starts_with(['=', '+', '-', '@']) && safe.parse::<f64>().is_err() {
        return format!("'{safe}");
    }
    safe
}

/// Marks of direction and other characters without a width of their own.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_target_says_steers_a_terminal_a_page_or_a_spreadsheet() {
        for (text, as_plain, as_markdown, as_csv) in [
            ("go/net-http", "go/net-http", "go/net-http", "go/net-http"),
            ("\u{1b}[31mred", "\\u{1b}[31mred", "\\\\u{1b}\\[31mred", "\\u{1b}[31mred"),
            ("<b>|`", "<b>|`", "&lt;b&gt;\\|\\`", "<b>|`"),
            ("a\nb", "a\\u{a}b", "a\\\\u{a}b", "a\\u{a}b"),
            ("\u{202e}txt", "\\u{202e}txt", "\\\\u{202e}txt", "\\u{202e}txt"),
            ("=1+1", "=1+1", "=1+1", "'=1+1"),
            ("-2.5", "-2.5", "-2.5", "-2.5"),
        ] {
            assert_eq!(plain(text), as_plain);
            assert_eq!(markdown(text), as_markdown);
            assert_eq!(csv(text), as_csv);
        }
    }
}
