//! Validation of e-mail addresses, passwords and names.

use crate::http::error::FieldError;

/// Minimum length of a password, in characters.
pub const MIN_PASSWORD: usize = 10;
/// Maximum length of a password, in characters.
pub const MAX_PASSWORD: usize = 200;
/// Maximum length of an e-mail address, in bytes (RFC 5321 §4.5.3.1.3).
pub const MAX_EMAIL: usize = 254;
/// Maximum length of the name of an account, in characters.
pub const MAX_ACCOUNT_NAME: usize = 100;

/// Checks an e-mail address. Only ASCII addresses are valid.
pub fn email(address: &str) -> Option<FieldError> {
    (!is_email(address))
        .then(|| FieldError::new("email", "must be an e-mail address, for example `ann@example.com`"))
}

fn is_email(address: &str) -> bool {
    let Some((local, host)) = address.rsplit_once('@') else { return false };
    let atoms = |text: &str, symbols: &str| {
        text.split('.').all(|atom| {
            !atom.is_empty() && atom.chars().all(|c| c.is_ascii_alphanumeric() || symbols.contains(c))
        })
    };
    let labels = || host.split('.').all(|l| l.len() <= 63 && !l.starts_with('-') && !l.ends_with('-'));
    address.len() <= MAX_EMAIL
        && atoms(local, "!#$%&'*+/=?^_`{|}~-")
        && atoms(host, "-")
        && labels()
        && host.contains('.')
}

/// Checks the length of a new password, and that it differs from the address. There are no rules
/// about kinds of characters, because they make passwords weaker.
pub fn password(chosen: &str, email: &str) -> Option<FieldError> {
    let length = chosen.chars().count();
    if !(MIN_PASSWORD..=MAX_PASSWORD).contains(&length) {
        let message = format!("must have {MIN_PASSWORD} to {MAX_PASSWORD} characters");
        return Some(FieldError::new("password", message));
    }
    let is_address = chosen.eq_ignore_ascii_case(email.trim());
    is_address.then(|| FieldError::new("password", "must not be the e-mail address"))
}

/// Checks a name: not blank, not too long, no control characters.
pub fn name(field: &str, text: &str, max_chars: usize) -> Option<FieldError> {
    if !text.chars().any(|c| c > ' ' && c != '\u{7f}') {
        return Some(FieldError::new(field, "must not be blank"));
    }
    if text.chars().count() > max_chars {
        return Some(FieldError::new(field, format!("must have at most {max_chars} characters")));
    }
    text.chars()
        .any(|c| c.is_ascii_control())
        .then(|| FieldError::new(field, "must not contain control characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_ascii_addresses_only() {
        for good in ["ann@example.com", "a.b+c@x-y.example", "O'Neil@sub.example.org"] {
            assert_eq!(email(good), None, "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(250));
        for bad in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@localhost",
            "a b@example.com",
            "a@b@example.com",
            ".a@example.com",
            "a..b@example.com",
            "ann@-x.example",
            "ann@example..com",
            "änn@example.com",
            "a@exa\nmple.com",
            &long,
        ] {
            assert!(email(bad).is_some(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn passwords_have_a_minimum_length() {
        assert_eq!(password("correct horse", "ann@example.com"), None);
        assert_eq!(password(&"ü".repeat(MAX_PASSWORD), "ann@example.com"), None);
        for bad in ["", "123456789", &"x".repeat(MAX_PASSWORD + 1), "Ann@example.com"] {
            assert!(password(bad, "ann@example.com").is_some(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn names_are_visible_text() {
        assert_eq!(name("name", "Ann's", 10), None);
        for bad in ["", "  ", "a\nb", "elevenchars"] {
            assert!(name("name", bad, 10).is_some(), "{bad:?} was accepted");
        }
    }
}
