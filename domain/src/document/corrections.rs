//! Corrections of a document by its owner.
//!
//! A correction changes one field of one zone, text or object. The stored document stays as the scan
//! wrote it; every reader applies the corrections ([`SpaceDocument::correct`]). The corrected value is
//! a claim with the basis `user`, and its evidence is the place where it can be checked.

use serde::{Deserialize, Serialize};

use super::{Attribute, AttributeName, Basis, Claim, Evidence, Provider, Run, SpaceDocument, Task};
use crate::{CorrectionId, Timestamp};

/// Maximum length of a corrected value, in characters.
pub const MAX_CORRECTED_CHARS: usize = 200;
/// Task of the run that the claims name.
const TASK: &str = "corrections";
/// Confidence of what the owner states.
const USER_CONFIDENCE: f64 = 1.0;
/// Evidence score of what the owner states.
const USER_SCORE: f64 = 1.0;

/// The corrected field.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CorrectedField {
    /// Name of a zone.
    Name,
    /// Room type of a zone.
    Type,
    /// Wording of a text.
    Text,
    /// Whether a text or an object is there; it can only be denied, without a `value`.
    Presence,
}

impl CorrectedField {
    /// All fields.
    pub const ALL: [CorrectedField; 4] = [Self::Name, Self::Type, Self::Text, Self::Presence];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Type => "type",
            Self::Text => "text",
            Self::Presence => "presence",
        }
    }

    /// Parses the result of [`CorrectedField::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == text)
    }
}

/// A correction to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCorrection {
    /// The zone, text or object, an id of the document.
    #[schema(min_length = 1, max_length = 100)]
    pub target_id: String,
    /// The field.
    pub field: CorrectedField,
    /// The right value: 1 to 200 characters of one line. Omitted for `presence`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub value: Option<String>,
}

/// A correction of the document of one scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Its id.
    pub id: CorrectionId,
    /// What is corrected.
    pub change: NewCorrection,
    /// Time at which the owner made it.
    pub created_at: Timestamp,
}

/// A correction that a document contains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AppliedCorrection {
    /// Prefix `cor_`.
    pub id: CorrectionId,
    /// The zone, text or object. One that is denied is no longer listed.
    pub target_id: String,
    /// The field.
    pub field: CorrectedField,
    /// What the scan found; absent if it found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The correction as a claim with the basis `user`. Its value is `absent` for something that is
    /// not there.
    pub claim: Claim,
}

impl NewCorrection {
    /// Returns why the document cannot be corrected so, or `None` if it can.
    pub fn defect(&self, document: &SpaceDocument) -> Option<(&'static str, &'static str)> {
        let is_zone = document.zones.iter().any(|zone| zone.id == self.target_id);
        let is_text = document.texts.iter().any(|text| text.id == self.target_id);
        let is_object = document.objects.iter().any(|object| object.id == self.target_id);
        if !(is_zone || is_text || is_object) {
            return Some(("target_id", "must be the id of a zone, text or object of the document"));
        }
        let fits = match self.field {
            CorrectedField::Name | CorrectedField::Type => is_zone,
            CorrectedField::Text => is_text,
            CorrectedField::Presence => is_text || is_object,
        };
        if !fits {
            return Some(("field", "cannot be corrected for this target"));
        }
        match (self.field, &self.value) {
            (CorrectedField::Presence, None) => None,
            (CorrectedField::Presence, Some(_)) => Some(("value", "must be omitted")),
            (_, None) => Some(("value", "is required")),
            (_, Some(value)) if value.trim().is_empty() => Some(("value", "must not be blank")),
            (_, Some(value)) if value.chars().count() > MAX_CORRECTED_CHARS => {
                Some(("value", "must have at most 200 characters"))
            }
            (_, Some(value)) if value.chars().any(char::is_control) => {
                Some(("value", "must not contain control characters"))
            }
            _ => None,
        }
    }
}

impl SpaceDocument {
    /// Applies corrections in their order. Corrections of something that the document doesn't have
    /// are left out. Facts, measurements and sentences that rest on a corrected reading are removed,
    /// because nobody stated them.
    pub fn correct(&mut self, corrections: &[Correction]) {
        for correction in corrections {
            let applied = match correction.change.field {
                CorrectedField::Name | CorrectedField::Type => self.correct_zone(correction),
                CorrectedField::Text => self.correct_text(correction),
                CorrectedField::Presence => self.deny(correction),
            };
            self.corrections.extend(applied);
        }
        if self.corrections.is_empty() {
            return;
        }
        let run = Run::new(Task::from(TASK), Provider::Client, "owner", "1");
        if self.runs.iter().all(|known| known.id != run.id) {
            self.runs.push(run);
        }
        self.remove_unsupported();
    }

