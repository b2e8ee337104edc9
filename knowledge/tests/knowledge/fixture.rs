//! Builds Space Documents with evidence from short descriptions of places.

use domain::document::*;
use serde::Deserialize;

/// Description of a place. Zones are numbered from 1; 0 means no zone.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    #[serde(default)]
    pub(crate) zones: Vec<PlaceZone>,
    /// Category, zone, and count (min, best, max).
    #[serde(default)]
    pub(crate) things: Vec<(String, usize, [u32; 3])>,
    /// Text, kind, zone.
    #[serde(default)]
    pub(crate) texts: Vec<(String, String, usize)>,
    /// Signs: zone, and lines from top to bottom. `|` parts the cells of a line.
    #[serde(default)]
    pub(crate) boards: Vec<(usize, Vec<String>)>,
    /// Spoken words, zone.
    #[serde(default)]
    pub(crate) said: Vec<(String, usize)>,
    /// Value, unit, wording, method, zone.
    #[serde(default)]
    pub(crate) sizes: Vec<(f64, String, String, Method, usize)>,
    /// Pairs of zones with an opening between them.
    #[serde(default)]
    pub(crate) openings: Vec<(usize, usize)>,
    /// Categories that the detector knows.
    #[serde(default)]
    pub(crate) can_know: Vec<String>,
    /// Codes of the warnings.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceZone {
    pub(crate) types: Vec<String>,
    pub(crate) light: String,
    pub(crate) colours: String,
    pub(crate) coverage: f64,
}

struct ClaimFactory {
    count: usize,
}

impl ClaimFactory {
    fn claim(&mut self, value: &str, basis: Basis, evidence: Evidence, run: &str) -> Claim {
        self.count += 1;
        Claim {
            id: format!("clm_{:04}", self.count),
            value: value.to_owned(),
            confidence: 0.9,
            basis,
            evidence: vec![evidence],
            run_id: run.to_owned(),
        }
    }
}

fn zone_id(number: usize) -> Option<String> {
    (number > 0).then(|| format!("zon_{number}"))
}

fn frame(zone: usize) -> Evidence {
    let number = zone.max(1);
    Evidence {
        media_id: "med_video".into(),
        frame_id: Some(format!("frm_{number:05}")),
        t_ms: Some(number as u64 * 1000),
        ordinal: None,
        bbox: None,
        narration_id: None,
        score: 0.9,
    }
}

fn said(number: usize) -> Evidence {
    Evidence { frame_id: None, narration_id: Some(format!("nar_{number}")), ..frame(1) }
}

fn run(task: &str, can_know: &[String]) -> Run {
    Run { can_know: can_know.to_vec(), ..Run::new(Task::from(task), Provider::Packaged, task, "1") }
}

/// Builds the document of a place. Panics if the document is invalid.
pub(crate) fn document(place: &Place) -> SpaceDocument {
    let mut claims = ClaimFactory { count: 0 };
    let zones: Vec<Zone> =
        place.zones.iter().enumerate().map(|(i, zone)| of_zone(i + 1, zone, &mut claims)).collect();
    let objects = objects(place, &mut claims);
    let mut texts = texts(place, &mut claims);
    texts.extend(signs(place, &mut claims));
    let narration = narration(place);
    let measurements = measurements(place, &narration, &mut claims);
    let openings = openings(place, &mut claims);
    let warnings = place.warnings.iter().map(|code| Warning { code: code.clone(), message: code.clone() });
    let document = SpaceDocument {
        schema_version: SCHEMA_VERSION.into(),
        kind: domain::media::InputKind::Video,
        language: "en".into(),
        media: vec![Medium {
            id: "med_video".into(),
            kind: MediumKind::Video,
            ordinal: None,
            sha256: "0".repeat(64),
            bytes: 1,
            width: 1280,
            height: 720,
            duration_ms: Some(60_000),
            fps: Some(30.0),
            has_audio: true,
            url: None,
        }],
        frames: frames(&zones),
        zones,
        openings,
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
        quality: Quality { warnings: warnings.collect(), ..Quality::default() },
        runs: ["zones", "rooms", "light", "text", "speech", "measurements", "openings"]
            .map(|task| run(task, &[]))
            .into_iter()
            .chain([run("objects", &place.can_know)])
            .collect(),
    };
    assert_eq!(document.defects(), Vec::<String>::new());
    document
}

