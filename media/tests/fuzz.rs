//! Fuzzes the parsers of containers (see `fuzz/README.md`).

use media::ffmpeg::fuzzing::{container, raw_frames};

#[test]
fn containers_never_panic_or_read_past_their_end() {
    let report = fuzzing::run("container", container);
    assert!(report.outcomes > 5, "{report:?}");
}

#[test]
fn streams_of_raw_frames_never_panic() {
    let report = fuzzing::run("raw_frames", raw_frames);
    assert!(report.outcomes > 3, "{report:?}");
}
