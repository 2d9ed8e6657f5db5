//! A bench: a scratch folder with a matrix in it, on which the built binary is run against the fixture.
//!
//! Every outcome is looked over before it is handed out: no panic, no torn record, and no server that still runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use orchestrate::clock;
use orchestrate::record::trial::TrialRecord;
use serde::Deserialize;
use tempfile::TempDir;

mod git;
pub(crate) mod hidden;
pub(crate) mod hogs;
mod machine;
mod outcome;
mod running;
mod standing;

pub(crate) use machine::{WITHOUT_GROUPS, can_pass_through, skipped};
pub(crate) use outcome::Outcome;
pub(crate) use running::{Running, is_running, send};
pub(crate) use standing::Standing;

/// The longest that anything here is waited for; far beyond what the slowest machine needs.
const DEADLINE: Duration = Duration::from_mins(2);
/// A run as short as can be.
const POLICY: &str = r#"results = "results"
warm-up = "100ms"
warm-up-max = "200ms"
measure = "300ms"
retry-noisy = 0
"#;
const WORKLOAD: &str = r#"name = "hello"
expect = { status = 200, body = "hello world" }
"#;
/// Time enough for any answer, so that a slow machine loses none.
const LOAD: &str = "name = \"c4\"\nconnections = 4\ntimeout = \"30s\"\n";

/// The binary under test.
pub(crate) const ORCHESTRATE: &str = env!("CARGO_BIN_EXE_orchestrate");

