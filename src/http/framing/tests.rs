//! Vectors for reading answers, and the reader that runs each of them in every way.
//!
//! The vectors follow the facts of llhttp's, http-parser's, picohttpparser's and httparse's suites
//! and the clauses of RFC 9112 they test. Each is read whole, byte by byte, cut at every place,
//! and as every prefix with the end of file after it.

mod bodies;
mod chunks;
mod cuts;
mod heads;

use super::*;

const GET: RequestKind = RequestKind { is_head: false, version: Version::Http11, keep_alive: true };
const HEAD: RequestKind = RequestKind { is_head: true, ..GET };
const GET_CLOSE: RequestKind = RequestKind { keep_alive: false, ..GET };
const GET_10: RequestKind = RequestKind { version: Version::Http10, ..GET };

/// Reads pieces as the holder of a connection does, and writes down what it is told.
struct Reader {
    decoder: Decoder,
    request: RequestKind,
    kept: Vec<u8>,
    consumed: usize,
    said: Vec<String>,
    answers: Vec<Span>,
    has_stopped: bool,
    /// Whether bytes that may be thrown away are.
    discards: bool,
}

/// Where an answer lies in the stream.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    head_end: Option<usize>,
    ends_by_close: bool,
    end: Option<usize>,
}

impl Reader {
    fn new(request: RequestKind) -> Self {
        Self {
            decoder: Decoder::new(),
            request,
            kept: Vec::new(),
            consumed: 0,
            said: Vec::new(),
            answers: vec![Span::default()],
            has_stopped: false,
            discards: false,
        }
    }

    fn take(&mut self, mut piece: &[u8]) {
        if let Some(allowed) = self.decoder.discardable().filter(|_| self.discards) {
            assert!(self.kept.is_empty(), "bytes of a body are never kept");
            let thrown = at_most(piece, allowed);
            self.decoder.discarded(thrown.len() as u64);
            piece = &piece[thrown.len()..];
        }
        self.kept.extend_from_slice(piece);
        let kept = std::mem::take(&mut self.kept);
        let mut at = 0;
        while !self.has_stopped {
            let before = at;
            match self.decoder.decode(&kept[at..], self.request) {
                Ok((consumed, event)) => {
                    at += consumed;
                    self.consumed += consumed;
                    if event == Event::NeedMore {
                        assert_eq!(at, before, "nothing is consumed where more is needed");
                        break;
                    }
                    self.note(event);
                }
                Err(error) => self.stop(&format!("!{error:?}")),
            }
        }
        self.kept = kept[at..].to_vec();
    }

    fn note(&mut self, event: Event<'_>) {
        let span = self.answers.last_mut().unwrap();
        match event {
            Event::NeedMore | Event::Skipped => {}
            Event::Head(head) => {
                span.head_end = Some(self.consumed);
                span.ends_by_close = head.framing == Framing::UntilClose;
                self.said.push(format!("{} {:?}", head.status, head.framing));
            }
            Event::Body(body) => {
                assert!(!body.is_empty());
                let text = body.escape_ascii().to_string();
                match self.said.last_mut() {
                    Some(last) if last.starts_with('\'') => {
                        last.insert_str(last.len() - 1, &text);
                    }
                    _ => self.said.push(format!("'{text}'")),
                }
            }
            Event::End { reusable } => {
                span.end = Some(self.consumed);
                self.answers.push(Span { start: self.consumed, ..Span::default() });
                assert!(self.decoder.is_idle());
                if reusable { self.said.push("reuse".into()) } else { self.stop("close") }
            }
        }
    }

    fn stop(&mut self, why: &str) {
        self.said.push(why.into());
        self.has_stopped = true;
    }

    /// All that was said, and what the end of file means now.
    fn finish(mut self) -> String {
        if !self.has_stopped {
            let end = format!("{:?}", self.decoder.end_of_file());
            self.said.push(end);
        }
        self.said.join(" ")
    }
}

fn read<'p>(request: RequestKind, pieces: impl IntoIterator<Item = &'p [u8]>) -> Reader {
    let mut reader = Reader::new(request);
    pieces.into_iter().for_each(|piece| reader.take(piece));
    reader
}

/// What the end of file must mean after the first `at` bytes, by where the answers lie.
fn end_after(at: usize, answers: &[Span]) -> EndOfFile {
    let span = answers.iter().rfind(|span| span.start <= at).unwrap();
    match span {
        _ if span.start == at => EndOfFile::Idle,
        Span { head_end: Some(end), ends_by_close, .. } if *end <= at => {
            if *ends_by_close {
                EndOfFile::Complete
            } else {
                EndOfFile::InsideBody
            }
        }
        _ => EndOfFile::InsideHead,
    }
}

/// Reads `input` in every way and compares what is said. `'...'` is a body, `reuse` and `close`
/// are ends of answers, `!...` is an error, the last word is what the end of file means.
#[track_caller]
fn check(request: RequestKind, input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    let whole = read(request, [input]);
    let answers = whole.answers.clone();
    assert_eq!(whole.finish(), expected, "whole: {}", input.escape_ascii());
    assert_eq!(read(request, input.chunks(1)).finish(), expected, "byte by byte");
    for at in 0..input.len() {
        let (first, second) = input.split_at(at);
        assert_eq!(read(request, [first, second]).finish(), expected, "cut at {at}");
        let prefix = read(request, [first]);
        if !prefix.has_stopped {
            let end = format!("{:?}", end_after(at, &answers));
            let said = prefix.finish();
            assert!(said.ends_with(&end), "{said} after {at} bytes, {end} expected");
        }
    }
}
