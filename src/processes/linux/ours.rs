//! Telling processes of ours from others: what they were started with, as whom they run, and whether pids mean anything.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;

use super::open;

/// A variable of the environment that a process was started with; `None` also if it is gone, hidden from us, or has
/// written over it.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let mut text = Vec::new();
    open(pid)?.open_relative("environ").ok()?.read_to_end(&mut text).ok()?;
    let value = |entry: &[u8]| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    text.split(|byte| *byte == 0).find_map(value)
}

/// The user as whom a process runs, by number.
pub fn user(pid: u32) -> Option<u32> {
    open(pid)?.uid().ok()
}

/// The number of the namespace in which the calling process has its pid; pids of others mean nothing here.
pub fn pid_namespace() -> Option<u64> {
    if hidden().is_some() {
        return None;
    }
    std::fs::metadata("/proc/self/ns/pid").ok().map(|namespace| namespace.ino())
}

/// The numbers of the namespaces in which a pid and the tick of a start hold, as one: what another process says of them in
/// others means nothing here. `None` where the first is not known.
pub fn namespaces() -> Option<u64> {
    let time = std::fs::metadata("/proc/self/ns/time").map_or(0, |namespace| namespace.ino());
    // Both are numbers of 32 bits (nsfs).
    Some(pid_namespace()? | (time & 0xffff_ffff) << 32)
}

/// Why nothing can be learned of processes here, if so.
pub fn hidden() -> Option<&'static str> {
    static OWN: OnceLock<Option<&'static str>> = OnceLock::new();
    *OWN.get_or_init(|| match std::fs::read_link("/proc/self") {
        Err(_) => Some("`/proc` is not there"),
        // Pids read from it would be those of strangers.
        Ok(own) if own.to_str() != Some(&std::process::id().to_string()) => {
            Some("`/proc` is that of another PID namespace")
        }
        Ok(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_that_a_process_was_started_with_is_read() {
        // One that says something has its environment; in the middle of exec there is none.
        let mut child = std::process::Command::new("sh");
        let child = child.args(["-c", "echo; exec sleep 60"]).env("MARK", "one=two");
        let mut child = child.stdout(std::process::Stdio::piped()).spawn().expect("sh");
        let mut said = [0];
        child.stdout.take().expect("piped").read_exact(&mut said).expect("a line");
        let told = loop {
            let told = ["MARK", "MAR", "MARK2"].map(|name| variable(child.id(), name));
            if told[0].is_some() || child.try_wait().expect("wait").is_some() {
                break told;
            }
        };
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert_eq!(told, [Some("one=two".to_owned()), None, None]);
        assert_eq!(variable(child.id(), "MARK"), None);
    }
}
