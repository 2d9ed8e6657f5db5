//! The pages that people read: what they point to is there, what they tell to type can be typed, and what they walk through works.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

mod commands;
mod links;
mod readme;
mod walk;
mod words;

/// A page, and what of it the tests look at.
pub(crate) struct Page {
    /// Where it lies.
    path: PathBuf,
    /// Where links lead, each with its line.
    links: Vec<(usize, String)>,
    /// The names by which its headings can be pointed to.
    anchors: Vec<String>,
    /// Spans of code within a text, each with its line.
    spans: Vec<(usize, String)>,
    /// Blocks of code, each with its line.
    blocks: Vec<(usize, Block)>,
}

/// A block of code.
pub(crate) struct Block {
    /// The word behind its fence; empty if it is indented, or has none.
    language: String,
    text: String,
}

/// All pages that users read, from the folder of the project.
fn pages() -> Vec<Page> {
    let root = root();
    let docs = fs::read_dir(root.join("docs")).expect("docs").flatten().map(|it| it.path());
    let mut paths: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .chain(["README.md", "targets/README.md", "CHANGELOG.md"].map(|page| root.join(page)))
        .collect();
    paths.sort();
    assert!(paths.len() > 15, "{paths:?}");
    paths.into_iter().map(Page::read).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(path, &text)
    }

    fn parse(path: PathBuf, text: &str) -> Self {
        let (links, anchors, spans, blocks) = Default::default();
        let mut page = Self { path, links, anchors, spans, blocks };
        let mut heading: Option<String> = None;
        let mut block: Option<(usize, Block)> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = 1 + text[..range.start].matches('\n').count();
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line, dest_url.into_string()));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let heading = heading.take().expect("one that began");
                    page.anchors.push(anchor(&heading, &page.anchors));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(word) => word.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some((line, Block { language, text: String::new() }));
                }
                Event::End(TagEnd::CodeBlock) => {
                    page.blocks.push(block.take().expect("one that began"));
                }
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    page.spans.push((line, code.into_string()));
                }
                Event::Text(words) => {
                    let of_block = block.as_mut().map(|(_, block)| &mut block.text);
                    if let Some(text) = of_block.or(heading.as_mut()) {
                        text.push_str(&words);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Where something of it stands, for a person who is to mend it.
    fn place(&self, line: usize) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path);
        format!("{}:{line}", path.display())
    }
}

/// The name of a heading in links, as the places make it that show such pages: small letters, digits, `-` and `_`, a hyphen for
/// each space, and a number for one that is there already.
fn anchor(heading: &str, others: &[String]) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
    let taken = |name: &String| others.contains(name);
    let numbered = (1..).map(|number| format!("{name}-{number}"));
    [name.clone()].into_iter().chain(numbered).find(|name| !taken(name)).expect("one is free")
}

#[test]
fn a_page_is_read_as_those_read_it_that_show_it() {
    let text = "# A, b: `c` (d)\n\nSee [x](y.md#z) and ![p](q.svg) `--one`.\n\n    run it\n\n```toml\na = 1\n```\n\n## A\n## A\n\
                | `t` | [u](v) |\n|---|---|\n| `w` | b |\n<!-- [no](link) -->\n";
    let page = Page::parse("page.md".into(), text);
    assert_eq!(page.anchors, ["a-b-c-d", "a", "a-1"]);
    let links: Vec<&str> = page.links.iter().map(|(_, link)| link.as_str()).collect();
    assert_eq!(links, ["y.md#z", "q.svg", "v"]);
    let spans: Vec<(usize, &str)> =
        page.spans.iter().map(|(line, span)| (*line, span.as_str())).collect();
    assert_eq!(spans, [(1, "c"), (3, "--one"), (13, "t"), (15, "w")]);
    let blocks: Vec<(&str, &str)> =
        page.blocks.iter().map(|(_, it)| (it.language.as_str(), it.text.as_str())).collect();
    assert_eq!(blocks, [("", "run it\n"), ("toml", "a = 1\n")]);
}
