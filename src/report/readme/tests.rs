//! Pages of every sort: what is found in them, what is at fault, and what becomes of them.

use proptest::prelude::*;

use super::super::fixture;
use super::super::summarise::summarise;
use super::*;

fn parse(text: &str) -> Page {
    Page::parse(Source { path: "README.md".into(), text: text.to_owned() })
}

/// The faults of a page, each with its line.
fn faults(text: &str) -> Vec<String> {
    let problems = parse(text).problems;
    let told = |problem: &Problem| {
        let place = problem.place.as_ref().expect("a place in the page");
        format!("{}: {}", place.line_and_column().0, problem.what)
    };
    problems.iter().map(told).collect()
}

fn filling(text: &str) -> Filling {
    Filling { run: "id".to_owned(), text: text.to_owned(), charts: Vec::new() }
}

const BEGIN: &str = "<!-- orchestrate:begin matrix=a -->";
const END: &str = "<!-- orchestrate:end -->";

#[test]
fn blocks_are_what_lies_between_markers_that_are_no_examples() {
    let page = |before: &str, after: &str| format!("{before}{BEGIN}\n{END}\n{after}");
    for (text, count) in [
        (page("", ""), 1),
        (page("\u{feff}", ""), 1),
        (format!("{BEGIN}\r\n{END}"), 1),
        (page(&page("# a\n\n", "b\n"), ""), 2),
        (page(&format!("```\n{BEGIN}\n```\n"), &format!("~~~~\n~~~\n{END}\n~~~~\n")), 1),
        (page(&format!("- a\n\n  ```md\n  {BEGIN}\n  ```\n"), ""), 1),
        (page(&format!("1. ```\n   {END}\n\nbehind the item:\n\n"), ""), 1),
        (page(&format!("   ~~~\n{BEGIN}\n"), ""), 0),
        (page(&format!("    {END}\n\t{BEGIN}\n"), ""), 1),
        (page(&format!("write `{BEGIN}` and `{END}`\n"), ""), 1),
        (page("", "```\nnever closed\n"), 1),
    ] {
        let found = parse(&text);
        assert_eq!(found.blocks.len(), count, "{text}");
        let is_told = if count == 0 { vec!["1: this page has no block"] } else { Vec::new() };
        assert_eq!(faults(&text), is_told, "{text}");
    }
}

#[test]
fn all_faults_of_a_page_are_told_with_their_lines() {
    let begin = |keys: &str| format!("<!-- orchestrate:begin {keys} -->\n{END}\n");
    for (text, expected) in [
        (String::new(), &["1: this page has no block"][..]),
        (BEGIN.to_owned(), &["1: this block has no end"]),
        (format!("a\n{END}"), &["2: this end has no beginning"]),
        (
            format!("{END}\n{BEGIN}\n"),
            &["1: this end has no beginning", "2: this block has no end"],
        ),
        (
            format!("\n{BEGIN}\n{BEGIN}\n{END}\n{END}\n"),
            &["3: this block begins inside of that of line 2", "5: this end has no beginning"],
        ),
        (format!("{BEGIN} {END}\n"), &["1: this marker shares its line with other text"][..]),
        (format!("{BEGIN}\n<!-- orchestrate:ende -->\n"), &["2: `orchestrate:ende` is no marker"]),
        (begin(""), &["1: `matrix` is missing"]),
        (begin("matrix=a title=yes"), &["1: `title` cannot be `yes`"]),
        (
            begin("matrix=a colums=b sort=x columns=y,goodput,z"),
            &[
                "1: unknown key `colums`",
                "1: unknown column `x`",
                "1: unknown column `y`",
                "1: unknown column `z`",
            ],
        ),
        (
            begin("matrix=a load=[b"),
            &["1: `[b` is no pattern: unclosed character class; missing ']'"],
        ),
        (
            begin("matrix=a load=b,,c workload=!"),
            &["1: a pattern of `load` is empty", "1: a pattern of `workload` is empty"],
        ),
        (
            format!(
                "{BEGIN}\n<!-- orchestrate:end run=a -->\n\n{BEGIN}\n<!-- orchestrate:end sha=b -->\n"
            ),
            &["2: `run` and `sha256` stand together or not at all", "5: unknown key `sha`"],
        ),
        (
            format!("{BEGIN}\n<!-- orchestrate:end run=a sha256=b -->\n"),
            &["2: this is no digest of 64 hexadecimal digits"],
        ),
    ] {
        let mut told = faults(&text);
        let mut expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{text}");
    }
}

#[test]
fn what_a_block_wants_stands_in_its_begin_marker() {
    let keys = r#"matrix=../m.toml workload=a,!b{c,d} load="e f, g" columns="p50, memory" sort=p99 run=1-2 notes=none"#;
    let page = parse(&format!("<!-- orchestrate:begin {keys} -->\n{END}\n"));
    let [block] = page.blocks.as_slice() else { panic!("{page:?}") };
    let wanted = &block.wanted;
    assert_eq!(page.place(wanted.matrix.span.clone()).text(), "../m.toml");
    assert_eq!(wanted.run.as_ref().map(|run| run.text.as_str()), Some("1-2"));
    let patterns = |globs: &Option<crate::matrix::globs::Globs>| {
        globs.as_ref().expect("patterns").patterns().join("|")
    };
    assert_eq!(patterns(&wanted.selection.workloads), "a|!b{c,d}");
    assert_eq!(patterns(&wanted.selection.loads), "e f|g");
    let layout = &wanted.layout;
    let names: Vec<&str> = layout.columns.iter().map(|column| column.name()).collect();
    assert_eq!(names, ["p50", "memory"]);
    assert!(layout.without.notes && !layout.without.title);
    let latest = parse(&format!("<!-- orchestrate:begin matrix=a run=latest -->\n{END}\n"));
    assert_eq!(latest.blocks[0].wanted.run, None);
}

