//! Finds room names on signs.

use super::lexicon::{Language, is_directional, room_at, words};

/// Maximum number of words before the name on a room sign ("Staff Kitchen").
const MAX_WORDS_BEFORE_NAME: usize = 2;
/// Maximum length of a room's number or letter after the name ("Meeting Room 2", "Office 3.12b").
const MAX_NUMBER_CHARS: usize = 5;
/// Words with which a line is a notice or points elsewhere.
const NOTICE_WORDS: &[&str] = &[
    "to", "no", "not", "for", "of", "and", "or", "in", "on", "at", "the", "this", "is", "your", "our", "my",
    "please", "keep", "next", "welcome", "via", "with", "from", "by",
];

/// Returns the room that a sign names. The name fills the line, apart from a number. In the
/// declared language up to two words may precede it.
pub(crate) fn room_on_sign(raw: &str, declared: Language) -> Option<&'static str> {
    // A sign with an arrow names a room elsewhere.
    if raw.contains(['←', '→', '↑', '↓', '»', '«', '>', '<', '?', '!', '@', '/']) {
        return None;
    }
    let list = words(raw);
    let whole_line = |language: Language| {
        let name = room_at(&list, language)?;
        list[name.length..].iter().all(|word| is_number(word)).then_some(name.room)
    };
    let with_words_before = || {
        (1..=MAX_WORDS_BEFORE_NAME.min(list.len())).find_map(|at| {
            let name = room_at(&list[at..], declared).filter(|name| !name.alone)?;
            let plain = |word: &String| !NOTICE_WORDS.contains(&word.as_str()) && !is_number(word);
            let ends = list[at + name.length..].iter().all(|word| is_number(word));
            (ends && list[..at].iter().all(plain)).then_some(name.room)
        })
    };
    whole_line(declared)
        .or_else(|| whole_line(Language::Unknown))
        .or_else(with_words_before)
        .filter(|room| !is_directional(room))
}

/// Returns the name on a room sign: the room type or the room number ("Room 214").
pub(crate) fn name_on_room_sign(raw: &str) -> Option<String> {
    let list = words(raw);
    let is_room_number = |word: &String| word.chars().any(|c| c.is_ascii_digit()) && is_number(word);
    match &list[..] {
        [room, number] if room == "room" && is_room_number(number) => Some(format!("{room} {number}")),
        _ => room_on_sign(raw, Language::ENGLISH).map(str::to_owned),
    }
}

/// Returns true for the number or letter of a room: `2`, `b`, `3.12b`.
fn is_number(word: &str) -> bool {
    word.len() <= MAX_NUMBER_CHARS
        && (word.chars().any(|c| c.is_ascii_digit()) || (word.len() == 1 && word.is_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_room_signs() {
        for (raw, room) in [
            ("KITCHEN", Some("kitchen")),
            ("Meeting Room 2", Some("meeting room")),
            ("Office B", Some("office")),
            ("WC", Some("toilet")),
            ("Staff Kitchen", Some("kitchen")),
            ("HALL", Some("hallway")),
            ("Küche", Some("kitchen")),
            ("→ Kitchen", None),
            ("Garden House", None),
            ("To the kitchen", None),
            ("Please keep this kitchen clean and tidy", None),
            ("Kitchen door", None),
            ("Kitchen sale 20%", None),
            ("EXIT", None),
            ("RECEPTION", None),
            ("Town hall", None),
            ("Hair salon", None),
            ("Chocolate bar", None),
            ("Case study", None),
            ("kitchen@example.com", None),
        ] {
            assert_eq!(room_on_sign(raw, Language::ENGLISH), room, "{raw}");
        }
    }

    #[test]
    fn words_of_other_languages_count_if_they_mean_nothing_else() {
        for word in ["BAD", "LABOR", "CAVE", "SALON", "LAGER", "BUREAU", "CAMERA", "GANG"] {
            assert_eq!(room_on_sign(word, Language::ENGLISH), None, "{word}");
        }
        assert_eq!(room_on_sign("BAD", Language::Is("de")), Some("bathroom"));
        assert_eq!(room_on_sign("Lager 2", Language::Is("de")), Some("storage"));
        assert_eq!(room_on_sign("SALON", Language::Is("fr")), Some("living room"));
        assert_eq!(room_on_sign("KITCHEN", Language::Is("de")), Some("kitchen"));
    }

    #[test]
    fn returns_type_or_number_of_a_room_sign() {
        assert_eq!(name_on_room_sign("ROOM 214").as_deref(), Some("room 214"));
        assert_eq!(name_on_room_sign("OFFICE").as_deref(), Some("office"));
        assert_eq!((name_on_room_sign("ROOM SERVICE"), name_on_room_sign("NO SMOKING")), (None, None));
    }
}
