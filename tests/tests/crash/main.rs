//! Signal 9 at every line of everything that moves money, or ends an account: before each statement, before and
//! after each commit, between the bank's (or the storage's) work and ours. What is left is sound, all or nothing,
//! and doing it again does it once.

mod accounts;
mod crash_fixture;
mod money;
