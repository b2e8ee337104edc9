//! Word error rate on a person's speech: a recording that a package carries with its words.

use std::path::Path;

use anyhow::Context;
use perception::{
    CancelFlag,
    models::Models,
    observe::{self, Transcript},
};
use serde::Deserialize;

use super::metrics::Metrics;

const RECORDING: &str = include_str!("../data/speech.json");

/// What is known about the recording; `cargo xtask eval` downloads it.
#[derive(Deserialize)]
struct Recording {
    words: String,
}

/// Transcribes the recording and adds its word error rate as `human_wer`.
///
/// # Errors
/// Returns an error if the file cannot be read or the model fails.
pub(super) fn measure(recording: &Path, models: &Models, metrics: &mut Metrics) -> anyhow::Result<()> {
    let Recording { words } = serde_json::from_str(RECORDING).context("speech.json")?;
    let (cancel, quiet) = (CancelFlag::default(), |_: f32| {});
    let transcript = observe::transcribe(models, recording, "en", &quiet, &cancel)?;
    metrics.mean("human_wer", eval::score::word_error_rate(&spoken(&transcript), &words));
    Ok(())
}

fn spoken(transcript: &Transcript) -> String {
    transcript.segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_word_is_an_error_and_punctuation_is_none() {
        let Recording { words } = serde_json::from_str(RECORDING).unwrap();
        let rate = |text: &str| eval::score::word_error_rate(text, &words).unwrap();
        assert!(rate(&words.to_uppercase().replace(',', ".")).abs() < 1e-9);
        let shorter = words.rsplit_once(' ').unwrap().0;
        assert!(rate(shorter) > 0.0 && rate(shorter) < 0.1);
    }
}
