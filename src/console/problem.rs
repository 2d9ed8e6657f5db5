//! How a user's mistakes are shown: message, place, the line with a caret below it, and what to do.
//!
//! Made to text only; who prints it is `console`. Drawn by miette from one line of the file, in which nothing is left
//! that a terminal would obey.

use std::fmt::Write as _;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};

use crate::matrix::problem::{Place, Problem};

/// The narrowest that a report is drawn, in columns.
const WIDTH_MIN: usize = 40;
/// Columns that the frame takes of a source line.
const FRAME: usize = 10;

/// Draws problems one after the other, for a terminal so many columns wide; each ends in a line end.
pub fn render(problems: &[Problem], colour: bool, width: usize) -> String {
    let width = width.max(WIDTH_MIN);
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let hint_word = theme.styles.help.style("hint:").to_string();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width);
    let mut text = String::new();
    for (index, problem) in problems.iter().enumerate() {
        if problems[..index].iter().any(|p| p.what == problem.what && p.place == problem.place) {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let shown = Shown::new(problem, width - FRAME);
        handler.render_report(&mut text, &shown).expect("writing to a string cannot fail");
        if let Some(hint) = &problem.hint {
            let written = writeln!(text, "  {hint_word} {}", harmless(hint));
            written.expect("writing to a string cannot fail");
        }
    }
    text
}

/// A problem as miette draws it.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
struct Shown {
    what: String,
    #[source_code]
    line: Option<Line>,
    #[label]
    span: Option<SourceSpan>,
}

impl Shown {
    fn new(problem: &Problem, columns: usize) -> Self {
        let what = harmless(&problem.what);
        let Some(place) = &problem.place else { return Self { what, line: None, span: None } };
        let (line, span) = Line::around(place, columns);
        Self { what, line: Some(line), span: Some((span.start, span.len()).into()) }
    }
}

/// The line of a file that a problem stands in, or as much of it as there is room for.
#[derive(Debug)]
struct Line {
    path: String,
    /// Both from 0.
    number: usize,
    column: usize,
    text: String,
}

impl Line {
    /// The line of a place, and the bytes of it that the place covers.
    fn around(place: &Place, columns: usize) -> (Self, Range<usize>) {
        let (number, column) = place.line_and_column();
        let (number, column) = (number - 1, column - 1);
        let line = place.source.text.split('\n').nth(number).unwrap_or_default();
        let line: Vec<char> = line.trim_end_matches('\r').chars().map(plain).collect();
        let covered = place.text().lines().next().map_or(0, |first| first.chars().count());

        // The place stays in sight with a part of what is in front of it.
        let left = if line.len() > columns { column.saturating_sub(columns / 3) } else { 0 };
        let right = line.len().min(left + columns);
        let start = column.clamp(left, right);
        let end = (column + covered.max(1)).clamp(start, right.max(start + 1));

        let mut text: String = line[left..right].iter().collect();
        let bytes = |count: usize| line[left..right].iter().take(count).map(|c| c.len_utf8()).sum();
        let span_start: usize = bytes(start - left);
        let mut span_end: usize = bytes(end - left);
        if end > right {
            text.push(' ');
            span_end += 1;
        }
        let path = harmless(&place.source.path.display().to_string());
        (Self { path, number, column, text }, span_start..span_end)
    }
}

impl SourceCode for Line {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Without context the place itself is asked for, to be told in the head.
        let column = if before == 0 { self.column } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.path.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            self.number,
            column,
            1,
        )))
    }
}

/// A text without anything that a terminal would obey.
fn harmless(text: &str) -> String {
    text.chars().map(plain).collect()
}

