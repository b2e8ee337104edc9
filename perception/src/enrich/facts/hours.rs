//! Opening hours and times of day.

use domain::document::FactKind;

use super::phrase::{Found, Phrase};

/// Days in the syntax of OpenStreetMap, with their names.
const DAYS: &[(&str, &[&str])] = &[
    ("Mo", &["monday", "mondays", "mon", "montag", "montags", "mo", "lundi", "lunes", "lunedì", "maandag"]),
    (
        "Tu",
        &["tuesday", "tuesdays", "tue", "tues", "dienstag", "dienstags", "di", "mardi", "martes", "martedì"],
    ),
    ("We", &["wednesday", "wednesdays", "wed", "mittwoch", "mittwochs", "mi", "mercredi", "miércoles"]),
    (
        "Th",
        &[
            "thursday",
            "thursdays",
            "thu",
            "thur",
            "thurs",
            "donnerstag",
            "donnerstags",
            "do",
            "jeudi",
            "jueves",
        ],
    ),
    ("Fr", &["friday", "fridays", "fri", "freitag", "freitags", "fr", "vendredi", "viernes", "venerdì"]),
    ("Sa", &["saturday", "saturdays", "sat", "samstag", "samstags", "sa", "samedi", "sábado", "sabato"]),
    ("Su", &["sunday", "sundays", "sun", "sonntag", "sonntags", "so", "dimanche", "domingo", "domenica"]),
];
/// Names of several days.
const DAY_GROUPS: &[(&str, &[&str])] = &[
    ("Mo-Su", &["daily", "everyday", "täglich"]),
    ("Mo-Fr", &["weekdays", "werktags"]),
    ("Sa-Su", &["weekends", "weekend", "wochenende"]),
];
/// Signs and words between the ends of a range.
const TO: &[&str] = &["-", "–", "—", "to", "bis", "till", "until", "à"];
/// Words of opening hours.
const OPEN_WORDS: &[&str] = &[
    "open",
    "opens",
    "opening",
    "hours",
    "geöffnet",
    "öffnungszeiten",
    "ouvert",
    "horaires",
    "abierto",
    "horario",
    "aperto",
    "orario",
    "geopend",
];
const CLOSED_WORDS: &[&str] = &["closed", "geschlossen", "ruhetag", "fermé", "cerrado", "chiuso", "gesloten"];

/// A time of day that was parsed.
#[derive(Clone, Copy)]
struct Time {
    /// Minutes after midnight.
    minutes: u32,
    /// True if it cannot be anything but a time: with minutes, `am`, `pm` or "Uhr".
    explicit: bool,
    /// True if it says whether it is before or after noon.
    has_half: bool,
    /// Index behind it.
    end: usize,
}

/// Finds opening hours, or else times of day.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let hours = opening_hours(phrase);
    if hours.is_empty() { times(phrase) } else { hours }
}

fn opening_hours(phrase: &Phrase) -> Vec<Found> {
    let opens = phrase.has(OPEN_WORDS);
    let mut out = Vec::new();
    // Days that apply to the next time.
    let mut days: Option<(String, usize)> = None;
    let mut at = 0;
    while at < phrase.tokens.len() {
        if phrase.is(at, CLOSED_WORDS) {
            let day = (at + 1..phrase.tokens.len().min(at + 3)).find_map(|next| days_at(phrase, next));
            let (closed, end) = match (day, days.take()) {
                (Some((day, end)), _) => (Some(day), end),
                (None, Some((day, _))) => (Some(day), at + 1),
                (None, None) => (None, at + 1),
            };
            if let Some(day) = closed {
                out.push(Found::new(
                    FactKind::OpeningHours,
                    None,
                    format!("{day} off"),
                    phrase.range(at.min(end - 1), end),
                ));
            }
            at = end;
        } else if let Some((name, end)) = days_at(phrase, at) {
            days = Some((name, at));
            at = end;
        } else if let Some((from, to)) = range(phrase, at) {
            let explicit = from.explicit && to.explicit;
            if opens || days.is_some() || explicit {
                let span = format!("{}-{}", clock(from.minutes), clock(to.minutes));
                let start = days.as_ref().map_or(at, |(_, start)| *start);
                let value = days.as_ref().map_or_else(|| span.clone(), |(days, _)| format!("{days} {span}"));
                out.push(Found::new(FactKind::OpeningHours, None, value, phrase.range(start, to.end)));
            }
            at = to.end;
        } else {
            at += 1;
        }
    }
    out
}

