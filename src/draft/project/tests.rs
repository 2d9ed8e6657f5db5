//! Projects as people have them, and what starts them.

use std::fs;

use super::*;

/// What starts a project of these files.
fn started(files: &[(&str, &str)]) -> Vec<Start> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("shop");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    find(&root)
}

/// Language, build steps and command of a project, and the row's name.
#[track_caller]
fn check(files: &[(&str, &str)], language: &str, build: &[&str], command: &str, name: &str) {
    let all = started(files);
    let first = all.first().unwrap_or_else(|| panic!("nothing starts {files:?}"));
    assert_eq!(
        (first.language, first.build.as_slice(), first.command.as_str(), first.name.as_str()),
        (
            language,
            build.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>().as_slice(),
            command,
            name
        )
    );
}

#[test]
fn a_package_of_cargo_is_built_and_its_program_started() {
    let main = "fn main() { let port = std::env::var(\"PORT\"); }";
    check(
        &[("Cargo.toml", "[package]\nname = \"fast\"\n"), ("src/main.rs", main)],
        "Rust",
        &["cargo build --release --bin fast --target-dir {out}/target"],
        "{out}/target/release/fast",
        "fast",
    );
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"fast\"\ndefault-run = \"web\"\n"),
            ("src/main.rs", main),
            ("src/bin/web.rs", main),
        ],
        "Rust",
        &["cargo build --release --bin web --target-dir {out}/target"],
        "{out}/target/release/web",
        "fast",
    );
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("crates/a/src/lib.rs", ""),
            ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n"),
            ("crates/b/src/main.rs", main),
        ],
        "Rust",
        &["cargo build --release --bin b --target-dir {out}/target"],
        "{out}/target/release/b",
        "b",
    );
    assert_eq!(started(&[("Cargo.toml", "[package]\nname = \"only-a-library\"\n")]), []);
}

#[test]
fn a_module_of_go_is_built_from_where_its_program_is() {
    let main = "package main\n\nfunc main() { os.Getenv(\"PORT\") }\n";
    check(
        &[("go.mod", "module example.com/you/shop\n"), ("main.go", main)],
        "Go",
        &["go build -o {out}/server ."],
        "{out}/server",
        "shop",
    );
    check(
        &[("go.mod", "module api\n"), ("lib.go", "package api\n"), ("cmd/web/main.go", main)],
        "Go",
        &["go build -o {out}/server ./cmd/web"],
        "{out}/server",
        "api",
    );
}

