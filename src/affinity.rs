//! Which CPUs a thread may run on, and lists of CPUs as people and kernels write them: `0,2-3`.
//!
//! Not here: who should run where; that is `host`.

use std::io;

#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, unreachable_pub, reason = "tests alone look at it here")
)]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use system::UNPINNABLE;

/// Keeps the calling thread, and what it starts from now on, on these CPUs. An empty list changes nothing.
///
/// # Errors
/// When none of these CPUs exists or may be used.
pub fn pin_current_thread(cpus: &[usize]) -> io::Result<()> {
    if cpus.is_empty() { Ok(()) } else { system::pin(cpus) }
}

/// Why a thread cannot be kept on these CPUs here, if so.
pub fn why_not(cpus: &[usize]) -> Option<String> {
    // Tried where it changes nobody's place.
    let tried = std::thread::scope(|scope| scope.spawn(|| pin_current_thread(cpus)).join());
    tried.ok()?.err().map(|error| error.to_string())
}

/// The CPUs that the calling thread may run on, ascending.
///
/// # Errors
/// When the kernel does not tell.
pub fn of_current_thread() -> io::Result<Vec<usize>> {
    system::allowed()
}

/// Reads a list of CPUs: `0,2-3`. Ascending and without repetition; an empty text is an empty list.
pub fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= system::MOST {
            return None;
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// Writes a list of CPUs, neighbours as a range: `0,2-3`.
pub fn write_list(cpus: &[usize]) -> String {
    let parts: Vec<String> = cpus
        .chunk_by(|one, next| one + 1 == *next)
        .map(|range| match range {
            [only] => only.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        })
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_kept_where_it_may_run_and_not_where_there_is_no_cpu() {
        let before = of_current_thread().expect("affinity");
        assert_eq!(why_not(&before[..1]), None);
        assert!(why_not(&[system::MOST - 1]).is_some());
        assert_eq!(of_current_thread().expect("affinity"), before);
    }

    #[test]
    fn lists_are_read_and_written_alike() {
        for (text, cpus) in
            [("0", &[0][..]), ("0,2-3", &[0, 2, 3]), ("", &[]), ("1-2,7", &[1, 2, 7])]
        {
            assert_eq!(parse_list(text).as_deref(), Some(cpus), "{text}");
            assert_eq!(write_list(cpus), text);
        }
        assert_eq!(parse_list("3,0-1\n"), Some(vec![0, 1, 3]));
        for text in ["x", "3-1", "0,,x", "-1", "99999999"] {
            assert_eq!(parse_list(text), None, "{text}");
        }
    }

    #[test]
    fn a_pinned_thread_may_run_there_only() {
        let allowed = of_current_thread().expect("affinity");
        let last = *allowed.last().expect("a CPU");
        let seen = std::thread::spawn(move || {
            pin_current_thread(&[last]).expect("pin");
            of_current_thread().expect("affinity")
        });
        assert_eq!(seen.join().expect("thread"), [last]);
    }
}
