//! Names that are taken, mean nothing or leave nothing to measure, word for word.

use super::among_sound_targets;

#[test]
fn names_are_given_once_and_patterns_match_something() {
    among_sound_targets(&[
        (
            r#"[[workload]]
name = "w"
[[workload]]
name = "w""#,
            "4:8 workload `w` is there already, from line 2 (name it once, or give one of them another `name`)",
        ),
        (
            "[[workload]]
targets = []",
            "2:11 `targets` is empty (leave it out for all, or name some)",
        ),
        (
            r#"[[workload]]
targets = ["[", 3, "c", "!d"]"#,
            "2:12 `[` is no pattern: unclosed character class; missing ']' (patterns are such as `go/*`, `*.rs`, `{a,b}`, `[0-9]`; `[[]` is a `[`)
2:17 `targets` must be a list of strings alone, not `3`
2:20 `c` matches no target (there is `a`, `b`)
2:25 `d` matches no target (there is `a`, `b`)",
        ),
        (
            r#"[[workload]]
name = """#,
            "2:8 `` cannot be a name (a name starts with a letter or digit and goes on with these and `.`, `_`, `-`; at most 100 characters)",
        ),
        (
            r#"[[workload]]
targets = "a""#,
            r#"2:11 `targets` must be a list of strings, not `"a"` (write it in brackets: `["a"]`)"#,
        ),
        (
            r#"[[load]]
workloads = ["get-rot"]"#,
            "2:14 `get-rot` matches no workload (did you mean `get-root`?)",
        ),
        (
            r#"[[load]]
workloads = ["*", "!get-root"]"#,
            "1:1 workload `get-root` is driven by no load (look at the `workloads` of the loads)
1:1 load `c64` drives no workload (look at its `workloads`)",
        ),
        (
            "[[load]]
connections = 8
[[load]]
connections = 8",
            "3:1 load `c8` is there already, from line 1 (name it once, or give one of them another `name`)",
        ),
    ]);
}

#[test]
fn nothing_is_left_without_a_cell_and_a_reference_is_a_row() {
    among_sound_targets(&[
        (
            r#"[[workload]]
name = "x"
targets = ["a"]"#,
            "8:8 target `b` is asked for no workload (the `targets` of the workloads that it offers leave it out)",
        ),
        (
            r#"[[workload]]
name = "x"
[[workload]]
name = "y"
path = "/y"
[[load]]
workloads = ["x"]"#,
            "4:8 workload `y` is driven by no load (look at the `workloads` of the loads)",
        ),
        (
            r#"[[target]]
command = "./c"
workloads = []
[[workload]]
name = "x""#,
            "1:1 target `c` is asked for no workload (its `workloads` are empty)",
        ),
        (
            r#"[run]
reference = "c""#,
            "2:13 `reference` names no target: `c` (there is `a`, `b`)",
        ),
        (
            r#"[run]
control = "c"
[profile.night]
control = "go/net-http""#,
            "2:11 `control` names no target: `c` (there is `a`, `b`)
4:11 `control` names no target: `go/net-http` (there is `a`, `b`)",
        ),
        (
            r#"[profile.q]
name = "other"
results = "elsewhere""#,
            "2:8 `name` stands in the profile `q` (it belongs into `[run]`: all runs of a matrix lie in one folder, and each says of which profile it is)
3:11 `results` stands in the profile `q` (it belongs into `[run]`: all runs of a matrix lie in one folder, and each says of which profile it is)",
        ),
        (
            r#"[run]
reference = "go/net-http"
[profile.q]
reference = "bb"
rounds = 0
rund = 1
[profile."x y"]"#,
            "2:13 `reference` names no target: `go/net-http` (there is `a`, `b`)
4:13 `reference` names no target: `bb` (did you mean `b`?)
5:10 `rounds` must be a whole number from 1 to 1000, not `0`
6:1 unknown key `rund` (did you mean `rounds`?)
7:10 `x y` cannot be a name (a name starts with a letter or digit and goes on with these and `.`, `_`, `-`; at most 100 characters)",
        ),
    ]);
}
