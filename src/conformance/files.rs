//! What stands in the contract about `static`: what is not there, types by extension, and that nothing leaves the folder.

use super::asker::{Asker, Fault};
use super::check::{Check, Claim};
use super::paths::must_be_of_type;
use super::question::{Manner, Question};
use crate::assets::TYPES;
use crate::http::expect::{BodyExpectation, Expectation, StatusExpectation};
use crate::units::count_of;

const NEEDS: &[Claim] = &[Claim::Contract];

/// Ways out of the folder, by how they are written; each is followed by what lies outside.
const WAYS_OUT: [(&str, &[&str]); 7] = [
    ("..", &["../one-file.js", "../../etc/passwd", "folder/../../one-file.js", DEEP]),
    ("%2e%2e", &["%2e%2e/one-file.js", "%2E%2E/%2e%2e/etc/passwd", DEEP_ENCODED]),
    ("%252e%252e", &["%252e%252e/one-file.js", "%252e%252e%252fone-file.js"]),
    ("..%2f", &["..%2fone-file.js", "..%2F..%2fetc%2fpasswd", DEEP_SLASHES]),
    ("%2e%2e%5c", &["%2e%2e%5cone-file.js", "..%5c..%5cetc%5cpasswd"]),
    ("..\\", &["..\\one-file.js", "..\\..\\etc\\passwd"]),
    ("an absolute path", &["/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd"]),
];
/// Far enough up from anywhere.
const DEEP: &str = "../../../../../../../../../../../../../../etc/passwd";
const DEEP_ENCODED: &str =
    "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd";
const DEEP_SLASHES: &str =
    "..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd";

/// The folder that `static` is asked from, and what is asked from it.
fn split(path: &str) -> Option<(&str, &str)> {
    let at = path.rfind('/')? + 1;
    (path.starts_with('/') && at > 1 && at < path.len()).then(|| path.split_at(at))
}

pub(super) fn checks(questions: &[Question]) -> Vec<Check<'_>> {
    let question = questions.iter().find(|question| question.is_of_contract_as("static"));
    let parts = question.and_then(|question| Some((question, split(&question.path)?)));
    let Some((question, (folder, file))) = parts else { return Vec::new() };
    let mut checks = vec![
        Check::new("a missing file is 404", NEEDS, move |asker| {
            let missing = question.at(format!("{folder}no-such-file.png")).refused(404);
            asker.ask(&missing, Manner::Kept).map(|_| ())
        }),
        Check::new("a folder is 500", NEEDS, move |asker| {
            let inner = question.at(format!("{folder}folder")).refused(500);
            asker.ask(&inner, Manner::Kept).map(|_| ())
        }),
        Check::new("/favicon.ico is an empty 200", NEEDS, move |asker| {
            let empty = Expectation {
                status: StatusExpectation::Exactly(200),
                body: BodyExpectation::Bytes(Vec::new()),
                ..Expectation::default()
            };
            asker.ask(&question.at("/favicon.ico").expecting(empty), Manner::Kept).map(|_| ())
        }),
        Check::new("// is taken for /", NEEDS, move |asker| {
            let folder = folder.trim_end_matches('/');
            for path in [format!("{folder}//{file}"), format!("/{folder}//{file}")] {
                asker.ask(&question.at(path), Manner::Kept)?;
            }
            Ok(())
        }),
    ];
    checks.extend(TYPES.iter().map(|(extension, right)| {
        Check::new(format!("type of .{extension}"), NEEDS, move |asker| {
            let any =
                Expectation { status: StatusExpectation::Exactly(200), ..Expectation::default() };
            let sample = question.at(format!("{folder}folder/sample.{extension}")).expecting(any);
            let (_, request, answer) = asker.ask(&sample, Manner::Kept)?;
            must_be_of_type(&request.shown, &answer, right)
        })
    }));
    checks.extend(WAYS_OUT.iter().map(|(way, paths)| {
        Check::new(format!("{way} stays in the folder"), NEEDS, move |asker| {
            paths
                .iter()
                .try_for_each(|path| stays_inside(asker, question, &format!("{folder}{path}")))
        })
    }));
    checks
}

/// 404 or 400, whatever there is outside; and the next request is answered rightly.
fn stays_inside(asker: &Asker<'_>, question: &Question, path: &str) -> Result<(), Fault> {
    let request = asker.request(&question.at(path), Manner::Kept);
    let mut line = asker.connect(&request.shown)?;
    let answer = line.ask_anything(&request)?;
    if !matches!(answer.status, 400 | 404) {
        let length = count_of(answer.body.len(), "byte");
        let what = format!("{} with {length} where 404 was expected", answer.status);
        return Err(Fault::new(&request.shown, what));
    }
    drop(line);
    asker.still_answers(question, &request.shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_where_its_file_begins() {
        assert_eq!(split("/static/fact10000.png"), Some(("/static/", "fact10000.png")));
        for path in ["/fact10000.png", "/static/", "*", "http://a/b"] {
            assert_eq!(split(path), None, "{path}");
        }
    }

    #[test]
    fn every_way_out_can_be_written_in_a_request_line() {
        for path in WAYS_OUT.iter().flat_map(|(_, paths)| *paths) {
            assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
        }
    }
}
