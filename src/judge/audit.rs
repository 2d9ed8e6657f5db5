//! What rows answer and could use otherwise than their neighbours, and nobody declared: told, not punished.
//!
//! Not here: another status, length or content than is right; that is `unequal-response`. Here it is told where each target
//! has an answer of its own, and so are all the things that a client does not mind and that cost something.

use crate::record::measured::ResponseSeen;
use crate::units::write_count;

/// How many rows a sentence names.
const NAMED_MAX: usize = 4;

/// One row of a workload.
#[derive(Debug, Clone, Default)]
pub struct Audited<'a> {
    /// The target's label.
    pub label: &'a str,
    /// The answer that verification saw.
    pub response: Option<&'a ResponseSeen>,
    /// Whether another round saw another one.
    pub varies: bool,
    /// Whether the target declares a right answer of its own.
    pub declares_answer: bool,
    /// Whether it declares that it does not keep connections.
    pub declares_close: bool,
    /// CPUs that it may use; 0 if that is not known.
    pub cores_allowed: u32,
    /// The most threads at once, of all its processes together.
    pub threads: Option<u64>,
}

/// The differences between the rows of a workload, each as a sentence.
pub fn differences(rows: &[Audited<'_>]) -> Vec<String> {
    let answers = |row: &Audited<'_>, of: &dyn Fn(&ResponseSeen) -> Option<String>| {
        row.response.filter(|_| !row.declares_answer).and_then(of)
    };
    let seen =
        |row: &Audited<'_>, of: &dyn Fn(&ResponseSeen) -> Option<String>| row.response.and_then(of);
    [
        differing(rows, "status", |row| answers(row, &|it| Some(it.status.to_string()))),
        differing(rows, "length of the body", |row| {
            answers(row, &|it| Some(format!("{} bytes", write_count(it.length))))
        }),
        content(rows),
        differing(rows, "content type", |row| {
            seen(row, &|it| {
                Some(it.content_type.as_ref().map_or("none".to_owned(), |it| format!("`{it}`")))
            })
        }),
        differing(rows, "end of the body", |row| seen(row, &|it| it.framing.clone())),
        differing(rows, "HTTP version", |row| seen(row, &|it| it.http.clone())),
        differing(rows, "connection", |row| {
            seen(row, &|it| it.keep_alive.map(connection)).filter(|_| !row.declares_close)
        }),
        heads(rows),
        cores(rows),
    ]
    .into_iter()
    .flatten()
    .chain(
        rows.iter()
            .filter(|row| row.varies)
            .map(|row| format!("answers: {} answered otherwise in another round", row.label)),
    )
    .collect()
}

/// What became of a connection that was asked to be kept.
pub fn connection(is_kept: bool) -> String {
    if is_kept { "kept" } else { "closed" }.to_owned()
}

/// How many cores a row could keep busy at once: no more than it has threads.
pub fn cores_usable(cores_allowed: u32, threads: Option<u64>) -> Option<u64> {
    let allowed = (cores_allowed > 0).then_some(u64::from(cores_allowed))?;
    Some(threads.map_or(allowed, |threads| threads.min(allowed)))
}

