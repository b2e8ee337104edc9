//! Boards: lines of text that belong together on one sign, menu, price list or timetable.

use serde::{Deserialize, Serialize};

use super::Claim;

/// Lines of text that belong together.
///
/// A board has at least two cells. A text is a cell of at most one board; texts of no board stand
/// alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Board {
    /// `brd_<number>`.
    pub id: String,
    /// The zone it was seen in, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// Rows from top to bottom.
    pub rows: Vec<BoardRow>,
    /// The claim that these lines belong together. Its value is the text of the board: one row a
    /// line, cells separated by tabs. Its evidence shows the whole board.
    pub claim: Claim,
}

/// One row of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BoardRow {
    /// True if the row is a heading of the rows below it, up to the next heading.
    pub heading: bool,
    /// Cells from left to right; never empty. A price beside its name is a row of two cells.
    pub cells: Vec<BoardCell>,
}

/// One cell of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BoardCell {
    /// The text in the cell, an id of `texts[]`.
    pub text_id: String,
    /// The text as it was read.
    pub text: String,
    /// Column of the cell, counted from 0 at the left. Cells of different rows with one column stand
    /// below each other.
    pub column: u32,
}
