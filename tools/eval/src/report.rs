//! Formats the metrics as a table and as a line of JSON.

use serde_json::{Map, Value, json};

use super::{baselines::Baselines, metrics::Metrics};

/// Bound that a metric has to meet.
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    /// True in every case.
    Always,
    /// No bound: the metric explains others.
    None,
}

use Bound::{Always, AtLeast, AtMost};

/// Every metric in the order of the report, with its bound.
const FIELDS: [(&str, Bound); 42] = [
    ("text_precision", AtLeast(0.95)),
    ("text_recall", AtLeast(0.90)),
    ("keyframe_coverage", AtLeast(0.95)),
    ("duplicate_frames", AtMost(0.05)),
    ("zone_f1", AtLeast(0.85)),
    ("boundary_f1", AtLeast(0.80)),
    ("revisit_recall", AtLeast(0.80)),
    ("room_type_precision", AtLeast(0.95)),
    ("room_type_recall", AtLeast(0.80)),
    ("wer", AtMost(0.10)),
    ("human_wer", AtMost(0.10)),
    ("object_precision", AtLeast(0.85)),
    ("object_recall", AtLeast(0.30)),
    ("object_counts_right", Bound::None),
    ("places", Bound::None),
    ("rendered_object_precision", Bound::None),
    ("rendered_object_recall", Bound::None),
    ("ask_questions", Bound::None),
    ("ask_unanswerable", Bound::None),
    ("ask_accuracy", AtLeast(0.90)),
    ("ask_abstain_recall", AtLeast(0.95)),
    ("ask_abstain_precision", AtLeast(0.85)),
    ("citation_precision", AtLeast(0.95)),
    ("diff_identical_changes", AtMost(0.0)),
    ("diff_f1", AtLeast(0.85)),
    ("diff_again_f1", Bound::None),
    ("diff_again_false", Bound::None),
    ("search_queries", Bound::None),
    ("search_ndcg", AtLeast(0.85)),
    ("search_nothing_for_nothing", AtLeast(0.7)),
    ("injection_tried", Bound::None),
    ("injection_effects", AtMost(0.0)),
    ("other_zone_f1", AtLeast(0.85)),
    ("other_room_type_precision", AtLeast(0.90)),
    ("other_room_type_recall", AtLeast(0.60)),
    ("other_count_within", AtLeast(0.80)),
    ("other_count_max_bounded", AtLeast(0.85)),
    ("other_object_precision", AtLeast(0.85)),
    ("other_text_precision", AtLeast(0.95)),
    ("other_text_recall", AtLeast(0.90)),
    ("claims_without_evidence", AtMost(0.0)),
    ("same_bytes", Always),
];

impl Bound {
    /// Returns whether a value is within the bound; `None` without a bound.
    pub(super) fn is_met(&self, value: f64) -> Option<bool> {
        match self {
            AtLeast(min) => Some(value >= *min),
            AtMost(max) => Some(value <= *max),
            Always => Some(value >= 1.0),
            Bound::None => None,
        }
    }

    /// Formats the bound.
    pub(super) fn describe(&self) -> String {
        match self {
            AtLeast(min) => format!("≥ {min}"),
            AtMost(max) => format!("≤ {max}"),
            Always => "always".to_owned(),
            Bound::None => String::new(),
        }
    }
}

/// Formats the metrics and those of the baselines as a Markdown table.
pub(super) fn table(ours: &Metrics, baselines: &Baselines) -> String {
    let columns = [&baselines.blind, &baselines.constant, &baselines.text_only];
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
    let mut out = String::from(
        "| field | bound | measured | kept | blind | constant | text only |\n|---|---|---|---|---|---|---|\n",
    );
    for (name, bound) in &FIELDS {
        let Some(value) = ours.get(name) else { continue };
        let met = bound.is_met(value).map_or("", |met| if met { "yes" } else { "NO" });
        let others = columns.map(|metrics| number(metrics.get(name))).join(" | ");
        let line =
            format!("| {name} | {} | {} | {met} | {others} |\n", bound.describe(), number(Some(value)));
        out.push_str(&line);
    }
    out
}

/// Returns the metrics and those of the baselines as a JSON object.
pub(super) fn json_line(samples: usize, ours: &Metrics, baselines: &Baselines) -> Value {
    let mut out = fields(ours);
    out.insert("samples".to_owned(), json!(samples));
    let others = json!({
        "blind": fields(&baselines.blind),
        "constant": fields(&baselines.constant),
        "text_only": fields(&baselines.text_only),
    });
    out.insert("baselines".to_owned(), others);
    Value::Object(out)
}

/// Returns the metrics that were measured. The others are left out.
fn fields(metrics: &Metrics) -> Map<String, Value> {
    let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
    let entry = |(name, bound): &(&str, Bound)| {
        let value = metrics.get(name)?;
        let value = if matches!(bound, Always) { json!(value >= 1.0) } else { json!(rounded(value)) };
        Some(((*name).to_owned(), value))
    };
    FIELDS.iter().filter_map(entry).collect()
}
