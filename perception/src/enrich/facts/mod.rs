//! Finds facts in texts and narration. Each kind has a parser in a file of its own; this one applies
//! them and makes claims.

mod amenities;
mod codes;
mod conditions;
mod contacts;
mod dates;
mod hours;
mod inclusions;
mod numbers;
mod phrase;
mod polarity;
mod prices;
mod tokens;

use domain::document::{Basis, Board, BoardRow, Evidence, Fact, FactKind, Narration, Text};

use super::claims::Claims;
use super::languages::Languages;
pub(super) use codes::{credential_label, looks_secret};
pub(super) use numbers::parse_number;
use phrase::{Found, Phrase};
pub(super) use tokens::{Token, tokenize};

/// Confidence of a fact in a text, relative to the confidence of the text.
const READ_CONFIDENCE_FACTOR: f64 = 0.9;
/// Confidence of a fact that two lines of a board state together.
const BOARD_CONFIDENCE_FACTOR: f64 = 0.85;
/// Confidence of a spoken fact, relative to the confidence of the sentence.
const SPOKEN_CONFIDENCE_FACTOR: f64 = 0.85;

/// Returns the facts of a document: those of texts, then those of boards, then those of narration.
pub(super) fn find_facts(
    texts: &[Text],
    boards: &[Board],
    narration: &[Narration],
    languages: &Languages,
    claims: &mut Claims,
) -> Vec<Fact> {
    let mut facts = Facts::default();
    for text in texts {
        let source = Source {
            basis: Basis::Read,
            confidence: text.claim.confidence * READ_CONFIDENCE_FACTOR,
            evidence: text.claim.evidence.clone(),
            zone_id: text.zone_id.clone(),
            board_id: board_of(boards, &text.id).map(|board| board.id.clone()),
        };
        facts.add(&text.raw, parse(&Phrase::new(&text.raw, languages.declared, false)), &source, claims);
    }
    for board in boards {
        add_facts_of_lines(board, texts, languages, &mut facts, claims);
    }
    for sentence in narration {
        let language = languages.of_speech(&sentence.source, &sentence.run_id);
        let source = Source {
            basis: Basis::Spoken,
            confidence: sentence.confidence * SPOKEN_CONFIDENCE_FACTOR,
            evidence: claims.narration(sentence).into_iter().collect(),
            zone_id: sentence.zone_id.clone(),
            board_id: None,
        };
        facts.add(&sentence.text, parse(&Phrase::new(&sentence.text, language, true)), &source, claims);
    }
    facts.0
}

/// Applies all parsers. A line with a credential or a contact states nothing else.
fn parse(phrase: &Phrase) -> Vec<Found> {
    let codes = codes::find(phrase);
    if codes.iter().any(|found| found.kind == FactKind::Credential) {
        return codes;
    }
    let contacts = contacts::find(phrase);
    if !contacts.is_empty() && !phrase.spoken {
        return contacts;
    }
    let parsers =
        [prices::find, dates::find, hours::find, inclusions::find, conditions::find, amenities::find];
    contacts.into_iter().chain(parsers.iter().flat_map(|find| find(phrase))).chain(codes).collect()
}

fn board_of<'a>(boards: &'a [Board], text_id: &str) -> Option<&'a Board> {
    boards
        .iter()
        .find(|board| board.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.text_id == text_id))
}

/// Adds the prices and credentials that two lines of a board state together: a name beside or above
/// its price, and a label above its secret.
fn add_facts_of_lines(
    board: &Board,
    texts: &[Text],
    languages: &Languages,
    facts: &mut Facts,
    claims: &mut Claims,
) {
    let line = |row: &BoardRow| row.cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" ");
    let source = |rows: &[&BoardRow]| {
        let cells = rows.iter().flat_map(|row| &row.cells);
        let members: Vec<&Text> =
            cells.filter_map(|cell| texts.iter().find(|text| text.id == cell.text_id)).collect();
        let least = members.iter().map(|text| text.claim.confidence).fold(1.0, f64::min);
        Source {
            basis: Basis::Read,
            confidence: least * BOARD_CONFIDENCE_FACTOR,
            evidence: members.iter().flat_map(|text| text.claim.evidence.first()).cloned().collect(),
            zone_id: board.zone_id.clone(),
            board_id: Some(board.id.clone()),
        }
    };
    for row in board.rows.iter().filter(|row| row.cells.len() > 1) {
        facts.add_price(&line(row), languages.declared, &source(&[row]), claims);
    }
    for pair in board.rows.windows(2).filter(|pair| pair.iter().all(|row| row.cells.len() == 1)) {
        let (above, below) = (line(&pair[0]), line(&pair[1]));
        let source = source(&[&pair[0], &pair[1]]);
        if let Some(label) = credential_label(&above).filter(|_| looks_secret(&below)) {
            let range = 0..below.len();
            let found = Found::new(FactKind::Credential, Some(label), below.trim(), range);
            facts.add(&below, vec![found], &source, claims);
        } else if below.starts_with(|c: char| c.is_ascii_digit()) {
            facts.add_price(&format!("{above} {below}"), languages.declared, &source, claims);
        }
    }
}

/// Source of facts.
struct Source {
    basis: Basis,
    confidence: f64,
    evidence: Vec<Evidence>,
    zone_id: Option<String>,
    board_id: Option<String>,
}

/// Facts found so far.
#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    /// Makes claims of what a parser found in a text.
    fn add(&mut self, text: &str, found: Vec<Found>, source: &Source, claims: &mut Claims) {
        for found in found {
            let words = text.get(found.range.clone()).unwrap_or(text);
            let claim =
                claims.make(words, source.confidence, source.basis, source.evidence.clone(), "run_facts");
            self.0.extend(claim.map(|claim| Fact {
                id: format!("fct_{}", self.0.len() + 1),
                kind: found.kind,
                subject: found.subject,
                value: found.value,
                amount: found.amount,
                unit: found.unit.map(str::to_owned),
                period: found.period.map(str::to_owned),
                negated: found.negated,
                zone_id: source.zone_id.clone(),
                board_id: source.board_id.clone(),
                claim,
            }));
        }
    }

    /// Adds the price in the joined lines of a board, unless one line alone states it.
    fn add_price(&mut self, text: &str, language: &str, source: &Source, claims: &mut Claims) {
        let prices = prices::find(&Phrase::new(text, language, false));
        let known = |found: &Found| {
            self.0.iter().any(|fact| {
                fact.board_id == source.board_id
                    && fact.kind == FactKind::Price
                    && fact.amount == found.amount
                    && fact.subject.is_some()
            })
        };
        let new: Vec<Found> = prices.into_iter().filter(|found| !known(found)).collect();
        self.add(text, new, source, claims);
    }
}
