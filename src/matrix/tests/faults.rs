//! What is wrong with a matrix, word for word.

use super::{TWO, among_sound_targets, check};

#[test]
fn unknown_keys_are_all_named_with_the_nearest_known_one() {
    among_sound_targets(&[
        (
            r#"[run]
round = 3
mesure = "3s"
colour = 1
[cpu]
[[workload]]
metod = "GET"
expect = { stats = 200 }
[[load]]
conections = 3"#,
            "2:1 unknown key `round` (did you mean `rounds`?)
3:1 unknown key `mesure` (did you mean `measure`?)
4:1 unknown key `colour` (known here: `control`, `max-rounds`, `measure`, `min-effect`, `name`, `order`, `reference`, `results`, `retry-noisy`, `rounds`, `seed`, `warm-up`, `warm-up-max`)
5:2 unknown key `cpu` (did you mean `cpus`?)
7:1 unknown key `metod` (did you mean `method`?)
8:12 unknown key `stats` (did you mean `status`?)
10:1 unknown key `conections` (did you mean `connections`?)",
        ),
        (
            r#"[[targets]]
command = "./c"
[[target]]
comand = "./c"
serves = { heads = true }
[runn]"#,
            r#"1:3 unknown key `targets` (did you mean `target`?)
3:1 target `target` has no `command` (`command = "./server --port {port}"` starts it)
4:1 unknown key `comand` (did you mean `command`?)
5:12 unknown key `heads` (did you mean `head`?)
6:2 unknown key `runn` (did you mean `run`?)"#,
        ),
    ]);
}

#[test]
fn what_is_planned_is_refused_as_such() {
    among_sound_targets(&[
        (
            r#"[[workload]]
requests-file = "urls.txt""#,
            "2:1 `requests-file` is not supported yet (write one `path`; several workloads ask several)",
        ),
        (
            r#"[[workload]]
path = "https://h/""#,
            "2:8 `https://` is not supported yet (targets are asked over HTTP and TCP)",
        ),
        (
            r#"[[workload]]
path = "unix:/tmp/s""#,
            "2:8 `unix:` is not supported yet (targets are asked over HTTP and TCP)",
        ),
        (
            r#"[[workload]]
path = "/a/{seq}""#,
            "2:8 `{seq}` in a path is not supported yet (write one path)",
        ),
        (
            r#"[[workload]]
path = "/{random}""#,
            "2:8 `{random}` in a path is not supported yet (write one path)",
        ),
        (
            r#"[[load]]
http = "2""#,
            "2:8 HTTP/2 and HTTP/3 are not supported yet (`1.1` or `1.0` can be spoken)",
        ),
        (
            "[[load]]
rate = 100
requests = 10",
            "3:12 `requests` beside `rate` is not supported yet (`[run] measure` bounds a paced load)",
        ),
        (
            r#"[[target]]
command = "x"
socket = "s"
tls = true"#,
            "3:1 `socket` is not supported yet (targets are asked over HTTP and TCP; leave it out)
4:1 `tls` is not supported yet (targets are asked over HTTP and TCP; leave it out)",
        ),
    ]);
}

