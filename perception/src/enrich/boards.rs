//! Groups lines of text that belong together: the lines of one sign, menu or timetable.
//!
//! Two lines of a frame belong together if their letters are about as tall and they stand below each
//! other or in one row. Over all frames that show both, most must agree.

use std::collections::BTreeMap;

use domain::document::{BBox, Basis, Board, BoardCell, BoardRow, Evidence, Frame, Text};

use super::claims::Claims;

/// Maximum ratio of the heights of two lines of one board.
const MAX_HEIGHT_RATIO: f64 = 1.6;
/// The same for two lines of one row, which are printed in one size.
const MAX_ROW_HEIGHT_RATIO: f64 = 1.35;
/// Maximum gap between a line and the one below it, in heights of the taller one.
const MAX_LINE_GAP_HEIGHTS: f64 = 1.2;
/// Maximum distance between the left edges, or the centres, of lines below each other, in heights.
const MAX_MISALIGNMENT_HEIGHTS: f64 = 0.9;
/// Maximum gap between two lines of a row, in heights.
const MAX_ROW_GAP_HEIGHTS: f64 = 2.5;
/// The same before a cell of digits: a price stands at the far side of its row.
const MAX_VALUE_GAP_HEIGHTS: f64 = 10.0;
/// Maximum distance between the centres of cells of one row, in heights of the smaller one.
const MAX_ROW_OFFSET_HEIGHTS: f64 = 0.5;
/// Ratio of heights from which a first row is a heading.
const HEADING_MIN_HEIGHT_RATIO: f64 = 1.2;
/// Maximum number of frames cited as evidence.
const MAX_CITED_FRAMES: usize = 5;
/// Confidence of a board, relative to the confidence of its least certain line.
const CONFIDENCE_FACTOR: f64 = 0.9;

/// A box in pixels of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pixels {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Pixels {
    fn of(bbox: &BBox, frame: &Frame) -> Pixels {
        let (w, h) = (f64::from(frame.width), f64::from(frame.height));
        Pixels { left: bbox.x * w, top: bbox.y * h, width: bbox.w * w, height: (bbox.h * h).max(1.0) }
    }

    fn middle(&self) -> (f64, f64) {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Boxes of the texts in a frame, by number of the text.
type Page = BTreeMap<usize, Pixels>;

/// Returns the boards of a document.
pub(super) fn find_boards(texts: &[Text], frames: &[Frame], claims: &mut Claims) -> Vec<Board> {
    let pages = pages(texts, frames);
    let mut boards = Vec::new();
    for members in groups(texts, &pages) {
        let rows = rows(texts, &layout(&members, &pages));
        let cells: usize = rows.iter().map(|row| row.cells.len()).sum();
        if cells < 2 {
            continue;
        }
        let lines = rows
            .iter()
            .map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("\t"));
        let value = lines.collect::<Vec<_>>().join("\n");
        let least = members.iter().map(|member| texts[*member].claim.confidence).fold(1.0, f64::min);
        let evidence = evidence(&members, &pages, frames);
        let run = "run_boards";
        if let Some(claim) = claims.make(&value, least * CONFIDENCE_FACTOR, Basis::Read, evidence, run) {
            let id = format!("brd_{}", boards.len() + 1);
            boards.push(Board { id, zone_id: texts[members[0]].zone_id.clone(), rows, claim });
        }
    }
    boards
}

/// Returns the boxes of the texts by frame.
fn pages<'a>(texts: &[Text], frames: &'a [Frame]) -> BTreeMap<&'a str, Page> {
    let known: BTreeMap<&str, &Frame> = frames.iter().map(|frame| (frame.id.as_str(), frame)).collect();
    let mut pages = BTreeMap::<&str, Page>::new();
    for (number, text) in texts.iter().enumerate() {
        for seen in &text.claim.evidence {
            let frame = seen.frame_id.as_deref().and_then(|id| known.get(id));
            if let Some((frame, bbox)) = frame.zip(seen.bbox) {
                // The best sighting of a frame comes first.
                pages.entry(&frame.id).or_default().entry(number).or_insert_with(|| Pixels::of(&bbox, frame));
            }
        }
    }
    pages
}

