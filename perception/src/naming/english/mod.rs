//! A small grammar of English sentences about rooms.
//!
//! A clause names a room as present or next if everything before the name belongs to a closed set of
//! words for that purpose ("we are standing in", "through here we have"). Any other word makes it a
//! mere mention: silence is better than a wrong name.

mod words;

use self::words::{
    AFTER_NAME, ANNOUNCED_BY_PREDICATE, ANNOUNCING, ANNOUNCING_WORDS, BESIDE_MOVING_VERBS,
    BESIDE_STANDING_VERBS, DENYING, ENTERING, FILLERS, LOOKING, MOVING_VERBS, NUMBERS, PLAIN_ADJECTIVES,
    POINTING, STANDING_VERBS, WAYS,
};
use super::lexicon::{Language, is_determiner, room_at};
use super::stance::{MAX_ADJECTIVES, Stance};

/// Returns the rooms that a clause names as present or next, each with the index of its word.
pub(super) fn rooms(list: &[String]) -> Vec<(&'static str, Stance, usize)> {
    let mut out: Vec<(&'static str, Stance, usize)> = Vec::new();
    let mut at = 0;
    // End of the last name, whose stance the next name of an enumeration shares.
    let mut last: Option<(usize, Stance)> = None;
    while at < list.len() {
        let Some(name) = room_at(&list[at..], Language::ENGLISH) else {
            at += 1;
            continue;
        };
        let end = at + name.length;
        let phrase = start_of_phrase(list, at, name.alone);
        let stance = phrase.filter(|_| ends_phrase(&list[end..], name.room)).and_then(|start| {
            let inherited = last.filter(|(last, _)| list[*last..start].iter().eq(["and"].iter()));
            inherited.map(|(_, stance)| stance).or_else(|| stance(&list[..start], &list[end..]))
        });
        if let Some(stance) = stance {
            out.push((name.room, stance, at));
            last = Some((end, stance));
        }
        at = end;
    }
    out
}

/// Returns the index of the first word of the noun phrase that ends with the name at `at`, or `None`
/// if the words before it make it another noun.
fn start_of_phrase(list: &[String], at: usize, alone: bool) -> Option<usize> {
    let mut start = at;
    let mut adjectives = 0;
    while start > 0 && is_open_word(&list[start - 1]) {
        adjectives += 1;
        if adjectives > MAX_ADJECTIVES || (alone && !PLAIN_ADJECTIVES.contains(&list[start - 1].as_str())) {
            return None;
        }
        start -= 1;
    }
    // "A study of light" is no room.
    if alone && start > 0 && matches!(list[start - 1].as_str(), "a" | "an") {
        return None;
    }
    while start > 0 && is_determiner(&list[start - 1], "en") {
        start -= 1;
    }
    Some(start)
}

/// Returns true for a word that may be an adjective or a noun before a name.
fn is_open_word(word: &str) -> bool {
    let closed: [&[&str]; 10] = [
        FILLERS,
        DENYING,
        STANDING_VERBS,
        BESIDE_STANDING_VERBS,
        MOVING_VERBS,
        BESIDE_MOVING_VERBS,
        POINTING,
        ANNOUNCING,
        AFTER_NAME,
        ENTERING,
    ];
    let prepositions = [
        "in", "into", "to", "at", "near", "beside", "under", "above", "below", "between", "opposite",
        "towards", "toward", "onto", "against", "like", "than", "welcome", "entered", "reached", "nor",
        "every", "any", "each", "look",
    ];
    let plain = PLAIN_ADJECTIVES.contains(&word);
    (plain || !closed.iter().any(|words| words.contains(&word)))
        && !is_determiner(word, "en")
        && !prepositions.contains(&word)
        && !word.ends_with("'s")
}

/// Returns true if the noun phrase ends before these words.
fn ends_phrase(after: &[String], room: &str) -> bool {
    let Some(next) = after.first().map(String::as_str) else { return true };
    let beside = next == "next" && after.get(1).is_some_and(|word| word == "to" || word == "door");
    let way = next == "to" && WAYS.contains(&room);
    let number = NUMBERS.contains(&next) || next.chars().all(|c| c.is_ascii_digit());
    !beside && !way && (number || AFTER_NAME.contains(&next))
}

/// Returns the stance of a name from the words before its noun phrase and those after it.
fn stance(before: &[String], after: &[String]) -> Option<Stance> {
    // The last coordinated part decides: "it was cold and this is the".
    let start = before.iter().rposition(|w| matches!(w.as_str(), "but" | "because" | "where" | "while"));
    let part: Vec<&str> = before[start.map_or(0, |at| at + 1)..].iter().map(String::as_str).collect();
    let and = part.iter().rposition(|word| *word == "and");
    let part: Vec<&str> =
        part[and.map_or(0, |at| at + 1)..].iter().copied().filter(|word| !FILLERS.contains(word)).collect();
    if part.iter().any(|word| DENYING.contains(word) && *word != "left") {
        return None;
    }
    if invites(&part) {
        return Some(Stance::Announced);
    }
    match part.split_last() {
        None => bare(after),
        Some((&("in" | "inside" | "at"), rest)) => within(rest),
        Some((&("to" | "into" | "towards" | "onto" | "through"), rest)) => towards(rest),
        _ => pointed_at(&part),
    }
}

/// Stance of a name that starts its clause.
fn bare(after: &[String]) -> Option<Stance> {
    let after: Vec<&str> = after.iter().map(String::as_str).filter(|word| !FILLERS.contains(word)).collect();
    let number = |word: &&str| NUMBERS.contains(word) || word.chars().all(|c| c.is_ascii_digit());
    match after[..] {
        [] => Some(Stance::Present),
        [one] if number(&one) => Some(Stance::Present),
        ["is" | "comes", next, ..] if ANNOUNCED_BY_PREDICATE.contains(&next) => {
            (after.get(2) != Some(&"to") && after.get(2) != Some(&"door")).then_some(Stance::Announced)
        }
        _ => None,
    }
}

/// Returns true if a clause has one of these verbs, and no word besides them and `others`.
fn is_clause_of(clause: &[&str], verbs: &[&str], others: &[&str]) -> bool {
    clause.iter().any(|word| verbs.contains(word))
        && clause.iter().all(|word| verbs.contains(word) || others.contains(word))
}

/// Stance of a name after "in" or "at", from the words before that.
fn within(rest: &[&str]) -> Option<Stance> {
    let speakers = ["we", "i", "us", "let's", "we're", "i'm", "we'll"];
    let has_speaker = rest.iter().any(|word| speakers.contains(word));
    if rest == ["welcome"]
        || rest == ["welcome", "back"]
        || is_clause_of(rest, STANDING_VERBS, BESIDE_STANDING_VERBS)
    {
        Some(Stance::Present)
    } else if has_speaker && is_clause_of(rest, MOVING_VERBS, BESIDE_MOVING_VERBS) {
        Some(Stance::Announced)
    } else {
        None
    }
}

/// Stance of a name after "to" or "into", from the words before that.
fn towards(rest: &[&str]) -> Option<Stance> {
    if rest == ["welcome"] || rest == ["welcome", "back"] {
        return Some(Stance::Present);
    }
    let has = |word: &str| rest.contains(&word);
    // "This leads to the kitchen" says where a door leads; "this leads us to" is a movement.
    let leads = (has("leads") || has("takes") || has("brings")) && !has("us");
    let way = has("way") && !has("on") && !has("our");
    let moves = is_clause_of(rest, MOVING_VERBS, BESIDE_MOVING_VERBS) && !leads && !way;
    moves.then_some(Stance::Announced)
}

/// Returns true for an invitation to look at a room: "let us have a look at".
fn invites(part: &[&str]) -> bool {
    let starts = part.first().is_some_and(|word| matches!(*word, "let's" | "let" | "we'll"));
    let looks = part.last().is_some_and(|word| LOOKING.contains(word));
    let others = ["let's", "let", "us", "we'll", "look", "take", "a", "then", "next", "out"];
    starts && looks && part.iter().all(|word| others.contains(word) || LOOKING.contains(word))
}

/// Stance of a name after a verb, or after nothing but pointing words.
fn pointed_at(part: &[&str]) -> Option<Stance> {
    let all = |words: &[&str]| part.iter().all(|word| words.contains(word));
    let any = |words: &[&str]| part.iter().any(|word| words.contains(word));
    let last = part.last().copied().unwrap_or_default();
    let speaker =
        ["we", "i", "we're", "i'm", "are", "am", "will", "we'll", "let's", "let", "us", "then", "next"];
    if ENTERING.contains(&last) && part[..part.len() - 1].iter().all(|word| speaker.contains(word)) {
        return Some(Stance::Announced);
    }
    if matches!(last, "entered" | "reached") {
        let perfect = ["we", "i", "have", "we've", "i've", "then"];
        return part[..part.len() - 1].iter().all(|word| perfect.contains(word)).then_some(Stance::Present);
    }
    if all(ANNOUNCING) && any(ANNOUNCING_WORDS) {
        return Some(Stance::Announced);
    }
    let points = any(&["this", "these", "here", "here's"]) || part == ["it", "is"] || part == ["it's"];
    (all(POINTING) && points).then_some(Stance::Present)
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::words;
    use super::*;

    /// Returns the rooms of a sentence without commas, as `+room` if present and `>room` if next.
    fn found(sentence: &str) -> Vec<String> {
        let clauses = sentence.split([',', '.']);
        let rooms = clauses.flat_map(|clause| rooms(&words(clause)));
        rooms
            .map(|(room, stance, _)| match stance {
                Stance::Present => format!("+{room}"),
                Stance::Announced => format!(">{room}"),
            })
            .collect()
    }

    #[test]
    fn recognises_the_room_in_view() {
        for (sentence, rooms) in [
            ("This is the kitchen.", &["+kitchen"][..]),
            ("And here we have a small bright bathroom with a window.", &["+bathroom"]),
            ("Welcome to our living room", &["+living room"]),
            ("Now we are in the master bedroom, and it has a balcony.", &["+bedroom"]),
            ("We're back in the hallway", &["+hallway"]),
            ("And now, the office.", &["+office"]),
            ("I'm standing in the pantry now", &["+storage"]),
            ("Here's the study.", &["+office"]),
            ("This room is the nursery.", &["+children's room"]),
            ("We have reached the cellar.", &["+cellar"]),
            ("This is the living room and kitchen", &["+living room", "+kitchen"]),
            ("Bedroom two.", &["+bedroom"]),
            ("It's the meeting room", &["+meeting room"]),
            ("Here is the bar.", &["+bar"]),
        ] {
            assert_eq!(found(sentence), rooms, "{sentence}");
        }
    }

    #[test]
    fn recognises_the_room_that_is_entered_next() {
        for (sentence, room) in [
            ("Next is the kitchen.", ">kitchen"),
            ("Coming up next is the main bathroom.", ">bathroom"),
            ("Through here we have the office", ">office"),
            ("Behind this door is the laundry room.", ">laundry room"),
            ("Let's go into the garden.", ">garden"),
            ("We're heading over to the meeting room", ">meeting room"),
            ("Now we step into the hallway.", ">hallway"),
            ("And on to the dining room.", ">dining room"),
            ("The bathroom is next.", ">bathroom"),
            ("After that comes the library", ">library"),
            ("Let's take a look at the cellar", ">cellar"),
            ("We are entering the garage.", ">garage"),
            ("This brings us to the kitchen", ">kitchen"),
        ] {
            assert_eq!(found(sentence), [room], "{sentence}");
        }
    }

    #[test]
    fn mentions_name_no_room() {
        for sentence in [
            "The bedroom is upstairs.",
            "This is the door to the kitchen.",
            "This is the kitchen door",
            "This is the hall light",
            "The kitchen is next to the office.",
            "The bathroom is next door.",
            "You can see the garden from here.",
            "Here is the way to the bathroom.",
            "There is a sink in the bathroom upstairs",
            "This is not the kitchen",
            "That was the kitchen.",
            "We were in the office before",
            "The stairs lead to the attic.",
            "We share the garden with the neighbours",
            "This is a study of light",
            "This is the town hall",
            "We have a table in the kitchen",
            "This used to be the dining room",
            "I bought a chocolate bar",
            "The door opens into the hallway",
            "Here is the key for the garage",
            "This is the garden centre",
        ] {
            assert!(found(sentence).is_empty(), "{sentence}: {:?}", found(sentence));
        }
    }
}
