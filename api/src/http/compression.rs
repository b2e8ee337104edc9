//! Compression of files that are the same for everybody. Responses with data of an account stay uncompressed:
//! their length would tell what they have in common with a part that somebody else chose (BREACH).

use std::io::Read;

use flate2::{Compression, bufread::GzEncoder};

/// Returns whether a client accepts gzip, by the value of `Accept-Encoding` (RFC 9110, section 12.5.3).
pub(crate) fn accepts_gzip(encodings: &str) -> bool {
    encodings.split(',').any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, "q=1"));
        let weight = weight.trim().trim_start_matches("q=").parse::<f32>();
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

/// Compresses data with gzip.
pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // Reading from memory cannot fail.
    let _ = GzEncoder::new(data, Compression::best()).read_to_end(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_used_only_if_the_client_accepts_it() {
        for (encodings, accepted) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=oops", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(accepts_gzip(encodings), accepted, "{encodings}");
        }
    }

    #[test]
    fn compressed_data_can_be_unpacked() {
        let data = "the same words ".repeat(50).into_bytes();
        let (packed, mut unpacked) = (gzip(&data), Vec::new());
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, data);
        assert!(packed.len() * 4 < data.len(), "{} of {}", packed.len(), data.len());
    }
}
