//! Exports a Space Document as an Agent Skill: a folder with `SKILL.md` and one reference a zone.
//!
//! Agents follow the instructions in `SKILL.md`. Text of a scan (signs, narration, labels) and of
//! the space's record is therefore never part of the prose; it is [`quoted`] as data.

mod archive;
mod facts;
mod quoted;

use domain::document::{SpaceDocument, Zone};
use serde::Serialize;
use serde_json::json;

/// Maximum length of a skill's `description`, in characters, by the specification of Agent Skills.
pub const MAX_DESCRIPTION: usize = 1024;
/// Maximum length of a skill's `name`, in characters, by the same specification.
pub const MAX_NAME: usize = 64;
/// Maximum number of zones that `SKILL.md` lists, to keep it short. Every zone has a reference
/// file.
const MAX_LISTED_ZONES: usize = 100;
/// Maximum number of summary sentences that `SKILL.md` quotes.
const MAX_QUOTED_SENTENCES: usize = 40;

/// The record of the space.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Id of the space: a prefix, `_`, and lower-case letters and digits.
    pub id: &'a str,
    /// Name that the owner gave the space.
    pub name: &'a str,
    /// Type label.
    pub space_type: &'a str,
    /// Free text of the owner.
    pub description: Option<&'a str>,
}

/// File of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SkillFile {
    /// Path in the skill's folder, for example `references/zone-1.md`.
    pub path: String,
    /// Content, as UTF-8 text.
    pub content: String,
}

/// Agent Skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Name of the skill and of its folder: lower-case letters, digits and hyphens.
    pub name: String,
    /// Files of the skill, `SKILL.md` first.
    pub files: Vec<SkillFile>,
}

/// Builds the skill of a space.
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

/// Returns the name of the skill, which is the same for every scan. It is derived from the id,
/// because the name of a space may contain characters that skill names must not have.
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
    let zones: Vec<_> = document.zones.iter().enumerate().take(MAX_LISTED_ZONES).map(listed).collect();
    let summary = document.summary.iter().take(MAX_QUOTED_SENTENCES);
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
         3. An item that is not listed was not seen, but may exist. `{LIMITS}` lists what the scan could not \
         see or recognise.\n\
         4. Sizes are listed only as they were read or said. Never estimate one.\n\
         5. If you can reach the service, let it answer: the MCP tool `ask_space`, or the command \
         `scan ask {id} \"QUESTION\"`. Both answer only from evidence, cite it, and abstain otherwise. \
         `show_frame` shows the picture of a frame id. Newer scans are only there, not in these files.\n\n\
         ## Zones\n\n{zones}\n## Summary\n\n{summary}\n## Files\n\n{links}{unplaced}- [{LIMITS}]({LIMITS})\n",
        description = quoted::yaml(&description(about)),
        id = about.id,
        record = quoted::block(&[record]),
        zones = quoted::block(&zones),
        summary = quoted::block(&summary),
    )
}

fn listed((index, zone): (usize, &Zone)) -> serde_json::Value {
    json!({ "zone": zone.id, "label": zone.label, "file": path(index), "coverage": zone.coverage })
}

/// Returns the description: what the skill contains and when to use it. It must contain the name of
/// the space, sanitised and quoted, because the name distinguishes the skill from others.
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
