//! Terms: words made alike in documents and in queries.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::words::singular;

/// Longest term, in characters; what is longer is cut.
const LONGEST: usize = 40;
/// Words that are in everything.
pub(super) const STOP: [&str; 34] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "for", "from", "has", "have", "here", "i",
    "in", "is", "it", "of", "on", "or", "our", "s", "that", "the", "there", "this", "to", "was", "we",
    "with", "you", "your",
];

/// Whether the terms are stored, or looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Scripts without spaces give single characters and pairs.
    Stored,
    /// They give pairs; a single character only where it stands alone.
    Asked,
}

/// The terms of a text, in order: lower case, without accents and plurals; pairs of characters for scripts that put
/// no spaces between words.
pub(super) fn terms(text: &str, side: Side) -> Vec<String> {
    words(text).iter().flat_map(|word| of_word(word, side)).collect()
}

/// The terms of one of the [`words`] of a text.
pub(super) fn of_word(word: &str, side: Side) -> Vec<String> {
    let mut out = Vec::new();
    for run in runs(word) {
        if unspaced(run[0]) {
            pairs(&run, side, &mut out);
            continue;
        }
        let word: String = run.into_iter().take(LONGEST).collect();
        if !STOP.contains(&word.as_str()) {
            out.push(singular(&word));
        }
    }
    out
}

/// Words and numbers, folded.
pub(super) fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = folded(text).chars().collect();
    let mut out = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let inner = matches!(c, '.' | ',') && digit(at.checked_sub(1)) && digit(Some(at + 1));
        if c.is_alphanumeric() || is_combining_mark(*c) || inner {
            if let Some(last) = out.last_mut() {
                last.push(*c);
            }
        } else if out.last().is_some_and(|last| !last.is_empty()) && !matches!(c, '\'' | '’') {
            out.push(String::new());
        }
    }
    out.retain(|word| !word.is_empty());
    joined(out)
}

/// One form of each character: compatibility forms unified, lower case, no accents on letters that have them as
/// ornament. Signs of other scripts stay: they are letters there.
fn folded(text: &str) -> String {
    let mut ornamented = false;
    let bare = text.nfkd().filter(|c| {
        if is_combining_mark(*c) {
            return !ornamented;
        }
        ornamented = matches!(*c, '\u{41}'..='\u{24f}' | '\u{370}'..='\u{52f}');
        true
    });
    let composed: String = bare.flat_map(char::to_lowercase).nfc().collect();
    composed.replace('ß', "ss")
}

/// "Wi-Fi" is one word, and so is what it is called elsewhere.
fn joined(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        match (out.last_mut(), word.as_str()) {
            (Some(last), "fi") if last == "wi" => "wifi".clone_into(last),
            (_, "wlan") => out.push("wifi".to_owned()),
            _ => out.push(word),
        }
    }
    out
}

/// Stretches of characters with and without spaces between words.
fn runs(word: &str) -> Vec<Vec<char>> {
    let mut out: Vec<Vec<char>> = Vec::new();
    for c in word.chars() {
        match out.last_mut() {
            Some(run) if unspaced(run[0]) == (unspaced(c) || (is_combining_mark(c) && unspaced(run[0]))) => {
                run.push(c)
            }
            _ => out.push(vec![c]),
        }
    }
    out
}

fn pairs(run: &[char], side: Side, out: &mut Vec<String>) {
    if side == Side::Stored || run.len() == 1 {
        out.extend(run.iter().map(char::to_string));
    }
    out.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
}

/// Whether a script puts no spaces between words (or puts them elsewhere, as Korean does): Han, Kana, Hangul, Thai,
/// Lao, Burmese, Khmer.
fn unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// Least letters of a word whose mistyped forms are known.
const SPELLED: usize = 4;
/// Letters from which on two slips are forgiven.
const LONG: usize = 8;

/// Under what a word is found when it is mistyped: itself, and itself without one letter. Of two words that differ by
/// one slip, some of these are the same. Empty for numbers, short words and scripts without letters.
pub fn spellings(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let spelled = (SPELLED..=LONGEST).contains(&letters.len());
    if !spelled || letters.iter().any(|c| !c.is_alphabetic() || unspaced(*c)) {
        return Vec::new();
    }
    let without = |at: usize| letters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c).collect();
    let mut out: Vec<String> = (0..letters.len()).map(without).collect();
    out.push(word.to_owned());
    out.sort();
    out.dedup();
    out
}

/// Whether one word may be the other, mistyped.
pub fn near(typed: &str, known: &str) -> bool {
    let slips = if typed.chars().count() >= LONG { 2 } else { 1 };
    strsim::osa_distance(typed, known) <= slips
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<String> {
        terms(text, Side::Asked)
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        for (a, b) in [
            ("Kitchens", "kitchen"),
            ("TVs", "tv"),
            ("Wi-Fi", "wifi"),
            ("WLAN", "wi fi"),
            ("CAFÉ", "cafe"),
            ("Straße", "STRASSE"),
            ("ＷｉＦｉ", "wifi"),
            ("shelves", "shelf"),
            ("kid’s", "kids"),
            ("naïve", "nai\u{308}ve"),
        ] {
            assert_eq!(asked(a), asked(b), "{a} {b}");
        }
        assert_eq!(asked("the size of 2.5 rooms"), ["size", "2.5", "room"]);
        assert_ne!(asked("がく"), asked("かく"), "a voiced sound is another letter");
        assert_eq!(asked("हिन्दी"), ["हिन्दी"], "signs within a word do not cut it");
        assert_eq!(asked("  … !"), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_spaces_is_found_by_pairs() {
        assert_eq!(asked("会議室"), ["会議", "議室"]);
        assert_eq!(asked("室"), ["室"]);
        assert_eq!(asked("Room 会議室 2"), ["room", "会議", "議室", "2"]);
        let stored = terms("第二会議室", Side::Stored);
        assert!(asked("会議室").iter().chain(&asked("室")).all(|term| stored.contains(term)));
        assert!(terms("회의실에서", Side::Stored).contains(&asked("회의실")[0]));
    }

    #[test]
    fn mistyped_words_meet() {
        for (typed, known) in [
            ("kichen", "kitchen"),
            ("bedrom", "bedroom"),
            ("tabel", "table"),
            ("sopfa", "sofa"),
            ("xouch", "couch"),
        ] {
            let meet = spellings(typed).iter().any(|spelling| spellings(known).contains(spelling));
            assert!(meet && near(typed, known), "{typed} {known}");
        }
        assert!(!near("bed", "red door") && !near("sofa", "soap"));
        assert!(
            spellings("tv").is_empty()
                && spellings("4411").is_empty()
                && spellings("会議室会議室").is_empty()
        );
    }
}
