//! Requests on kept connections allocate nothing: a binary of its own, as its allocator counts for the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orchestrate::generator::{Generator, Spec};
use orchestrate::http::expect::{BodyExpectation, Expectation};
use orchestrate::http::request::{RequestParts, Version, encode};
use orchestrate::matrix::{Arrival, VerifyDepth};

/// The system's allocator, with a count of the times that it was asked.
struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);

#[expect(
    unsafe_code,
    reason = "an allocator cannot be written without; each call is handed on as it came"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world";

/// A server that allocates nothing once its connections stand: it answers each request, all of which are alike.
fn serve(size: usize) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer_all(stream, size));
        }
    });
    address
}

fn answer_all(mut stream: TcpStream, size: usize) {
    let mut buffer = vec![0; 64 * 1024];
    let mut received = 0;
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        received += read;
        for _ in 0..received / size {
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
        received %= size;
    }
}

/// How often memory was asked for while so many requests were made.
fn asked_during(spec: &Spec, requests: u64) -> u64 {
    let before = ASKED.load(Ordering::Relaxed);
    let spec = Spec { requests: Some(requests), ..spec.clone() };
    let loaded = Generator::start(spec, &[]).expect("a load").finish().expect("a result");
    assert_eq!(loaded.measured.good, requests);
    ASKED.load(Ordering::Relaxed) - before
}

#[test]
fn a_request_on_a_kept_connection_allocates_nothing() {
    for pipeline in [1, 8] {
        let headers = [];
        let parts = RequestParts {
            method: "GET",
            path: "/",
            authority: "localhost",
            headers: &headers,
            body: b"",
            version: Version::Http11,
            keep_alive: true,
        };
        let request = encode(&parts).expect("a request");
        let address = serve(request.len());
        let spec = Spec {
            address,
            kind: parts.kind(),
            request,
            is_idempotent: true,
            expectation: Expectation {
                body: BodyExpectation::Bytes(b"hello world".to_vec()),
                ..Expectation::default()
            },
            connections: 4,
            pipeline,
            arrival: Arrival::ClosedLoop,
            requests: None,
            timeout: Duration::from_mins(1),
            verify: VerifyDepth::All,
            seed: 7,
            warm_up_max: Duration::ZERO,
            window_max: Duration::from_mins(1),
            opens_at_once: false,
        };
        // What a load allocates at its beginning and end is the same for few requests and for many.
        let few = asked_during(&spec, 1000);
        let many = asked_during(&spec, 21_000);
        // Ten seconds of a slow machine may bring a look at the clock that allocates; 20,000 requests may not.
        assert!(
            many < few + 200,
            "{few} for 1,000 requests, {many} for 21,000, pipelining {pipeline}"
        );
    }
}
