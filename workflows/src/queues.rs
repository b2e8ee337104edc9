//! Names of the task queues. A deployment scales one kind of work by adding workers that serve only
//! its queue, for example `scan worker --queues vision`.

/// Workflows, their local activities, and activities on accounts and uploads.
pub const SCANS: &str = "scans";
/// Decoding with ffmpeg.
pub const MEDIA: &str = "media";
/// Models for images and sound.
pub const VISION: &str = "vision";
/// The stages `fuse`, `enrich` and `save`.
pub const FUSION: &str = "fusion";
/// Refunds and payments.
pub const BILLING: &str = "billing";
/// Deliveries to webhook endpoints.
pub const WEBHOOKS: &str = "webhooks";
/// Workflows of periodic tasks, so that a repair doesn't wait behind thousands of scans. A schedule
/// of the Rust SDK cannot give its workflows a priority.
pub const UPKEEP: &str = "upkeep";

/// Every queue.
pub const ALL: [&str; 7] = [SCANS, MEDIA, VISION, FUSION, BILLING, WEBHOOKS, UPKEEP];
