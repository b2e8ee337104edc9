//! Dates: days, months and years, in digits and words.

use domain::document::FactKind;

use super::numbers::english_integer;
use super::phrase::{Found, Phrase};

/// Names of the months from January on, in several languages.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "enero", "gennaio", "januari", "janeiro", "jan"],
    &["february", "februar", "février", "febrero", "febbraio", "februari", "fevereiro", "feb"],
    &["march", "märz", "mars", "marzo", "maart", "março", "mar"],
    &["april", "avril", "abril", "aprile", "apr"],
    &["may", "mai", "mayo", "maggio", "mei", "maio"],
    &["june", "juni", "juin", "junio", "giugno", "junho", "jun"],
    &["july", "juli", "juillet", "julio", "luglio", "julho", "jul"],
    &["august", "août", "agosto", "augustus", "aug"],
    &["september", "septembre", "septiembre", "settembre", "setembro", "sep", "sept"],
    &["october", "oktober", "octobre", "octubre", "ottobre", "outubro", "oct", "okt"],
    &["november", "novembre", "noviembre", "novembro", "nov"],
    &["december", "dezember", "décembre", "diciembre", "dicembre", "dezembro", "dec", "dez"],
];
/// Ordinal numbers in words, from the first on.
const ORDINALS: &[&str] = &[
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
];
/// Words before a month or a year.
const BEFORE: &[&str] = &[
    "in",
    "since",
    "from",
    "of",
    "until",
    "till",
    "by",
    "around",
    "about",
    "early",
    "late",
    "mid",
    "last",
    "next",
    "built",
    "est",
    "established",
    "founded",
    "year",
    "anno",
    "circa",
    "im",
    "seit",
    "ab",
    "bis",
    "baujahr",
    "jahr",
    "en",
    "depuis",
    "desde",
    "hasta",
    "nel",
    "dal",
    "dans",
    "before",
    "after",
];
/// Words that make a year of a sign a number of something else.
const NAMES_OF_NUMBERS: &[&str] = &[
    "room",
    "pin",
    "code",
    "no",
    "number",
    "tel",
    "phone",
    "flat",
    "unit",
    "password",
    "zimmer",
    "suite",
    "wifi",
    "key",
    "apartment",
    "ext",
    "model",
];
/// Verbs between a subject and its date.
const VERBS: &[&str] = &[
    "was", "were", "is", "are", "has", "have", "will", "must", "can", "had", "wurde", "wird", "ist", "due",
    "ends", "starts", "begins",
];

/// A date, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Date {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
}

impl Date {
    /// Writes the date in ISO 8601; without a year with two leading hyphens (ISO 8601:2000).
    fn iso(self) -> String {
        let year = self.year.map_or_else(|| "-".to_owned(), |year| format!("{year:04}"));
        let rest = [self.month, self.day].into_iter().flatten().map(|part| format!("-{part:02}"));
        std::iter::once(year).chain(rest).collect()
    }
}

/// Finds dates.
pub(super) fn find(phrase: &Phrase) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        let date = in_digits(phrase, at)
            .or_else(|| with_month(phrase, at))
            .or_else(|| month_alone(phrase, at))
            .or_else(|| year_alone(phrase, at));
        let Some((date, end)) = date else {
            at += 1;
            continue;
        };
        let start = phrase.clause(at).start;
        let verb = (start..at).find(|verb| phrase.is(*verb, VERBS));
        let subject = match verb {
            Some(verb) => phrase.subject(start, verb),
            None if !phrase.spoken => phrase.subject(0, at),
            None => None,
        };
        // The whole clause tells what happened on that day.
        out.push(Found::new(FactKind::Date, subject, date.iso(), phrase.range(start, end)));
        at = end;
    }
    out
}

fn plain(phrase: &Phrase, at: usize) -> Option<u32> {
    let word = phrase.word(at);
    (!word.is_empty() && word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit()))
        .then(|| word.parse().ok())?
}

fn date(year: Option<u32>, month: Option<u32>, day: Option<u32>) -> Option<Date> {
    let fits =
        month.is_none_or(|month| (1..=12).contains(&month)) && day.is_none_or(|day| (1..=31).contains(&day));
    fits.then_some(Date { year, month, day })
}

fn is_year(year: u32) -> bool {
    (1500..2100).contains(&year)
}

