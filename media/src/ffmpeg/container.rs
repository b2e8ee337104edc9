//! Detects and checks the structure of containers, without any decoder.
//!
//! Sources: ISO/IEC 14496-12 §4.2 (boxes), §8.7.2 (`dref`: flag 1 says the media lie in this file);
//! QuickTime File Format, "Reference movies" (`rmra`); RFC 8794 (EBML), RFC 9559 (Matroska).

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::FfmpegError;

/// A supported container family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// MP4 and QuickTime.
    IsoMedia,
    /// Matroska and WebM.
    Matroska,
}

impl Container {
    /// Returns the name of ffmpeg's demuxer.
    pub fn demuxer(self) -> &'static str {
        match self {
            Container::IsoMedia => "mov",
            Container::Matroska => "matroska",
        }
    }
}

/// Maximum nesting depth of boxes that are visited. Real media have less.
const MAX_DEPTH: usize = 8;
/// Maximum number of boxes. Real media have fewer outside of fragments.
const MAX_BOXES: usize = 200_000;

/// Box types at the top level of a file. Other types there are leftovers of the writer.
const TOP_LEVEL: [&[u8; 4]; 9] =
    [b"ftyp", b"moov", b"mdat", b"moof", b"free", b"skip", b"wide", b"uuid", b"mfra"];

/// Detects the container and rejects what its structure shows to be invalid: other formats,
/// playlists, references to other files, and truncated files.
///
/// # Errors
/// Returns [`FfmpegError::Unreadable`], [`FfmpegError::NotSelfContained`], or
/// [`FfmpegError::Internal`] if the file cannot be read from disk.
pub fn inspect(path: &Path) -> Result<Container, FfmpegError> {
    let io = |source| FfmpegError::internal(format!("reading {}", path.display()), source);
    inspect_stream(&mut File::open(path).map_err(io)?).map_err(|stop| stop.into_error(path))
}

/// Inspects a file or its bytes.
pub(super) fn inspect_stream(input: &mut (impl Read + Seek)) -> Result<Container, WalkError> {
    let size = input.seek(SeekFrom::End(0))?;
    input.rewind()?;
    let mut head = Vec::with_capacity(4096);
    input.by_ref().take(4096).read_to_end(&mut head)?;
    if head.is_empty() {
        return Err(FfmpegError::Unreadable("the file is empty".to_owned()).into());
    }
    match domain::media::sniff(&head) {
        Some("video/mp4" | "video/quicktime") => {
            let mut walk = BoxWalker { file: input, boxes: 0, has_movie: false };
            walk.children(0, size, 0)?;
            if !walk.has_movie {
                return Err(FfmpegError::Unreadable("no movie box".to_owned()).into());
            }
            Ok(Container::IsoMedia)
        }
        Some("video/webm" | "video/x-matroska") => {
            if segment_end(&head).is_some_and(|end| end > size) {
                return Err(
                    FfmpegError::Unreadable("the file ends before its segment does".to_owned()).into()
                );
            }
            Ok(Container::Matroska)
        }
        _ if is_playlist(&head) => {
            Err(FfmpegError::NotSelfContained("the file is a playlist, not media".to_owned()).into())
        }
        _ => Err(FfmpegError::Unreadable("neither MP4, QuickTime, Matroska nor WebM".to_owned()).into()),
    }
}

/// Returns whether a file starts like a playlist.
fn is_playlist(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(1024)]).to_ascii_lowercase();
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let prefixes = ["#extm3u", "ffconcat", "file ", "[playlist]", "[reference]", "rtsptext", "smptext"];
    let markers = ["<mpd", "<smil", "<asx", "<playlist", "<smoothstreamingmedia"];
    prefixes.iter().any(|s| text.starts_with(s))
        || (text.starts_with('<') && markers.iter().any(|h| text.contains(h)))
}

/// Returns the end of the Matroska segment, if the first bytes contain its size.
fn segment_end(head: &[u8]) -> Option<u64> {
    let (header_size, used) = ebml_size(head.get(4..)?)?;
    let at = usize::try_from(header_size?).ok()?.checked_add(4 + used)?;
    if head.get(at..at.checked_add(4)?)? != [0x18, 0x53, 0x80, 0x67] {
        return None;
    }
    let (size, used) = ebml_size(head.get(at + 4..)?)?;
    (at as u64 + 4 + used as u64).checked_add(size?)
}

