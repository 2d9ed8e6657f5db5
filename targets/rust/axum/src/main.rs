//! The workloads of targets/README.md on axum.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, io, thread};

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
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
    let app = router(file()?);
    runtime()?.block_on(async {
        let listener = listen(SocketAddr::new(ip, port))?.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        axum::serve(listener, app).await
    })
}

/// `$ASSETS/one-file.js`, read once; answers share it.
fn file() -> io::Result<Bytes> {
    let path = PathBuf::from(env::var_os("ASSETS").unwrap_or_default()).join("one-file.js");
    let bytes = fs::read(&path)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(Bytes::from(bytes))
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

/// `get` answers HEAD too. Every handler takes the body, wanted or not: hyper closes a connection
/// on which one was left.
fn router(file: Bytes) -> Router {
    Router::new()
        .route("/", get(hello))
        .route("/file", get(send_file))
        .route("/wait", get(wait))
        .route("/cpu", get(cpu))
        .route("/json", post(increment))
        .fallback(not_found)
        .method_not_allowed_fallback(not_found)
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(file)
}

async fn hello(_body: Bytes) -> &'static str {
    "hello world"
}

async fn send_file(State(file): State<Bytes>, _body: Bytes) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript")], file)
}

async fn wait(_body: Bytes) -> &'static str {
    tokio::time::sleep(Duration::from_millis(10)).await;
    "hello world"
}

async fn cpu(_body: Bytes) -> String {
    let mut hash = Sha256::digest("orchestrate");
    for _ in 1..1000 {
        hash = Sha256::digest(hash);
    }
    format!("{hash:x}")
}

/// Takes JSON of any Content-Type, unlike the extractor `Json`.
async fn increment(body: Bytes) -> Result<Json<Value>, (StatusCode, &'static str)> {
    Json::from_bytes(&body)
        .ok()
        .and_then(|Json(object)| incremented(object))
        .map(Json)
        .ok_or((StatusCode::BAD_REQUEST, "expected a JSON object with a number n\n"))
}

fn incremented(mut object: Value) -> Option<Value> {
    let n = object.get_mut("n")?;
    *n = match n.as_i64().and_then(|n| n.checked_add(1)) {
        Some(whole) => whole.into(),
        None => (n.as_f64()? + 1.0).into(),
    };
    Some(object)
}

/// A body of any size is no reason for another status.
async fn not_found(_body: Result<Bytes, BytesRejection>) -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "not found\n")
}
