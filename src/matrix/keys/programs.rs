//! The keys of programs: `[[target]]` and `target.toml`, variants, `serves`, and `[[service]]`.

use std::time::Duration;

use super::super::serves;
use super::super::service::{Scope, StopSignal};
use super::super::target::{
    BUILD_TIMEOUT, KINDS, PATIENCE_MIN, PLATFORMS, READY_TIMEOUT, STOP_GRACE,
};
use super::{EXPECT, Key, Keys, OWN_REQUEST, Preset, Sort, key, words};

/// A target that is a folder.
pub static FROM: Keys = Keys {
    name: "target-from",
    written: "`[[target]]` with `from`",
    about: "Targets that have a folder of their own, with a `target.toml` in it.",
    keys: &[
        key(
            "from",
            Sort::Text,
            "The folder, from that of the matrix; a pattern takes every folder that it matches and \
             that offers something of what is asked.",
        )
        .required()
        .like("\"../targets/go/*\""),
        VARIANTS,
    ],
    alone: &[],
    with: &[],
};

/// A target that is written in the matrix.
pub static INLINE: Keys = Keys {
    name: "target",
    written: "`[[target]]`",
    about: "A target that is written in the matrix whole. All keys of a `target.toml` may stand here, \
            and `variants`, as beside `from`.",
    keys: &{
        let mut keys = [VARIANTS; SETTINGS.len() + 3];
        keys[0] = NAME.preset(Preset::Words("its command: `node-a.js`"));
        let mut at = 0;
        while at < SETTINGS.len() {
            keys[at + 1] = SETTINGS[at];
            at += 1;
        }
        keys[at + 1] = VARIANT_TABLES;
        keys
    },
    alone: &[],
    with: &[],
};

/// A `target.toml`.
pub static TARGET: Keys = Keys {
    name: "target",
    written: "`target.toml`",
    about: "One server program: how it is built and run, what it offers, and what it does not do. \
            Every command may name `{port}`, `{host}`, `{out}` (the build folder), `{assets}`, `{cpus}` (a count) and \
            `{cpu-list}`, and all but those of `build` also `{service.NAME.port}` and `{service.NAME.host}`.",
    keys: &{
        let mut keys = [VARIANT_TABLES; SETTINGS.len() + 2];
        keys[0] = NAME.preset(Preset::Words("its path below `targets/`"));
        let mut at = 0;
        while at < SETTINGS.len() {
            keys[at + 1] = SETTINGS[at];
            at += 1;
        }
        keys
    },
    alone: &[],
    with: &[],
};

/// `variant.NAME`.
pub static VARIANT: Keys = Keys {
    name: "variant",
    written: "`[variant.NAME]`",
    about: "The same target under another setting; its row is `target+NAME`. It may hold what a target may, but for \
            `name` and `variant`. Each key that stands here replaces that of the target, but for `env`, whose variables \
            are laid over the target's one by one.",
    keys: &{
        let mut keys = SETTINGS;
        let mut at = 0;
        while at < keys.len() {
            keys[at] = keys[at].preset(Preset::Words("that of the target"));
            at += 1;
        }
        keys
    },
    alone: &[],
    with: &[],
};

const NAME: Key = key("name", Sort::TargetName, "Its name in tables.").like("\"go/net-http\"");
const VARIANTS: Key = key(
    "variants",
    Sort::Globs,
    "The variants that take part besides the target as it is, by name.",
)
.preset(Preset::Words("none"))
.like("[\"one-core\"]");
const VARIANT_TABLES: Key = key(
    "variant",
    Sort::Named(&VARIANT),
    "The same target under other settings, by name. They take part where the matrix says so.",
);

static KIND_WORDS: [&str; 4] = words(&KINDS);

const TOOLS: Key = key(
    "tools",
    Sort::Needs,
    "Tools without which it is skipped: names from `toolchains.toml`, each perhaps with its oldest version.",
)
.like("[\"go >= 1.21\"]");
const DIR: Key = key("dir", Sort::File, "The folder that commands run in.")
    .preset(Preset::Words("that of the file"));
