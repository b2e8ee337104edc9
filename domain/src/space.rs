//! Spaces: the places that are scanned.

use serde::{Deserialize, Serialize};

/// Maximum length of `name`, in characters.
pub const MAX_NAME: usize = 200;
/// Maximum length of `space_type`, in characters.
pub const MAX_SPACE_TYPE: usize = 64;
/// Maximum length of `external_id`, in characters.
pub const MAX_EXTERNAL_ID: usize = 128;
/// Maximum length of `description`, in characters.
pub const MAX_DESCRIPTION: usize = 5000;

/// The `source` of a space created through the API. Only such a space can be deleted through the
/// API.
pub const SOURCE_API: &str = "api";

/// Request body of `POST /spaces`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSpace {
    /// Name, 1 to 200 characters.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub name: String,
    /// A type label, 1 to 64 characters, for example `apartment` or `office`.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub space_type: String,
    /// Reference of the caller, at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, pattern = "^[^\\x00-\\x1f\\x7f]*$")]
    pub external_id: Option<String>,
    /// Description, at most 5000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 5000, pattern = "^[^\\x00]*$")]
    pub description: Option<String>,
}
