//! What is laid out, as text: columns, order, groups, and what is left out.

use super::super::summarise::summarise;
use super::super::{fixture, markdown, table};
use super::*;

fn laid_out(columns: &str, sort: Option<&str>, without: Without) -> Report {
    let names = columns.split(',').filter(|name| !name.is_empty());
    let columns = if columns.is_empty() { Ok(Vec::new()) } else { Column::parse_list(names) };
    let sort = sort.map(|name| Column::parse(name).expect("a column"));
    let layout = Layout { columns: columns.expect("columns"), sort, without, ..Layout::default() };
    lay_out_as(&summarise(&fixture::run()), &layout)
}

fn labels(report: &Report) -> Vec<&str> {
    let rows = report.tables[0].rows.iter();
    rows.map(|row| row.names[0].split(' ').next().unwrap_or_default()).collect()
}

const NOTHING_MORE: Without =
    Without { title: true, sentences: true, notes: true, audit: true, provenance: true };

#[test]
fn columns_stand_as_they_are_named_and_reasons_begin_behind_the_names() {
    let text = table::write(&laid_out("language,goodput,kind", None, NOTHING_MORE));
    insta::assert_snapshot!(text, @r##"
    target         language                    right answers/s   kind
    c/fast         C                        >= 121,000 ±13.4 %   library
    go/base        C                            60,600 ±13.4 %   library
    php/bad|`<b>   C          failed in verify: 404 where 200 was expected
    dart/none      C          not installed: dart is missing (get it from its makers)
    go/raw                    not offered
    "##);
    let text = table::write(&laid_out("kind", None, NOTHING_MORE));
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
    let report = laid_out(&names.join(","), None, NOTHING_MORE);
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
    let usual = laid_out("", None, Without::default());
    for (sort, first) in [
        ("goodput", "c/fast"),
        ("cpu", "c/fast"),
        ("ratio", "c/fast"),
        ("limit", "c/fast"),
        ("target", "c/fast"),
        // Alike, so as ranked.
        ("memory", "c/fast"),
    ] {
        let report = laid_out("", Some(sort), Without::default());
        assert_eq!(labels(&report)[0], first, "{sort}");
        assert_eq!(labels(&report).len(), 5, "{sort}");
        assert_eq!(report.tables[0].sentences, usual.tables[0].sentences);
    }
    let by_name = laid_out("", Some("target"), Without::default());
    assert_eq!(labels(&by_name), ["c/fast", "go/base", "dart/none", "go/raw", "php/bad|`<b>"]);
}

#[test]
fn what_is_left_out_leaves_no_trace() {
    let text = markdown::write(&laid_out("goodput", None, NOTHING_MORE));
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
