//! Words that name rooms, and words around them. The lists are data (`lexicon.json`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Room type, and what it is called.
    rooms: BTreeMap<String, Vec<String>>,
    /// What people say right before they name the room they are in.
    cues: Vec<String>,
    /// Words that may stand between such a cue and the name.
    determiners: Vec<String>,
    /// Words after a name that say it is not about where one stands.
    elsewhere: Vec<String>,
    /// Words right after a name that make it the name of something else: Garden House, Kitchen Street.
    surnames: Vec<String>,
    /// Words that say one has been there before.
    returns: Vec<String>,
    /// Rooms whose signs hang where they point from, or over a desk.
    pointed: Vec<String>,
    /// Words of a text that warns.
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
    // The file is part of the program; a test reads it.
    let file: File = serde_json::from_str(include_str!("lexicon.json")).expect("the lexicon is well-formed");
    let mut rooms: Vec<(Vec<String>, String)> = file
        .rooms
        .iter()
        .flat_map(|(kind, names)| names.iter().map(|name| (words(name), kind.clone())))
        .collect();
    // "dining room" before "room" and the like.
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

/// Lower-case words, without the punctuation around them.
pub(crate) fn words(text: &str) -> Vec<String> {
    let clean = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
    text.to_lowercase().split_whitespace().map(clean).filter(|w| !w.is_empty()).collect()
}

/// The room type that a list of words starts with, and how many words its name has.
pub(crate) fn room_at(list: &[String]) -> Option<(&'static str, usize)> {
    let found = LEXICON.rooms.iter().find(|(name, _)| list.starts_with(name))?;
    let surname = list.get(found.0.len()).is_some_and(|next| LEXICON.surnames.contains(next));
    (!surname).then_some((found.1.as_str(), found.0.len()))
}

/// The length of the cue that a list of words starts with.
pub(crate) fn cue_at(list: &[String]) -> Option<usize> {
    LEXICON.cues.iter().find(|cue| list.starts_with(cue)).map(Vec::len)
}

/// Whether a word may stand between a cue and a name.
pub(crate) fn determines(word: &str) -> bool {
    LEXICON.determiners.iter().any(|d| d == word)
}

/// Whether a word after a name says that the room is somewhere else, or that the name is part of another.
pub(crate) fn elsewhere(word: &str) -> bool {
    LEXICON.elsewhere.iter().any(|d| d == word)
}

/// Whether a word says that one has been there before.
pub(crate) fn returns(word: &str) -> bool {
    LEXICON.returns.iter().any(|r| r == word)
}

/// Whether a sign with this room's name says little of where it hangs.
pub(crate) fn pointed_to(room: &str) -> bool {
    LEXICON.pointed.iter().any(|p| p == room)
}

/// Whether a text warns.
pub(crate) fn warns(list: &[&str]) -> bool {
    let holds = |phrase: &Vec<String>| list.windows(phrase.len()).any(|w| w.iter().eq(phrase.iter()));
    LEXICON.warnings.iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lexicon_is_well_formed_and_longest_names_win() {
        assert_eq!(room_at(&words("Meeting Room 2")), Some(("meeting room", 2)));
        assert_eq!(room_at(&words("living room")), Some(("living room", 2)));
        assert_eq!(room_at(&words("W.C.")), Some(("toilet", 1)));
        assert_eq!(cue_at(&words("Here we have the kitchen")), Some(3));
        assert_eq!((room_at(&words("Garden House")), room_at(&words("garden"))), (None, Some(("garden", 1))));
        assert!(determines("the") && elsewhere("upstairs"));
    }

    #[test]
    fn no_name_stands_for_two_rooms() {
        let mut names: Vec<_> = LEXICON.rooms.iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
