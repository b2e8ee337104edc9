//! How spaces are found: by words of their records and documents, forgiving forms and slips, and by facts.
//!
//! Rows are made here and summed by the database. What a term adds is a whole number that is computed here, so every
//! database ranks alike. Where a model gives vectors, ranks by meaning are joined with those by words.

mod index;
mod meaning;
mod passages;
mod query;
mod rank;
mod terms;

pub use index::{Record, index};
pub use meaning::{apart, closest, fused};
pub use query::{MAX_QUERY, Query, query, type_fact};
pub use rank::{score, weight};
pub use terms::{near, spellings};
