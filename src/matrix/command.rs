//! Command lines: that they can be split, and that their placeholders are known.

use super::Command;
use super::problem::{Problem, nearest};
use super::reading::Reading;
use super::table::Table;
use super::values::quoted;
use super::wire::Placed;

/// What may stand in braces in the commands of a target.
const PLACEHOLDERS: [&str; 6] = ["port", "host", "out", "assets", "cpus", "cpu-list"];

/// Takes one command out of a target's table.
pub(super) fn command(table: &mut Table<'_>, key: &'static str, shell: bool) -> Option<Command> {
    let written = table.text(key)?;
    check(table.reading, &written, shell, &PLACEHOLDERS);
    Some(Command { text: written.value, shell })
}

/// Takes a list of commands out of a target's table.
pub(super) fn commands(table: &mut Table<'_>, key: &'static str, shell: bool) -> Vec<Command> {
    let written = table.texts(key).map(|list| list.value).unwrap_or_default();
    for text in &written {
        check(table.reading, text, shell, &PLACEHOLDERS);
    }
    written.into_iter().map(|text| Command { text: text.value, shell }).collect()
}

/// Notes a command that is empty, cannot be split or has a placeholder that is not `known`.
pub(super) fn check(reading: &Reading<'_>, text: &Placed<String>, shell: bool, known: &[&str]) {
    let report = |what: String, hint: String| {
        reading.report(Problem::at(text.place.clone(), what).hint(hint));
    };
    match shlex::split(&text.value) {
        _ if text.value.trim().is_empty() => {
            report("this command is empty".into(), "name a program".into());
        }
        None if !shell => report(
            "this command cannot be split into words".into(),
            "close its quotes and escapes, or set `shell = true`".into(),
        ),
        _ if text.value.contains('\0') => {
            report("this command holds a NUL".into(), "leave it out".into());
        }
        _ => {}
    }
    for name in placeholders(&text.value).filter(|name| !known.contains(name)) {
        let hint = match nearest(name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{{{guess}}}`?"),
            None => format!("in braces may stand {}", quoted(known.iter().copied())),
        };
        report(format!("unknown placeholder `{{{name}}}`"), hint);
    }
}

/// The words in braces, but for those of a shell, `${...}`.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').filter_map(|(open, _)| {
        let rest = &text[open + 1..];
        let name = &rest[..rest.find('}')?];
        let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_'));
        (is_word && !text[..open].ends_with('$')).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_a_word_in_braces_that_no_shell_has_a_use_for() {
        for (text, expected) in [
            ("./s --port {port} {cpu-list}", &["port", "cpu-list"][..]),
            ("sh -c 'echo ${HOME} ${x} {} {a,b} {1..3} { x }'", &[]),
            ("{", &[]),
            ("{{port}}", &["port"]),
        ] {
            assert_eq!(placeholders(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
