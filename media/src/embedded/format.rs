//! File format of an object: the bytes, the description, and a trailer.
//!
//! `[bytes][JSON description][length of the JSON, 4 bytes big endian][magic, 8 bytes]`. The bytes
//! come first so that other programs can open the file.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"scanobj1";
/// Size of the length field and the magic.
const TRAILER_BYTES: u64 = 4 + MAGIC.len() as u64;
/// Maximum size of a description. A larger one wasn't written by this server.
const MAX_DESCRIPTION_BYTES: u32 = 64 * 1024;

/// Metadata of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    /// Size in bytes.
    pub(super) bytes: u64,
    /// MD5 of the bytes in hex, which is the ETag of an object that was uploaded in one request.
    pub(super) etag: String,
    /// Media type that the object was uploaded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content_type: Option<String>,
    /// `x-amz-meta-…` headers that the object was uploaded with.
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    pub(super) metadata: HashMap<String, String>,
}

/// Appends the description and the trailer to a file that holds the bytes.
pub(super) fn append_description(file: &mut File, description: &Description) -> io::Result<()> {
    let mut tail = serde_json::to_vec(description)?;
    let length = u32::try_from(tail.len()).ok().filter(|n| *n <= MAX_DESCRIPTION_BYTES);
    let length = length.ok_or_else(|| invalid("the description of an object is too long"))?;
    tail.extend_from_slice(&length.to_be_bytes());
    tail.extend_from_slice(MAGIC);
    file.write_all(&tail)
}

/// Reads the description and rewinds the file to its first byte.
///
/// # Errors
/// Returns `InvalidData` if [`append_description`] didn't complete the file.
pub(super) fn read(file: &mut File) -> io::Result<Description> {
    let size = file.metadata()?.len();
    let tail_at = size.checked_sub(TRAILER_BYTES).ok_or_else(|| invalid("the file is too short"))?;
    file.seek(SeekFrom::Start(tail_at))?;
    let mut tail = [0_u8; TRAILER_BYTES as usize];
    file.read_exact(&mut tail)?;
    let (length, magic) = tail.split_at(4);
    let length = u32::from_be_bytes(length.try_into().map_err(|_| invalid("no length"))?);
    if magic != MAGIC || length > MAX_DESCRIPTION_BYTES {
        return Err(invalid("wrong magic"));
    }
    let bytes =
        tail_at.checked_sub(u64::from(length)).ok_or_else(|| invalid("wrong length of the description"))?;
    file.seek(SeekFrom::Start(bytes))?;
    let mut json = vec![0_u8; length as usize];
    file.read_exact(&mut json)?;
    let description: Description = serde_json::from_slice(&json)?;
    if description.bytes != bytes {
        return Err(invalid("the size differs from the description"));
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(description)
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a stored object: {reason}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(bytes: &[u8], description: &Description) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        append_description(&mut file, description).unwrap();
        file
    }

    proptest! {
        #[test]
        fn round_trips_bytes_and_description(bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in ".{0,40}") {
            let description = Description {
                bytes: bytes.len() as u64,
                etag: "e".repeat(32),
                content_type: Some(kind),
                metadata: HashMap::from([("a".into(), "b".into())]),
            };
            let mut file = stored(&bytes, &description);
            prop_assert_eq!(read(&mut file).unwrap(), description);
            let mut back = vec![0; bytes.len()];
            file.read_exact(&mut back).unwrap();
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn rejects_truncated_files(cut in 1_u64..60) {
            let description =
                Description { bytes: 40, etag: "e".into(), content_type: None, metadata: HashMap::new() };
            let mut file = stored(&[7; 40], &description);
            let size = file.metadata().unwrap().len();
            file.set_len(size - cut).unwrap();
            prop_assert_eq!(read(&mut file).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
