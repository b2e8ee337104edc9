//! Prints a short summary of a document.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use domain::{document::SpaceDocument, scan::Scan};

use super::save::Saved;

/// Prints counts, zones, the summary and warnings.
pub fn print(scan: &Scan, document: &SpaceDocument, saved: &Saved) {
    let words: usize = document.narration.iter().map(|n| n.text.split_whitespace().count()).sum();
    println!();
    println!("scan {} of space {}: {}", scan.id, scan.space_id, scan.status);
    println!(
        "{} frames · {} zones · {} texts · {} objects · {words} spoken words",
        document.frames.len(),
        document.zones.len(),
        document.texts.len(),
        document.objects.len(),
    );
    for zone in &document.zones {
        let seconds: u64 = zone.intervals.iter().map(|i| i.end.saturating_sub(i.start)).sum::<u64>() / 1000;
        let texts: Vec<_> = document
            .texts
            .iter()
            .filter(|t| t.zone_id.as_deref() == Some(&zone.id))
            .map(|t| format!("“{}”", t.raw))
            .collect();
        let visits = if zone.intervals.len() > 1 {
            format!(", {} visits", zone.intervals.len())
        } else {
            String::new()
        };
        println!("  {:<18} {seconds:>4} s{visits}  {}", zone.label, texts.join(" "));
    }
    for sentence in &document.summary {
        println!("  {}", sentence.text);
    }
    for warning in &document.quality.warnings {
        println!("  note: {} ({})", warning.message, warning.code);
    }
    println!("document  {}", saved.document.display());
    println!("frames    {}", saved.frames.display());
}
