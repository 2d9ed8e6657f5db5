//! `/proc/PID/stat`, read by hand: all processes of the machine are looked through while a server is measured, and a
//! process costs three calls of the system here.

use std::fs::{self, File};
use std::io::{self, Read as _};

use super::{Facts, hidden};

/// Room for a file of `/proc` that is read whole at once.
const ROOM: usize = 4096;

/// A small file of `/proc`, handed to `parse` as text.
pub(super) fn small<T>(path: &str, parse: impl FnOnce(&str) -> Option<T>) -> io::Result<T> {
    let mut room = [0; ROOM];
    let mut length = 0;
    let mut file = File::open(path)?;
    // The kernel hands over what there is, but may be interrupted in between.
    while length < ROOM {
        match file.read(&mut room[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let text = String::from_utf8_lossy(&room[..length]);
    parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// One process, if it is there.
pub(super) fn find(pid: u32) -> Option<Facts> {
    if hidden().is_some() {
        return None;
    }
    small(&format!("/proc/{pid}/stat"), parse).ok()
}

/// Every process that is shown to us, also those that have ended and were not waited for.
pub(super) fn everyone() -> Vec<Facts> {
    pids().into_iter().filter_map(find).collect()
}

/// The numbers of all processes that are shown to us.
pub(super) fn pids() -> Vec<u32> {
    if hidden().is_some() {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// The fields of proc(5), counted from 1: 1 pid, 2 name in brackets, which may hold anything, 3 state, 4 parent, 5 group,
/// 14 to 17 times, 20 threads, 22 start.
fn parse(line: &str) -> Option<Facts> {
    let (front, after_name) = line.rsplit_once(')')?;
    let (pid, name) = front.split_once(" (")?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().take(20).collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let count = |number: usize| field(number)?.parse::<u64>().ok();
    Some(Facts {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        is_zombie: has_ended(field(3)?, count(20).unwrap_or(0)),
        parent: field(4)?.parse().unwrap_or(0),
        group: field(5)?.parse().unwrap_or(0),
        user_ticks: count(14)?,
        system_ticks: count(15)?,
        waited_user_ticks: count(16).unwrap_or(0),
        waited_system_ticks: count(17).unwrap_or(0),
        threads: count(20).unwrap_or(0),
        start_ticks: count(22)?,
    })
}

/// One whose first thread has ended while others go on is shown as a zombie too.
fn has_ended(state: &str, threads: u64) -> bool {
    matches!(state, "Z" | "X") && threads <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_name_of_its_program_is() {
        let line = "12 (a) R 9 (b) S 7 12 12 0 -1 4194304 1 2 3 4 15 16 17 18 20 0 5 0 4242 1 2\n";
        let expected = Facts {
            pid: 12,
            parent: 7,
            group: 12,
            name: "a) R 9 (b".to_owned(),
            is_zombie: false,
            start_ticks: 4242,
            threads: 5,
            user_ticks: 15,
            system_ticks: 16,
            waited_user_ticks: 17,
            waited_system_ticks: 18,
        };
        assert_eq!(parse(line), Some(expected));
        let ended = line.replace(" S 7", " Z 7");
        assert!(parse(&ended).is_some_and(|it| !it.is_zombie), "its other threads go on");
        assert!(parse(&ended.replace(" 20 0 5 ", " 20 0 1 ")).is_some_and(|it| it.is_zombie));
        for text in ["", "12", "12 (a)", "12 (a) S 7 12 12 0"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_is_read_whole_or_the_reason_is_told() {
        let first = small("/proc/self/stat", |text| Some(text.ends_with('\n')));
        assert_eq!(first.ok(), Some(true));
        let silent = small("/proc/self/stat", |_| None::<u8>).expect_err("nothing is told");
        assert_eq!(silent.kind(), io::ErrorKind::InvalidData);
        let gone = small("/proc/nobody/stat", |_| Some(())).expect_err("there is none");
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
