//! Computes the metrics of one document against the ground truth of its walk.

use domain::document::SpaceDocument;
use walkgen::truth::Truth;

use super::{answers, metrics::Metrics, questions};

/// Adds every metric of one document. Returns the details behind them as text.
pub(super) fn measure(document: &SpaceDocument, truth: &Truth, metrics: &mut Metrics) -> String {
    let score = eval::score::compare(document, truth);
    for (name, value) in [
        ("text_precision", score.text_precision),
        ("text_recall", score.text_recall),
        ("keyframe_coverage", score.keyframe_coverage),
        ("duplicate_frames", score.duplicate_frames),
        ("zone_f1", score.zone_f1),
        ("boundary_f1", score.boundary_f1),
        ("revisit_recall", score.revisit_recall),
        ("room_type_precision", score.room_type_precision),
        ("room_type_recall", score.room_type_recall),
        ("wer", score.wer),
    ] {
        metrics.mean(name, value);
    }
    let objects = &score.objects;
    metrics.share("rendered_object_precision", objects.right, objects.claimed);
    metrics.share("rendered_object_recall", objects.found, objects.wanted);
    metrics.count("claims_without_evidence", count_unsupported(document));
    let questions = questions::questions(truth);
    let details = answers::measure(document, truth, &questions, metrics);
    format!("{}{details}", eval::score::table(&score).unwrap_or_default())
}

/// Counts claims without evidence, summary sentences without claims, and other defects of the
/// document.
pub(super) fn count_unsupported(document: &SpaceDocument) -> usize {
    document.claims().filter(|claim| claim.evidence.is_empty()).count()
        + document.summary.iter().filter(|sentence| sentence.claim_ids.is_empty()).count()
        + document.defects().len()
}
