//! The rooms that sentences and signs name.

pub(crate) mod lexicon;
mod signs;

pub(crate) use signs::{name_on_room_sign, room_on_sign};

use lexicon::{cue_at, is_determiner, means_elsewhere, means_return, room_at, words};

/// Words that may stand between a cue and a name besides articles ("this is the small, bright kitchen").
const MAX_ADJECTIVES: usize = 3;
/// Words after a name in which something may say that the room is elsewhere.
const MAX_WORDS_AFTER_NAME: usize = 4;

/// The rooms that a sentence says one is in. A mere mention ("the bedroom is upstairs") names nothing.
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

/// The name that follows a cue.
fn room_after_cue(list: &[String]) -> Option<&'static str> {
    let mut adjectives = 0;
    for at in 0..list.len() {
        if let Some((room, length)) = room_at(&list[at..]) {
            let rest = &list[at + length..];
            // "the kitchen door", "the bedroom upstairs"; not "the kitchen with a table by the window".
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

/// A sentence that is nothing but a name: "The kitchen." or "And now the bathroom."
fn bare_room_name(sentence: &str) -> Option<&'static str> {
    let list = words(sentence);
    let start = list
        .iter()
        .position(|w| !is_determiner(w) && !matches!(w.as_str(), "and" | "so" | "okay" | "ok" | "finally"))?;
    let (room, length) = room_at(&list[start..])?;
    (start + length == list.len()).then_some(room)
}

/// Whether a sentence says that one has been here before: "We are back in the kitchen."
pub(crate) fn says_return(sentence: &str) -> bool {
    words(sentence).iter().any(|word| means_return(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_the_room_in_view_and_those_that_only_mention_one() {
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
    fn words_that_say_one_was_here_before() {
        assert!(says_return("We are back in the hallway.") && says_return("And the kitchen again"));
        assert!(!says_return("This is the backyard") && !says_return("This is the kitchen."));
    }
}
