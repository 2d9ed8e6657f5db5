//! The server under load: `c/epoll`, compiled into a temporary folder, on a CPU of its own, beside a file to serve.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use orchestrate::{clock, processes};

use crate::launch;

/// The length of the file at `/file`.
pub(crate) const FILE_BYTES: usize = 305_867;

/// The compiled server and its assets.
#[derive(Debug)]
pub(crate) struct Program {
    binary: PathBuf,
    assets: PathBuf,
}

/// A server that runs; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Program {
    /// Compiles the server into `folder`, and makes the file that it serves.
    pub(crate) fn compile(folder: &Path) -> Result<Self, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("targets/c/epoll/server.c");
        let binary = folder.join("server");
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-O2", "-o"]).arg(&binary).arg(source).stdin(Stdio::null());
        let ended = launch::run(compiler, Duration::from_mins(1))
            .map_err(|error| format!("cannot run `cc`: {error}"))?;
        if !ended.status.success() {
            return Err(format!("the server does not compile:\n{}", ended.stderr));
        }
        fs::write(folder.join("one-file.js"), file_bytes()).map_err(|error| error.to_string())?;
        Ok(Self { binary, assets: folder.to_owned() })
    }

    /// Starts it on `cpu`, and waits until it accepts connections.
    pub(crate) fn start(&self, cpu: usize) -> Result<Server, String> {
        let port = free_port().map_err(|error| format!("no free port: {error}"))?;
        let child = launch::on_cpu(cpu, &[OsString::from(&self.binary)])
            .and_then(|mut command| {
                command
                    .env("HOST", "127.0.0.1")
                    .env("PORT", port.to_string())
                    .env("ASSETS", &self.assets)
                    .stdout(Stdio::null())
                    .spawn()
            })
            .map_err(|error| format!("the server does not start: {error}"))?;
        let server = Server { child, address: (Ipv4Addr::LOCALHOST, port).into() };
        let deadline = clock::now() + Duration::from_secs(3);
        while TcpStream::connect(server.address).is_err() {
            if deadline.is_past() {
                return Err("the server does not listen".to_owned());
            }
            clock::sleep_until(clock::now() + Duration::from_millis(2));
        }
        Ok(server)
    }
}

impl Server {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// CPU time so far.
    pub(crate) fn cpu(&self) -> Duration {
        let threads = processes::thread_times(self.child.id());
        Duration::from_nanos(threads.iter().map(|thread| thread.nanos).sum())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill, and it is waited for all the same.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Text-like bytes, the same each time (a linear congruential generator, Numerical Recipes 7.1).
fn file_bytes() -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b' ' + u8::try_from((state >> 24) % 95).expect("less than 95")
    };
    (0..FILE_BYTES).map(|_| next()).collect()
}
