//! The reference of what a user writes, as a Markdown page: a section for each table, a row for each key.

use std::fmt::Write as _;
use std::time::Duration;

use crate::matrix::keys::{
    ANY, CPUS, EXPECT, FROM, INLINE, Key, Keys, LOAD, MATRIX, OWN_REQUEST, PROFILE, Preset, RUN,
    SERVES, SERVICE, Sort, TARGET, TOOL, TOOLCHAINS, VARIANT, WAY, WORKLOAD,
};
use crate::units::{typed_duration, write_count, write_duration};

/// A matrix with a comment on what it says.
pub(super) const EXAMPLE: &str = include_str!("example.toml");
/// Pages that are named, and where they are as seen from this one.
const LINKS: [(&str, &str); 2] = [
    ("`targets/README.md`", "[targets/README.md](../targets/README.md)"),
    ("`docs/services.md`", "[services.md](services.md)"),
];

const HEAD: &str = "\
<!-- Made by `orchestrate schema matrix --format md`; a change here is lost. -->

# The matrix, key by key

A matrix is a TOML file. Two `[[target]]` with a `command` are a whole one; all else has a default. Here is one that says more:
";

const AFTER: &str = "\
Keys that are not told of here are errors. `orchestrate check MATRIX` finds all that is wrong with a matrix at once, and prints the plan
with every default made explicit. `orchestrate schema matrix` prints a JSON Schema of it, by which an editor completes keys and says what they
mean: with `orchestrate schema matrix > matrix.schema.json` and a first line `#:schema matrix.schema.json` in the matrix, editors that
use Taplo do. The schema knows forms and bounds; `check` knows also which names there are.
";

const FORMS: &str = "\
## How values are written

| value | is written |
|---|---|
| text | a string |
| path | a string; relative to the folder of the file that it stands in |
| name | a letter or digit, then letters, digits, `.`, `_`, `-`; at most 100 characters. Targets also have `/` and `+` in theirs |
| duration | `\"500ms\"`, `\"2s\"`, `\"1m 30s\"`, or a number of seconds; at most 7 days |
| share | `\"2%\"`, or a number: `0.02` |
| size | bytes: `640`, `\"12 kB\"`, `\"1.5 MiB\"` |
| rate | a number per second, or `\"5 k/s\"`, `\"300/min\"` |
| CPUs | numbers and ranges: `\"0,2-3\"` |
| patterns | a list: `*` stands for anything, `!` in front excludes |
| command | a string that is split into words as a shell does it; no shell runs it, unless `shell = true` |
| tools | a list of names of tools: `\"go\"`, `\"go >= 1.21\"` |
| digest | 64 hexadecimal digits |
| table of texts | `{ name = \"value\" }` |
";

/// The tables of the page, in order, and whether their keys are told; those of the others are told elsewhere on it.
const SECTIONS: [(&Keys, bool); 17] = [
    (&MATRIX, true),
    (&RUN, true),
    (&PROFILE, false),
    (&CPUS, true),
    (&WORKLOAD, true),
    (&EXPECT, true),
    (&LOAD, true),
    (&FROM, true),
    (&INLINE, false),
    (&TARGET, true),
    (&VARIANT, false),
    (&SERVES, true),
    (&OWN_REQUEST, true),
    (&SERVICE, true),
    (&TOOLCHAINS, true),
    (&TOOL, true),
    (&WAY, true),
];

/// All that a user may write, on one page.
pub(super) fn matrix() -> String {
    let mut page = format!("{HEAD}\n```toml\n{EXAMPLE}```\n\n{AFTER}\n{FORMS}");
    for (keys, has_rows) in SECTIONS {
        section(&mut page, keys, has_rows);
    }
    page
}

/// One file and what may stand in it.
pub(super) fn reference(root: &'static Keys) -> String {
    let mut page = String::new();
    for keys in root.with_all_below() {
        section(&mut page, keys, keys.name != VARIANT.name);
    }
    page.trim_start().to_owned()
}

