//! What is told to differ between two runs besides what is compared.

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