const SHELL: Key = key(
    "shell",
    Sort::Truth,
    "Whether a shell runs the commands. If not, they are split into words as a shell would.",
)
.preset(Preset::Truth(false));
const ENV: Key = key(
    "env",
    Sort::Variables,
    "Its environment, besides `PATH`, `HOME`, `TMPDIR`, `LANG` and what stands for placeholders.",
)
.like("{ GOMAXPROCS = \"1\" }");
const PORT: Key = key(
    "port",
    Sort::Whole { least: 1, most: u16::MAX as u64 },
    "A port that it cannot be talked out of.",
)
.preset(Preset::Words("another one for each trial"));
const READY_WAIT: Key =
    key("ready-timeout", Sort::Time { least: PATIENCE_MIN }, "How long it may take to get ready.")
        .preset(Preset::Time(READY_TIMEOUT));
const GRACE: Key = key(
    "stop-grace",
    Sort::Time { least: Duration::ZERO },
    "How long it may take to stop, before it is killed.",
)
.preset(Preset::Time(STOP_GRACE));

/// What a target may be told, but for its name and its variants.
const SETTINGS: [Key; 25] = [
    key("language", Sort::Text, "The language that it is written in, as shown.").like("\"Go\""),
    key("about", Sort::Text, "One line on what it is.").like("\"net/http of the standard library\""),
    key(
        "kind",
        Sort::Choice(&KIND_WORDS),
        "What sort of program it is; `raw` answers without parsing all of HTTP.",
    ),
    key("url", Sort::Text, "Where more is told of it."),
    key("tags", Sort::Texts, "Free words.").like("[\"async\"]"),
    TOOLS,
    key("platforms", Sort::Choices(&PLATFORMS), "Systems that it runs on; elsewhere it is skipped.")
        .preset(Preset::Words("any"))
        .like("[\"linux\"]"),
    key("build", Sort::Commands, "Commands that make it, in order.")
        .like("[\"go build -o {out}/server .\"]"),
    key("command", Sort::Command, "The command that runs it.")
        .required()
        .like("\"./server --port {port}\""),
    key("before-trial", Sort::Commands, "Commands before its server starts; if one fails, so does the trial.")
        .like("[\"./fill {out}/data\"]"),
    key("after-trial", Sort::Commands, "Commands after its server has stopped.")
        .like("[\"rm -r {out}/data\"]"),
    DIR,
    SHELL,
    ENV,
    PORT,
    key("ready", Sort::Path, "The path that is asked until it answers with a 2xx.")
        .preset(Preset::Words("its first workload if that is a plain `GET`, else a connection"))
        .like("\"/health\""),
    READY_WAIT,
    GRACE,
    key("build-timeout", Sort::Time { least: PATIENCE_MIN }, "How long each command of `build`, `before-trial` and `after-trial` may take.")
        .preset(Preset::Time(BUILD_TIMEOUT)),
    key(
        "sources",
        Sort::Texts,
        "Patterns of the files that a build depends on; it is built again when one of them changed.",
    )
    .preset(Preset::Words("all files of its folder; written in a matrix: it is always built"))
    .like("[\"*.go\", \"go.*\"]"),
    key("workloads", Sort::Texts, "The workloads that it offers. Of others it has no cell.")
        .preset(Preset::Words("all"))
        .like("[\"hello\", \"json\"]"),
    key(
        "expect",
        Sort::Named(&EXPECT),
        "Its own right answers by workload, where they are knowingly different.",
    ),
    key("workload", Sort::Named(&OWN_REQUEST), "Its own requests by workload."),
    key("serves", Sort::Table(&SERVES), "What it does not do.").like("{ keep-alive = false }"),
    key(
        "external",
        Sort::Truth,
        "The process that answers is not ours: its CPU and memory are absent, and the command may end with 0.",
    )
    .preset(Preset::Truth(false)),
];

