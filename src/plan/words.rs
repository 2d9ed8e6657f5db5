//! A load in words, as it stands in a table's title.

use crate::http::request::Version;
use crate::matrix::{Arrival, Load, Stop};
use crate::units::{write_count, write_number};

/// How a load is told in a table's title: `64 connections, closed loop`.
pub fn load_words(load: &Load) -> String {
    let plural = if load.connections == 1 { "" } else { "s" };
    let mut words = vec![format!("{} connection{plural}", load.connections)];
    words.push(match load.arrival {
        Arrival::ClosedLoop => "closed loop".to_owned(),
        Arrival::Even { rate } => format!("{} per second, even", write_number(rate)),
        Arrival::Poisson { rate } => {
            format!("{} per second, Poisson", write_number(rate))
        }
    });
    if !load.keep_alive {
        words.push("a connection per request".to_owned());
    }
    if load.pipeline > 1 {
        words.push(format!("pipelining {}", load.pipeline));
    }
    if load.http == Version::Http10 {
        words.push("HTTP/1.0".to_owned());
    }
    if let Stop::Requests { count, .. } = load.stop {
        words.push(format!("{} requests", write_count(count)));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_told_in_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let text = "[[load]]\nname = 'a'\nconnections = 1\n[[load]]\nname = 'b'\nconnections = 8\nrate = 5000\n\
             [[load]]\nname = 'c'\nconnections = 8\nkeep-alive = false\nhttp = '1.0'\nrequests = 1000\n\
             [[target]]\nname = 'a'\ncommand = 'a'\n";
        std::fs::write(&path, text).expect("a file");
        let matrix = crate::matrix::read(&path, None).expect("a matrix without problems");
        let words: Vec<String> = matrix.loads.iter().map(load_words).collect();
        assert_eq!(
            words,
            [
                "1 connection, closed loop",
                "8 connections, 5,000 per second, even",
                "8 connections, closed loop, a connection per request, HTTP/1.0, 1,000 requests",
            ]
        );
    }
}
