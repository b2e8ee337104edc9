//! The same fields over kinds of media, one column each: no mean over everything hides that one
//! kind fails.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    metrics::Metrics,
    report::Bound::{self, AtLeast, AtMost},
};

/// Prefix of the fields of another renderer's scenes, which the columns share with our own.
const OTHER: &str = "other_";

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Column {
    /// Every scene of another renderer.
    AnotherRenderer,
    /// Of those: somebody speaks, or plates name the rooms.
    WithWords,
    /// Nobody speaks.
    Mute,
    /// No sign names a room.
    NoRoomSigns,
    /// Sets of one or two photos a room.
    FewPhotos,
    /// Walls of nearly one pale colour.
    PaleWalls,
    /// Our own walks without their sound.
    OwnMute,
    /// Our own walks without what was read on signs that name a room.
    OwnNoRoomSigns,
    /// Our own photos with pale walls everywhere.
    OwnPaleWalls,
}

impl Column {
    const ALL: [Column; 9] = [
        Column::AnotherRenderer,
        Column::WithWords,
        Column::Mute,
        Column::NoRoomSigns,
        Column::FewPhotos,
        Column::PaleWalls,
        Column::OwnMute,
        Column::OwnNoRoomSigns,
        Column::OwnPaleWalls,
    ];

    fn name(self) -> &'static str {
        match self {
            Column::AnotherRenderer => "another renderer",
            Column::WithWords => "with words",
            Column::Mute => "mute",
            Column::NoRoomSigns => "no room signs",
            Column::FewPhotos => "one or two photos a room",
            Column::PaleWalls => "pale walls",
            Column::OwnMute => "own, mute",
            Column::OwnNoRoomSigns => "own, no room signs",
            Column::OwnPaleWalls => "own, pale walls",
        }
    }
}

/// Every field of the columns. The bounds are those of the requirements; they are never moved.
const FIELDS: [&str; 16] = [
    "zone_f1",
    "room_type_precision",
    "room_type_recall",
    "count_within",
    "count_max_bounded",
    "object_precision",
    "text_precision",
    "text_recall",
    "claims",
    "calibration_error",
    "brier",
    "brier_of_base_rate",
    "questions",
    "ask_right",
    "ask_wrong",
    "ask_abstained",
];

fn bound(field: &str, column: Column) -> Bound {
    match field {
        "zone_f1" | "object_precision" | "count_max_bounded" => AtLeast(0.85),
        "room_type_precision" | "text_recall" | "ask_abstained" => AtLeast(0.90),
        // Without words, only objects say what a room is.
        "room_type_recall" if column == Column::WithWords => AtLeast(0.80),
        "room_type_recall" => AtLeast(0.60),
        "count_within" => AtLeast(0.80),
        "text_precision" => AtLeast(0.95),
        "calibration_error" => AtMost(0.10),
        "ask_right" => AtLeast(0.70),
        "ask_wrong" => AtMost(0.05),
        _ => Bound::None,
    }
}

/// Metrics of each column.
#[derive(Debug, Default)]
pub(super) struct Columns {
    metrics: Vec<(Column, Metrics)>,
}

impl Columns {
    /// Returns the metrics of a column, to add to.
    pub(super) fn of(&mut self, column: Column) -> &mut Metrics {
        let at = self.metrics.iter().position(|(of, _)| *of == column).unwrap_or_else(|| {
            self.metrics.push((column, Metrics::default()));
            self.metrics.len() - 1
        });
        &mut self.metrics[at].1
    }

    /// Formats the columns as a Markdown table, then the fields that miss their bounds, and the
    /// reliability of the claims about another renderer's scenes. Empty without columns.
    pub(super) fn table(&self) -> String {
        let columns: Vec<_> = self.measured().collect();
        if columns.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = columns.iter().map(|(column, _)| column.name()).collect();
        let mut out = format!("\n| field | bound | {} |\n", names.join(" | "));
        out.push_str(&"|---".repeat(columns.len() + 2));
        out.push_str("|\n");
        let mut missed = String::new();
        for field in FIELDS {
            let cells: Vec<String> = columns
                .iter()
                .map(|(column, metrics)| {
                    let Some(value) = value(metrics, field) else { return "-".to_owned() };
                    let bound = bound(field, *column);
                    if bound.is_met(value) == Some(false) {
                        let line =
                            format!("- {}: {field} {value:.3} ({})\n", column.name(), bound.describe());
                        missed.push_str(&line);
                        return format!("{value:.3} NO");
                    }
                    format!("{value:.3}")
                })
                .collect();
            let general = bound(field, Column::AnotherRenderer).describe();
            out.push_str(&format!("| {field} | {general} | {} |\n", cells.join(" | ")));
        }
        if !missed.is_empty() {
            out.push_str(&format!("\nMissed:\n{missed}"));
        }
        if let Some((_, metrics)) = columns.iter().find(|(column, _)| *column == Column::AnotherRenderer) {
            out.push_str(&format!("\n{}", metrics.reliability().diagram()));
        }
        out
    }

    /// Returns the columns as a JSON object.
    pub(super) fn json(&self) -> Value {
        let fields = |metrics: &Metrics| -> Map<String, Value> {
            let rounded = |value: f64| json!((value * 10_000.0).round() / 10_000.0);
            let field = |name: &str| Some((name.to_owned(), rounded(value(metrics, name)?)));
            FIELDS.iter().filter_map(|name| field(name)).collect()
        };
        let column = |(column, metrics): (Column, &Metrics)| {
            (column.name().to_owned(), Value::Object(fields(metrics)))
        };
        Value::Object(self.measured().map(column).collect())
    }

    fn measured(&self) -> impl Iterator<Item = (Column, &Metrics)> {
        let of = |column| self.metrics.iter().find(move |(of, _)| *of == column);
        Column::ALL.into_iter().filter_map(move |column| of(column).map(|(_, metrics)| (column, metrics)))
    }
}

fn value(metrics: &Metrics, field: &str) -> Option<f64> {
    let reliability = metrics.reliability();
    match field {
        "claims" => (reliability.len() > 0).then_some(reliability.len() as f64),
        "calibration_error" => reliability.expected_error(),
        "brier" => reliability.brier(),
        "brier_of_base_rate" => reliability.brier_of_base_rate(),
        _ => metrics.get(&format!("{OTHER}{field}")).or_else(|| metrics.get(field)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_below_its_bound_is_listed_and_the_others_are_not() {
        let mut columns = Columns::default();
        columns.of(Column::Mute).mean("other_zone_f1", Some(0.4));
        columns.of(Column::AnotherRenderer).mean("other_zone_f1", Some(0.9));
        let table = columns.table();
        assert!(table.contains("| field | bound | another renderer | mute |"), "{table}");
        assert!(table.contains("| zone_f1 | ≥ 0.85 | 0.900 | 0.400 NO |"), "{table}");
        let missed: Vec<&str> = table.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(missed, ["- mute: zone_f1 0.400 (≥ 0.85)"]);
    }

    #[test]
    fn words_are_expected_to_name_more_rooms() {
        let mut columns = Columns::default();
        for column in [Column::WithWords, Column::Mute] {
            columns.of(column).share("other_room_type_recall", 7, 10);
        }
        assert!(columns.table().contains("| 0.700 NO | 0.700 |"), "{}", columns.table());
    }
}
