//! What stands for affinity on macOS: nothing. Every thread runs where the system puts it, so server and generator share the
//! CPUs, and slow each other.

use std::io;

/// Why no thread can be kept on a CPU, whichever it is.
pub const UNPINNABLE: Option<&str> = Some("macOS keeps no thread on a CPU");

/// More CPUs than these cannot be named.
pub(super) const MOST: usize = 1024;

/// Succeeds where nothing is asked for: on all of the CPUs.
pub(super) fn pin(cpus: &[usize]) -> io::Result<()> {
    if allowed()?.iter().all(|cpu| cpus.contains(cpu)) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::Unsupported, UNPINNABLE.unwrap_or_default()))
}

/// As many as there are; which of them are fast ones is not told.
pub(super) fn allowed() -> io::Result<Vec<usize>> {
    Ok((0..std::thread::available_parallelism()?.get()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_nothing_can_be_had() {
        let all = allowed().expect("how many there are");
        assert!(!all.is_empty());
        assert!(pin(&all).is_ok());
        let refused = pin(&[MOST]).expect_err("one alone");
        assert_eq!(refused.to_string(), "macOS keeps no thread on a CPU");
    }
}
