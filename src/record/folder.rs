//! A run's folder, open for writing: made, or opened again where the run was cut off, and appended to while it goes on.
//!
//! A line of `trials.ndjson` is flushed before the next trial begins. Whoever writes holds a lock on that file, so that no two
//! processes make one run. A folder that is removed meanwhile is made again with all that was in those two files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use super::file::{io_error, write_beside};
use super::latest;
use super::run::RunInfo;
use super::store::{RUN, StoreError, TRIALS};
use super::trial::TrialRecord;

/// What is large and can be made again stays out of a repository.
const IGNORED: &str = "trials.ndjson\nevents.ndjson\nlogs/\n";
/// Room that the next trial may need, in bytes: its record, and the most that is kept of its server's output.
const ROOM: u64 = 16 << 20;
/// So much is read at once of the end of a file.
const PIECE: u64 = 64 << 10;

/// A run's folder, open for writing.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    trials: File,
    /// Bytes of whole lines.
    length: u64,
    /// `run.json`, as it was last written.
    info: Vec<u8>,
}

/// What of a run's folder somebody had removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// Nothing.
    Nothing,
    /// The output of builds and servers.
    Logs,
    /// Its trials, if not all of it.
    Trials,
}

impl Folder {
    /// Makes the folder of a new run below `results`, and writes its `run.json`.
    ///
    /// # Errors
    /// If the folder is there already, or cannot be written.
    pub fn create(results: &Path, info: &RunInfo) -> Result<Self, StoreError> {
        let path = results.join(&info.name).join(&info.id);
        let logs = path.join("logs");
        fs::create_dir_all(path.parent().unwrap_or(results)).map_err(io_error("make", &path))?;
        fs::create_dir(&path).map_err(io_error("make", &path))?;
        fs::create_dir(&logs).map_err(io_error("make", &logs))?;
        let ignore = results.join(".gitignore");
        if !ignore.exists() {
            write_beside(&ignore, IGNORED.as_bytes())?;
        }
        let info = text_of(info);
        write_beside(&path.join(RUN), &info)?;
        Ok(Self { trials: open_trials(&path, true)?, path, length: 0, info })
    }

