//! Generates documents of places with many objects and texts. A seed always gives the same
//! document.

use domain::{
    document::{
        Attribute, AttributeName, BBox, Basis, Claim, Count, Evidence, Frame, Interval, KeptBecause,
        Measurement, Medium, MediumKind, Method, Narration, NarrationSource, Object, Provider, Quality, Run,
        SCHEMA_VERSION, SpaceDocument, Task, Text, TextKind, Zone,
    },
    media::InputKind,
};

const ROOMS: [&str; 12] = [
    "kitchen",
    "bedroom",
    "bathroom",
    "hallway",
    "living room",
    "office",
    "meeting room",
    "storage",
    "library",
    "reception",
    "workshop",
    "garage",
];
const CLASSES: [&str; 14] = [
    "chair",
    "couch",
    "bed",
    "dining table",
    "tv",
    "laptop",
    "refrigerator",
    "oven",
    "sink",
    "clock",
    "vase",
    "potted plant",
    "book",
    "bench",
];
const SIGNS: [&str; 14] = [
    "FIRE EXIT",
    "NO SMOKING",
    "WIFI GUEST",
    "WET FLOOR",
    "OPEN 8:00 - 18:00",
    "CALL 555",
    "PUSH",
    "ROOM",
    "STAFF ONLY",
    "CAUTION HOT",
    "HARBOUR VIEW",
    "PRICE LIST",
    "SAVE WATER",
    "LOUNGE",
];
const SAID: [&str; 10] = [
    "This is the room with the large window to the south.",
    "It was renovated a few years ago, with new floors.",
    "The heating is under the floor and can be set in each room.",
    "Mind the step here, it is a little higher.",
    "You can see the garden and the old trees from here.",
    "The walls were painted last summer, the doors are older.",
    "The room is 18 square meters.",
    "The lamp above the table comes with the room.",
    "Everything here is included and stays.",
    "The power sockets are behind the shelf on the left.",
];

/// Size of a generated document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Length of the media in seconds.
    pub(crate) seconds: u64,
    pub(crate) zones: usize,
    pub(crate) objects: usize,
    pub(crate) texts: usize,
    pub(crate) narration: usize,
}

/// An hour's walk through a large building.
pub(crate) const HOUR: Size = Size { seconds: 3600, zones: 60, objects: 600, texts: 600, narration: 700 };
/// A minute's walk through a flat.
pub(crate) const FLAT: Size = Size { seconds: 60, zones: 5, objects: 14, texts: 20, narration: 12 };

/// A random number generator with the same numbers in every run (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    pub(crate) fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// Returns a vector of numbers from -1 to 1.
    pub(crate) fn vector(&mut self, length: usize) -> Vec<f32> {
        (0..length).map(|_| self.below(2001) as f32 / 1000.0 - 1.0).collect()
    }

    /// Returns a word that few documents contain.
    pub(crate) fn rare_word(&mut self) -> String {
        (0..3)
            .map(|_| self.one_of(&["ka", "lo", "mi", "ner", "sto", "vel", "bru", "tan", "gri", "hof"]))
            .collect()
    }
}

/// Numbers the claims of a document.
struct ClaimBuilder {
    count: usize,
}

impl ClaimBuilder {
    fn claim(&mut self, value: &str, basis: Basis, evidence: Vec<Evidence>, run: &str) -> Claim {
        self.count += 1;
        let id = format!("clm_{:06}", self.count);
        Claim { id, value: value.to_owned(), confidence: 0.9, basis, evidence, run_id: run.to_owned() }
    }
}

