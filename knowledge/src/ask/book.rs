//! A document with what the intents look up in it.

use domain::document::{AttributeName, Claim, Measurement, Narration, Object, SpaceDocument, Text, Zone};

use super::{
    question::{Question, RoomNames},
    types::{Citation, Draft, Reason},
};
use crate::words::{LEXICON, stems, tokens};

/// Share of a zone's time in usable frames, below which nothing can be said of what was not seen there.
const COVERED: f64 = 0.3;
/// Words with which a sign or a voice speaks to whoever answers, rather than of the place.
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
/// What is the same in other words.
const SAME: [&[&str]; 2] = [
    &["renovated", "refurbished", "remodelled", "remodeled", "redone", "modernised", "modernized"],
    &["installed", "fitted", "mounted"],
];
/// Most pieces that one answer quotes.
const QUOTED: usize = 5;

/// The document of one question, and what its rooms are called.
pub(super) struct Book<'a>(pub(super) &'a SpaceDocument, RoomNames);

/// Words of the scan that can be quoted.
pub(super) struct Piece<'a> {
    pub(super) id: &'a str,
    pub(super) text: &'a str,
    pub(super) zone: Option<&'a String>,
    pub(super) read: Option<&'a Text>,
}

impl<'a> Book<'a> {
    pub(super) fn of(document: &'a SpaceDocument) -> Self {
        Self(document, RoomNames::of(document))
    }

    /// The room types that a text names.
    pub(super) fn rooms_named(&self, text: &str) -> Vec<String> {
        self.1.take_from(&mut stems(text))
    }

    /// What a zone is called; with its id when another is called the same.
    pub(super) fn name(&self, zone: &Zone) -> String {
        let same = self.0.zones.iter().filter(|other| other.label == zone.label).count();
        if same > 1 { format!("{} ({})", zone.label, zone.id) } else { zone.label.clone() }
    }

    pub(super) fn zone(&self, id: Option<&String>) -> Option<&'a Zone> {
        self.0.zones.iter().find(|zone| Some(&zone.id) == id)
    }

    /// " in Kitchen", where that is known.
    pub(super) fn place(&self, id: Option<&String>) -> String {
        self.zone(id).map_or_else(String::new, |zone| format!(" in {}", self.name(zone)))
    }

    /// Things of these names where the question looks.
    pub(super) fn things(&self, question: &Question, names: &[String]) -> Vec<&'a Object> {
        let fits = |object: &&Object| {
            names.contains(&object.category.value) && question.covers(object.zone_id.as_ref())
        };
        self.0.objects.iter().filter(fits).collect()
    }

    /// Signs first, then what was said.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece<'a>> {
        let read = self.0.texts.iter().map(|t| Piece {
            id: &t.claim.id,
            text: &t.raw,
            zone: t.zone_id.as_ref(),
            read: Some(t),
        });
        let said = self.0.narration.iter();
        read.chain(said.map(|n| Piece { id: &n.id, text: &n.text, zone: n.zone_id.as_ref(), read: None }))
    }

    /// Pieces that tell of the place: not those that give orders to whoever answers.
    pub(super) fn told(&self) -> impl Iterator<Item = Piece<'a>> {
        self.pieces().filter(|piece| {
            let text = format!(" {} ", tokens(piece.text).join(" "));
            !ORDERS.iter().any(|order| text.contains(&format!(" {order} ")))
        })
    }

    /// Whether a piece speaks of every subject of the question, and of every one of these words.
    pub(super) fn speaks(&self, piece: &Piece, question: &Question, words: &[String]) -> bool {
        let said = stems(piece.text);
        let holds = |name: &str| {
            let name = stems(name);
            !name.is_empty() && said.windows(name.len()).any(|window| window == name)
        };
        let thing = |name: &String| {
            holds(name) || LEXICON.things.get(name).is_some_and(|others| others.iter().any(|o| holds(o)))
        };
        let named = self.rooms_named(piece.text);
        // Words that name rooms speak of those, wherever they were said; others of where they were.
        let here = if named.is_empty() {
            question.covers(piece.zone)
        } else {
            !question.placed
                || question.rooms.iter().any(|room| named.contains(room))
                || (piece.read.is_some() && question.covers(piece.zone))
        };
        let roots: Vec<&str> = said.iter().map(|word| root(same(word))).collect();
        here && question.things.iter().all(thing)
            && words.iter().all(|word| roots.contains(&root(same(word))))
    }

    /// Quotes pieces.
    pub(super) fn quote(&self, pieces: &[Piece]) -> Draft {
        let mut draft = Draft::default();
        for piece in pieces.iter().take(QUOTED) {
            let place = self.place(piece.zone);
            let quoted = quotable(piece.text);
            let sentence = match piece.read {
                Some(_) => format!("A text{place} reads “{quoted}”."),
                None => format!("It was said{place}: “{quoted}”."),
            };
            draft.text = [draft.text, sentence].join(" ").trim().to_owned();
            draft.cites.push(piece.id.to_owned());
        }
        draft
    }

    /// Why something was not found where the question looks.
    pub(super) fn missing(&self, question: &Question) -> Reason {
        let low = question.zones.iter().any(|zone| zone.coverage < COVERED);
        if low { Reason::LowCoverage } else { Reason::NotObserved }
    }

    /// A claim that shows that the zone was seen.
    pub(super) fn shows(&self, zone: &'a Zone) -> Option<&'a Claim> {
        zone.types.first().or(zone.attributes.first().map(|attribute| &attribute.claim))
    }

    pub(super) fn attribute(&self, zone: &'a Zone, name: &AttributeName) -> Option<&'a Claim> {
        zone.attributes.iter().find(|attribute| attribute.name == *name).map(|attribute| &attribute.claim)
    }

    /// What a measurement was taken from: the whole sign, or the whole of what was said.
    pub(super) fn source(&self, size: &Measurement) -> Option<Piece<'a>> {
        let said = size.claim.evidence.iter().find_map(|e| e.narration_id.as_ref());
        let frames: Vec<_> = size.claim.evidence.iter().filter_map(|e| e.frame_id.as_ref()).collect();
        self.pieces().find(|piece| match (said, piece.read) {
            (Some(id), None) => piece.id == id,
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

    /// A claim, or a piece of narration, as a citation.
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

    fn heard(&self, piece: &Narration) -> Option<Citation> {
        let evidence = piece.evidence(&self.0.media.first()?.id, piece.confidence);
        Some(Citation {
            claim_id: piece.id.clone(),
            value: piece.text.clone(),
            basis: domain::document::Basis::Spoken,
            confidence: piece.confidence,
            evidence: vec![evidence],
        })
    }
}

/// Text without the marks that quote it.
pub(super) fn quotable(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '“' | '”') { '"' } else { c }).collect()
}

/// The word that stands for all that say the same.
fn same(word: &str) -> &str {
    SAME.iter().find(|words| words.contains(&word)).map_or(word, |words| words[0])
}

/// The part of a word that its forms share.
fn root(word: &str) -> &str {
    let ends = ["ations", "ation", "ings", "ing", "ions", "ion", "ed", "es", "e", "s"];
    ends.iter().find_map(|end| word.strip_suffix(end).filter(|stem| stem.len() >= 4)).unwrap_or(word)
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
