//! An S3 server in this process that stores objects in a folder, for installations on one machine.
//!
//! `s3s` implements the protocol (requests, signatures, XML). This module implements the storage.
//! It must never lose an object, mix two objects or show part of one:
//!
//! - An object is one file with its bytes and its description (ETag, media type). The file is
//!   written elsewhere and renamed into place, so readers, crashes and concurrent writers see one
//!   complete version.
//! - A body that differs from its announced length or checksum is never stored.
//! - A copy is a hard link to the bytes that were compared with the given ETag.
//! - A key that could name another path (`..`, empty segments) is rejected. A listing reads only
//!   the requested folder.
//!
//! The server supports the operations that the client uses: buckets, put, get, head, copy, list v2
//! and delete, without multipart uploads. It responds with 501 to all others. A key cannot be both
//! an object and a folder of other keys.

mod checksums;
mod folder;
mod format;
mod listing;
mod server;
mod service;

pub use server::{Credentials, Error, Server, serve, serve_rotating};
