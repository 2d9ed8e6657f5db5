//! Commands as written become words and an environment: placeholders filled in, nothing inherited by chance.
//!
//! Words are split before placeholders are filled in, so a folder with a space in its name stays one word. Braces
//! around anything else than a placeholder's name are left alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::affinity;
use crate::matrix::Command;

/// What the placeholders stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// `{host}`: where a server must listen.
    pub host: String,
    /// `{port}`; a build has none.
    pub port: Option<u16>,
    /// `{out}`: the build folder.
    pub out: PathBuf,
    /// `{assets}`: files that servers may serve.
    pub assets: PathBuf,
    /// `{cpus}` is how many, `{cpu-list}` which.
    pub cpus: Vec<usize>,
    /// `{service.NAME.port}` and `{service.NAME.host}`: the services that it may use; a build has none.
    pub services: Vec<ServiceAddress>,
}

/// Where a service listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// Its name.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// A placeholder, the variable of the environment that says the same, and what both stand for, if it has a value.
struct Named {
    placeholder: String,
    variable: String,
    value: Option<String>,
}

/// Why a command makes no words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A quote is not closed, or a backslash stands at the end.
    #[error("`{0}` cannot be split into words: is a quote not closed?")]
    Unsplittable(String),
    /// Nothing is there.
    #[error("the command is empty")]
    Empty,
    /// A build has no port, for example.
    #[error("`{{{0}}}` has no value here")]
    NoValue(String),
    /// A value that no shell can take.
    #[error("`{0}` cannot be quoted for a shell")]
    Unquotable(String),
}

impl Values {
    fn named(&self) -> Vec<Named> {
        let named = |placeholder: &str, value: Option<String>| Named {
            placeholder: placeholder.to_owned(),
            variable: placeholder.replace(['-', '.'], "_").to_ascii_uppercase(),
            value,
        };
        let mut all = vec![
            named("host", Some(self.host.clone())),
            named("port", self.port.map(|port| port.to_string())),
            named("out", Some(self.out.display().to_string())),
            named("assets", Some(self.assets.display().to_string())),
            named("cpus", Some(self.cpus.len().to_string())),
            named("cpu-list", Some(affinity::write_list(&self.cpus))),
        ];
        for ServiceAddress { name, host, port } in &self.services {
            all.push(named(&format!("service.{name}.host"), Some(host.clone())));
            all.push(named(&format!("service.{name}.port"), Some(port.to_string())));
        }
        all
    }
}

/// The program and its arguments.
///
/// # Errors
/// When the text is no command, or asks for a value that there is not.
pub fn words(command: &Command, values: &Values) -> Result<Vec<String>, CommandError> {
    if command.text.trim().is_empty() {
        return Err(CommandError::Empty);
    }
    if command.shell {
        let quote = |value: String| match shlex::try_quote(&value) {
            Ok(quoted) => Ok(quoted.into_owned()),
            Err(_) => Err(CommandError::Unquotable(value.clone())),
        };
        let script = fill_in(&command.text, values, quote)?;
        return Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), script]);
    }
    let words = shlex::split(&command.text)
        .ok_or_else(|| CommandError::Unsplittable(command.text.clone()))?;
    words.iter().map(|word| fill_in(word, values, Ok)).collect()
}

/// The whole environment of a server or a build step: PATH, HOME, TMPDIR, LANG, the values, and what is declared, with
/// placeholders filled in.
///
/// # Errors
/// When a declared variable asks for a value that there is not.
pub fn environment(
    declared: &BTreeMap<String, String>,
    values: &Values,
    path: &str,
) -> Result<BTreeMap<String, String>, CommandError> {
    let mut env = base_environment(path);
    for Named { variable, value, .. } in values.named() {
        env.extend(value.map(|value| (variable, value)));
    }
    for (name, value) in declared {
        match fill_in(value, values, Ok) {
            Ok(value) => env.insert(name.clone(), value),
            // A build has no port and no services, and no use for a variable that tells of one.
            Err(CommandError::NoValue(_)) if values.port.is_none() => None,
            Err(error) => return Err(error),
        };
    }
    Ok(env)
}

/// What every program that we start gets: PATH, HOME, TMPDIR and LANG.
pub fn base_environment(path: &str) -> BTreeMap<String, String> {
    let ours = |name: &str, otherwise: &str| {
        std::env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or(otherwise.to_owned())
    };
    BTreeMap::from([
        ("PATH".to_owned(), path.to_owned()),
        ("HOME".to_owned(), ours("HOME", "/")),
        ("TMPDIR".to_owned(), ours("TMPDIR", "/tmp")),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
    ])
}

/// What builds get besides: what the clients of registries need to reach them from here. Never recorded.
pub fn registry_environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| leads_to_registries(name))
        .collect()
}

/// Proxies, certificates, and where the clients of registries keep and find things.
fn leads_to_registries(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CURL_CA_BUNDLE",
        "REQUESTS_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "DENO_CERT",
        "GOPROXY",
        "GONOPROXY",
        "GOSUMDB",
        "GONOSUMDB",
        "GOPRIVATE",
        "GOPATH",
        "GOMODCACHE",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
    ];
    const PREFIXES: [&str; 5] =
        ["PIP_", "NPM_CONFIG_", "CARGO_HTTP_", "CARGO_NET_", "CARGO_SOURCE_"];
    let upper = name.to_ascii_uppercase();
    NAMES.contains(&name)
        || upper.ends_with("_PROXY")
        || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// Once over the text, so that nothing in a value is taken for a placeholder.
