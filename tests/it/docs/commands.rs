//! Every command that a page tells is one that the program takes.

use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory as _};
use orchestrate::cli::Cli;

use super::{Page, pages};

/// Options of other programs that our pages name.
const OTHERS: [&str; 1] = ["--latency-correction"];
/// What ends the words of a command, in a line of a shell.
const ENDS: [&str; 8] = ["|", "||", "&&", ">", ">>", "<", ";", "&"];

/// The program's words, with all that clap adds.
fn cli() -> Command {
    let mut cli = Cli::command();
    cli.build();
    cli
}

/// The words behind the program's name, for each time that a line of code calls it.
fn calls(line: &str) -> Vec<Vec<String>> {
    // `#` begins a comment; the pages have none within quotes.
    let line = line.split(" #").next().unwrap_or_default();
    let words: Vec<String> = shlex::split(line)
        .unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect())
        .into_iter()
        .flat_map(|word| match word.strip_suffix(';') {
            Some(word) => vec![word.to_owned(), ";".to_owned()],
            None => vec![word],
        })
        .collect();
    let mut calls = Vec::new();
    for place in 0..words.len() {
        let is_called = words[place] == "orchestrate"
            || (words[place] == "--"
                && words[..place].ends_with(&["run", "--release"].map(str::to_owned)));
        if is_called {
            let end = |word: &&String| ENDS.contains(&word.as_str());
            calls.push(words[place + 1..].iter().take_while(|word| !end(word)).cloned().collect());
        }
    }
    calls
}

/// What is wrong with the words behind the program's name, as far as they say anything of verbs and options.
fn fault(cli: &Command, words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    if let Some(option) = first.strip_prefix("--") {
        return option_fault(cli, option, None);
    }
    // A version behind the name, or a sentence that begins with it, calls nothing.
    if !first.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        return None;
    }
    let Some(verb) = cli.find_subcommand(first) else {
        return Some(format!("there is no verb `{first}`"));
    };
    let mut rest = rest.iter().peekable();
    while let Some(word) = rest.next() {
        let word = word.trim_matches(['[', ']', ',']);
        let value = rest.peek().map(|word| word.as_str());
        let fault = match word.strip_prefix("--") {
            Some("") => return None,
            Some(option) => option_fault(verb, option, value),
            None => short_fault(verb, word),
        };
        if fault.is_some() {
            return fault;
        }
    }
    None
}

fn short_fault(verb: &Command, word: &str) -> Option<String> {
    let short = word.strip_prefix('-')?.chars().next()?;
    let is_known = |arg: &Arg| {
        arg.get_short() == Some(short)
            || arg.get_all_short_aliases().is_some_and(|all| all.contains(&short))
    };
    (!verb.get_arguments().any(is_known))
        .then(|| format!("`{}` has no option `-{short}`", verb.get_name()))
}

/// What is wrong with `NAME`, `NAME=VALUE`, or `NAME` and the word behind it.
fn option_fault(verb: &Command, option: &str, next: Option<&str>) -> Option<String> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, next),
    };
    let name = name.trim_end_matches('[');
    let Some(arg) = find(verb, name) else {
        return Some(format!("`{}` has no option `--{name}`", verb.get_name()));
    };
    let allowed = arg.get_possible_values();
    let value = value.filter(|value| arg.get_action().takes_values() && !value.starts_with('-'))?;
    // What is written large stands for something.
    if allowed.is_empty() || value.chars().all(|c| !c.is_lowercase()) {
        return None;
    }
    let is_allowed = |word: &str| allowed.iter().any(|it| it.matches(word, false));
    let wrong = value.trim_end_matches(']').split(',').find(|word| !is_allowed(word))?;
    Some(format!("`--{name}` of `{}` takes no `{wrong}`", verb.get_name()))
}

fn find<'c>(verb: &'c Command, name: &str) -> Option<&'c Arg> {
    verb.get_arguments().find(|arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
    })
}

/// What is wrong with an option that stands for itself: no verb has it.
fn lonely_fault(cli: &Command, span: &str) -> Option<String> {
    let option =
        span.split_whitespace().next().filter(|word| word.starts_with("--") && *word != "--")?;
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let is_ours = cli.get_subcommands().any(|verb| find(verb, &name[2..]).is_some());
    if OTHERS.contains(&name) || (is_ours && value.is_empty()) {
        return None;
    }
    let takes = |verb: &Command| option_fault(verb, &option[2..], None).is_none();
    (!cli.get_subcommands().any(takes)).then(|| format!("no verb has `{option}`"))
}

