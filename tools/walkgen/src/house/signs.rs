//! Chooses the signs of each room and draws them.

use std::{fs, path::Path};

use ab_glyph::{Font, FontVec, GlyphId, PxScale, ScaleFont};
use anyhow::{Context, Result};

use crate::{
    house::plan::{Kind, Plan, Room},
    random::Random,
    scene::texture::{Colour, Texture, mixed, pack},
};

const FONT_FOLDER: &str = "/usr/share/fonts/truetype/dejavu";

/// Height of capitals in DejaVu Sans, as a share of the font's height from ascent to descent.
const CAPITAL_HEIGHT_SHARE: f32 = 1493.0 / 2384.0;

/// Text and colours of a sign.
#[derive(Debug, Clone)]
pub(crate) struct Sign {
    /// Its lines, with the height of their capitals in metres.
    pub(crate) lines: Vec<(String, f32)>,
    /// Colour of the board.
    pub(crate) ground: Colour,
    /// Colour of the letters.
    pub(crate) ink: Colour,
}

/// A drawn sign.
pub(crate) struct Drawn {
    /// Width and height in metres.
    pub(crate) size: (f32, f32),
    /// The picture.
    pub(crate) texture: Texture,
    /// Position of each line in metres: left, top, width, height.
    pub(crate) boxes: Vec<[f32; 4]>,
}

/// The font of all signs.
pub(crate) struct Lettering {
    bold: FontVec,
}

impl Lettering {
    /// Reads the font.
    ///
    /// # Errors
    /// Returns an error if the font is not installed.
    pub(crate) fn load() -> Result<Self> {
        let path = Path::new(FONT_FOLDER).join("DejaVuSans-Bold.ttf");
        let bytes = fs::read(&path).with_context(|| {
            format!("cannot read the font {}; `cargo xtask setup` installs it", path.display())
        })?;
        Ok(Self { bold: FontVec::try_from_vec(bytes).context("the font cannot be read")? })
    }

    /// Returns the width of `text` in units of the height of its capitals.
    fn width(&self, text: &str) -> f32 {
        let scaled = self.bold.as_scaled(PxScale::from(100.0));
        let mut last: Option<GlyphId> = None;
        let mut x = 0.0;
        for c in text.chars() {
            let id = scaled.glyph_id(c);
            x += last.map_or(0.0, |l| scaled.kern(l, id)) + scaled.h_advance(id);
            last = Some(id);
        }
        x / (100.0 * CAPITAL_HEIGHT_SHARE)
    }

    /// Draws a sign.
    pub(crate) fn draw(&self, sign: &Sign) -> Drawn {
        let tallest = sign.lines.iter().map(|(_, h)| *h).fold(0.0, f32::max);
        let margin = 0.04 + tallest * 0.7;
        let width = sign.lines.iter().map(|(t, h)| self.width(t) * h).fold(0.0, f32::max) + 2.0 * margin;
        let gap = 0.75;
        let text_height: f32 = sign.lines.iter().map(|(_, h)| h * (1.0 + gap)).sum::<f32>() - tallest * gap;
        let height = text_height + 2.0 * margin;
        let bits = |metres: f32| ((metres * 1100.0).log2().ceil() as u32).clamp(7, 11);
        let (wb, hb) = (bits(width), bits(height));
        let (w, h) = (1_usize << wb, 1_usize << hb);
        let (px, py) = (w as f32 / width, h as f32 / height);
        let mut coverage = vec![0.0_f32; w * h];
        let mut boxes = Vec::new();
        let mut top = margin;
        for (text, capital) in &sign.lines {
            let line_width = self.width(text) * capital;
            let left = (width - line_width) / 2.0;
            self.write(text, *capital, (left * px, (top + capital) * py), (px, py), &mut coverage, w);
            boxes.push([left, top, line_width, *capital]);
            top += capital * (1.0 + gap);
        }
        let border = 0.012;
        let level: Vec<u32> = (0..w * h)
            .map(|i| {
                let (x, y) = ((i % w) as f32 / px, (i / w) as f32 / py);
                let edge = x.min(width - x).min(y.min(height - y));
                let framed = edge > border && edge < border * 1.7;
                let ground = if framed { mixed(sign.ground, sign.ink, 0.7) } else { sign.ground };
                pack(mixed(ground, sign.ink, coverage[i].min(1.0)))
            })
            .collect();
        let level = crate::scene::texture::Level { width_bits: wb, height_bits: hb, texels: level };
        Drawn { size: (width, height), texture: Texture::from_level(level, (width, height)), boxes }
    }

    /// Adds the coverage of a line. Its baseline begins at `start`, in texels.
    fn write(
        &self,
        text: &str,
        capital: f32,
        start: (f32, f32),
        per_metre: (f32, f32),
        out: &mut [f32],
        w: usize,
    ) {
        let scale = PxScale {
            x: capital * per_metre.0 / CAPITAL_HEIGHT_SHARE,
            y: capital * per_metre.1 / CAPITAL_HEIGHT_SHARE,
        };
        let scaled = self.bold.as_scaled(scale);
        let mut x = start.0;
        let mut last: Option<GlyphId> = None;
        for c in text.chars() {
            let id = scaled.glyph_id(c);
            x += last.map_or(0.0, |l| scaled.kern(l, id));
            let glyph = id.with_scale_and_position(scale, ab_glyph::point(x, start.1));
            if let Some(outline) = self.bold.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                let h = out.len() / w;
                outline.draw(|gx, gy, c| {
                    let (px, py) = (bounds.min.x as i32 + gx as i32, bounds.min.y as i32 + gy as i32);
                    if (0..w as i32).contains(&px) && (0..h as i32).contains(&py) {
                        out[py as usize * w + px as usize] += c;
                    }
                });
            }
            x += scaled.h_advance(id);
            last = Some(id);
        }
    }
}

