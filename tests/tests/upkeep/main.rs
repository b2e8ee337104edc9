//! Periodic tasks run once for all workers, and the reconciler repairs every open scan, with a real
//! Temporal server and workers in processes of their own.

mod charged_scans;
mod many_scans;
mod schedules;
