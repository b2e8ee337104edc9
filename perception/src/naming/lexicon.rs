//! Lexicon of room names by language, and of the words around them, from `lexicon.json`.
//!
//! A name counts in one language only: "bad" is a bathroom in German. Names that are ordinary words
//! too ("study", "bar", "hall") or that form other nouns ("town hall") are marked as alone: nothing
//! but a determiner may stand before them, and on a sign they fill the line.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Language of a text, which decides which names are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language<'a> {
    /// Names of this language, given by its primary subtag, for example `de`.
    Is(&'a str),
    /// The language is unknown: unambiguous names of all languages.
    Unknown,
}

impl Language<'_> {
    /// Language of models that transcribe into English.
    pub(crate) const ENGLISH: Language<'static> = Language::Is("en");

    /// Returns the language of a BCP 47 tag, for example `de` for `de-AT`.
    pub(crate) fn of_tag(tag: &str) -> Language<'_> {
        match tag.split(['-', '_']).next().unwrap_or_default() {
            "" | "und" | "mul" => Language::Unknown,
            language => Language::Is(language),
        }
    }
}

/// A room name that was found in a list of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RoomName {
    /// Room type.
    pub(crate) room: &'static str,
    /// Number of words of the name.
    pub(crate) length: usize,
    /// True if no other noun or adjective may stand before the name.
    pub(crate) alone: bool,
}

/// Phrases that precede a room name in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cues {
    /// Before the room in view.
    pub(crate) present: Vec<String>,
    /// Before the room that is entered next.
    pub(crate) announcing: Vec<String>,
    /// Words without meaning for a cue.
    pub(crate) fillers: Vec<String>,
    /// Words that may follow a name: after any other word the name is part of another noun.
    pub(crate) continues: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Names {
    names: Vec<String>,
    alone: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Names by room type and language.
    rooms: BTreeMap<String, BTreeMap<String, Names>>,
    /// Phrases before names by language. English has a grammar instead.
    cues: BTreeMap<String, Cues>,
    /// Words that may stand between a cue and a name, by language.
    determiners: BTreeMap<String, Vec<String>>,
    /// Words that express a return, by language.
    returns: BTreeMap<String, Vec<String>>,
    /// Rooms whose signs usually hang elsewhere, pointing to them, or above a desk.
    pointed: Vec<String>,
    /// Phrases of warnings, in all languages.
    warnings: Vec<String>,
}

struct Entry {
    language: String,
    words: Vec<String>,
    room: String,
    alone: bool,
}

struct Lexicon {
    /// Entries, longer names first: "dining room" before "room".
    entries: Vec<Entry>,
    warnings: Vec<Vec<String>>,
    file: File,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is compiled in, and a test parses it.
    let file: File = serde_json::from_str(include_str!("lexicon.json")).expect("the lexicon is well-formed");
    let mut entries = Vec::new();
    for (room, languages) in &file.rooms {
        for (language, names) in languages {
            let marked = names.names.iter().map(|name| (name, false));
            for (name, alone) in marked.chain(names.alone.iter().map(|name| (name, true))) {
                let (language, room) = (language.clone(), room.clone());
                entries.push(Entry { language, words: words(name), room, alone });
            }
        }
    }
    entries.sort_by(|a, b| b.words.len().cmp(&a.words.len()).then(a.words.cmp(&b.words)));
    Lexicon { entries, warnings: file.warnings.iter().map(|phrase| words(phrase)).collect(), file }
});

/// Splits a text into lower-case words without surrounding punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    let clean = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
    text.to_lowercase().split_whitespace().map(clean).filter(|w| !w.is_empty()).collect()
}

/// Returns the longest room name that starts a list of words. Of an unknown language, only names
/// that mean nothing else count.
pub(crate) fn room_at(list: &[String], language: Language) -> Option<RoomName> {
    let fits = |entry: &&Entry| match language {
        Language::Is(language) => entry.language == language,
        Language::Unknown => !entry.alone,
    };
    let entry = LEXICON.entries.iter().filter(fits).find(|entry| list.starts_with(&entry.words))?;
    Some(RoomName { room: &entry.room, length: entry.words.len(), alone: entry.alone })
}

/// Returns the phrases around names of a language other than English.
pub(crate) fn cues(language: &str) -> Option<&'static Cues> {
    LEXICON.file.cues.get(language)
}

/// Returns the languages that have cues.
pub(crate) fn languages_with_cues() -> impl Iterator<Item = &'static str> {
    LEXICON.file.cues.keys().map(String::as_str)
}

/// Returns true if a word is an article or a possessive pronoun of a language.
pub(crate) fn is_determiner(word: &str, language: &str) -> bool {
    LEXICON.file.determiners.get(language).is_some_and(|words| words.iter().any(|known| known == word))
}

/// Returns true if a word expresses a return.
pub(crate) fn means_return(word: &str, language: Language) -> bool {
    let returns = &LEXICON.file.returns;
    let has = |words: &Vec<String>| words.iter().any(|known| known == word);
    match language {
        Language::Is(language) => returns.get(language).is_some_and(has),
        Language::Unknown => returns.values().any(has),
    }
}

/// Returns true if a sign with this room's name often hangs outside the room.
pub(crate) fn is_directional(room: &str) -> bool {
    LEXICON.file.pointed.iter().any(|pointed| pointed == room)
}

/// Returns true if a text contains a warning.
pub(crate) fn contains_warning(list: &[&str]) -> bool {
    let contains = |phrase: &Vec<String>| list.windows(phrase.len()).any(|w| w.iter().eq(phrase.iter()));
    LEXICON.warnings.iter().any(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(text: &str, language: Language) -> Option<&'static str> {
        room_at(&words(text), language).map(|name| name.room)
    }

    #[test]
    fn prefers_longer_names() {
        assert_eq!(room("Meeting Room 2", Language::ENGLISH), Some("meeting room"));
        assert_eq!(room("W.C.", Language::ENGLISH), Some("toilet"));
        assert!(is_determiner("the", "en") && !is_determiner("der", "en"));
    }

    #[test]
    fn a_name_counts_in_its_language_only() {
        for (word, language, expected) in [
            ("bad", "de", Some("bathroom")),
            ("labor", "de", Some("laboratory")),
            ("lager", "de", Some("storage")),
            ("cave", "fr", Some("cellar")),
            ("salon", "fr", Some("living room")),
            ("bureau", "fr", Some("office")),
            ("study", "en", Some("office")),
        ] {
            assert_eq!(room(word, Language::Is(language)), expected, "{word} in {language}");
            let other = if language == "en" { "de" } else { "en" };
            assert_eq!(room(word, Language::Is(other)), None, "{word} in {other}");
            assert_eq!(room(word, Language::Unknown), None, "{word} in an unknown language");
        }
        assert_eq!(room("Küche", Language::Unknown), Some("kitchen"));
        assert_eq!(Language::of_tag("de-AT"), Language::Is("de"));
    }

    #[test]
    fn names_are_unique_within_a_language() {
        let mut names: Vec<_> = LEXICON.entries.iter().map(|e| (&e.language, &e.words)).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
