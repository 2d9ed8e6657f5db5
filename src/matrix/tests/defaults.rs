//! What a matrix means where it says little.

use std::path::Path;
use std::time::Duration;

use super::{Memory, TWO, matrix, matrix_among};
use crate::http::expect::{BodyExpectation, StatusExpectation};
use crate::http::request::Version;
use crate::matrix::{
    Arrival, Command, CpuChoice, HeaderValue, Order, Serves, Sources, Stop, VerifyDepth,
};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn two_commands_are_a_matrix_and_every_default_is_filled_in() {
    let text = "[[target]]\ncommand = \"./go-server --port {port}\"\n[[target]]\ncommand = \"node a.js\"\n";
    let matrix = matrix(text);
    assert_eq!(matrix.path, Path::new("configs/m.toml"));
    assert_eq!(matrix.text, text);
    let run = &matrix.run;
    assert_eq!((run.name.as_str(), run.rounds, run.seed), ("m", 7, None));
    assert_eq!((run.warm_up, run.warm_up_max, run.measure), (2 * SECOND, 15 * SECOND, 3 * SECOND));
    assert_eq!((run.order, run.profile.as_deref()), (Order::Shuffled, None));
    assert_eq!((run.reference.as_str(), run.min_effect), ("go-server", 0.02));
    assert_eq!(run.results, Path::new("/project/configs/results"));
    assert_eq!(matrix.cpus.server, CpuChoice::Auto);
    assert_eq!(matrix.cpus.generator, CpuChoice::Auto);

    let [workload] = &matrix.workloads[..] else { panic!("one workload") };
    assert_eq!(workload.name, "get-root");
    assert_eq!((workload.request.method.as_str(), workload.request.path.as_str()), ("GET", "/"));
    assert!(workload.request.headers.is_empty() && workload.request.body.is_empty());
    assert!(workload.expect.is_none() && workload.targets.matches("anything"));

    let [load] = &matrix.loads[..] else { panic!("one load") };
    assert_eq!((load.name.as_str(), load.connections, load.pipeline), ("c64", 64, 1));
    assert!(load.keep_alive && load.http == Version::Http11 && load.timeout.is_none());
    assert_eq!((load.arrival, load.stop), (Arrival::ClosedLoop, Stop::Window));
    assert_eq!((load.verify, load.rank_by.as_str()), (VerifyDepth::Sample, "goodput"));

    let [first, second] = &matrix.targets[..] else { panic!("two targets") };
    assert_eq!((first.label(), second.label()), ("go-server".to_owned(), "node-a.js".to_owned()));
    let text = "./go-server --port {port}".to_owned();
    assert_eq!(first.command, Command { text, shell: false });
    assert_eq!(first.dir, Path::new("/project/configs"));
    assert_eq!((first.ready_timeout, first.stop_grace), (30 * SECOND, 5 * SECOND));
    assert_eq!((first.build_timeout, &first.sources), (600 * SECOND, &Sources::Unknown));
    assert_eq!((&first.serves, first.external, first.port), (&Serves::default(), false, None));
    assert!(first.workloads.is_none() && first.tools.is_empty() && matrix.toolchains.is_empty());
}

#[test]
fn every_key_of_run_and_cpus_is_read_in_each_form_that_it_may_have() {
    let matrix = matrix(&format!(
        "[run]\nname = \"n\"\nrounds = 3\nwarm-up = 1\nwarm-up-max = \"1m 30s\"\nmeasure = 0.5\nseed = 9\n\
         order = \"as-written\"\nreference = \"b\"\ncontrol = \"a\"\nmin-effect = 0.05\nresults = \"../out\"\n\
         [cpus]\nserver = \"2-3,0\"\ngenerator = \"all\"\n{TWO}"
    ));
    let run = &matrix.run;
    assert_eq!((run.name.as_str(), run.rounds, run.seed), ("n", 3, Some(9)));
    assert_eq!((run.warm_up, run.warm_up_max, run.measure), (SECOND, 90 * SECOND, SECOND / 2));
    assert_eq!((run.order, run.reference.as_str()), (Order::AsWritten, "b"));
    assert_eq!(run.control.as_deref(), Some("a"));
    assert!((run.min_effect - 0.05).abs() < 1e-12);
    assert_eq!(run.results, Path::new("/project/out"));
    assert_eq!(matrix.cpus.server, CpuChoice::List(vec![0, 2, 3]));
    assert_eq!(matrix.cpus.generator, CpuChoice::All);
}

#[test]
fn results_stand_beside_the_nearest_git_root() {
    let files = Memory::default().with(".git/HEAD", "");
    assert_eq!(matrix_among(files, TWO, None).run.results, Path::new("/project/results"));
}

#[test]
fn a_profile_overrides_keys_of_run_only_when_it_is_asked_for() {
    let text = format!("[run]\nrounds = 9\nmeasure = 5\n[profile.quick]\nrounds = 2\n{TWO}");
    let plain = matrix(&text).run;
    assert_eq!((plain.rounds, plain.measure, plain.profile), (9, 5 * SECOND, None));
    let quick = matrix_among(Memory::default(), &text, Some("quick")).run;
    assert_eq!((quick.rounds, quick.measure), (2, 5 * SECOND));
    assert_eq!(quick.profile.as_deref(), Some("quick"));
}

#[test]
fn the_default_of_one_warm_up_gives_way_to_the_other() {
    for (written, least, most) in [
        ("warm-up = 20", 20, 20),
        ("warm-up-max = 1", 1, 1),
        ("warm-up = 0", 0, 15),
        ("warm-up = 0\nwarm-up-max = 0", 0, 0),
    ] {
        let run = matrix(&format!("[run]\n{written}\n{TWO}")).run;
        assert_eq!((run.warm_up, run.warm_up_max), (least * SECOND, most * SECOND), "{written}");
    }
}