fn section(page: &mut String, keys: &Keys, has_rows: bool) {
    // Writing to a string does not fail.
    let _ = write!(page, "\n## {}\n\n{}\n", capital(keys.written), linked(keys.about));
    if !has_rows {
        return;
    }
    page.push_str("\n| key | value | default | what it says |\n|---|---|---|---|\n");
    for key in keys.keys {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            name(key),
            value(key.sort),
            default(key.preset),
            about(key)
        );
    }
}

fn name(key: &Key) -> String {
    if key.name == ANY { "a name".to_owned() } else { format!("`{}`", key.name) }
}

fn about(key: &Key) -> String {
    let about = linked(key.about);
    match key.example {
        Some(example) => format!("{about} Example: `{example}`"),
        None => about,
    }
}

fn linked(text: &str) -> String {
    LINKS.iter().fold(text.to_owned(), |text, (name, link)| text.replace(name, link))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn default(preset: Preset) -> String {
    match preset {
        Preset::Required => "required".to_owned(),
        Preset::Absent => "none".to_owned(),
        Preset::Words(words) => words.to_owned(),
        Preset::Text(text) => format!("`\"{text}\"`"),
        Preset::Whole(number) => format!("`{number}`"),
        Preset::Share(share) => format!("`\"{}%\"`", share * 100.0),
        Preset::Truth(truth) => format!("`{truth}`"),
        Preset::Time(time) => format!("`\"{}\"`", typed_duration(time)),
        Preset::All => "`[\"*\"]`".to_owned(),
    }
}

fn value(sort: Sort) -> String {
    let quoted = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        words.join(", ")
    };
    match sort {
        Sort::Text | Sort::Method | Sort::Expression => "text".to_owned(),
        Sort::Json => "text of JSON, or a value of TOML".to_owned(),
        Sort::Name | Sort::TargetName => "name".to_owned(),
        Sort::ServiceName => "small letters, digits and `-`, a letter first; at most 40".to_owned(),
        Sort::File => "path".to_owned(),
        Sort::Truth => "`true` or `false`".to_owned(),
        // No more than what TOML can say.
        Sort::Whole { least, most } if most >= i64::MAX.unsigned_abs() => {
            format!("whole number from {least}")
        }
        Sort::Whole { least, most } => {
            format!("whole number, {} to {}", write_count(least), write_count(most))
        }
        Sort::Time { least: Duration::ZERO } => "duration".to_owned(),
        Sort::Time { least } => format!("duration, {} or more", write_duration(least)),
        Sort::Share => "share below 100%".to_owned(),
        Sort::Rate => "rate, 0.001 to 10,000,000".to_owned(),
        Sort::Size => "size".to_owned(),
        Sort::Cpus(words) => format!("{} or CPUs", quoted(words)),
        Sort::Choice(words) => quoted(words),
        Sort::Choices(words) => format!("list of {}", quoted(words)),
        Sort::Path => "text that begins with `/`".to_owned(),
        Sort::Command => "command".to_owned(),
        Sort::Commands => "list of commands".to_owned(),
        Sort::Needs => "tools".to_owned(),
        Sort::Texts => "list of texts".to_owned(),
        Sort::Globs => "patterns".to_owned(),
        Sort::Headers => "table of texts".to_owned(),
        Sort::Variables => "table of texts, whole numbers, `true` or `false`".to_owned(),
        Sort::Digest => "digest".to_owned(),
        Sort::Table(keys) => format!("table: {}", keys.written),
        Sort::Tables(keys) | Sort::Named(keys) => format!("tables: {}", keys.written),
        Sort::Either(all) => {
            let written: Vec<&str> = all.iter().map(|keys| keys.written).collect();
            format!("tables: {}", written.join(" or "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_section_for_every_table() {
        for root in [&MATRIX, &TARGET, &TOOLCHAINS] {
            for keys in root.with_all_below() {
                assert!(SECTIONS.iter().any(|(it, _)| it.written == keys.written), "{}", keys.name);
            }
        }
    }
}
