//! Parses a question: its intent, subjects and zones, and the remaining words.

use std::collections::BTreeSet;

use domain::document::{SpaceDocument, Zone};

use crate::words::{COMPARISONS, LEXICON, SIZES, is_stop_word, remove_any, remove_phrase, stems, tokens};

/// Kind of answer that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Exists,
    Count,
    Where,
    List,
    Text,
    Light,
    Colour,
    Kind,
    Condition,
    Measure,
    Year,
    Moment,
    Compare,
    /// Any other fact in speech or text.
    Said,
    /// The way from one zone to another.
    Way,
    /// Zones that were hardly filmed.
    Coverage,
    /// A question that a scan cannot answer.
    Other,
}

/// A parsed question.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) intent: Intent,
    /// All words of the question.
    pub(super) words: Vec<String>,
    /// Object categories that it asks about.
    pub(super) things: Vec<String>,
    /// Room types that it names.
    pub(super) rooms: Vec<String>,
    /// Zones of these types, and zones named by number.
    pub(super) zones: Vec<&'a Zone>,
    /// Whether it names a place.
    pub(super) placed: bool,
    /// Remaining words that are not stop words.
    pub(super) rest: Vec<String>,
    /// Words of the quoted text: "a sign that says office" names no room.
    pub(super) quoted: Vec<String>,
}

impl Question<'_> {
    /// Whether the question contains any of these words.
    pub(super) fn says(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }

    /// Whether the question is about this zone, or names no place.
    pub(super) fn covers(&self, zone: Option<&String>) -> bool {
        !self.placed || zone.is_some_and(|id| self.zones.iter().any(|z| z.id == *id))
    }
}

/// Parses a question.
pub(super) fn understand<'a>(text: &str, document: &'a SpaceDocument) -> Question<'a> {
    let words = tokens(text);
    let intent = intent(&words);
    let (asked, said) = words.split_at(if intent == Intent::Text { quotation(&words) } else { words.len() });
    let quoted = stems(&said.join(" "));
    let mut rest = if quoted.is_empty() { stems(text) } else { stems(&asked.join(" ")) };
    let numbered = zones_by_number(&mut rest, document);
    let names = RoomNames::of(document);
    let things = things(&mut rest, document, &names);
    let rooms = names.take_from(&mut rest);
    let mut zones: Vec<&Zone> = document
        .zones
        .iter()
        .filter(|zone| {
            numbered.contains(&zone.id) || zone.types.iter().any(|kind| rooms.contains(&kind.value))
        })
        .collect();
    zones.dedup_by(|a, b| a.id == b.id);
    let placed = !rooms.is_empty() || !numbered.is_empty();
    rest.retain(|word| !is_stop_word(word));
    Question { intent, words, things, rooms, zones, placed, rest, quoted }
}

/// Returns the position of the first quoted word, for example after "a sign that says", or the
/// number of words.
fn quotation(words: &[String]) -> usize {
    const BEFORE: [&[&str]; 9] = [
        &["that", "says"],
        &["that", "say"],
        &["that", "reads"],
        &["which", "says"],
        &["which", "reads"],
        &["saying"],
        &["sign", "reading"],
        &["with", "the", "words"],
        &["with", "the", "word"],
    ];
    let ends = |words: &[String], phrase: &[&str]| {
        words.len() >= phrase.len() && words[words.len() - phrase.len()..].iter().eq(phrase)
    };
    let begins = |at: &usize| BEFORE.iter().any(|phrase| ends(&words[..*at], phrase));
    (1..words.len()).find(begins).unwrap_or(words.len())
}