    /// Opens the folder of a run that was cut off. A last line that is torn is cut off the file, in one step; also
    /// returns whether there was one.
    ///
    /// # Errors
    /// If another process is making the run, or its files cannot be read or written.
    pub fn open(path: &Path) -> Result<(Self, bool), StoreError> {
        let run = path.join(RUN);
        let info = fs::read(&run).map_err(io_error("read", &run))?;
        let trials = open_trials(path, !path.join(TRIALS).exists())?;
        let logs = path.join("logs");
        fs::create_dir_all(&logs).map_err(io_error("make", &logs))?;
        let mut folder = Self { path: path.to_owned(), trials, length: 0, info };
        let torn = folder.end_with_a_line().map_err(io_error("write", &path.join(TRIALS)))?;
        Ok((folder, torn))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of build and server output.
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Appends one trial, and sees to it that it is on disk. Of one that cannot be written nothing is left.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &TrialRecord) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(record).expect("a record has only names and numbers");
        line.push(b'\n');
        let outcome = self.trials.write_all(&line).and_then(|()| self.trials.sync_data());
        if outcome.is_err() {
            // Half a line would be found torn, and dropped; what stands before it is whole either way.
            let _ = self.trials.set_len(self.length);
        } else {
            self.length += line.len() as u64;
        }
        outcome.map_err(io_error("write", &self.path.join(TRIALS)))
    }

    /// Appends trials of another run.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn take_over(&mut self, records: &[TrialRecord]) -> Result<(), StoreError> {
        let place = self.path.join(TRIALS);
        for record in records {
            let mut line = serde_json::to_vec(record).expect("a record has only names and numbers");
            line.push(b'\n');
            self.trials.write_all(&line).map_err(io_error("write", &place))?;
            self.length += line.len() as u64;
        }
        self.trials.sync_data().map_err(io_error("write", &place))
    }

    /// Removes it with all that is in it: there was nothing to be recorded.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn discard(&self) -> Result<(), StoreError> {
        fs::remove_dir_all(&self.path).map_err(io_error("remove", &self.path))
    }

    /// Writes `run.json` anew.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_info(&mut self, info: &RunInfo) -> Result<(), StoreError> {
        self.info = text_of(info);
        write_beside(&self.path.join(RUN), &self.info)
    }

    /// Makes this the latest complete run of its matrix, if it may be; else why it is not.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_latest(&self, info: &RunInfo) -> Result<Option<String>, StoreError> {
        latest::set(&self.path, info)
    }

    /// Whether the next trial can be recorded.
    ///
    /// # Errors
    /// If there is no room for it on the disk.
    pub fn check_room(&self) -> Result<(), StoreError> {
        // Where that cannot be told, writing tells.
        let Ok(disk) = statvfs(&self.path) else { return Ok(()) };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free >= ROOM {
            return Ok(());
        }
        Err(StoreError::NoRoom { path: self.path.clone(), free, needed: ROOM })
    }

    /// Makes the folder again if somebody has removed it, with its trials and its `run.json`, or its logs alone; which of it was gone.
    ///
    /// # Errors
    /// If it cannot be made, or another stands in its place.
    pub fn restore(&mut self) -> Result<Gone, StoreError> {
        let place = self.path.join(TRIALS);
        let ours = self.trials.metadata().map_err(io_error("read", &place))?;
        let is_in_place = fs::metadata(&place)
            .is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
        let logs = self.logs();
        if is_in_place && logs.is_dir() {
            return Ok(Gone::Nothing);
        }
        fs::create_dir_all(&logs).map_err(io_error("make", &logs))?;
        if !is_in_place {
            let mut trials = open_trials(&self.path, true)?;
            let copy = |from: &mut File, to: &mut File| -> io::Result<()> {
                from.seek(SeekFrom::Start(0))?;
                io::copy(from, to)?;
                to.sync_data()
            };
            copy(&mut self.trials, &mut trials).map_err(io_error("write", &place))?;
            self.trials = trials;
        }
        let run = self.path.join(RUN);
        if !run.exists() {
            write_beside(&run, &self.info)?;
        }
        Ok(if is_in_place { Gone::Logs } else { Gone::Trials })
    }

    /// Sees to it that what is appended begins a line; whether half a line had to go for it.
    fn end_with_a_line(&mut self) -> io::Result<bool> {
        let length = self.trials.metadata()?.len();
        let whole = self.end_of_lines(length)?;
        self.length = length;
        if whole == length {
            return Ok(false);
        }
        let mut last = Vec::new();
        self.trials.seek(SeekFrom::Start(whole))?;
        self.trials.read_to_end(&mut last)?;
        // Only its end is missing.
        if serde_json::from_slice::<TrialRecord>(&last).is_ok() {
            self.trials.write_all(b"\n")?;
            self.length += 1;
            self.trials.sync_data()?;
            return Ok(false);
        }
        // One call that the system does wholly or not at all; a copy beside would leave behind the file that is locked.
        self.trials.set_len(whole)?;
        self.trials.sync_all()?;
        self.length = whole;
        Ok(true)
    }

    /// Where the last whole line ends.
    fn end_of_lines(&mut self, length: u64) -> io::Result<u64> {
        let mut end = length;
        while end > 0 {
            let start = end.saturating_sub(PIECE);
            let mut piece = Vec::new();
            self.trials.seek(SeekFrom::Start(start))?;
            (&self.trials).take(end - start).read_to_end(&mut piece)?;
            if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
                return Ok(start + at as u64 + 1);
            }
            end = start;
        }
        Ok(0)
    }
}

fn text_of(info: &RunInfo) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(info).expect("a record has only names and numbers");
    text.push(b'\n');
    text
}

