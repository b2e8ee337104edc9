//! Kills the process with signal 9 at every line of each operation that prepares a scan, moves money or
//! ends an account: before each statement, before and after each commit, and between the response of
//! the bank or the storage and the service's next statement. After a crash, the state is consistent
//! and all or nothing of the operation is done. A repetition completes it exactly once.

mod accounts;
mod crash_fixture;
mod money;
mod scans;
