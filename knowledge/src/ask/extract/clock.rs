//! Days, dates and times of day.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Value, pattern};
use crate::words::tokens;

/// A day of the week, from 0 for Monday.
pub(in crate::ask) type Day = u8;

/// A time of day, in minutes after midnight.
pub(in crate::ask) type Clock = u32;

const DAYS: [[&str; 5]; 7] = [
    ["monday", "mondays", "mon", "mo", "monday's"],
    ["tuesday", "tuesdays", "tue", "tues", "tu"],
    ["wednesday", "wednesdays", "wed", "weds", "we"],
    ["thursday", "thursdays", "thu", "thurs", "thur"],
    ["friday", "fridays", "fri", "fr", "friday's"],
    ["saturday", "saturdays", "sat", "sa", "saturday's"],
    ["sunday", "sundays", "sun", "su", "sunday's"],
];
const MONTHS: [&str; 24] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
];
const NOON: Clock = 12 * 60;

fn day(word: &str) -> Option<Day> {
    // Two-letter forms ("we", "sun") stand only in ranges; see `days_of_line`.
    DAYS.iter()
        .position(|names| names.iter().take(4).any(|name| *name == word && name.len() > 2))
        .map(|at| at as Day)
}

/// Whether a word names a day of the week in full.
pub(in crate::ask) fn is_day(word: &str) -> bool {
    DAYS.iter().any(|names| names[..2].contains(&word))
}

/// Whether a word of a question names days: "Tuesday", "weekends".
pub(in crate::ask) fn is_day_word(word: &str) -> bool {
    is_day(word) || matches!(word, "weekday" | "weekdays" | "weekend" | "weekends")
}

/// Whether a word names a month.
pub(in crate::ask) fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// Returns the days that a question names.
pub(in crate::ask) fn days(text: &str) -> BTreeSet<Day> {
    let words = tokens(text);
    let mut out: BTreeSet<Day> =
        words.iter().filter(|word| is_day(word)).filter_map(|word| day(word)).collect();
    if words.iter().any(|word| word == "weekend" || word == "weekends") {
        out.extend([5, 6]);
    }
    if words.iter().any(|word| word == "weekday" || word == "weekdays") {
        out.extend(0..5);
    }
    out
}

/// Returns the days that a line of a timetable covers; empty if it names none.
pub(in crate::ask) fn days_of_line(text: &str) -> BTreeSet<Day> {
    let words = tokens(text);
    let mut out = BTreeSet::new();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&["daily", "everyday"]) || words.windows(2).any(|two| two[0] == "every" && two[1] == "day") {
        out.extend(0..7);
    }
    if has(&["weekend", "weekends"]) {
        out.extend([5, 6]);
    }
    if has(&["weekday", "weekdays"]) {
        out.extend(0..5);
    }
    let named: Vec<(usize, Day)> =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, day(word)?))).collect();
    out.extend(named.iter().map(|(_, day)| *day));
    for two in named.windows(2) {
        let [(at, from), (to_at, to)] = two else { continue };
        let adjacent = to_at - at == 1 && is_range(text, &words[*at], &words[*to_at]);
        let spoken = to_at - at == 2 && matches!(words[at + 1].as_str(), "to" | "until" | "through" | "till");
        if adjacent || spoken {
            let mut current = *from;
            while current != *to {
                out.insert(current);
                current = (current + 1) % 7;
            }
        }
    }
    out
}

/// Whether a dash stands between the two words.
fn is_range(text: &str, one: &str, other: &str) -> bool {
    let text = text.to_lowercase();
    let between =
        text.split_once(one).and_then(|(_, rest)| rest.split_once(other)).map(|(between, _)| between);
    between.is_some_and(|between| between.contains(['-', '–', '—']))
}

