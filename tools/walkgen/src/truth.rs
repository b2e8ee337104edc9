//! Format of the ground truth, which is written beside each sample. It is never uploaded.

use serde::{Deserialize, Serialize};

/// Minimum height of readable capitals, in pixels.
pub const MIN_READABLE_PX: f32 = 16.0;
/// Minimum height of capitals that the pipeline has to read, in pixels.
pub const MIN_REQUIRED_PX: f32 = 24.0;
/// A frame is blurred if the picture moves by more than this while the shutter is open, in pixels.
pub const BLURRED_PX: f32 = 6.0;
/// A frame is dark if its mean luma is below this (0 to 255).
pub const DARK_LUMA: f32 = 40.0;

/// A range of time in milliseconds, or of photo ordinals. The end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Start of the range.
    pub start: u64,
    /// End of the range, exclusive.
    pub end: u64,
}

/// A room.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Room {
    /// Number that the other entries refer to.
    pub id: usize,
    /// Type of the room, for example `kitchen`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Further types, when the room is an open plan.
    #[serde(default)]
    pub also: Vec<String>,
    /// Name of the room, for example `Room 206`.
    pub name: String,
    /// Earlier room that this one resembles on purpose.
    pub alike: Option<usize>,
    /// Area of the floor in square metres.
    pub area_m2: f32,
    /// Whether a sign that is readable at [`MIN_REQUIRED_PX`] names the type of the room.
    pub named_by_sign: bool,
    /// Whether the narrator names the type of the room while in it.
    pub named_by_words: bool,
    /// Furniture of the room, with counts.
    pub inventory: Vec<(String, usize)>,
}

impl Room {
    /// Returns all types of the room.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.kind).chain(&self.also).map(String::as_str)
    }
}

/// A visit of the camera to a room.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Visit {
    /// The visited room.
    pub room: usize,
    /// Time of the visit, or the photos taken during it.
    #[serde(flatten)]
    pub span: Span,
}

/// The camera passing a doorway.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Passage {
    /// Time in milliseconds.
    pub t_ms: u64,
    /// Room that the camera leaves.
    pub from: usize,
    /// Room that the camera enters.
    pub to: usize,
}

/// An object that is visible in at least one sample.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Object {
    /// Number that the other entries refer to.
    pub id: u16,
    /// Category, for example `chair`.
    pub category: String,
    /// Room that the object is in.
    pub room: usize,
}

/// A line of text on a sign.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Text {
    /// Number that the other entries refer to.
    pub id: usize,
    /// Words of the line.
    pub text: String,
    /// Sign that the line is on.
    #[serde(rename = "thing")]
    pub object: u16,
    /// Room that the sign is in.
    pub room: usize,
    /// Maximum height of the capitals in a sample where the line is readable, in pixels; 0 if
    /// there is none.
    pub max_height_px: f32,
    /// When the line is readable with capitals of at least [`MIN_READABLE_PX`] pixels.
    pub readable_16: Vec<Span>,
    /// When the line is readable with capitals of at least [`MIN_REQUIRED_PX`] pixels.
    pub readable_24: Vec<Span>,
}

/// An object in one frame.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct VisibleObject {
    /// Number of the object.
    pub id: u16,
    /// Number of pixels that show the object.
    pub pixels: u32,
    /// Left, top, width and height in pixels.
    pub bbox: [u32; 4],
    /// Visible pixels as a share of the area of the object's convex hull, including the part of the
    /// hull outside the frame. 1 for a flat object in full view; less for an object that is hidden
    /// in part, cut off or not convex; 0 for an object that reaches behind the camera.
    pub share: f32,
}

/// A line of text in one frame.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct VisibleText {
    /// Number of the line.
    pub id: usize,
    /// Height of its capitals in pixels.
    pub height_px: f32,
    /// Left, top, width and height in pixels.
    pub bbox: [f32; 4],
    /// Share of the line that nothing hides, 0 to 1.
    pub clear: f32,
    /// Difference between the brightest and the darkest luma in the line, 0 to 219.
    pub contrast: u8,
    /// Whether the line is readable: large enough, whole, unobstructed, sharp and with contrast.
    pub readable: bool,
}

/// A frame that was observed for the ground truth.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sample {
    /// Time in the walk, in milliseconds.
    pub t_ms: u64,
    /// Ordinal of the photo, if the sample consists of photos.
    pub ordinal: Option<u64>,
    /// Room that the camera is in.
    pub room: usize,
    /// Room that most pixels show.
    pub view_room: usize,
    /// Share of the pixels that show `view_room`.
    pub view_share: f32,
    /// Position of the camera, in metres.
    pub place: [f32; 3],
    /// Horizontal direction of the camera, counter-clockwise from east.
    pub yaw_degrees: f32,
    /// Vertical direction of the camera, upwards.
    pub pitch_degrees: f32,
    /// Movement of the picture while the shutter is open, in pixels.
    pub blur_px: f32,
    /// Mean luma, 0 to 255.
    pub luma: f32,
    /// Visible objects.
    #[serde(rename = "things")]
    pub objects: Vec<VisibleObject>,
    /// Visible lines of text.
    pub texts: Vec<VisibleText>,
}

/// A sentence of the narrator.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpokenSentence {
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// Words of the sentence.
    pub text: String,
    /// Room that the sentence is about.
    pub room: usize,
}

/// The ground truth of a sample.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Truth {
    /// `video` or `frames`: the input kind of the service.
    pub kind: String,
    /// Seed of the house.
    pub seed: u64,
    /// Length of the walk in milliseconds.
    pub duration_ms: u64,
    /// Frames per second.
    pub fps: u32,
    /// Width of the frames in pixels.
    pub width: usize,
    /// Height of the frames in pixels.
    pub height: usize,
    /// The rooms. An open plan counts as one room.
    pub rooms: Vec<Room>,
    /// Visits of the camera to rooms, in order.
    pub visits: Vec<Visit>,
    /// Doorways in the order in which the camera passes them.
    pub passages: Vec<Passage>,
    /// Objects that are visible in at least one sample.
    #[serde(rename = "things")]
    pub objects: Vec<Object>,
    /// Every line of text, visible or not.
    pub texts: Vec<Text>,
    /// Sentences of the narrator; empty for photos.
    pub narration: Vec<SpokenSentence>,
    /// When frames are blurred.
    pub blurred: Vec<Span>,
    /// When frames are dark.
    pub dark: Vec<Span>,
    /// Observed frames: one every 200 ms of a video, or every photo.
    pub samples: Vec<Sample>,
}

/// Joins successive moments for which a condition holds into spans. Each moment lasts for `step`.
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
    fn joins_successive_moments() {
        let moments = [(0, true), (200, true), (400, false), (600, true)];
        let joined = spans(moments.into_iter(), 200);
        assert_eq!(joined, vec![Span { start: 0, end: 400 }, Span { start: 600, end: 800 }]);
    }
}
