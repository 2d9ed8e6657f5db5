//! A matrix made of commands that were typed: servers against each other, without a file.

use std::path::Path;

use toml::Value;

use super::{Keys, table};
use crate::matrix::slug;

/// What is asked of whom.
#[derive(Debug, Clone, Default)]
pub struct Versus<'w> {
    /// The commands that start the servers.
    pub commands: &'w [String],
    /// Names for the first of them; the others are named after their commands.
    pub names: &'w [String],
    /// Where they run, if not beside the matrix.
    pub dir: Option<&'w Path>,
    /// Whether a shell runs them.
    pub is_shell: bool,
    /// The port that none of them can be talked out of.
    pub port: Option<u16>,
    /// Keys of `[run]`.
    pub run: Keys,
    /// Keys of the workload.
    pub workload: Keys,
    /// Keys of the load.
    pub load: Keys,
}

impl Versus<'_> {
    /// The text of the matrix.
    pub fn matrix(&self) -> String {
        let mut tables = vec![
            "# Which of these servers is faster, and at what cost?\n".to_owned(),
            table("[run]", &self.run),
            table("[[workload]]", &self.workload),
            table("[[load]]", &self.load),
        ];
        for (command, name) in self.commands.iter().zip(self.all_names()) {
            tables.push(table("[[target]]", &self.target(command, name)));
        }
        tables.retain(|table| !table.is_empty());
        tables.join("\n")
    }

    fn target(&self, command: &str, name: String) -> Keys {
        let mut keys: Keys = vec![("name", Value::from(name)), ("command", Value::from(command))];
        let dir = self.dir.map(|dir| ("dir", Value::from(dir.display().to_string())));
        keys.extend(dir);
        keys.extend(self.is_shell.then_some(("shell", Value::Boolean(true))));
        keys.extend(self.port.map(|port| ("port", Value::from(i64::from(port)))));
        keys
    }

    /// A name for each command, no two alike unless they were given so.
    fn all_names(&self) -> Vec<String> {
        let mut all: Vec<String> = self.names.to_vec();
        for command in &self.commands[self.names.len().min(self.commands.len())..] {
            let name = name_of(command);
            let with_number = |number: usize| match number {
                1 => name.clone(),
                _ => format!("{name}-{number}"),
            };
            let free = (1..=self.commands.len() + all.len() + 1)
                .map(with_number)
                .find(|name| !all.contains(name));
            all.extend(free);
        }
        all
    }
}

/// A name for what a command starts: the first three of its words that come before any option, of paths the last part.
fn name_of(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let is_setting = |word: &&String| word.contains('=') && !word.contains('/');
    let said = words.iter().skip_while(is_setting);
    let said = said.take_while(|word| !word.starts_with('-') && !word.contains(['{', '$']));
    let last = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let said = said.take(3).map(last).filter(|word| *word != ".");
    let name = slug(&said.collect::<Vec<_>>().join(" "));
    if name.is_empty() { "server".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_after_what_its_command_starts() {
        for (command, name) in [
            ("go run .", "go-run"),
            ("node server.js", "node-server.js"),
            ("./target/release/fast --port {port}", "fast"),
            ("NODE_ENV=production node app.js", "node-app.js"),
            ("python3 -m http.server {port}", "python3"),
            ("java -jar x.jar", "java"),
            ("{out}/server", "server"),
            ("'unclosed", "server"),
            ("", "server"),
        ] {
            assert_eq!(name_of(command), name, "{command}");
        }
    }

    #[test]
    fn equal_commands_get_names_of_their_own_and_given_names_come_first() {
        let commands = ["./a".to_owned(), "./b".to_owned(), "x/b".to_owned(), "./b".to_owned()];
        let names = ["mine".to_owned()];
        let versus = Versus { commands: &commands, names: &names, ..Versus::default() };
        assert_eq!(versus.all_names(), ["mine", "b", "b-2", "b-3"]);
    }

    #[test]
    fn the_matrix_holds_what_was_typed_and_no_more() {
        let commands = ["go run .".to_owned(), "node server.js".to_owned()];
        let versus = Versus {
            commands: &commands,
            port: Some(8080),
            load: vec![("connections", Value::from(8))],
            ..Versus::default()
        };
        insta::assert_snapshot!(versus.matrix(), @r#"
        # Which of these servers is faster, and at what cost?

        [[load]]
        connections = 8

        [[target]]
        name    = "go-run"
        command = "go run ."
        port    = 8080

        [[target]]
        name    = "node-server.js"
        command = "node server.js"
        port    = 8080
        "#);
    }
}
