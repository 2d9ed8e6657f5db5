//! What is told to differ between two runs besides what is compared.

use serde_json::json;

use super::{alike, bearing, compared, pair, summary};
use crate::outcome::Doubt;
use crate::record::measured::ResponseSeen;
use crate::record::run::Commit;
use crate::record::summary::Summary;

#[test]
fn whatever_differs_besides_is_told_the_machine_first() {
    let mut base = summary(alike());
    let mut new = summary(pair([1.0; 6]));
    let host = |summary: &mut Summary, boot: &str, kernel: &str, cpus: u64| {
        let host = &mut summary.run.host;
        host.boot_id = Some(boot.to_owned());
        host.kernel = Some(kernel.to_owned());
        host.cpus = Some(cpus);
    };
    host(&mut base, "x", "Linux 6.17", 2);
    host(&mut new, "y", "Linux 6.18", 2);
    // What only one of them knows says nothing.
    new.run.host.clock_source = Some("tsc".to_owned());
    new.run.policy.measure_seconds = 1.0;
    new.run.policy.rounds = 5;
    new.run.cpus.server = vec![0, 2];
    new.run.partial = true;
    new.run.overrides = vec!["--rounds 5".to_owned()];
    new.run.orchestrate = "orchestrate 0.2.0".to_owned();
    let commit = |id: &str, is_changed| Some(Commit { id: id.repeat(40), is_changed });
    (base.run.commit, new.run.commit) = (commit("a", false), commit("b", true));
    new.run.matrix_sha256 = "bb".to_owned();
    base.versions =
        [("go", "1.26.7"), ("node", "20.1")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    new.versions =
        [("go", "1.26.8"), ("rust", "1.95")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    new.run.targets[1].command = "./other".to_owned();
    new.run.targets[1].env.insert("N".to_owned(), "1".to_owned());
    let response = |length: u64, sha256: &str, content_type: &str| {
        Some(ResponseSeen {
            status: 200,
            length,
            sha256: sha256.to_owned(),
            content_type: Some(content_type.to_owned()),
            header_bytes: 100,
            http: None,
            framing: None,
            keep_alive: None,
        })
    };
    for at in [0, 1] {
        base.cells[at].response = response(11, "aa", "text/plain");
        new.cells[at].response = response(11, "bb", "text/html");
    }
    new.cells[1].response = response(12, "cc", "text/html");
    (base.cells[0].source_digest, new.cells[0].source_digest) =
        (Some("dd".to_owned()), Some("ee".to_owned()));
    new.cells[1].caveats = bearing(Doubt::NoisyHost)[1].caveats.clone();
    let doubts: Vec<String> = compared(&base, &new)
        .doubts
        .iter()
        .map(|doubt| format!("{} [{}]", doubt.what, doubt.rows.join("; ")))
        .collect();
    insta::assert_snapshot!(doubts.join("\n"), @r"
    the machine was started anew between the runs, or is another one []
    kernel: Linux 6.17, now Linux 6.18 []
    CPUs of the servers: 0, now 0,2 []
    rounds: 7, now 5 []
    window: 3 s, now 1 s []
    the new run is partial: --rounds 5 []
    made by: orchestrate 0.1.0, now orchestrate 0.2.0 []
    go: 1.26.7, now 1.26.8 []
    node: 20.1, now none []
    rust: none, now 1.95 []
    commit: aaaaaaaaaaaa, now bbbbbbbbbbbb and changes besides []
    the matrix was edited between the runs []
    the control c was built from something else: what became of it looks like the machine's doing []
    command: `./server`, now `./other` [a]
    environment N: none, now 1 [a]
    the content of the answer differs [c on hello]
    type of the answer: text/plain, now text/html [c on hello; a on hello]
    length of the answer: 11 B, now 12 B [a on hello]
    noisy-host in the new run [a on hello under c64]
    ");
    assert!(compared(&base, &base).doubts.is_empty());
}

/// What is told to differ, without the rows.
fn told(base: &Summary, new: &Summary) -> Vec<String> {
    compared(base, new).doubts.into_iter().map(|doubt| doubt.what).collect()
}

/// A run that holds all that runs may hold of services, targets and quotas.
fn full() -> Summary {
    let mut run = summary(alike());
    let service = json!({
        "name": "db", "command": "postgres", "scope": "run", "cpus": [1], "targets": ["a"],
    });
    run.run.services = vec![serde_json::from_value(service).expect("a service")];
    run.run.host.cpu_quota = Some(1.5);
    run.run.targets[1].serves = vec!["parallel = 1".to_owned()];
    run.run.targets[1].expects = vec!["hello".to_owned()];
    run.cells.iter_mut().for_each(|cell| cell.cores_allowed = 1);
    run
}

#[test]
fn what_an_older_version_did_not_record_is_no_difference() {
    let mut old = summary(alike());
    old.run.policy.max_rounds = 0;
    assert_eq!(told(&old, &full()), Vec::<String>::new());
    assert_eq!(told(&full(), &old), Vec::<String>::new());
    // It made its rounds and no more.
    let mut more = full();
    more.run.policy.max_rounds = 14;
    assert_eq!(told(&old, &more), ["rounds at most: 7, now 14"]);
    let mut fewer = full();
    (fewer.run.policy.rounds, fewer.run.policy.max_rounds) = (5, 5);
    assert_eq!(told(&old, &fewer), ["rounds: 7, now 5"]);
    // What it did record is compared.
    let mut partly = full();
    partly.run.policy.max_rounds = 0;
    partly.run.services[0].command = "postgres -F".to_owned();
    partly.run.host.cpu_quota = Some(2.0);
    assert_eq!(
        told(&partly, &full()),
        ["CPU quota: 2 CPUs, now 1.5 CPUs", "the service db is declared otherwise"]
    );
}

#[test]
fn what_a_run_holds_and_another_that_could_hold_it_does_not_is_a_difference() {
    let none = || {
        let mut none = summary(alike());
        none.cells.iter_mut().for_each(|cell| cell.cores_allowed = 1);
        none
    };
    assert_eq!(
        told(&none(), &full()),
        [
            "CPU quota: none, now 1.5 CPUs",
            "the service db was not there",
            "serves nothing, now parallel = 1",
            "right answers of its own for nothing, now hello",
        ]
    );
    assert_eq!(told(&full(), &none())[1], "the service db is not there any more");
    let mut unreadable = none();
    unreadable.run.host.absent.insert("cpu_quota".to_owned(), "hidden".to_owned());
    assert_eq!(told(&unreadable, &full())[0], "the service db was not there");
}

#[test]
fn rounds_that_failed_before_and_now_are_told_where_their_number_differs() {
    let failing = |failed: u32| {
        let mut cells = alike();
        (cells[1].measured, cells[1].failed) = (7 - failed, failed);
        summary(cells)
    };
    assert_eq!(told(&failing(1), &failing(6)), ["failed in: 1 of 7 rounds, now 6 of 7 rounds"]);
    assert_eq!(told(&failing(2), &failing(2)), Vec::<String>::new());
}
