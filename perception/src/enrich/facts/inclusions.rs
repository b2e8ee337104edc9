//! What comes with a space and what does not: "the wardrobe stays, the bed does not".

use domain::document::FactKind;

use super::phrase::{Found, Phrase};
use super::polarity::{is_negated, is_trigger};

/// Predicates of things that come with the space, as words separated by spaces.
const STAYING: &[&str] = &[
    "stays",
    "stay",
    "remains",
    "remain",
    "included",
    "inclusive",
    "is part",
    "are part",
    "comes with",
    "come with",
    "goes with",
    "is left",
    "are left",
    "inbegriffen",
    "inklusive",
    "bleibt",
    "bleiben",
    "inclus",
    "incluido",
    "incluso",
];
/// Predicates of things that do not.
const LEAVING: &[&str] = &[
    "excluded",
    "exclusive",
    "leaves with",
    "goes with us",
    "is taken",
    "are taken",
    "will be removed",
    "exklusive",
];
/// Predicates whose object is the thing: "the flat comes with a fridge".
const WITH_OBJECT: &[&str] = &["comes with", "come with"];
/// Words before a list of included things on a sign.
const INCLUDING: &[&str] = &["including", "incl", "includes", "include", "inkl", "excluding"];
/// Verbs without a predicate of their own: "the bed does not".
const AUXILIARIES: &[&str] = &[
    "does", "do", "is", "are", "will", "doesn't", "don't", "isn't", "aren't", "won't", "has", "have", "was",
    "were", "wird", "werden", "ist", "sind",
];
/// Words that a thing does not start with, before its predicate.
const NOT_THINGS: &[&str] = &[
    "we", "i", "you", "they", "he", "she", "it", "who", "guests", "guest", "please", "people", "one", "can",
    "may", "must", "let's", "to", "where", "if", "how", "there", "everyone", "nobody",
];

/// Finds inclusions.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    // Whether the last clause had a predicate that the next one may share, and its polarity.
    let mut shared: Option<bool> = None;
    let mut start = 0;
    while start < phrase.tokens.len() {
        let clause = phrase.clause(start);
        let clause = start..clause.end.max(start + 1);
        let found = with_predicate(phrase, clause.clone());
        if found.is_empty() {
            if let Some(found) = shared.and_then(|comes| elliptic(phrase, clause.clone(), comes)) {
                out.push(found);
            } else {
                shared = None;
            }
        } else {
            shared = Some(!leaves(phrase, clause.clone()));
            out.extend(found);
        }
        start = clause.end + 1;
    }
    out
}

fn predicate<'p>(phrase: &Phrase, at: usize, list: &[&'p str]) -> Option<&'p str> {
    list.iter().find(|predicate| phrase.starts(at, predicate)).copied()
}

fn leaves(phrase: &Phrase, clause: std::ops::Range<usize>) -> bool {
    clause.into_iter().any(|at| predicate(phrase, at, LEAVING).is_some())
}

fn with_predicate(phrase: &Phrase, clause: std::ops::Range<usize>) -> Vec<Found> {
    let fact = |thing: String, comes: bool, from: usize, to: usize| Found {
        negated: !comes,
        ..Found::new(FactKind::Inclusion, None, thing, phrase.range(from, to))
    };
    for at in clause.clone() {
        let (name, positive) = match (predicate(phrase, at, LEAVING), predicate(phrase, at, STAYING)) {
            (Some(name), _) => (name, false),
            (None, Some(name)) => (name, true),
            (None, None) => {
                if phrase.is(at, INCLUDING) {
                    let from = at + 1 + usize::from(phrase.word(at + 1) == ".");
                    let comes = phrase.word(at) != "excluding" && !is_negated(phrase, clause.start..at);
                    let thing = phrase.subject(from.min(clause.end), clause.end);
                    return thing.map(|thing| fact(thing, comes, at, clause.end)).into_iter().collect();
                }
                continue;
            }
        };
        let end = at + name.split(' ').count();
        let negated = is_negated(phrase, clause.clone());
        let comes = positive != negated;
        if WITH_OBJECT.contains(&name) {
            let stop = (end..clause.end).find(|stop| phrase.is(*stop, &["for", "in", "from", "on"]));
            let objects = phrase.subject(end, stop.unwrap_or(clause.end));
            return objects.map(|thing| fact(thing, comes, clause.start, clause.end)).into_iter().collect();
        }
        let verb =
            (clause.start..at).find(|verb| phrase.is(*verb, AUXILIARIES) || is_trigger(phrase.word(*verb)));
        let thing = phrase.subject(clause.start, verb.unwrap_or(at));
        let is_thing = |thing: &String| !NOT_THINGS.contains(&thing.split(' ').next().unwrap_or_default());
        return thing
            .filter(is_thing)
            .map(|thing| fact(thing, comes, clause.start, clause.end))
            .into_iter()
            .collect();
    }
    Vec::new()
}

/// Parses a clause whose predicate is that of the clause before: "the bed does not".
fn elliptic(phrase: &Phrase, clause: std::ops::Range<usize>, comes: bool) -> Option<Found> {
    let verb = clause.clone().find(|at| phrase.is(*at, AUXILIARIES))?;
    let rest = verb + 1..clause.end;
    let plain =
        rest.clone().all(|at| is_trigger(phrase.word(at)) || phrase.is(at, &["too", "either", "as", "well"]));
    let thing = phrase.subject(clause.start, verb).filter(|_| plain)?;
    let negated = is_negated(phrase, verb..clause.end);
    Some(Found {
        negated: comes == negated,
        ..Found::new(FactKind::Inclusion, None, thing, phrase.range(clause.start, clause.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inclusions(text: &str) -> Vec<String> {
        let sign = |negated| if negated { '-' } else { '+' };
        let found = find(&Phrase::new(text, "en", true));
        found.into_iter().map(|found| format!("{}{}", sign(found.negated), found.value)).collect()
    }

    #[test]
    fn finds_what_is_included_and_what_is_not() {
        for (text, expected) in [
            ("The shelf stays here, the mirror does not.", &["+shelf", "-mirror"][..]),
            ("The curtains are included but the lamp isn't.", &["+curtains", "-lamp"]),
            ("Breakfast is not included", &["-breakfast"]),
            ("BREAKFAST INCLUDED", &["+breakfast"]),
            ("The piano won't stay", &["-piano"]),
            ("The flat comes with a dishwasher", &["+dishwasher"]),
            ("including heating", &["+heating"]),
            ("excluding electricity", &["-electricity"]),
            ("The rug is excluded, the sofa is not", &["-rug", "+sofa"]),
            ("The garden bench remains", &["+garden bench"]),
        ] {
            assert_eq!(inclusions(text), expected, "{text}");
        }
    }

    #[test]
    fn other_sentences_include_nothing() {
        for text in [
            "We stay here for a while",
            "Guests stay on the second floor",
            "The bed does not fit",
            "The wardrobe is old, the bed is not",
            "This is the kitchen",
            "Please stay behind the line",
        ] {
            assert!(inclusions(text).is_empty(), "{text}: {:?}", inclusions(text));
        }
    }
}
