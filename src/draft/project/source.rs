//! What the sources of a project give away of its server: how it is told its port, and what it answers.
//!
//! It is read as text, line by line, and guessed from; nothing is run.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Files beyond this size are no sources that people write.
const SIZE_MAX: u64 = 512 * 1024;
/// So many files are looked at, at most.
const FILES_MAX: usize = 500;
/// How deep folders are looked into.
const DEPTH_MAX: usize = 6;
/// Folders that hold what others wrote, or what was built.
const FOREIGN: [&str; 9] = [
    "node_modules",
    "target",
    "vendor",
    "venv",
    "dist",
    "build",
    "results",
    "__pycache__",
    "tests",
];

/// What stands in a line that says where is listened.
const LISTENS: &str =
    r"(?i-u)listen|bind|serve|\bport\b|_port\b|htons|0\.0\.0\.0|127\.0\.0\.1|localhost|\baddr";

/// A file of the project.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The files with one of these extensions, by name, those in the folder itself first.
pub(super) fn sources(folder: &Path, extensions: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    collect(folder, extensions, DEPTH_MAX, &mut sources);
    sources
}

fn collect(folder: &Path, extensions: &[&str], depth: usize, sources: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().filter(|path| is_own(path)).partition(|path| path.is_dir());
    for path in files {
        let is_small = fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= SIZE_MAX);
        let is_source = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| extensions.contains(&extension));
        if sources.len() < FILES_MAX
            && is_small
            && is_source
            && let Ok(text) = fs::read_to_string(&path)
        {
            sources.push(Source { path, text });
        }
    }
    for folder in folders.iter().filter(|_| depth > 0) {
        collect(folder, extensions, depth - 1, sources);
    }
}

fn is_own(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(".");
    !name.starts_with('.') && !FOREIGN.contains(&name)
}

/// How a server is told its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Port {
    /// By the variable `PORT`.
    Variable,
    /// By an option of its command line, as it is written there.
    Option(&'static str),
    /// Not at all: it listens on this one.
    Fixed(u16),
    /// It does not say.
    Unknown,
}

