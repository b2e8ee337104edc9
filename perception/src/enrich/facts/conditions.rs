//! The state of things: "the roof was replaced", "out of order".

use domain::document::FactKind;

use super::phrase::{Found, Phrase};
use super::polarity::is_negated;

/// States after a verb, as words separated by spaces. Longer ones come first.
const STATES: &[&str] = &[
    "out of order",
    "in good condition",
    "in need of repair",
    "brand new",
    "double glazed",
    "new",
    "old",
    "renovated",
    "refurbished",
    "renewed",
    "replaced",
    "repaired",
    "fixed",
    "repainted",
    "painted",
    "restored",
    "installed",
    "modernised",
    "modernized",
    "upgraded",
    "serviced",
    "insulated",
    "heated",
    "damaged",
    "broken",
    "cracked",
    "stained",
    "scratched",
    "worn",
    "leaking",
    "defective",
    "faulty",
    "rotten",
    "mouldy",
    "damp",
    "loose",
    "clean",
    "dirty",
    "working",
    "renoviert",
    "erneuert",
    "defekt",
    "kaputt",
    "neu",
    "gestrichen",
    "beschädigt",
];
/// States that a sign says without a verb.
const NOTICES: &[&str] = &["out of order", "wet paint", "under repair", "außer betrieb"];
/// Verbs before a state.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "been", "looks", "look", "seems", "got", "isn't", "aren't", "wasn't",
    "weren't", "remains", "being", "ist", "sind", "wurde", "wurden", "worden", "be", "became", "gets",
    "it's",
];
/// Words that may stand between a verb and its state.
const ADVERBS: &[&str] = &[
    "not",
    "very",
    "quite",
    "still",
    "recently",
    "completely",
    "fully",
    "newly",
    "just",
    "all",
    "rather",
    "partly",
    "never",
    "really",
    "frisch",
    "nicht",
];

/// Finds conditions.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        let state = STATES.iter().chain(NOTICES).find(|state| phrase.starts(at, state));
        let Some(state) = state else {
            at += 1;
            continue;
        };
        let end = at + state.split(' ').count();
        let clause = phrase.clause(at);
        if let Some(verb) = verb_of(phrase, clause.start, at) {
            if let Some(subject) = phrase.subject(clause.start, first_verb(phrase, clause.start, verb)) {
                out.push(Found {
                    negated: is_negated(phrase, clause.start..at),
                    ..Found::new(FactKind::Condition, Some(subject), *state, phrase.range(clause.start, end))
                });
            }
        } else if !phrase.spoken && NOTICES.contains(state) {
            out.push(Found::new(
                FactKind::Condition,
                phrase.subject(clause.start, at),
                *state,
                phrase.range(clause.start.min(at), end),
            ));
        }
        at = end;
    }
    out
}

/// Returns the verb before a state, with nothing but adverbs between them.
fn verb_of(phrase: &Phrase, start: usize, at: usize) -> Option<usize> {
    let before = (start..at).rev().find(|word| !phrase.is(*word, ADVERBS))?;
    phrase.is(before, VERBS).then_some(before)
}

/// Returns the first of the verbs before the main one: "has been" starts with "has".
fn first_verb(phrase: &Phrase, start: usize, verb: usize) -> usize {
    let has =
        ["has", "have", "had", "will", "must", "can", "hasn't", "haven't", "should", "needs", "to", "not"];
    let mut first = verb;
    while first > start && (phrase.is(first - 1, &has) || phrase.is(first - 1, VERBS)) {
        first -= 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(text: &str, spoken: bool) -> Vec<String> {
        find(&Phrase::new(text, "en", spoken))
            .into_iter()
            .map(|found| {
                let sign = if found.negated { "not " } else { "" };
                format!("{}: {sign}{}", found.subject.unwrap_or_default(), found.value)
            })
            .collect()
    }

    #[test]
    fn finds_states_of_things() {
        for (text, spoken, expected) in [
            ("The roof was replaced in 2015.", true, "roof: replaced"),
            ("The windows are double glazed", true, "windows: double glazed"),
            ("The carpet has been recently cleaned, the sink is cracked", true, "sink: cracked"),
            ("The heating is not new", true, "heating: not new"),
            ("The oven isn't working", true, "oven: not working"),
            ("LIFT OUT OF ORDER", false, "lift: out of order"),
            ("The floor is heated", true, "floor: heated"),
        ] {
            assert_eq!(conditions(text, spoken), [expected], "{text}");
        }
    }

    #[test]
    fn other_uses_are_no_states() {
        for text in
            ["This is a new idea", "The old mill", "We fixed a date", "new arrivals", "broken dreams tour"]
        {
            assert!(conditions(text, true).is_empty(), "{text}: {:?}", conditions(text, true));
        }
    }
}
