//! Tells whether a clause affirms or denies a subject, in the manner of NegEx: negation triggers
//! with a scope that ends at the clause. The triggers are data: `polarity.json`.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use crate::words::tokens;

/// Maximum number of words of a clause that leaves its verb to another clause.
const ELLIPTICAL: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    negations: String,
    denials: String,
    pseudo: String,
    exceptions: String,
    rules: String,
    joints: String,
    states: String,
    denied_existence: String,
    refraining: String,
    ellipsis: String,
    dictation: String,
    pronouns: String,
    presenting: String,
    determiners: String,
    universals: String,
}

/// Triggers of polarity. Phrases are surrounded by spaces.
struct Triggers {
    /// Words that deny what follows them in the clause.
    negations: HashSet<String>,
    /// Phrases that deny the whole clause.
    denials: Vec<String>,
    /// Phrases with a negation word that deny nothing.
    pseudo: Vec<String>,
    /// Phrases that except what follows them.
    exceptions: Vec<String>,
    /// Words that state a rule.
    rules: HashSet<String>,
    /// Conjunctions that contrast or add.
    joints: Vec<String>,
    /// Words of a negative state.
    states: HashSet<String>,
    /// Phrases that deny that something exists.
    denied_existence: Vec<String>,
    /// Phrases that ask people to refrain from something.
    refraining: Vec<String>,
    /// Last words of a clause that leaves its verb to another clause.
    ellipsis: HashSet<String>,
    /// Verbs that ask someone to say something.
    dictation: HashSet<String>,
    pronouns: HashSet<String>,
    presenting: HashSet<String>,
    determiners: HashSet<String>,
    /// Words that speak of all things of a kind.
    universals: HashSet<String>,
}

static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    // The file is part of the binary, and tests parse it.
    let file: File =
        serde_json::from_str(include_str!("polarity.json")).expect("the triggers are well-formed");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<HashSet<_>>();
    let phrases = |text: &str| text.split('|').map(|phrase| format!(" {phrase} ")).collect::<Vec<_>>();
    Triggers {
        negations: words(&file.negations),
        denials: phrases(&file.denials),
        pseudo: phrases(&file.pseudo),
        exceptions: phrases(&file.exceptions),
        rules: words(&file.rules),
        joints: phrases(&file.joints),
        states: words(&file.states),
        denied_existence: phrases(&file.denied_existence),
        refraining: phrases(&file.refraining),
        ellipsis: words(&file.ellipsis),
        dictation: words(&file.dictation),
        pronouns: words(&file.pronouns),
        presenting: words(&file.presenting),
        determiners: words(&file.determiners),
        universals: words(&file.universals),
    }
});

/// Words of a text for triggers: contractions lose the apostrophe.
fn words(text: &str) -> Vec<String> {
    tokens(&text.replace(['’', '\''], ""))
}

/// Whether the words hold any of the phrases.
fn says(words: &[String], phrases: &[String]) -> bool {
    let text = format!(" {} ", words.join(" "));
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// Whether a word refers back to a subject.
pub(super) fn is_pronoun(word: &str) -> bool {
    TRIGGERS.pronouns.contains(word)
}

/// Whether a sentence refers by a pronoun to what was said before. "This is the bedroom" presents
/// something new instead.
pub(super) fn refers_back(sentence: &str) -> bool {
    let words = words(sentence);
    let [first, second, third, rest @ ..] = words.as_slice() else {
        return words.iter().any(|w| is_pronoun(w));
    };
    let presents =
        is_pronoun(first) && TRIGGERS.presenting.contains(second) && TRIGGERS.determiners.contains(third);
    rest.iter().any(|word| is_pronoun(word))
        || !presents && [first, second, third].iter().any(|w| is_pronoun(w))
}

/// Whether a word speaks of all things of a kind: "all", "no".
pub(super) fn is_universal(word: &str) -> bool {
    TRIGGERS.universals.contains(word)
}

/// Splits a sentence into clauses at punctuation and conjunctions that contrast or add.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let mut cuts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| {
            let number = text[at + c.len_utf8()..].starts_with(|next: char| next.is_ascii_digit());
            matches!(c, ',' | ';' | ':' | '.' | '(' | '–') && !number
        })
        .map(|(at, c)| at + c.len_utf8())
        .collect();
    let lower = text.to_ascii_lowercase();
    for joint in &TRIGGERS.joints {
        // "Except" stays with what it denies.
        cuts.extend(lower.match_indices(joint.as_str()).map(|(at, _)| at + 1));
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

/// Whether a clause begins by excepting its subject: "except the cellar".
fn excepts(words: &[String]) -> bool {
    let text = format!(" {} ", words.join(" "));
    TRIGGERS.exceptions.iter().any(|phrase| text.starts_with(phrase.as_str()))
}

/// Whether a clause holds a negation.
pub(super) fn is_negated(clause: &str) -> bool {
    let words = words(clause);
    let pseudo = says(&words, &TRIGGERS.pseudo);
    excepts(&words)
        || says(&words, &TRIGGERS.denials)
        || (!pseudo && words.iter().any(|word| TRIGGERS.negations.contains(word)))
}

/// Whether a text holds a negation or a word of a negative state: only such a text supports a "no".
pub(super) fn is_negative(text: &str) -> bool {
    let words = words(text);
    is_negated(text)
        || says(&words, &TRIGGERS.exceptions)
        || words.iter().any(|word| TRIGGERS.states.contains(word))
}

/// Whether a clause denies that its subject exists: "there is no lift", "without a lift".
pub(super) fn denies_existence(clause: &str, subject: &[String]) -> bool {
    let words = words(clause);
    let direct = words.windows(2).any(|two| {
        matches!(two[0].as_str(), "no" | "without")
            && subject.iter().any(|s| super::vocabulary::root(&two[1]) == *s)
    });
    direct || says(&words, &TRIGGERS.denied_existence)
}

/// Whether a clause leaves its verb to another clause: "the bed does not", "the chairs are".
pub(super) fn is_elliptical(clause: &str) -> bool {
    let words = words(clause);
    words.len() <= ELLIPTICAL
        && (words.last().is_some_and(|word| TRIGGERS.ellipsis.contains(word))
            || words.first().is_some_and(|word| word == "not")
            || excepts(&words))
}

/// Whether a text asks people to refrain from its subject: "please switch off phones".
pub(super) fn refrains(text: &str) -> bool {
    says(&words(text), &TRIGGERS.refraining)
}

/// Whether a text only asks someone to say something: what follows is not asserted.
pub(super) fn is_dictated(text: &str) -> bool {
    clauses(text).iter().any(|clause| {
        let words = words(clause);
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "please").collect();
        matches!(words.as_slice(), [verb, "that", ..] if TRIGGERS.dictation.contains(*verb))
    })
}

/// Whether a text states a rule.
pub(super) fn states_rule(text: &str) -> bool {
    words(text).iter().any(|word| TRIGGERS.rules.contains(word))
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
        assert!(is_elliptical("the plates are") && !is_elliptical("the plates are blue"));
        assert!(is_negated("apart from the shed") && is_elliptical("apart from the shed"));
    }

    #[test]
    fn presenting_something_new_refers_to_nothing_before() {
        for referring in ["It was replaced in May", "This was replaced in May", "That is two years old"] {
            assert!(refers_back(referring), "{referring}");
        }
        for presenting in ["This is the attic", "These are our tools", "The attic is dry"] {
            assert!(!refers_back(presenting), "{presenting}");
        }
        assert!(refers_back("This is the attic, and it is dry"));
    }
}
