//! The page of the small run: what it holds, and that nothing in it acts but its own script.

use super::super::fixture;
use super::super::summarise::summarise;
use super::*;
use crate::record::store::Run;

fn page_of(run: &Run) -> String {
    page(&summarise(run), Some(&run.trials))
}

/// All values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    page.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn a_page_holds_what_the_tables_hold() {
    let page = page_of(&fixture::run());
    for told in [
        "<h2>hello · 64 connections, closed loop · 2 rounds of 1 s</h2>",
        "<td class=\"f\" data-v=\"121194\">&#62;= 121,000 ±13.4 %</td>",
        "<bdi>php/bad|`&#60;b&#62;</bdi>",
        "class=\"reason\">failed in verify: 404 where 200 was expected</td>",
        "class=\"reason\">not installed: dart is missing (get it from its makers)</td>",
        "class=\"reason\">not offered</td>",
        "c/fast answers at least 2.00 times as many as go/base (2.00 to 2.00)",
        "<a href=\"#t1-n1\" aria-label=\"note 1\">1</a>",
        "<li id=\"t1-n1\">c/fast — client-bound: the load generator was busy for 99 % of the window</li>",
        "<h3>audit of hello · what answered GET /, and what it could use</h3>",
        "There is no difference that nobody declared.",
        "noise not measured · repeat: orchestrate run configs/small.toml --seed 7",
        "<dt>processor</dt><dd>EPYC</dd>",
        "<dt>go</dt><dd>1.26.8</dd>",
        "Server and load generator share one machine",
    ] {
        assert!(page.contains(told), "{told} is not in {page}");
    }
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 5);
}

#[test]
fn a_page_brings_all_along_and_allows_its_own_script_alone() {
    let page = page_of(&fixture::run());
    for other in ["http:", "https:", " src=", "url(", "@import", "<link", "<iframe", "<img"] {
        assert!(!page.contains(other), "{other}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    let script = page.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next());
    let allowed = format!("script-src 'sha256-{}'", source_digest(script.expect("a script")));
    assert!(page.contains(&allowed), "{allowed}");
}

#[test]
fn rows_lead_to_their_logs_and_nowhere_else() {
    let mut run = fixture::run();
    for (number, trial) in run.trials.iter_mut().enumerate() {
        trial.log = Some(match number {
            0 => "logs/hello c64-\"1\".log".to_owned(),
            1 => "javascript:alert(1)".to_owned(),
            2 => "logs/../../secret".to_owned(),
            _ => format!("logs/{number}.log"),
        });
    }
    let page = page_of(&run);
    let links = values(&page, "href");
    let logs: Vec<&&str> = links.iter().filter(|link| !link.starts_with('#')).collect();
    // The round that failed, and the one that was skipped, have logs as the others do.
    let expected = [
        "logs/hello%20c64-%221%22.log",
        "logs/4.log",
        "logs/5.log",
        "logs/6.log",
        "logs/3.log",
        "logs/7.log",
    ];
    assert_eq!(logs, expected.iter().collect::<Vec<_>>());
    assert!(page.contains("title=\"round 2: failed in verify\" class=\"bad\">2</a>"), "{page}");
}

#[test]
fn nothing_that_names_say_acts_or_turns_a_line_around() {
    let evil =
        "</style></script><script>alert(1)</script><a href='javascript:x'>\u{202e}\u{2066}\r\n\"|`";
    let mut run = fixture::run();
    let info = &mut run.info;
    for text in
        [&mut info.name, &mut info.matrix_path, &mut info.orchestrate, &mut info.policy.reference]
    {
        evil.clone_into(text);
    }
    info.interrupted = Some(evil.to_owned());
    info.host.cpu_model = Some(evil.to_owned());
    let table = &mut info.tables[0];
    for text in [&mut table.workload, &mut table.load_words, &mut table.request, &mut table.rows[1]]
    {
        evil.clone_into(text);
    }
    let target = &mut info.targets[1];
    (target.language, target.kind) = (Some(evil.to_owned()), Some(evil.to_owned()));
    for text in [&mut target.label, &mut target.command] {
        evil.clone_into(text);
    }
    for trial in &mut run.trials {
        evil.clone_into(&mut trial.workload);
        if trial.target == "go/base" {
            evil.clone_into(&mut trial.target);
        }
        trial.versions.insert(evil.to_owned(), evil.to_owned());
    }
    let page = page_of(&run);
    assert!(page.contains("&#60;script&#62;alert(1)"), "it is told");
    for active in ["<script>alert", "</style></script>", "<a href='", "\u{202e}", "\u{2066}", "\r"]
    {
        assert!(!page.contains(active), "{active:?}");
    }
    assert_eq!((page.matches("</style>").count(), page.matches("</script>").count()), (1, 1));
    assert!(values(&page, "href").iter().all(|link| link.starts_with('#')), "{page}");
}

#[test]
fn without_trials_a_page_says_what_it_lacks() {
    let page = page(&summarise(&fixture::run()), None);
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 2);
    assert!(page.contains("This page was made from summary.json alone."), "{page}");
    assert!(!page.contains("logs by round") && !page.contains("lead to what each server wrote"));
}

#[test]
fn figures_beyond_all_measure_draw_no_nonsense() {
    for (goodput, seconds, cpu_us) in
        [(1e308, 1.0, u64::MAX), (0.0, 0.0, 0), (5e-324, 1e300, 1), (1e308, 5e-324, u64::MAX)]
    {
        let mut run = fixture::run();
        for trial in run.trials.iter_mut().filter(|trial| trial.measured().is_some()) {
            let mut measured = trial.measured().expect("measured").clone();
            (measured.goodput_per_second, measured.window_seconds) = (goodput, seconds);
            measured.response_time_us.p99 = Some(goodput);
            if let Some(server) = &mut measured.server {
                server.cpu_us_per_request = Some(goodput);
                server.cpu_us = Some(cpu_us);
                server.samples[1].cpu_us = Some(cpu_us);
                server.samples[1].rss_bytes = cpu_us;
            }
            trial.end(crate::record::trial::Ended::Measured(Box::new(measured)));
        }
        let page = page_of(&run);
        let drawn: Vec<&str> =
            page.split("<svg").skip(1).filter_map(|it| it.split("</svg>").next()).collect();
        for drawing in drawn {
            let drawing = drawing.replace("infinity", "");
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{goodput}: {drawing}");
        }
    }
}
