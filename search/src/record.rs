//! The record of a space, as the index reads it.

use entities::SpaceRow;

/// Fields of a space's record that are searchable.
#[derive(Debug, Clone, Copy)]
pub struct SpaceRecord<'a> {
    /// Id with the prefix `spc_`.
    pub id: &'a str,
    /// Name of the space.
    pub name: &'a str,
    /// Type label, for example `apartment`.
    pub space_type: &'a str,
    /// Free text of the owner.
    pub description: Option<&'a str>,
    /// Reference in the caller's system.
    pub external_id: Option<&'a str>,
}

impl<'a> From<&'a SpaceRow> for SpaceRecord<'a> {
    fn from(row: &'a SpaceRow) -> Self {
        Self {
            id: row.id.as_str(),
            name: &row.name,
            space_type: &row.space_type,
            description: row.description.as_deref(),
            external_id: row.external_id.as_deref(),
        }
    }
}
