//! The `scan` command as a library, so that tests can reach its configuration.
