//! Digests of what is declared, for who asks later whether a figure was measured under the same declarations.
//!
//! They hold what a figure depends on: not names, not words for people. Files are told by what is in them.

use std::fmt::Write as _;

use super::{Command, Load, RequestSpec, RunPolicy, Target, Workload};
use crate::digest::sha256;

/// Of a table: what is asked, which answer is right, how hard and how long.
pub fn of_table(workload: &Workload, load: &Load, run: &RunPolicy) -> String {
    let mut text = asked(workload, load);
    line(&mut text, "warm-up", (run.warm_up, run.warm_up_max));
    line(&mut text, "measure", run.measure);
    sha256(text.as_bytes())
}

/// Of a table: what is asked, which answer is right and how hard, however long.
pub fn of_asked(workload: &Workload, load: &Load) -> String {
    sha256(asked(workload, load).as_bytes())
}

fn asked(workload: &Workload, load: &Load) -> String {
    let mut text = String::new();
    request(&mut text, &workload.request);
    line(&mut text, "expect", &workload.expect);
    line(&mut text, "connections", load.connections);
    line(&mut text, "keep-alive", load.keep_alive);
    line(&mut text, "pipeline", load.pipeline);
    line(&mut text, "http", load.http);
    line(&mut text, "arrival", load.arrival);
    line(&mut text, "stop", load.stop);
    line(&mut text, "timeout", load.timeout);
    line(&mut text, "verify", load.verify);
    text
}

/// Of a target: how it is built, started, asked and stopped.
pub fn of_target(target: &Target) -> String {
    let mut text = String::new();
    commands(&mut text, "build", &target.build);
    commands(&mut text, "command", [&target.command]);
    commands(&mut text, "before-trial", &target.before_trial);
    commands(&mut text, "after-trial", &target.after_trial);
    line(&mut text, "env", &target.env);
    line(&mut text, "port", target.port);
    line(&mut text, "ready", &target.ready);
    line(&mut text, "stop-grace", target.stop_grace);
    line(&mut text, "expect", &target.expect);
    for (workload, own) in &target.requests {
        line(&mut text, "workload", workload);
        request(&mut text, own);
    }
    line(&mut text, "serves", target.serves.taken_back());
    line(&mut text, "external", target.external);
    sha256(text.as_bytes())
}

fn commands<'c>(text: &mut String, key: &str, all: impl IntoIterator<Item = &'c Command>) {
    for command in all {
        line(text, key, (&command.text, command.shell));
    }
}

fn request(text: &mut String, request: &RequestSpec) {
    line(text, "method", &request.method);
    line(text, "path", &request.path);
    line(text, "headers", &request.headers);
    line(text, "body", &request.body);
}

/// Values are written with their quotes, so that no two settings give one text.
fn line(text: &mut String, key: &str, value: impl std::fmt::Debug) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{key} {value:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn matrix(text: &str) -> Matrix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        std::fs::write(&path, text).expect("a file");
        crate::matrix::read(&path, None).expect("a matrix without problems")
    }

    /// Digests of the table, of what it asks, and of the target of a matrix with these keys.
    fn digests([run, workload, load, target]: [&str; 4]) -> (String, String, String) {
        let matrix = matrix(&format!(
            "[run]\nname = 'x'\n{run}\n[[workload]]\nname = 'w'\n{workload}\n[[load]]\nname = 'l'\n{load}\n\
             [[target]]\nname = 't'\n{target}\n"
        ));
        let (workload, load) = (&matrix.workloads[0], &matrix.loads[0]);
        let table = of_table(workload, load, &matrix.run);
        (table, of_asked(workload, load), of_target(&matrix.targets[0]))
    }

    #[test]
    fn a_digest_changes_with_what_a_figure_depends_on_and_with_nothing_else() {
        let plain = digests(["", "", "", "command = 'a'"]);
        for (keys, changes_table, changes_target) in [
            (["rounds = 9", "", "", "command = 'a'"], false, false),
            (["seed = 4\nmin-effect = '5%'", "", "", "command = 'a'"], false, false),
            (
                ["", "", "rank-by = 'p99'", "command = 'a'\nlanguage = 'C'\nabout = 'x'"],
                false,
                false,
            ),
            (["measure = '1s'", "", "", "command = 'a'"], true, false),
            (["warm-up-max = '9s'", "", "", "command = 'a'"], true, false),
            (["", "path = '/x'", "", "command = 'a'"], true, false),
            (["", "headers = { A = 'b' }", "", "command = 'a'"], true, false),
            (["", "expect = { length = 3 }", "", "command = 'a'"], true, false),
            (["", "", "connections = 3", "command = 'a'"], true, false),
            (["", "", "timeout = '1s'", "command = 'a'"], true, false),
            (["", "", "verify = 'all'", "command = 'a'"], true, false),
            (["", "method = 'POST'\nbody = 'x'", "", "command = 'a'"], true, false),
            (["", "", "rate = 30", "command = 'a'"], true, false),
            (["", "", "", "command = 'b'"], false, true),
            (["", "", "", "command = 'a'\nshell = true"], false, true),
            (["", "", "", "command = 'a'\nenv = { A = '1' }"], false, true),
            (["", "", "", "command = 'a'\nbuild = ['x']"], false, true),
            (["", "", "", "command = 'a'\nserves = { keep-alive = false }"], false, true),
            (["", "", "", "command = 'a'\nexpect.w.length = 3"], false, true),
            (["", "", "", "command = 'a'\nworkload.w.path = '/y'"], false, true),
        ] {
            let (table, asked, target) = digests(keys);
            assert_eq!(
                (table != plain.0, target != plain.2),
                (changes_table, changes_target),
                "{keys:?}"
            );
            // How long is not what.
            let changes_asked = changes_table && keys[0].is_empty();
            assert_eq!(asked != plain.1, changes_asked, "{keys:?}");
        }
    }
}
