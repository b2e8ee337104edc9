//! Finds room names on signs.

use super::lexicon::{is_directional, means_elsewhere, room_at, words};

/// Maximum number of other words on a room sign ("Meeting Room 2", "Staff Kitchen").
const MAX_OTHER_WORDS: usize = 2;

/// Returns the room that a sign names.
pub(crate) fn room_on_sign(raw: &str) -> Option<&'static str> {
    // A sign with an arrow names a room elsewhere.
    if raw.contains(['←', '→', '↑', '↓', '»', '«', '>', '<', '?', '!']) {
        return None;
    }
    let list = words(raw);
    let (at, (room, length)) =
        (0..list.len()).find_map(|at| room_at(&list[at..]).map(|found| (at, found)))?;
    let others = list.len() - length;
    let fits = others <= MAX_OTHER_WORDS
        && list.iter().enumerate().all(|(i, word)| {
            (at..at + length).contains(&i)
                || !(means_elsewhere(word) || matches!(word.as_str(), "to" | "no" | "for" | "of" | "and"))
        });
    (fits && !is_directional(room)).then_some(room)
}

/// Returns the name on a room sign: the room type or the room number ("Room 214").
pub(crate) fn name_on_room_sign(raw: &str) -> Option<String> {
    let list = words(raw);
    let is_number = |word: &String| word.chars().any(|c| c.is_ascii_digit()) && word.len() <= 5;
    match &list[..] {
        [room, number] if room == "room" && is_number(number) => Some(format!("{room} {number}")),
        _ => room_on_sign(raw).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_room_signs() {
        for (raw, room) in [
            ("KITCHEN", Some("kitchen")),
            ("Meeting Room 2", Some("meeting room")),
            ("WC", Some("toilet")),
            ("Staff Kitchen", Some("kitchen")),
            ("→ Kitchen", None),
            ("Garden House", None),
            ("To the kitchen", None),
            ("Please keep this kitchen clean and tidy", None),
            ("Kitchen door", None),
            ("EXIT", None),
            ("RECEPTION", None),
        ] {
            assert_eq!(room_on_sign(raw), room, "{raw}");
        }
    }

    #[test]
    fn returns_type_or_number_of_a_room_sign() {
        assert_eq!(name_on_room_sign("ROOM 214").as_deref(), Some("room 214"));
        assert_eq!(name_on_room_sign("OFFICE").as_deref(), Some("office"));
        assert_eq!((name_on_room_sign("ROOM SERVICE"), name_on_room_sign("NO SMOKING")), (None, None));
    }
}
