//! The command line, read: what cannot be read is told with the word that was most likely meant.
//!
//! The parser guesses most of them itself. Here is what it does not: it also guesses verbs that are internal, and misses
//! short words.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use super::Cli;
use crate::matrix::problem::nearest;

/// Reads the words of a command line, the program's name first.
///
/// # Errors
/// What cannot be read; also help and the version, where they are asked for.
pub fn read<W>(words: impl IntoIterator<Item = W>) -> Result<Cli, Error>
where
    W: Into<OsString> + Clone,
{
    Cli::try_parse_from(words).map_err(|mut error| {
        match error.kind() {
            ErrorKind::InvalidSubcommand => guess_verb(&mut error),
            ErrorKind::InvalidValue => guess_value(&mut error),
            _ => {}
        }
        error
    })
}

fn guess_verb(error: &mut Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned()
    else {
        return;
    };
    let command = Cli::command();
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: Vec<&str> = shown.map(clap::Command::get_name).chain(["help"]).collect();
    // What was broken off is a nearer guess than what was mistyped.
    let begun = verbs.iter().find(|verb| !typed.is_empty() && verb.starts_with(&typed)).copied();
    let near = || nearest(&typed, verbs.iter().copied().chain(["version"]));
    let ours = match begun.or_else(near) {
        _ if typed.to_lowercase().ends_with(".toml") => Some(format!("run {typed}")),
        Some("version") => Some("--version".to_owned()),
        near => near.map(str::to_owned),
    };
    let theirs = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(theirs)) => theirs,
        _ => Vec::new(),
    };
    let theirs = theirs.into_iter().filter(|verb| verbs.contains(&verb.as_str()));
    let guesses: Vec<String> = ours.map_or_else(|| theirs.collect(), |ours| vec![ours]);
    if !guesses.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(guesses));
    }
}

fn guess_value(error: &mut Error) {
    let (Some(ContextValue::String(typed)), Some(ContextValue::Strings(known)), None) = (
        error.get(ContextKind::InvalidValue),
        error.get(ContextKind::ValidValue),
        error.get(ContextKind::SuggestedValue),
    ) else {
        return;
    };
    if let Some(guess) = nearest(typed, known.iter().map(String::as_str)) {
        let guess = ContextValue::String(guess.to_owned());
        error.insert(ContextKind::SuggestedValue, guess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a command line that cannot be read.
    fn said(words: &str) -> String {
        let words = ["orchestrate"].into_iter().chain(words.split(' '));
        read(words).map(|cli| format!("{cli:?}")).expect_err("a fault").to_string()
    }

    /// Each command line is told that this is the word that was meant.
    fn check(cases: &[(&str, &str)]) {
        for (words, guess) in cases {
            let text = said(words);
            assert!(text.contains(&format!("exists: '{guess}'")), "{words}: {text}");
        }
    }

    #[test]
    fn a_verb_gets_the_nearest_one_that_a_user_may_type() {
        check(&[
            ("rum m.toml", "run"),
            ("Check m.toml", "check"),
            ("histroy m", "history"),
            ("hist m", "history"),
            ("verison", "--version"),
            ("version", "--version"),
            ("configs/matrix.toml", "run configs/matrix.toml"),
        ]);
        for words in ["bench x", "keap", "lanch", "zzz"] {
            let text = said(words);
            assert!(!text.contains("'keep'") && !text.contains("'launch'"), "{text}");
        }
        assert!(!said("zzz").contains("tip:"), "{}", said("zzz"));
    }

    #[test]
    fn an_option_gets_the_nearest_one() {
        check(&[
            ("run m.toml --rebiuld", "--rebuild"),
            ("report --fromat csv", "--format"),
            ("compare a b --fail-no unclear", "--fail-on"),
            ("history m --metrics cpu", "--metric"),
            ("load localhost --conections 3", "--connections"),
        ]);
    }

    #[test]
    fn a_word_of_a_closed_list_gets_the_nearest_of_it() {
        check(&[
            ("report --format cvs", "csv"),
            ("report --format HTML", "html"),
            ("report --group languages", "language"),
            ("report --without audits", "audit"),
            ("compare a b --fail-on regresion", "regression"),
            ("compare a b --fail-on unclear,unclaer", "unclear"),
            ("run m --fail-on unclaer --against x", "unclear"),
            ("run m --provision=yess", "yes"),
            ("history m --fail-on confirmd", "confirmed"),
            ("history m --format jsno", "json"),
            ("doctor --format jsn", "json"),
            ("load localhost --format sieg", "siege"),
            ("load localhost --verify al", "all"),
            ("load localhost --arrivals poison --rate 5", "poisson"),
        ]);
    }

    #[test]
    fn a_number_that_is_none_or_out_of_range_is_told_its_range() {
        for (words, range) in [
            ("run m --rounds many", "1 to 1000"),
            ("run m --rounds 0", "1 to 1000"),
            ("load localhost -c 3.5", "1 to 100000"),
            ("load localhost --expect-status 99", "200 to 599"),
            ("load localhost -n=-3", "1 to 1000000000"),
        ] {
            let text = said(words);
            let told = format!("it is not a whole number from {range}");
            assert!(text.contains(&told), "{words}: {text}");
        }
    }
}
