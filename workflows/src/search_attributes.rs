//! Search attributes: what operators filter scans by in the Temporal Web UI.

use temporalio_common::search_attributes::SearchAttributeKey;

/// A scan's status.
pub const SCAN_STATUS: SearchAttributeKey<String> = SearchAttributeKey::keyword("ScanStatus");
/// A processing scan's stage.
pub const SCAN_STAGE: SearchAttributeKey<String> = SearchAttributeKey::keyword("ScanStage");
/// The owning account.
pub const ACCOUNT_ID: SearchAttributeKey<String> = SearchAttributeKey::keyword("AccountId");
/// The space that is scanned.
pub const SPACE_ID: SearchAttributeKey<String> = SearchAttributeKey::keyword("SpaceId");
/// Live or test.
pub const LIVEMODE: SearchAttributeKey<bool> = SearchAttributeKey::bool("Livemode");