/// How the server of these sources is told its port.
pub(super) fn port(sources: &[Source]) -> Port {
    let variable = pattern(r"\bPORT\b");
    let option = pattern(r#"["'](?:--)?port["']|\bport:\s+u16\b.*|#\[arg\(.*\bport\b"#);
    let lines = || sources.iter().flat_map(|source| source.text.lines()).filter(is_code);
    if lines().any(|line| variable.is_match(line) && asks_environment(line)) {
        return Port::Variable;
    }
    let asks_options =
        pattern(r"flag\.|argparse|add_argument|clap|parseArgs|getopt|ArgumentParser");
    let has_options = lines().any(|line| asks_options.is_match(line));
    if has_options && lines().any(|line| option.is_match(line)) {
        return Port::Option("--port");
    }
    let (listens, number) = (pattern(LISTENS), pattern(r"\b(\d{4,5})\b"));
    let listening = lines().filter(|line| listens.is_match(line));
    let mut ports = listening.filter_map(|line| first_port(&number, line));
    ports.next().map_or(Port::Unknown, Port::Fixed)
}

fn asks_environment(line: &str) -> bool {
    let words = ["env", "ENV", "Getenv", "LookupEnv", "getenv"];
    words.iter().any(|word| line.contains(word))
}

/// The first number of a line that a server may listen on without being root.
fn first_port(number: &Regex, line: &str) -> Option<u16> {
    let mut numbers = number.captures_iter(line).filter_map(|found| found[1].parse::<u16>().ok());
    numbers.find(|port| *port >= 1024)
}

/// A path that the server of these sources answers to a GET: `/` where it does, else the first without a variable part.
pub(super) fn path(sources: &[Source]) -> String {
    let route = pattern(
        r#"(?x)
        (?: \b(?:HandleFunc|Handle|handle|get|Get|GET|route|all) \s* \( \s* (?:r?["'`])
          | === \s* ["'`] | == \s* ["'`] | \b case \s+ ["'`] | \b path: \s* ["'`] )
        (?: GET \s+ )? (/[^"'`\s{}:<>*]*) (?:\{\$\})? ["'`]
        "#,
    );
    let lines = sources.iter().flat_map(|source| source.text.lines()).filter(is_code);
    let paths: Vec<String> =
        lines.flat_map(|line| routes(&route, line)).filter(|path| is_plain(path)).collect();
    if paths.is_empty() || paths.iter().any(|path| path == "/") {
        return "/".to_owned();
    }
    paths.into_iter().next().unwrap_or_default()
}

fn routes(route: &Regex, line: &str) -> Vec<String> {
    route.captures_iter(line).map(|found| found[1].to_owned()).collect()
}

fn is_plain(path: &str) -> bool {
    path.chars().all(|c| c.is_ascii_graphic() && c != '#')
}

/// Whether a line is no comment.
fn is_code(line: &&str) -> bool {
    let line = line.trim_start();
    !["//", "#!", "# ", "*", "/*"].iter().any(|start| line.starts_with(start))
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Vec<Source> {
        vec![Source { path: "a".into(), text: text.to_owned() }]
    }

    #[test]
    fn a_port_is_told_by_a_variable_an_option_or_not_at_all() {
        for (text, expected) in [
            ("server.listen(process.env.PORT || 3000)", Port::Variable),
            (r#"port := os.Getenv("PORT")"#, Port::Variable),
            (r#"port = int(os.environ.get("PORT", 8000))"#, Port::Variable),
            (r#"let port = env::var("PORT").unwrap_or("3000".into());"#, Port::Variable),
            (r#"atoi(getenv("PORT"))"#, Port::Variable),
            (r#"port := flag.Int("port", 8080, "the port")"#, Port::Option("--port")),
            (
                "import argparse\nparser.add_argument('--port', type=int)\nserve(9000)",
                Port::Option("--port"),
            ),
            ("use clap::Parser;\n#[arg(long)]\nport: u16,", Port::Option("--port")),
            (r#"http.ListenAndServe(":8080", nil)"#, Port::Fixed(8080)),
            ("app.listen(3000)", Port::Fixed(3000)),
            (r#"TcpListener::bind("0.0.0.0:7878")"#, Port::Fixed(7878)),
            ("addr.sin_port = htons(9090);", Port::Fixed(9090)),
            ("// listen on 8080\nlet year = 2026;", Port::Unknown),
            ("", Port::Unknown),
        ] {
            assert_eq!(port(&source(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_path_is_the_root_where_that_is_answered_and_else_the_first_that_is_whole() {
        for (text, expected) in [
            (r#"http.HandleFunc("/", hello)"#, "/"),
            (r#"mux.HandleFunc("GET /health", health)"#, "/health"),
            (r#"mux.HandleFunc("GET /{$}", root)"#, "/"),
            ("app.get('/users/:id', one)\napp.get('/users', all)", "/users"),
            ("@app.get(\"/items/{id}\")\n@app.get(\"/items\")", "/items"),
            ("@app.route('/api')", "/api"),
            (r#".route("/ping", get(ping))"#, "/ping"),
            (r#"#[get("/hello")]"#, "/hello"),
            ("if (req.url === '/status') {", "/status"),
            ("// app.get('/old')\nlisten(1)", "/"),
        ] {
            assert_eq!(path(&source(text)), expected, "{text}");
        }
    }

    #[test]
    fn what_others_wrote_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["b/c.js", "a.js", "node_modules/x/index.js", ".git/y.js", "a.txt"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "text").expect("written");
        }
        let found = sources(folder.path(), &["js"]);
        let names: Vec<_> = found.iter().map(|it| it.path.strip_prefix(folder.path())).collect();
        assert_eq!(names, [Ok(Path::new("a.js")), Ok(Path::new("b/c.js"))]);
    }
}
