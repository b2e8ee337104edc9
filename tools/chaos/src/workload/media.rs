//! The media that the clients upload: tiny, and the same in every scan, so that their documents can be
//! compared.

use std::fmt;

use harness::clips::{self, Clip};
use rand::Rng;
use serde_json::{Value, json};

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Medium {
    /// One photo.
    OnePhoto,
    /// Three photos.
    ThreePhotos,
    /// A video of one second.
    Video,
    /// A file that can be uploaded, but not decoded.
    Damaged,
}

impl Medium {
    /// The media that can be scanned.
    pub const READABLE: [Medium; 3] = [Self::OnePhoto, Self::ThreePhotos, Self::Video];

    /// Returns any medium that can be scanned.
    pub fn any(rng: &mut impl Rng) -> Self {
        Self::READABLE[rng.random_range(0..Self::READABLE.len())]
    }

    /// Returns the number of photos; 0 for a video.
    pub fn photos(self) -> usize {
        match self {
            Medium::OnePhoto => 1,
            Medium::ThreePhotos => 3,
            Medium::Video | Medium::Damaged => 0,
        }
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Medium::OnePhoto => "one photo",
            Medium::ThreePhotos => "three photos",
            Medium::Video => "video",
            Medium::Damaged => "damaged video",
        })
    }
}

/// The files.
#[derive(Debug)]
pub struct Media {
    photos: Vec<Vec<u8>>,
    video: Clip,
    damaged: Clip,
}

impl Media {
    /// Makes the files with ffmpeg.
    ///
    /// # Panics
    /// Panics if ffmpeg fails.
    pub fn make() -> Self {
        let inputs = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=5:duration=1"];
        let sound = ["-f", "lavfi", "-i", "sine=duration=1"];
        let container = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41";
        Self {
            photos: clips::photos(3),
            video: Clip::from_inputs(&[&inputs[..], &sound].concat(), &["-c:a", "aac"]),
            damaged: Clip::raw([container.as_slice(), &[0x55; 9_000]].concat()),
        }
    }

    /// Returns the body of the request that creates a scan.
    pub fn declaration(&self, medium: Medium) -> Value {
        match medium {
            Medium::OnePhoto | Medium::ThreePhotos => json!({ "input": {
                "kind": "frames",
                "language": "en",
                "frames": vec![json!({}); medium.photos()],
            } }),
            Medium::Video => self.video.declaration(),
            Medium::Damaged => self.damaged.declaration(),
        }
    }

    /// Returns the uploads of a created scan: URL, content type and bytes.
    ///
    /// # Panics
    /// Panics if the scan has no upload URLs.
    pub fn uploads(&self, medium: Medium, scan: &Value) -> Vec<(String, &'static str, Vec<u8>)> {
        let url = |field: &str| scan["upload"][field].as_str().expect("an upload URL").to_owned();
        let clip = match medium {
            Medium::OnePhoto | Medium::ThreePhotos => {
                let template = url("url_template");
                let photos = self.photos.iter().take(medium.photos()).enumerate();
                return photos
                    .map(|(index, photo)| {
                        (template.replace("{index}", &index.to_string()), "image/jpeg", photo.clone())
                    })
                    .collect();
            }
            Medium::Video => &self.video,
            Medium::Damaged => &self.damaged,
        };
        vec![(url("url"), clip.content_type, clip.bytes.clone())]
    }
}
