//! What a shell would do with a command and nobody does where none runs it: variables, operators, assignments.
//!
//! Only what no quotes protect: who writes `'$PORT'` means it as it stands. Nothing is said of a command that runs a shell
//! itself, which fills in what is in its script.

/// Programs that run a script of their own.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox"];
/// Words that join programs or turn their output, in a shell.
const OPERATORS: [&str; 11] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "&>"];

/// Something in a command that stays as it is, since no shell runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal<'t> {
    /// A variable, as it is written and by its name: `${PORT}`, `PORT`.
    Variable(&'t str, &'t str),
    /// A word between programs: `&&`.
    Operator(&'t str),
    /// A variable that is set in front of the program: its name and its value.
    Assignment(&'t str, &'t str),
}

/// A word as it is written, with its quotes, and the variables in it that no quotes protect.
#[derive(Default)]
struct Word<'t> {
    text: &'t str,
    variables: Vec<(&'t str, &'t str)>,
    has_quotes: bool,
}

/// All of it in a command that no shell runs, in order.
pub(super) fn literals(text: &str) -> Vec<Literal<'_>> {
    let runs_shell =
        |word: &String| word.rsplit('/').next().is_some_and(|program| SHELLS.contains(&program));
    if shlex::split(text).is_none_or(|words| words.iter().any(runs_shell)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (place, word) in words(text).into_iter().enumerate() {
        let joins = OPERATORS.contains(&word.text)
            || word.text.strip_suffix(';').is_some_and(|rest| !rest.ends_with('\\'));
        match assignment(word.text).filter(|_| place == 0) {
            Some((name, value)) => found.push(Literal::Assignment(name, value)),
            None if joins && !word.has_quotes => found.push(Literal::Operator(word.text)),
            // What holds a blank is a script in some other language.
            None if word.text.contains(char::is_whitespace) => {}
            None => {
                let variables = word.variables.into_iter();
                found.extend(variables.map(|(written, name)| Literal::Variable(written, name)));
            }
        }
    }
    found
}

/// The words of a text as a shell parts them.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = None;
    let mut word = Word::default();
    let (mut quote, mut is_escaped) = (None, false);
    let end = [(text.len(), ' ')];
    for (at, sign) in text.char_indices().chain(end) {
        if sign.is_whitespace() && (at == text.len() || (quote.is_none() && !is_escaped)) {
            if let Some(start) = start.take() {
                let text = &text[start..at];
                words.push(Word { text, ..std::mem::take(&mut word) });
            }
            continue;
        }
        start.get_or_insert(at);
        word.has_quotes |= matches!(sign, '\'' | '"' | '\\');
        match (quote, sign) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            (None | Some('"'), '$') => word.variables.extend(variable(&text[at..])),
            _ => {}
        }
    }
    words
}

/// The variable that a text begins with, as it is written and by its name.
fn variable(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('$')?;
    // The name, and the signs that stand around it.
    let (name, around) = match rest.strip_prefix('{') {
        Some(rest) => (&rest[..rest.find('}')?], 3),
        None => (&rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())], 1),
    };
    is_name(name).then(|| (&text[..name.len() + around], name))
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| is_name(name))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_of_name)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let said = literals(text).into_iter().map(|literal| match literal {
            Literal::Variable(written, name) => format!("{written}={name}"),
            Literal::Operator(sign) => sign.to_owned(),
            Literal::Assignment(name, value) => format!("{name}:={value}"),
        });
        said.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_only_a_shell_would_act_on_is_found() {
        for (text, expected) in [
            ("./a --port $PORT", "$PORT=PORT"),
            ("./a --port=${PORT} \"$HOST:$PORT\"", "${PORT}=PORT $HOST=HOST $PORT=PORT"),
            ("PORT=3000 ./a", "PORT:=3000"),
            ("cd x && ./a | cat; ./b", "&& | cat;"),
            ("./a > log 2>&1 &", "> 2>&1 &"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn what_quotes_protect_or_a_shell_runs_is_left_alone() {
        for text in [
            "./a --port {port}",
            "./a '$PORT' \\$PORT \"\\$PORT\" $ $1 ${} ${x-y}",
            "sh -c 'exec ./a $PORT && x'",
            "/usr/bin/env bash -c \"./a $PORT | x\"",
            "perl -e \"print $x; exit\"",
            "find . -exec rm {} \\; '&&' \"|\"",
            "./a NAME=value --x=y",
            "./a 'open",
            "",
        ] {
            assert_eq!(said(text), "", "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_looked_through(text in "[a-zP$={}'\"\\\\ ;&|ä]{0,40}") {
            for literal in literals(&text) {
                let (Literal::Variable(part, _)
                    | Literal::Operator(part)
                    | Literal::Assignment(part, _)) = literal;
                proptest::prop_assert!(text.contains(part));
            }
        }
    }
}