fn plain(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        // These turn the direction of what follows.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::matrix::problem::Source;

    fn place(text: &str, part: &str) -> Place {
        let start = text.find(part).expect("a part of the text");
        let source = Arc::new(Source { path: "m.toml".into(), text: text.to_owned() });
        Place { source, span: start..start + part.len() }
    }

    /// The lines of a problem as drawn without colour.
    fn drawn(problem: Problem, width: usize) -> Vec<String> {
        render(&[problem], false, width).lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_problem_is_a_message_a_place_a_caret_line_and_a_hint() {
        let place = place("[run]\nround = 3 # ä\n", "round");
        let problem = Problem::at(place, "unknown key `round`").hint("did you mean `rounds`?");
        assert_eq!(
            drawn(problem, 80),
            [
                "  x unknown key `round`",
                "   ,-[m.toml:2:1]",
                " 2 | round = 3 # ä",
                "   : ^^^^^",
                "   `----",
                "  hint: did you mean `rounds`?",
            ]
        );
    }

    #[test]
    fn a_problem_without_a_place_is_its_message_alone() {
        let problem = Problem::without_place("no profile `quik`");
        assert_eq!(drawn(problem, 80), ["  x no profile `quik`"]);
    }

    #[test]
    fn a_place_at_the_end_of_a_line_or_of_the_file_has_a_caret_too() {
        for (text, start, head, line) in [
            ("", 0, "[m.toml:1:1]", " 1 |  "),
            ("a =\r\nb = 1", 3, "[m.toml:1:4]", " 1 | a = "),
            ("a = 1\n", 6, "[m.toml:2:1]", " 2 |  "),
        ] {
            let source = Arc::new(Source { path: "m.toml".into(), text: text.to_owned() });
            let shown = drawn(Problem::at(Place { source, span: start..start }, "here"), 80);
            assert!(shown[1].ends_with(head), "{shown:#?}");
            assert_eq!(shown[2], line);
            assert_eq!(shown[3].matches('^').count(), 1, "{shown:#?}");
        }
    }

    #[test]
    fn of_a_long_line_as_much_is_shown_as_there_is_room_for() {
        let text = format!("body = \"{}here{}\"", "x".repeat(5000), "y".repeat(5000));
        let shown = drawn(Problem::at(place(&text, "here"), "long"), 80);
        assert!(shown.iter().all(|line| line.chars().count() <= 80), "{shown:#?}");
        assert_eq!(shown[1], "   ,-[m.toml:1:5009]");
        assert_eq!(shown[2].find("here"), shown[3].find("^^^^"), "{shown:#?}");
    }

    #[test]
    fn of_a_place_over_many_lines_the_first_is_marked() {
        let text = "targets = [\n  \"a\",\n]\n";
        let shown = drawn(Problem::at(place(text, "[\n  \"a\",\n]"), "many"), 80);
        assert_eq!(shown[2..4], [" 1 | targets = [", "   :           ^"]);
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_let_through() {
        let problem =
            Problem::at(place("\u{1b}[2J = 1", "[2J"), "a \u{1b}]0;x\u{7} \u{202e}b").hint("c\rd");
        let text = render(&[problem], false, 80);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}'));
    }

    #[test]
    fn the_same_problem_is_said_once_and_others_stand_apart() {
        let problem = Problem::at(place("a = 1", "a"), "x");
        let problems = [problem.clone(), Problem::without_place("y"), problem];
        let text = render(&problems, false, 80);
        assert_eq!(text.matches("  x x\n").count(), 1);
        assert!(text.ends_with("`----\n\n  x y\n"), "{text}");
    }

    #[test]
    fn colour_changes_no_word() {
        let problem = Problem::at(place("a = 1", "a"), "wrong").hint("right");
        let text = render(&[problem], true, 80);
        assert!(text.contains("\u{1b}["), "{text:?}");
        for word in ["wrong", "m.toml:1:1", "right", "hint:"] {
            assert!(text.contains(word), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_place_of_any_text_can_be_drawn_at_any_width(
            text in "[a-z=\"ä漢\t\r\n\u{301}\u{1f600}\u{feff} ]{0,120}",
            start in 0..130usize,
            length in 0..130usize,
            width in 0..130usize,
        ) {
            let source = Arc::new(Source { path: "m.toml".into(), text });
            let problem = Problem::at(Place { source, span: start..start + length }, "here");
            let drawn = drawn(problem, width);
            proptest::prop_assert!(drawn.iter().any(|line| line.contains('^')), "{:#?}", drawn);
        }
    }
}