#[test]
fn a_request_is_read_with_its_headers_in_order_and_its_body_from_a_file() {
    let files = Memory::default().with("configs/body.json", "{\"n\":1}");
    let matrix = matrix_among(
        files,
        &format!(
            "[[workload]]\nmethod = \"POST\"\npath = \"/json?x=1\"\nbody-file = \"body.json\"\n\
             headers = {{ Z = \"1\", Accept = \"*/*\", Authorization = \"env:TOKEN\" }}\n{TWO}"
        ),
        None,
    );
    let workload = &matrix.workloads[0];
    assert_eq!(
        (workload.name.as_str(), &workload.request.body[..]),
        ("post-json-x-1", &b"{\"n\":1}"[..])
    );
    let plain = |name: &str, value: &str| (name.to_owned(), HeaderValue::Plain(value.to_owned()));
    let secret = ("Authorization".to_owned(), HeaderValue::Environment("TOKEN".to_owned()));
    assert_eq!(workload.request.headers, [plain("Z", "1"), plain("Accept", "*/*"), secret]);
}

#[test]
fn an_expectation_has_one_of_six_contents_and_any_2xx_unless_it_names_a_status() {
    let digest = "ab".repeat(32);
    for (written, status, body) in [
        ("{}".to_owned(), StatusExpectation::Any2xx, BodyExpectation::Any),
        ("{ status = 404 }".into(), StatusExpectation::Exactly(404), BodyExpectation::Any),
        ("{ body = \"x\" }".into(), StatusExpectation::Any2xx, BodyExpectation::Bytes(b"x".into())),
        (
            "{ body-file = \"f\" }".into(),
            StatusExpectation::Any2xx,
            BodyExpectation::Bytes(b"F".into()),
        ),
        (
            "{ contains = \"x\" }".into(),
            StatusExpectation::Any2xx,
            BodyExpectation::Contains(b"x".into()),
        ),
        (
            "{ length = \"12 kB\" }".into(),
            StatusExpectation::Any2xx,
            BodyExpectation::Length(12_000),
        ),
        ("{ length = 0 }".into(), StatusExpectation::Any2xx, BodyExpectation::Length(0)),
        (
            format!("{{ sha256 = \"{digest}\" }}"),
            StatusExpectation::Any2xx,
            BodyExpectation::Sha256([0xab; 32]),
        ),
        (
            "{ json = '{\"n\": [1, null]}' }".into(),
            StatusExpectation::Any2xx,
            BodyExpectation::Json(serde_json::json!({"n": [1, null]})),
        ),
        (
            "{ json = { n = [1, 2.5, true, \"t\"] } }".into(),
            StatusExpectation::Any2xx,
            BodyExpectation::Json(serde_json::json!({"n": [1, 2.5, true, "t"]})),
        ),
    ] {
        let files = Memory::default().with("configs/f", "F");
        let text = format!("[[workload]]\nexpect = {written}\n{TWO}");
        let matrix = matrix_among(files, &text, None);
        let expect = matrix.workloads[0].expect.as_ref().expect("an expectation");
        assert_eq!((expect.status, &expect.body), (status, &body), "{written}");
    }
}

#[test]
fn a_load_is_called_by_its_figures_and_ranked_as_suits_it() {
    for (written, name, arrival, rank_by) in [
        ("connections = 8", "c8", Arrival::ClosedLoop, "goodput"),
        ("rate = \"5 k/s\"", "c64-r5000", Arrival::Even { rate: 5000.0 }, "p99"),
        ("rate = 0.5\narrivals = \"poisson\"", "c64-r0.5", Arrival::Poisson { rate: 0.5 }, "p99"),
        ("requests = 10\nrank-by = \"p50\"", "c64-n10", Arrival::ClosedLoop, "p50"),
    ] {
        let matrix = matrix(&format!("[[load]]\n{written}\n{TWO}"));
        let load = &matrix.loads[0];
        assert_eq!(
            (load.name.as_str(), load.arrival, load.rank_by.as_str()),
            (name, arrival, rank_by)
        );
    }
}

#[test]
fn every_key_of_a_load_is_read() {
    let load = &matrix(&format!(
        "[[load]]\nname = \"l\"\nkeep-alive = false\nhttp = \"1.0\"\ntimeout = \"250ms\"\nrequests = 1000\n\
         at-most = 30\nverify = \"all\"\nworkloads = [\"get-*\"]\n{TWO}"
    ))
    .loads[0];
    assert!(!load.keep_alive && load.http == Version::Http10 && load.verify == VerifyDepth::All);
    assert_eq!(load.timeout, Some(SECOND / 4));
    assert_eq!(load.stop, Stop::Requests { count: 1000, at_most: 30 * SECOND });
    assert!(load.workloads.matches("get-root") && !load.workloads.matches("post"));
}

#[test]
fn a_run_has_no_control_unless_one_is_named_and_a_profile_may_name_another() {
    let text = |run: &str| format!("{run}[profile.night]\ncontrol = \"b\"\n{TWO}");
    let control = |run: &str, profile: Option<&str>| {
        matrix_among(Memory::default(), &text(run), profile).run.control
    };
    let named = "[run]\ncontrol = \"a\"\n";
    for (run, profile, expected) in [
        ("", None, None),
        ("", Some("night"), Some("b")),
        (named, None, Some("a")),
        (named, Some("night"), Some("b")),
    ] {
        assert_eq!(control(run, profile).as_deref(), expected, "{run} {profile:?}");
    }
}