#[test]
fn a_block_is_filled_between_its_lines_and_nothing_else_changes() {
    let text = format!("a\r\n\n  {BEGIN}  \n\n {END} \r\nb\nc");
    let page = parse(&text);
    let filled = page.fill(&[filling("\nx\n\n")]);
    let digest = sha256(b"\nx\n\n");
    let marker = format!("<!-- orchestrate:end run=id sha256={digest} -->");
    assert_eq!(filled, format!("a\r\n\n  {BEGIN}  \n\r\nx\r\n\r\n {marker} \r\nb\nc"));
    let again = parse(&filled);
    assert_eq!(again.state(&again.blocks[0]), State::AsFilled);
    assert_eq!(again.fill(&[filling("\nx\n\n")]), filled, "nothing is left to do");
    let plain = parse(&filled.replace("\r\n", "\n"));
    assert_eq!(plain.state(&plain.blocks[0]), State::AsFilled, "whatever the line ends");
    let edited = parse(&filled.replace("\nx", "\ny"));
    assert_eq!(edited.state(&edited.blocks[0]), State::Edited);
    let never = parse(&format!("{BEGIN}\ntext\n{END}"));
    assert_eq!(never.state(&never.blocks[0]), State::Edited, "it was never ours");
}

#[test]
fn no_name_of_a_run_ends_a_block() {
    let mut run = fixture::run();
    let target = "<!-- orchestrate:end -->\n```\n~~~";
    target.clone_into(&mut run.info.tables[0].not_offered[0]);
    target.clone_into(&mut run.info.tables[0].load_words);
    target.clone_into(&mut run.info.matrix_path);
    let page = parse(&format!("{BEGIN}\n{END}\n"));
    let filling = page.blocks[0].filling("id", summarise(&run)).expect("tables");
    let filled = parse(&page.fill(std::slice::from_ref(&filling)));
    assert_eq!((filled.blocks.len(), filled.problems.len()), (1, 0), "{filled:?}");
    assert!(filled.holds(&filled.blocks[0], &filling));
}

#[test]
fn a_difference_is_told_as_a_patch() {
    let told = diff("a.md", "1\n2\n3\n", "1\n2x\n3\n");
    assert_eq!(told, "--- a.md\n+++ a.md\n@@ -1,3 +1,3 @@\n 1\n-2\n+2x\n 3\n");
    assert_eq!(diff("a.md", "1", "1"), "");
}

/// Lines that pages are made of, with every sort of marker among them.
fn line() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        Just("<!-- orchestrate:begin matrix=a -->".to_owned()),
        Just("<!-- orchestrate:end -->".to_owned()),
        Just("<!-- orchestrate:begin matrix=\"b\" columns=p50 -->".to_owned()),
        Just("```".to_owned()),
        Just("~~~~".to_owned()),
        Just("- ```".to_owned()),
        "<!-- ?orchestrate:(begin|end|x) [a-z=\"\\\\,{! ä-]{0,20}(-->)?",
        "[ \t>`~*<!-]{0,8}[a-zä]{0,3}",
    ];
    ("[ \t]{0,5}", content, prop_oneof![Just("\n"), Just("\r\n"), Just("")])
        .prop_map(|(indent, content, end)| [&indent, content.as_str(), end].concat())
}

/// Pages of which most have no fault: blocks, examples of blocks, and fences that may hide either.
fn sound() -> impl Strategy<Value = String> {
    let inside = "[ \t>`~*-]{0,4}[a-zä]{0,3}(\r?\n[ a-z|~`-]{0,5}){0,3}";
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    let block = (" {0,3}", inside, end).prop_map(|(indent, text, end)| {
        [&indent, BEGIN, end, &text, end, &indent, END, " ", end].concat()
    });
    let example = "[>a`\t] ?<!-- orchestrate:(begin|end) x --> ?`\r?\n";
    let outside = "( {0,5}(- )?(```|~~~~?))?[a-z `]{0,5}\r?\n";
    proptest::collection::vec(prop_oneof![block, example, outside], 0..12)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_page_is_filled_and_nothing_outside_of_its_blocks_is_changed(
        page in sound(),
        text in "\n[a-z|\n]{0,20}\n",
    ) {
        let page = parse(&page);
        if page.problems.is_empty() {
            let fillings = vec![filling(&text); page.blocks.len()];
            let filled = page.fill(&fillings);
            let again = parse(&filled);
            prop_assert_eq!(again.blocks.len(), page.blocks.len());
            prop_assert_eq!(outside(&again), outside(&page));
            prop_assert!(again.blocks.iter().all(|block| again.holds(block, &fillings[0])));
            prop_assert_eq!(again.fill(&fillings), filled);
        }
    }

    #[test]
    fn any_lines_are_read_and_each_block_lies_behind_the_one_before(
        lines in proptest::collection::vec(line(), 0..20),
    ) {
        let page = parse(&lines.concat());
        prop_assert_eq!(page.blocks.is_empty() && page.problems.is_empty(), false);
        prop_assert!(outside(&page).concat().len() <= page.source.text.len());
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        parse(&text);
    }
}

/// What is no inside and no end marker of a block.
fn outside(page: &Page) -> Vec<&str> {
    let text = &page.source.text;
    let mut from = 0;
    let mut parts = Vec::new();
    for block in &page.blocks {
        parts.extend([&text[from..block.inner.start], &text[block.inner.end..block.end.start]]);
        from = block.end.end;
    }
    parts.push(&text[from..]);
    parts
}