/// A matrix that is about to be run.
#[derive(Debug)]
pub(crate) struct Bench {
    scratch: TempDir,
    rounds: u32,
    policy: String,
    workload: String,
    load: String,
    rest: String,
    text: Option<String>,
    env: Vec<(&'static str, PathBuf)>,
    through: Vec<String>,
    deadline: Duration,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            scratch: tempfile::tempdir().expect("a scratch folder"),
            rounds: 1,
            policy: POLICY.to_owned(),
            workload: WORKLOAD.to_owned(),
            load: LOAD.to_owned(),
            rest: String::new(),
            text: None,
            env: Vec::new(),
            through: Vec::new(),
            deadline: DEADLINE,
        }
    }

    pub(crate) fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// A key of `[run]`, in place of what it is by default.
    pub(crate) fn policy(mut self, line: &str) -> Self {
        let key = line.split('=').next().unwrap_or_default();
        let others = self.policy.lines().filter(|other| !other.starts_with(key));
        let mut lines: Vec<&str> = others.chain([line]).collect();
        lines.push("");
        self.policy = lines.join("\n");
        self
    }

    /// Other keys of the one workload than `hello world`.
    pub(crate) fn workload(mut self, keys: &str) -> Self {
        keys.clone_into(&mut self.workload);
        self
    }

    /// Other keys of the one load than 4 connections.
    pub(crate) fn load(mut self, keys: &str) -> Self {
        keys.clone_into(&mut self.load);
        self
    }

    /// The fixture under a name, with its faults.
    pub(crate) fn target(self, name: &str, faults: &str) -> Self {
        self.target_with(name, faults, "")
    }

    /// The fixture with more keys of a target.
    pub(crate) fn target_with(self, name: &str, faults: &str, keys: &str) -> Self {
        let keys = self.fixture(name, faults, keys);
        self.toml(&format!("[[target]]\nname = {}\n{keys}", quoted(name)))
    }

    /// The fixture, executed by a program with its words.
    pub(crate) fn target_behind(self, name: &str, words: &str, faults: &str) -> Self {
        let keys = self.fixture(name, faults, "");
        let words = words.replace('"', "\\\"");
        let keys = keys.replacen("command = \"", &format!("command = \"{words} "), 1);
        self.toml(&format!("[[target]]\nname = {}\n{keys}", quoted(name)))
    }

    /// The fixture as a service, with more keys of one.
    pub(crate) fn service(self, name: &str, faults: &str, keys: &str) -> Self {
        let keys = self.fixture(name, faults, keys);
        self.toml(&format!("[[service]]\nname = {}\n{keys}", quoted(name)))
    }

    /// The fixture as a target with a folder of its own, `targets/NAME`.
    pub(crate) fn folder(self, name: &str, faults: &str, keys: &str) -> Self {
        let keys = self.fixture(name, faults, keys);
        self.write(&format!("targets/{name}/target.toml"), &keys);
        let from = quoted(format!("targets/{name}"));
        self.toml(&format!("[[target]]\nfrom = {from}\n"))
    }

    /// The fixture, as a word of a shell.
    pub(crate) fn fixture_program() -> String {
        shlex::try_quote(&fixture()).expect("a path").into_owned()
    }

    /// The keys of a target that is the fixture.
    fn fixture(&self, name: &str, faults: &str, keys: &str) -> String {
        let program = Self::fixture_program();
        let file =
            |end: &str| quoted(self.path(&format!("{}{end}", name.replace('/', "_"))).display());
        format!(
            "command = {}\n{keys}\nenv = {{ COUNTS = {}, PID_FILE = {}, ORPHAN_FILE = {} }}\n",
            quoted(format!("{program} {faults}")),
            quoted(self.scratch.path().display()),
            file(".pid"),
            file(".orphan.pid"),
        )
    }

    /// A target that is no fixture.
    pub(crate) fn command(self, name: &str, command: &str) -> Self {
        let (name, command) = (quoted(name), quoted(command));
        self.toml(&format!("[[target]]\nname = {name}\ncommand = {command}\n"))
    }

    /// Any tables, after all others.
    pub(crate) fn toml(mut self, text: &str) -> Self {
        self.rest.extend([text, "\n"]);
        self
    }

    /// The whole matrix, word by word.
    pub(crate) fn matrix(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// A file in the scratch folder.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    /// More time than what is waited for otherwise.
    pub(crate) fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// A variable of the binary's environment that holds a path.
    pub(crate) fn env(mut self, name: &'static str, path: PathBuf) -> Self {
        self.env.push((name, path));
        self
    }

    /// A program, with its words, that executes the binary.
    pub(crate) fn through(mut self, words: &[impl AsRef<str>]) -> Self {
        self.through = words.iter().map(|word| word.as_ref().to_owned()).collect();
        self
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.scratch.path().join(path)
    }

    pub(crate) fn matrix_path(&self) -> PathBuf {
        self.path("it.toml")
    }

    /// `orchestrate run` on the matrix, beside any other run on this machine.
    pub(crate) fn run(&self, options: &[&str]) -> Outcome {
        self.orchestrate(&self.run_words(options))
    }

    /// Any command, to its end.
    pub(crate) fn orchestrate(&self, words: &[impl AsRef<str>]) -> Outcome {
        let outcome = self.orchestrate_beside(words);
        self.assert_nothing_runs(&outcome);
        outcome
    }

    /// Any command, to its end, while another one goes on.
    pub(crate) fn orchestrate_beside(&self, words: &[impl AsRef<str>]) -> Outcome {
        self.write_matrix();
        let mut command = assert_cmd::Command::from_std(self.prepared(words));
        let output = command.timeout(self.deadline).output().expect("the binary runs");
        self.outcome(output.status.code(), &output.stdout, &output.stderr)
    }

    /// A run that goes on while the test does something else; its events are read along.
    pub(crate) fn start(&self, options: &[&str]) -> Running<'_> {
        self.start_with(self.run_words(options))
    }

    /// The same, holding the machine.
    pub(crate) fn start_alone(&self, options: &[&str]) -> Running<'_> {
        let mut words = self.run_words(options);
        words.retain(|word| word != "--share-machine");
        self.start_with(words)
    }

    /// Any command that goes on while the test does something else.
    pub(crate) fn start_words(&self, words: &[&str]) -> Running<'_> {
        self.write_matrix();
        Running::start(self, self.prepared(words))
    }

    fn start_with(&self, mut words: Vec<String>) -> Running<'_> {
        self.write_matrix();
        words.extend(["--events", "-"].map(str::to_owned));
        Running::start(self, self.prepared(&words))
    }

    fn run_words(&self, options: &[&str]) -> Vec<String> {
        let matrix = self.matrix_path().display().to_string();
        let mut words = vec!["run".to_owned(), matrix, "--share-machine".to_owned()];
        words.extend(options.iter().map(|&option| option.to_owned()));
        words
    }

    fn prepared(&self, words: &[impl AsRef<str>]) -> Command {
        let mut all = self.through.iter().map(String::as_str).chain([ORCHESTRATE]);
        let mut command = Command::new(all.next().expect("a program"));
        command
            .args(all)
            .args(words.iter().map(AsRef::as_ref))
            .current_dir(self.scratch.path())
            .env("ORCHESTRATE_CACHE", self.path("cache"))
            // Whatever else runs on this machine holds another one.
            .env("ORCHESTRATE_LOCK", self.path("lock"))
            .env_remove("COLUMNS")
            .envs(self.env.iter().map(|(name, path)| (name, path)));
        command
    }

    pub(crate) fn write_matrix(&self) {
        let Self { rounds, policy, workload, load, rest, .. } = self;
        let made = format!(
            "[run]\nrounds = {rounds}\n{policy}\n[[workload]]\n{workload}\n[[load]]\n{load}\n{rest}"
        );
        self.write("it.toml", self.text.as_ref().unwrap_or(&made));
    }

    fn outcome(&self, code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Outcome {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
        let outcome = Outcome::new(code, text(stdout), text(stderr), self.newest());
        let all = &outcome;
        assert!(code.is_some(), "it ended by a signal, or took too long: {all:#?}");
        for unwanted in ["panicked at", "RUST_BACKTRACE", "stack backtrace"] {
            assert!(!outcome.stderr.contains(unwanted), "{}\n{all:#?}", outcome.stderr);
        }
        outcome
    }

    fn assert_nothing_runs(&self, after: &Outcome) {
        for pid in self.pids() {
            assert!(!is_running(pid), "pid {pid} still runs: {after:#?}");
        }
    }

    /// The folder of the newest run of all.
    fn newest(&self) -> Option<PathBuf> {
        self.runs().into_iter().max_by_key(|run| run.file_name().map(std::ffi::OsStr::to_owned))
    }

    /// The folders of all runs.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let below = |folder: &Path| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let matrices = below(&self.path("results"));
        let runs = matrices.iter().flat_map(|matrix| below(matrix));
        runs.filter(|run| run.join("run.json").is_file()).collect()
    }

    /// The pids that fixtures wrote.
    fn pids(&self) -> Vec<u32> {
        let entries = fs::read_dir(self.scratch.path()).expect("the scratch folder");
        let files = entries.flatten().map(|entry| entry.path());
        files
            .filter(|path| path.extension().is_some_and(|extension| extension == "pid"))
            .map(|path| read_pid(&path).expect("a pid"))
            .collect()
    }

    /// The pid that a fixture has written, as soon as it has.
    pub(crate) fn pid(&self, file: &str) -> u32 {
        let path = self.path(file);
        until("a fixture has started", || read_pid(&path))
    }

    /// What the fixture of a trial counted.
    pub(crate) fn counts(&self, trial: &TrialRecord) -> Counts {
        let port = trial.port.expect("a port");
        let path = self.path(&format!("counts-{port}.json"));
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}: {trial:#?}", path.display()));
        serde_json::from_str(&text).expect("counts")
    }
}

/// What a fixture counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    pub(crate) connections: u64,
    pub(crate) answers: u64,
}

/// A text as a string of TOML.
fn quoted(text: impl std::fmt::Display) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// Where `cargo test` puts the fixture.
fn fixture() -> String {
    let path = Path::new(ORCHESTRATE).with_file_name("examples").join("fixture");
    assert!(
        path.is_file(),
        "`{}` is not there: run `cargo test` whole, or `cargo build --example fixture`",
        path.display()
    );
    path.display().to_string()
}

/// Asks again and again until there is an answer.
pub(crate) fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = clock::now() + DEADLINE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(!deadline.is_past(), "it was waited in vain until {what}");
        clock::sleep_until(clock::now() + Duration::from_millis(10));
    }
}

/// Does the same for all cases at once: they mostly wait.
pub(crate) fn each<T: Copy + Send>(cases: &[T], check: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for &case in cases {
            let check = &check;
            scope.spawn(move || check(case));
        }
    });
}

fn read_pid(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.parse().ok()
}
