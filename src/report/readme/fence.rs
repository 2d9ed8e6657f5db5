//! Fenced code, in which a marker is an example of one.
//!
//! By `CommonMark` 4.5, without its whole grammar of lists: a fence may be indented as those of list items are, or stand
//! right behind a bullet, and ends with the item at the latest.

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: char,
    length: usize,
    /// The column at which it opened.
    column: usize,
    /// A line that begins before this column is no part of the list item any more.
    floor: usize,
}

/// The fence that a line opens.
pub(super) fn opened_by(line: &str) -> Option<Fence> {
    let (mut column, mut rest) = indentation(line, 0);
    let mut is_item = false;
    while let Some(width) = bullet(rest) {
        is_item = true;
        (column, rest) = indentation(&rest[width..], column + width);
    }
    let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = run(rest, sign);
    // Three in a line with others behind them are a span of code.
    if length < 3 || (sign == '`' && rest[length..].contains('`')) {
        return None;
    }
    let floor = if is_item { column } else { column.saturating_sub(3) };
    Some(Fence { sign, length, column, floor })
}

impl Fence {
    /// Whether a line ends it, and is the last of it.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let (column, rest) = indentation(line, 0);
        let length = run(rest, self.sign);
        column <= self.column.max(3) && length >= self.length && rest[length..].trim().is_empty()
    }

    /// Whether a line stands behind the list item that holds it.
    pub(super) fn is_left_by(self, line: &str) -> bool {
        let (column, rest) = indentation(line, 0);
        !rest.trim().is_empty() && column < self.floor
    }
}

/// The column of the first sign that is no space, and the text from there. A tab goes on to the next fourth column.
pub(super) fn indentation(line: &str, start: usize) -> (usize, &str) {
    let mut column = start;
    for (at, sign) in line.char_indices() {
        match sign {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => return (column, &line[at..]),
        }
    }
    (column, "")
}

/// How many of the same sign a text begins with. The signs asked for are one byte long.
fn run(text: &str, sign: char) -> usize {
    text.chars().take_while(|other| *other == sign).count()
}

/// The bytes of a bullet or number that a list item begins with.
fn bullet(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let signs: &[u8] = if digits == 0 { b"-*+" } else { b".)" };
    let is_sign = text.as_bytes().get(digits).is_some_and(|sign| signs.contains(sign));
    let is_apart = matches!(text.as_bytes().get(digits + 1), Some(b' ' | b'\t'));
    (is_sign && is_apart && digits <= 9).then_some(digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_three_signs_or_more_wherever_a_list_may_put_it() {
        for (line, is_open) in [
            ("```", true),
            ("````md", true),
            ("~~~ `x`", true),
            ("   ```", true),
            ("      ```", true),
            ("\t~~~", true),
            ("- ```", true),
            ("12. - ~~~", true),
            ("``", false),
            ("```x```", false),
            ("text ```", false),
            ("-```", false),
            ("> ```", false),
            ("", false),
        ] {
            assert_eq!(opened_by(line).is_some(), is_open, "{line:?}");
        }
    }

    #[test]
    fn a_fence_ends_with_as_many_of_its_sign_or_with_its_list_item() {
        for (opening, line, is_closed, is_left) in [
            ("```", "```", true, false),
            ("```", "   ````  ", true, false),
            ("```", "    ```", false, false),
            ("````", "```", false, false),
            ("```", "~~~", false, false),
            ("```", "``` x", false, false),
            ("```", "text", false, false),
            ("- ```", "  ```", true, false),
            ("- ```", "text", false, true),
            ("- ```", "", false, false),
            ("    ```", "    ```", true, false),
            ("    ```", "text", false, true),
            ("    ```", " text", false, false),
        ] {
            let fence = opened_by(opening).expect("a fence");
            assert_eq!(fence.is_closed_by(line), is_closed, "{opening:?} {line:?}");
            assert_eq!(fence.is_left_by(line), is_left, "{opening:?} {line:?}");
        }
    }
}
