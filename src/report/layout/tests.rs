//! What is laid out, as text: columns, order, groups, and what is left out.

use super::super::fixture::rounds::{self, Level};
use super::super::summarise::summarise;
use super::super::{fixture, markdown, table};
use super::*;
use crate::outcome::Limit;

fn laid_out(columns: &str, without: Without) -> Report {
    let names = columns.split(',').filter(|name| !name.is_empty());
    let columns = if columns.is_empty() { Ok(Vec::new()) } else { Column::parse_list(names) };
    let layout = Layout { columns: columns.expect("columns"), without, ..Layout::default() };
    lay_out_as(&summarise(&fixture::run()), &layout)
}

const NOTHING_MORE: Without =
    Without { title: true, sentences: true, notes: true, audit: true, provenance: true };

#[test]
fn columns_stand_as_they_are_named_and_reasons_begin_behind_the_names() {
    let text = table::write(&laid_out("language,goodput,kind", NOTHING_MORE));
    insta::assert_snapshot!(text, @r##"
    target         language                    right answers/s   kind
    c/fast         C                        >= 121,000 ±13.4 %   library
    go/base        C                            60,600 ±13.4 %   library
    php/bad|`<b>   C          failed in verify: 404 where 200 was expected
    dart/none      C          not installed: dart is missing (get it from its makers)
    go/raw                    not offered
    "##);
    let text = table::write(&laid_out("kind", NOTHING_MORE));
    insta::assert_snapshot!(text, @r##"
    target         kind
    c/fast         library
    go/base        library
    php/bad|`<b>   failed in verify: 404 where 200 was expected
    dart/none      not installed: dart is missing (get it from its makers)
    go/raw         not offered
    "##);
}

#[test]
fn every_column_has_a_head_and_a_text() {
    let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
    let report = laid_out(&names.join(","), NOTHING_MORE);
    let (table, row) = (&report.tables[0], &report.tables[0].rows[0]);
    let Body::Figures(figures) = &row.body else { panic!("measured") };
    let texts = row.names.iter().chain(figures);
    let told: Vec<String> =
        table.heads.iter().zip(texts).map(|(head, text)| format!("{head}: {text}")).collect();
    insta::assert_snapshot!(told.join("\n"), @r##"
    target: c/fast
    kind: library
    language: C
    right answers/s: >= 121,000 ±13.4 %
    vs go/base: >= 2.00
    answers/s: >= 121,000
    p50 / p99: 500 / 900 us
    p50: 500 us
    p90: —
    p99: 900 us
    p99.9: —
    first byte p50: 500 us
    CPU/answer: 5.0 us
    CPU/answer vs go/base: 0.31
    cores: 1.0 of 1
    memory: 12 MB
    mean memory: 11 MB
    threads: 2
    processes: —
    services: —
    startup: 10 ms
    transfer: >= 13 MB/s
    body: 11 B
    head: 100 B
    errors: 0 %
    wrong: 0
    lost: 0
    connections: 6
    reconnects: 0
    rounds: 2 of 2
    limit: generator
    "##);
}

#[test]
fn rows_are_put_in_order_by_any_column_and_sentences_stay_about_the_best() {
    let level = |target, goodput, cpu_us, memory_bytes, p99_us, limit| Level {
        p99_us,
        cpu_us,
        memory_bytes,
        limit,
        ..Level::of(target, goodput)
    };
    let rows = [
        level("c/many", 90_000.0, 30.0, 20_000_000, 2000.0, Limit::Server),
        level("go/base", 60_000.0, 10.0, 30_000_000, 1000.0, Limit::Neither),
        level("b/small", 30_000.0, 20.0, 10_000_000, 3000.0, Limit::Both),
        Level::of("a/none", 1.0),
    ];
    let mut run = rounds::run("goodput", &rows);
    (1..=7).for_each(|round| rounds::fail(&mut run, "a/none", round));
    let summary = summarise(&run);
    let sorted = |sort: Option<&str>| {
        let sort = sort.map(|name| Column::parse(name).expect("a column"));
        lay_out_as(&summary, &Layout { sort, ..Layout::default() }).tables.remove(0)
    };
    let usual = sorted(None);
    for (sort, order) in [
        // More is better of these,
        ("goodput", ["c/many", "go/base", "b/small"]),
        ("ratio", ["c/many", "go/base", "b/small"]),
        ("transfer", ["c/many", "go/base", "b/small"]),
        // less of these,
        ("cpu", ["go/base", "b/small", "c/many"]),
        ("memory", ["b/small", "c/many", "go/base"]),
        ("p99", ["go/base", "c/many", "b/small"]),
        // and these are texts.
        ("limit", ["b/small", "go/base", "c/many"]),
        ("target", ["b/small", "c/many", "go/base"]),
        // Alike, so as ranked.
        ("kind", ["c/many", "go/base", "b/small"]),
        ("rank", ["c/many", "go/base", "b/small"]),
    ] {
        let table = sorted(Some(sort));
        let labels: Vec<&str> = table.rows.iter().map(|row| row.label.as_str()).collect();
        // Who has no figures comes last, whatever its name.
        assert_eq!(labels, [&order[..], &["a/none"]].concat(), "{sort}");
        assert_eq!(table.sentences, usual.sentences, "{sort}");
    }
    assert!(usual.sentences[0].starts_with("c/many answers 1.50 times as many"), "{usual:?}");
}

#[test]
fn what_is_left_out_leaves_no_trace() {
    let text = markdown::write(&laid_out("goodput", NOTHING_MORE));
    insta::assert_snapshot!(text, @r##"
    | target               |                                           right answers/s |
    |----------------------|----------------------------------------------------------:|
    | c/fast               |                                     &gt;= 121,000 ±13.4 % |
    | go/base              |                                            60,600 ±13.4 % |
    | php/bad\|\`&lt;b&gt; |            *failed in verify: 404 where 200 was expected* |
    | dart/none            | *not installed: dart is missing (get it from its makers)* |
    | go/raw               |                                             *not offered* |
    "##);
}

#[test]
fn rows_are_put_together_by_kind_or_language_and_keep_their_order_within() {
    let mut summary = summarise(&fixture::run());
    for (label, kind, language) in [
        ("c/fast", Some("server"), Some("C")),
        ("go/base", Some("raw"), Some("Go")),
        ("php/bad|`<b>", Some("raw"), Some("PHP")),
        ("dart/none", Some("odd|kind"), None),
    ] {
        let target = summary.run.targets.iter_mut().find(|it| it.label == label).expect("there");
        (target.kind, target.language) = (kind.map(str::to_owned), language.map(str::to_owned));
    }
    let laid_out = |group| {
        let layout = Layout { group: Some(group), without: NOTHING_MORE, ..Layout::default() };
        lay_out_as(&summary, &layout)
    };
    insta::assert_snapshot!(table::write(&laid_out(Group::Kind)), @r##"
    target            right answers/s   vs go/base      p50 / p99   CPU/answer      cores   memory   limit
    raw:
    go/base            60,600 ±13.4 %         1.00   1.0 / 2.5 ms        16 us   1.0 of 1    12 MB   server
    php/bad|`<b>   failed in verify: 404 where 200 was expected
    server:
    c/fast         >= 121,000 ±13.4 %      >= 2.00   500 / 900 us       5.0 us   1.0 of 1    12 MB   generator
    odd|kind:
    dart/none      not installed: dart is missing (get it from its makers)
    others:
    go/raw         not offered
    "##);
    insta::assert_snapshot!(markdown::write(&laid_out(Group::Language)), @r##"
    | target               | kind      |                                           right answers/s | vs go/base |    p50 / p99 | CPU/answer |    cores | memory | limit     |
    |----------------------|-----------|----------------------------------------------------------:|-----------:|-------------:|-----------:|---------:|-------:|-----------|
    | **C**                |           |                                                           |            |              |            |          |        |           |
    | c/fast               | server    |                                     &gt;= 121,000 ±13.4 % | &gt;= 2.00 | 500 / 900 us |     5.0 us | 1.0 of 1 |  12 MB | generator |
    | **Go**               |           |                                                           |            |              |            |          |        |           |
    | go/base              | raw       |                                            60,600 ±13.4 % |       1.00 | 1.0 / 2.5 ms |      16 us | 1.0 of 1 |  12 MB | server    |
    | **PHP**              |           |                                                           |            |              |            |          |        |           |
    | php/bad\|\`&lt;b&gt; | raw       |            *failed in verify: 404 where 200 was expected* |            |              |            |          |        |           |
    | **others**           |           |                                                           |            |              |            |          |        |           |
    | dart/none            | odd\|kind | *not installed: dart is missing (get it from its makers)* |            |              |            |          |        |           |
    | go/raw               |           |                                             *not offered* |            |              |            |          |        |           |
    "##);
}
