//! Targets in folders of their own: found, named, laid over, and faults told in their own files.

use std::path::Path;

use super::{Memory, check_among, matrix_among};
use crate::matrix::{HeaderValue, Sources, Target, TargetKind};

const GO: &str = r#"language = "Go"
about = "net/http of the standard library"
kind = "library"
tools = ["go >= 1.21"]
build = ["go build -o {out}/server ."]
command = "{out}/server"
workloads = ["hello", "json"]
env = { GOMAXPROCS = 4, GOGC = "off" }
[variant.one-core]
env = { GOMAXPROCS = 1 }
tags = ["small"]
[variant.shell]
shell = true
command = "exec {out}/server | cat 'x"
"#;

fn files() -> Memory {
    Memory::default()
        .with("targets/go/net-http/target.toml", GO)
        .with("targets/node/http/target.toml", "command = \"node server.mjs\"\n")
        .with("targets/node/http/node_modules/x/target.toml", "not read")
        .with("targets/README.md", "")
}

#[test]
fn a_pattern_finds_every_folder_with_a_target_file_and_names_it_by_its_path() {
    let text = "[[target]]\nfrom = \"../targets/*\"\n";
    let matrix = matrix_among(files(), text, None);
    let labels: Vec<String> = matrix.targets.iter().map(Target::label).collect();
    assert_eq!(labels, ["go/net-http", "node/http"]);
    assert_eq!(matrix.run.reference, "go/net-http");
    let go = &matrix.targets[0];
    assert_eq!((go.language.as_deref(), go.kind), (Some("Go"), Some(TargetKind::Library)));
    assert_eq!(go.dir, Path::new("/project/targets/go/net-http"));
    assert_eq!((go.env["GOMAXPROCS"].as_str(), &go.sources), ("4", &Sources::Folder));
    assert_eq!(go.tools[0].tool, "go");
    assert_eq!(go.tools[0].at_least.as_ref().expect("a version").to_string(), "1.21");
    // The default workload is asked of every target, whatever it offers.
    assert!(go.offers("get-root"));
    assert_eq!(matrix.toolchains.keys().collect::<Vec<_>>(), ["go"]);
}

#[test]
fn variants_take_part_beside_their_base_where_a_pattern_takes_them_in() {
    for (variants, expected) in [
        ("", &["go/net-http"][..]),
        ("variants = [\"*\"]", &["go/net-http", "go/net-http+one-core", "go/net-http+shell"]),
        ("variants = [\"*\", \"!shell\"]", &["go/net-http", "go/net-http+one-core"]),
    ] {
        let text = format!("[[target]]\nfrom = \"../targets/go/net-http\"\n{variants}\n");
        let matrix = matrix_among(files(), &text, None);
        let labels: Vec<String> = matrix.targets.iter().map(Target::label).collect();
        assert_eq!(labels, expected, "{variants}");
    }
}

#[test]
fn a_variant_replaces_keys_and_adds_to_the_environment() {
    let text = "[[target]]\nfrom = \"../targets/go/net-http\"\nvariants = [\"*\"]\n";
    let matrix = matrix_among(files(), text, None);
    let [base, one_core, shell] = &matrix.targets[..] else { panic!("three targets") };
    assert_eq!((one_core.env["GOMAXPROCS"].as_str(), one_core.env["GOGC"].as_str()), ("1", "off"));
    assert_eq!(base.env["GOMAXPROCS"], "4");
    assert_eq!((&base.tags[..], &one_core.tags[..]), (&[][..], &["small".to_owned()][..]));
    assert_eq!(one_core.command, base.command);
    assert!(shell.command.shell && shell.build[0].shell && !base.command.shell);
    assert_eq!(one_core.workloads, None);
}

