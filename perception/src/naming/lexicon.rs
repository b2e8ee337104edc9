//! Lexicon of room names and the words around them, from `lexicon.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Names of each room type.
    rooms: BTreeMap<String, Vec<String>>,
    /// Phrases that precede the name of the room in view.
    cues: Vec<String>,
    /// Words that may stand between a cue and a name.
    determiners: Vec<String>,
    /// Words after a name which say that the room is elsewhere.
    elsewhere: Vec<String>,
    /// Words directly after a name that make it part of another name: Garden House, Kitchen Street.
    surnames: Vec<String>,
    /// Words that express a return.
    returns: Vec<String>,
    /// Rooms whose signs usually hang elsewhere, pointing to them, or above a desk.
    pointed: Vec<String>,
    /// Phrases of warnings.
    warnings: Vec<String>,
}

struct Lexicon {
    rooms: Vec<(Vec<String>, String)>,
    cues: Vec<Vec<String>>,
    determiners: Vec<String>,
    elsewhere: Vec<String>,
    surnames: Vec<String>,
    returns: Vec<String>,
    pointed: Vec<String>,
    warnings: Vec<Vec<String>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is compiled in, and a test parses it.
    let file: File = serde_json::from_str(include_str!("lexicon.json")).expect("the lexicon is well-formed");
    let mut rooms: Vec<(Vec<String>, String)> = file
        .rooms
        .iter()
        .flat_map(|(kind, names)| names.iter().map(|name| (words(name), kind.clone())))
        .collect();
    // Longer names first: "dining room" before "room".
    rooms.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
    let phrases = |list: &[String]| {
        let mut phrases: Vec<Vec<String>> = list.iter().map(|p| words(p)).collect();
        phrases.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        phrases
    };
    Lexicon {
        rooms,
        cues: phrases(&file.cues),
        determiners: file.determiners,
        elsewhere: file.elsewhere,
        surnames: file.surnames,
        returns: file.returns,
        pointed: file.pointed,
        warnings: phrases(&file.warnings),
    }
});

/// Splits a text into lower-case words without surrounding punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    let clean = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
    text.to_lowercase().split_whitespace().map(clean).filter(|w| !w.is_empty()).collect()
}

/// Returns the room type whose name starts the list of words, and the number of words of that name.
pub(crate) fn room_at(list: &[String]) -> Option<(&'static str, usize)> {
    let found = LEXICON.rooms.iter().find(|(name, _)| list.starts_with(name))?;
    let surname = list.get(found.0.len()).is_some_and(|next| LEXICON.surnames.contains(next));
    (!surname).then_some((found.1.as_str(), found.0.len()))
}

/// Returns the length of the cue that starts the list of words.
pub(crate) fn cue_at(list: &[String]) -> Option<usize> {
    LEXICON.cues.iter().find(|cue| list.starts_with(cue)).map(Vec::len)
}

/// Returns true if a word may stand between a cue and a name.
pub(crate) fn is_determiner(word: &str) -> bool {
    LEXICON.determiners.iter().any(|d| d == word)
}

/// Returns true if a word after a name says that the room is elsewhere or that the name is part of
/// another.
pub(crate) fn means_elsewhere(word: &str) -> bool {
    LEXICON.elsewhere.iter().any(|d| d == word)
}

/// Returns true if a word expresses a return.
pub(crate) fn means_return(word: &str) -> bool {
    LEXICON.returns.iter().any(|r| r == word)
}

/// Returns true if a sign with this room's name often hangs outside the room.
pub(crate) fn is_directional(room: &str) -> bool {
    LEXICON.pointed.iter().any(|p| p == room)
}

/// Returns true if a text contains a warning.
pub(crate) fn contains_warning(list: &[&str]) -> bool {
    let contains = |phrase: &Vec<String>| list.windows(phrase.len()).any(|w| w.iter().eq(phrase.iter()));
    LEXICON.warnings.iter().any(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_lexicon_and_prefers_longer_names() {
        assert_eq!(room_at(&words("Meeting Room 2")), Some(("meeting room", 2)));
        assert_eq!(room_at(&words("living room")), Some(("living room", 2)));
        assert_eq!(room_at(&words("W.C.")), Some(("toilet", 1)));
        assert_eq!(cue_at(&words("Here we have the kitchen")), Some(3));
        assert_eq!((room_at(&words("Garden House")), room_at(&words("garden"))), (None, Some(("garden", 1))));
        assert!(is_determiner("the") && means_elsewhere("upstairs"));
    }

    #[test]
    fn room_names_are_unique() {
        let mut names: Vec<_> = LEXICON.rooms.iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
