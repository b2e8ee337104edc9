//! Words of the domain as data: synonyms, kinds, opposites, inflections and light words, from
//! `vocabulary.json`.
//!
//! The table holds general words of homes, shops, offices, hotels and venues. A term of a question
//! is matched by its *forms*: its own roots, its synonyms, members of a kind ("fruit" by "apple")
//! and, for questions with yes or no, its opposites.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use serde::Deserialize;

use crate::words::{LEXICON, singular, tokens};

/// How well a form stands for a term, 0 to 1.
const SAME: f64 = 1.0;
const SYNONYM: f64 = 0.9;
const MEMBER: f64 = 0.8;
const OPPOSITE: f64 = 0.8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Words and phrases of one meaning, separated by `|`.
    synonyms: Vec<String>,
    /// A general word, and its members.
    kinds: Vec<String>,
    /// Inflected forms of one word, separated by spaces.
    inflections: Vec<String>,
    /// Words of one meaning, `#`, words of the opposite meaning.
    opposites: Vec<String>,
    /// Words of questions that say little about their subject.
    light: String,
    /// Verbs of events. Signs leave them out: "recycling on Tuesday".
    event_verbs: String,
    /// Verbs that their subject implies: "teach" with "yoga".
    implied: String,
    /// Roles of people: "manager".
    roles: String,
    /// Words after "open" that belong to opening hours.
    after_open: String,
    /// Periods that prices cover.
    periods: String,
    /// Words for several things that are sold together.
    packs: String,
    /// Words for any thing on a list of prices.
    listed: String,
    /// Words for low prices, and for high prices.
    cheap: String,
    expensive: String,
    /// Frequent function words of other languages, by language tag.
    languages: BTreeMap<String, String>,
}

/// One way to say a term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    /// Roots of its words.
    pub(super) roots: Vec<String>,
    /// How well it stands for the term, 0 to 1.
    pub(super) quality: f64,
    /// Whether it says the opposite of the term.
    pub(super) opposite: bool,
}

/// The vocabulary of this module.
pub(super) struct Vocabulary {
    synonyms: HashMap<Vec<String>, Vec<Vec<String>>>,
    kinds: HashMap<Vec<String>, Vec<Vec<String>>>,
    /// General words of each member of a kind.
    general: HashMap<Vec<String>, Vec<Vec<String>>>,
    opposites: HashMap<Vec<String>, Vec<Vec<String>>>,
    same_side: HashMap<Vec<String>, Vec<Vec<String>>>,
    light: HashSet<String>,
    event_verbs: HashSet<String>,
    implied: HashSet<String>,
    roles: HashSet<String>,
    after_open: HashSet<String>,
    periods: HashSet<String>,
    packs: HashSet<String>,
    listed: HashSet<String>,
    cheap: HashSet<String>,
    expensive: HashSet<String>,
    /// Roots of all words.
    roots: HashSet<String>,
    /// All words, for the correction of slips.
    words: BTreeSet<String>,
    longest: usize,
    languages: BTreeMap<String, HashSet<String>>,
}

static INFLECTIONS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for group in &FILE.inflections {
        let words: Vec<&str> = group.split_whitespace().collect();
        for word in &words {
            out.insert((*word).to_owned(), words[0].to_owned());
        }
    }
    out
});

// The file is part of the binary, and tests parse it.
static FILE: LazyLock<File> = LazyLock::new(|| {
    serde_json::from_str(include_str!("vocabulary.json")).expect("the vocabulary is well-formed")
});

pub(super) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::of(&FILE));

static STEMMER: LazyLock<rust_stemmers::Stemmer> =
    LazyLock::new(|| rust_stemmers::Stemmer::create(rust_stemmers::Algorithm::English));

/// Returns the root of a lower-case word: inflected forms of one word have one root.
pub(super) fn root(word: &str) -> String {
    // "Fifty" is 50.
    if let Some(number) = domain::numbers::value(word) {
        return number.to_string();
    }
    let known = INFLECTIONS.get(word).or_else(|| INFLECTIONS.get(&singular(word)));
    STEMMER.stem(known.map_or(word, String::as_str)).into_owned()
}

/// Returns the roots of the words of a text.
pub(super) fn roots(text: &str) -> Vec<String> {
    tokens(text).iter().flat_map(|word| with_unit_apart(word)).map(|word| root(&word)).collect()
}

/// Parts a number from the letters after it: "16kg" is "16 kg". Leaves "2nd" as it is.
pub(super) fn with_unit_apart(word: &str) -> Vec<String> {
    /// Maximum number of letters of a unit.
    const UNIT: usize = 3;
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &word[..word.len() - letters.len()];
    let unit = (1..=UNIT).contains(&letters.len()) && letters.chars().all(|c| c.is_ascii_alphabetic());
    if number.is_empty() || !unit || matches!(letters, "st" | "nd" | "rd" | "th") {
        return vec![word.to_owned()];
    }
    vec![number.to_owned(), letters.to_owned()]
}