#[test]
fn a_target_has_its_own_requests_laid_over_those_of_the_matrix() {
    let files = Memory::default()
        .with("configs/big.json", "BIG")
        .with(
            "targets/a/target.toml",
            r#"command = "./a"
[workload.json]
path = "/v2/json"
body-file = "own.json"
[workload.other]
path = "/other"
[expect.json]
status = 201
"#,
        )
        .with("targets/a/own.json", "OWN");
    let text = r#"[[workload]]
name = "json"
method = "POST"
path = "/json"
headers = { A = "1" }
body-file = "big.json"
expect = { status = 200 }
[[target]]
from = "../targets/a"
"#;
    let matrix = matrix_among(files, text, None);
    assert_eq!(matrix.workloads[0].request.body, b"BIG");
    let target = &matrix.targets[0];
    let own = &target.requests["json"];
    assert_eq!(
        (own.method.as_str(), own.path.as_str(), &own.body[..]),
        ("POST", "/v2/json", &b"OWN"[..])
    );
    assert_eq!(own.headers, [("A".to_owned(), HeaderValue::Plain("1".to_owned()))]);
    assert_eq!(target.requests["other"].method, "GET");
    assert!(target.expect.contains_key("json"));
}

#[test]
fn tools_are_known_from_the_nearest_file_and_else_from_our_own() {
    let zig = "[zig]\nversion = \"zig version\"\npattern = '([0-9.]+)'\n";
    let files = files()
        .with("targets/toolchains.toml", zig)
        .with("targets/zig/std/target.toml", "command = \"./z\"\ntools = [\"zig\", \"cc\"]\n");
    let matrix = matrix_among(files, "[[target]]\nfrom = \"../targets/*/*\"\n", None);
    assert_eq!(matrix.toolchains.keys().collect::<Vec<_>>(), ["cc", "go", "zig"]);
    assert_eq!(matrix.toolchains["zig"].version, "zig version");
}

#[test]
fn faults_of_all_files_are_told_at_once_the_matrix_first() {
    let files = Memory::default()
        .with("targets/a/target.toml", "comand = \"./a\"\nkind = \"raw\"\nkindd = 1\n")
        .with("targets/b/target.toml", "command = \"./b {prot}\"\n[variant.x]\nport = 0\n")
        .with("targets/c/target.toml", "command = \n")
        .with("targets/d/target.toml", b"\xff\xfe")
        .with(
            "targets/toolchains.toml",
            "[go]\nversion = \"\"\npattern = \"x\"\n[[go.get]]\nrun = [\"{tool}\"]\n",
        );
    let text = "[run]\nrounds = 0\nreference = \"x\"\n[[target]]\nfrom = \"../targets/*\"\n";
    assert_eq!(
        check_among(files, text, None),
        r#"2:10 `rounds` must be a whole number from 1 to 1000, not `0`
5:8 `targets/d/target.toml` is no UTF-8 text (save it as UTF-8)
targets/c/target.toml:1:11 no TOML: string values must be quoted, expected literal string
targets/toolchains.toml:2:11 this command is empty (name a program)
targets/toolchains.toml:3:11 `pattern` has no group (put the version in brackets: `go([0-9.]+)`)
targets/toolchains.toml:4:1 `get` has no `from` (where it is got from, as shown: `from = "Debian"`)
targets/toolchains.toml:5:8 unknown placeholder `{tool}` (did you mean `{tools}`?)
targets/a/target.toml:1:1 target `a` has no `command` (`command = "./server --port {port}"` starts it)
targets/a/target.toml:1:1 unknown key `comand` (did you mean `command`?)
targets/a/target.toml:3:1 unknown key `kindd` (did you mean `kind`?)
targets/b/target.toml:1:11 unknown placeholder `{prot}` (did you mean `{port}`?)
targets/b/target.toml:3:8 `port` must be a whole number from 1 to 65535, not `0`"#
    );
}