#[test]
fn a_package_of_node_is_started_as_npm_would_and_without_it_where_that_can_be() {
    let server = ("server.js", "listen(process.env.PORT)");
    check(
        &[
            ("package.json", r#"{"name": "@you/shop", "scripts": {"start": "node server.js"}}"#),
            server,
        ],
        "Node",
        &[],
        "node server.js",
        "shop",
    );
    check(
        &[("package.json", r#"{"main": "server.js", "dependencies": {"x": "1"}}"#), server],
        "Node",
        &["npm install --no-audit --no-fund"],
        "node server.js",
        "shop",
    );
    check(
        &[
            (
                "package.json",
                r#"{"scripts": {"build": "tsc", "start": "NODE_ENV=production node dist"}, "devDependencies": {"y": "1"}}"#,
            ),
            server,
        ],
        "Node",
        &["npm install --no-audit --no-fund", "npm run build"],
        "npm start --silent",
        "shop",
    );
}

#[test]
fn a_project_of_python_is_started_by_its_program_its_framework_or_its_file() {
    check(
        &[("pyproject.toml", "[project]\nname = \"shop\"\n"), ("server.py", "os.environ['PORT']")],
        "Python",
        &[],
        "python3 server.py",
        "shop",
    );
    let install = "{out}/venv/bin/pip install --quiet --disable-pip-version-check";
    check(
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"s\"\ndependencies = [\"fastapi>=0.1\", \"uvicorn\"]\n",
            ),
            ("shop/web.py", "app = FastAPI()\n"),
        ],
        "Python",
        &["python3 -m venv {out}/venv", &format!("{install} 'fastapi>=0.1' uvicorn")],
        "{out}/venv/bin/uvicorn shop.web:app --host {host} --port {port} --log-level warning",
        "s",
    );
    check(
        &[("requirements.txt", "# web\nFlask==3.0\n"), ("app.py", "app = Flask(__name__)\n")],
        "Python",
        &["python3 -m venv {out}/venv", &format!("{install} -r requirements.txt")],
        "{out}/venv/bin/flask --app app run --host {host} --port {port}",
        "shop",
    );
    check(
        &[
            ("pyproject.toml", "[project]\nname = \"s\"\n[project.scripts]\nserve = \"s:main\"\n"),
            ("s.py", "os.environ['PORT']"),
        ],
        "Python",
        &["python3 -m venv {out}/venv", &format!("{install} .")],
        "{out}/venv/bin/serve",
        "s",
    );
}

#[test]
fn a_project_in_c_is_made_as_its_makefile_or_cmake_says_or_compiled_as_it_is() {
    let main = ("server.c", "int main(void) { getenv(\"PORT\"); }");
    check(
        &[
            (
                "Makefile",
                "CC = gcc\nBIN = httpd\nall: $(BIN)\n$(BIN): server.c\n\t$(CC) -o $@ $<\n",
            ),
            main,
        ],
        "C",
        &["make"],
        "./httpd",
        "shop",
    );
    check(
        &[
            (
                "Makefile",
                ".PHONY: clean\nserver: server.c\n\tcc -o server server.c\nclean:\n\trm server\n",
            ),
            main,
        ],
        "C",
        &["make"],
        "./server",
        "shop",
    );
    check(
        &[("CMakeLists.txt", "project(x C)\nadd_executable(web server.c)\n"), main],
        "C",
        &["cmake -S . -B {out}/build -DCMAKE_BUILD_TYPE=Release", "cmake --build {out}/build"],
        "{out}/build/web",
        "shop",
    );
    check(&[main], "C", &["cc -O2 -pthread -o {out}/server server.c"], "{out}/server", "shop");
}

#[test]
fn the_matrix_is_one_and_says_what_was_guessed() {
    let all = started(&[
        ("go.mod", "module shop\n"),
        (
            "main.go",
            "package main\nfunc main() {\n\thttp.HandleFunc(\"/pay\", pay)\n\thttp.ListenAndServe(\":8080\", nil)\n}\n",
        ),
    ]);
    let text = matrix(&all[0], "orchestrate.toml");
    insta::assert_snapshot!(text, @r##"
    # How fast is shop, and what does it cost in CPU and memory? Made from go.mod; change what is wrong.
    #
    #     orchestrate check orchestrate.toml    tells what would be done, with every default, and how long it takes
    #     orchestrate run orchestrate.toml      does it, and prints the table

    [run]
    name = "shop"

    # What is asked. `expect = { status = 200, contains = "..." }` says which answer is right; without it any 2xx is.
    [[workload]]
    name = "get"
    path = "/pay"

    # How hard: each of 64 connections asks again as soon as it has its answer. `rate = 5000` would ask 5,000 times a second.
    [[load]]
    connections = 64

    # It seems to listen on 8080, whatever PORT says.
    [[target]]
    name     = "shop"
    language = "Go"
    tools    = ["go"]
    build    = ["go build -o {out}/server ."]
    command  = "{out}/server"
    port     = 8080

    # Whom to compare with: any command that starts a server on {port}, which is PORT in its environment, too.
    # [[target]]
    # name    = "theirs"
    # command = "./server --port {port}"
    "##);
    let read = crate::matrix::read_again(Path::new("orchestrate.toml"), &text, None);
    let read = read.expect("a matrix");
    assert_eq!((read.targets.len(), read.targets[0].port), (1, Some(8080)));
    assert_eq!(read.workloads[0].request.path, "/pay");
}

#[test]
fn a_folder_without_a_project_starts_nothing() {
    assert_eq!(started(&[("README.md", "a server")]), []);
    assert_eq!(started(&[("package.json", "no JSON"), ("Cargo.toml", "= no TOML")]), []);
}
