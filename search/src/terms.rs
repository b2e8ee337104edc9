//! Normalises the words of documents and queries to terms.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use knowledge::words::singular;

/// Maximum length of a term, in characters. Longer words are cut.
pub(crate) const MAX_TERM_CHARS: usize = 40;
/// Words that are in nearly every text and are not indexed.
pub(crate) const STOP_WORDS: [&str; 34] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "for", "from", "has", "have", "here", "i",
    "in", "is", "it", "of", "on", "or", "our", "s", "that", "the", "there", "this", "to", "was", "we",
    "with", "you", "your",
];

/// Origin of a text, which determines the terms of scripts without spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Text of a document. Its terms are single characters and pairs of characters.
    Index,
    /// Text of a query. Its terms are pairs of characters, or the character if it stands alone.
    Query,
}

/// Returns the terms of a text, in order: lower case, without accents and plurals. Scripts without
/// spaces between words are split into pairs of characters.
pub(crate) fn terms(text: &str, side: Side) -> Vec<String> {
    words(text).iter().flat_map(|word| terms_of_word(word, side)).collect()
}

/// Returns the terms of one of the [`words`] of a text.
pub(crate) fn terms_of_word(word: &str, side: Side) -> Vec<String> {
    let mut out = Vec::new();
    for run in runs(word) {
        if is_unspaced(run[0]) {
            push_pairs(&run, side, &mut out);
            continue;
        }
        let word: String = run.into_iter().take(MAX_TERM_CHARS).collect();
        if !STOP_WORDS.contains(&word.as_str()) {
            out.push(singular(&word));
        }
    }
    out
}

/// Returns the words and numbers of a text, normalised.
pub(crate) fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = fold(text).chars().collect();
    let mut out = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        let is_digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let inner = matches!(c, '.' | ',') && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        if c.is_alphanumeric() || is_combining_mark(*c) || inner {
            if let Some(last) = out.last_mut() {
                last.push(*c);
            }
        } else if out.last().is_some_and(|last| !last.is_empty()) && !matches!(c, '\'' | '’') {
            out.push(String::new());
        }
    }
    out.retain(|word| !word.is_empty());
    unify_wifi(out)
}

/// Converts to lower case, replaces compatibility forms, and removes accents from Latin, Greek and
/// Cyrillic letters. Combining marks of other scripts stay, because they distinguish letters there.
fn fold(text: &str) -> String {
    let mut has_accents = false;
    let bare = text.nfkd().filter(|c| {
        if is_combining_mark(*c) {
            return !has_accents;
        }
        has_accents = matches!(*c, '\u{41}'..='\u{24f}' | '\u{370}'..='\u{52f}');
        true
    });
    let composed: String = bare.flat_map(char::to_lowercase).nfc().collect();
    composed.replace('ß', "ss")
}

/// Replaces "wi fi" and "wlan" by "wifi".
fn unify_wifi(words: Vec<String>) -> Vec<String> {
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

/// Splits a word into runs of scripts with and without spaces between words.
fn runs(word: &str) -> Vec<Vec<char>> {
    let mut out: Vec<Vec<char>> = Vec::new();
    for c in word.chars() {
        match out.last_mut() {
            Some(run)
                if is_unspaced(run[0])
                    == (is_unspaced(c) || (is_combining_mark(c) && is_unspaced(run[0]))) =>
            {
                run.push(c)
            }
            _ => out.push(vec![c]),
        }
    }
    out
}

fn push_pairs(run: &[char], side: Side, out: &mut Vec<String>) {
    if side == Side::Index || run.len() == 1 {
        out.extend(run.iter().map(char::to_string));
    }
    out.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
}

/// Whether the script of a character has no spaces between words, or spaces in other places as
/// Korean does: Han, Kana, Hangul, Thai, Lao, Burmese, Khmer.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query_terms(text: &str) -> Vec<String> {
        terms(text, Side::Query)
    }

    #[test]
    fn forms_of_a_word_give_one_term() {
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
            assert_eq!(query_terms(a), query_terms(b), "{a} {b}");
        }
        assert_eq!(query_terms("the size of 2.5 rooms"), ["size", "2.5", "room"]);
        assert_ne!(query_terms("がく"), query_terms("かく"), "the voiced sound is a different letter");
        assert_eq!(query_terms("हिन्दी"), ["हिन्दी"], "combining marks do not split a word");
        assert_eq!(query_terms("  … !"), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_give_pairs_of_characters() {
        assert_eq!(query_terms("会議室"), ["会議", "議室"]);
        assert_eq!(query_terms("室"), ["室"]);
        assert_eq!(query_terms("Room 会議室 2"), ["room", "会議", "議室", "2"]);
        let stored = terms("第二会議室", Side::Index);
        assert!(query_terms("会議室").iter().chain(&query_terms("室")).all(|term| stored.contains(term)));
        assert!(terms("회의실에서", Side::Index).contains(&query_terms("회의실")[0]));
    }
}
