//! Hides credentials and persons from readers who are not the owner of a document.
//!
//! Pictures cannot be edited here: a frame that shows something hidden is named, and its picture is
//! withheld. In a video, so are the frames before and after it, in which the same sign or person is
//! often in view without having been recognized.

use std::collections::BTreeSet;

use super::{Claim, Evidence, FactKind, MediumKind, PrivacyKind, SpaceDocument, TextKind};

/// Shown instead of a sentence that states a credential.
const HIDDEN_SENTENCE: &str = "[hidden]";
/// A shorter secret is looked for as a whole text only, because every long text contains it.
const MIN_CONTAINED_CHARS: usize = 4;

/// What a reader may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// Passwords, PINs, door codes and network keys.
    pub credentials: bool,
    /// Persons.
    pub persons: bool,
}

impl SpaceDocument {
    /// Removes what a reader may not see, and the list of corrections, which states what the owner
    /// replaced. Returns the ids of the frames whose pictures may not be shown.
    pub fn redact(&mut self, hidden: Hidden) -> BTreeSet<String> {
        self.corrections.clear();
        let mut frames = BTreeSet::new();
        if hidden.persons {
            frames.extend(self.frames_of_flags(PrivacyKind::Person));
            self.privacy.retain(|flag| flag.kind != PrivacyKind::Person);
        }
        if hidden.credentials {
            frames.extend(self.frames_of_flags(PrivacyKind::Credential));
            frames.extend(self.remove_credentials());
            self.privacy.retain(|flag| flag.kind != PrivacyKind::Credential);
        }
        let frames = self.with_neighbours(&frames);
        for zone in &mut self.zones {
            if frames.contains(&zone.best_frame_id)
                && let Some(visible) = zone.frame_ids.iter().find(|id| !frames.contains(*id))
            {
                zone.best_frame_id.clone_from(visible);
            }
        }
        self.remove_unsupported();
        frames
    }

    fn frames_of_flags(&self, kind: PrivacyKind) -> Vec<String> {
        let flags = self.privacy.iter().filter(|flag| flag.kind == kind);
        frames_of(flags.flat_map(|flag| &flag.claim.evidence)).collect()
    }

    /// Removes credentials wherever they are stated. Returns the frames in which they were read.
    fn remove_credentials(&mut self) -> Vec<String> {
        let secrets = Secrets::of(self);
        let is_secret = |claim: &Claim| secrets.occur_in(&claim.value);
        let (mut frames, mut removed) = (Vec::new(), BTreeSet::new());
        self.texts.retain(|text| {
            let stays = text.kind != TextKind::Credential && !secrets.occur_in(&text.raw);
            if !stays {
                frames.extend(frames_of(&text.claim.evidence));
                removed.insert(text.id.clone());
            }
            stays
        });
        let mut spoken = BTreeSet::new();
        self.facts.retain(|fact| {
            if fact.kind != FactKind::Credential {
                return !secrets.occur_in(&fact.value) && !is_secret(&fact.claim);
            }
            frames.extend(frames_of(&fact.claim.evidence));
            spoken.extend(fact.claim.evidence.iter().filter_map(|evidence| evidence.narration_id.clone()));
            false
        });
        for sentence in &mut self.narration {
            if spoken.contains(&sentence.id) || secrets.occur_in(&sentence.text) {
                HIDDEN_SENTENCE.clone_into(&mut sentence.text);
            }
        }
        for board in &mut self.boards {
            for row in &mut board.rows {
                row.cells.retain(|cell| !removed.contains(&cell.text_id) && !secrets.occur_in(&cell.text));
            }
            board.rows.retain(|row| !row.cells.is_empty());
        }
        self.boards.retain(|board| {
            let stays = board.rows.iter().map(|row| row.cells.len()).sum::<usize>() > 1;
            if !stays {
                removed.insert(board.id.clone());
            }
            stays
        });
        self.measurements.retain(|measurement| !is_secret(&measurement.claim));
        for object in &mut self.objects {
            object.condition = object.condition.take().filter(|condition| !is_secret(condition));
        }
        for zone in &mut self.zones {
            zone.types.retain(|claim| !is_secret(claim));
            zone.attributes.retain(|attribute| !is_secret(&attribute.claim));
        }
        self.relations.retain(|relation| {
            !is_secret(&relation.claim)
                && !removed.contains(&relation.from_id)
                && !removed.contains(&relation.to_id)
        });
        self.summary.retain(|sentence| {
            !secrets.occur_in(&sentence.text) && !sentence.claim_ids.iter().any(|id| spoken.contains(id))
        });
        frames
    }

    /// Adds the frames before and after those of a video.
    fn with_neighbours(&self, hidden: &BTreeSet<String>) -> BTreeSet<String> {
        let of_video =
            |id: &str| self.media.iter().any(|medium| medium.id == id && medium.kind == MediumKind::Video);
        let mut frames = hidden.clone();
        for pair in self.frames.windows(2) {
            let [earlier, later] = pair else { continue };
            if earlier.media_id != later.media_id || !of_video(&earlier.media_id) {
                continue;
            }
            if hidden.contains(&earlier.id) || hidden.contains(&later.id) {
                frames.extend([earlier.id.clone(), later.id.clone()]);
            }
        }
        frames
    }
}

fn frames_of<'a>(evidence: impl IntoIterator<Item = &'a Evidence>) -> impl Iterator<Item = String> {
    evidence.into_iter().filter_map(|evidence| evidence.frame_id.clone())
}

/// The secrets of a document, as letters and digits in lower case.
struct Secrets(BTreeSet<String>);

impl Secrets {
    fn of(document: &SpaceDocument) -> Self {
        let facts = document.facts.iter().filter(|fact| fact.kind == FactKind::Credential);
        let secrets = facts.map(|fact| compact(&fact.value)).filter(|secret| !secret.is_empty());
        Self(secrets.collect())
    }

    fn occur_in(&self, text: &str) -> bool {
        let text = compact(text);
        self.0.iter().any(|secret| {
            text == *secret || (secret.chars().count() >= MIN_CONTAINED_CHARS && text.contains(secret))
        })
    }
}

fn compact(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