/// Generates a document of this size.
pub(crate) fn document(seed: u64, size: Size) -> SpaceDocument {
    let mut random = Random::new(seed);
    let mut claims = ClaimBuilder { count: 0 };
    let count = size.seconds as usize;
    let zone_of = |frame: usize| frame * size.zones / count;
    let frames: Vec<Frame> = (0..count)
        .map(|at| Frame {
            id: format!("frm_{at:05}"),
            media_id: "med_video".into(),
            t_ms: Some(at as u64 * 1000),
            ordinal: None,
            width: 1280,
            height: 720,
            sharpness: 100.0,
            exposure: 0.5,
            hash: format!("{:016x}", random.below(usize::MAX)),
            kept_because: KeptBecause::NewView,
            zone_id: Some(format!("zon_{}", zone_of(at) + 1)),
            key: format!("scans/bench/frames/frm_{at:05}.jpg"),
            url: None,
        })
        .collect();
    let first = |zone: usize| (zone * count).div_ceil(size.zones);
    let seen = |random: &mut Random, zone: usize, many: usize| -> Vec<Evidence> {
        let (from, to) = (first(zone), first(zone + 1));
        (0..many).map(|_| evidence(from + random.below(to - from))).collect()
    };
    let zones: Vec<Zone> = (0..size.zones)
        .map(|at| {
            let room = random.one_of(&ROOMS);
            let types = vec![claims.claim(room, Basis::Read, seen(&mut random, at, 1), "run_rooms")];
            let mut attribute = |name: AttributeName, value: &str| Attribute {
                name,
                claim: claims.claim(value, Basis::Observed, vec![evidence(first(at))], "run_light"),
            };
            let attributes = vec![
                attribute(AttributeName::Light, random.one_of(&["dark", "normal", "bright"])),
                attribute(AttributeName::MeanLightness, "0.51"),
                attribute(
                    AttributeName::DominantColours,
                    random.one_of(&["white", "grey, brown", "blue", "beige, white"]),
                ),
            ];
            let (start, end) = (first(at) as u64 * 1000, first(at + 1) as u64 * 1000);
            Zone {
                id: format!("zon_{}", at + 1),
                label: format!("{}{}", room[..1].to_uppercase(), &room[1..]),
                types,
                intervals: vec![Interval { start, end }],
                best_frame_id: format!("frm_{:05}", first(at)),
                frame_ids: (first(at)..first(at + 1)).map(|frame| format!("frm_{frame:05}")).collect(),
                attributes,
                coverage: 0.95,
            }
        })
        .collect();
    let objects: Vec<Object> = (0..size.objects)
        .map(|at| {
            let zone = random.below(size.zones);
            let sightings = seen(&mut random, zone, 4);
            let best = 1 + random.below(4) as u32;
            Object {
                id: format!("obj_{}", at + 1),
                category: claims.claim(
                    random.one_of(&CLASSES),
                    Basis::Observed,
                    sightings.clone(),
                    "run_objects",
                ),
                zone_id: Some(format!("zon_{}", zone + 1)),
                count: Count { min: best, best, max: best + 1 },
                condition: None,
                sightings,
            }
        })
        .collect();
    let texts: Vec<Text> = (0..size.texts)
        .map(|at| {
            let zone = random.below(size.zones);
            let raw = format!(
                "{} {} {}",
                random.one_of(&SIGNS),
                random.rare_word().to_uppercase(),
                random.below(500)
            );
            Text {
                id: format!("txt_{}", at + 1),
                normalized: raw.to_lowercase(),
                kind: TextKind::Sign,
                zone_id: Some(format!("zon_{}", zone + 1)),
                claim: claims.claim(&raw, Basis::Read, seen(&mut random, zone, 3), "run_text"),
                raw,
            }
        })
        .collect();
    let narration: Vec<Narration> = (0..size.narration)
        .map(|at| {
            let zone = at * size.zones / size.narration;
            let start_ms = at as u64 * size.seconds * 1000 / size.narration as u64;
            Narration {
                id: format!("nar_{}", at + 1),
                start_ms,
                end_ms: start_ms + 4000,
                text: format!("{} They call it {}.", random.one_of(&SAID), random.rare_word()),
                source: NarrationSource::Transcribed,
                confidence: 0.9,
                zone_id: Some(format!("zon_{}", zone + 1)),
                run_id: "run_speech".into(),
            }
        })
        .collect();
    let measurements: Vec<Measurement> = narration
        .iter()
        .filter(|piece| piece.text.contains("18 square meters"))
        .enumerate()
        .map(|(at, piece)| {
            let said = Evidence { frame_id: None, narration_id: Some(piece.id.clone()), ..evidence(0) };
            Measurement {
                id: format!("mea_{}", at + 1),
                value: 18.0,
                unit: "m2".into(),
                method: Method::Spoken,
                zone_id: piece.zone_id.clone(),
                claim: claims.claim("18 square meters", Basis::Spoken, vec![said], "run_measurements"),
            }
        })
        .collect();
    SpaceDocument {
        schema_version: SCHEMA_VERSION.into(),
        kind: InputKind::Video,
        language: "en".into(),
        media: vec![Medium {
            id: "med_video".into(),
            kind: MediumKind::Video,
            ordinal: None,
            sha256: "0".repeat(64),
            bytes: 1,
            width: 1280,
            height: 720,
            duration_ms: Some(size.seconds * 1000),
            fps: Some(30.0),
            has_audio: true,
        }],
        frames,
        zones,
        openings: Vec::new(),
        objects,
        texts,
        narration,
        measurements,
        relations: Vec::new(),
        summary: Vec::new(),
        quality: Quality::default(),
        runs: [
            Task::Frames,
            Task::Zones,
            Task::Rooms,
            Task::Light,
            Task::Objects,
            Task::Text,
            Task::Speech,
            Task::Measurements,
        ]
        .map(run)
        .to_vec(),
    }
}

fn evidence(frame: usize) -> Evidence {
    Evidence {
        media_id: "med_video".into(),
        frame_id: Some(format!("frm_{frame:05}")),
        t_ms: Some(frame as u64 * 1000),
        ordinal: None,
        bbox: Some(BBox { x: 0.4, y: 0.3, w: 0.2, h: 0.2 }),
        narration_id: None,
        score: 0.9,
    }
}

fn run(task: Task) -> Run {
    let can_know = if task == Task::Objects { CLASSES.map(str::to_owned).to_vec() } else { Vec::new() };
    let model = task.as_str().to_owned();
    Run { can_know, ..Run::new(task, Provider::Packaged, model, "1") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_documents_are_valid_and_reproducible() {
        for size in [FLAT, HOUR] {
            let made = document(7, size);
            assert_eq!(made.defects(), Vec::<String>::new());
            assert_eq!(made, document(7, size));
        }
    }
}
