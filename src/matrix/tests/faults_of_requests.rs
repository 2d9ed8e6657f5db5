//! What is wrong with workloads and loads, word for word.

use super::among_sound_targets;

#[test]
fn a_workload_is_a_request_that_can_be_sent() {
    among_sound_targets(&[
        (
            r#"[[workload]]
path = "index"
method = "get""#,
            "2:8 `path` must begin with `/` (put a `/` in front)
3:10 `get` is no method (did you mean `GET`?)",
        ),
        (
            r#"[[workload]]
path = "http://h/x"
method = "A B""#,
            "2:8 `path` must begin with `/` (leave out scheme and host; the host is the target's)
3:10 `A B` is no method (a method is one word such as `GET` or `POST`)",
        ),
        (
            r#"[[workload]]
path = "/a b""#,
            "2:8 `path` holds what cannot be sent (write it with percent-encoding: `%20`)",
        ),
        (
            r#"[[workload]]
method = "PSOT"
path = "/#top""#,
            "3:8 `path` holds what cannot be sent (write it with percent-encoding: `%20`)",
        ),
        (
            r#"[[workload]]
headers = { "a b" = "1", X = "a\r\nb", Y = 3, Z = "env:", Host = "h", connection = "close" }"#,
            r#"2:13 `a b` is no name of a header (a name is made of letters, digits and `-`: `X-Request-Id`)
2:30 the value of `X` holds a line end or control character (leave it out)
2:44 the value of `Y` must be a string (write it in quotes: `"3"`)
2:51 the value of `Z` names no variable (write `env:NAME`)
2:59 `Host` cannot be set (it follows from the target)
2:71 `connection` cannot be set (it follows from `keep-alive` of the load)"#,
        ),
        (
            r#"[[workload]]
body = "x"
body-file = "y""#,
            "3:13 `body-file` stands beside `body` (leave one of them out)",
        ),
        (
            r#"[[workload]]
body-file = "none""#,
            "2:13 cannot read `configs/none`: no such file (paths start from the folder of the file that they stand in)",
        ),
    ]);
}

#[test]
fn a_right_answer_is_told_once_and_can_be_compared() {
    among_sound_targets(&[
        (
            r#"[[workload]]
expect = { body = "x", json = '{}', status = 99 }"#,
            "2:31 the content is expected twice: `body`, `json` (leave one of them)
2:46 `status` must be a whole number from 200 to 599, not `99`",
        ),
        (
            "[[workload]]
expect = { json = '{', }",
            r#"2:19 `json` is no JSON: EOF while parsing an object at line 1 column 1 (a string of JSON needs quotes of its own: json = '"text"')"#,
        ),
        (
            "[[workload]]
expect = { json = 2026-01-01 }",
            "2:19 `json` must be JSON as a string, or a table, list, number or boolean, not `2026-01-01`",
        ),
        (
            r#"[[workload]]
expect = { sha256 = "abc" }"#,
            r#"2:21 `sha256` must be 64 hexadecimal digits, not `"abc"`"#,
        ),
        (
            "[[workload]]
expect = { length = -1 }",
            "2:21 `length` must be a number of bytes such as `305867` or `12 kB`, not `-1`",
        ),
        (
            r#"[[workload]]
expect = { length = "3 miles", headers = { A = "\n" } }"#,
            r#"2:21 `length` must be a number of bytes such as `305867` or `12 kB`, not `"3 miles"`
2:48 the value of `A` holds a line end or control character (leave it out)"#,
        ),
        (
            r#"[[workload]]
expect = "hello""#,
            r#"2:10 `expect` must be a table, not `"hello"` (write `expect = { body = "hello" }`)"#,
        ),
    ]);
}

#[test]
fn a_load_is_one_that_can_be_driven() {
    among_sound_targets(&[
        (
            r#"[[load]]
connections = 0
pipeline = 1001
keep-alive = 1
http = 1.1
timeout = 0
verify = "some""#,
            r#"2:15 `connections` must be a whole number from 1 to 100000, not `0`
3:12 `pipeline` must be a whole number from 1 to 1000, not `1001`
4:14 `keep-alive` must be `true` or `false`, not `1`
5:8 `http` must be one of `1.1`, `1.0`, not `1.1` (write it in quotes: `"1.1"`)
6:11 `timeout` must be a duration such as `500ms`, `2s` or `1m 30s`, from 1 ms up to 7 days, not `0`
7:10 `verify` must be one of `sample`, `all`, `none`, not `"some"`"#,
        ),
        (
            "[[load]]
connections = 100001
rate = 0",
            "2:15 `connections` must be a whole number from 1 to 100000, not `100001`
3:8 `rate` must be a rate per second, 0.001 to 10,000,000, such as `5000`, not `0`",
        ),
        (
            r#"[[load]]
rate = "fast"
arrivals = "poison"
requests = 0
at-most = "1m""#,
            r#"2:8 `rate` must be a rate per second, 0.001 to 10,000,000, such as `5000`, not `"fast"`
3:12 `arrivals` must be one of `even`, `poisson`, not `"poison"` (did you mean `poisson`?)
4:12 `requests` beside `rate` is not supported yet (`[run] measure` bounds a paced load)
4:12 `requests` must be a whole number from 1 to 1000000000, not `0`"#,
        ),
        (
            r#"[[load]]
arrivals = "even"
at-most = "60s""#,
            "2:12 `arrivals` stands here without `rate` (it says how the requests of a `rate` are spaced)
3:11 `at-most` stands here without `requests` (it bounds how long `requests` may take)",
        ),
        (
            "[[load]]
rate = 5000
requests = 100",
            "3:12 `requests` beside `rate` is not supported yet (`[run] measure` bounds a paced load)",
        ),
        (
            "[[load]]
pipeline = 8
keep-alive = false",
            "2:12 `pipeline` does not go with `keep-alive = false` (a connection takes several requests at once only under HTTP/1.1 and kept)",
        ),
        (
            r#"[[load]]
pipeline = 8
http = "1.0""#,
            r#"2:12 `pipeline` does not go with `http = "1.0"` (a connection takes several requests at once only under HTTP/1.1 and kept)"#,
        ),
    ]);
}
