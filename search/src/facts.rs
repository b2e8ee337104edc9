//! Terms of facts: the index of a space contains the term if the fact is true.

use crate::terms::{Side, terms};

/// Returns the term of a count, for example `bedroom=2`.
pub(crate) fn count_term(number: u32, name: &str) -> String {
    format!("{}={number}", terms(name, Side::Query).join(" "))
}

/// Returns the term of a space type. The type is compared literally.
pub fn space_type_term(space_type: &str) -> String {
    format!("type={space_type}")
}
