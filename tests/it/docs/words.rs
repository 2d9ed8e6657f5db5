//! The glossary tells every word that a report may hold.

use orchestrate::outcome::{Change, Doubt, Kind, Limit, Stage, Verdict};
use orchestrate::report::column::Column;

use super::{Page, root};

/// Whether a text holds this word, and not as a part of another.
fn holds(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

fn names<K: Kind>() -> impl Iterator<Item = &'static str> {
    K::ALL.iter().map(|kind| kind.name())
}

#[test]
fn every_word_of_a_report_is_in_the_glossary() {
    let page = Page::read(root().join("docs/glossary.md"));
    let text = std::fs::read_to_string(&page.path).expect("a page");
    let spans: Vec<&str> = page.spans.iter().map(|(_, span)| span.as_str()).collect();
    for name in names::<Doubt>().chain(names::<Limit>()).chain(names::<Verdict>()) {
        assert!(spans.contains(&name), "no `{name}`");
    }
    let words = names::<Stage>().chain(Column::ALL.iter().map(|column| column.name()));
    let changes = names::<Change>().map(|name| name.replace('-', " "));
    for word in words.map(str::to_owned).chain(changes) {
        assert!(holds(&text, &word), "no {word}");
    }
}

#[test]
fn a_word_is_no_part_of_another() {
    for (text, word, is_held) in [
        ("a late one", "late", true),
        ("`late`", "late", true),
        ("lateness", "late", false),
        ("too-late", "late", false),
        ("late", "late", true),
    ] {
        assert_eq!(holds(text, word), is_held, "{text}");
    }
}
