//! Command lines: that they can be split, and that their placeholders are known.

use super::Command;
use super::literal::{Literal, literals};
use super::problem::{Problem, nearest};
use super::reading::Reading;
use super::table::Table;
use super::values::quoted;
use super::wire::Placed;

/// What may stand in braces in any command of a target or a service.
const PLACEHOLDERS: [&str; 6] = ["port", "host", "out", "assets", "cpus", "cpu-list"];
/// The key of the commands that run before there is a port.
const BUILD: &str = "build";
/// What a placeholder begins with that is of a service: `{service.db.port}`.
const OF_SERVICES: &str = "service.";

/// Takes one command out of a table; beside the usual placeholders it may name these services.
pub(super) fn command(
    table: &mut Table<'_>,
    key: &'static str,
    shell: bool,
    services: &[String],
) -> Option<Command> {
    let written = table.text(key)?;
    check_command(table.reading, &written, shell, services);
    Some(Command { text: written.value, shell })
}

/// Takes a list of commands out of a table; beside the usual placeholders they may name these services.
pub(super) fn commands(
    table: &mut Table<'_>,
    key: &'static str,
    shell: bool,
    services: &[String],
) -> Vec<Command> {
    let written = table.texts(key).map(|list| list.value).unwrap_or_default();
    for text in &written {
        check_command(table.reading, text, shell, services);
        if key == BUILD {
            report_port(table.reading, text);
        }
    }
    written.into_iter().map(|text| Command { text: text.value, shell }).collect()
}

fn check_command(reading: &Reading<'_>, text: &Placed<String>, shell: bool, services: &[String]) {
    let of_services = of_services(services);
    let of_services = of_services.iter().map(String::as_str);
    let known: Vec<&str> = PLACEHOLDERS.into_iter().chain(of_services).collect();
    check(reading, text, (!shell).then_some("set `shell = true`"), &known);
}

/// Notes a build that asks for the port, which is new for each trial.
fn report_port(reading: &Reading<'_>, text: &Placed<String>) {
    if placeholders(&text.value).any(|name| name == "port") {
        let problem = Problem::at(text.place.clone(), "`{port}` has no value in a build");
        reading.report(problem.hint("each trial has a port of its own: name it in `command`"));
    }
}

/// Notes what a variable's value says of services that it may not name. Other words in braces may be anything there.
pub(super) fn check_variable(reading: &Reading<'_>, value: &Placed<String>, services: &[String]) {
    let of_services = of_services(services);
    let known: Vec<&str> = of_services.iter().map(String::as_str).collect();
    report_unknown(reading, value, &known, is_of_service);
}

/// The services that a text names.
pub(super) fn services_named(text: &str) -> impl Iterator<Item = &str> {
    placeholders(text).filter_map(|name| Some(name.strip_prefix(OF_SERVICES)?.rsplit_once('.')?.0))
}

fn of_services(services: &[String]) -> Vec<String> {
    let both = |name: &String| ["port", "host"].map(|what| format!("{OF_SERVICES}{name}.{what}"));
    services.iter().flat_map(both).collect()
}

fn is_of_service(name: &str) -> bool {
    name.starts_with(OF_SERVICES)
}

/// Notes a command that is empty, cannot be split or has a placeholder that is not `known`.
/// Where no shell runs it, `ask` says how one is asked for.
pub(super) fn check(
    reading: &Reading<'_>,
    text: &Placed<String>,
    ask: Option<&str>,
    known: &[&str],
) {
    let report = |what: String, hint: String| {
        reading.report(Problem::at(text.place.clone(), what).hint(hint));
    };
    match (shlex::split(&text.value), ask) {
        _ if text.value.trim().is_empty() => {
            report("this command is empty".into(), "name a program".into());
        }
        (None, Some(ask)) => report(
            "this command cannot be split into words".into(),
            format!("close its quotes and escapes, or {ask}"),
        ),
        _ if text.value.contains('\0') => {
            report("this command holds a NUL".into(), "leave it out".into());
        }
        _ => {}
    }
    if let Some(ask) = ask {
        report_literals(reading, text, ask, known);
    }
    report_unknown(reading, text, known, |_| true);
}

/// Notes what only a shell would fill in or act on; `ask` says how one is asked for.
fn report_literals(reading: &Reading<'_>, text: &Placed<String>, ask: &str, known: &[&str]) {
    for literal in literals(&text.value) {
        let meant = || format!("{ask}, or put it in single quotes if it is meant as it stands");
        let (what, hint) = match literal {
            Literal::Variable(written, name) => {
                let of_ours = known.iter().find(|known| variable(known) == name);
                let guess = of_ours.map(|placeholder| format!("did you mean `{{{placeholder}}}`?"));
                (format!("`{written}` is not filled in"), guess.unwrap_or_else(meant))
            }
            Literal::Operator(sign) => (format!("`{sign}` is a word like any other"), meant()),
            Literal::Assignment(name, value) => (
                format!("`{name}={value}` is taken for the program"),
                format!("write it as `env = {{ {name} = \"...\" }}`, or {ask}"),
            ),
        };
        let what = format!("{what}, since no shell runs this command");
        reading.report(Problem::at(text.place.clone(), what).hint(hint));
    }
}

/// The variable of the environment that says the same as a placeholder.
fn variable(placeholder: &str) -> String {
    placeholder.replace(['-', '.'], "_").to_ascii_uppercase()
}

/// Notes every placeholder that is not known, of those that are of interest.
fn report_unknown(
    reading: &Reading<'_>,
    text: &Placed<String>,
    known: &[&str],
    is_of_interest: impl Fn(&str) -> bool,
) {
    let unknown = placeholders(&text.value).filter(|name| !known.contains(name));
    let is_capital = |name: &&str| known.iter().any(|known| variable(known) == **name);
    let capitals = braced(&text.value).filter(is_capital);
    for name in unknown.chain(capitals).filter(|name| is_of_interest(name)) {
        let has_services = known.iter().any(|name| is_of_service(name));
        let written = known.iter().copied().find(|known| variable(known) == name);
        let hint = match written.or_else(|| nearest(name, known.iter().copied())) {
            Some(guess) => format!("did you mean `{{{guess}}}`?"),
            None if is_of_service(name) && !has_services => {
                "there is no `[[service]]` that may be named here".to_owned()
            }
            None => format!("in braces may stand {}", quoted(known.iter().copied())),
        };
        let problem = Problem::at(text.place.clone(), format!("unknown placeholder `{{{name}}}`"));
        reading.report(problem.hint(hint));
    }
}

/// The words in braces that look like placeholders.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    braced(text).filter(|name| {
        let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_'));
        is_word || name.strip_prefix(OF_SERVICES).is_some_and(|of| of.chars().all(is_plain))
    })
}

/// Whatever stands in braces, but for those of a shell.
fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').filter_map(|(open, _)| {
        let rest = &text[open + 1..];
        let inside = &rest[..rest.find('}')?];
        (!text[..open].ends_with('$')).then_some(inside)
    })
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
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
            ("{service.d-1.port} {service. x}", &["service.d-1.port"]),
        ] {
            assert_eq!(placeholders(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