#[test]
fn a_from_that_finds_nothing_is_told_with_what_is_near() {
    for (from, problems) in [
        (
            "../targets/go/net-htp",
            "2:8 no `target.toml` in `targets/go/net-htp` (did you mean `../targets/go/net-http`?)",
        ),
        (
            "../targets/go/",
            "2:8 no `target.toml` in `targets/go` (for all targets below it, write `../targets/go/*`)",
        ),
        (
            "../targets/rust/*",
            "2:8 `targets/rust` is no folder (paths start from the folder of the file that they stand in)",
        ),
        (
            "../targets/[",
            "2:8 `[` is no pattern: unclosed character class; missing ']' (patterns are such as `go/*`, `*.rs`, `{a,b}`, `[0-9]`; `[[]` is a `[`)",
        ),
        ("../tragets/*", "2:8 `tragets` is no folder (did you mean `../targets`?)"),
        ("/none", "2:8 no `target.toml` in `/none` (there is no such folder)"),
        (
            "../none/x",
            "2:8 no `target.toml` in `none/x` (paths start from the folder of the file that they stand in)",
        ),
    ] {
        let text = format!("[[target]]\nfrom = \"{from}\"\n");
        assert_eq!(check_among(files(), &text, None), problems, "{from}");
    }
}

#[test]
fn what_does_not_go_with_from_and_what_is_there_twice_is_told() {
    let text = r#"[[target]]
from = "../targets/*"
command = "./x"
variants = ["one-cor"]
[[target]]
from = "../targets/go/net-http"
"#;
    assert_eq!(
        check_among(files(), text, None),
        "3:1 unknown key `command` (beside `from` may stand `variants`; all else is in the folder's `target.toml`)
4:13 `one-cor` matches no variant (did you mean `one-core`?)
6:8 target `go/net-http` is there already, from line 2 (name it once, or give one of them another `name`)"
    );
}

#[test]
fn what_a_target_offers_is_held_against_what_the_matrix_asks() {
    let text = r#"[[workload]]
name = "hello"
[[workload]]
name = "file"
path = "/file"
targets = ["go/*"]
[[target]]
from = "../targets/go/*"
"#;
    assert_eq!(
        check_among(files(), text, None),
        "4:8 workload `file` is asked of no target (look at its `targets`, and at the `workloads` that targets offer)"
    );
    let text = "[[workload]]\nname = \"file\"\n[[target]]\nfrom = \"../targets/go/net-http\"\n\
                [[target]]\nfrom = \"../targets/node/http\"\n";
    assert_eq!(
        check_among(files(), text, None),
        "4:8 target `go/net-http` is asked for no workload (it offers `hello`, `json`; this matrix asks `file`)"
    );
}

#[test]
fn what_a_pattern_finds_has_a_part_only_where_something_is_asked_that_it_offers() {
    let files = || {
        let needs_more = "command = \"./x {service.db.port}\"\nworkloads = [\"rows\"]\n\
                          [variant.plain]\ncommand = \"./x\"\nworkloads = [\"hello\"]\n";
        files().with("targets/go/pg/target.toml", needs_more)
    };
    let labels = |variants: &str, workload: &str| -> Vec<String> {
        let text = format!(
            "[[workload]]\nname = \"{workload}\"\n[[target]]\nfrom = \"../targets/*\"\n{variants}"
        );
        matrix_among(files(), &text, None).targets.iter().map(Target::label).collect()
    };
    assert_eq!(labels("", "hello"), ["go/net-http", "node/http"]);
    assert_eq!(labels("", "file"), ["node/http"]);
    let with_variant = ["go/net-http", "go/pg+plain", "node/http"];
    assert_eq!(labels("variants = [\"plain\"]\n", "hello"), with_variant);
    let text = "[[workload]]\nname = \"rows\"\n[[target]]\nfrom = \"../targets/go/*\"\n";
    assert_eq!(
        check_among(files(), text, None),
        "targets/go/pg/target.toml:1:11 unknown placeholder `{service.db.port}` (there is no `[[service]]` that may be named here)"
    );
}

#[test]
fn an_unknown_profile_is_told_with_the_nearest_one() {
    for (text, problems) in [
        ("[profile.quick]\nrounds = 2\n", "no profile `quik` (did you mean `quick`?)"),
        ("", "no profile `quik` (there is no `[profile.NAME]` in this matrix)"),
    ] {
        let text = format!("{text}[[target]]\ncommand = \"./a\"\n");
        assert_eq!(check_among(files(), &text, Some("quik")), problems);
    }
}
