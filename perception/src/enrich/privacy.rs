//! Raises privacy flags: texts that hold credentials, and frames that show persons.

use std::collections::BTreeSet;

use domain::document::{Basis, Board, Evidence, Fact, FactKind, PrivacyFlag, PrivacyKind, Text, TextKind};

use super::claims::Claims;
use super::facts::credential_label;
use super::zone_id;
use crate::fuse::Fused;

/// Value of the claim of a credential. It never contains the secret.
const CREDENTIAL: &str = "credential in a text";
/// Confidence of the flag of a credential.
const CONFIDENCE: f64 = 0.9;

/// Returns one flag for each zone in which frames show persons, numbered after `flag_count` others.
/// Its evidence lists every such frame and box, so that all of them can be blurred. The number of
/// persons is not claimed: the same ones appear in many frames.
pub(super) fn flag_persons(fused: &Fused, flag_count: usize, claims: &mut Claims) -> Vec<PrivacyFlag> {
    let mut flags = Vec::new();
    for found in &fused.persons {
        let evidence = claims.valid_evidence(&found.sightings);
        let confidence = evidence.iter().map(|sighting| sighting.score).fold(0.0, f64::max);
        let value = match found.zone.filter(|zone| *zone < fused.zones.len()) {
            Some(zone) => format!("person in {}", zone_id(zone)),
            None => "person".to_owned(),
        };
        if let Some(claim) = claims.make(&value, confidence, Basis::Observed, evidence, &found.run_id) {
            let id = format!("prv_{}", flag_count + flags.len() + 1);
            flags.push(PrivacyFlag { id, kind: PrivacyKind::Person, claim });
        }
    }
    flags
}

/// Sets the kind of texts that hold a credential, and returns one flag for each credential. Where a
/// label and its secret are two lines of a board, both are marked.
pub(super) fn mark_credentials(
    texts: &mut [Text],
    boards: &[Board],
    facts: &[Fact],
    claims: &mut Claims,
) -> Vec<PrivacyFlag> {
    let mut flags = Vec::new();
    let mut flagged = BTreeSet::new();
    for fact in facts.iter().filter(|fact| fact.kind == FactKind::Credential) {
        let lines = lines_of(fact, texts, boards);
        let mut evidence: Vec<Evidence> = Vec::new();
        for line in &lines {
            texts[*line].kind = TextKind::Credential;
            evidence.extend(texts[*line].claim.evidence.iter().cloned());
        }
        if lines.is_empty() {
            evidence.clone_from(&fact.claim.evidence);
        }
        if !flagged.insert((fact.value.clone(), fact.zone_id.clone())) {
            continue;
        }
        if let Some(claim) = claims.make(CREDENTIAL, CONFIDENCE, Basis::Inferred, evidence, "run_privacy") {
            let id = format!("prv_{}", flags.len() + 1);
            flags.push(PrivacyFlag { id, kind: PrivacyKind::Credential, claim });
        }
    }
    flags
}

/// Returns the numbers of the texts that hold the secret of a fact, and of the label above it.
fn lines_of(fact: &Fact, texts: &[Text], boards: &[Board]) -> Vec<usize> {
    if fact.claim.basis != Basis::Read {
        return Vec::new();
    }
    let on_board = |text: &Text| {
        let board = boards.iter().find(|board| Some(&board.id) == fact.board_id.as_ref());
        board.is_some_and(|b| b.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.text_id == text.id))
    };
    let holds = |text: &Text| text.raw.contains(&fact.value) && text.zone_id == fact.zone_id;
    let is_label = |text: &Text| {
        on_board(text)
            && credential_label(&text.raw).is_some_and(|label| Some(&label) == fact.subject.as_ref())
    };
    let numbered = texts.iter().enumerate();
    numbered.filter(|(_, text)| holds(text) || is_label(text)).map(|(at, _)| at).collect()
}
