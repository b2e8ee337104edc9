//! Removes credentials from a document before it is indexed.
//!
//! A search for "wifi password" still finds the label. The secret itself is neither a term of the
//! index nor part of a hit, so it doesn't spread to lists of results and to embedding models.

use std::borrow::Cow;

use domain::document::{Fact, FactKind, SpaceDocument, TextKind};

/// Returns the document without the secrets in its texts and narration.
pub(crate) fn without_secrets(document: &SpaceDocument) -> Cow<'_, SpaceDocument> {
    let secrets: Vec<&Fact> =
        document.facts.iter().filter(|fact| fact.kind == FactKind::Credential).collect();
    if secrets.is_empty() && document.texts.iter().all(|text| text.kind != TextKind::Credential) {
        return Cow::Borrowed(document);
    }
    let mut redacted = document.clone();
    for text in &mut redacted.texts {
        for secret in secrets.iter().filter(|secret| !secret.value.is_empty()) {
            text.raw = text.raw.replace(secret.value.as_str(), " ");
        }
        text.raw = text.raw.trim().to_owned();
    }
    redacted.texts.retain(|text| !text.raw.is_empty());
    for secret in secrets {
        let label = secret.subject.as_deref().unwrap_or_default();
        let spoken = secret.claim.evidence.iter().filter_map(|evidence| evidence.narration_id.as_ref());
        for id in spoken {
            for sentence in redacted.narration.iter_mut().filter(|sentence| sentence.id == *id) {
                sentence.text = sentence.text.replace(secret.claim.value.as_str(), label);
            }
        }
    }
    Cow::Owned(redacted)
}
