//! Answers every head with one constant, and reads of it only where it ends: what is left of a
//! server on tokio when its HTTP is taken away.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::time::Duration;
use std::{env, io, thread};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};

const END: &[u8; 4] = b"\r\n\r\n";

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world";

const IN_SIZE: usize = 4096;

/// As many answers as one read can ask for, so that they go out in one write.
static ANSWERS: LazyLock<Vec<u8>> = LazyLock::new(|| ANSWER.repeat(IN_SIZE.div_ceil(END.len())));

fn main() -> io::Result<()> {
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());
    let port = env::var("PORT").unwrap_or_else(|_| "8080".into());
    let ip = host.parse().map_err(io::Error::other)?;
    let port = port.parse().map_err(io::Error::other)?;
    runtime()?.block_on(async { serve(listen(SocketAddr::new(ip, port))?).await })
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

async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // A connection that ends in an error ends all the same.
                tokio::spawn(async move { answer(stream).await });
            }
            Err(error) => {
                eprintln!("accept: {error}");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

async fn answer(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = [0; IN_SIZE];
    let mut matched = 0;
    loop {
        let length = stream.read(&mut input).await?;
        if length == 0 {
            return Ok(());
        }
        let ends = count_ends(&input[..length], &mut matched);
        stream.write_all(&ANSWERS[..ends * ANSWER.len()]).await?;
    }
}

/// How often a head ends in `input`. `matched` bytes of an end have come before it, and are left
/// for what comes next.
fn count_ends(input: &[u8], matched: &mut usize) -> usize {
    let mut ends = 0;
    for &byte in input {
        *matched = if byte == END[*matched] { *matched + 1 } else { usize::from(byte == END[0]) };
        if *matched == END.len() {
            *matched = 0;
            ends += 1;
        }
    }
    ends
}
