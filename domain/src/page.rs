//! Lists that can grow.

use serde::{Deserialize, Serialize};

/// Items of a page when the caller names no `limit`.
pub const DEFAULT_LIMIT: u32 = 20;
/// Most items of a page.
pub const MAX_LIMIT: u32 = 100;

/// Where a page goes on: the sort key of the last row of the page before. Rows are listed newest
/// first, by creation time and then id, so a row that appears meanwhile moves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyset {
    /// Creation time of the last row seen, in milliseconds since the epoch.
    pub created_at: i64,
    /// Its id.
    pub id: String,
}

/// Which page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// 1 to [`MAX_LIMIT`].
    pub limit: u32,
    /// The last row of the page before; `None` for the first page.
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
    /// The rows, newest first.
    pub rows: Vec<T>,
    /// Where the next page starts; `None` on the last page.
    pub next: Option<Keyset>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were read with one row more than `limit`.
    pub fn from_overfetch(mut rows: Vec<T>, limit: u32, keyset: impl Fn(&T) -> Keyset) -> Self {
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(keyset) } else { None };
        Self { rows, next }
    }

    /// The page with every row turned into something else.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { rows: self.rows.into_iter().map(f).collect(), next: self.next }
    }
}
