//! Workloads by name alone: the request and the answer of the contract.

use super::{Memory, TWO, matrix, matrix_among};
use crate::http::expect::{BodyExpectation, StatusExpectation};
use crate::matrix::Workload;

fn workload(text: &str) -> Workload {
    matrix(&format!("[[workload]]\n{text}\n{TWO}")).workloads.remove(0)
}

#[test]
fn a_name_of_the_contract_alone_brings_its_request_and_its_answer() {
    for (name, request) in [
        ("hello", "GET /"),
        ("file", "GET /file"),
        ("static", "GET /static/fact10000.png"),
        ("json", "POST /json"),
        ("wait", "GET /wait"),
        ("cpu", "GET /cpu"),
    ] {
        let workload = workload(&format!("name = \"{name}\"\ntargets = [\"*\"]"));
        let asked = format!("{} {}", workload.request.method, workload.request.path);
        assert_eq!(asked, request);
        let expect = workload.expect.expect("an expectation");
        assert_eq!(expect.status, StatusExpectation::Exactly(200), "{name}");
        assert_ne!(expect.body, BodyExpectation::Any, "{name}");
    }
    let json = workload("name = \"json\"");
    assert_eq!(json.request.body.len(), 1024);
    let mut answer: serde_json::Value = serde_json::from_slice(&json.request.body).expect("JSON");
    let n = answer["n"].as_i64().expect("a number");
    answer["n"] = (n + 1).into();
    assert_eq!(json.expect.expect("an expectation").body, BodyExpectation::Json(answer));
}

#[test]
fn a_workload_with_a_request_or_an_answer_of_its_own_is_its_own() {
    let own = workload("name = \"file\"\npath = \"/big\"");
    assert_eq!((own.request.path.as_str(), own.expect), ("/big", None));
    let own = workload("name = \"json\"\nexpect = { status = 204 }");
    assert_eq!(own.request.method, "GET");
    assert!(workload("name = \"other\"").expect.is_none());
}

#[test]
fn a_targets_own_request_is_laid_over_that_of_the_contract() {
    let text = "[[workload]]\nname = \"json\"\n[[target]]\nname = \"a\"\ncommand = \"./a\"\nworkload.json.path = \"/inc\"\n";
    let matrix = matrix_among(Memory::default(), text, None);
    let request = &matrix.targets[0].requests["json"];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/inc"));
    assert_eq!(request.body.len(), 1024);
}
