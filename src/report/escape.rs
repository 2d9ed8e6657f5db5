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

/// For a cell of a Markdown table, or within a line: as plain text, and with nothing that Markdown or HTML would take for its
/// own there. Where a line begins with it, see [`markdown_line`].
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

/// For a line of Markdown of its own, or all that an item of a list says: the same, and it opens no heading, list, rule or
/// block of code.
pub fn markdown_line(text: &str) -> String {
    let safe = markdown(text);
    if let Some(rest) = safe.strip_prefix(' ') {
        // Spaces indent code, and do not hide what comes behind a few of them.
        return format!("&#32;{rest}");
    }
    let digits = safe.bytes().take_while(u8::is_ascii_digit).count();
    let sign = if safe.starts_with(['#', '-', '+', '=']) {
        Some(0)
    } else {
        // `1.` and `1)` number the items of a list.
        Some(digits).filter(|at| *at > 0 && safe[*at..].starts_with(['.', ')']))
    };
    sign.map_or_else(|| safe.clone(), |at| format!("{}\\{}", &safe[..at], &safe[at..]))
}

/// For a cell of a CSV file that a spreadsheet may open: what would be taken for a formula begins with an apostrophe.
pub fn csv(text: &str) -> String {
    let safe = plain(text);
    if safe.starts_with(['=', '+', '-', '@']) && safe.parse::<f64>().is_err() {
        return format!("'{safe}");
    }
    safe
}

/// For text and attributes of HTML and SVG: as plain text, and with nothing that either would take for its own.
pub fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// For the end of a path in a link: all but letters, digits, `-`, `_`, `.` and `/` is written byte by byte.
pub fn href(path: &str) -> String {
    let mut safe = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_./".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(safe, "%{byte:02X}");
        }
    }
    safe
}

/// Marks of direction, characters without a width of their own, and those that are none in XML.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{e0000}'..='\u{e007f}'
    )
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
            ("\u{61c}\u{ad}", "\\u{61c}\\u{ad}", "\\\\u{61c}\\\\u{ad}", "\\u{61c}\\u{ad}"),
        ] {
            assert_eq!(plain(text), as_plain);
            assert_eq!(markdown(text), as_markdown);
            assert_eq!(csv(text), as_csv);
        }
    }

    #[test]
    fn nothing_that_a_line_of_markdown_begins_with_makes_more_of_it_than_a_line() {
        for (text, line) in [
            ("go/net-http: faster", "go/net-http: faster"),
            ("# go", "\\# go"),
            ("- go", "\\- go"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("+ go", "\\+ go"),
            ("12. go", "12\\. go"),
            ("1) go", "1\\) go"),
            ("12 go", "12 go"),
            ("* go", "\\* go"),
            ("> go", "&gt; go"),
            ("    go", "&#32;   go"),
            (" # go", "&#32;# go"),
            ("~~~", "\\~\\~\\~"),
            ("", ""),
        ] {
            assert_eq!(markdown_line(text), line);
        }
    }

    #[test]
    fn nothing_that_a_target_says_is_markup_or_leads_out_of_a_folder_of_logs() {
        for (text, as_markup) in [
            ("go/net-http", "go/net-http"),
            ("</script><b a='\"'>&", "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;"),
            ("a\r\n\u{2028}b", "a\\u{d}\\u{a}\\u{2028}b"),
            ("\u{202e}\u{2066}\u{61c}", "\\u{202e}\\u{2066}\\u{61c}"),
            ("\u{0}\u{fffe}\u{ffff}", "\\u{0}\\u{fffe}\\u{ffff}"),
            ("שרת", "שרת"),
        ] {
            assert_eq!(markup(text), as_markup);
        }
        for (path, as_href) in [
            ("logs/a-1.log", "logs/a-1.log"),
            ("javascript:x", "javascript%3Ax"),
            ("logs/a b\"'?#é%", "logs/a%20b%22%27%3F%23%C3%A9%25"),
        ] {
            assert_eq!(href(path), as_href);
        }
    }
}