/// Returns moments: times of day, ranges of them, days, dates and years.
pub(super) fn moments(text: &str) -> Vec<Value> {
    static DAY: &str = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?";
    static MONTH: &str = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)";
    static TIME: &str = r"(?:\d{1,2}[:.h]\d{2}\s?(?:[ap]\.?m\b\.?)?|\d{1,2}\s?(?:[ap]\.?m\b\.?|o'?clock|h\b)|noon|midnight|midday)";
    static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
        let hour = r"\d{1,2}(?:[:.]\d{2})?\s?(?:[ap]\.?m\b)?";
        pattern(&format!(
            r"(?ix)
            (?:\b{DAY}\b[\s,.:]*(?:(?:-|–|to|until|and|&|/)\s*{DAY}\b[\s,.:]*)?)?
            (?:\b{hour}\s?(?:-|–|—|\s(?:to|until|till)\s)\s?{hour}\b | \b{TIME})
            (?:\s?(?:-|–|to|until)\s?{TIME})?
            | \b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b(?:\s+\d{{4}})?
            | \b{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?
            | \b(?:first|second|third|[a-z]+(?:th|st|nd|rd))\s+of\s+{MONTH}\b
            | \b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b
            | \b\d{{4}}-\d{{2}}-\d{{2}}\b
            | \b(?:every\s+|each\s+|on\s+)?{DAY}\b(?:\s*(?:-|–|to|and|&|/|,)\s*{DAY}\b)*
            | \b(?:half\s+past|quarter\s+past|quarter\s+to)\s+\w+
            | \b(?:at|from|until|till|by|after|before|past)\s+(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b
            "
        ))
    });
    static SPAN: &str =
        r"(?:minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|springs?|summers?|autumns?|winters?)";
    static RELATIVE: &str = r"(?:ago|early|earlier|late|later|before|beforehand|in\s+advance)";
    static COARSE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"(?i)\b(?:in\s+|last\s+|next\s+|since\s+|early\s+|late\s+|this\s+)(?:{MONTH}|spring|summer|autumn|winter|week|month|year)\b(?:\s+\d{{4}})?|\b(?:\w+\s+{SPAN}\s+{RELATIVE}\b|daily|every\s+day|every\s+(?:week|month|morning|evening|night|weekend)|weekdays|weekends?|today|tomorrow|tonight|all\s+day|24/7|24\s?h|mornings?|evenings?|dawn\s+to\s+dusk|easter|christmas|whitsun)\b"
        ))
    });
    let mut out: Vec<Value> = MOMENT
        .find_iter(text)
        .filter(|found| !is_price(text, found))
        .map(|found| Value::of(found, 1.0))
        .collect();
    static CLOSED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bclosed\b"));
    // "Closed" answers when something is open on the days that the line names.
    let closed = CLOSED.find_iter(text).filter(|_| !days_of_line(text).is_empty());
    let coarse = COARSE.find_iter(text).chain(closed).map(|found| Value::of(found, 0.8));
    let years = super::years(text).into_iter().map(|value| Value { fit: 0.8, ..value });
    for value in coarse.chain(years).collect::<Vec<_>>() {
        if !out.iter().any(|known| known.at < value.end && value.at < known.end) {
            out.push(value);
        }
    }
    out
}

/// Returns what tells how long something lasts by its ends: a range of times, or what follows "until".
pub(super) fn ends(text: &str) -> Vec<Value> {
    let bounded = |value: &Value| {
        let timed = value.shown.contains(':') || value.shown.to_lowercase().ends_with('m');
        let before = tokens(&text[..value.at]);
        let until = before.last().is_some_and(|word| matches!(word.as_str(), "until" | "till"));
        until || value.shown.starts_with("until ") || timed && range(&value.shown).is_some()
    };
    moments(text).into_iter().filter(bounded).collect()
}

/// Whether a match is a number with a point and no other sign of a time: a price, rather.
fn is_price(text: &str, found: &regex::Match<'_>) -> bool {
    let shown = found.as_str().trim();
    let plain = shown.chars().all(|c| c.is_ascii_digit() || c == '.');
    let marked = text[..found.start()].trim_end().ends_with(['€', '$', '£'])
        || text[found.end()..].trim_start().starts_with(['€', '$', '£']);
    let timed = tokens(text)
        .iter()
        .any(|word| matches!(word.as_str(), "at" | "from" | "until" | "till" | "open" | "closed" | "by"));
    marked || (plain && shown.contains('.') && !timed)
}

/// Returns how often something happens.
pub(super) fn frequencies(text: &str) -> Vec<Value> {
    static OFTEN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:every\s+(?:\w+\s+)?\w+|each\s+\w+|daily|weekly|monthly|yearly|annually|hourly|(?:once|twice|\w+\s+times)(?:\s+(?:a|an|per|every|last|this|each)\s+\w+)?|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)\b",
        )
    });
    OFTEN.find_iter(text).map(|found| Value::of(found, 1.0)).collect()
}

