//! Kills the process with signal 9 at every line of each operation that moves money or ends an
//! account: before each statement, before and after each commit, and between the work of the bank
//! (or the storage) and the service's. The state after a crash is consistent and has all or nothing
//! of the operation, and a repetition completes the operation once.

mod accounts;
mod crash_fixture;
mod money;
