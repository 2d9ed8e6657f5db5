//! Room: memory, open files, the disk.

use super::{USUAL_CONNECTIONS, Verdict, advice, blurs, command, fine, note, spoils, unknown};
use crate::record::machine::Examined;
use crate::units::{write_bytes, write_count};

/// Below this a few servers of a virtual machine's language do not fit.
const LITTLE_MEMORY: u64 = 1_000_000_000;
/// Below this hardly any does.
const NO_MEMORY: u64 = 250_000_000;
/// Below this a long run may not be kept.
const LITTLE_DISK: u64 = 1_000_000_000;
/// Below this a short one may not either.
const NO_DISK: u64 = 100_000_000;
/// Files that a program has open besides its connections.
const OTHER_FILES: u64 = 128;
/// Open files that every server may have, where our own limit allows it.
const SERVER_FILES: u64 = 65_536;

pub(super) fn memory(examined: &Examined) -> Vec<Verdict> {
    let available = match &examined.machine.memory {
        Ok(memory) => memory.available_bytes,
        Err(reason) => return unknown(reason),
    };
    let allowed = examined.machine.facts.memory_max_bytes;
    let available = allowed.map_or(available, |allowed| allowed.min(available));
    let of = if allowed.is_some() { ", as our control group allows" } else { "" };
    let found = format!("{} can be had{of}", write_bytes(available));
    let remedy = || advice("end what uses it (`ps aux --sort=-rss`), or allow more");
    match available {
        ..NO_MEMORY => spoils(found, remedy()),
        NO_MEMORY..LITTLE_MEMORY => blurs(found, remedy()),
        _ => fine(found),
    }
}

pub(super) fn swapping(examined: &Examined) -> Vec<Verdict> {
    let pages = match &examined.machine.now.swapped_pages {
        Ok(pages) => *pages,
        Err(reason) => return unknown(reason),
    };
    if pages > 0 {
        return spoils(
            format!(
                "{} pages went to the disk or came from it within a second",
                write_count(pages)
            ),
            advice("end what uses memory (`ps aux --sort=-rss`), then `sudo swapoff -a`"),
        );
    }
    match &examined.machine.memory {
        Err(reason) => unknown(reason),
        Ok(memory) if memory.swapped_bytes > 0 => note(
            format!("{} of memory are on the disk", write_bytes(memory.swapped_bytes)),
            command("sudo swapoff -a"),
        ),
        Ok(_) => fine("none"),
    }
}

pub(super) fn open_files(examined: &Examined) -> Vec<Verdict> {
    let Some(hard) = examined.machine.open_files_hard else { return fine("no limit") };
    let told = format!("the limit of open files is {}", write_count(hard));
    let raise = || {
        advice(
            "raise it: `ulimit -Hn 65536` as root before you start, or `nofile` in `/etc/security/limits.conf`",
        )
    };
    let (connections, is_asked) = match &examined.demand {
        Some(demand) => (demand.connections, true),
        None => (USUAL_CONNECTIONS, false),
    };
    let wanted = connections + OTHER_FILES;
    if hard < wanted {
        let found = format!(
            "{told}, where {} connections need {}",
            write_count(connections),
            write_count(wanted)
        );
        if is_asked { spoils(found, raise()) } else { blurs(found, raise()) }
    } else if hard < SERVER_FILES {
        let found = format!("{told}, where servers would get {}", write_count(SERVER_FILES));
        note(found, raise())
    } else {
        fine(told)
    }
}

pub(super) fn disk(examined: &Examined) -> Vec<Verdict> {
    let disk = match &examined.ours.results {
        Ok(disk) => disk,
        Err(reason) => return unknown(reason),
    };
    let found = format!("{} free for results in `{}`", write_bytes(disk.free_bytes), disk.folder);
    if !disk.is_writable {
        let found = format!("results cannot be written to `{}`", disk.folder);
        return spoils(found, advice("say where they may be with `--results DIR`"));
    }
    let remedy = || advice("make room, or say where there is more with `--results DIR`");
    match disk.free_bytes {
        ..NO_DISK => spoils(found, remedy()),
        NO_DISK..LITTLE_DISK => blurs(found, remedy()),
        _ => fine(found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{self, Blurs, Note, Spoils};
    use crate::record::machine::{Demand, Memory};

    fn severity(verdicts: &[Verdict]) -> Option<Severity> {
        found(verdicts).map(|found| found.0)
    }

    #[test]
    fn memory_is_what_can_be_had_and_what_a_control_group_allows_of_it() {
        let check = |available_bytes: u64, allowed: Option<u64>| {
            let mut examined = sound();
            examined.machine.memory = Ok(Memory { available_bytes, swapped_bytes: 0 });
            examined.machine.facts.memory_max_bytes = allowed;
            severity(&memory(&examined))
        };
        assert_eq!(
            (check(LITTLE_MEMORY, None), check(LITTLE_MEMORY - 1, None)),
            (None, Some(Blurs))
        );
        assert_eq!(
            (check(NO_MEMORY, None), check(NO_MEMORY - 1, None)),
            (Some(Blurs), Some(Spoils))
        );
        assert_eq!(check(8 * LITTLE_MEMORY, Some(NO_MEMORY - 1)), Some(Spoils));
    }

    #[test]
    fn swapping_spoils_while_it_goes_on_and_is_told_afterwards() {
        let check = |pages: u64, swapped_bytes: u64| {
            let mut examined = sound();
            examined.machine.now.swapped_pages = Ok(pages);
            examined.machine.memory = Ok(Memory { available_bytes: 1 << 34, swapped_bytes });
            severity(&swapping(&examined))
        };
        assert_eq!((check(0, 0), check(0, 1), check(1, 0)), (None, Some(Note), Some(Spoils)));
    }

    #[test]
    fn open_files_must_do_for_all_connections() {
        let check = |hard: Option<u64>, connections: Option<u64>| {
            let mut examined = sound();
            examined.machine.open_files_hard = hard;
            examined.demand =
                connections.map(|connections| Demand { connections, ..Demand::default() });
            severity(&open_files(&examined))
        };
        assert_eq!((check(None, Some(100_000)), check(Some(65_536), None)), (None, None));
        assert_eq!((check(Some(1024), None), check(Some(4096), None)), (Some(Blurs), Some(Note)));
        assert_eq!(
            (check(Some(1024), Some(896)), check(Some(1024), Some(897))),
            (Some(Note), Some(Spoils))
        );
    }

    #[test]
    fn results_need_room_and_leave_to_be_written() {
        let check = |free_bytes: u64, is_writable: bool| {
            let mut examined = sound();
            let disk = examined.ours.results.as_mut().expect("a disk");
            (disk.free_bytes, disk.is_writable) = (free_bytes, is_writable);
            severity(&super::disk(&examined))
        };
        assert_eq!((check(LITTLE_DISK, true), check(LITTLE_DISK - 1, true)), (None, Some(Blurs)));
        assert_eq!(
            (check(NO_DISK - 1, true), check(LITTLE_DISK, false)),
            (Some(Spoils), Some(Spoils))
        );
    }
}