/// Reads an EBML size and returns it with its length in bytes. The inner `None` means "unknown".
fn ebml_size(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    let first = *bytes.first()?;
    let length = first.leading_zeros() as usize + 1;
    if length > 8 {
        return None;
    }
    let mut value = u64::from(first) & ((1_u64 << (8 - length)) - 1);
    for byte in bytes.get(1..length)? {
        value = value << 8 | u64::from(*byte);
    }
    let unknown = value == (1_u64 << (7 * length)) - 1;
    Some(((!unknown).then_some(value), length))
}

/// Reason why an inspection stopped.
pub(super) enum WalkError {
    Io(std::io::Error),
    Media(FfmpegError),
}

impl From<std::io::Error> for WalkError {
    fn from(error: std::io::Error) -> WalkError {
        WalkError::Io(error)
    }
}

impl From<FfmpegError> for WalkError {
    fn from(error: FfmpegError) -> WalkError {
        WalkError::Media(error)
    }
}

impl WalkError {
    fn into_error(self, path: &Path) -> FfmpegError {
        match self {
            // All sizes were checked against the file's, so an early end means that the file
            // shrank.
            WalkError::Io(source) => FfmpegError::internal(format!("reading {}", path.display()), source),
            WalkError::Media(error) => error,
        }
    }
}

struct BoxWalker<'a, R> {
    file: &'a mut R,
    boxes: usize,
    has_movie: bool,
}

