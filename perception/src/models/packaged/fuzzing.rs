//! Fuzz target of the parser of weights. It returns the kind of its outcome.

use super::speech::ctranslate2::Variables;

/// Parses weights in the format of CTranslate2.
#[must_use]
pub fn ctranslate2(bytes: &[u8]) -> String {
    match Variables::parse(bytes) {
        Ok(_) => "parsed".to_owned(),
        // Leaves out the parts of the file that the message quotes.
        Err(error) => error.to_string().chars().take(60).filter(char::is_ascii_lowercase).collect(),
    }
}
