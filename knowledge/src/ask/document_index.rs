//! Lookups in the document of a question: names of zones, objects, passages and citations.

use domain::document::{AttributeName, Claim, Measurement, Narration, Object, SpaceDocument, Text, Zone};

use super::{
    question::{Question, RoomNames},
    types::{Citation, Draft, Reason},
};
use crate::words::{stems, tokens};

/// Minimum coverage (share of a zone's time in usable frames) for the reason `not_observed`. Below
/// it, the reason is `low_coverage`.
const COVERED: f64 = 0.3;
/// Words of instructions to a model (prompt injection) in a sign or in speech.
const ORDERS: [&str; 8] = [
    "ignore",
    "disregard",
    "instruction",
    "instructions",
    "prompt",
    "you must answer",
    "answer yes",
    "answer no",
];
/// Maximum number of passages that an answer quotes.
const QUOTED: usize = 5;
/// Maximum number of passages that an answer cites.
const CITED: usize = 60;

/// Document of a question, with the names of its rooms.
pub(super) struct DocumentIndex<'a>(pub(super) &'a SpaceDocument, RoomNames);

/// Text or narration segment that an answer can quote.
pub(super) struct Passage<'a> {
    pub(super) id: &'a str,
    pub(super) text: &'a str,
    pub(super) zone: Option<&'a String>,
    pub(super) read: Option<&'a Text>,
}

impl<'a> DocumentIndex<'a> {
    pub(super) fn of(document: &'a SpaceDocument) -> Self {
        Self(document, RoomNames::of(document))
    }

    /// Returns the room types that a text names.
    pub(super) fn rooms_named(&self, text: &str) -> Vec<String> {
        self.1.take_from(&mut stems(text))
    }

    /// Returns the label of a zone, with its id if several zones have the label.
    pub(super) fn name(&self, zone: &Zone) -> String {
        let same = self.0.zones.iter().filter(|other| other.label == zone.label).count();
        if same > 1 { format!("{} ({})", zone.label, zone.id) } else { zone.label.clone() }
    }

    pub(super) fn zone(&self, id: Option<&String>) -> Option<&'a Zone> {
        self.0.zones.iter().find(|zone| Some(&zone.id) == id)
    }

    /// Returns " in Kitchen" for a known zone, or else an empty string.
    pub(super) fn place(&self, id: Option<&String>) -> String {
        self.zone(id).map_or_else(String::new, |zone| format!(" in {}", self.name(zone)))
    }

    /// Returns the objects of these categories in the zones of the question.
    pub(super) fn things(&self, question: &Question, names: &[String]) -> Vec<&'a Object> {
        let fits = |object: &&Object| {
            names.contains(&object.category.value) && question.covers(object.zone_id.as_ref())
        };
        self.0.objects.iter().filter(fits).collect()
    }

    /// Returns all passages: texts first, then narration.
    pub(super) fn passages(&self) -> impl Iterator<Item = Passage<'a>> {
        let read = self.0.texts.iter().map(|t| Passage {
            id: &t.claim.id,
            text: &t.raw,
            zone: t.zone_id.as_ref(),
            read: Some(t),
        });
        let said = self.0.narration.iter();
        read.chain(said.map(|n| Passage { id: &n.id, text: &n.text, zone: n.zone_id.as_ref(), read: None }))
    }

    /// Drafts an answer that quotes the first passages, and cites and counts the others.
    pub(super) fn quote(&self, passages: &[Passage]) -> Draft {
        let mut draft = Draft::default();
        for passage in passages.iter().take(QUOTED) {
            let place = self.place(passage.zone);
            let quoted = quotable(passage.text);
            let sentence = match passage.read {
                Some(_) => format!("A text{place} reads “{quoted}”."),
                None => format!("It was said{place}: “{quoted}”."),
            };
            draft.text = [draft.text, sentence].join(" ").trim().to_owned();
            draft.cites.push(passage.id.to_owned());
        }
        let others = passages.iter().take(CITED).skip(QUOTED);
        draft.cites.extend(others.map(|passage| passage.id.to_owned()));
        draft.text.push_str(&more(draft.cites.len().saturating_sub(QUOTED)));
        draft
    }

    /// Returns the reason why the zones of the question do not show something.
    pub(super) fn missing(&self, question: &Question) -> Reason {
        let low = question.zones.iter().any(|zone| zone.coverage < COVERED);
        if low { Reason::LowCoverage } else { Reason::NotObserved }
    }

    /// Returns a claim about the zone, as evidence that it was seen.
    pub(super) fn shows(&self, zone: &'a Zone) -> Option<&'a Claim> {
        zone.types.first().or(zone.attributes.first().map(|attribute| &attribute.claim))
    }

    pub(super) fn attribute(&self, zone: &'a Zone, name: &AttributeName) -> Option<&'a Claim> {
        zone.attributes.iter().find(|attribute| attribute.name == *name).map(|attribute| &attribute.claim)
    }

    /// Returns the source of a measurement: the whole text or narration segment.
    pub(super) fn source(&self, size: &Measurement) -> Option<Passage<'a>> {
        let said = size.claim.evidence.iter().find_map(|e| e.narration_id.as_ref());
        let frames: Vec<_> = size.claim.evidence.iter().filter_map(|e| e.frame_id.as_ref()).collect();
        self.passages().find(|passage| match (said, passage.read) {
            (Some(id), None) => passage.id == id,
            (None, Some(text)) => {
                text.raw.contains(&size.claim.value)
                    && text
                        .claim
                        .evidence
                        .iter()
                        .any(|e| e.frame_id.as_ref().is_some_and(|f| frames.contains(&f)))
            }
            _ => false,
        })
    }

    /// Returns the citation of a claim or a narration segment.
    pub(super) fn citation(&self, id: &str) -> Option<Citation> {
        let claim = self.0.claims().find(|claim| claim.id == id).map(|claim| Citation {
            claim_id: claim.id.clone(),
            value: claim.value.clone(),
            basis: claim.basis,
            confidence: claim.confidence,
            evidence: claim.evidence.clone(),
        });
        claim.or_else(|| self.0.narration.iter().find(|n| n.id == id).and_then(|n| self.heard(n)))
    }

    fn heard(&self, passage: &Narration) -> Option<Citation> {
        let evidence = passage.evidence(&self.0.media.first()?.id, passage.confidence);
        Some(Citation {
            claim_id: passage.id.clone(),
            value: passage.text.clone(),
            basis: domain::document::Basis::Spoken,
            confidence: passage.confidence,
            evidence: vec![evidence],
        })
    }
}

/// Returns the sentence that counts the cited texts which an answer doesn't quote; empty for none.
/// The verifier checks it.
pub(super) fn more(number: usize) -> String {
    if number == 0 { String::new() } else { format!(" At least {number} more.") }
}

/// Whether a text addresses a model with instructions.
pub(super) fn is_instruction(text: &str) -> bool {
    let text = format!(" {} ", tokens(text).join(" "));
    ORDERS.iter().any(|order| text.contains(&format!(" {order} ")))
}

/// Replaces curly quotation marks, so that the text can be quoted.
pub(super) fn quotable(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '“' | '”') { '"' } else { c }).collect()
}

/// Joins items: "a", "a and b", "a, b and c".
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
