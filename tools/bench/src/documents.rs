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
const SENTENCES: [&str; 10] = [
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

/// Generates a document of this size.
pub(crate) fn document(seed: u64, size: Size) -> SpaceDocument {
    let mut generator = Generator { random: Random::new(seed), size, claim_count: 0 };
    let frames = generator.frames();
    let zones = (0..size.zones).map(|at| generator.zone(at)).collect();
    let objects = (0..size.objects).map(|at| generator.object(at)).collect();
    let texts = (0..size.texts).map(|at| generator.text(at)).collect();
    let narration: Vec<Narration> = (0..size.narration).map(|at| generator.sentence(at)).collect();
    let measurements = generator.measurements(&narration);
    let tasks = [
        Task::Frames,
        Task::Zones,
        Task::Rooms,
        Task::Light,
        Task::Objects,
        Task::Text,
        Task::Speech,
        Task::Measurements,
    ];
    SpaceDocument {
        schema_version: SCHEMA_VERSION.into(),
        kind: InputKind::Video,
        language: "en".into(),
        media: vec![video(size)],
        frames,
        zones,
        openings: Vec::new(),
        objects,
        texts,
        narration,
        measurements,
        boards: Vec::new(),
        facts: Vec::new(),
        privacy: Vec::new(),
        corrections: Vec::new(),
        relations: Vec::new(),
        summary: Vec::new(),
        quality: Quality::default(),
        runs: tasks.map(run).to_vec(),
    }
}

/// Generates the parts of a document. There is one frame per second, and all zones are equally
/// long.
struct Generator {
    random: Random,
    size: Size,
    claim_count: usize,
}

impl Generator {
    fn claim(&mut self, value: &str, basis: Basis, evidence: Vec<Evidence>, run: &str) -> Claim {
        self.claim_count += 1;
        let id = format!("clm_{:06}", self.claim_count);
        Claim { id, value: value.to_owned(), confidence: 0.9, basis, evidence, run_id: run.to_owned() }
    }

    fn frame_count(&self) -> usize {
        self.size.seconds as usize
    }

    fn first_frame(&self, zone: usize) -> usize {
        (zone * self.frame_count()).div_ceil(self.size.zones)
    }

    /// Returns evidence from random frames of a zone.
    fn zone_evidence(&mut self, zone: usize, count: usize) -> Vec<Evidence> {
        let (from, to) = (self.first_frame(zone), self.first_frame(zone + 1));
        (0..count).map(|_| evidence(from + self.random.below(to - from))).collect()
    }

    fn frames(&mut self) -> Vec<Frame> {
        let (count, zones) = (self.frame_count(), self.size.zones);
        let frame = |at: usize| Frame {
            id: format!("frm_{at:05}"),
            media_id: "med_video".into(),
            t_ms: Some(at as u64 * 1000),
            ordinal: None,
            width: 1280,
            height: 720,
            sharpness: 100.0,
            exposure: 0.5,
            hash: format!("{:016x}", self.random.below(usize::MAX)),
            kept_because: KeptBecause::NewView,
            zone_id: Some(format!("zon_{}", at * zones / count + 1)),
            key: format!("scans/bench/frames/frm_{at:05}.jpg"),
            url: None,
        };
        (0..count).map(frame).collect()
    }

    fn zone(&mut self, at: usize) -> Zone {
        let room = self.random.one_of(&ROOMS);
        let room_evidence = self.zone_evidence(at, 1);
        let types = vec![self.claim(room, Basis::Read, room_evidence, "run_rooms")];
        let light = self.random.one_of(&["dark", "normal", "bright"]);
        let colours = self.random.one_of(&["white", "grey, brown", "blue", "beige, white"]);
        let (first, end) = (self.first_frame(at), self.first_frame(at + 1));
        let attributes = [
            (AttributeName::Light, light),
            (AttributeName::MeanLightness, "0.51"),
            (AttributeName::DominantColours, colours),
        ]
        .map(|(name, value)| Attribute {
            name,
            claim: self.claim(value, Basis::Observed, vec![evidence(first)], "run_light"),
        });
        Zone {
            id: format!("zon_{}", at + 1),
            label: format!("{}{}", room[..1].to_uppercase(), &room[1..]),
            types,
            intervals: vec![Interval { start: first as u64 * 1000, end: end as u64 * 1000 }],
            best_frame_id: format!("frm_{first:05}"),
            frame_ids: (first..end).map(|frame| format!("frm_{frame:05}")).collect(),
            attributes: attributes.to_vec(),
            coverage: 0.95,
        }
    }

    fn object(&mut self, at: usize) -> Object {
        let zone = self.random.below(self.size.zones);
        let sightings = self.zone_evidence(zone, 4);
        let best = 1 + self.random.below(4) as u32;
        let class = self.random.one_of(&CLASSES);
        Object {
            id: format!("obj_{}", at + 1),
            category: self.claim(class, Basis::Observed, sightings.clone(), "run_objects"),
            zone_id: Some(format!("zon_{}", zone + 1)),
            count: Count { min: best, best, max: best + 1 },
            condition: None,
            sightings,
        }
    }

    fn text(&mut self, at: usize) -> Text {
        let zone = self.random.below(self.size.zones);
        let sign = self.random.one_of(&SIGNS);
        let raw = format!("{sign} {} {}", self.random.rare_word().to_uppercase(), self.random.below(500));
        let evidence = self.zone_evidence(zone, 3);
        Text {
            id: format!("txt_{}", at + 1),
            normalized: raw.to_lowercase(),
            kind: TextKind::Sign,
            zone_id: Some(format!("zon_{}", zone + 1)),
            claim: self.claim(&raw, Basis::Read, evidence, "run_text"),
            raw,
        }
    }

    fn sentence(&mut self, at: usize) -> Narration {
        let zone = at * self.size.zones / self.size.narration;
        let start_ms = at as u64 * self.size.seconds * 1000 / self.size.narration as u64;
        let sentence = self.random.one_of(&SENTENCES);
        Narration {
            id: format!("nar_{}", at + 1),
            start_ms,
            end_ms: start_ms + 4000,
            text: format!("{sentence} They call it {}.", self.random.rare_word()),
            source: NarrationSource::Transcribed,
            confidence: 0.9,
            zone_id: Some(format!("zon_{}", zone + 1)),
            run_id: "run_speech".into(),
        }
    }

    /// Returns a measurement for each sentence that mentions a size.
    fn measurements(&mut self, narration: &[Narration]) -> Vec<Measurement> {
        let sentences = narration.iter().filter(|sentence| sentence.text.contains("18 square meters"));
        let measurement = |(at, sentence): (usize, &Narration)| {
            let spoken = Evidence { frame_id: None, narration_id: Some(sentence.id.clone()), ..evidence(0) };
            Measurement {
                id: format!("mea_{}", at + 1),
                value: 18.0,
                unit: "m2".into(),
                method: Method::Spoken,
                zone_id: sentence.zone_id.clone(),
                claim: self.claim("18 square meters", Basis::Spoken, vec![spoken], "run_measurements"),
            }
        };
        sentences.enumerate().map(measurement).collect()
    }
}

fn video(size: Size) -> Medium {
    Medium {
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
        url: None,
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
            let generated = document(7, size);
            assert_eq!(generated.defects(), Vec::<String>::new());
            assert_eq!(generated, document(7, size));
        }
    }
}
