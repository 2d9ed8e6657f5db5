//! Is the request of each workload answered rightly: on a fresh connection, on a used one, in either version?

use super::asker::Fault;
use super::check::{Check, Claim};
use super::question::{Manner, Question};
use crate::http::framing::Framing;
use crate::matrix::Does;

pub(super) fn checks(questions: &[Question]) -> Vec<Check<'_>> {
    questions.iter().flat_map(of).collect()
}

fn of(question: &Question) -> [Check<'_>; 3] {
    let name = &question.workload;
    [
        Check::new(name, &[], |asker| asker.ask(question, Manner::Kept).map(|_| ())),
        Check::new(
            format!("{name} twice on one connection"),
            &[Claim::Does(Does::KeepAlive), Claim::Http11],
            |asker| {
                let (mut line, request, _) = asker.ask(question, Manner::Kept)?;
                line.ask(&request.in_a_way("again on one connection")).map(|_| ())
            },
        )
        .or_declare(Claim::Does(Does::KeepAlive)),
        Check::new(format!("{name} in HTTP/1.0"), &[], |asker| {
            let (_, request, answer) = asker.ask(question, Manner::Old)?;
            match answer.framing {
                Framing::Chunked => {
                    Err(Fault::new(&request.shown, "chunks, of which HTTP/1.0 knows nothing"))
                }
                _ => Ok(()),
            }
        }),
    ]
}
