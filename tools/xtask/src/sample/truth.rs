//! What is true of a sample, as it is written beside it. Nothing of it is ever uploaded.

use serde::{Deserialize, Serialize};

/// Capitals of this height are the smallest that count as readable, in pixels.
pub const SMALL: f32 = 16.0;
/// Capitals of this height have to be read, in pixels.
pub const LARGE: f32 = 24.0;
/// A picture that moves more than this while the shutter is open is blurred, in pixels.
pub const BLURRED: f32 = 6.0;
/// A picture with a mean luma below this is dark (0 to 255).
pub const DARK: f32 = 40.0;

/// A stretch of time in milliseconds, or of photos by ordinal; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Start.
    pub start: u64,
    /// End.
    pub end: u64,
}

/// A room.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Room {
    /// Its number; others refer to it.
    pub id: usize,
    /// What it is for, for example `kitchen`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What else it is for: an open plan is one room.
    #[serde(default)]
    pub also: Vec<String>,
    /// What people call it.
    pub name: String,
    /// The room it looks like on purpose.
    pub alike: Option<usize>,
    /// Its floor in square metres.
    pub area_m2: f32,
    /// Whether a sign that is readable at [`LARGE`] in the medium names its type.
    pub named_by_sign: bool,
    /// Whether the narrator names its type while in it.
    pub named_by_words: bool,
    /// What stands in it and how many.
    pub inventory: Vec<(String, usize)>,
}

impl Room {
    /// All that it is for.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.kind).chain(&self.also).map(String::as_str)
    }
}

/// The camera being in a room, in milliseconds (or photos).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Visit {
    /// The room.
    pub room: usize,
    /// When.
    #[serde(flatten)]
    pub span: Span,
}

/// A doorway being passed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Passage {
    /// When, in milliseconds.
    pub t_ms: u64,
    /// The room that is left.
    pub from: usize,
    /// The room that is entered.
    pub to: usize,
}

/// A thing that can be seen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Thing {
    /// Its number; others refer to it.
    pub id: u16,
    /// What it is.
    pub category: String,
    /// Where it is.
    pub room: usize,
}

/// A line of words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Text {
    /// Its number; others refer to it.
    pub id: usize,
    /// The words.
    pub text: String,
    /// The sign it is on.
    pub thing: u16,
    /// Where it is.
    pub room: usize,
    /// Greatest height of its capitals in a picture where it is sharp, whole and unobstructed; 0 if never.
    pub max_height_px: f32,
    /// When it is readable with capitals of at least [`SMALL`] pixels.
    pub readable_16: Vec<Span>,
    /// When it is readable with capitals of at least [`LARGE`] pixels.
    pub readable_24: Vec<Span>,
}

/// A thing in one picture.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SeenThing {
    /// Which.
    pub id: u16,
    /// How many pixels show it.
    pub pixels: u32,
    /// Left, top, width, height in pixels.
    pub bbox: [u32; 4],
    /// Its pixels as a share of its outline's area (the convex hull of its corners, also outside of the
    /// picture): 1 for a flat thing in full view, less for what is hidden, cut off or not convex, 0 for what
    /// reaches behind the camera.
    pub share: f32,
}

/// A line of words in one picture.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SeenText {
    /// Which.
    pub id: usize,
    /// Height of its capitals in pixels.
    pub height_px: f32,
    /// Left, top, width, height in pixels.
    pub bbox: [f32; 4],
    /// Share of it that nothing hides, 0 to 1.
    pub clear: f32,
    /// Difference of the brightest and the darkest luma in it, 0 to 219.
    pub contrast: u8,
    /// Whether it can be read: large enough, whole, clear, sharp and with contrast.
    pub readable: bool,
}

/// One picture that was looked at closely.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sample {
    /// When in the walk, in milliseconds.
    pub t_ms: u64,
    /// Which photo, of photos.
    pub ordinal: Option<u64>,
    /// The room the camera is in.
    pub room: usize,
    /// The room that most pixels show.
    pub view_room: usize,
    /// Their share of the picture.
    pub view_share: f32,
    /// Where the camera is, in metres.
    pub place: [f32; 3],
    /// Where it looks, counter-clockwise from east.
    pub yaw_degrees: f32,
    /// And upwards.
    pub pitch_degrees: f32,
    /// How far the picture moves while the shutter is open.
    pub blur_px: f32,
    /// Mean luma, 0 to 255.
    pub luma: f32,
    /// What is in it.
    pub things: Vec<SeenThing>,
    /// Which words are in it.
    pub texts: Vec<SeenText>,
}

/// Something that was said.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Words {
    /// When it begins.
    pub start_ms: u64,
    /// When it ends.
    pub end_ms: u64,
    /// The words.
    pub text: String,
    /// The room they are about.
    pub room: usize,
}

/// All of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Truth {
    /// `video` or `frames`, as the input kinds of the service.
    pub kind: String,
    /// What it was made from.
    pub seed: u64,
    /// Length of the walk in milliseconds.
    pub duration_ms: u64,
    /// Pictures a second.
    pub fps: u32,
    /// Size of the picture in pixels.
    pub width: usize,
    /// Size of the picture in pixels.
    pub height: usize,
    /// The rooms.
    pub rooms: Vec<Room>,
    /// Which room the camera is in when.
    pub visits: Vec<Visit>,
    /// Doorways in the order they are passed.
    pub passages: Vec<Passage>,
    /// Things that are seen at least once.
    pub things: Vec<Thing>,
    /// Every line of words, seen or not.
    pub texts: Vec<Text>,
    /// What is said; empty for photos.
    pub narration: Vec<Words>,
    /// When pictures are blurred.
    pub blurred: Vec<Span>,
    /// When pictures are dark.
    pub dark: Vec<Span>,
    /// Pictures looked at closely: every 200 ms of a video, or every photo.
    pub samples: Vec<Sample>,
}

/// Joins the moments at which something holds into stretches; each moment stands for `step`.
pub fn spans(moments: impl Iterator<Item = (u64, bool)>, step: u64) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (at, holds) in moments {
        if !holds {
            continue;
        }
        match spans.last_mut() {
            Some(last) if last.end >= at => last.end = at + step,
            _ => spans.push(Span { start: at, end: at + step }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_join_into_stretches() {
        let moments = [(0, true), (200, true), (400, false), (600, true)];
        let joined = spans(moments.into_iter(), 200);
        assert_eq!(joined, vec![Span { start: 0, end: 400 }, Span { start: 600, end: 800 }]);
    }
}