/// Returns the groups of at least two texts that belong together, each in order.
fn groups(texts: &[Text], pages: &BTreeMap<&str, Page>) -> Vec<Vec<usize>> {
    let mut seen = BTreeMap::<(usize, usize), (usize, usize)>::new();
    for page in pages.values() {
        for (a, box_a) in page {
            for (b, box_b) in page.range(a + 1..) {
                let votes = seen.entry((*a, *b)).or_default();
                votes.0 += usize::from(belong_together((box_a, &texts[*a].raw), (box_b, &texts[*b].raw)));
                votes.1 += 1;
            }
        }
    }
    let mut group: Vec<usize> = (0..texts.len()).collect();
    for ((a, b), (together, both)) in seen {
        let (from, to) = (group[b], group[a]);
        if 2 * together > both && texts[a].zone_id == texts[b].zone_id && from != to {
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut members = BTreeMap::<usize, Vec<usize>>::new();
    for (number, of) in group.into_iter().enumerate() {
        members.entry(of).or_default().push(number);
    }
    members.into_values().filter(|members| members.len() > 1).collect()
}

/// Returns true if two lines of a frame stand below each other or in one row.
fn belong_together(a: (&Pixels, &str), b: (&Pixels, &str)) -> bool {
    let (upper, lower) = if a.0.middle().1 <= b.0.middle().1 { (a, b) } else { (b, a) };
    let (tall, small) = (upper.0.height.max(lower.0.height), upper.0.height.min(lower.0.height));
    let (upper, lower) = (upper.0, lower.0);
    let in_row = (lower.middle().1 - upper.middle().1) <= MAX_ROW_OFFSET_HEIGHTS * small;
    if in_row {
        let (left, right) = if a.0.left <= b.0.left { (a, b) } else { (b, a) };
        let gap = right.0.left - left.0.right();
        let value =
            right.1.chars().filter(char::is_ascii_digit).count() * 2 >= right.1.trim().chars().count();
        let most = if value { MAX_VALUE_GAP_HEIGHTS } else { MAX_ROW_GAP_HEIGHTS };
        return tall <= MAX_ROW_HEIGHT_RATIO * small && gap > -0.5 * small && gap <= most * tall;
    }
    let gap = lower.top - upper.bottom();
    let edges = (upper.left - lower.left).abs();
    let centres = (upper.middle().0 - lower.middle().0).abs();
    tall <= MAX_HEIGHT_RATIO * small
        && (-0.5 * tall..=MAX_LINE_GAP_HEIGHTS * tall).contains(&gap)
        && edges.min(centres) <= MAX_MISALIGNMENT_HEIGHTS * tall
}

/// Returns the boxes of a board's lines in one coordinate system: that of the frame with the most
/// lines. Lines of other frames are placed relative to a line that both frames show.
fn layout(members: &[usize], pages: &BTreeMap<&str, Page>) -> Page {
    let of_page = |page: &Page| -> Page {
        members.iter().filter_map(|member| Some((*member, *page.get(member)?))).collect()
    };
    let parts: Vec<Page> = pages.values().map(of_page).collect();
    let size = |page: &Page| page.values().map(|pixels| pixels.height).sum::<f64>();
    let Some(best) = parts.iter().max_by(|a, b| a.len().cmp(&b.len()).then(size(a).total_cmp(&size(b))))
    else {
        return Page::new();
    };
    let mut placed = best.clone();
    for part in &parts {
        let Some((anchor, there)) = part.iter().find(|(member, _)| placed.contains_key(member)) else {
            continue;
        };
        let here = placed[anchor];
        let scale = here.height / there.height;
        for (member, pixels) in part {
            placed.entry(*member).or_insert(Pixels {
                left: here.left + (pixels.left - there.left) * scale,
                top: here.top + (pixels.top - there.top) * scale,
                width: pixels.width * scale,
                height: pixels.height * scale,
            });
        }
    }
    placed
}

/// Arranges lines in rows and columns.
fn rows(texts: &[Text], layout: &Page) -> Vec<BoardRow> {
    let mut lines: Vec<(usize, Pixels)> = layout.iter().map(|(member, pixels)| (*member, *pixels)).collect();
    lines.sort_by(|a, b| a.1.middle().1.total_cmp(&b.1.middle().1).then(a.0.cmp(&b.0)));
    let mut rows: Vec<Vec<(usize, Pixels)>> = Vec::new();
    for line in lines {
        let same = rows.last().and_then(|row| row.first()).is_some_and(|(_, first)| {
            (line.1.middle().1 - first.middle().1).abs()
                <= MAX_ROW_OFFSET_HEIGHTS * first.height.min(line.1.height)
        });
        match rows.last_mut().filter(|_| same) {
            Some(row) => row.push(line),
            None => rows.push(vec![line]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.1.left.total_cmp(&b.1.left).then(a.0.cmp(&b.0)));
    }
    // The row with the most cells defines the columns.
    let columns: Vec<Pixels> = rows
        .iter()
        .max_by_key(|row| row.len())
        .map(|row| row.iter().map(|(_, p)| *p).collect())
        .unwrap_or_default();
    let column = |pixels: &Pixels| {
        let shared = |column: &Pixels| pixels.right().min(column.right()) - pixels.left.max(column.left);
        let nearest =
            columns.iter().enumerate().max_by(|a, b| shared(a.1).total_cmp(&shared(b.1)).then(b.0.cmp(&a.0)));
        nearest.map_or(0, |(at, _)| u32::try_from(at).unwrap_or_default())
    };
    let headings: Vec<bool> = (0..rows.len()).map(|at| is_heading(texts, &rows, at)).collect();
    rows.iter()
        .zip(headings)
        .map(|(row, heading)| BoardRow {
            heading,
            cells: row
                .iter()
                .map(|(member, pixels)| BoardCell {
                    text_id: texts[*member].id.clone(),
                    text: texts[*member].raw.clone(),
                    column: column(pixels),
                })
                .collect(),
        })
        .collect()
}

/// Returns true if a row is a heading: one cell that is taller than the next row, or words above
/// values.
fn is_heading(texts: &[Text], rows: &[Vec<(usize, Pixels)>], at: usize) -> bool {
    let ([(member, pixels)], Some(next)) = (rows[at].as_slice(), rows.get(at + 1)) else { return false };
    let has_digit = |row: &Vec<(usize, Pixels)>| {
        row.iter().any(|(member, _)| texts[*member].raw.contains(|c: char| c.is_ascii_digit()))
    };
    let taller = next.iter().all(|(_, below)| pixels.height >= HEADING_MIN_HEIGHT_RATIO * below.height);
    let words = !texts[*member].raw.contains(|c: char| c.is_ascii_digit());
    words && (taller || (at == 0 && rows[1..].iter().all(has_digit)))
}

/// Returns the frames that show most of the board, with a box around its lines.
fn evidence(members: &[usize], pages: &BTreeMap<&str, Page>, frames: &[Frame]) -> Vec<Evidence> {
    let mut found: Vec<(usize, f64, Evidence)> = frames
        .iter()
        .filter_map(|frame| {
            let page = pages.get(frame.id.as_str())?;
            let boxes: Vec<&Pixels> = members.iter().filter_map(|member| page.get(member)).collect();
            let first = boxes.first().filter(|_| boxes.len() > 1)?;
            let around = boxes.iter().fold(**first, |around, other| {
                let (left, top) = (around.left.min(other.left), around.top.min(other.top));
                Pixels {
                    left,
                    top,
                    width: around.right().max(other.right()) - left,
                    height: around.bottom().max(other.bottom()) - top,
                }
            });
            let (w, h) = (f64::from(frame.width.max(1)), f64::from(frame.height.max(1)));
            let bbox =
                BBox { x: around.left / w, y: around.top / h, w: around.width / w, h: around.height / h };
            let share = boxes.len() as f64 / members.len() as f64;
            Some((boxes.len(), around.height, frame.evidence(Some(bbox), crate::signal::thousandths(share))))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.frame_id.cmp(&b.2.frame_id)));
    found.into_iter().map(|(.., evidence)| evidence).take(MAX_CITED_FRAMES).collect()
}

#[cfg(test)]
mod tests {
    use domain::document::{Claim, KeptBecause, TextKind};

    use super::*;

    /// A frame of 1000 by 1000 pixels.
    fn frame(number: usize) -> Frame {
        Frame {
            id: format!("frm_{number}"),
            media_id: "med_video".to_owned(),
            t_ms: Some(0),
            ordinal: None,
            width: 1000,
            height: 1000,
            sharpness: 1.0,
            exposure: 0.5,
            hash: String::new(),
            kept_because: KeptBecause::First,
            zone_id: None,
            key: String::new(),
            url: None,
        }
    }

    /// A text that is shown in frames at left, top, width and height in pixels.
    fn text(id: usize, raw: &str, shown: &[(usize, [f64; 4])]) -> Text {
        let evidence = |(number, [x, y, w, h]): &(usize, [f64; 4])| {
            let bbox = BBox { x: x / 1000.0, y: y / 1000.0, w: w / 1000.0, h: h / 1000.0 };
            frame(*number).evidence(Some(bbox), 0.9)
        };
        let claim = Claim {
            id: format!("clm_{id}"),
            value: raw.to_owned(),
            confidence: 0.9,
            basis: Basis::Read,
            evidence: shown.iter().map(evidence).collect(),
            run_id: "run_text".to_owned(),
        };
        Text {
            id: format!("txt_{id}"),
            raw: raw.to_owned(),
            normalized: raw.to_lowercase(),
            kind: TextKind::Sign,
            zone_id: Some("zon_1".to_owned()),
            claim,
        }
    }

    /// Returns the rows of each board as text, headings with a hash sign.
    fn boards(texts: &[Text]) -> Vec<Vec<String>> {
        let frames: Vec<Frame> = (1..=3).map(frame).collect();
        let pages = pages(texts, &frames);
        let row = |row: &BoardRow| {
            let cells: Vec<String> = row.cells.iter().map(|c| format!("{}@{}", c.text, c.column)).collect();
            format!("{}{}", if row.heading { "# " } else { "" }, cells.join(" | "))
        };
        groups(texts, &pages)
            .iter()
            .map(|members| rows(texts, &layout(members, &pages)).iter().map(row).collect())
            .collect()
    }

    #[test]
    fn lines_below_each_other_are_one_board_with_its_heading() {
        let texts = [
            text(1, "TIDES", &[(1, [100.0, 100.0, 200.0, 40.0])]),
            text(2, "HIGH 06:10", &[(1, [100.0, 150.0, 260.0, 30.0])]),
            text(3, "LOW 12:25", &[(1, [100.0, 190.0, 240.0, 30.0])]),
            text(4, "EXIT", &[(1, [600.0, 105.0, 100.0, 40.0])]),
        ];
        assert_eq!(boards(&texts), [["# TIDES@0", "HIGH 06:10@0", "LOW 12:25@0"]]);
    }

    #[test]
    fn a_price_stands_in_the_row_of_its_name() {
        let texts = [
            text(1, "ROLLS", &[(1, [100.0, 100.0, 120.0, 30.0])]),
            text(2, "0.80", &[(1, [400.0, 102.0, 70.0, 30.0])]),
            text(3, "PRETZELS", &[(1, [100.0, 145.0, 180.0, 30.0])]),
            text(4, "1.20", &[(1, [402.0, 146.0, 70.0, 30.0])]),
        ];
        assert_eq!(boards(&texts), [["ROLLS@0 | 0.80@1", "PRETZELS@0 | 1.20@1"]]);
    }

    #[test]
    fn signs_apart_or_of_other_sizes_are_no_board() {
        let separate = [
            text(1, "KITCHEN", &[(1, [100.0, 100.0, 200.0, 40.0])]),
            text(2, "OFFICE", &[(1, [100.0, 300.0, 200.0, 40.0])]),
            text(3, "EXIT", &[(1, [500.0, 100.0, 200.0, 40.0])]),
            text(4, "SMALL PRINT", &[(1, [100.0, 141.0, 200.0, 10.0])]),
        ];
        assert_eq!(boards(&separate), Vec::<Vec<String>>::new());
        let mut zones = [
            text(1, "ONE", &[(1, [100.0, 100.0, 200.0, 40.0])]),
            text(2, "TWO", &[(1, [100.0, 145.0, 200.0, 40.0])]),
        ];
        assert_eq!(boards(&zones).len(), 1);
        zones[1].zone_id = Some("zon_2".to_owned());
        assert_eq!(boards(&zones), Vec::<Vec<String>>::new(), "behind a door");
    }

    #[test]
    fn most_frames_decide_and_complete_each_other() {
        let line = |y: f64| [100.0, y, 200.0, 40.0];
        let texts = [
            text(1, "ONE", &[(1, line(100.0)), (2, line(300.0))]),
            text(2, "TWO", &[(1, line(145.0)), (2, line(345.0)), (3, line(100.0))]),
            text(3, "THREE", &[(3, line(145.0))]),
        ];
        assert_eq!(boards(&texts), [["ONE@0", "TWO@0", "THREE@0"]]);
        let contradicted = [
            text(1, "ONE", &[(1, line(100.0)), (2, line(300.0)), (3, line(300.0))]),
            text(2, "TWO", &[(1, line(145.0)), (2, line(600.0)), (3, line(600.0))]),
        ];
        assert_eq!(boards(&contradicted), Vec::<Vec<String>>::new());
    }
}