/// Parses days: one day, a range, a list, or a group such as "daily".
fn days_at(phrase: &Phrase, at: usize) -> Option<(String, usize)> {
    if let Some((days, _)) = DAY_GROUPS.iter().find(|(_, names)| phrase.is(at, names)) {
        return Some(((*days).to_owned(), at + 1));
    }
    let (first, mut end) = day(phrase, at)?;
    if phrase.is(end, TO)
        && let Some((last, stop)) = day(phrase, end + 1)
    {
        return Some((format!("{first}-{last}"), stop));
    }
    let mut days = vec![first];
    while phrase.is(end, &[",", "&", "+", "and", "und", "/"]) {
        let Some((next, stop)) = day(phrase, end + 1) else { break };
        days.push(next);
        end = stop;
    }
    Some((days.join(","), end))
}

fn day(phrase: &Phrase, at: usize) -> Option<(&'static str, usize)> {
    let (name, _) = DAYS.iter().find(|(_, names)| phrase.is(at, names))?;
    // Short names are words of some languages ("so", "do", "sat").
    let next = phrase.word(at + 1);
    let short = phrase.word(at).chars().count() <= 3;
    let certain = !short
        || TO.contains(&next)
        || matches!(next, "." | ":" | "," | "&" | "/")
        || next.starts_with(|c: char| c.is_ascii_digit())
        || (at > 0 && phrase.is(at - 1, TO));
    certain.then(|| (*name, at + 1 + usize::from(matches!(next, "." | ":"))))
}

/// Parses a range of times. The end tells whether "9 to 5 pm" starts in the morning.
fn range(phrase: &Phrase, at: usize) -> Option<(Time, Time)> {
    let from = time(phrase, at)?;
    phrase.is(from.end, TO).then_some(())?;
    let mut to = time(phrase, from.end + 1)?;
    if !to.has_half && !from.explicit && to.minutes <= from.minutes && to.minutes < 12 * 60 {
        to.minutes += 12 * 60;
    }
    Some((from, to))
}

/// Parses a time: `9`, `9:30`, `9.30`, `9 am`, `17h`, `18 Uhr`, "noon".
fn time(phrase: &Phrase, at: usize) -> Option<Time> {
    let named = match phrase.word(at) {
        "noon" | "midday" => Some(12 * 60),
        "midnight" => Some(24 * 60),
        _ => None,
    };
    if let Some(minutes) = named {
        return Some(Time { minutes, explicit: true, has_half: true, end: at + 1 });
    }
    let digits = |text: &str, most: usize| {
        let fits = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| text.parse::<u32>().ok()).flatten()
    };
    let word = phrase.word(at);
    let (mut hour, mut minute, mut explicit, mut end) = (0, 0, false, at + 1);
    if let Some((hours, minutes)) = word.split_once('.') {
        hour = digits(hours, 2)?;
        minute = digits(minutes, 2).filter(|_| minutes.len() == 2)?;
    } else {
        hour += digits(word, 2).or_else(|| spoken_hour(phrase, at))?;
        if phrase.word(at + 1) == ":" && phrase.word(at + 2).len() == 2 {
            minute = digits(phrase.word(at + 2), 2)?;
            explicit = true;
            end = at + 3;
        }
    }
    let dotted = |letter: &str| {
        phrase.word(end) == letter && phrase.word(end + 1) == "." && phrase.word(end + 2) == "m"
    };
    let mut has_half = false;
    let half = match phrase.word(end) {
        "am" => Some((0, 1)),
        "pm" => Some((12, 1)),
        _ if dotted("a") => Some((0, 3)),
        _ if dotted("p") => Some((12, 3)),
        _ => None,
    };
    if let Some((add, used)) = half {
        (1..=12).contains(&hour).then_some(())?;
        hour = hour % 12 + add;
        (explicit, has_half) = (true, true);
        end += used;
    } else if phrase.is(end, &["uhr", "h", "heures", "uur"]) {
        explicit = true;
        end += 1;
    } else if phrase.word(end) == "o" || phrase.word(end) == "o'clock" {
        explicit = true;
        end += if phrase.word(end) == "o" { 3 } else { 1 };
    }
    let end = end.min(phrase.tokens.len());
    (hour <= 24 && minute < 60).then_some(Time { minutes: hour * 60 + minute, explicit, has_half, end })
}

