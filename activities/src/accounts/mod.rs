//! Activities of a whole account: erasing it and exporting it.

mod erasure;
mod export;

pub use erasure::{AccountActivities, delete_objects};
pub use export::{ExportActivities, drop_export, export};
