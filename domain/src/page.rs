//! Pagination of lists.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Default number of items of a page.
pub const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of items of a page.
pub const MAX_LIMIT: u32 = 100;

/// Position in a list: the sort key of the last row of the previous page. Rows are listed newest
/// first, by creation time and then id, so new rows don't shift later pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyset {
    /// Creation time of the last row, in milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Id of the last row.
    pub id: String,
}

impl Keyset {
    /// Returns the position of a row.
    #[must_use]
    pub fn at(created_at: Timestamp, id: &impl ToString) -> Keyset {
        Keyset { created_at: created_at.as_millis(), id: id.to_string() }
    }
}

/// Request for a page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Number of items, 1 to [`MAX_LIMIT`].
    pub limit: u32,
    /// Position after which the page starts; `None` for the first page.
    pub after: Option<Keyset>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: DEFAULT_LIMIT, after: None }
    }
}

/// One page of rows.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// Rows, newest first.
    pub rows: Vec<T>,
    /// Position of the next page; `None` on the last page.
    pub next: Option<Keyset>,
}

impl<T> Page<T> {
    /// Builds a page from rows that were read with one row more than `limit`.
    pub fn from_overfetch(mut rows: Vec<T>, limit: u32, keyset: impl Fn(&T) -> Keyset) -> Self {
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(keyset) } else { None };
        Self { rows, next }
    }

    /// Converts every row of the page.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { rows: self.rows.into_iter().map(f).collect(), next: self.next }
    }
}
