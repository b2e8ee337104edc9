//! Typo tolerance by deletion neighbourhoods, as in SymSpell.

use crate::terms::{MAX_TERM_CHARS, is_unspaced};

/// Minimum number of letters of a word that has a deletion neighbourhood.
const MIN_WORD_CHARS: usize = 4;
/// Minimum number of letters of a word in which two typos are accepted.
const MIN_CHARS_FOR_TWO_TYPOS: usize = 8;

/// Returns the word and every form with one letter deleted.
///
/// The neighbourhoods of two words with an edit distance of one overlap. Numbers, short words and
/// scripts without spaces have an empty neighbourhood.
pub fn deletion_neighbourhood(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let has_neighbourhood = (MIN_WORD_CHARS..=MAX_TERM_CHARS).contains(&letters.len());
    if !has_neighbourhood || letters.iter().any(|c| !c.is_alphabetic() || is_unspaced(*c)) {
        return Vec::new();
    }
    let without = |at: usize| letters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c).collect();
    let mut out: Vec<String> = (0..letters.len()).map(without).collect();
    out.push(word.to_owned());
    out.sort();
    out.dedup();
    out
}

/// Whether `typed` may be a misspelling of `known`.
pub fn is_probable_typo(typed: &str, known: &str) -> bool {
    let max_typos = if typed.chars().count() >= MIN_CHARS_FOR_TWO_TYPOS { 2 } else { 1 };
    strsim::osa_distance(typed, known) <= max_typos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbourhoods_of_misspelled_words_overlap() {
        for (typed, known) in [
            ("kichen", "kitchen"),
            ("bedrom", "bedroom"),
            ("tabel", "table"),
            ("sopfa", "sofa"),
            ("xouch", "couch"),
        ] {
            let known_forms = deletion_neighbourhood(known);
            let overlap = deletion_neighbourhood(typed).iter().any(|form| known_forms.contains(form));
            assert!(overlap && is_probable_typo(typed, known), "{typed} {known}");
        }
        assert!(!is_probable_typo("bed", "red door") && !is_probable_typo("sofa", "soap"));
        assert!(
            deletion_neighbourhood("tv").is_empty()
                && deletion_neighbourhood("4411").is_empty()
                && deletion_neighbourhood("会議室会議室").is_empty()
        );
    }
}