impl<R: Read + Seek> BoxWalker<'_, R> {
    /// Visits the boxes from `at` to `end`.
    fn children(&mut self, mut at: u64, end: u64, depth: usize) -> Result<(), WalkError> {
        while end.saturating_sub(at) >= 8 {
            self.boxes += 1;
            if self.boxes > MAX_BOXES {
                return Err(WalkError::Media(FfmpegError::TooCostly("too many boxes".to_owned())));
            }
            let (kind, header, size) = self.header(at, end)?;
            // Old writers pad the movie box with zeros. At the top level a size of zero means "to
            // the end".
            let Some(next) = at.checked_add(size).filter(|next| size >= header && *next <= end) else {
                if depth == 0 && TOP_LEVEL.contains(&&kind) {
                    let name = String::from_utf8_lossy(&kind).into_owned();
                    return Err(WalkError::Media(FfmpegError::Unreadable(format!(
                        "the file ends inside box {name:?}"
                    ))));
                }
                return Ok(());
            };
            self.visit(&kind, at + header, next, depth)?;
            at = next;
        }
        Ok(())
    }

    fn header(&mut self, at: u64, end: u64) -> Result<([u8; 4], u64, u64), WalkError> {
        let mut head = [0; 8];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut head)?;
        let short = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        let kind = [head[4], head[5], head[6], head[7]];
        if short == 1 && end - at >= 16 {
            let mut long = [0; 8];
            self.file.read_exact(&mut long)?;
            return Ok((kind, 16, u64::from_be_bytes(long)));
        }
        Ok((kind, 8, if short == 0 { end - at } else { u64::from(short) }))
    }

    fn visit(&mut self, kind: &[u8; 4], start: u64, end: u64, depth: usize) -> Result<(), WalkError> {
        match kind {
            b"moov" | b"trak" | b"mdia" | b"minf" | b"dinf" if depth < MAX_DEPTH => {
                self.has_movie |= depth == 0 && kind == b"moov";
                self.children(start, end, depth + 1)
            }
            b"dref" => self.references(start, end),
            b"rmra" if depth == 1 => {
                Err(WalkError::Media(FfmpegError::NotSelfContained("a QuickTime reference movie".to_owned())))
            }
            _ => Ok(()),
        }
    }

    /// Checks the entries of a `dref`. Flag 1 of an entry means that the media are in this file.
    fn references(&mut self, start: u64, end: u64) -> Result<(), WalkError> {
        let mut at = start.saturating_add(8);
        while end.saturating_sub(at) >= 12 {
            self.boxes += 1;
            let (_, header, size) = self.header(at, end)?;
            if end - at < header + 4 {
                return Ok(());
            }
            let mut flags = [0; 4];
            self.file.seek(SeekFrom::Start(at + header))?;
            self.file.read_exact(&mut flags)?;
            if flags[3] & 1 == 0 && size > header + 4 {
                return Err(WalkError::Media(FfmpegError::NotSelfContained(
                    "its media are in another file".to_owned(),
                )));
            }
            if size < header || self.boxes > MAX_BOXES {
                return Ok(());
            }
            at = at.saturating_add(size);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let mut out = u32::try_from(body.len() + 8).unwrap().to_be_bytes().to_vec();
        out.extend_from_slice(kind);
        out.extend_from_slice(body);
        out
    }

    fn movie(reference: &[u8], flag: u8) -> Vec<u8> {
        let entry = boxed(b"url ", &[&[0, 0, 0, flag], reference].concat());
        let dref = boxed(b"dref", &[&[0, 0, 0, 0, 0, 0, 0, 1], entry.as_slice()].concat());
        let nested = [b"dinf", b"minf", b"mdia", b"trak", b"moov"]
            .iter()
            .fold(dref, |inner, kind| boxed(kind, &inner));
        [boxed(b"ftyp", b"isom\0\0\x02\0isom"), nested].concat()
    }

    fn inspected(bytes: &[u8]) -> Result<Container, FfmpegError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        inspect(&path)
    }

    #[test]
    fn accepts_complete_files_and_rejects_external_references() {
        assert!(matches!(inspected(&movie(b"", 1)), Ok(Container::IsoMedia)));
        for reference in [&b"file:///etc/passwd\0"[..], b"http://example.com/a.mp4\0"] {
            assert!(matches!(inspected(&movie(reference, 0)), Err(FfmpegError::NotSelfContained(_))));
        }
        let reference_movie = boxed(b"moov", &boxed(b"rmra", b"\0\0\0\0"));
        assert!(matches!(inspected(&reference_movie), Err(FfmpegError::NotSelfContained(_))));
    }

    #[test]
    fn a_reference_with_a_64_bit_size_at_the_end_of_the_file_is_no_outage_of_the_disk() {
        // The entry ends after its long header, before its flags.
        let entry = [&1_u32.to_be_bytes()[..], b"url ", &16_u64.to_be_bytes()].concat();
        let dref = boxed(b"dref", &[&[0, 0, 0, 0, 0, 0, 0, 1], entry.as_slice()].concat());
        let nested = [b"dinf", b"minf", b"mdia", b"trak", b"moov"]
            .iter()
            .fold(dref, |inner, kind| boxed(kind, &inner));
        let file = [boxed(b"ftyp", b"isom\0\0\x02\0isom"), nested].concat();
        let inspected = inspected(&file);
        assert!(!matches!(inspected, Err(FfmpegError::Internal { .. })), "{inspected:?}");
    }

    #[test]
    fn rejects_truncated_iso_media() {
        let complete = [movie(b"", 1), boxed(b"mdat", &[7; 100])].concat();
        assert!(inspected(&complete).is_ok());
        for cut in [1, 50, 100, complete.len() - 20] {
            let result = inspected(&complete[..complete.len() - cut]);
            assert!(matches!(result, Err(FfmpegError::Unreadable(_))), "cut by {cut}: {result:?}");
        }
    }

    #[test]
    fn rejects_truncated_matroska() {
        let head = [0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88];
        let segment = [0x18, 0x53, 0x80, 0x67, 0x84, 1, 2, 3, 4];
        let complete = [&head[..], b"matroska", &segment].concat();
        assert!(matches!(inspected(&complete), Ok(Container::Matroska)));
        assert!(matches!(inspected(&complete[..complete.len() - 1]), Err(FfmpegError::Unreadable(_))));
    }

    #[test]
    fn rejects_playlists_and_other_formats() {
        for list in [
            "#EXTM3U\nfile:///etc/passwd",
            "ffconcat version 1.0\n",
            "file 'a.mp4'",
            "<?xml version='1.0'?><MPD>",
        ] {
            assert!(matches!(inspected(list.as_bytes()), Err(FfmpegError::NotSelfContained(_))), "{list}");
        }
        for other in [&b""[..], b"PK\x03\x04 a zip", b"RIFF\0\0\0\0AVI "] {
            assert!(matches!(inspected(other), Err(FfmpegError::Unreadable(_))));
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_on_arbitrary_bytes(tail in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let _ = inspected(&[&b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\xff"[..], &tail].concat());
            let _ = inspected(&[&b"\x1a\x45\xdf\xa3"[..], &tail].concat());
        }
    }
}
