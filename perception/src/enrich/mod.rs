//! The fourth stage: makes claims with evidence and builds the Space Document.

mod boards;
mod claims;
mod facts;
mod languages;
mod measures;
mod openings;
mod privacy;
mod quality;
mod rooms;
mod summary;
mod text_kinds;
mod zones;

use std::collections::BTreeMap;

use domain::document::{
    Basis, Count, Narration, Object, Relation, RelationKind, Run, SCHEMA_VERSION, SpaceDocument, Text,
};

use crate::fuse::{Fused, FusedNarration, normalized};
use crate::ingest::Ingested;
use claims::Claims;
use languages::Languages;

/// Information for the document that does not come from the media.
pub struct DocumentContext<'a> {
    /// Declared language as a BCP 47 tag.
    pub language: &'a str,
    /// Returns the storage key of a kept frame's picture by frame id.
    pub frame_key: &'a dyn Fn(&str) -> String,
}

/// Builds the Space Document. Pure and fast; every claim carries its evidence.
pub fn enrich(ingested: &Ingested, fused: &Fused, context: &DocumentContext) -> SpaceDocument {
    let mut claims = Claims::new(ingested, fused);
    let heard = fused.narration.iter().filter(|sentence| claims.has_run(&sentence.run_id)).cloned().collect();
    let languages = Languages::new(context.language, &fused.runs);
    let (sentences, statements) = rooms::room_statements(fused, heard, ingested.kind, &languages);
    let narration = build_narration(fused, &sentences);
    let spoken = rooms::SpokenTypes { sentences: &sentences, statements: &statements, narration: &narration };
    let types = rooms::find_room_types(fused, &languages, &spoken, &mut claims);
    let zones = zones::build_zones(ingested, fused, types, &mut claims);
    let zone_of: BTreeMap<&str, &str> =
        zones.iter().flat_map(|z| z.frame_ids.iter().map(|f| (f.as_str(), z.id.as_str()))).collect();
    let frames: Vec<_> = ingested
        .frames
        .iter()
        .cloned()
        .map(|mut frame| {
            frame.zone_id = zone_of.get(frame.id.as_str()).map(|zone| (*zone).to_owned());
            frame.key = (context.frame_key)(&frame.id);
            frame
        })
        .collect();
    let openings = openings::find_openings(fused, &mut claims);
    let objects = build_objects(fused, &mut claims);
    let mut texts = build_texts(fused, &mut claims);
    let boards = boards::find_boards(&texts, &frames, &mut claims);
    let measurements = measures::find_measurements(&texts, &narration, &languages, &mut claims);
    let facts = facts::find_facts(&texts, &boards, &narration, &languages, &mut claims);
    let mut privacy = privacy::mark_credentials(&mut texts, &boards, &facts, &mut claims);
    privacy.extend(privacy::flag_persons(fused, privacy.len(), &mut claims));
    let mut relations = openings::relate_adjacent(&openings, &mut claims);
    relations.extend(relate_contents(&objects, &mut claims, relations.len()));
    let summary = summary::summarise(&zones, &objects, &texts, &measurements, &openings);
    let quality = quality::assess_quality(ingested, fused);
    let mut runs: Vec<Run> = fused.runs.clone();
    runs.extend(claims.own_runs());
    SpaceDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        kind: ingested.kind,
        language: context.language.to_owned(),
        media: ingested.media.clone(),
        frames,
        zones,
        openings,
        objects,
        texts,
        narration,
        measurements,
        boards,
        facts,
        privacy,
        corrections: Vec::new(),
        relations,
        summary,
        quality,
        runs,
    }
}

/// Returns the id of a zone by its number.
fn zone_id(number: usize) -> String {
    format!("zon_{}", number + 1)
}

fn build_narration(fused: &Fused, sentences: &[FusedNarration]) -> Vec<Narration> {
    let numbered = sentences.iter().enumerate().map(|(i, sentence)| Narration {
        id: format!("nar_{}", i + 1),
        start_ms: sentence.start_ms,
        end_ms: sentence.end_ms,
        text: sentence.text.clone(),
        source: sentence.source.clone(),
        confidence: sentence.confidence.clamp(0.0, 1.0),
        zone_id: sentence.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
        run_id: sentence.run_id.clone(),
    });
    numbered.collect()
}

fn build_objects(fused: &Fused, claims: &mut Claims) -> Vec<Object> {
    let mut out = Vec::new();
    for object in &fused.objects {
        let evidence = claims.valid_evidence(&object.sightings);
        let claim =
            claims.make(&object.label, object.confidence, Basis::Observed, evidence.clone(), &object.run_id);
        if let Some(category) = claim {
            out.push(Object {
                id: format!("obj_{}", out.len() + 1),
                category,
                zone_id: object.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
                count: Count { min: object.min, best: object.best, max: object.max },
                condition: None,
                sightings: evidence,
            });
        }
    }
    out
}

fn build_texts(fused: &Fused, claims: &mut Claims) -> Vec<Text> {
    let mut out = Vec::new();
    for text in &fused.texts {
        let evidence = claims.valid_evidence(&text.sightings);
        if let Some(claim) = claims.make(&text.raw, text.confidence, Basis::Read, evidence, &text.run_id) {
            out.push(Text {
                id: format!("txt_{}", out.len() + 1),
                raw: text.raw.clone(),
                normalized: normalized(&text.raw),
                kind: text_kinds::classify(&text.raw),
                zone_id: text.zone.filter(|z| *z < fused.zones.len()).map(zone_id),
                claim,
            });
        }
    }
    out
}

/// Relates each zone to the objects in it. `relation_count` is the number of existing relations.
fn relate_contents(objects: &[Object], claims: &mut Claims, relation_count: usize) -> Vec<Relation> {
    let mut out = Vec::new();
    for object in objects {
        let Some(zone) = &object.zone_id else { continue };
        let category = &object.category;
        let value = format!("{zone} contains {}", category.value);
        let evidence = category.evidence.clone();
        if let Some(claim) = claims.make(&value, category.confidence, Basis::Inferred, evidence, "run_zones")
        {
            out.push(Relation {
                id: format!("rel_{}", relation_count + out.len() + 1),
                kind: RelationKind::Contains,
                from_id: zone.clone(),
                to_id: object.id.clone(),
                claim,
            });
        }
    }
    out
}
