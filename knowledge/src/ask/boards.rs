//! The boards of a document: the lines of one sign together.
//!
//! Documents of older versions state no boards. Their texts belong together if, in a frame that shows both, their boxes are near each other and their
//! letters are of similar height.

use std::collections::BTreeMap;

use domain::document::{BBox, SpaceDocument, Text};

/// Maximum ratio of the heights of two lines of one sign.
const MAX_HEIGHT_RATIO: f64 = 2.0;
/// Maximum vertical gap between two lines, in heights of the larger one.
const MAX_GAP: f64 = 1.3;
/// Maximum horizontal gap between two texts in a row, in heights of the larger one.
const MAX_SPACE: f64 = 4.0;
/// Minimum vertical overlap of two texts in a row, as a share of the smaller height.
const ROW_OVERLAP: f64 = 0.5;

/// Returns the boards: each a list of texts with their rows, in reading order. A text that stands
/// alone is a board of one.
pub(super) fn of(document: &SpaceDocument) -> Vec<Vec<(&Text, usize)>> {
    if document.boards.is_empty() { grouped(document) } else { stated(document) }
}

/// Returns the boards that the document states, and its other texts.
fn stated(document: &SpaceDocument) -> Vec<Vec<(&Text, usize)>> {
    let mut left: BTreeMap<&str, &Text> =
        document.texts.iter().map(|text| (text.id.as_str(), text)).collect();
    let mut out: Vec<Vec<(&Text, usize)>> = Vec::new();
    for board in &document.boards {
        let rows = board.rows.iter().enumerate();
        let cells = rows.flat_map(|(row, cells)| cells.cells.iter().map(move |cell| (cell, row)));
        out.push(cells.filter_map(|(cell, row)| Some((left.remove(cell.text_id.as_str())?, row))).collect());
    }
    out.retain(|board| !board.is_empty());
    out.extend(
        document.texts.iter().filter(|text| left.contains_key(text.id.as_str())).map(|text| vec![(text, 0)]),
    );
    out
}

/// Groups the texts of a document that states no boards.
fn grouped(document: &SpaceDocument) -> Vec<Vec<(&Text, usize)>> {
    let texts = &document.texts;
    let mut group: Vec<usize> = (0..texts.len()).collect();
    let mut frames: BTreeMap<&str, Vec<(usize, BBox)>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        for evidence in &text.claim.evidence {
            if let (Some(frame), Some(bbox)) = (&evidence.frame_id, evidence.bbox) {
                frames.entry(frame).or_default().push((at, bbox));
            }
        }
    }
    for boxes in frames.values() {
        for (i, (a, one)) in boxes.iter().enumerate() {
            for (b, other) in &boxes[i + 1..] {
                if a != b && are_near(one, other) {
                    let (from, to) = (find(&group, *a), find(&group, *b));
                    group[from.max(to)] = from.min(to);
                }
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..texts.len() {
        members.entry(find(&group, at)).or_default().push(at);
    }
    members.into_values().map(|members| in_order(texts, members, &frames)).collect()
}

fn find(group: &[usize], mut at: usize) -> usize {
    while group[at] != at {
        at = group[at];
    }
    at
}

fn are_near(a: &BBox, b: &BBox) -> bool {
    let height = a.h.max(b.h);
    let overlap =
        |from: f64, to: f64, other_from: f64, other_to: f64| to.min(other_to) - from.max(other_from);
    let across = overlap(a.x, a.x + a.w, b.x, b.x + b.w);
    let down = overlap(a.y, a.y + a.h, b.y, b.y + b.h);
    let alike = height <= MAX_HEIGHT_RATIO * a.h.min(b.h);
    let below = across > 0.0 && -down <= MAX_GAP * height;
    let beside = down >= ROW_OVERLAP * a.h.min(b.h) && -across <= MAX_SPACE * height;
    alike && (below || beside)
}

/// Orders the texts of a board by rows, by the boxes of the frame that shows most of them.
fn in_order<'a>(
    texts: &'a [Text],
    members: Vec<usize>,
    frames: &BTreeMap<&str, Vec<(usize, BBox)>>,
) -> Vec<(&'a Text, usize)> {
    if members.len() == 1 {
        return vec![(&texts[members[0]], 0)];
    }
    let shown =
        |boxes: &Vec<(usize, BBox)>| members.iter().filter(|m| boxes.iter().any(|(at, _)| at == *m)).count();
    let best = frames.values().max_by_key(|boxes| shown(boxes));
    let mut placed: Vec<(BBox, usize)> = Vec::new();
    let mut others: Vec<usize> = Vec::new();
    for member in &members {
        let place = best.and_then(|boxes| boxes.iter().find(|(at, _)| at == member));
        match place {
            Some((_, bbox)) => placed.push((*bbox, *member)),
            None => others.push(*member),
        }
    }
    placed.sort_by(|(a, _), (b, _)| (a.y + a.h / 2.0).total_cmp(&(b.y + b.h / 2.0)));
    let mut rows: Vec<Vec<(BBox, usize)>> = Vec::new();
    for (bbox, at) in placed {
        let same = rows.last().and_then(|row| row.first()).is_some_and(|(first, _)| {
            let down = (first.y + first.h).min(bbox.y + bbox.h) - first.y.max(bbox.y);
            down >= ROW_OVERLAP * first.h.min(bbox.h)
        });
        match rows.last_mut() {
            Some(row) if same => row.push((bbox, at)),
            _ => rows.push(vec![(bbox, at)]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x)));
    let count = rows.len();
    let ordered =
        rows.into_iter().enumerate().flat_map(|(row, cells)| cells.into_iter().map(move |(_, at)| (at, row)));
    let rest = others.into_iter().enumerate().map(|(i, at)| (at, count + i));
    ordered.chain(rest).map(|(at, row)| (&texts[at], row)).collect()
}