impl Vocabulary {
    fn of(file: &File) -> Vocabulary {
        let phrase = |text: &str| roots(text);
        let mut synonyms: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        let mut words: BTreeSet<String> = BTreeSet::new();
        let names = LEXICON.objects.values().chain(LEXICON.rooms.values()).cloned();
        let groups = file.synonyms.iter().map(|line| line.split('|').map(str::to_owned).collect::<Vec<_>>());
        for group in groups.chain(names) {
            words.extend(group.iter().flat_map(|text| tokens(text)));
            let group: Vec<Vec<String>> = group.iter().map(|text| phrase(text)).collect();
            for one in &group {
                synonyms.entry(one.clone()).or_default().extend(group.iter().filter(|o| *o != one).cloned());
            }
        }
        let mut kinds: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        for line in &file.kinds {
            let all: Vec<&str> = line.split('|').collect();
            words.extend(all.iter().flat_map(|text| tokens(text)));
            kinds.entry(phrase(all[0])).or_default().extend(all[1..].iter().map(|text| phrase(text)));
        }
        let mut general: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        for (kind, members) in &kinds {
            for member in members {
                general.entry(member.clone()).or_default().push(kind.clone());
            }
        }
        let mut opposites: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        let mut same_side: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        for line in &file.opposites {
            let Some((one, other)) = line.split_once('#') else { continue };
            let side = |text: &str| text.split('|').map(|t| phrase(t.trim())).collect::<Vec<_>>();
            let (one, other) = (side(one), side(other));
            for (from, to) in [(&one, &other), (&other, &one)] {
                for phrase in from {
                    let same = from.iter().filter(|other| *other != phrase).cloned();
                    same_side.entry(phrase.clone()).or_default().extend(same);
                    opposites.entry(phrase.clone()).or_default().extend(to.iter().cloned());
                }
            }
        }
        words.extend(LEXICON.stop_words.iter().cloned());
        words.extend([&file.light, &file.implied, &file.roles].into_iter().flat_map(|list| tokens(list)));
        words.extend(file.inflections.iter().flat_map(|group| tokens(group)));
        let light = tokens(&file.light).into_iter().collect();
        let languages = file.languages.iter();
        let languages = languages.map(|(tag, words)| (tag.clone(), tokens(words).into_iter().collect()));
        let longest = synonyms.keys().chain(kinds.keys()).map(Vec::len).max().unwrap_or(1);
        let event_verbs = roots(&file.event_verbs).into_iter().collect();
        Vocabulary {
            synonyms,
            kinds,
            general,
            opposites,
            same_side,
            light,
            event_verbs,
            implied: roots(&file.implied).into_iter().collect(),
            roles: roots(&file.roles).into_iter().collect(),
            after_open: tokens(&file.after_open).into_iter().collect(),
            periods: roots(&file.periods).into_iter().collect(),
            packs: roots(&file.packs).into_iter().collect(),
            listed: roots(&file.listed).into_iter().collect(),
            cheap: tokens(&file.cheap).into_iter().collect(),
            expensive: tokens(&file.expensive).into_iter().collect(),
            roots: words.iter().map(|word| root(word)).collect(),
            words,
            longest,
            languages: languages.collect(),
        }
    }

    /// Returns the number of words of the longest known phrase at the start of `roots`, at least 1.
    pub(super) fn phrase_length(&self, roots: &[String]) -> usize {
        let known = |len: &usize| {
            let phrase = &roots[..*len];
            self.synonyms.contains_key(phrase) || self.opposites.contains_key(phrase)
        };
        (2..=self.longest.min(roots.len())).rev().find(known).unwrap_or(1)
    }

    /// Returns all forms of a term: itself, opposites, synonyms and members.
    pub(super) fn forms(&self, term: &[String]) -> Vec<Form> {
        let form = |roots: &Vec<String>, quality: f64, opposite: bool| Form {
            roots: roots.clone(),
            quality,
            opposite,
        };
        let mut out = vec![Form { roots: term.to_vec(), quality: SAME, opposite: false }];
        out.extend(self.opposites.get(term).into_iter().flatten().map(|roots| form(roots, OPPOSITE, true)));
        let same: Vec<&Vec<String>> = self.synonyms.get(term).into_iter().flatten().collect();
        out.extend(same.iter().map(|roots| form(roots, SYNONYM, false)));
        // Words on the same side of an opposition mean the same.
        out.extend(self.same_side.get(term).into_iter().flatten().map(|roots| form(roots, SYNONYM, false)));
        let kinds = std::iter::once(term).chain(same.iter().map(|roots| roots.as_slice()));
        out.extend(kinds.filter_map(|t| self.kinds.get(t)).flatten().map(|roots| form(roots, MEMBER, false)));
        out
    }

