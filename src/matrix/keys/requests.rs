//! The keys of what is asked and of what is right: `[[workload]]`, `expect`, `[[load]]`, and a target's own request.

use super::super::expectation::{CONTENTS, STATUS_MAX, STATUS_MIN};
use super::super::load;
use super::{Key, Keys, Preset, Sort, key, words};

/// The keys of a request, whosever it is.
const METHOD: Key = key("method", Sort::Method, "The method, as it is sent.")
    .preset(Preset::Text("GET"))
    .like("\"POST\"");
const PATH: Key = key(
    "path",
    Sort::Path,
    "Path and query, as they are sent: what no URL may hold stands in percent-encoding.",
)
.preset(Preset::Text("/"))
.like("\"/search?q=a%20b\"");
const HEADERS: Key = key(
    "headers",
    Sort::Headers,
    "Headers besides `Host`, `Connection`, `Content-Length` and `Transfer-Encoding`, which follow from all \
     else; in this order. A value `env:NAME` is read from the environment and never written anywhere.",
)
.like("{ Accept = \"*/*\", Authorization = \"env:TOKEN\" }");
const BODY: Key = key("body", Sort::Text, "The body.").like("'{\"n\":1}'");
const BODY_FILE: Key =
    key("body-file", Sort::File, "A file that is the body.").like("\"body.json\"");

/// `[[workload]]`.
pub static WORKLOAD: Keys = Keys {
    name: "workload",
    written: "`[[workload]]`",
    about: "What is asked, and which answer is right. One that has a `name` of the contract \
            (`hello`, `file`, `static`, `json`, `wait`, `cpu`) and neither request nor `expect` of its own is \
            that of the contract, of which `targets/README.md` tells.",
    keys: &[
        key("name", Sort::Name, "Its name in tables.")
            .preset(Preset::Words("its request: `get-root` for `GET /`")),
        METHOD,
        PATH,
        HEADERS,
        BODY,
        BODY_FILE,
        key("expect", Sort::Table(&EXPECT), "The right answer.")
            .preset(Preset::Words("any 2xx, alike across targets"))
            .like("{ status = 200, body = \"hello world\" }"),
        key(
            "targets",
            Sort::Globs,
            "The targets that are asked; `!` in front of a pattern excludes.",
        )
        .preset(Preset::All)
        .like("[\"go/*\", \"!go/raw-tcp\"]"),
    ],
    alone: &[&["body", "body-file"]],
    with: &[],
};

/// `expect`.
pub static EXPECT: Keys = Keys {
    name: "expect",
    written: "`expect`",
    about: "The right answer: of a workload, or of one target to a workload (`expect.NAME` of a target). \
            One key at most says which content is right.",
    keys: &[
        key(
            "status",
            Sort::Whole { least: STATUS_MIN as u64, most: STATUS_MAX as u64 },
            "The right status.",
        )
        .preset(Preset::Words("any 2xx")),
        key("body", Sort::Text, "The whole content.").like("\"hello world\""),
        key("body-file", Sort::File, "A file with the whole content.").like("\"body.json\""),
        key(
            "json",
            Sort::Json,
            "JSON that the content is equal to, as JSON. A string is read as JSON.",
        )
        .like("'{\"n\": 42}'"),
        key("contains", Sort::Text, "What stands somewhere in the content.").like("\"hello\""),
        key("length", Sort::Size, "The length of the content.").like("\"12 kB\""),
        key("sha256", Sort::Digest, "The SHA-256 digest of the content.")
            .like("\"b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9\""),
        key("headers", Sort::Headers, "Headers that the answer has, with these values.")
            .like("{ Content-Type = \"text/plain\" }"),
    ],
    alone: &[&CONTENTS],
    with: &[],
};

/// `workload.NAME` of a target.
pub static OWN_REQUEST: Keys = Keys {
    name: "own-request",
    written: "`workload.NAME` of a target",
    about: "A target's own request for a workload, laid over that of the workload.",
    keys: &[
        METHOD.preset(Preset::Words("that of the workload")),
        PATH.preset(Preset::Words("that of the workload")),
        HEADERS.preset(Preset::Words("those of the workload")),
        BODY.preset(Preset::Words("that of the workload")),
        BODY_FILE.preset(Preset::Words("that of the workload")),
    ],
    alone: &[&["body", "body-file"]],
    with: &[],
};

static VERSIONS: [&str; 2] = words(&load::VERSIONS);
static ARRIVALS: [&str; 2] = words(&load::ARRIVALS);
static DEPTHS: [&str; 3] = words(&load::DEPTHS);

/// `[[load]]`.
pub static LOAD: Keys = Keys {
    name: "load",
    written: "`[[load]]`",
    about: "How hard a server is asked. Without `rate` it is a closed loop: each connection sends its next \
            request as soon as it has the answer to the one before.",
    keys: &[
        key("name", Sort::Name, "Its name in tables.")
            .preset(Preset::Words("its figures: `c64` for 64 connections")),
        key(
            "connections",
            Sort::Whole { least: 1, most: load::CONNECTIONS_MAX as u64 },
            "Connections at once.",
        )
        .preset(Preset::Whole(load::CONNECTIONS as u64)),
        key(
            "keep-alive",
            Sort::Truth,
            "Whether connections are used again. If not, every request has one of its own.",
        )
        .preset(Preset::Truth(true)),
        key(
            "pipeline",
            Sort::Whole { least: 1, most: load::PIPELINE_MAX as u64 },
            "Requests under way on each connection; more than one goes with HTTP/1.1 and kept connections only.",
        )
        .preset(Preset::Whole(1)),
        key("http", Sort::Choice(&VERSIONS), "The version of HTTP that is spoken.")
            .preset(Preset::Text("1.1")),
        key("timeout", Sort::Time { least: load::MOMENT }, "Time for one request, connecting included.")
            .preset(Preset::Words("the window, at most 10 s")),
        key(
            "rate",
            Sort::Rate,
            "Requests per second over all connections. It makes the load paced: requests go out by a \
             schedule, whatever the answers do.",
        )
        .like("\"5 k/s\""),
        key(
            "arrivals",
            Sort::Choice(&ARRIVALS),
            "How the requests of a `rate` are spaced: at equal distances, or as a Poisson process.",
        )
        .preset(Preset::Text("even")),
        key(
            "requests",
            Sort::Whole { least: 1, most: load::REQUESTS_MAX },
            "Ends when so many requests have ended, in place of a window. Not together with `rate`.",
        )
        .like("10000"),
        key("at-most", Sort::Time { least: load::MOMENT }, "The longest that `requests` may take.")
            .preset(Preset::Time(load::AT_MOST)),
        key(
            "verify",
            Sort::Choice(&DEPTHS),
            "How often the content of an answer is compared: the first of each connection and one in \
             1,000, all, or none. Status and length always are.",
        )
        .preset(Preset::Text("sample")),
        key("rank-by", Sort::Choice(&load::COLUMNS), "The column that ranks rows.")
            .preset(Preset::Words("`\"goodput\"`, and `\"p99\"` under a `rate`")),
        key("workloads", Sort::Globs, "The workloads that it drives, by name.")
            .preset(Preset::All)
            .like("[\"get-*\"]"),
    ],
    alone: &[&["rate", "requests"]],
    with: &[("arrivals", "rate"), ("at-most", "requests")],
};
