//! Pages of any text: finding their blocks never panics, what lies outside of them is never changed, and a page that
//! was filled is one that is filled.

#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use orchestrate::matrix::problem::Source;
use orchestrate::report::readme::{Filling, Page, State};

fuzz_target!(|text: &str| {
    let page = parse(text);
    if !page.problems.is_empty() {
        // Such a page is left alone.
        return;
    }
    let filling = Filling { run: "a--b \"c\"".to_owned(), text: "\n| a |\n|---|\n\n".to_owned() };
    let fillings = vec![filling; page.blocks.len()];
    let filled = page.fill(&fillings);
    let again = parse(&filled);
    assert_eq!(again.blocks.len(), page.blocks.len());
    for (block, filling) in again.blocks.iter().zip(&fillings) {
        assert!(again.holds(block, filling));
        assert_eq!(again.state(block), State::AsFilled);
    }
    assert_eq!(again.fill(&fillings), filled);
    assert_eq!(outside(&again), outside(&page));
});

fn parse(text: &str) -> Page {
    Page::parse(Source { path: "README.md".into(), text: text.to_owned() })
}

/// What is no inside and no end marker of a block.
fn outside(page: &Page) -> Vec<&str> {
    let text = &page.source.text;
    let mut from = 0;
    let mut parts = Vec::new();
    for block in &page.blocks {
        let [Range { start, end }, marker] = [block.inner(), block.end()];
        parts.extend([&text[from..start], &text[end..marker.start]]);
        from = marker.end;
    }
    parts.push(&text[from..]);
    parts
}
