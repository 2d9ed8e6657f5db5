//! How a check asks: connections whose every wait has an end, and faults in words.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use super::question::{Manner, Question, Request};
use super::session::CHECK_LIMIT;
use crate::clock::{self, Instant};
use crate::generator::probe::{Answer, Heard, Probe, ProbeError};
use crate::http::expect::explain;
use crate::units::write_duration;

/// How soon a server that is to close a connection does.
const CLOSES_WITHIN: Duration = Duration::from_secs(1);
/// A connection that lives so long after an answer was meant to.
const STAYS: Duration = Duration::from_millis(100);

/// What a check asks with: a server, until an instant.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) address: SocketAddr,
    /// Nothing lasts longer.
    pub(super) until: Instant,
    /// Bytes of output that the server has written so far.
    pub(super) output_bytes: &'a dyn Fn() -> Option<u64>,
}

/// What was not right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// What was sent, in words.
    pub(super) asked: String,
    /// What came of it, and what is right.
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(asked: &str, what: impl Into<String>) -> Self {
        Self { asked: asked.to_owned(), what: what.into() }
    }
}

/// What a server does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Answers,
    /// It ends the connection, or says what is no answer.
    BreaksOff,
    None,
}

/// A connection.
pub(super) struct Line {
    probe: Probe,
}

impl Asker<'_> {
    /// Opens a connection, on which something is then asked.
    pub(super) fn connect(&self, asked: &str) -> Result<Line, Fault> {
        let probe = Probe::connect(self.address, self.until);
        let probe = probe.map_err(|error| Fault::new(asked, words(&error)))?;
        Ok(Line { probe })
    }

    pub(super) fn request(&self, question: &Question, manner: Manner) -> Request {
        question.request(self.address, manner)
    }

    /// Asks on a fresh connection; the answer must be right.
    pub(super) fn ask(
        &self,
        question: &Question,
        manner: Manner,
    ) -> Result<(Line, Request, Answer), Fault> {
        let request = self.request(question, manner);
        let mut line = self.connect(&request.shown)?;
        let answer = line.ask(&request)?;
        Ok((line, request, answer))
    }

    /// What it does with a request, whatever it should do.
    pub(super) fn sign_of_life(&self, question: &Question) -> Life {
        let request = self.request(question, Manner::Kept);
        let asked = Probe::connect(self.address, self.until).and_then(|mut probe| {
            // That it is not taken is told by the answer, or that there is none.
            let _ = probe.send(&request.bytes);
            probe.answer(request.kind)
        });
        match asked {
            Ok(_) => Life::Answers,
            Err(ProbeError::Timeout(_)) => Life::None,
            Err(ProbeError::Io(error)) if error.kind() == ErrorKind::ConnectionRefused => {
                Life::None
            }
            Err(_) => Life::BreaksOff,
        }
    }

    /// Whether it still answers rightly, after what went before.
    pub(super) fn still_answers(&self, question: &Question, after: &str) -> Result<(), Fault> {
        self.ask(question, Manner::Kept)
            .map(|_| ())
            .map_err(|fault| Fault { asked: format!("{} after {after}", fault.asked), ..fault })
    }
}

impl Line {
    /// Writes bytes. That they are not taken is told by the answer, or that there is none.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        let _ = self.probe.send(bytes);
    }

    /// Sends a request and waits for its answer, which must be right.
    pub(super) fn ask(&mut self, request: &Request) -> Result<Answer, Fault> {
        self.send(&request.bytes);
        self.answer(request)
    }

    /// Sends a request and waits for its answer, whatever it is.
    pub(super) fn ask_anything(&mut self, request: &Request) -> Result<Answer, Fault> {
        self.send(&request.bytes);
        self.any_answer(request)
    }

    /// Waits for the answer to a request that was sent; it must be right.
    pub(super) fn answer(&mut self, request: &Request) -> Result<Answer, Fault> {
        let answer = self.any_answer(request)?;
        Self::judge(request, answer)
    }

    /// An answer, if it is right.
    pub(super) fn judge(request: &Request, answer: Answer) -> Result<Answer, Fault> {
        match explain(&request.right, &answer.head(), &answer.body) {
            None => Ok(answer),
            Some(mismatch) => Err(Fault::new(&request.shown, mismatch.to_string())),
        }
    }

    /// Waits for the answer to a request that was sent, whatever it is.
    pub(super) fn any_answer(&mut self, request: &Request) -> Result<Answer, Fault> {
        self.answer_or_end(request).map_err(|error| Fault::new(&request.shown, words(&error)))
    }

    /// The same, for requests that may be refused by closing the connection.
    pub(super) fn answer_or_end(&mut self, request: &Request) -> Result<Answer, ProbeError> {
        self.probe.answer(request.kind)
    }

    /// The connection must end now, without another word.
    pub(super) fn must_close(&mut self, request: &Request) -> Result<(), Fault> {
        let fault = |what: &str| Err(Fault::new(&request.shown, what));
        match self.probe.hear(CLOSES_WITHIN) {
            Heard::End => Ok(()),
            Heard::Nothing => fault("the connection was still open 1 s after the answer"),
            Heard::Bytes => fault("more came after the answer, where the end was expected"),
        }
    }

    /// The connection must live on.
    pub(super) fn must_stay(&mut self, request: &Request) -> Result<(), Fault> {
        let fault = |what: &str| Err(Fault::new(&request.shown, what));
        match self.probe.hear(STAYS) {
            Heard::Nothing => Ok(()),
            Heard::End => fault("the connection was closed after the answer"),
            Heard::Bytes => fault("more came after the answer, where nothing was expected"),
        }
    }

    /// Bytes that follow the answer, as they come until the connection ends or is quiet.
    pub(super) fn rest(&mut self) -> usize {
        match self.probe.hear(STAYS) {
            Heard::Bytes => self.probe.unread().len(),
            Heard::End | Heard::Nothing => 0,
        }
    }

    /// Waits until so many bytes have come, or the end, `within` at most; what has come by then.
    pub(super) fn first_bytes(&mut self, count: usize, within: Duration) -> Vec<u8> {
        let until = clock::now() + within;
        while self.probe.unread().len() < count && !until.is_past() {
            if !self.probe.hear_more(until.remaining()) {
                break;
            }
        }
        self.probe.unread().iter().take(count).copied().collect()
    }
}

/// Why there is no answer, as it is told.
pub(super) fn words(error: &ProbeError) -> String {
    if matches!(error, ProbeError::Timeout(_)) {
        return format!("no whole answer within the {} of a check", write_duration(CHECK_LIMIT));
    }
    let kind = if let ProbeError::Io(error) = error { Some(error.kind()) } else { None };
    match kind {
        Some(ErrorKind::ConnectionRefused) => "connection refused".to_owned(),
        Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => "connection reset".to_owned(),
        _ => error.to_string(),
    }
}

/// The value of a field of an answer, as text.
pub(super) fn field(answer: &Answer, name: &str) -> Option<String> {
    answer.head().field(name).map(|value| String::from_utf8_lossy(value).into_owned())
}

/// Whether a list in a field holds a word.
pub(super) fn says(answer: &Answer, name: &str, word: &str) -> bool {
    answer.head().fields().any(|(field, value)| {
        field.eq_ignore_ascii_case(name.as_bytes())
            && value
                .split(|byte| *byte == b',')
                .any(|part| part.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// Waits a little, between two pieces of a request.
pub(super) fn pause(time: Duration) {
    clock::sleep_until(clock::now() + time);
}
