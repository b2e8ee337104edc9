//! What an object is on disk: its bytes, then its description, then where that starts.
//!
//! `[bytes][JSON description][length of the JSON, 4 bytes big endian][mark, 8 bytes]`. Media come first
//! so that other programs can open the file as it is.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"scanobj1";
/// Length field and mark.
const TRAILER_BYTES: u64 = 4 + MAGIC.len() as u64;
/// Descriptions are small; a larger one is not ours.
const MAX_DESCRIPTION_BYTES: u32 = 64 * 1024;

/// What is known of an object beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    /// Size of the object.
    pub(super) bytes: u64,
    /// MD5 of the bytes, hex, as S3 has it for an object put at once.
    pub(super) etag: String,
    /// Media type it was put with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content_type: Option<String>,
    /// `x-amz-meta-…` it was put with.
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    pub(super) metadata: HashMap<String, String>,
}

/// Completes a file that holds the bytes and stands at their end.
pub(super) fn append_description(file: &mut File, description: &Description) -> io::Result<()> {
    let mut tail = serde_json::to_vec(description)?;
    let length = u32::try_from(tail.len()).ok().filter(|n| *n <= MAX_DESCRIPTION_BYTES);
    let length = length.ok_or_else(|| invalid("the description of an object is too long"))?;
    tail.extend_from_slice(&length.to_be_bytes());
    tail.extend_from_slice(MAGIC);
    file.write_all(&tail)
}

/// Reads the description and leaves the file at the first byte.
///
/// # Errors
/// `InvalidData` when the file is not one that [`append_description`] completed.
pub(super) fn read(file: &mut File) -> io::Result<Description> {
    let size = file.metadata()?.len();
    let tail_at = size.checked_sub(TRAILER_BYTES).ok_or_else(|| invalid("too short"))?;
    file.seek(SeekFrom::Start(tail_at))?;
    let mut tail = [0_u8; TRAILER_BYTES as usize];
    file.read_exact(&mut tail)?;
    let (length, mark) = tail.split_at(4);
    let length = u32::from_be_bytes(length.try_into().map_err(|_| invalid("no length"))?);
    if mark != MAGIC || length > MAX_DESCRIPTION_BYTES {
        return Err(invalid("no mark"));
    }
    let bytes = tail_at.checked_sub(u64::from(length)).ok_or_else(|| invalid("a wrong length"))?;
    file.seek(SeekFrom::Start(bytes))?;
    let mut json = vec![0_u8; length as usize];
    file.read_exact(&mut json)?;
    let description: Description = serde_json::from_slice(&json)?;
    if description.bytes != bytes {
        return Err(invalid("another size than described"));
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(description)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a stored object: {what}"))
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
        fn reads_back_what_was_described(bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in ".{0,40}") {
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
        fn a_cut_file_is_no_object(cut in 1_u64..60) {
            let description =
                Description { bytes: 40, etag: "e".into(), content_type: None, metadata: HashMap::new() };
            let mut file = stored(&[7; 40], &description);
            let size = file.metadata().unwrap().len();
            file.set_len(size - cut).unwrap();
            prop_assert_eq!(read(&mut file).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
