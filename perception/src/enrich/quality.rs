//! Builds the quality report: blur, darkness, and warnings about parts that were not examined.

use domain::document::{Quality, Warning};

use crate::fuse::Fused;
use crate::ingest::Ingested;

/// Share of blurred samples from which the document has a warning.
const BLUR_WARNING_SHARE: f64 = 0.15;
/// Share of dark or overexposed samples from which the document has a warning.
const DARK_WARNING_SHARE: f64 = 0.10;

/// Builds the quality report.
pub(super) fn assess_quality(ingested: &Ingested, fused: &Fused) -> Quality {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String| {
        let warning = Warning { code: code.to_owned(), message };
        if warnings.iter().all(|w: &Warning| w.code != code) {
            warnings.push(warning);
        }
    };
    let has_sound = ingested.audio.is_some();
    let has_narration = !fused.narration.is_empty();
    for warning in &fused.warnings {
        // Without sound, or with a transcript from the client, a missing speech model does not
        // matter.
        let about_sound = ["SPEECH_NOT_LISTENED_TO", "LANGUAGE_NOT_HEARD"].contains(&warning.code.as_str());
        if !about_sound || (has_sound && !has_narration) {
            warn(&warning.code, warning.message.clone());
        }
    }
    let percent = |share: f64| (share * 100.0).round();
    if ingested.blurred >= BLUR_WARNING_SHARE {
        warn("BLURRED", format!("{} % of the pictures were too blurred to use.", percent(ingested.blurred)));
    }
    if ingested.dark >= DARK_WARNING_SHARE {
        warn(
            "DARK",
            format!("{} % of the pictures were too dark or too bright to use.", percent(ingested.dark)),
        );
    }
    if !ingested.uncovered.is_empty() {
        let count = ingested.uncovered.len();
        warn("UNCOVERED", format!("No usable picture covers {count} stretches of the video."));
    }
    let left_out = ingested.samples.iter().filter(|s| s.left_out.is_some()).count();
    if left_out > 0 {
        warn("PHOTOS_LEFT_OUT", format!("{left_out} photos were left out: duplicates, blurred or dark."));
    }
    if ingested.thinned > 0 {
        let (left_out, kept) = (ingested.thinned, ingested.frames.len());
        warn(
            "FRAMES_THINNED",
            format!("{left_out} further views were left out; {kept} evenly spread frames were kept."),
        );
    }
    Quality {
        blurred: ingested.blurred,
        dark: ingested.dark,
        uncovered: ingested.uncovered.clone(),
        warnings,
    }
}
