//! Affinity as Linux has it: a set of CPUs for each thread.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Why no thread can be kept on a CPU, whichever it is: it can.
pub const UNPINNABLE: Option<&str> = None;

/// More CPUs than these cannot be named.
pub(super) const MOST: usize = CpuSet::MAX_CPU;

pub(super) fn pin(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus.iter().filter(|cpu| **cpu < MOST) {
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

pub(super) fn allowed() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..MOST).filter(|cpu| set.is_set(*cpu)).collect())
}