/// Parses `2021-03-12`, `12.03.2021` and `12/03/2021`. The order of day and month after slashes is
/// ambiguous in English unless one of them exceeds 12.
fn in_digits(phrase: &Phrase, at: usize) -> Option<(Date, usize)> {
    let parts: Vec<&str> = phrase.word(at).split('.').collect();
    if let [day, month, year] = parts[..] {
        let number = |part: &str| part.parse::<u32>().ok();
        let year = number(year).filter(|_| year.len() == 4 || year.len() == 2)?;
        let year = if year < 100 { 2000 + year } else { year };
        return Some((date(Some(year).filter(|year| is_year(*year)), number(month), number(day))?, at + 1));
    }
    let separated = |sign: &str| phrase.word(at + 1) == sign && phrase.word(at + 3) == sign;
    let (first, second, third) = (plain(phrase, at)?, plain(phrase, at + 2)?, plain(phrase, at + 4)?);
    if separated("-") && is_year(first) {
        return Some((date(Some(first), Some(second), Some(third))?, at + 5));
    }
    if !separated("/") || !is_year(third) {
        return None;
    }
    let (day, month) = match (first > 12, second > 12) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        (false, false) if phrase.language != "en" || first == second => (first, second),
        _ => return None,
    };
    Some((date(Some(third), Some(month), Some(day))?, at + 5))
}

fn month(phrase: &Phrase, at: usize) -> Option<u32> {
    MONTHS.iter().position(|names| phrase.is(at, names)).map(|month| month as u32 + 1)
}

/// Parses a day in digits or words. Returns the day and its end.
fn day(phrase: &Phrase, at: usize) -> Option<(u32, usize)> {
    let tens = match phrase.word(at) {
        "twenty" => Some(20),
        "thirty" => Some(30),
        _ => None,
    };
    let ordinal = |at: usize| ORDINALS.iter().position(|name| phrase.word(at) == *name).map(|n| n as u32 + 1);
    let skip = |at: usize| at + usize::from(phrase.word(at) == "-");
    let spoken = ordinal(at).map(|day| (day, at + 1)).or_else(|| {
        let next = skip(at + 1);
        Some((tens? + ordinal(next).filter(|ones| *ones < 10)?, next + 1))
    });
    if let Some(found) = spoken {
        return Some(found);
    }
    let day = plain(phrase, at).filter(|day| (1..=31).contains(day))?;
    let ends = ["st", "nd", "rd", "th", "."];
    Some((day, at + 1 + usize::from(phrase.is(at + 1, &ends))))
}

/// Parses a year in digits or, in English, in words: "nineteen eighty seven", "two thousand and
/// five".
fn year(phrase: &Phrase, at: usize) -> Option<(u32, usize)> {
    if let Some(year) = plain(phrase, at).filter(|year| is_year(*year) && phrase.word(at).len() == 4) {
        return Some((year, at + 1));
    }
    if phrase.language != "en" {
        return None;
    }
    let (first, used) = english_integer(phrase.tokens.get(at..)?)?;
    let whole = u32::try_from(first).ok().filter(|year| is_year(*year));
    if let Some(year) = whole {
        return Some((year, at + used));
    }
    let century = domain::numbers::value(phrase.word(at)).filter(|value| (15..=20).contains(value))?;
    let (rest, next) = match phrase.word(at + 1) {
        "oh" => (english_integer(phrase.tokens.get(at + 2..)?)?, at + 2),
        "hundred" => return Some((century * 100, at + 2)),
        _ => (english_integer(phrase.tokens.get(at + 1..)?)?, at + 1),
    };
    let least = if phrase.word(at + 1) == "oh" { 1 } else { 10 };
    let ones = u32::try_from(rest.0).ok().filter(|ones| (least..100).contains(ones))?;
    Some((century * 100 + ones, next + rest.1)).filter(|(year, _)| is_year(*year))
}

/// Parses a month with a day or a year: `12 March`, `March 12, 2021`, `12th of March`, `May 2021`.
fn with_month(phrase: &Phrase, at: usize) -> Option<(Date, usize)> {
    let year_after = |end: usize| {
        let comma = end + usize::from(phrase.word(end) == ",");
        year(phrase, comma).filter(|_| comma == end || plain(phrase, comma).is_some())
    };
    let finish = |day: Option<u32>, month: u32, end: usize| {
        let found = year_after(end);
        let date = date(found.map(|(year, _)| year), Some(month), day)?;
        Some((date, found.map_or(end, |(_, end)| end)))
    };
    if let Some((day, end)) = day(phrase, at) {
        let of = end + usize::from(phrase.is(end, &["of", "de"]));
        return finish(Some(day), month(phrase, of)?, of + 1);
    }
    let month = month(phrase, at)?;
    if let Some((day, end)) = day(phrase, at + 1).filter(|_| phrase.language == "en") {
        return finish(Some(day), month, end);
    }
    let (date, end) = finish(None, month, at + 1)?;
    date.year.map(|_| (date, end))
}