    /// Returns the general words of which a term is a member: "appliance" of "oven".
    pub(super) fn general(&self, term: &[String]) -> Vec<Vec<String>> {
        let same = self.synonyms.get(term).into_iter().flatten().map(Vec::as_slice);
        let all = std::iter::once(term).chain(same);
        all.filter_map(|term| self.general.get(term)).flatten().cloned().collect()
    }

    /// Whether a word says little about the subject of a question.
    pub(super) fn is_light(&self, word: &str) -> bool {
        self.light.contains(word) || self.light.contains(&singular(word))
    }

    /// Whether a verb is implied by its subject.
    pub(super) fn is_implied(&self, word: &str) -> bool {
        self.implied.contains(&root(word))
    }

    /// Whether a word is a role of people.
    pub(super) fn is_role(&self, word: &str) -> bool {
        self.roles.contains(&root(word))
    }

    /// Whether a word after "open" belongs to opening hours.
    pub(super) fn follows_open(&self, word: &str) -> bool {
        self.after_open.contains(word)
    }

    /// Whether these roots speak of prices.
    pub(super) fn speaks_of_prices(&self, words: &[String]) -> bool {
        let forms = self.forms(&roots("price"));
        words.iter().any(|word| forms.iter().any(|form| form.roots.as_slice() == std::slice::from_ref(word)))
    }

    /// Whether a word is a part of the day: "evening".
    pub(super) fn is_part_of_day(&self, word: &str) -> bool {
        matches!(singular(word).as_str(), "morning" | "afternoon" | "evening" | "night")
    }

    /// Whether a word is a period that prices cover: "night".
    pub(super) fn is_period(&self, word: &str) -> bool {
        self.periods.contains(&root(word))
    }

    /// Whether a text names a pack of several things.
    pub(super) fn names_pack(&self, text: &str) -> bool {
        roots(text).iter().any(|root| self.packs.contains(root))
    }

    /// Whether all of these words only say that something is on a list of prices.
    pub(super) fn is_listed(&self, words: &str) -> bool {
        roots(words).iter().all(|root| self.listed.contains(root))
    }

    /// Whether a word speaks of low prices (true) or of high ones (false).
    pub(super) fn price_order(&self, word: &str) -> Option<bool> {
        match word {
            word if self.cheap.contains(word) => Some(true),
            word if self.expensive.contains(word) => Some(false),
            _ => None,
        }
    }

    /// Whether a word or another form of it is in the vocabulary.
    pub(super) fn knows_root(&self, word: &str) -> bool {
        self.roots.contains(&root(word))
    }

    /// Whether a term begins with a verb of events.
    pub(super) fn is_event_verb(&self, term: &[String]) -> bool {
        term.first().is_some_and(|root| self.event_verbs.contains(root))
    }

    /// Whether a word is in the vocabulary.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.words.contains(word) || self.words.contains(&singular(word))
    }

    /// Returns all words, in order.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Returns the tag of the language, other than English, in which most of these words are
    /// function words.
    pub(super) fn other_language(&self, words: &[String]) -> Option<&str> {
        let share = |set: &HashSet<String>| words.iter().filter(|word| set.contains(*word)).count();
        let best = self.languages.iter().max_by_key(|(_, set)| share(set))?;
        (share(best.1) * 5 >= words.len() * 2 && share(best.1) >= 2).then_some(best.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_forms_share_a_root() {
        for (one, other) in [
            ("deliveries", "delivered"),
            ("built", "building"),
            ("replaced", "replacement"),
            ("children", "child"),
            ("opening", "opens"),
        ] {
            assert_eq!(root(one), root(other), "{one} {other}");
        }
        assert_ne!(root("boiler"), root("board"));
    }

    #[test]
    fn forms_hold_synonyms_members_and_opposites() {
        let has = |term: &str, form: &str, opposite: bool| {
            let forms = VOCABULARY.forms(&roots(term));
            forms.iter().any(|f| f.roots == roots(form) && f.opposite == opposite)
        };
        assert!(has("fridge", "refrigerator", false));
        assert!(has("fruit", "pears", false));
        assert!(!has("pear", "fruit", false));
        assert!(has("working", "out of order", true));
        assert!(!has("soap", "bread", false));
    }

    #[test]
    fn names_other_languages() {
        let of = |text: &str| VOCABULARY.other_language(&tokens(text)).map(str::to_owned);
        assert_eq!(of("Wo ist die Küche und wie viel kostet es?").as_deref(), Some("de"));
        assert_eq!(of("Quel est le mot de passe du wifi ?").as_deref(), Some("fr"));
        assert_eq!(of("¿Cuánto cuesta el pan?").as_deref(), Some("es"));
        assert_eq!(of("Where is the kitchen and how much is it?"), None);
    }
}
