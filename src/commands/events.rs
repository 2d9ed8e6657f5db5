//! Events as JSON lines, each flushed: in the run's folder, and wherever `--events` says.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::clock;
use crate::event::Event;
use crate::record::SCHEMA;

/// Writes events as they happen.
#[derive(Default)]
pub(super) struct EventLog {
    sinks: Vec<Box<dyn Write>>,
}

/// One line.
#[derive(Serialize)]
struct Line<'e> {
    schema: u32,
    at: String,
    #[serde(flatten)]
    event: &'e Event,
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
        self.sinks.push(Box::new(file));
        Ok(())
    }

    /// Also writes to `path`; `-` is standard output.
    pub(super) fn add(&mut self, path: &Path) -> std::io::Result<()> {
        let sink: Box<dyn Write> = if path == Path::new("-") {
            Box::new(std::io::stdout())
        } else {
            Box::new(File::create(path)?)
        };
        self.sinks.push(sink);
        Ok(())
    }

    /// Writes one event. A sink that takes no more is let go: events inform, and no run ends for want of a reader.
    pub(super) fn write(&mut self, event: &Event) {
        let line = Line { schema: SCHEMA, at: clock::wall().to_string(), event };
        let mut text = serde_json::to_vec(&line).expect("an event has only names and numbers");
        text.push(b'\n');
        self.sinks.retain_mut(|sink| sink.write_all(&text).and_then(|()| sink.flush()).is_ok());
    }
}