/// Parses a month after a preposition: "in March". ("March" and "may" are verbs, too.)
fn month_alone(phrase: &Phrase, at: usize) -> Option<(Date, usize)> {
    let month = month(phrase, at).filter(|_| phrase.word(at).chars().count() > 2)?;
    (at > 0 && phrase.is(at - 1, BEFORE)).then_some(())?;
    Some((date(None, Some(month), None)?, at + 1))
}

/// Parses a year after a preposition, or at the end of a text in a picture.
fn year_alone(phrase: &Phrase, at: usize) -> Option<(Date, usize)> {
    let (year, end) = year(phrase, at)?;
    let counts = phrase.tokens.get(end).is_some_and(|next| {
        next.is_word() && !next.is(&["and", "by", "with", "when", "after", "the", "und", "et", "von"])
    });
    let after_preposition = at > 0 && phrase.is(at - 1, BEFORE) && !counts;
    let ends_sign = !phrase.spoken
        && at > 0
        && end == phrase.tokens.len()
        && phrase.tokens[..at].iter().all(|token| !token.is_digits())
        && phrase.tokens[at - 1].is_word()
        && !phrase.has(NAMES_OF_NUMBERS);
    (after_preposition || ends_sign).then_some((date(Some(year), None, None)?, end))
}

/// Returns true if a text starts with a number that may be a date in digits. It tells
/// dates from phone numbers.
pub(super) fn is_date(text: &str) -> bool {
    let phrase = Phrase::new(text, "de", false);
    !phrase.tokens.is_empty() && in_digits(&phrase, 0).is_some_and(|(_, end)| end == phrase.tokens.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str, language: &str, spoken: bool) -> Vec<String> {
        let found = find(&Phrase::new(text, language, spoken));
        found.into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn finds_dates() {
        for (text, language, spoken, expected) in [
            ("It was built in nineteen sixty four.", "en", true, "1964"),
            ("The heating was renewed in twenty nineteen", "en", true, "2019"),
            ("since two thousand and five", "en", true, "2005"),
            ("The roof was done in 2015.", "en", true, "2015"),
            ("Inspection due 3 September 2026", "en", false, "2026-09-03"),
            ("It was repaired in April.", "en", true, "--04"),
            ("SUMMER FAIR 21 JULY", "en", false, "--07-21"),
            ("on the twenty-first of May", "en", true, "--05-21"),
            ("May 4, 2021", "en", false, "2021-05-04"),
            ("12.03.2021", "de", false, "2021-03-12"),
            ("2021-03-12", "en", false, "2021-03-12"),
            ("25/12/2024", "en", false, "2024-12-25"),
            ("03/04/2024", "fr", false, "2024-04-03"),
            ("Baujahr 1978", "de", false, "1978"),
            ("3. Oktober", "de", false, "--10-03"),
            ("EXPO 2031", "en", false, "2031"),
            ("nineteen oh five was the year, so in nineteen oh five", "en", true, "1905"),
        ] {
            assert_eq!(dates(text, language, spoken), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_and_words_are_no_dates() {
        for (text, spoken) in [
            ("You may enter", true),
            ("They march on", true),
            ("Room 2021", false),
            ("PIN 1984", false),
            ("2000 people in 5 rooms", true),
            ("03/04/2024", false),
            ("45.13.2021", false),
            ("99 March", false),
            ("in two thousand steps", true),
            ("twenty chairs", true),
            ("Tel 030 2011", false),
        ] {
            assert!(dates(text, "en", spoken).is_empty(), "{text}: {:?}", dates(text, "en", spoken));
        }
    }

    #[test]
    fn a_date_has_a_subject() {
        let subject = |text, spoken| find(&Phrase::new(text, "en", spoken))[0].subject.clone();
        assert_eq!(subject("The boiler was replaced in 2021.", true).as_deref(), Some("boiler"));
        assert_eq!(subject("SUMMER FAIR 21 JULY", false).as_deref(), Some("summer fair"));
    }
}
