//! Object storage: the client against the embedded S3 server, and against another one where there is
//! one (see `support`).

mod embedded;
mod objects;
mod presigned;
mod support;
