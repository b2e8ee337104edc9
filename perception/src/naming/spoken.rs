//! Finds the rooms that a sentence names, and whether it names the room in view, the room that is
//! entered next, or only mentions a room.

use super::english;
use super::lexicon::{Language, cues, is_determiner, languages_with_cues, means_return, room_at, words};
use super::stance::{MAX_ADJECTIVES, Stance};

/// A room that a sentence names as present or next. Rooms that are only mentioned, negated, past or
/// elsewhere are not listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpokenRoom {
    /// Room type.
    pub(crate) room: &'static str,
    /// Present or next.
    pub(crate) stance: Stance,
    /// Position of the name, as a share of the sentence's length, 0 to 1.
    pub(crate) position: f64,
}

/// Returns the rooms that a sentence names as present or next, each once, in order.
pub(crate) fn spoken_rooms(sentence: &str, language: Language) -> Vec<SpokenRoom> {
    let mut out: Vec<SpokenRoom> = Vec::new();
    let length = sentence.chars().count().max(1) as f64;
    let mut passed = 0;
    let clauses: Vec<&str> = sentence.split_inclusive([',', ';', ':', '.', '!', '?', '–', '—']).collect();
    for clause in &clauses {
        let list = words(clause);
        let found = match language {
            Language::Is("en") => english::rooms(&list),
            Language::Is(language) => rooms_after_cues(&list, language),
            Language::Unknown => {
                let english = english::rooms(&list);
                let others = || languages_with_cues().map(|language| rooms_after_cues(&list, language));
                if english.is_empty() {
                    others().find(|r| !r.is_empty()).unwrap_or_default()
                } else {
                    english
                }
            }
        };
        for (room, stance, at) in found {
            let within = clause.chars().count() as f64 * at as f64 / list.len().max(1) as f64;
            if out.iter().all(|known| known.room != room) {
                out.push(SpokenRoom { room, stance, position: (f64::from(passed) + within) / length });
            }
        }
        passed += u32::try_from(clause.chars().count()).unwrap_or_default();
    }
    out
}

/// Returns the rooms that a sentence names as the room in view or the one that is just entered, in
/// any language.
pub(crate) fn rooms_announced(sentence: &str) -> Vec<&'static str> {
    spoken_rooms(sentence, Language::Unknown).into_iter().map(|spoken| spoken.room).collect()
}

/// Returns true if a sentence expresses a return: "We are back in the kitchen."
pub(crate) fn says_return(sentence: &str) -> bool {
    words(sentence).iter().any(|word| means_return(word, Language::Unknown))
}

/// Finds names in a clause of a language without a grammar: a cue, determiners and adjectives, a
/// name, and the end of its noun phrase. Returns the room, its stance and the index of its word.
fn rooms_after_cues(list: &[String], language: &str) -> Vec<(&'static str, Stance, usize)> {
    let Some(cues) = cues(language) else { return Vec::new() };
    let meaningful = |list: &[String]| -> Vec<String> {
        list.iter().filter(|word| !cues.fillers.contains(word)).cloned().collect()
    };
    let list = meaningful(list);
    let longest = |phrases: &[String], at: usize| {
        phrases
            .iter()
            .map(|p| meaningful(&words(p)))
            .filter(|p| list[at..].starts_with(p))
            .map(|p| p.len())
            .max()
    };
    for at in 0..list.len() {
        let present = longest(&cues.present, at).map(|length| (length, Stance::Present));
        let announcing = longest(&cues.announcing, at).map(|length| (length, Stance::Announced));
        let Some((length, stance)) = present.into_iter().chain(announcing).max_by_key(|(length, _)| *length)
        else {
            continue;
        };
        let start = at + length;
        let mut adjectives = 0;
        for (offset, word) in list[start..].iter().enumerate() {
            let here = start + offset;
            if let Some(name) = room_at(&list[here..], Language::Is(language)) {
                let next = list.get(here + name.length);
                let ends = next.is_none_or(|word| {
                    cues.continues.contains(word) || word.chars().all(|c| c.is_ascii_digit())
                });
                let fits = ends && !(name.alone && adjectives > 0);
                return if fits { vec![(name.room, stance, here)] } else { Vec::new() };
            }
            adjectives += usize::from(!is_determiner(word, language));
            if adjectives > MAX_ADJECTIVES
                || (!is_determiner(word, language) && cues.continues.contains(word))
            {
                return Vec::new();
            }
        }
        return Vec::new();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(sentence: &str, language: Language) -> Vec<&'static str> {
        let is_present = |spoken: &SpokenRoom| spoken.stance == Stance::Present;
        spoken_rooms(sentence, language).into_iter().filter(is_present).map(|spoken| spoken.room).collect()
    }

    #[test]
    fn finds_names_of_the_declared_language() {
        for (language, sentence, room) in [
            ("de", "Das ist das Bad.", Some("bathroom")),
            ("de", "Und jetzt sind wir in der Küche.", None),
            ("de", "Wir sind jetzt in der Küche.", Some("kitchen")),
            ("de", "Wir sind in der großen hellen Küche.", Some("kitchen")),
            ("de", "Hier ist der Küchentisch.", None),
            ("fr", "Voici le salon.", Some("living room")),
            ("fr", "Voici la salle de bains principale.", Some("bathroom")),
            ("es", "Aquí está la cocina.", Some("kitchen")),
            ("it", "Questa è la cucina.", Some("kitchen")),
            ("nl", "Dit is de badkamer.", Some("bathroom")),
            ("pt", "Esta é a cozinha.", Some("kitchen")),
        ] {
            let found = present(sentence, Language::Is(language));
            assert_eq!(found, room.into_iter().collect::<Vec<_>>(), "{sentence}");
        }
        assert_eq!(
            spoken_rooms("Als nächstes kommt das Bad.", Language::Is("de"))[0].stance,
            Stance::Announced
        );
    }

    #[test]
    fn words_of_another_language_name_no_room() {
        for sentence in [
            "This is a bad corner.",
            "Here we have a cave painting.",
            "This is the labor of love.",
            "This is the hair salon.",
            "Here is a lager.",
            "This is the cave.",
        ] {
            assert!(spoken_rooms(sentence, Language::ENGLISH).is_empty(), "{sentence}");
            assert!(rooms_announced(sentence).is_empty(), "{sentence}");
        }
        assert!(spoken_rooms("Das ist die kitchen.", Language::Is("de")).is_empty());
    }

    #[test]
    fn tells_where_in_the_sentence_a_room_is_named() {
        let found =
            spoken_rooms("It was quite cold outside today, but this is the kitchen.", Language::ENGLISH);
        assert!(found[0].position > 0.6 && found[0].position < 1.0, "{found:?}");
    }

    #[test]
    fn recognises_returns() {
        assert!(says_return("We are back in the hallway.") && says_return("And the kitchen again"));
        assert!(!says_return("This is the backyard") && !says_return("This is the kitchen."));
    }
}
