//! Fuzzes the parser of signature headers (see `fuzz/README.md`).

use outbound::webhook::fuzzing::signature;

#[test]
fn signature_headers_never_panic_and_never_verify_by_chance() {
    let report = fuzzing::run("signature", signature);
    assert!(report.outcomes > 3, "{report:?}");
}
