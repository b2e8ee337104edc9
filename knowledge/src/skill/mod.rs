//! A Space Document as an Agent Skill: a folder with `SKILL.md` and references one level deep, by zone.
//!
//! Whoever opens the folder follows what `SKILL.md` says, so no word of a scan (signs, narration, labels)
//! and no word of the space's own record may stand there as prose. All of it is [`quoted`].

mod archive;
mod facts;
mod quoted;

use domain::document::{SpaceDocument, Zone};
use serde::Serialize;
use serde_json::json;

/// Longest `description` of a skill, in characters, by the rules for skills.
pub const MAX_DESCRIPTION: usize = 1024;
/// Longest `name` of a skill, by the same rules.
pub const MAX_NAME: usize = 64;
/// Zones that `SKILL.md` lists; it should stay short. The files of the others are there all the same.
const LISTED_ZONES: usize = 100;
/// Sentences of the summary that `SKILL.md` quotes.
const QUOTED_SENTENCES: usize = 40;

/// The space's own record, beside its document.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The space's id: a prefix, `_` and letters and digits in lower case.
    pub id: &'a str,
    /// Its name, as its owner wrote it.
    pub name: &'a str,
    /// Its type label.
    pub space_type: &'a str,
    /// Free text of its owner.
    pub description: Option<&'a str>,
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SkillFile {
    /// Where it belongs in the skill's folder, for example `references/zone-1.md`.
    pub path: String,
    /// UTF-8 text.
    pub content: String,
}

/// An Agent Skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name, which its folder must have too: lower-case letters, digits and hyphens.
    pub name: String,
    /// Its files; `SKILL.md` first.
    pub files: Vec<SkillFile>,
}

/// The skill of a space.
pub fn skill(about: &About, document: &SpaceDocument) -> Skill {
    let name = name(about.id);
    let mut files = vec![SkillFile { path: "SKILL.md".into(), content: overview(&name, about, document) }];
    for (index, zone) in document.zones.iter().enumerate() {
        files.push(reference(&path(index), "What is known of one zone", facts::of_zone(document, zone)));
    }
    let unplaced = facts::unplaced(document);
    if !unplaced.is_empty() {
        files.push(reference(UNPLACED, "What was found, without a known zone", unplaced));
    }
    files.push(reference(LIMITS, "What the scan could not see or know", facts::limits(document)));
    Skill { name, files }
}

const UNPLACED: &str = "references/unplaced.md";
const LIMITS: &str = "references/limits.md";

/// Stays the same from scan to scan. Made of the id alone: the rules forbid words in names that a space's
/// own name may well have.
fn name(id: &str) -> String {
    let safe = id.chars().map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' });
    let name: String = safe.take(MAX_NAME).collect();
    name.trim_matches('-').to_owned()
}

fn path(index: usize) -> String {
    format!("references/zone-{}.md", index + 1)
}

fn reference(path: &str, title: &str, lines: Vec<serde_json::Value>) -> SkillFile {
    let content = format!("# {title}\n\n{}\n\n{}", quoted::NOTICE, quoted::block(&lines));
    SkillFile { path: path.into(), content }
}

fn overview(name: &str, about: &About, document: &SpaceDocument) -> String {
    let record = json!({
        "space": about.id, "name": about.name, "type": about.space_type, "description": about.description,
        "media": format!("{:?}", document.kind).to_lowercase(), "language": document.language,
        "zones": document.zones.len(), "things": document.objects.len(), "texts": document.texts.len(),
    });
    let zones: Vec<_> = document.zones.iter().enumerate().take(LISTED_ZONES).map(listed).collect();
    let summary = document.summary.iter().take(QUOTED_SENTENCES);
    let summary: Vec<_> = summary.map(|s| json!({ "sentence": s.text, "claims": s.claim_ids })).collect();
    let links: String = (0..zones.len()).map(|index| format!("- [{0}]({0})\n", path(index))).collect();
    let unplaced = if facts::unplaced(document).is_empty() {
        String::new()
    } else {
        format!("- [{UNPLACED}]({UNPLACED}): found, without a known zone\n")
    };
    let notice = quoted::NOTICE;
    format!(
        "---\nname: {name}\ndescription: {description}\n---\n\n\
         # A scanned space\n\n{notice}\n\n{record}\n\
         ## How to use this\n\n\
         1. Find the zone in question below, and read its file for types, things, texts, speech and sizes.\n\
         2. Say only what a line says, and cite its claim id, with the frame or the time where it can be checked.\n\
         3. What is not listed was not seen; that does not mean that it is not there. `{LIMITS}` says what the \
         scan could not see or know.\n\
         4. Sizes are listed only as they were read or said. Never estimate one.\n\n\
         ## Zones\n\n{zones}\n## Summary\n\n{summary}\n## Files\n\n{links}{unplaced}- [{LIMITS}]({LIMITS})\n",
        description = quoted::yaml(&description(about)),
        record = quoted::block(&[record]),
        zones = quoted::block(&zones),
        summary = quoted::block(&summary),
    )
}

fn listed((index, zone): (usize, &Zone)) -> serde_json::Value {
    json!({ "zone": zone.id, "label": zone.label, "file": path(index), "coverage": zone.coverage })
}

/// What the skill is for and when to use it. The name of the space is what tells this skill from others, so
/// it has to be here; cleaned, short and in quotation marks.
fn description(about: &About) -> String {
    format!(
        "What a scan found in the space named \u{201c}{}\u{201d} (type \u{201c}{}\u{201d}, id {}): its zones, things, \
         texts, what was said and sizes, each with its evidence. Use when a question is about this space.",
        quoted::label(about.name, 200),
        quoted::label(about.space_type, 64),
        about.id,
    )
    .chars()
    .take(MAX_DESCRIPTION)
    .collect()
}