/// Returns the time of day that a question asks about: "at 17:00", "after 6 pm".
pub(in crate::ask) fn asked(text: &str) -> Option<Clock> {
    static AT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:at|by|after|before|past|around|until|till|from)\s+(\d{1,2})(?:[:.](\d{2}))?\s?(?:([ap])\.?m\b)?|\b(\d{1,2})[:.](\d{2})\b|\b(\d{1,2})\s?([ap])\.?m\b|\b(noon|midnight|midday)\b",
        )
    });
    let found = AT.captures(text)?;
    let number = |at: usize| found.get(at).and_then(|group| group.as_str().parse::<u32>().ok());
    if let Some(word) = found.get(8) {
        return Some(if word.as_str().eq_ignore_ascii_case("midnight") { 0 } else { NOON });
    }
    let hour = number(1).or(number(4)).or(number(6))?;
    let minute = number(2).or(number(5)).unwrap_or(0);
    let half = found.get(3).or(found.get(7)).map(|group| group.as_str().to_lowercase());
    clock(hour, minute, half.as_deref())
}

fn clock(hour: u32, minute: u32, half: Option<&str>) -> Option<Clock> {
    let hour = match half {
        Some("p") if hour < 12 => hour + 12,
        Some("a") if hour == 12 => 0,
        _ => hour,
    };
    (hour <= 24 && minute < 60).then_some(hour * 60 + minute)
}

/// Returns the first range of times in a text: "9-18", "10:00 to 17:30", "9 am - 5 pm".
pub(in crate::ask) fn range(text: &str) -> Option<(Clock, Clock)> {
    static RANGE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(\d{1,2})(?:[:.](\d{2}))?\s?(?:([ap])\.?m\.?)?\s?(?:-|–|—|to|until|till)\s?(\d{1,2})(?:[:.](\d{2}))?\s?(?:([ap])\.?m\b)?",
        )
    });
    let found = RANGE.captures(text)?;
    let number = |at: usize| found.get(at).and_then(|group| group.as_str().parse::<u32>().ok());
    let half = |at: usize| found.get(at).map(|group| group.as_str().to_lowercase());
    let from = clock(number(1)?, number(2).unwrap_or(0), half(3).as_deref())?;
    let to = clock(number(4)?, number(5).unwrap_or(0), half(6).as_deref())?;
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges_of_days_and_times() {
        assert_eq!(days_of_line("MON-FRI 8-18"), BTreeSet::from([0, 1, 2, 3, 4]));
        assert_eq!(days_of_line("SAT TO MON CLOSED"), BTreeSet::from([5, 6, 0]));
        assert_eq!(days_of_line("TUESDAY, THURSDAY"), BTreeSet::from([1, 3]));
        assert!(days_of_line("OPEN 9-18").is_empty());
        assert_eq!(range("OPEN 9-18"), Some((540, 1080)));
        assert_eq!(range("9:30 am - 5 pm"), Some((570, 1020)));
        assert_eq!(asked("Is it open at 17:30?"), Some(1050));
        assert_eq!(asked("can I come after 6 pm"), Some(1080));
        assert_eq!(asked("is it open"), None);
    }

    #[test]
    fn reads_moments_relative_to_another() {
        let shown = |text: &str| moments(text).into_iter().map(|value| value.shown).collect::<Vec<_>>();
        assert_eq!(shown("Guests come ten minutes early."), ["ten minutes early"]);
        assert_eq!(shown("The path was paved three winters ago."), ["three winters ago"]);
        assert_eq!(shown("CANCEL 2 DAYS BEFORE"), ["2 DAYS BEFORE"]);
        assert!(shown("THE COURSE TAKES 2 DAYS").is_empty());
    }

    #[test]
    fn reads_the_ends_of_a_time() {
        let shown = |text: &str| ends(text).into_iter().map(|value| value.shown).collect::<Vec<_>>();
        assert_eq!(shown("LUNCH 11:30-14:00"), ["11:30-14:00"]);
        assert_eq!(shown("The contract holds until twenty thirty one."), ["2031"]);
        assert!(shown("AGES 4-6").is_empty());
        assert!(shown("FROM 9:00").is_empty());
    }
}