const DARK_ON_LIGHT: [(Colour, Colour); 3] =
    [([240, 238, 228], [30, 32, 38]), ([232, 226, 204], [92, 40, 30]), ([226, 234, 240], [20, 50, 100])];
const LIGHT_ON_DARK: [(Colour, Colour); 3] =
    [([34, 52, 84], [240, 240, 236]), ([52, 44, 40], [236, 222, 184]), ([30, 84, 66], [238, 240, 230])];

/// Texts that differ between houses.
struct HouseTexts {
    welcome: String,
    call: String,
    password: String,
    hours: String,
    breakfast: String,
    check_out: String,
}

impl HouseTexts {
    fn choose(random: &mut Random) -> Self {
        let house = *random.pick(&["GARDEN", "HARBOUR", "MEADOW", "RIVERSIDE", "SUNSET", "ORCHARD"]);
        let phone = 1000 + random.below(9000);
        let colour = *random.pick(&["BLUE", "GREEN", "AMBER", "VIOLET", "SILVER"]);
        let number = 10 + random.below(90);
        let (opens, closes) = (6 + random.below(4), 18 + random.below(5));
        let breakfast = 6 + random.below(3);
        let check_out = 10 + random.below(3);
        Self {
            welcome: format!("{house} HOUSE"),
            call: format!("CALL 555 {phone:04}"),
            password: format!("PASSWORD: {colour}{number}"),
            hours: format!("OPEN {opens}:00 - {closes}:00"),
            breakfast: format!("BREAKFAST {breakfast}:30 - 10:00"),
            check_out: format!("CHECK OUT {check_out}:00"),
        }
    }
}

/// Chooses the signs of each room. Texts differ between houses.
pub(crate) fn choose(plan: &Plan, seed: u64) -> Vec<Vec<Sign>> {
    let mut random = Random::new(seed, 4);
    let texts = HouseTexts::choose(&mut random);
    plan.rooms.iter().map(|room| signs_of_room(room, &texts, &mut random)).collect()
}

fn signs_of_room(room: &Room, texts: &HouseTexts, random: &mut Random) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut add = |lines: &[(&str, f32)], (ground, ink): (Colour, Colour)| {
        let lines = lines.iter().map(|(text, height)| ((*text).to_owned(), *height)).collect();
        signs.push(Sign { lines, ground, ink });
    };
    let plate = random.range(0.085, 0.115);
    let fire = ([20, 110, 64], [240, 246, 240]);
    let warning = ([244, 202, 40], [24, 24, 24]);
    let red = ([176, 34, 34], [246, 240, 236]);
    let (light, dark) = (*random.pick(&DARK_ON_LIGHT), *random.pick(&LIGHT_ON_DARK));
    match room.kind {
        Kind::Hall => {
            add(&[("WELCOME TO", 0.05), (&texts.welcome, 0.085)], dark);
            add(&[("FIRE EXIT", 0.10)], fire);
            add(&[("RECEPTION", 0.06), (&texts.hours, 0.045), (&texts.call, 0.045)], light);
        }
        Kind::Living => {
            add(&[("LOUNGE", plate)], dark);
            add(&[("WIFI: GUEST", 0.065), (&texts.password, 0.045)], light);
            add(&[("NO SMOKING", 0.06)], red);
        }
        Kind::Kitchen => {
            add(&[("KITCHEN", plate)], dark);
            add(&[("PLEASE WASH", 0.05), ("YOUR DISHES", 0.05)], light);
            add(&[("CAUTION HOT", 0.055)], warning);
        }
        Kind::Bedroom => {
            add(&[(&room.name.to_uppercase(), 0.10)], dark);
            add(&[(&texts.check_out, 0.055), ("LEAVE KEYS AT DESK", 0.035)], light);
        }
        Kind::Bathroom => {
            add(&[("BATHROOM", plate)], dark);
            add(&[("WET FLOOR", 0.065)], warning);
            add(&[("SAVE WATER", 0.045)], light);
        }
        Kind::Office => {
            add(&[("OFFICE", plate)], dark);
            add(&[("PRIVATE", 0.06), ("KEEP DOOR CLOSED", 0.035)], red);
        }
        Kind::Dining => {
            add(&[("DINING ROOM", plate)], dark);
            add(&[(&texts.breakfast, 0.055), ("COFFEE IS FREE", 0.04)], light);
        }
        Kind::Storage => {
            add(&[("STORAGE", plate)], dark);
            add(&[("STAFF ONLY", 0.07)], red);
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_have_the_requested_height() {
        let lettering = Lettering::load().unwrap();
        let sign = Sign { lines: vec![("HEH".into(), 0.1)], ground: [255; 3], ink: [0; 3] };
        let drawn = lettering.draw(&sign);
        let level = &drawn.texture.levels[0];
        let dark = |row: usize| {
            let start = row << level.width_bits;
            let middle = start + (1 << level.width_bits) / 8..start + (1 << level.width_bits) * 7 / 8;
            level.texels[middle].iter().any(|&t| t < 0x40_40_40)
        };
        let inked = (0..1 << level.height_bits).filter(|&row| dark(row)).count() as f32;
        let tall = inked / drawn.texture.per_metre.1;
        assert!((tall - 0.1).abs() < 0.006, "{tall}");
    }
}