/// Parses an hour in English words.
fn spoken_hour(phrase: &Phrase, at: usize) -> Option<u32> {
    let spoken = phrase.language == "en" && phrase.spoken;
    domain::numbers::count(phrase.word(at)).filter(|_| spoken)
}

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Finds single times of day.
fn times(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        let Some(time) = time(phrase, at).filter(|time| time.explicit) else {
            at += 1;
            continue;
        };
        let start = phrase.clause(at).start;
        out.push(Found::new(
            FactKind::Time,
            phrase.subject(start, at),
            clock(time.minutes),
            phrase.range(start.min(at), time.end),
        ));
        at = time.end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(text: &str, language: &str, spoken: bool) -> Vec<String> {
        find(&Phrase::new(text, language, spoken)).into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn finds_opening_hours() {
        for (text, language, expected) in [
            ("OPEN 8-17", "en", &["08:00-17:00"][..]),
            ("Mon-Fri 9:00-17:30", "en", &["Mo-Fr 09:00-17:30"]),
            ("Open daily 10 am to 6 pm", "en", &["Mo-Su 10:00-18:00"]),
            ("Sat 10-14", "en", &["Sa 10:00-14:00"]),
            ("Mo–Fr 9–18 Uhr, Sa 9–13 Uhr", "de", &["Mo-Fr 09:00-18:00", "Sa 09:00-13:00"]),
            ("Closed on Sundays", "en", &["Su off"]),
            ("Montag geschlossen", "de", &["Mo off"]),
            ("open weekdays 9 to 5", "en", &["Mo-Fr 09:00-17:00"]),
            ("10:00-12:00", "en", &["10:00-12:00"]),
        ] {
            assert_eq!(hours(text, language, false), expected, "{text}");
        }
    }

    #[test]
    fn finds_times_with_their_subject() {
        for (text, value, subject) in [
            ("QUIET AFTER 23:00", "23:00", "quiet after"),
            ("Breakfast 7.30 am", "07:30", "breakfast"),
            ("Lights out 10 pm", "22:00", "lights out"),
            ("Check out 11:00", "11:00", "check out"),
        ] {
            let found = find(&Phrase::new(text, "en", false));
            assert_eq!(
                (found[0].value.as_str(), found[0].subject.as_deref()),
                (value, Some(subject)),
                "{text}"
            );
        }
    }

    #[test]
    fn other_numbers_are_no_times() {
        for text in [
            "Room 9",
            "9-18",
            "2.49",
            "1998",
            "so 3 rooms",
            "closed",
            "do not enter",
            "45:99",
            "30 am",
            "maple-4417",
            "TEL 030-12",
            "2 to 3 chairs",
        ] {
            assert!(hours(text, "en", false).is_empty(), "{text}: {:?}", hours(text, "en", false));
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,60}", spoken: bool) {
            for found in find(&Phrase::new(&text, "en", spoken)) {
                proptest::prop_assert!(text.get(found.range).is_some());
            }
        }
    }
}
