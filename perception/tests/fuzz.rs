//! Fuzzes the parser of weights (see `fuzz/README.md`).

use perception::models::packaged::fuzzing::ctranslate2;

#[test]
fn weights_never_panic() {
    let report = fuzzing::run("ctranslate2", ctranslate2);
    assert!(report.outcomes > 2, "{report:?}");
}