static SERVED_VERSIONS: [&str; 2] = words(&serves::VERSIONS);

const fn does(name: &'static str, about: &'static str) -> Key {
    key(name, Sort::Truth, about).preset(Preset::Truth(true))
}

/// `serves`.
pub static SERVES: Keys = Keys {
    name: "serves",
    written: "`serves`",
    about: "What a target does. All is taken for done unless it says `false`, and `check --serve` \
            looks whether that is so.",
    keys: &[
        does("keep-alive", "It uses a connection for more than one request."),
        does("old-keep-alive", "It keeps a connection of HTTP/1.0 where that is asked for."),
        does("head", "It answers `HEAD`."),
        does("parses", "It parses requests rather than answering anything."),
        does("pieces", "It takes a request in pieces of any size."),
        does("refusals", "It answers what is not HTTP by 400."),
        does("bounds", "It bounds the size of heads."),
        does(
            "expectations",
            "It tells who waits for it (`Expect: 100-continue`) to send its body.",
        ),
        key("http", Sort::Choice(&SERVED_VERSIONS), "The version of HTTP that it speaks.")
            .preset(Preset::Text("1.1")),
        key(
            "parallel",
            Sort::Whole { least: 1, most: serves::PARALLEL_MAX as u64 },
            "Connections that it serves at once.",
        )
        .preset(Preset::Words("no limit")),
    ],
    alone: &[],
    with: &[],
};

static SCOPES: [&str; 2] = words(&Scope::ALL);
static SIGNALS: [&str; 4] = words(&StopSignal::ALL);

/// `[[service]]`.
pub static SERVICE: Keys = Keys {
    name: "service",
    written: "`[[service]]`",
    about: "A program that runs beside the servers for the targets that need it; `docs/services.md` \
            tells more. Its commands may name what those of a target may, and the services above it.",
    keys: &[
        key("name", Sort::ServiceName, "Its name, as it stands in `{service.NAME.port}`.")
            .required()
            .like("\"db\""),
        key("command", Sort::Command, "The command that runs it.")
            .required()
            .like("\"postgres -D {out}/data -p {port}\""),
        key("build", Sort::Commands, "Commands that make it, once a run; `{out}` is an empty folder then.")
            .like("[\"initdb -D {out}/data\"]"),
        key("setup", Sort::Commands, "Commands that are run each time that it has got ready.")
            .like("[\"psql -p {port} -f schema.sql\"]"),
        key(
            "ready",
            Sort::Command,
            "`tcp`: a connection to its port. What begins with `/`: a path that answers with a 2xx. \
             Anything else: a command that exits with 0.",
        )
        .preset(Preset::Text("tcp")),
        READY_WAIT,
        GRACE,
        key("build-timeout", Sort::Time { least: PATIENCE_MIN }, "How long each command of `build` and `setup` may take.")
            .preset(Preset::Time(BUILD_TIMEOUT)),
        key("stop-signal", Sort::Choice(&SIGNALS), "The signal that asks it to end.")
            .preset(Preset::Text("TERM")),
        key(
            "scope",
            Sort::Choice(&SCOPES),
            "How long it lives: from the first trial that needs it to the end of the run, or for one trial.",
        )
        .preset(Preset::Text("run")),
        key("cpus", Sort::Cpus(&["generator", "server"]), "Where it runs.")
            .preset(Preset::Text("generator"))
            .like("\"2-3\""),
        key("targets", Sort::Globs, "The targets that need it.").preset(Preset::All).like("[\"a\"]"),
        PORT.preset(Preset::Words("a free one")),
        key(
            "tools",
            Sort::Needs,
            "Tools without which the targets that need it are skipped, as those of a target.",
        )
        .like("[\"postgres >= 12\"]"),
        ENV,
        DIR.preset(Preset::Words("that of the matrix")),
        SHELL,
    ],
    alone: &[],
    with: &[],
};