/// Whether clap takes a whole command; only of one that is written out in a block.
fn whole_fault(words: &[String]) -> Option<String> {
    let name = ["orchestrate".to_owned()];
    let error = Cli::command().try_get_matches_from(name.iter().chain(words)).err()?;
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!is_help).then(|| error.to_string())
}

fn faults(page: &Page) -> Vec<String> {
    let cli = cli();
    let mut faults = Vec::new();
    for (line, span) in &page.spans {
        let called = calls(span);
        let told = called.iter().find_map(|words| fault(&cli, words));
        let told = told.or_else(|| lonely_fault(&cli, span));
        faults.extend(told.map(|fault| format!("{}: `{span}`: {fault}", page.place(*line))));
    }
    for (first, block) in &page.blocks {
        for (at, text) in block.text.lines().enumerate() {
            let is_whole = text.starts_with("orchestrate ") || text.starts_with("cargo run ");
            for words in calls(text) {
                let told = fault(&cli, &words);
                let told = told.or_else(|| if is_whole { whole_fault(&words) } else { None });
                let place = page.place(first + at);
                faults.extend(told.map(|fault| format!("{place}: `{text}`: {fault}")));
            }
        }
    }
    faults
}

#[test]
fn every_command_of_a_page_is_one_that_the_program_takes() {
    let pages = pages();
    let blocks = pages.iter().flat_map(|page| &page.blocks);
    let lines = blocks.flat_map(|(_, block)| block.text.lines()).flat_map(calls).count();
    let spans = pages.iter().flat_map(|page| &page.spans).flat_map(|(_, span)| calls(span)).count();
    assert!(lines > 20 && spans > 40, "{lines} in blocks and {spans} in sentences");
    let faults: Vec<String> = pages.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_verb_is_told_by_the_readme() {
    let pages = pages();
    let readme = pages.iter().find(|page| page.place(1) == "README.md:1").expect("a README");
    let told: Vec<Vec<String>> = readme.spans.iter().flat_map(|(_, span)| calls(span)).collect();
    for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let is_told =
            told.iter().any(|words| words.first().is_some_and(|it| it == verb.get_name()));
        assert!(is_told, "README.md does not tell of `{}`", verb.get_name());
    }
}

#[test]
fn a_command_that_cannot_be_typed_is_found() {
    let told = |text: &str| faults(&Page::parse("page.md".into(), text)).join("; ");
    for (text, part) in [
        ("`orchestrate rum MATRIX`", "there is no verb `rum`"),
        ("`orchestrate run MATRIX --rebiuld`", "`run` has no option `--rebiuld`"),
        ("`orchestrate run MATRIX -x`", "`run` has no option `-x`"),
        ("`orchestrate report --format jsn`", "`--format` of `report` takes no `jsn`"),
        ("`orchestrate compare A B --fail-on regression,never`", "takes no `never`"),
        ("`--rebiuld`", "no verb has `--rebiuld`"),
        ("`--provision=no`", "no verb has `--provision=no`"),
        ("    orchestrate run\n", "required arguments"),
        ("    orchestrate run m.toml --resume --rounds 3\n", "cannot be used with"),
        ("    code=0; orchestrate historie m.toml || code=$?\n", "there is no verb `historie`"),
        ("    cargo run --release -- rum m.toml\n", "there is no verb `rum`"),
    ] {
        let told = told(text);
        assert!(told.contains(part), "{text}: {told}");
    }
    for text in [
        "`orchestrate`, `orchestrate run`, `orchestrate run MATRIX --resume [RUN]`, `orchestrate 0.1.0 (abc1234)`",
        "`orchestrate run MATRIX --provision=yes`, `--provision=yes`, `--format json`, `-- x`, `orchestrate --version`",
        "    orchestrate history nightly --format html > history.html      # table, md --nothing\n",
        "    cargo run --release -- run configs/matrix.toml --provision=yes\n",
        "    cargo bench --bench peers -- --quick\n",
        "    git add results && git commit -m \"results of orchestrate\"\n",
    ] {
        assert_eq!(told(text), "", "{text}");
    }
}
