//! Finds room names in sentences and on signs.

pub(crate) mod lexicon;
mod signs;

pub(crate) use signs::{name_on_room_sign, room_on_sign};

use lexicon::{cue_at, is_determiner, means_elsewhere, means_return, room_at, words};

/// Maximum number of words between a cue and a name besides articles ("this is the small, bright
/// kitchen").
const MAX_ADJECTIVES: usize = 3;
/// Number of words after a name that are checked for a hint that the room is elsewhere.
const MAX_WORDS_AFTER_NAME: usize = 4;

/// Returns the rooms that a sentence announces as the room in view. A mere mention ("the bedroom is
/// upstairs") does not count.
pub(crate) fn rooms_announced(sentence: &str) -> Vec<&'static str> {
    let mut out = Vec::new();
    for clause in sentence.split([',', ';', ':', '.', '!', '?', '–', '—']) {
        let list = words(clause);
        for start in 0..list.len() {
            let Some(cue) = cue_at(&list[start..]) else { continue };
            if let Some(room) = room_after_cue(&list[start + cue..]).filter(|room| !out.contains(room)) {
                out.push(room);
            }
            break;
        }
    }
    if out.is_empty() {
        out.extend(bare_room_name(sentence));
    }
    out
}

/// Returns the room whose name follows a cue.
fn room_after_cue(list: &[String]) -> Option<&'static str> {
    let mut adjectives = 0;
    for at in 0..list.len() {
        if let Some((room, length)) = room_at(&list[at..]) {
            let rest = &list[at + length..];
            // Rejects "the kitchen door" and "the bedroom upstairs", but not "the kitchen with a
            // table by the window".
            let cut = rest
                .iter()
                .position(|w| matches!(w.as_str(), "with" | "and" | "where" | "which" | "it" | "that"));
            let near = &rest[..cut.unwrap_or(rest.len()).min(MAX_WORDS_AFTER_NAME)];
            return (!near.iter().any(|w| means_elsewhere(w))).then_some(room);
        }
        if matches!(
            list[at].as_str(),
            "to" | "of" | "from" | "near" | "by" | "for" | "not" | "no" | "where" | "at" | "on" | "door"
        ) {
            return None;
        }
        adjectives += usize::from(!is_determiner(&list[at]));
        if adjectives > MAX_ADJECTIVES {
            return None;
        }
    }
    None
}

/// Returns the room of a sentence that consists of a name only: "The kitchen." or "And now the
/// bathroom."
fn bare_room_name(sentence: &str) -> Option<&'static str> {
    let list = words(sentence);
    let start = list
        .iter()
        .position(|w| !is_determiner(w) && !matches!(w.as_str(), "and" | "so" | "okay" | "ok" | "finally"))?;
    let (room, length) = room_at(&list[start..])?;
    (start + length == list.len()).then_some(room)
}

/// Returns true if a sentence expresses a return: "We are back in the kitchen."
pub(crate) fn says_return(sentence: &str) -> bool {
    words(sentence).iter().any(|word| means_return(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_announcements_from_mentions() {
        for (sentence, rooms) in [
            ("This is the kitchen.", &["kitchen"][..]),
            ("And here we have a small bright bathroom with a window.", &["bathroom"]),
            ("Welcome to our living room", &["living room"]),
            ("Now we are in the master bedroom, and it has a balcony.", &["bedroom"]),
            ("We're back in the hallway", &["hallway"]),
            ("And now, the office.", &["office"]),
            ("The bedroom is upstairs.", &[]),
            ("This is the door to the kitchen.", &[]),
            ("This is the kitchen door", &[]),
            ("The kitchen is next to the office.", &[]),
            ("You can see the garden from here.", &[]),
            ("Here is the way to the bathroom.", &[]),
            ("There is a sink in the bathroom upstairs", &[]),
            ("This is not the kitchen", &[]),
        ] {
            assert_eq!(rooms_announced(sentence), rooms, "{sentence}");
        }
    }

    #[test]
    fn recognises_returns() {
        assert!(says_return("We are back in the hallway.") && says_return("And the kitchen again"));
        assert!(!says_return("This is the backyard") && !says_return("This is the kitchen."));
    }
}
