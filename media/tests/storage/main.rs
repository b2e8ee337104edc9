//! Object storage: the client with the embedded S3 server, and with another S3 server if one is
//! configured (see `support`).

mod embedded;
mod objects;
mod presigned;
mod support;
