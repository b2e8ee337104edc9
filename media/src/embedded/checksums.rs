//! Verifies the checksums that a client sends, in headers before the body or in trailers after it.

use base64::{Engine, engine::general_purpose::STANDARD};
use s3s::{
    S3Result, TrailingHeaders,
    checksum::ChecksumHasher,
    dto::{ChecksumAlgorithm, PutObjectInput},
    s3_error,
};

/// The expected checksums, and the checksums computed so far.
pub(super) struct ExpectedChecksums {
    md5: Option<String>,
    sums: [Option<String>; 5],
    hasher: ChecksumHasher,
}

/// Trailer names in the order of [`ExpectedChecksums::sums`].
const TRAILERS: [&str; 5] = [
    "x-amz-checksum-crc32",
    "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme",
    "x-amz-checksum-sha1",
    "x-amz-checksum-sha256",
];

impl ExpectedChecksums {
    /// Reads the expected checksums from the headers.
    pub(super) fn of(input: &PutObjectInput) -> Self {
        let named =
            |name: &'static str| input.checksum_algorithm.as_ref().is_some_and(|a| a.as_str() == name);
        let mut hasher = ChecksumHasher::default();
        if input.checksum_crc32.is_some() || named(ChecksumAlgorithm::CRC32) {
            hasher.crc32 = Some(Default::default());
        }
        if input.checksum_crc32c.is_some() || named(ChecksumAlgorithm::CRC32C) {
            hasher.crc32c = Some(Default::default());
        }
        if input.checksum_crc64nvme.is_some() || named(ChecksumAlgorithm::CRC64NVME) {
            hasher.crc64nvme = Some(Default::default());
        }
        if input.checksum_sha1.is_some() || named(ChecksumAlgorithm::SHA1) {
            hasher.sha1 = Some(Default::default());
        }
        if input.checksum_sha256.is_some() || named(ChecksumAlgorithm::SHA256) {
            hasher.sha256 = Some(Default::default());
        }
        let sums = [
            input.checksum_crc32.clone(),
            input.checksum_crc32c.clone(),
            input.checksum_crc64nvme.clone(),
            input.checksum_sha1.clone(),
            input.checksum_sha256.clone(),
        ];
        Self { md5: input.content_md5.clone(), sums, hasher }
    }

    /// Adds a chunk of the body.
    pub(super) fn update(&mut self, chunk: &[u8]) {
        self.hasher.update(chunk);
    }

    /// Compares the checksums. Called before anything is stored.
    ///
    /// # Errors
    /// Returns `BadDigest` if a checksum differs.
    pub(super) fn verify(mut self, md5: &[u8], trailers: Option<TrailingHeaders>) -> S3Result<()> {
        if let Some(trailers) = trailers.and_then(|trailers| trailers.take()) {
            for (sum, name) in self.sums.iter_mut().zip(TRAILERS) {
                if let Some(value) = trailers.get(name).and_then(|value| value.to_str().ok()) {
                    *sum = Some(value.to_owned());
                }
            }
        }
        let found = self.hasher.finalize();
        let found = [
            found.checksum_crc32,
            found.checksum_crc32c,
            found.checksum_crc64nvme,
            found.checksum_sha1,
            found.checksum_sha256,
        ];
        // The hasher computes only the algorithms that a header names. A trailer with another
        // algorithm counts as a mismatch.
        let differs =
            self.sums.iter().zip(&found).any(|(expected, found)| expected.is_some() && expected != found);
        if differs || self.md5.is_some_and(|expected| expected != STANDARD.encode(md5)) {
            return Err(s3_error!(BadDigest, "The body differs from its checksum"));
        }
        Ok(())
    }
}
