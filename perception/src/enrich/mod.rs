//! The fourth stage: claims with their evidence, and the Space Document.

mod announced;
mod claims;
mod kinds;
mod measures;
mod openings;
mod quality;
mod rooms;
mod summary;
mod zones;

use std::collections::BTreeMap;

use domain::document::{
    Basis, Count, Narration, Object, Relation, RelationKind, Run, SCHEMA_VERSION, SpaceDocument, Text,
};

use crate::fuse::{Fused, FusedNarration, normalized};
use crate::ingest::Ingested;
use claims::Claims;

/// What the document says besides what was found.
pub struct About<'a> {
    /// BCP 47 language that was declared.
    pub language: &'a str,
    /// The storage key of a kept frame's picture, by its id.
    pub frame_key: &'a dyn Fn(&str) -> String,
}

/// Puts together the Space Document. Pure and quick; every claim in it carries its evidence.
pub fn enrich(ingested: &Ingested, fused: &Fused, about: &About) -> SpaceDocument {
    let mut claims = Claims::new(ingested, fused);
    let mut said = announced::sentences(fused, ingested.kind);
    said.retain(|sentence| claims.has_run(&sentence.run_id));
    let narration = narration(fused, &said);
    let types = rooms::types(fused, &said, &narration, &mut claims);
    let zones = zones::zones(ingested, fused, types, &mut claims);
    let zone_of: BTreeMap<&str, &str> =
        zones.iter().flat_map(|z| z.frame_ids.iter().map(|f| (f.as_str(), z.id.as_str()))).collect();
    let frames: Vec<_> = ingested
        .frames
        .iter()
        .cloned()
        .map(|mut frame| {
            frame.zone_id = zone_of.get(frame.id.as_str()).map(|zone| (*zone).to_owned());
            frame.key = (about.frame_key)(&frame.id);
            frame
        })
        .collect();
    let openings = openings::openings(fused, &mut claims);
    let objects = objects(fused, &mut claims);
    let texts = texts(fused, &mut claims);
    let measurements = measures::measurements(&texts, &narration, &mut claims);
    let mut relations = openings::adjacent(&openings, &mut claims);
    relations.extend(contains(&objects, &mut claims, relations.len()));
    let summary = summary::summary(&zones, &objects, &texts, &measurements, &openings);
    let quality = quality::quality(ingested, fused);
    let mut runs: Vec<Run> = fused.runs.clone();
    runs.extend(claims.own_runs());
    SpaceDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        kind: ingested.kind,
        language: about.language.to_owned(),
        media: ingested.media.clone(),
        frames,
        zones,
        openings,
        objects,
        texts,
        narration,
        measurements,
        relations,
        summary,
        quality,
        runs,
    }
}

/// The id of the zone with this number.
fn zone_id(number: usize) -> String {
    format!("zon_{}", number + 1)
}

fn narration(fused: &Fused, said: &[FusedNarration]) -> Vec<Narration> {
    let named = said.iter().enumerate().map(|(i, piece)| Narration {
        id: format!("nar_{}", i + 1),
        start_ms: piece.start_ms,
        end_ms: piece.end_ms,
        text: piece.text.clone(),
        source: piece.source.clone(),
        confidence: piece.confidence.clamp(0.0, 1.0),
        zone_id: piece.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
        run_id: piece.run_id.clone(),
    });
    named.collect()
}

fn objects(fused: &Fused, claims: &mut Claims) -> Vec<Object> {
    let mut out = Vec::new();
    for thing in &fused.things {
        let evidence = claims.known(&thing.sightings);
        let made =
            claims.make(&thing.label, thing.confidence, Basis::Observed, evidence.clone(), &thing.run_id);
        if let Some(category) = made {
            out.push(Object {
                id: format!("obj_{}", out.len() + 1),
                category,
                zone_id: thing.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
                count: Count { min: thing.min, best: thing.best, max: thing.max },
                condition: None,
                sightings: evidence,
            });
        }
    }
    out
}

fn texts(fused: &Fused, claims: &mut Claims) -> Vec<Text> {
    let mut out = Vec::new();
    for text in &fused.texts {
        let evidence = claims.known(&text.sightings);
        if let Some(claim) = claims.make(&text.raw, text.confidence, Basis::Read, evidence, &text.run_id) {
            out.push(Text {
                id: format!("txt_{}", out.len() + 1),
                raw: text.raw.clone(),
                normalized: normalized(&text.raw),
                kind: kinds::kind(&text.raw),
                zone_id: text.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
                claim,
            });
        }
    }
    out
}

/// A zone contains what was seen in it.
fn contains(objects: &[Object], claims: &mut Claims, before: usize) -> Vec<Relation> {
    let mut out = Vec::new();
    for object in objects {
        let Some(zone) = &object.zone_id else { continue };
        let category = &object.category;
        let value = format!("{zone} contains {}", category.value);
        let evidence = category.evidence.clone();
        if let Some(claim) = claims.make(&value, category.confidence, Basis::Inferred, evidence, "run_zones")
        {
            out.push(Relation {
                id: format!("rel_{}", before + out.len() + 1),
                kind: RelationKind::Contains,
                from_id: zone.clone(),
                to_id: object.id.clone(),
                claim,
            });
        }
    }
    out
}
