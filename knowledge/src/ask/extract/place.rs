//! Places: names of rooms, floors and streets, and phrases such as "under the stairs".

use std::sync::LazyLock;

use regex::Regex;

use super::{Value, pattern};
use crate::words::tokens;

/// Returns the places in a text.
pub(super) fn places(text: &str, read: bool) -> Vec<Value> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)(?:\b[\p{L}\d'-]+\s+){0,3}\b(?:room|hall|floor|level|building|house|street|road|lane|avenue|square|theatre|theater|court|wing|garden|yard|basement|lobby|foyer|desk|counter|entrance|gate|stage|studio|cafe|bar|kitchen|office|reception|terrace|roof|centre|center|park|library|cellar|attic|garage|door|shed)\b(?:\s+(?:[A-Z]?\d+(?:[.-]\d+)?\w?|[A-Z]\b))?|\b(?:hook|shelf|bay|platform|locker|row|aisle|block|drawer|cupboard|box|gate|pitch|plot|zone|cabinet|peg|rack)\s+(?:[A-Z]?\d+|[A-Z])\b|\b(?:flat|apartment|suite|unit)\s+[A-Z]?\d+(?:[.-]\d+)?\w?\b",
        )
    });
    static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:in|on|at|under|underneath|behind|beside|next to|opposite|above|below|near|outside|inside|between|by the|to the|down|up|through|round|around|left of|right of|in front of|to the left|to the right|on the left|on the right)\b(?:\s+(?:of|the|a|an|our|your|this|that|my))*\s+[\p{L}\d'-]+(?:\s+[\p{L}\d'-]+)?",
        )
    });
    static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)[←→↑↓↗↖]|\b(?:upstairs|downstairs|outside|outdoors|straight on|to the left|to the right|on the left|on the right|north|south|east|west|north-east|north-west|south-east|south-west|northeast|northwest|southeast|southwest|ground floor|first floor|second floor|third floor|basement|this way|here)\b",
        )
    });
    // "In nineteen seventy" and "on Monday" are times.
    let timed = |shown: &str| {
        tokens(shown).iter().any(|word| {
            super::clock::is_day_word(word)
                || super::clock::is_month(word)
                || (word.len() > 3 && domain::numbers::value(word).is_some())
        })
    };
    let phrase = PHRASE
        .find_iter(text)
        .filter(|found| !timed(found.as_str()))
        .map(|found| Value::of(found, if read { 0.7 } else { 0.9 }));
    let named = NAMED.find_iter(text).map(|found| Value::of(found, 0.8));
    let direction = DIRECTION.find_iter(text).map(|found| Value::of(found, 0.9));
    phrase.chain(named).chain(direction).collect()
}

/// Returns floors of a building.
pub(super) fn floors(text: &str) -> Vec<Value> {
    static FLOOR: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:(?:ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|top|upper|lower|\d+(?:st|nd|rd|th)?)\s+(?:floor|level|storey)|(?:level|floor|storey)\s+[A-Z]?\d+|basement|upstairs|downstairs)\b",
        )
    });
    FLOOR.find_iter(text).map(|found| Value::of(found, 1.0)).collect()
}
