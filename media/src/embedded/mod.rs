//! An S3 server on a folder, in this process, for one machine.
//!
//! The wire (requests, signatures, XML) is `s3s`; what is kept on disk is ours, because a store that
//! money depends on must not lose an object, mix two of them, or show half of one:
//!
//! - an object is one file, bytes and description (ETag, media type) together, written beside its place
//!   and renamed into it: a reader, a crash or a second writer sees one whole version;
//! - a body of another length or checksum than announced is never stored;
//! - a copy is a link to the bytes that were compared with the given ETag;
//! - a key names a path only if it cannot mean another one (`..`, empty parts); listing reads only the
//!   folder asked for.
//!
//! It knows what our client uses (buckets, put, get, head, copy, list v2, delete; no multipart) and
//! answers 501 to the rest. A key cannot be an object and the folder of another one at once.

mod checksums;
mod folder;
mod format;
mod listing;
mod server;
mod service;

pub use server::{Credentials, Error, Server, serve};
