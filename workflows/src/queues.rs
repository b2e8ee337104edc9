//! Task queues. A fleet grows by workers that serve one of them: `scan worker --queues vision`.

/// Workflows, and short database steps as their local activities.
pub const SCANS: &str = "scans";
/// Decoding: ffmpeg.
pub const MEDIA: &str = "media";
/// Models that look and listen.
pub const VISION: &str = "vision";
/// Fusing, enriching, saving.
pub const FUSION: &str = "fusion";
/// Refunds and payments.
pub const BILLING: &str = "billing";
/// Deliveries to webhook endpoints.
pub const WEBHOOKS: &str = "webhooks";

/// Every queue.
pub const ALL: [&str; 6] = [SCANS, MEDIA, VISION, FUSION, BILLING, WEBHOOKS];