fn fill_in(
    text: &str,
    values: &Values,
    write: impl Fn(String) -> Result<String, CommandError>,
) -> Result<String, CommandError> {
    let named = values.named();
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from_brace) = rest.split_at(open);
        filled.push_str(before);
        let found = named.iter().find_map(|Named { placeholder, value, .. }| {
            let after = from_brace[1..].strip_prefix(placeholder.as_str())?.strip_prefix('}')?;
            Some((placeholder, value, after))
        });
        if let Some((name, value, after)) = found {
            filled.push_str(&write(value.clone().ok_or(CommandError::NoValue(name.clone()))?)?);
            rest = after;
        } else if let Some(name) = service_placeholder(from_brace) {
            return Err(CommandError::NoValue(name.to_owned()));
        } else {
            filled.push('{');
            rest = &from_brace[1..];
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The placeholder of a service that a text begins with.
fn service_placeholder(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let (_, what) = name.strip_prefix("service.")?.rsplit_once('.')?;
    matches!(what, "host" | "port").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        Values {
            host: "127.0.0.1".into(),
            port: Some(4321),
            out: "/tmp/a b".into(),
            assets: "/tmp/{port}".into(),
            cpus: vec![0, 2, 3],
            services: vec![ServiceAddress { name: "my-db".into(), host: "::1".into(), port: 55 }],
        }
    }

    fn check(text: &str, shell: bool, expected: &[&str]) {
        let command = Command { text: text.into(), shell };
        assert_eq!(words(&command, &values()).expect(text), expected, "{text}");
    }

    #[test]
    fn only_what_leads_to_registries_is_passed_on_to_builds() {
        for name in ["https_proxy", "ALL_PROXY", "SSL_CERT_FILE", "npm_config_cafile", "PIP_CERT"] {
            assert!(leads_to_registries(name), "{name}");
        }
        for name in ["GOMAXPROCS", "NODE_OPTIONS", "CARGO_REGISTRY_TOKEN", "RUSTFLAGS", "PROXY"] {
            assert!(!leads_to_registries(name), "{name}");
        }
    }

    #[test]
    fn words_are_split_first_and_filled_in_then() {
        check("{out}/server --port {port}", false, &["/tmp/a b/server", "--port", "4321"]);
        check("x '{host}:{port}' a\\ b", false, &["x", "127.0.0.1:4321", "a b"]);
        check("x {cpus} {cpu-list}", false, &["x", "3", "0,2-3"]);
        check("awk '{print} {{port}}' {", false, &["awk", "{print} {4321}", "{"]);
        check("x {assets}", false, &["x", "/tmp/{port}"]);
        check("x [{service.my-db.host}]:{service.my-db.port}", false, &["x", "[::1]:55"]);
        check("x {service.my-db}", false, &["x", "{service.my-db}"]);
        check("cd {out} && ./x", true, &["/bin/sh", "-c", "cd '/tmp/a b' && ./x"]);
    }

    #[test]
    fn what_is_no_command_is_told() {
        let build = Values { port: None, ..values() };
        let fails = |text: &str| {
            words(&Command { text: text.into(), shell: false }, &build).expect_err(text).to_string()
        };
        assert_eq!(fails("  "), "the command is empty");
        assert_eq!(fails("a 'b"), "`a 'b` cannot be split into words: is a quote not closed?");
        assert_eq!(fails("a {port}"), "`{port}` has no value here");
        assert_eq!(fails("a {service.x.port}"), "`{service.x.port}` has no value here");
    }

    #[test]
    fn the_environment_holds_the_base_the_values_and_what_is_declared() {
        let declared = BTreeMap::from([
            ("DATA".to_owned(), "{out}/data".to_owned()),
            ("LANG".to_owned(), "de".to_owned()),
            ("URL".to_owned(), "pg:{service.my-db.port}".to_owned()),
        ]);
        let env = environment(&declared, &values(), "/bin").expect("environment");
        let names: Vec<&str> = env.keys().map(String::as_str).collect();
        let expected = "ASSETS CPUS CPU_LIST DATA HOME HOST LANG OUT PATH PORT SERVICE_MY_DB_HOST \
                        SERVICE_MY_DB_PORT TMPDIR URL";
        assert_eq!(names.join(" "), expected);
        assert_eq!((&*env["URL"], &*env["SERVICE_MY_DB_PORT"]), ("pg:55", "55"));
        let build = Values { port: None, services: Vec::new(), ..values() };
        let env_of_build = environment(&declared, &build, "/bin").expect("environment");
        assert!(!env_of_build.contains_key("URL") && env_of_build.contains_key("DATA"));
        assert_eq!(env["DATA"], "/tmp/a b/data");
        assert_eq!((&*env["LANG"], &*env["PATH"], &*env["CPU_LIST"]), ("de", "/bin", "0,2-3"));
    }
}
