//! The keys of a matrix as a whole, of `[run]` and its profiles, and of `[cpus]`.

use std::time::Duration;

use super::super::policy;
use super::{FROM, INLINE, Key, Keys, LOAD, Preset, SERVICE, Sort, WORKLOAD, key, words};

/// A matrix.
pub static MATRIX: Keys = Keys {
    name: "matrix",
    written: "the matrix",
    about: "A matrix says which servers are compared, what they are asked, how hard, and how often. \
            All but the targets may be left out.",
    keys: &[
        key("run", Sort::Table(&RUN), "The policy of a run."),
        key(
            "profile",
            Sort::Named(&PROFILE),
            "Other policies by name: `--profile NAME` lays `[profile.NAME]` over `[run]`.",
        ),
        key("cpus", Sort::Table(&CPUS), "Who runs on which CPUs."),
        key("workload", Sort::Tables(&WORKLOAD), "What is asked, and which answer is right.")
            .preset(Preset::Words("`GET /`, any 2xx, answers alike across targets")),
        key("load", Sort::Tables(&LOAD), "How hard servers are asked.")
            .preset(Preset::Words("64 connections, closed loop")),
        key(
            "target",
            Sort::Either(&[&FROM, &INLINE]),
            "Who is asked: folders with a `target.toml`, or programs that are written here whole.",
        )
        .required(),
        key(
            "service",
            Sort::Tables(&SERVICE),
            "What targets need besides themselves, such as a database.",
        ),
    ],
    alone: &[],
    with: &[],
};

static ORDERS: [&str; 2] = words(&policy::ORDERS);

/// The keys of `[run]`, which profiles share.
const POLICY: [Key; 13] = [
    key("name", Sort::Name, "Names the folder below `results/`.")
        .preset(Preset::Words("the file's name")),
    key(
        "rounds",
        Sort::Whole { least: 1, most: policy::ROUNDS_MOST as u64 },
        "How often every cell is measured. Five or more for verdicts and ranks; two to four give \
         intervals only, one gives figures only.",
    )
    .preset(Preset::Whole(policy::ROUNDS as u64)),
    key(
        "max-rounds",
        Sort::Whole { least: 1, most: policy::ROUNDS_MOST as u64 },
        "More rounds, up to so many, while some interval is wider than `min-effect` to either side.",
    )
    .preset(Preset::Words("`rounds`")),
    key(
        "warm-up",
        Sort::Time { least: Duration::ZERO },
        "Load before the window that is not counted, at least; it goes on until there is no trend.",
    )
    .preset(Preset::Time(policy::WARM_UP)),
    key(
        "warm-up-max",
        Sort::Time { least: Duration::ZERO },
        "The longest warm-up; after it the window opens all the same, with the caveat `not-steady`.",
    )
    .preset(Preset::Time(policy::WARM_UP_MAX)),
    key("measure", Sort::Time { least: policy::MEASURE_MIN }, "The window: the load that is counted.")
        .preset(Preset::Time(policy::MEASURE)),
    key(
        "seed",
        Sort::Whole { least: 0, most: policy::SEED_MOST },
        "The seed of the order and of all else that is drawn.",
    )
    .preset(Preset::Words("drawn, and recorded")),
    key(
        "order",
        Sort::Choice(&ORDERS),
        "The order of trials in a round: tables shuffled and the targets inside each, or as they \
         stand here, which is a caveat.",
    )
    .preset(Preset::Text("shuffled")),
    key("reference", Sort::Text, "The label of the row that ratios are taken against.")
        .preset(Preset::Words("the first target"))
        .like("\"go/net-http\""),
    key(
        "control",
        Sort::Text,
        "The label of the row that stands for the machine from run to run, so that runs can be compared.",
    )
    .like("\"c/epoll\""),
    key(
        "min-effect",
        Sort::Share,
        "The smallest difference that matters. `faster`, `slower` and `same` are told by it.",
    )
    .preset(Preset::Share(policy::MIN_EFFECT)),
    key(
        "retry-noisy",
        Sort::Whole { least: 0, most: policy::RETRY_NOISY_MOST as u64 },
        "How often a trial is repeated while others use the machine. All are kept; the last one counts.",
    )
    .preset(Preset::Whole(policy::RETRY_NOISY as u64)),
    key("results", Sort::File, "The folder that takes the runs of all matrices.")
        .preset(Preset::Words("`results` beside the nearest Git root, else beside the matrix"))
        .like("\"../results\""),
];

/// `[run]`.
pub static RUN: Keys = Keys {
    name: "run",
    written: "`[run]`",
    about: "The policy of a run: how often, how long, in which order, and against whom.",
    keys: &POLICY,
    alone: &[],
    with: &[],
};

/// `[profile.NAME]`.
pub static PROFILE: Keys = Keys {
    name: "profile",
    written: "`[profile.NAME]`",
    about: "The keys of `[run]`, each with what `[run]` says by default. It has an effect only where \
            `--profile NAME` asks for it.",
    keys: &POLICY,
    alone: &[],
    with: &[],
};

/// `[cpus]`.
pub static CPUS: Keys = Keys {
    name: "cpus",
    written: "`[cpus]`",
    about: "Who runs on which CPUs. `auto` gives whole cores, half of them to the server, rounded up \
            for it; `all` is every CPU that may be used.",
    keys: &[
        key("server", Sort::Cpus(&["auto", "all"]), "Where servers run.")
            .preset(Preset::Text("auto"))
            .like("\"0,2-3\""),
        key(
            "generator",
            Sort::Cpus(&["auto", "all"]),
            "Where the load generator runs, and all else of this program.",
        )
        .preset(Preset::Text("auto"))
        .like("\"1\""),
    ],
    alone: &[],
    with: &[],
};