    fn correct_zone(&mut self, correction: &Correction) -> Option<AppliedCorrection> {
        let zone = self.zones.iter_mut().find(|zone| zone.id == correction.change.target_id)?;
        let frame = self.frames.iter().find(|frame| frame.id == zone.best_frame_id)?;
        let value = correction.change.value.clone()?;
        let claim = claim(correction, &value, vec![frame.evidence(None, USER_SCORE)]);
        let name = AttributeName::from("name");
        let found = if correction.change.field == CorrectedField::Name {
            zone.attributes.retain(|attribute| attribute.name != name);
            zone.attributes.push(Attribute { name, claim: claim.clone() });
            Some(std::mem::replace(&mut zone.label, value))
        } else {
            let found = zone.types.iter().map(|claim| claim.value.as_str()).collect::<Vec<_>>().join(", ");
            if zone.attributes.iter().all(|attribute| attribute.name != name) {
                zone.label = capitalized(&value);
            }
            zone.types = vec![claim.clone()];
            Some(found).filter(|found| !found.is_empty())
        };
        Some(applied(correction, found, claim))
    }

    fn correct_text(&mut self, correction: &Correction) -> Option<AppliedCorrection> {
        let text = self.texts.iter_mut().find(|text| text.id == correction.change.target_id)?;
        let value = correction.change.value.clone()?;
        let claim = claim(correction, &value, text.claim.evidence.clone());
        text.claim = claim.clone();
        text.normalized = value.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let found = std::mem::replace(&mut text.raw, value.clone());
        for board in &mut self.boards {
            let cells = board.rows.iter_mut().flat_map(|row| &mut row.cells);
            cells
                .filter(|cell| cell.text_id == correction.change.target_id)
                .for_each(|cell| cell.text.clone_from(&value));
        }
        self.remove_statements_of(&claim.evidence);
        Some(applied(correction, Some(found), claim))
    }

    fn deny(&mut self, correction: &Correction) -> Option<AppliedCorrection> {
        let id = &correction.change.target_id;
        let (found, evidence) = if let Some(at) = self.texts.iter().position(|text| text.id == *id) {
            let text = self.texts.remove(at);
            self.remove_statements_of(&text.claim.evidence);
            (text.raw, text.claim.evidence)
        } else {
            let at = self.objects.iter().position(|object| object.id == *id)?;
            let object = self.objects.remove(at);
            (object.category.value, object.sightings)
        };
        for board in &mut self.boards {
            board.rows.iter_mut().for_each(|row| row.cells.retain(|cell| cell.text_id != *id));
            board.rows.retain(|row| !row.cells.is_empty());
        }
        self.boards.retain(|board| board.rows.iter().map(|row| row.cells.len()).sum::<usize>() > 1);
        self.relations.retain(|relation| relation.from_id != *id && relation.to_id != *id);
        Some(applied(correction, Some(found), claim(correction, "absent", evidence)))
    }

    /// Removes facts and measurements that were read where a corrected text stands.
    fn remove_statements_of(&mut self, evidence: &[Evidence]) {
        let stands_there = |claim: &Claim| {
            let at = |e: &Evidence| evidence.iter().any(|o| o.frame_id == e.frame_id && o.bbox == e.bbox);
            claim.basis == Basis::Read && claim.evidence.iter().any(at)
        };
        self.facts.retain(|fact| !stands_there(&fact.claim));
        self.measurements.retain(|measurement| !stands_there(&measurement.claim));
    }

    /// Rebuilds the text of the boards, and removes what names something that is gone.
    pub(super) fn remove_unsupported(&mut self) {
        for board in &mut self.boards {
            let row = |row: &super::BoardRow| {
                row.cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("\t")
            };
            board.claim.value = board.rows.iter().map(row).collect::<Vec<_>>().join("\n");
        }
        let boards: Vec<String> = self.boards.iter().map(|board| board.id.clone()).collect();
        for fact in &mut self.facts {
            fact.board_id = fact.board_id.take().filter(|id| boards.contains(id));
        }
        let claims: std::collections::BTreeSet<String> = self
            .claims()
            .map(|claim| claim.id.clone())
            .chain(self.narration.iter().map(|narration| narration.id.clone()))
            .collect();
        self.summary.retain(|sentence| sentence.claim_ids.iter().all(|id| claims.contains(id)));
    }
}

fn claim(correction: &Correction, value: &str, evidence: Vec<Evidence>) -> Claim {
    Claim {
        id: format!("clm_{}", correction.id),
        value: value.to_owned(),
        confidence: USER_CONFIDENCE,
        basis: Basis::User,
        evidence,
        run_id: format!("run_{TASK}"),
    }
}

fn applied(correction: &Correction, found: Option<String>, claim: Claim) -> AppliedCorrection {
    AppliedCorrection {
        id: correction.id.clone(),
        target_id: correction.change.target_id.clone(),
        field: correction.change.field,
        found,
        claim,
    }
}

fn capitalized(value: &str) -> String {
    let mut letters = value.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
