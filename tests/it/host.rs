//! What else the machine does while a server is measured, and what is doubted for it.
//!
//! Other programs may disturb these tests as they disturb any trial: a doubt is asserted where it must be, and nowhere that
//! there is none.

use orchestrate::outcome::Doubt;
use orchestrate::record::trial::TrialRecord;

use crate::support::Bench;

/// The sentence of a doubt that a trial must bear.
fn doubted(trial: &TrialRecord, doubt: Doubt) -> String {
    let found = trial.caveats.iter().find(|caveat| caveat.caveat == doubt);
    found.unwrap_or_else(|| panic!("no {doubt}: {trial:#?}")).detail.clone()
}

#[test]
fn a_server_whose_queue_was_too_short_for_the_first_connections_is_doubted() {
    // Connections are kept, so all of them are made in the warm-up.
    let load = "connections = 256\ntimeout = \"30s\"";
    let bench = Bench::new().load(load).target("a", "--fault backlog=1");
    let trial = bench.run(&[]).exits(0).trial("a");
    let detail = doubted(&trial, Doubt::Backlog);
    assert!(detail.contains("net.core.somaxconn"), "{detail}");
    let measured = trial.measured().expect("measured");
    assert!(measured.connect_time_warm_up_us.count > 0, "{trial:#?}");
    let dropped = measured.host.as_ref().and_then(|it| it.tcp_warm_up?.listen_drops);
    assert!(dropped.is_some_and(|count| count > 0), "{trial:#?}");
}

#[test]
fn a_server_whose_queue_is_too_short_in_the_window_of_so_many_requests_is_doubted() {
    let load = "connections = 64\nrequests = 1000\nkeep-alive = false";
    let bench = Bench::new().load(load).target("a", "--fault backlog=1");
    doubted(&bench.run(&[]).exits(0).trial("a"), Doubt::Backlog);
}
