//! What `/proc` tells of the memory of a process: its fair share of what it maps, what it alone maps, the most that it
//! ever had.

use std::io::ErrorKind;

use super::stat::small;
use super::{Shares, Size};

/// How a process shares its memory. Costs milliseconds where much is mapped, during which the process cannot map anything.
///
/// # Errors
/// Why it cannot be read.
pub fn memory_shares(pid: u32) -> Result<Shares, String> {
    read(pid, "smaps_rollup", |text| {
        let private = ["Private_Clean", "Private_Dirty", "Private_Hugetlb"];
        Some(Shares {
            proportional_bytes: bytes(text, "Pss")?,
            private_bytes: private.iter().filter_map(|name| bytes(text, name)).sum(),
        })
    })
}

/// How much memory a process has, at the least cost (`statm`); `None` if it is gone or hidden from us. One that has ended
/// has none.
pub fn size(pid: u32) -> Option<Size> {
    let page = rustix::param::page_size() as u64;
    let pages = |text: &str| {
        let mut fields = text.split_ascii_whitespace().map(str::parse::<u64>);
        let (all, resident) = (fields.next()?.ok()?, fields.next()?.ok()?);
        Some(Size { resident_bytes: resident * page, virtual_bytes: all * page })
    };
    small(&format!("/proc/{pid}/statm"), pages).ok()
}

/// The most resident memory that a process has had since it became what it is (`VmHWM`), in bytes.
///
/// # Errors
/// Why it cannot be read.
pub fn resident_peak(pid: u32) -> Result<u64, String> {
    read(pid, "status", |text| bytes(text, "VmHWM"))
}

fn read<T>(pid: u32, file: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let path = format!("/proc/{pid}/{file}");
    small(&path, parse).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => format!("`{path}` does not tell it"),
        _ => format!("`{path}` cannot be read: {error}"),
    })
}

/// A line `NAME: 12 kB`.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| *key == name)?;
    Some(value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_by_their_whole_name() {
        let text = "Pss_Dirty:   9 kB\nPss:         12 kB\nPrivate_Clean: 0 kB\nVmHWM:\t x kB\n";
        assert_eq!(bytes(text, "Pss"), Some(12 * 1024));
        assert_eq!(bytes(text, "Private_Clean"), Some(0));
        assert_eq!((bytes(text, "VmHWM"), bytes(text, "Rss")), (None, None));
    }

    #[test]
    fn this_process_has_memory_and_one_that_is_gone_has_a_reason() {
        let me = std::process::id();
        let shares = memory_shares(me).expect("shares");
        assert!(shares.private_bytes > 100_000, "{shares:?}");
        assert!(shares.proportional_bytes >= shares.private_bytes, "{shares:?}");
        assert!(resident_peak(me).is_ok_and(|bytes| bytes > 500_000));
        let size = size(me).expect("its size");
        assert!(size.resident_bytes > 500_000 && size.virtual_bytes > size.resident_bytes);
        let reason = memory_shares(u32::MAX).expect_err("there is no such process");
        assert!(reason.contains("smaps_rollup` cannot be read"), "{reason}");
    }
}