/// The file of trials, which nobody else may be writing.
fn open_trials(folder: &Path, is_new: bool) -> Result<File, StoreError> {
    let path = folder.join(TRIALS);
    let file = OpenOptions::new().read(true).append(true).create_new(is_new).open(&path);
    let file = file.map_err(io_error(if is_new { "make" } else { "open" }, &path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::Held(folder.to_owned())),
        // Where a disk knows no locks, that of the machine has to do.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::store;
    use super::super::trial::{Ended, Failed, Place};
    use super::*;
    use crate::outcome::Stage;

    pub(in crate::record) fn record(round: u32) -> TrialRecord {
        let place = Place {
            target: "a".to_owned(),
            variant: None,
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            round,
            position: 1,
            attempt: 1,
            session: 1,
        };
        let mut record = TrialRecord::begun(place, "2026-11-30T12:00:00Z".to_owned());
        record.end(Ended::Failed(Failed::new(Stage::Start, "gone")));
        record
    }

    pub(in crate::record) fn info() -> RunInfo {
        let text = r#"{"schema":1,"id":"id","name":"it","orchestrate":"","started_at":"","matrix":"","matrix_sha256":"",
            "matrix_path":"","seed":1,"partial":false,"policy":{"rounds":1,"warm_up_seconds":1,"warm_up_max_seconds":1,
            "measure_seconds":1,"order":"shuffled","reference":"a","min_effect":0.02},"tables":[],"targets":[],
            "host":{"architecture":""},"cpus":{"server":[],"generator":[],"shared":false,"shared_core":false}}"#;
        serde_json::from_str(text).expect("a run")
    }

    fn rounds(folder: &Path) -> Vec<u32> {
        let run = store::read(folder).expect("a run");
        assert!(!run.is_torn);
        run.trials.iter().map(|trial| trial.round).collect()
    }

    #[test]
    fn a_torn_last_line_is_cut_off_wherever_it_was_torn_and_the_run_goes_on_behind_it() {
        let line = serde_json::to_string(&record(2)).expect("JSON").len();
        for kept in [0, 1, line / 2, line - 1, line] {
            let results = tempfile::tempdir().expect("a folder");
            let mut folder = Folder::create(results.path(), &info()).expect("made");
            folder.append(&record(1)).and_then(|()| folder.append(&record(2))).expect("appended");
            let (path, whole) = (folder.path().to_owned(), folder.length);
            drop(folder);
            let trials = OpenOptions::new().write(true).open(path.join(TRIALS)).expect("there");
            trials.set_len(whole - 1 - (line - kept) as u64).expect("torn");
            let (mut folder, was_torn) = Folder::open(&path).expect("opened");
            // Of the last one only the end of its line is missing.
            let is_whole = kept == line;
            assert_eq!(was_torn, kept > 0 && !is_whole, "{kept}");
            folder.append(&record(3)).expect("appended");
            let expected = if is_whole { vec![1, 2, 3] } else { vec![1, 3] };
            assert_eq!(rounds(&path), expected, "{kept}");
        }
    }

    #[test]
    fn a_run_that_is_being_made_is_not_opened_a_second_time() {
        let results = tempfile::tempdir().expect("a folder");
        let folder = Folder::create(results.path(), &info()).expect("made");
        let path = folder.path().to_owned();
        assert!(matches!(Folder::open(&path), Err(StoreError::Held(_))));
        drop(folder);
        assert!(Folder::open(&path).is_ok_and(|(_, was_torn)| !was_torn));
    }

    #[test]
    fn a_folder_that_was_removed_is_made_again_with_every_trial() {
        let results = tempfile::tempdir().expect("a folder");
        let mut folder = Folder::create(results.path(), &info()).expect("made");
        folder.append(&record(1)).expect("appended");
        assert_eq!(folder.restore().expect("in its place"), Gone::Nothing);
        fs::remove_dir_all(folder.logs()).expect("removed");
        assert_eq!(folder.restore().expect("made again"), Gone::Logs);
        fs::remove_dir_all(results.path().join("it")).expect("removed");
        folder.append(&record(2)).expect("appended");
        assert_eq!(folder.restore().expect("made again"), Gone::Trials);
        assert_eq!(folder.restore().expect("in its place"), Gone::Nothing);
        folder.append(&record(3)).expect("appended");
        assert_eq!(rounds(folder.path()), [1, 2, 3]);
        assert!(folder.logs().is_dir());
        // What somebody else put there is let alone.
        fs::remove_file(folder.path().join(TRIALS)).expect("removed");
        fs::write(folder.path().join(TRIALS), "theirs").expect("written");
        assert!(folder.restore().is_err());
        assert_eq!(fs::read(folder.path().join(TRIALS)).expect("read"), b"theirs");
    }
}
