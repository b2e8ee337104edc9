//! Object storage: the client against the embedded S3 server, and against another one where there is
//! one (see `support`).

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod embedded;
mod objects;
mod presigned;
mod support;