/// Returns the intent. More specific forms are tried first.
fn intent(words: &[String]) -> Intent {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let text = format!(" {} ", words.join(" "));
    let says = |list: &[&str]| list.iter().any(|phrase| text.contains(&format!(" {phrase} ")));
    let filmed = has(&["filmed", "covered", "recorded", "scanned", "visited", "shown", "seen"]);
    if filmed
        && has(&["not", "wasn", "weren", "isn", "aren", "without", "hardly", "never"])
        && has(&["which", "what"])
    {
        return Intent::Coverage;
    }
    if has(&["from"]) && has(&["to"]) && has(&["get", "go", "walk", "route", "way", "reach", "directions"]) {
        return Intent::Way;
    }
    if has(&[
        "why",
        "who",
        "whose",
        "whom",
        "should",
        "recommend",
        "worth",
        "think",
        "opinion",
        "probably",
        "likely",
    ]) || says(&["without", "not", "except", "no longer"])
    {
        return Intent::Other;
    }
    if has(&COMPARISONS) {
        return Intent::Compare;
    }
    if says(&["how old", "what year", "which year", "since when", "built in", "year was"]) {
        return Intent::Year;
    }
    if opens_at(words) {
        return Intent::Text;
    }
    // A moment of the media, not of the place: "When does the oven appear?"
    let of_media = has(&[
        "see",
        "seen",
        "shown",
        "visible",
        "appear",
        "appears",
        "mentioned",
        "spotted",
        "visited",
        "enter",
        "entered",
        "video",
        "film",
        "footage",
        "recording",
        "timestamp",
    ]);
    let timed =
        has(&["when", "second", "minute", "moment", "timestamp"]) || says(&["what time", "which time"]);
    if says(&["how far into"]) || (of_media && timed) {
        return Intent::Moment;
    }
    if timed {
        return Intent::Year;
    }
    if has(&SIZES)
        || has(&["dimensions", "measures", "measurements"])
        || says(&[
            "how warm",
            "how cold",
            "how hot",
            "how many people",
            "how many guests",
            "how many persons",
            "floor area",
            "what area",
            "the area of",
            "surface area",
            "how much space",
        ])
    {
        return Intent::Measure;
    }
    if has(&["cost", "costs"]) || says(&["how much is", "how much are", "how much does", "how much do"]) {
        return Intent::Text;
    }
    if says(&["how many", "number of", "count", "count of", "how much"]) && !has(&["phone", "telephone"]) {
        return Intent::Count;
    }
    if has(&["colour", "colours", "color", "colors", "coloured", "colored"]) {
        return Intent::Colour;
    }
    if has(&["bright", "dark", "lit", "dim", "lighting", "gloomy", "illuminated"]) || says(&["how light"]) {
        return Intent::Light;
    }
    let works = has(&["working", "functional", "defective"]) && !says(&["is there", "are there"]);
    if works || has(&["condition", "state"]) || says(&["in good shape", "is it new"]) {
        return Intent::Condition;
    }
    const READ: [&str; 28] = [
        "wireless",
        "passcode",
        "sign",
        "signs",
        "written",
        "write",
        "text",
        "texts",
        "read",
        "reads",
        "label",
        "labels",
        "wifi",
        "wi",
        "wlan",
        "password",
        "phone",
        "telephone",
        "email",
        "mail",
        "website",
        "hours",
        "price",
        "prices",
        "warning",
        "warnings",
        "notice",
        "contact",
    ];
    if has(&READ) || says(&["does it say", "says"]) {
        return Intent::Text;
    }
    if says(&[
        "kind of room",
        "type of room",
        "what room is",
        "which room is zone",
        "sort of room",
        "kind of place",
        "room type",
    ]) && !has(&["in", "has", "with"])
    {
        return Intent::Kind;
    }
    if has(&["where", "wheres", "location", "located"])
        || says(&[
            "which room",
            "what room",
            "which rooms",
            "what rooms have",
            "what rooms contain",
            "which zone",
            "which zones",
            "in which",
            "in what room",
            "in what rooms",
            "find",
            "which way",
            "which direction",
            "what direction",
            "looking for",
            "point me to",
            "next to",
            "adjacent to",
            "connected to",
            "leads to",
            "lead to",
        ])
    {
        return Intent::Where;
    }
    if has(&["list", "enumerate", "describe", "inventory", "summarise", "summarize", "overview"])
        || says(&[
            "what rooms",
            "what zones",
            "what is in",
            "what s in",
            "whats in",
            "what things",
            "what objects",
            "what items",
            "what can",
            "what do you see",
            "what was seen",
            "what does",
            "what furniture",
            "what appliances",
            "which things",
            "which objects",
            "which items",
            "what is there",
            "what are",
            "name the",
            "name all",
            "what was found",
            "what stands",
            "what seating",
            "which furniture",
            "which appliances",
            "tell me what",
            "what has",
            "what did",
        ])
    {
        return Intent::List;
    }
    let asks = [
        "is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "could", "any", "there",
        "exist", "exists",
    ];
    if has(&asks) && !has(&["how", "what"]) {
        Intent::Exists
    } else if has(&["what", "which", "how", "whats"]) {
        Intent::Said
    } else {
        Intent::Other
    }
}

