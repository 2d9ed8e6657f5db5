//! The workloads of targets/README.md on hyper 1 and tokio.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, io, thread};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{HeaderValue, CONNECTION, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};

const BODY_MAX: usize = 1 << 20;

fn main() -> io::Result<()> {
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());
    let port = env::var("PORT").unwrap_or_else(|_| "8080".into());
    let ip = host.parse().map_err(io::Error::other)?;
    let port = port.parse().map_err(io::Error::other)?;
    let file = file()?;
    runtime()?.block_on(async { serve(listen(SocketAddr::new(ip, port))?, file).await })
}

/// `$ASSETS/one-file.js`, read once. It stays in memory for good: no answer copies it, and nobody
/// counts its users.
fn file() -> io::Result<Bytes> {
    let path = PathBuf::from(env::var_os("ASSETS").unwrap_or_default()).join("one-file.js");
    let bytes = fs::read(&path)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(Bytes::from_static(bytes.leak()))
}

/// One worker thread per CPU; or, as a variant, everything on this thread.
fn runtime() -> io::Result<Runtime> {
    if env::var("RUNTIME").is_ok_and(|name| name == "current-thread") {
        return Builder::new_current_thread().enable_all().build();
    }
    let cpus: Option<NonZeroUsize> = env::var("CPUS").ok().and_then(|count| count.parse().ok());
    let workers = cpus.map_or_else(thread::available_parallelism, Ok)?;
    Builder::new_multi_thread().worker_threads(workers.get()).enable_all().build()
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}

async fn serve(listener: TcpListener, file: Bytes) -> io::Result<()> {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                eprintln!("accept: {error}");
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let file = file.clone();
        let service = service_fn(move |request| answer(request, file.clone()));
        tokio::spawn(async move {
            // A connection that ends in an error ends all the same.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    file: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    // Whatever is asked: the connection can be kept only if the body is read.
    let body = Limited::new(body, BODY_MAX).collect().await.map(|body| body.to_bytes());
    let is_read = body.is_ok();
    let mut response = match (&head.method, head.uri.path()) {
        (&Method::GET | &Method::HEAD, "/") => text(StatusCode::OK, "hello world"),
        (&Method::GET | &Method::HEAD, "/file") => {
            response(StatusCode::OK, "text/javascript", file)
        }
        (&Method::GET | &Method::HEAD, "/wait") => {
            tokio::time::sleep(Duration::from_millis(10)).await;
            text(StatusCode::OK, "hello world")
        }
        (&Method::GET | &Method::HEAD, "/cpu") => text(StatusCode::OK, cpu()),
        (&Method::POST, "/json") => match body {
            Ok(body) => increment(&body),
            Err(error) if error.is::<LengthLimitError>() => {
                text(StatusCode::PAYLOAD_TOO_LARGE, "too large\n")
            }
            Err(_) => text(StatusCode::BAD_REQUEST, "the body broke off\n"),
        },
        _ => text(StatusCode::NOT_FOUND, "not found\n"),
    };
    if !is_read {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

fn cpu() -> String {
    let mut hash = Sha256::digest("orchestrate");
    for _ in 1..1000 {
        hash = Sha256::digest(hash);
    }
    format!("{hash:x}")
}

fn increment(body: &[u8]) -> Response<Full<Bytes>> {
    match incremented(body) {
        Some(body) => response(StatusCode::OK, "application/json", body),
        None => text(StatusCode::BAD_REQUEST, "expected a JSON object with a number n\n"),
    }
}

fn incremented(body: &[u8]) -> Option<Vec<u8>> {
    let mut object: Value = serde_json::from_slice(body).ok()?;
    let n = object.get_mut("n")?;
    *n = match n.as_i64().and_then(|n| n.checked_add(1)) {
        Some(whole) => whole.into(),
        None => (n.as_f64()? + 1.0).into(),
    };
    serde_json::to_vec(&object).ok()
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    response(status, "text/plain", body)
}

fn response(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
