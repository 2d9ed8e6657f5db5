//! What is wrong with targets that are written in the matrix, word for word.

use super::among_sound_targets;

#[test]
fn a_target_is_one_that_can_be_started() {
    among_sound_targets(&[
        (
            r#"[[target]]
name = "c""#,
            r#"1:1 target `c` has no `command` (`command = "./server --port {port}"` starts it)"#,
        ),
        (
            r#"[[target]]
command = """#,
            "2:11 this command is empty (name a program)",
        ),
        (
            r#"[[target]]
command = "sh -c 'x"
build = "make""#,
            r#"2:11 this command cannot be split into words (close its quotes and escapes, or set `shell = true`)
3:9 `build` must be a list of strings, not `"make"` (write it in brackets: `["make"]`)"#,
        ),
        (
            r#"[[target]]
command = "./c {prot} {what} ${HOME} {}"
build = ["make {ouy}", 3]"#,
            "2:11 `${HOME}` is not filled in, since no shell runs this command (set `shell = true`, or put it in single quotes if it is meant as it stands)
2:11 unknown placeholder `{prot}` (did you mean `{port}`?)
2:11 unknown placeholder `{what}` (in braces may stand `port`, `host`, `out`, `assets`, `cpus`, `cpu-list`)
3:10 unknown placeholder `{ouy}` (did you mean `{out}`?)
3:24 `build` must be a list of strings alone, not `3`",
        ),
        (
            r#"[[target]]
command = "./c"
name = "../x""#,
            "3:8 `../x` cannot be a name (a name starts with a letter or digit and goes on with these and `.`, `_`, `-`, `+`, `/`; at most 100 characters)",
        ),
        (
            r#"[[target]]
command = "./c"
kind = "libary"
port = 65536
ready = "tcp"
ready-timeout = 0
stop-grace = 0
platforms = ["linux", "mac"]
tools = ["goo >= 1", "go > 1"]"#,
            r#"3:8 `kind` must be one of `raw`, `library`, `framework`, `server`, not `"libary"` (did you mean `library`?)
4:8 `port` must be a whole number from 1 to 65535, not `65536`
5:9 only a `[[service]]` is ready by `tcp` (name a path: `ready = "/"`)
6:17 `ready-timeout` must be a duration such as `500ms`, `2s` or `1m 30s`, from 10 ms up to 7 days, not `0`
8:23 unknown platform `mac` (there is `linux`, `macos`, `windows`, `freebsd`, `openbsd`, `netbsd`, `illumos`)
9:10 unknown tool `goo` (did you mean `go`?)
9:22 `go > 1` is no tool (write `go` or `go >= 1.21`)"#,
        ),
        (
            r#"[[target]]
command = "./c"
env = { "" = "1", A = 2.5, B = 2, C = true }
dir = "none"
sources = ["["]
serves = { keep-alive = "no", http = "2", paralel = 1 }"#,
            r#"3:9 `` is no name of a variable (a name is not empty and holds no `=`: `env = { NAME = "value" }`)
3:23 `env.A` must be a string, whole number or boolean, not `2.5`
4:7 `dir` is no folder: `configs/none` (paths start from the folder of the file that they stand in)
5:12 `[` is no pattern: unclosed character class; missing ']' (patterns are such as `go/*`, `*.rs`, `{a,b}`, `[0-9]`; `[[]` is a `[`)
6:25 `keep-alive` must be `true` or `false`, not `"no"`
6:38 `http` must be one of `1.1`, `1.0`, not `"2"`
6:43 unknown key `paralel` (did you mean `parallel`?)"#,
        ),
    ]);
}

#[test]
fn variants_and_workloads_of_a_target_are_told_from_each_other_by_names_that_are_known() {
    among_sound_targets(&[
        (
            r#"[[target]]
name = "a"
command = "./c""#,
            "5:8 target `a` is there already, from line 2 (name it once, or give one of them another `name`)",
        ),
        (
            r#"[[target]]
command = "./c"
workloads = ["hello"]
[target.expect.get-rot]
status = 204
[target.workload.get-root]
path = "x""#,
            "3:14 no workload `hello` in this matrix (there is `get-root`)
4:16 `get-rot` is none of the `workloads` of this target (there is `hello`)
6:18 `get-root` is none of the `workloads` of this target (there is `hello`)
7:8 `path` must begin with `/` (put a `/` in front)",
        ),
        (
            r#"[[target]]
command = "./c"
[target.variant."a+b"]
name = "x"
[target.variant.fast]
comand = "x"
port = 0
[target.variant]
slow = 3"#,
            "3:17 `a+b` cannot be a name (a name starts with a letter or digit and goes on with these and `.`, `_`, `-`; at most 100 characters)
4:1 unknown key `name` (known here: `about`, `after-trial`, `before-trial`, `build`, `build-timeout`, `command`, `dir`, `env`, `expect`, `external`, `kind`, `language`, `platforms`, `port`, `ready`, `ready-timeout`, `serves`, `shell`, `sources`, `stop-grace`, `tags`, `tools`, `url`, `workload`, `workloads`)
6:1 unknown key `comand` (did you mean `command`?)
7:8 `port` must be a whole number from 1 to 65535, not `0`
9:8 `slow` must be a table, not `3` (write `slow = { KEY = VALUE }`)",
        ),
        (
            r#"[[target]]
command = "./c"
variants = ["fats"]
[target.variant.fast]
env = { A = "1" }"#,
            "3:13 `fats` matches no variant (did you mean `fast`?)",
        ),
    ]);
}
