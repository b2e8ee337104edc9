//! Search attributes: operators filter scans by them in Temporal's Web UI.

use temporalio_common::search_attributes::SearchAttributeKey;

/// Status of the scan.
pub const SCAN_STATUS: SearchAttributeKey<String> = SearchAttributeKey::keyword("ScanStatus");
/// Stage of a scan that is processing, or `none`.
pub const SCAN_STAGE: SearchAttributeKey<String> = SearchAttributeKey::keyword("ScanStage");
/// Failure code of a scan that failed; absent for others.
pub const SCAN_ERROR: SearchAttributeKey<String> = SearchAttributeKey::keyword("ScanError");
/// Account that owns the scan.
pub const ACCOUNT_ID: SearchAttributeKey<String> = SearchAttributeKey::keyword("AccountId");
/// Space that is scanned.
pub const SPACE_ID: SearchAttributeKey<String> = SearchAttributeKey::keyword("SpaceId");
/// `true` in live mode, `false` in test mode.
pub const LIVEMODE: SearchAttributeKey<bool> = SearchAttributeKey::bool("Livemode");