/// `content type: `text/plain` (8 rows), none (c/epoll)`, if it is not the same in all rows in which it is known.
fn differing(
    rows: &[Audited<'_>],
    what: &str,
    of: impl Fn(&Audited<'_>) -> Option<String>,
) -> Option<String> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for (label, value) in rows.iter().filter_map(|row| Some((row.label, of(row)?))) {
        match kinds.iter_mut().find(|(kind, _)| *kind == value) {
            Some((_, labels)) => labels.push(label),
            None => kinds.push((value, vec![label])),
        }
    }
    if kinds.len() < 2 {
        return None;
    }
    // The most common first; of equals, the one that came first.
    kinds.sort_by_key(|(_, labels)| std::cmp::Reverse(labels.len()));
    let told = kinds.iter().map(|(kind, labels)| format!("{kind} ({})", names(labels)));
    Some(format!("{what}: {}", told.collect::<Vec<_>>().join(", ")))
}

/// Content of the same length that differs; that the length does is told already.
fn content(rows: &[Audited<'_>]) -> Option<String> {
    let known: Vec<(u64, &str)> = rows.iter().filter_map(content_of).collect();
    let is_double = |(length, sha256): &(u64, &str)| {
        known.iter().any(|other| other.0 == *length && other.1 != *sha256)
    };
    if !known.iter().any(is_double) {
        return None;
    }
    differing(rows, "content", |row| {
        let (_, sha256) = content_of(row)?;
        Some(format!("sha256 {}", sha256.get(..8).unwrap_or(sha256)))
    })
}

/// The length and the digest, of a row that is to answer like the others.
fn content_of<'a>(row: &Audited<'a>) -> Option<(u64, &'a str)> {
    let response = row.response.filter(|_| !row.declares_answer)?;
    Some((response.length, &response.sha256))
}

/// The shortest head and the longest, where one is more than twice the other.
fn heads(rows: &[Audited<'_>]) -> Option<String> {
    let known = || rows.iter().filter_map(|row| Some((row.label, row.response?.header_bytes)));
    let (shortest, low) = known().min_by_key(|(_, bytes)| *bytes)?;
    let (longest, high) = known().max_by_key(|(_, bytes)| *bytes)?;
    (high > 2 * low).then(|| {
        let (low, high) = (write_count(low), write_count(high));
        format!("head: from {low} bytes ({shortest}) to {high} bytes ({longest})")
    })
}

fn cores(rows: &[Audited<'_>]) -> Option<String> {
    differing(rows, "cores that it could use at once", |row| {
        cores_usable(row.cores_allowed, row.threads).map(|cores| cores.to_string())
    })
}

fn names(labels: &[&str]) -> String {
    match labels {
        [] => String::new(),
        few if few.len() <= NAMED_MAX => few.join(", "),
        many => format!("{} rows", many.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response() -> ResponseSeen {
        ResponseSeen {
            status: 200,
            length: 11,
            sha256: "b94d27b9934d3e08".to_owned(),
            content_type: Some("text/plain".to_owned()),
            header_bytes: 100,
            http: Some("1.1".to_owned()),
            framing: Some("length".to_owned()),
            keep_alive: Some(true),
        }
    }

    fn row<'a>(label: &'a str, response: &'a ResponseSeen) -> Audited<'a> {
        Audited {
            label,
            response: Some(response),
            cores_allowed: 4,
            threads: Some(9),
            ..Audited::default()
        }
    }

    /// What is told of a usual row and of this one beside it.
    fn told(change: impl Fn(&mut ResponseSeen), declare: impl Fn(&mut Audited<'_>)) -> String {
        let (usual, mut other) = (response(), response());
        change(&mut other);
        let mut odd = row("odd", &other);
        declare(&mut odd);
        differences(&[row("one", &usual), row("two", &usual), odd]).join("; ")
    }

    #[test]
    fn rows_that_are_alike_leave_nothing_to_tell() {
        assert_eq!(told(|_| (), |_| ()), "");
        assert_eq!(told(|it| it.header_bytes = 200, |_| ()), "");
        assert_eq!(differences(&[]), [""; 0]);
        assert_eq!(differences(&[Audited::default()]), [""; 0]);
    }

    #[test]
    fn each_difference_is_told_with_who_has_it() {
        type Change = fn(&mut ResponseSeen);
        let cases: [(Change, &str); 8] = [
            (|it| it.status = 201, "status: 200 (one, two), 201 (odd)"),
            (|it| it.length = 12, "length of the body: 11 bytes (one, two), 12 bytes (odd)"),
            (
                |it| it.sha256 = "ffd0".to_owned(),
                "content: sha256 b94d27b9 (one, two), sha256 ffd0 (odd)",
            ),
            (|it| it.content_type = None, "content type: `text/plain` (one, two), none (odd)"),
            (
                |it| it.framing = Some("chunked".to_owned()),
                "end of the body: length (one, two), chunked (odd)",
            ),
            (|it| it.http = Some("1.0".to_owned()), "HTTP version: 1.1 (one, two), 1.0 (odd)"),
            (|it| it.keep_alive = Some(false), "connection: kept (one, two), closed (odd)"),
            (|it| it.header_bytes = 201, "head: from 100 bytes (one) to 201 bytes (odd)"),
        ];
        for (change, expected) in cases {
            assert_eq!(told(change, |_| ()), expected);
        }
        assert_eq!(
            told(|_| (), |row| row.threads = Some(1)),
            "cores that it could use at once: 4 (one, two), 1 (odd)"
        );
        assert_eq!(
            told(|_| (), |row| row.varies = true),
            "answers: odd answered otherwise in another round"
        );
    }

    #[test]
    fn what_is_declared_is_no_difference_and_what_is_not_known_neither() {
        let declares = |row: &mut Audited<'_>| row.declares_answer = true;
        assert_eq!(told(|it| (it.status, it.length) = (201, 7), declares), "");
        assert_eq!(told(|it| it.keep_alive = Some(false), |row| row.declares_close = true), "");
        assert_eq!(told(|it| it.keep_alive = None, |_| ()), "");
        assert_eq!(told(|it| (it.framing, it.http) = (None, None), |_| ()), "");
        assert_eq!(told(|_| (), |row| (row.cores_allowed, row.threads) = (0, Some(1))), "");
    }

    #[test]
    fn many_rows_are_counted_and_the_most_common_comes_first() {
        let (usual, mut other) = (response(), response());
        other.content_type = None;
        let labels = ["a", "b", "c", "d", "e"];
        let rows: Vec<Audited<'_>> = [row("odd", &other)]
            .into_iter()
            .chain(labels.iter().map(|label| row(label, &usual)))
            .collect();
        assert_eq!(differences(&rows), ["content type: `text/plain` (5 rows), none (odd)"]);
    }
}