/// Whether the question is about opening hours, which signs state: "When do you open?"
fn opens_at(words: &[String]) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["open", "opens", "close", "closes"]) && has(&["when", "hours", "days", "day", "until", "time"])
}

/// Removes the zones that are named by number (`zone 2`, `zon_2`) and returns their ids.
fn zones_by_number(rest: &mut Vec<String>, document: &SpaceDocument) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for zone in &document.zones {
        let Some(number) = zone.id.strip_prefix("zon_") else { continue };
        for word in ["zone", "zon", "room"] {
            if remove_phrase(rest, &[word.to_owned(), number.to_owned()]) {
                found.insert(zone.id.clone());
            }
        }
    }
    found
}

/// Removes the names of objects and returns their categories: those of the document, those that its
/// models can detect, and synonyms.
fn things(rest: &mut Vec<String>, document: &SpaceDocument, rooms: &RoomNames) -> Vec<String> {
    let mut names: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let known = document.objects.iter().map(|object| &object.category.value);
    let knowable = document.runs.iter().flat_map(|run| &run.can_know);
    names.extend(known.chain(knowable).map(|name| (stems(name), vec![name.clone()])));
    for (thing, others) in &LEXICON.objects {
        names.extend(others.iter().map(|name| (stems(name), vec![thing.clone()])));
    }
    names.extend(LEXICON.groups.iter().map(|(group, things)| (stems(group), things.clone())));
    // A room name that contains the name of an object ("toilet room") is no object.
    let long = rooms.0.iter().filter(|(name, _)| name.len() > 1);
    names.extend(long.map(|(name, _)| (name.clone(), Vec::new())));
    longest_first(&mut names);
    names.dedup();
    let mut found: Vec<String> = Vec::new();
    let mut left = rest.clone();
    for (name, things) in names {
        while remove_phrase(&mut left, &name) {
            if things.is_empty() {
                continue;
            }
            remove_phrase(rest, &name);
            found.extend(things.iter().filter(|thing| !found.contains(thing)).cloned().collect::<Vec<_>>());
        }
    }
    found
}

/// Names of room types: those of the document and their synonyms, longest first.
pub(super) struct RoomNames(Vec<(Vec<String>, String)>);

impl RoomNames {
    pub(super) fn of(document: &SpaceDocument) -> Self {
        let claimed = document.zones.iter().flat_map(|zone| &zone.types);
        let claimed = claimed.map(|kind| (stems(&kind.value), kind.value.clone()));
        let others = LEXICON
            .rooms
            .iter()
            .flat_map(|(room, names)| names.iter().map(|name| (stems(name), room.clone())));
        let mut names: Vec<_> = claimed.chain(others).collect();
        longest_first(&mut names);
        names.dedup();
        Self(names)
    }

    /// Removes the names of rooms from `rest` and returns their types.
    pub(super) fn take_from(&self, rest: &mut Vec<String>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (name, room) in &self.0 {
            while remove_phrase(rest, name) {
                if !found.contains(room) {
                    found.push(room.clone());
                }
            }
        }
        found
    }
}

fn longest_first<T: Ord>(names: &mut [(Vec<String>, T)]) {
    names.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
}

/// Returns `rest` without the words of `list`.
pub(super) fn without(rest: &[String], list: &[&str]) -> Vec<String> {
    let mut rest = rest.to_vec();
    remove_any(&mut rest, list);
    rest
}