#[test]
fn a_value_of_another_kind_or_out_of_range_is_told_what_it_must_be() {
    among_sound_targets(&[
        (
            r#"[run]
rounds = "7"
measure = [1]
seed = -1
min-effect = 2
order = "shufled"
name = 7
warm-up = "3"
results = false"#,
            r#"2:10 `rounds` must be a whole number from 1 to 1000, not `"7"` (write it without quotes: `7`)
3:11 `measure` must be a duration such as `500ms`, `2s` or `1m 30s`, from 10 ms up to 7 days, not a list
4:8 `seed` must be a whole number from 0 to 9223372036854775807, not `-1`
5:14 `min-effect` must be a share such as `2%`, below 100%, not `2`
6:9 `order` must be one of `shuffled`, `as-written`, not `"shufled"` (did you mean `shuffled`?)
7:8 `name` must be a string, not `7` (write it in quotes: `"7"`)
8:11 `warm-up` must be a duration such as `500ms`, `2s` or `1m 30s`, up to 7 days, not `"3"` (write it without quotes: `3`)
9:11 `results` must be a string, not `false` (write it in quotes: `"false"`)"#,
        ),
        (
            r#"[run]
rounds = 0
measure = 0
warm-up = "-1s"
min-effect = "100%"
seed = 99999999999999999999
warm-up-max = inf"#,
            r#"2:10 `rounds` must be a whole number from 1 to 1000, not `0`
3:11 `measure` must be a duration such as `500ms`, `2s` or `1m 30s`, from 10 ms up to 7 days, not `0`
4:11 `warm-up` must be a duration such as `500ms`, `2s` or `1m 30s`, up to 7 days, not `"-1s"`
5:14 `min-effect` must be a share such as `2%`, below 100%, not `"100%"`
6:8 `seed` must be a whole number from 0 to 9223372036854775807, not `99999999999999999999`
7:15 `warm-up-max` must be a duration such as `500ms`, `2s` or `1m 30s`, up to 7 days, not `inf`"#,
        ),
        (
            r#"[run]
rounds = 1001
measure = "8d"
name = "a b""#,
            r#"2:10 `rounds` must be a whole number from 1 to 1000, not `1001`
3:11 `measure` must be a duration such as `500ms`, `2s` or `1m 30s`, from 10 ms up to 7 days, not `"8d"`
4:8 `a b` cannot be a name (a name starts with a letter or digit and goes on with these and `.`, `_`, `-`; at most 100 characters)"#,
        ),
        (
            r#"[run]
warm-up = "5s"
warm-up-max = "2s""#,
            "3:15 `warm-up-max` is shorter than `warm-up` (set it longer)",
        ),
        (
            "run = 3
workload = 1
load = [1, {}]
cpus = []",
            "1:7 `run` must be a table, not `3` (write `[run]` above its keys)
2:12 `workload` must be tables, `[[workload]]`, not `1`
3:9 `load` must be tables, `[[load]]`, not `1`
4:8 `cpus` must be a table, not a list (write `[cpus]` above its keys)",
        ),
        (
            "[[run]]
rounds = 3",
            "1:1 `run` stands here as a list of tables (write `[run]`, once and with single brackets)",
        ),
        (
            "[load]
connections = 0",
            "1:1 `load` stands here as one table (write `[[load]]`, with two brackets)
2:15 `connections` must be a whole number from 1 to 100000, not `0`",
        ),
        (
            r#"[cpus]
server = "0-"
generator = 3"#,
            r#"2:10 `server` must be `auto`, `all` or a list of CPUs such as `"0,2-3"`, not `"0-"`
3:13 `generator` must be `auto`, `all` or a list of CPUs such as `"0,2-3"`, not `3` (write it in quotes: `"3"`)"#,
        ),
        (
            "[run]
rounds = 2026-01-01",
            "2:10 `rounds` must be a whole number from 1 to 1000, not `2026-01-01`",
        ),
    ]);
}

#[test]
fn a_byte_order_mark_and_carriage_returns_move_no_place() {
    assert_eq!(
        check(&format!("\u{feff}[rum]\r\n[run]\r\nrounds = 1_001\r\nmeasure = 700_000.5\r\n{TWO}")),
        "1:2 unknown key `rum` (did you mean `run`?)
3:10 `rounds` must be a whole number from 1 to 1000, not `1_001`
4:11 `measure` must be a duration such as `500ms`, `2s` or `1m 30s`, from 10 ms up to 7 days, not `700_000.5`"
    );
}

#[test]
fn a_file_that_says_nothing_or_is_no_toml_is_told_so() {
    for (text, problems) in [
        (
            "",
            "1:1 no `[[target]]` in this matrix (name a server: `[[target]]` with a `command`, or with `from` a folder)",
        ),
        ("a = ", "1:5 no TOML: string values must be quoted, expected literal string"),
        (
            "a = 1\na = 2\n[x\n",
            "2:1 no TOML: duplicate key\n3:3 no TOML: unclosed table, expected `]`",
        ),
    ] {
        assert_eq!(check(text), problems, "{text}");
    }
}
