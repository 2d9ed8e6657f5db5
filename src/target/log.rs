//! The file that takes a program's output, kept small while the program appends to it.
//!
//! The program holds the file open for appending and cannot be asked to turn it over. So the middle is given back to
//! the file system as a hole: nothing that is written meanwhile is lost, the size still tells all that was ever
//! written, and only the blocks are bounded. When the program has ended the hole is left out. Where a file system has
//! no holes the file is cut off and begins again, and the end of what was cut is kept in memory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::system;

/// The most that is kept of a log, in bytes.
pub const LIMIT: u64 = 8 << 20;
/// How much of that is its beginning.
const HEAD: u64 = 1 << 20;
/// What a cut leaves at the end, so that there is no cut at every look.
const TAIL: u64 = 3 << 20;

/// A log that is being written by someone else.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// Where the hole ends; it begins at [`HEAD`].
    hole_end: u64,
    /// The size when it was last looked at.
    seen: u64,
    /// Beginning and end of what was cut off where there are no holes.
    cut: Option<Cut>,
}

/// What became of a log between two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grown {
    /// Bytes that were written.
    pub bytes: u64,
    /// Bytes that the file's size stopped telling, which is none where the file system has holes.
    pub dropped: u64,
}

#[derive(Debug, Default)]
struct Cut {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Bytes that the file's size no longer tells.
    bytes: u64,
}

impl Log {
    /// Opens, and if need be makes, the file.
    ///
    /// # Errors
    /// When it cannot be opened for reading and writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let seen = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, hole_end: HEAD, seen, cut: None })
    }

    /// Gives back the middle if too much is kept.
    ///
    /// # Errors
    /// When the file can be neither read nor cut.
    pub fn keep_small(&mut self) -> io::Result<Grown> {
        let size = self.file.metadata()?.len();
        let bytes = size.saturating_sub(self.seen);
        let dropped = self.give_back(size)?;
        self.seen = size - dropped;
        Ok(Grown { bytes, dropped })
    }

    fn give_back(&mut self, size: u64) -> io::Result<u64> {
        if self.cut.is_some() {
            return if size > LIMIT - HEAD - TAIL { self.cut_off(size) } else { Ok(0) };
        }
        if size.saturating_sub(self.hole_end) <= LIMIT - HEAD {
            return Ok(0);
        }
        let end = (size - TAIL) & !0xffff;
        if system::punch_hole(&self.file, HEAD, end - HEAD)? {
            self.hole_end = end;
            Ok(0)
        } else {
            self.cut_off(size)
        }
    }

    fn cut_off(&mut self, size: u64) -> io::Result<u64> {
        let mut cut = self.cut.take().unwrap_or_default();
        if cut.head.is_empty() {
            cut.head = read_range(&self.file, 0, HEAD.min(size))?;
        }
        cut.tail = read_range(&self.file, size.saturating_sub(TAIL), TAIL.min(size))?;
        cut.bytes += size;
        self.cut = Some(cut);
        self.file.set_len(0)?;
        Ok(size)
    }

    /// When nobody writes any more: leaves out the middle, and says there how much is left out.
    ///
    /// # Errors
    /// When the file cannot be written anew; it is then as it was.
    pub fn finish(self) -> io::Result<()> {
        let size = self.file.metadata()?.len();
        let (head, tail, left_out) = match self.cut {
            Some(cut) => {
                let mut tail = cut.tail;
                tail.extend(read_range(&self.file, 0, size.min(LIMIT - HEAD - TAIL))?);
                let kept = (cut.head.len() + tail.len()) as u64;
                (cut.head, tail, (cut.bytes + size).saturating_sub(kept))
            }
            None if size <= LIMIT => return Ok(()),
            None => {
                let start = self.hole_end.max(size - (LIMIT - HEAD));
                let tail = read_range(&self.file, start, size - start)?;
                (read_range(&self.file, 0, HEAD)?, tail, start - HEAD)
            }
        };
        let beside = self.path.with_extension("part");
        let mut out = File::create(&beside)?;
        out.write_all(&head)?;
        write!(out, "\n[... {left_out} bytes left out ...]\n")?;
        out.write_all(&tail)?;
        fs::rename(&beside, &self.path)
    }
}

fn read_range(file: &File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}

/// The last lines of a log, at most `lines` of at most 500 characters each; empty if it cannot be read.
pub fn tail(path: &Path, lines: usize) -> Vec<String> {
    last_bytes(path, 64 << 10).map_or_else(
        |_| Vec::new(),
        |bytes| {
            let text = String::from_utf8_lossy(&bytes);
            let all: Vec<&str> =
                text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
            let last = &all[all.len().saturating_sub(lines)..];
            last.iter().map(|line| line.chars().take(500).collect()).collect()
        },
    )
}

fn last_bytes(path: &Path, count: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(count)))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: u32, cut_off: bool) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("server.log");
        let mut log = Log::open(&path).expect("open");
        let mut writer = OpenOptions::new().append(true).open(&path).expect("writer");
        for block in 0..lines / 10_000 {
            let lines = block * 10_000..(block + 1) * 10_000;
            let text = lines.map(|line| format!("line {line:9}\n")).collect::<Vec<_>>().concat();
            writer.write_all(text.as_bytes()).expect("write");
            if cut_off && block % 50 == 49 {
                let size = log.file.metadata().expect("size").len();
                assert_eq!(log.cut_off(size).expect("cut"), size);
            }
            log.keep_small().expect("keep small");
        }
        log.finish().expect("finish");
        (dir, path)
    }

    #[test]
    fn a_flood_leaves_its_beginning_its_end_and_how_much_is_left_out() {
        for cut_off in [false, true] {
            let (_dir, path) = written(2_000_000, cut_off);
            let text = fs::read_to_string(&path).expect("text");
            assert!(text.len() as u64 <= LIMIT + 100, "{}", text.len());
            assert!(text.starts_with("line         0\n"));
            assert!(text.ends_with("line   1999999\n"));
            assert!(text.contains(" bytes left out ...]"));
        }
    }

    #[test]
    fn a_short_log_stays_as_it_is() {
        let (_dir, path) = written(20_000, false);
        assert_eq!(fs::metadata(&path).expect("size").len(), 300_000);
        assert_eq!(tail(&path, 2), ["line     19998", "line     19999"]);
        assert_eq!(tail(Path::new("/nowhere"), 2), [""; 0]);
    }
}
