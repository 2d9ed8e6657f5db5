//! Events as JSON lines, each flushed: in the run's folder, and wherever `--events` says.
//!
//! A file is written at once. What may keep its writer waiting, such as a pipe, has a thread of its own: nobody who does not read
//! holds up a run.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::affinity;
use crate::clock;
use crate::event::{Event, Line};

/// Lines that wait for a slow reader; with one more it is let go.
const WAITING: usize = 4096;
/// How long a reader may take to read on once a run is over.
const READ_ON: Duration = Duration::from_secs(2);
/// Between two looks whether it has.
const LOOK: Duration = Duration::from_millis(5);

/// Writes events as they happen.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    sinks: Vec<Sink>,
}

#[derive(Debug)]
enum Sink {
    File(File),
    Reader(Reader),
}

/// What somebody reads along.
#[derive(Debug)]
struct Reader {
    lines: SyncSender<Vec<u8>>,
    thread: JoinHandle<()>,
}

impl EventLog {
    /// Also writes behind what is in `path`, as a run that is gone on with does.
    pub(super) fn append_to(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::options().create(true).append(true).open(path)?;
        // What cut the run off may have torn a line.
        let text = std::fs::read(path)?;
        if text.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n")?;
        }
        self.sinks.push(Sink::File(file));
        Ok(())
    }

    /// Also writes to `path`; `-` is standard output. Whoever is waited for is waited for on `cpus`, if that is allowed.
    pub(super) fn add(&mut self, path: &Path, cpus: &[usize]) -> std::io::Result<()> {
        let is_output = path == Path::new("-");
        let may_wait = std::fs::metadata(path).is_ok_and(|it| !it.is_file());
        self.sinks.push(if is_output || may_wait {
            Sink::Reader(Reader::start((!is_output).then(|| path.to_owned()), cpus)?)
        } else {
            Sink::File(File::create(path)?)
        });
        Ok(())
    }

    /// Writes one event. A sink that takes no more is let go: events inform, and no run ends for want of a reader.
    pub(super) fn write(&mut self, event: &Event) {
        let line = Line::new(clock::wall().to_string(), event);
        let mut text = serde_json::to_vec(&line).expect("an event has only names and numbers");
        text.push(b'\n');
        self.sinks.retain_mut(|sink| match sink {
            Sink::File(file) => file.write_all(&text).and_then(|()| file.flush()).is_ok(),
            Sink::Reader(reader) => reader.lines.try_send(text.clone()).is_ok(),
        });
    }
}

impl Reader {
    /// Standard output, or a path, which is opened where it may be waited for.
    fn start(path: Option<PathBuf>, cpus: &[usize]) -> std::io::Result<Self> {
        let (lines, waiting) = mpsc::sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("events".to_owned());
        let cpus = cpus.to_vec();
        let thread = thread.spawn(move || {
            // Where that is not allowed it runs anywhere, which the run says.
            let _ = affinity::pin_current_thread(&cpus);
            match path {
                None => hand_on(&waiting, &mut std::io::stdout()),
                Some(path) => {
                    if let Ok(mut file) = File::options().append(true).open(path) {
                        hand_on(&waiting, &mut file);
                    }
                }
            }
        })?;
        Ok(Self { lines, thread })
    }
}

/// Until there are no more lines, or nobody takes them.
fn hand_on(waiting: &Receiver<Vec<u8>>, to: &mut dyn Write) {
    for line in waiting {
        if to.write_all(&line).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

impl Drop for EventLog {
    /// Whoever reads may read on for a moment.
    fn drop(&mut self) {
        let until = clock::now() + READ_ON;
        for sink in self.sinks.drain(..) {
            let Sink::Reader(Reader { lines, thread }) = sink else { continue };
            drop(lines);
            while !thread.is_finished() && !until.is_past() {
                clock::sleep_until(clock::now() + LOOK);
            }
        }
    }
}
