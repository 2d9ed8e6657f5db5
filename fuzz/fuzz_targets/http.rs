//! Answers of any bytes: reading them never panics, and what is said of them does not depend on
//! how reads cut them, nor on a head remembered from before.
//!
//! The first byte chooses the request, the second how many of the next bytes are the sizes of
//! reads; the rest is the stream.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orchestrate::http::framing::{Decoder, EndOfFile, Event, Framing, FramingError};
use orchestrate::http::request::{RequestKind, Version};

fuzz_target!(|data: &[u8]| {
    let [choice, cuts, rest @ ..] = data else { return };
    let request = RequestKind {
        is_head: choice & 1 != 0,
        version: if choice & 2 != 0 { Version::Http10 } else { Version::Http11 },
        keep_alive: choice & 4 == 0,
    };
    let (sizes, stream) = rest.split_at(usize::from(*cuts).min(rest.len()));
    let whole = read(Decoder::new(), request, &[stream]);
    assert_eq!(whole, read(Decoder::new(), request, &cut(stream, sizes)));
    let mut remembering = Decoder::new();
    let _ = remembering.decode(stream, request);
    remembering.restart();
    assert_eq!(whole, read(remembering, request, &cut(stream, sizes)));
});

/// What is said of a connection, the pieces of a body joined.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Head(u16, Framing, Option<u64>, Vec<u8>),
    Body(Vec<u8>),
    End(bool),
    Error(FramingError),
    EndOfFile(EndOfFile),
}

fn cut<'s>(mut stream: &'s [u8], sizes: &[u8]) -> Vec<&'s [u8]> {
    let mut pieces = Vec::new();
    for size in sizes {
        let (piece, rest) = stream.split_at(usize::from(*size).min(stream.len()));
        pieces.push(piece);
        stream = rest;
    }
    pieces.push(stream);
    pieces
}

fn read(mut decoder: Decoder, request: RequestKind, pieces: &[&[u8]]) -> Vec<Said> {
    let mut said = Vec::new();
    let mut kept = Vec::new();
    for piece in pieces {
        kept.extend_from_slice(piece);
        loop {
            let (consumed, event) = match decoder.decode(&kept, request) {
                Ok(decoded) => decoded,
                Err(error) => {
                    said.push(Said::Error(error));
                    return said;
                }
            };
            match event {
                Event::NeedMore => break,
                Event::Skipped => assert!(consumed > 0),
                Event::Head(head) => said.push(Said::Head(
                    head.status,
                    head.framing,
                    head.content_length,
                    head.fields().flat_map(|(name, value)| [name, value].concat()).collect(),
                )),
                Event::Body(body) => match said.last_mut() {
                    Some(Said::Body(so_far)) => so_far.extend_from_slice(body),
                    _ => said.push(Said::Body(body.to_vec())),
                },
                Event::End { reusable } => said.push(Said::End(reusable)),
            }
            kept.drain(..consumed);
        }
    }
    said.push(Said::EndOfFile(decoder.end_of_file()));
    said
}