/// Returns one frame for each zone, and at least one.
fn frames(zones: &[Zone]) -> Vec<Frame> {
    let frame = |number: usize| Frame {
        id: format!("frm_{number:05}"),
        media_id: "med_video".into(),
        t_ms: Some(number as u64 * 1000),
        ordinal: None,
        width: 1280,
        height: 720,
        sharpness: 100.0,
        exposure: 0.5,
        hash: format!("{:016x}", (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        kept_because: KeptBecause::NewView,
        zone_id: zones.get(number - 1).map(|zone| zone.id.clone()),
        key: format!("k/frm_{number:05}.jpg"),
        url: None,
    };
    (1..=zones.len().max(1)).map(frame).collect()
}

fn objects(place: &Place, claims: &mut ClaimFactory) -> Vec<Object> {
    let things = place.things.iter().enumerate();
    let object = |(i, (name, zone, [min, best, max])): (usize, &(String, usize, [u32; 3]))| Object {
        id: format!("obj_{}", i + 1),
        category: claims.claim(name, Basis::Observed, frame(*zone), "run_objects"),
        zone_id: zone_id(*zone),
        count: Count { min: *min, best: *best, max: *max },
        condition: None,
        sightings: vec![frame(*zone)],
    };
    things.map(object).collect()
}

fn texts(place: &Place, claims: &mut ClaimFactory) -> Vec<Text> {
    let text = |(i, (raw, kind, zone)): (usize, &(String, String, usize))| Text {
        id: format!("txt_{}", i + 1),
        raw: raw.clone(),
        normalized: raw.to_lowercase(),
        kind: kind.as_str().into(),
        zone_id: zone_id(*zone),
        claim: claims.claim(raw, Basis::Read, frame(*zone), "run_text"),
    };
    place.texts.iter().enumerate().map(text).collect()
}

/// Returns the lines of the signs. Signs of one zone hang apart in its frame.
fn signs(place: &Place, claims: &mut ClaimFactory) -> Vec<Text> {
    let mut out = Vec::new();
    for (number, (zone, lines)) in place.boards.iter().enumerate() {
        let before = place.boards[..number].iter().filter(|(other, _)| other == zone).count();
        let (x, y) = (0.33 * (before % 3) as f64, 0.25 * (before / 3) as f64);
        let cells = lines.iter().enumerate().flat_map(|(row, line)| {
            let cells = line.split('|').map(str::trim).enumerate();
            cells.map(move |(column, raw)| (row, column, raw))
        });
        for (row, column, raw) in cells {
            let bbox = BBox { x: x + 0.07 * column as f64, y: y + 0.03 * row as f64, w: 0.06, h: 0.02 };
            let evidence = Evidence { bbox: Some(bbox), ..frame(*zone) };
            out.push(Text {
                id: format!("txt_{}", place.texts.len() + out.len() + 1),
                raw: raw.to_owned(),
                normalized: raw.to_lowercase(),
                kind: TextKind::Sign,
                zone_id: zone_id(*zone),
                claim: claims.claim(raw, Basis::Read, evidence, "run_text"),
            });
        }
    }
    out
}

fn narration(place: &Place) -> Vec<Narration> {
    let sentence = |(i, (text, zone)): (usize, &(String, usize))| Narration {
        id: format!("nar_{}", i + 1),
        start_ms: i as u64 * 1000,
        end_ms: i as u64 * 1000 + 900,
        text: text.clone(),
        source: NarrationSource::Client,
        confidence: 0.9,
        zone_id: zone_id(*zone),
        run_id: "run_speech".into(),
    };
    place.said.iter().enumerate().map(sentence).collect()
}

fn measurements(place: &Place, narration: &[Narration], claims: &mut ClaimFactory) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for (i, (value, unit, words, method, zone)) in place.sizes.iter().enumerate() {
        let (basis, evidence) = match method {
            Method::Spoken => {
                let position = narration.iter().position(|n| n.text.contains(words.as_str()));
                (Basis::Spoken, said(position.expect("the words were said") + 1))
            }
            _ => (Basis::Read, frame(*zone)),
        };
        measurements.push(Measurement {
            id: format!("mea_{}", i + 1),
            value: *value,
            unit: unit.clone(),
            method: *method,
            zone_id: zone_id(*zone),
            claim: claims.claim(words, basis, evidence, "run_measurements"),
        });
    }
    measurements
}

fn openings(place: &Place, claims: &mut ClaimFactory) -> Vec<Opening> {
    let opening = |(i, (from, to)): (usize, &(usize, usize))| {
        let value = format!("zon_{from} leads to zon_{to}");
        Opening {
            id: format!("opn_{}", i + 1),
            from_zone_id: format!("zon_{from}"),
            to_zone_id: format!("zon_{to}"),
            claim: claims.claim(&value, Basis::Inferred, frame(*from), "run_openings"),
        }
    };
    place.openings.iter().enumerate().map(opening).collect()
}

fn of_zone(number: usize, zone: &PlaceZone, claims: &mut ClaimFactory) -> Zone {
    let types: Vec<Claim> =
        zone.types.iter().map(|kind| claims.claim(kind, Basis::Read, frame(number), "run_rooms")).collect();
    let mut attribute = |name: &str, value: &str| Attribute {
        name: name.into(),
        claim: claims.claim(value, Basis::Observed, frame(number), "run_light"),
    };
    let attributes = vec![
        attribute("light", &zone.light),
        attribute("mean_lightness", "0.63"),
        attribute("dominant_colours", &zone.colours),
    ];
    let label = zone.types.first().map_or_else(
        || format!("Zone {number}"),
        |kind| kind.chars().take(1).flat_map(char::to_uppercase).chain(kind.chars().skip(1)).collect(),
    );
    Zone {
        id: format!("zon_{number}"),
        label,
        types,
        intervals: vec![Interval { start: number as u64 * 1000, end: number as u64 * 1000 + 1000 }],
        best_frame_id: format!("frm_{number:05}"),
        frame_ids: vec![format!("frm_{number:05}")],
        attributes,
        coverage: zone.coverage,
    }
}

/// Returns a small flat.
pub(crate) fn flat() -> Place {
    serde_json::from_str(include_str!("../data/flat.json")).unwrap()
}
