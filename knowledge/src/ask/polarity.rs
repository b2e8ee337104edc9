//! Tells whether a clause affirms or denies a subject, in the manner of NegEx: negation triggers
//! with a scope that ends at the clause.

use crate::words::tokens;

/// Triggers that deny what follows them in the clause.
const BEFORE: [&str; 17] = [
    "no", "not", "never", "without", "neither", "nor", "none", "cannot", "cant", "dont", "doesnt", "isnt",
    "arent", "wont", "didnt", "wasnt", "hasnt",
];
/// Phrases that deny the whole clause.
const WHOLE: [&str; 22] = [
    "no longer",
    "used to be",
    "out of order",
    "out of service",
    "out of use",
    "sold out",
    "does not",
    "do not",
    "did not",
    "is not",
    "are not",
    "was not",
    "will not",
    "not included",
    "excluded",
    "not allowed",
    "forbidden",
    "prohibited",
    "unavailable",
    "not available",
    "strictly no",
    "not permitted",
];
/// Phrases with a negation word that deny nothing.
const PSEUDO: [&str; 9] = [
    "not only",
    "no problem",
    "not just",
    "no doubt",
    "no need to",
    "not to mention",
    "why not",
    "no more than",
    "no later than",
];
/// Words that state a rule.
const RULES: [&str; 25] = [
    "allowed",
    "permitted",
    "welcome",
    "fine",
    "ok",
    "okay",
    "only",
    "please",
    "may",
    "can",
    "must",
    "no",
    "not",
    "forbidden",
    "prohibited",
    "never",
    "free",
    "use",
    "do",
    "dont",
    "cannot",
    "strictly",
    "required",
    "area",
    "accepted",
];

/// Words of a text for triggers: contractions lose the apostrophe.
fn words(text: &str) -> Vec<String> {
    tokens(&text.replace(['’', '\''], ""))
}

/// Splits a sentence into clauses at punctuation and conjunctions that contrast or add.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    const JOINTS: [&str; 8] =
        [" but ", " and ", " while ", " whereas ", " although ", " though ", " except ", " however "];
    let mut cuts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| {
            let number = text[at + c.len_utf8()..].starts_with(|next: char| next.is_ascii_digit());
            matches!(c, ',' | ';' | ':' | '.' | '(' | '–') && !number
        })
        .map(|(at, c)| at + c.len_utf8())
        .collect();
    let lower = text.to_ascii_lowercase();
    for joint in JOINTS {
        // "Except" stays with what it denies.
        cuts.extend(lower.match_indices(joint).map(|(at, _)| at + 1));
    }
    cuts.sort_unstable();
    let mut out = Vec::new();
    let mut from = 0;
    for cut in cuts {
        out.push(&text[from..cut]);
        from = cut;
    }
    out.push(&text[from..]);
    out.retain(|clause| clause.chars().any(char::is_alphanumeric));
    out
}

/// Whether a clause holds a negation.
pub(super) fn is_negated(clause: &str) -> bool {
    let words = words(clause);
    let text = format!(" {} ", words.join(" "));
    let says = |phrase: &&str| text.contains(&format!(" {phrase} "));
    let excepted = words.first().is_some_and(|word| word == "except");
    let pseudo = PSEUDO.iter().any(&says);
    excepted
        || WHOLE.iter().any(says)
        || (!pseudo && words.iter().any(|word| BEFORE.contains(&word.as_str())))
}

/// Whether a text holds a negation or a word of a negative state: only such a text supports a "no".
pub(super) fn is_negative(text: &str) -> bool {
    const STATES: [&str; 14] = [
        "closed",
        "broken",
        "faulty",
        "defective",
        "unfurnished",
        "occupied",
        "taken",
        "unavailable",
        "excluded",
        "extra",
        "forbidden",
        "prohibited",
        "banned",
        "shut",
    ];
    is_negated(text) || words(text).iter().any(|word| STATES.contains(&word.as_str()))
}

/// Whether a clause denies that its subject exists: "there is no lift", "without a lift".
pub(super) fn denies_existence(clause: &str, subject: &[String]) -> bool {
    let words = words(clause);
    let text = format!(" {} ", words.join(" "));
    let denied = [
        "there is no",
        "there are no",
        "there isnt",
        "there arent",
        "have no",
        "has no",
        "dont have",
        "doesnt have",
        "do not have",
        "does not have",
        "no longer",
        "used to be",
        "we dont sell",
        "we do not sell",
        "sold out",
    ];
    let direct = words.windows(2).any(|two| {
        ["no", "without"].contains(&two[0].as_str())
            && subject.iter().any(|s| super::vocabulary::root(&two[1]) == *s)
    });
    direct || denied.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Whether a clause only denies, and leaves the verb to another clause: "the bed does not".
pub(super) fn is_elliptical(clause: &str) -> bool {
    let words = words(clause);
    let last = words.last().map(String::as_str).unwrap_or_default();
    words.len() <= 6
        && (matches!(last, "not" | "doesnt" | "isnt" | "arent" | "dont" | "wont" | "cannot" | "cant")
            || words.first().is_some_and(|word| word == "not" || word == "except"))
}

/// Whether a text asks people to refrain from its subject: "please switch off phones".
pub(super) fn refrains(text: &str) -> bool {
    let text = format!(" {} ", words(text).join(" "));
    ["switch off", "turn off", "switched off", "turned off", "refrain", "keep off", "keep out", "stay out"]
        .iter()
        .any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Whether a text only asks someone to say something: what follows is not asserted.
pub(super) fn is_dictated(text: &str) -> bool {
    const VERBS: [&str; 7] = ["say", "answer", "reply", "claim", "state", "write", "pretend"];
    clauses(text).iter().any(|clause| {
        let words = words(clause);
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "please").collect();
        matches!(words.as_slice(), [verb, "that", ..] if VERBS.contains(verb))
    })
}

/// Whether a text states a rule.
pub(super) fn states_rule(text: &str) -> bool {
    words(text).iter().any(|word| RULES.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_negations_and_their_clauses() {
        for denied in [
            "NO PARKING",
            "the lamps do not",
            "The lift is out of order",
            "It isn't heated",
            "Dogs are not allowed",
        ] {
            assert!(is_negated(denied), "{denied}");
        }
        for affirmed in
            ["Dogs welcome", "The lamps stay", "not only tea", "Knock twice", "no more than ten people"]
        {
            assert!(!is_negated(affirmed), "{affirmed}");
        }
        assert!(is_dictated("Computer, please say that the roof leaks"));
        assert!(!is_dictated("Signs say that the roof leaks"));
        let clauses = clauses("The lamps stay here, the mirror does not, and it costs 2.50");
        assert_eq!(clauses.len(), 3, "{clauses:?}");
        assert!(is_elliptical(clauses[1]) && !is_elliptical(clauses[0]));
    }
}
