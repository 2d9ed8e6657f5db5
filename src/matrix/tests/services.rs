//! Services: their defaults, what they may name, whom they are for, and what is wrong with them, word for word.

use std::path::Path;
use std::time::Duration;

use super::{TWO, among_sound_targets, matrix};
use crate::matrix::service::{Readiness, Scope, Seat, StopSignal, needed_by};
use crate::matrix::{Command, Matrix};

fn with_two(text: &str) -> Matrix {
    matrix(&format!("{text}\n{TWO}"))
}

#[test]
fn a_service_has_a_name_a_command_and_defaults_for_all_else() {
    let matrix = with_two("[[service]]\nname = \"db\"\ncommand = \"./db {port} {out}\"\n");
    let [db] = &matrix.services[..] else { panic!("one service") };
    assert_eq!((db.name.as_str(), db.command.text.as_str()), ("db", "./db {port} {out}"));
    assert_eq!((&db.ready, db.scope, &db.cpus), (&Readiness::Tcp, Scope::Run, &Seat::Generator));
    assert_eq!((db.port, db.stop_signal), (None, StopSignal::Term));
    assert_eq!(db.dir, Path::new("/project/configs"));
    assert_eq!(
        (db.ready_timeout, db.stop_grace),
        (Duration::from_secs(30), Duration::from_secs(5))
    );
    assert_eq!(db.build_timeout, Duration::from_mins(10));
    assert!(db.build.is_empty() && db.setup.is_empty() && db.needs.is_empty());
    for target in &matrix.targets {
        assert_eq!(needed_by(&matrix.services, target), [0]);
    }
}

#[test]
fn what_says_that_a_service_is_ready_is_a_connection_a_path_or_a_command() {
    for (ready, expected) in [
        ("tcp", Readiness::Tcp),
        ("/health?x", Readiness::Path("/health?x".to_owned())),
        (
            "pg_isready -p {port}",
            Readiness::Command(Command { text: "pg_isready -p {port}".to_owned(), shell: false }),
        ),
    ] {
        let text = format!("[[service]]\nname = \"a\"\ncommand = \"./a\"\nready = \"{ready}\"\n");
        assert_eq!(with_two(&text).services[0].ready, expected, "{ready}");
    }
}

#[test]
fn a_service_is_for_the_targets_that_it_says_and_for_those_that_need_them_by_way_of_another() {
    let matrix = with_two(
        r#"[[service]]
name = "disk"
command = "./disk"
targets = ["b"]
[[service]]
name = "db"
command = "./db {service.disk.port}"
targets = ["a"]
cpus = "1,0"
stop-signal = "INT"
scope = "trial"
[[service]]
name = "other"
command = "./other"
targets = ["!a"]"#,
    );
    let db = &matrix.services[1];
    assert_eq!((&db.needs[..], &db.cpus), (&[0][..], &Seat::List(vec![0, 1])));
    assert_eq!((db.stop_signal, db.scope), (StopSignal::Int, Scope::Trial));
    assert_eq!(needed_by(&matrix.services, &matrix.targets[0]), [0, 1]);
    assert_eq!(needed_by(&matrix.services, &matrix.targets[1]), [0, 2]);
}

#[test]
fn what_a_service_cannot_be_is_told() {
    among_sound_targets(&[
        (
            "[[service]]\ncommand = \"./a\"\n[[service]]\nname = \"db\"",
            "1:1 this service has no `name` (targets find it by its name: `{service.NAME.port}`)
3:1 service `db` has no `command` (`command = \"postgres -p {port}\"` starts it)",
        ),
        (
            r#"[[service]]
name = "My DB"
command = "./a"
ready = "/a b"
scope = "round"
cpus = "auto"
stop-signal = "KILL"
tools = ["goo"]
targets = ["c"]
wait = 3"#,
            r#"2:8 `My DB` cannot be a service's name (it stands in `{service.NAME.port}` and `SERVICE_NAME_PORT`: small letters, digits and `-`, a letter first; at most 40 characters)
4:9 `ready` holds what cannot be sent (write it with percent-encoding: `%20`)
5:9 `scope` must be one of `run`, `trial`, not `"round"`
6:8 `cpus` must be `generator`, `server` or a list of CPUs such as `"0,2-3"`, not `"auto"`
7:15 `stop-signal` must be one of `TERM`, `INT`, `QUIT`, `HUP`, not `"KILL"`
8:10 unknown tool `goo` (did you mean `go`?)
9:12 `c` matches no target (there is `a`, `b`)
10:1 unknown key `wait` (known here: `build`, `build-timeout`, `command`, `cpus`, `dir`, `env`, `name`, `port`, `ready`, `ready-timeout`, `scope`, `setup`, `shell`, `stop-grace`, `stop-signal`, `targets`, `tools`)"#,
        ),
        (
            "[[service]]\nname = \"a\"\ncommand = \"./a\"\n[[service]]\nname = \"a\"\ncommand = \"./a\"",
            "5:8 service `a` is there already, from line 2 (name it once, or give one of them another `name`)",
        ),
    ]);
}

#[test]
fn a_placeholder_names_a_service_that_is_there_by_then() {
    among_sound_targets(&[
        (
            r#"[[service]]
name = "db"
command = "./db {service.db.port}"
build = ["make {service.db.port}"]
[[service]]
name = "cache"
command = "./cache {service.dv.port} {service.db.prt}"
[[target]]
name = "c"
command = "./c {service.cash.port} {service.cache.host}"
build = ["make {service.db.port}"]
env = { URL = "http://{service.chache.host}/{x}" }
before-trial = ["./load {service.}"]"#,
            "3:11 unknown placeholder `{service.db.port}` (there is no `[[service]]` that may be named here)
4:10 unknown placeholder `{service.db.port}` (there is no `[[service]]` that may be named here)
7:11 unknown placeholder `{service.dv.port}` (did you mean `{service.db.port}`?)
7:11 unknown placeholder `{service.db.prt}` (did you mean `{service.db.port}`?)
10:11 unknown placeholder `{service.cash.port}` (did you mean `{service.cache.port}`?)
11:10 unknown placeholder `{service.db.port}` (there is no `[[service]]` that may be named here)
12:15 unknown placeholder `{service.chache.host}` (did you mean `{service.cache.host}`?)
13:17 unknown placeholder `{service.}` (in braces may stand `port`, `host`, `out`, `assets`, `cpus`, `cpu-list`, `service.db.port`, `service.db.host`, `service.cache.port`, `service.cache.host`)",
        ),
        (
            r#"[[service]]
name = "disk"
command = "./disk"
scope = "trial"
[[service]]
name = "db"
command = "./db {service.disk.port}"
targets = ["b"]
[[target]]
name = "c"
command = "./c {service.db.port}""#,
            "6:8 service `db` lives for the run and names `disk`, which lives for a trial (give both the same `scope`)
10:8 target `c` names service `db`, which is not for it (look at the `targets` of the service)",
        ),
    ]);
}
