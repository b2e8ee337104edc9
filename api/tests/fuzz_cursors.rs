//! Fuzzes the parsers of query strings and cursors (see `fuzz/README.md`).

use api::http::fuzzing::cursor;

#[test]
fn cursors_never_panic_and_only_issued_ones_are_opened() {
    let issued = "opened Some(\"spc_1\")";
    let report = fuzzing::run("cursor", |input| {
        let outcome = cursor(input);
        let is_opened = outcome.starts_with("opened Some");
        assert!(!is_opened || outcome == issued, "{outcome}");
        outcome
    });
    assert!(report.outcomes > 3, "{report:?}");
}
