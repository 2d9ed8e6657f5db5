//! What is told of the rows of a table of seven rounds, as its reader sees it.

use super::super::fixture::rounds::{Level, fail, run, run_of, scale};
use super::super::layout::{Layout, Without, lay_out_as};
use super::super::summarise::summarise;
use super::super::{column::Column, table};
use crate::outcome::Verdict;
use crate::record::store::Run;
use crate::record::summary::{CellSummary, Summary};

/// The table with only these columns, its sentences and notes.
fn told(run: &Run, columns: &str) -> String {
    let columns = Column::parse_list(columns.split(',')).expect("columns");
    let without = Without { title: true, audit: true, provenance: true, ..Without::default() };
    let layout = Layout { columns, without, ..Layout::default() };
    table::write(&lay_out_as(&summarise(run), &layout))
}

fn row<'s>(summary: &'s Summary, target: &str) -> &'s CellSummary {
    summary.cells.iter().find(|cell| cell.target == target).expect("a row")
}

#[test]
fn rows_have_a_verdict_and_share_a_rank_where_they_cannot_be_told_apart() {
    let wild = Level { spread: 12.0, ..Level::of("c/wild", 63_000.0) };
    let chaos = Level { spread: 180.0, ..Level::of("d/chaos", 30_000.0) };
    let rows = [
        Level::of("go/base", 60_000.0),
        Level::of("a/fast", 120_000.0),
        Level::of("b/same", 60_200.0),
        wild,
        Level::of("e/slow", 40_000.0),
        chaos,
    ];
    insta::assert_snapshot!(told(&run("goodput", &rows), "goodput,ratio"), @r##"
    #   target    right answers/s     vs go/base
    1   a/fast     120,000 ±0.3 %    2.00 faster
    2   c/wild      62,900 ±4.1 %   1.05 unclear
    2   b/same      60,200 ±0.3 %      1.00 same
    2   go/base     60,000 ±0.3 %           1.00
    2   d/chaos    22,000 ×/÷ 2.6    0.37 slower
    5   e/slow      40,000 ±0.3 %    0.67 slower
    a/fast answers 2.00 times as many as go/base (1.99 to 2.01) for 0.50 of the CPU per answer; both were limited by their own CPU.
    "##);
}

#[test]
fn where_the_best_row_is_not_settled_the_sentence_says_what_would_settle_it() {
    let wild = Level { spread: 12.0, ..Level::of("c/wild", 63_000.0) };
    let told = told(&run("goodput", &[Level::of("go/base", 60_000.0), wild]), "goodput,ratio");
    insta::assert_snapshot!(told, @r##"
    #   target    right answers/s     vs go/base
    1   c/wild      62,900 ±4.1 %   1.05 unclear
    2   go/base     60,000 ±0.3 %           1.00
    c/wild answers 1.05 times as many as go/base (1.01 to 1.09) for 0.95 of the CPU per answer; whether that matters is not settled, which about 5 rounds more would do; both were limited by their own CPU.
    "##);
}

#[test]
fn a_round_that_one_row_lacks_leaves_the_others_their_numbers() {
    let rows = ["go/base", "a/one", "b/two", "c/three"].map(|target| Level::of(target, 60_000.0));
    let mut run = run_of("goodput", &rows, 8);
    fail(&mut run, "a/one", 2);
    scale(&mut run, "b/two", 5, 1.5);
    let summary = summarise(&run);
    assert_eq!(
        row(&summary, "b/two").remarks,
        ["outlier: round 5 lies +50 % off its other rounds"]
    );
    for target in ["go/base", "a/one", "c/three"] {
        assert_eq!(row(&summary, target).remarks, [""; 0], "{target}");
    }
    assert_eq!((summary.noise[0].rounds, row(&summary, "a/one").measured), (8, 7));
    // Verdict and figures are made of the rounds that both have.
    let versus = row(&summary, "a/one").versus.as_ref().expect("a reference");
    assert_eq!((versus.ratio.points.len(), versus.verdict), (7, Some(Verdict::Same)));
}

#[test]
fn a_lower_bound_is_never_slower_and_has_all_places_that_it_may_have() {
    let bound = |target, goodput| Level::of(target, goodput).bound();
    let rows = [
        Level::of("go/base", 60_000.0),
        bound("a/more", 90_000.0),
        bound("b/less", 40_000.0),
        Level::of("c/most", 120_000.0),
    ];
    let run_of = |rows: &[Level]| told(&run("goodput", rows), "goodput,ratio");
    insta::assert_snapshot!(run_of(&rows), @r##"
    #     target        right answers/s        vs go/base
    1     c/most         120,000 ±0.3 %       2.00 faster
    1-3   a/more [1]   >= 90,000 ±0.3 %    >= 1.50 faster
    1-4   b/less [2]   >= 40,000 ±0.3 %   >= 0.67 unclear
    3     go/base         60,000 ±0.3 %              1.00
    c/most answers 2.00 times as many as go/base (1.99 to 2.01) for 0.50 of the CPU per answer; both were limited by their own CPU.
    [1] a/more — client-bound: the load generator was busy for 99 % of the window
    [2] b/less — client-bound: the load generator was busy for 99 % of the window
    "##);
    // The other way round where the reference is one; and of two nothing is said.
    let rows = [
        bound("go/base", 60_000.0),
        bound("a/more", 90_000.0),
        Level::of("b/less", 40_000.0),
        Level::of("c/most", 120_000.0),
    ];
    insta::assert_snapshot!(run_of(&rows), @r##"
    #     target         right answers/s        vs go/base
    1     c/most          120,000 ±0.3 %   <= 2.00 unclear
    1-3   a/more [1]    >= 90,000 ±0.3 %                 —
    1-3   go/base [2]   >= 60,000 ±0.3 %                 —
    4     b/less           40,000 ±0.3 %    <= 0.67 slower
    c/most answers at most 2.00 times as many as go/base (1.99 to 2.01) for 0.50 of the CPU per answer; whether that matters is not settled; c/most was limited by its own CPU, go/base by the load generator.
    [1] a/more — client-bound: the load generator was busy for 99 % of the window
    [2] go/base — client-bound: the load generator was busy for 99 % of the window
    "##);
}

#[test]
fn by_response_time_a_row_that_the_generator_limited_is_never_faster_and_may_have_any_worse_place()
{
    let p99 = |target, p99_us| Level { p99_us, ..Level::of(target, 60_000.0) };
    let rows = [
        p99("go/base", 2000.0),
        p99("a/sooner", 1000.0).bound(),
        p99("b/later", 4000.0).bound(),
        p99("c/soonest", 500.0),
    ];
    insta::assert_snapshot!(told(&run("p99", &rows), "p99,ratio"), @r##"
    #     target            p99   p99 vs go/base
    1     c/soonest      500 us      0.25 faster
    2-4   a/sooner [1]   1.0 ms     0.50 unclear
    2     go/base        2.0 ms             1.00
    3-4   b/later [2]    4.0 ms      2.00 slower
    the p99 of response time of c/soonest is 0.25 of that of go/base (0.25 to 0.25) for 1.00 of the CPU per answer; both were limited by their own CPU.
    [1] a/sooner — client-bound: the load generator was busy for 99 % of the window
    [2] b/later — client-bound: the load generator was busy for 99 % of the window
    "##);
}

#[test]
fn what_an_answer_costs_is_no_bound() {
    let cpu = |target, cpu_us| Level { cpu_us, ..Level::of(target, 60_000.0) };
    let rows = [cpu("go/base", 20.0), cpu("a/less", 10.0).bound(), cpu("b/more", 40.0).bound()];
    insta::assert_snapshot!(told(&run("cpu", &rows), "cpu,ratio"), @r##"
    #   target       CPU/answer   cpu vs go/base
    1   a/less [1]        10 us        0.50 less
    2   go/base           20 us             1.00
    3   b/more [2]        40 us        2.00 more
    a/less takes 0.50 of the CPU per answer of go/base (0.50 to 0.50); a/less was limited by the load generator, go/base by its own CPU.
    [1] a/less — client-bound: the load generator was busy for 99 % of the window
    [2] b/more — client-bound: the load generator was busy for 99 % of the window
    "##);
    let memory = |target, memory_bytes| Level { memory_bytes, ..Level::of(target, 60_000.0) };
    let rows = [memory("go/base", 20_000_000), memory("a/less", 10_000_000).bound()];
    insta::assert_snapshot!(told(&run("memory", &rows), "memory,ratio"), @r##"
    #   target       memory   memory vs go/base
    1   a/less [1]    10 MB           0.50 less
    2   go/base       20 MB                1.00
    a/less takes 0.50 of the memory of go/base (0.50 to 0.50) for 1.00 of the CPU per answer; a/less was limited by the load generator, go/base by its own CPU.
    [1] a/less — client-bound: the load generator was busy for 99 % of the window
    "##);
}
