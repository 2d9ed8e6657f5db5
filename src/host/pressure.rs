//! For how long work stood still for want of a CPU, of memory or of a disk: pressure stall information, of the machine or of
//! a control group (Documentation/accounting/psi.rst of Linux).

use std::fs;
use std::path::Path;

use crate::record::host::Pressure;
use crate::record::machine::Stalled;

/// The machine's, from a folder such as `/proc/pressure`; or why there is none.
pub(super) fn of_machine(folder: &Path) -> Result<Pressure, String> {
    read(|name| folder.join(name))
}

/// A control group's.
pub(super) fn of_group(folder: &Path) -> Result<Pressure, String> {
    read(|name| folder.join(format!("{name}.pressure")))
}

fn read(path: impl Fn(&str) -> std::path::PathBuf) -> Result<Pressure, String> {
    let text = |name: &str| {
        let path = path(name);
        fs::read_to_string(&path)
            .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
    };
    let cpu = text("cpu")?;
    // Who has one of them has all, unless a controller is off.
    let (memory, io) = (text("memory").unwrap_or_default(), text("io").unwrap_or_default());
    Ok(Pressure {
        cpu_some_us: total(&cpu, "some"),
        memory_some_us: total(&memory, "some"),
        memory_full_us: total(&memory, "full"),
        io_some_us: total(&io, "some"),
        io_full_us: total(&io, "full"),
    })
}

/// Shares of the last minute in which some work stood still, from a folder such as `/proc/pressure`; or why none is known.
pub(super) fn last_minute(folder: &Path) -> Result<Stalled, String> {
    let share = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path)
            .map(|text| average(&text))
            .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
    };
    let (memory, io) = (share("memory").unwrap_or_default(), share("io").unwrap_or_default());
    Ok(Stalled { cpu: share("cpu")?, memory, io })
}

/// The mean over a minute of the line of some work, which is in per cent, as a share.
fn average(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some"))?;
    let percent = line.split_ascii_whitespace().find_map(|word| word.strip_prefix("avg60="))?;
    percent.parse::<f64>().ok().map(|percent| percent / 100.0)
}

/// `some avg10=2.13 avg60=3.69 avg300=3.79 total=2371033286`: the total is in microseconds.
fn total(text: &str, which: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(which))?;
    line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_whether_or_not_all_lines_are_there() {
        let text = "some avg10=2.13 avg60=3.69 avg300=3.79 total=2371\nfull avg10=0.00 total=7\n";
        assert_eq!((total(text, "some"), total(text, "full")), (Some(2371), Some(7)));
        // Before Linux 5.13 a CPU has no full pressure.
        assert_eq!(total("some avg10=2.13 total=5\n", "full"), None);
        assert_eq!(total("", "some"), None);
    }

    #[test]
    fn a_kernel_without_it_says_so() {
        let folder = tempfile::tempdir().expect("folder");
        let reason = of_machine(folder.path()).expect_err("nothing there");
        assert!(reason.contains("cpu` cannot be read"), "{reason}");
        fs::write(folder.path().join("cpu.pressure"), "some total=12\n").expect("written");
        let pressure = of_group(folder.path()).expect("it is there");
        assert_eq!((pressure.cpu_some_us, pressure.io_some_us), (Some(12), None));
    }

    #[test]
    fn the_last_minute_is_a_share_and_unknown_without_its_file() {
        let folder = tempfile::tempdir().expect("folder");
        let reason = last_minute(folder.path()).expect_err("nothing there");
        assert!(reason.contains("cpu` cannot be read"), "{reason}");
        let text = "some avg10=2.13 avg60=25.00 avg300=3.79 total=23\nfull avg10=0 avg60=9.00\n";
        fs::write(folder.path().join("cpu"), text).expect("written");
        fs::write(folder.path().join("io"), "full avg60=9.00\n").expect("written");
        let stalled = last_minute(folder.path()).expect("it is there");
        assert_eq!(stalled, Stalled { cpu: Some(0.25), memory: None, io: None });
    }
}
