//! Object storage: the client with the embedded S3 server, and with another S3 server if one is
//! configured (see `support`).

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod embedded;
mod objects;
mod presigned;
mod support;
