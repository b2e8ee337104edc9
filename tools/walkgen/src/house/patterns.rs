//! Procedural, seamless textures: plaster, brick, wood, tiles, wallpaper, cloth and stone.

use crate::{
    random::Random,
    scene::texture::{Colour, Texture, mixed, scaled},
};

/// Binary logarithm of the texture size of walls and floors.
const BITS: u32 = 10;
/// Binary logarithm of the texture size of furniture.
const SMALL_BITS: u32 = 9;

/// Seamless value noise between 0 and 1.
pub(crate) struct Noise {
    lattice: Vec<f32>,
}

const LATTICE: usize = 256;

impl Noise {
    /// Draws a lattice of random values.
    pub(crate) fn new(random: &mut Random) -> Self {
        Self { lattice: (0..LATTICE * LATTICE).map(|_| random.unit()).collect() }
    }

    /// Returns the value at `(x, y)`, which must not be negative. It repeats after `period` (at
    /// most 256).
    fn value(&self, x: f32, y: f32, period: (usize, usize)) -> f32 {
        let (column, row) = (x as usize, y as usize);
        let (x0, y0) = (column % period.0, row % period.1);
        let (x1, y1) = ((x0 + 1) % period.0, (y0 + 1) % period.1);
        let at = |x: usize, y: usize| self.lattice[(y % LATTICE) * LATTICE + x % LATTICE];
        let (fx, fy) = (crate::math::smooth(x - column as f32), crate::math::smooth(y - row as f32));
        let top = at(x0, y0) + (at(x1, y0) - at(x0, y0)) * fx;
        let bottom = at(x0, y1) + (at(x1, y1) - at(x0, y1)) * fx;
        top + (bottom - top) * fy
    }

    /// Sums octaves of noise, starting with `cells` cells over the unit square. `u` and `v` are 0
    /// to 1.
    pub(crate) fn fractal(&self, u: f32, v: f32, cells: (usize, usize), octaves: u32) -> f32 {
        let (mut sum, mut weight, mut total) = (0.0, 1.0, 0.0);
        let mut cells = cells;
        for _ in 0..octaves {
            sum += weight * self.value(u * cells.0 as f32, v * cells.1 as f32, cells);
            total += weight;
            weight *= 0.55;
            cells = (cells.0 * 2, cells.1 * 2);
        }
        sum / total
    }
}

/// Paints a large texture, for walls and floors.
fn painted(metres: f32, colour: impl FnMut(f32, f32) -> Colour) -> Texture {
    painted_in(BITS, metres, colour)
}

fn painted_in(bits: u32, metres: f32, mut colour: impl FnMut(f32, f32) -> Colour) -> Texture {
    let k = 1.0 / (1_u32 << bits) as f32;
    Texture::paint(bits, bits, (metres, metres), |x, y| colour((x as f32 + 0.5) * k, (y as f32 + 0.5) * k))
}

/// Painted plaster: broad stains, roller grain and some specks.
pub(crate) fn plaster(random: &mut Random, colour: Colour) -> Texture {
    let noise = Noise::new(random);
    painted(2.5, |u, v| {
        let broad = noise.fractal(u, v, (4, 4), 4) - 0.5;
        let grain = noise.fractal(u, v, (128, 96), 2) - 0.5;
        let speck = if noise.fractal(u, v, (90, 90), 1) > 0.955 { -0.10 } else { 0.0 };
        scaled(colour, 1.0 + 0.12 * broad + 0.10 * grain + speck)
    })
}

/// Brickwork in running bond.
pub(crate) fn brick(random: &mut Random, colour: Colour, mortar: Colour) -> Texture {
    let noise = Noise::new(random);
    let (columns, rows) = (8, 26);
    let tones: Vec<f32> = (0..columns * rows).map(|_| random.range(0.78, 1.15)).collect();
    painted(2.0, |u, v| {
        let row = (v * rows as f32) as usize;
        let x = u * columns as f32 + if row.is_multiple_of(2) { 0.0 } else { 0.5 };
        let (fx, fy) = (x.fract(), (v * rows as f32).fract());
        let column = x as usize % columns;
        let grain = noise.fractal(u, v, (64, 64), 3) - 0.5;
        if !(0.04..0.96).contains(&fx) || !(0.10..0.90).contains(&fy) {
            return scaled(mortar, 1.0 + 0.25 * grain);
        }
        let edge = if fy < 0.2 {
            0.12
        } else if fy > 0.82 {
            -0.16
        } else {
            0.0
        };
        scaled(colour, tones[row * columns + column] * (1.0 + 0.45 * grain + edge))
    })
}

/// Wooden boards along u, with grain and gaps.
pub(crate) fn boards(random: &mut Random, colour: Colour, rows: usize) -> Texture {
    let noise = Noise::new(random);
    let tones: Vec<(f32, f32, f32)> =
        (0..rows * 2).map(|_| (random.range(0.82, 1.14), random.unit(), random.unit())).collect();
    painted(2.0, |u, v| {
        let row = (v * rows as f32) as usize % rows;
        let fy = (v * rows as f32).fract();
        let joint = (u + tones[row].1).fract();
        let (tone, shift, _) = tones[row + if joint < 0.5 { 0 } else { rows }];
        if fy < 0.025 || (joint * 2.0).fract() < 0.003 {
            return scaled(colour, 0.45);
        }
        let grain = noise.fractal((u + shift).fract(), (v * 0.999 + shift).fract(), (4, 96), 3);
        let rings = ((grain * 22.0).sin() * 0.5 + 0.5) * 0.16;
        scaled(colour, tone * (0.88 + rings + 0.22 * (grain - 0.5)))
    })
}

/// Square tiles, `count` of them over two metres, with grout.
pub(crate) fn tiles(
    random: &mut Random,
    colour: Colour,
    second: Colour,
    grout: Colour,
    count: usize,
) -> Texture {
    let noise = Noise::new(random);
    let tones: Vec<f32> = (0..count * count).map(|_| random.range(0.93, 1.05)).collect();
    painted(2.0, |u, v| {
        let (x, y) = ((u * count as f32) as usize % count, (v * count as f32) as usize % count);
        let (fx, fy) = ((u * count as f32).fract(), (v * count as f32).fract());
        let edge = fx.min(fy).min(1.0 - fx).min(1.0 - fy);
        let width = 0.0022 * count as f32;
        let cloud = noise.fractal(u, v, (12, 12), 4) - 0.5;
        if edge < width {
            return scaled(grout, 1.0 + 0.3 * cloud);
        }
        let bevel = if edge < width * 2.2 { 0.9 } else { 1.0 };
        let base = if (x + y) % 2 == 0 { colour } else { second };
        scaled(base, tones[y * count + x] * bevel * (1.0 + 0.16 * cloud))
    })
}

/// Wallpaper: stripes, or a motif on a lattice.
pub(crate) fn wallpaper(random: &mut Random, ground: Colour, figure: Colour) -> Texture {
    let noise = Noise::new(random);
    let kind = random.below(3);
    let count = [10.0, 8.0, 6.0][kind];
    painted(2.0, |u, v| {
        let grain = 0.07 * (noise.fractal(u, v, (160, 160), 2) - 0.5);
        let (x, y) = (u * count, v * count);
        let share = match kind {
            0 => {
                let at = x.fract();
                if at < 0.5 { if (0.22..0.28).contains(&at) { 0.9 } else { 0.55 } } else { 0.0 }
            }
            1 => {
                let shifted = x + if y as i32 % 2 == 0 { 0.0 } else { 0.5 };
                flower(shifted.fract() - 0.5, y.fract() - 0.5)
            }
            _ => {
                let (fx, fy) = ((x + y).fract() - 0.5, (x - y).rem_euclid(1.0) - 0.5);
                let line = if fx.abs() < 0.035 || fy.abs() < 0.035 { 0.6 } else { 0.0 };
                if fx.hypot(fy) < 0.13 { 0.95 } else { line }
            }
        };
        scaled(mixed(ground, figure, share), 1.0 + grain)
    })
}

fn flower(x: f32, y: f32) -> f32 {
    let (r, a) = (x.hypot(y), y.atan2(x));
    let petals = 0.24 + 0.12 * (a * 5.0).cos();
    if r < 0.07 {
        0.35
    } else if r < petals {
        0.9
    } else {
        0.0
    }
}

/// Carpet or cloth: fine weave with a soft pattern.
pub(crate) fn cloth(random: &mut Random, colour: Colour) -> Texture {
    let noise = Noise::new(random);
    painted_in(SMALL_BITS, 1.0, |u, v| {
        let weave = ((u * 804.25).sin() * (v * 804.25).sin()) * 0.05;
        let fine = noise.fractal(u, v, (120, 120), 2) - 0.5;
        let broad = noise.fractal(u, v, (6, 6), 3) - 0.5;
        scaled(colour, 1.0 + weave + 0.30 * fine + 0.14 * broad)
    })
}

/// Marble or concrete, depending on the strength of its veins.
pub(crate) fn stone(random: &mut Random, colour: Colour, vein: f32) -> Texture {
    let noise = Noise::new(random);
    painted_in(SMALL_BITS, 1.0, |u, v| {
        let a = noise.fractal(u, v, (5, 5), 6);
        let line = 1.0 - ((a * 14.0).sin().abs() * 3.0).min(1.0);
        let fine = noise.fractal(u, v, (90, 90), 2) - 0.5;
        scaled(colour, 1.0 + 0.18 * (a - 0.5) - vein * line + 0.10 * fine)
    })
}

/// Wood of furniture: grain without boards.
pub(crate) fn wood(random: &mut Random, colour: Colour) -> Texture {
    let noise = Noise::new(random);
    painted_in(SMALL_BITS, 1.0, |u, v| {
        let grain = noise.fractal(u, v, (3, 48), 4);
        scaled(colour, 0.84 + 0.20 * ((grain * 30.0).sin() * 0.5 + 0.5) + 0.25 * (grain - 0.5))
    })
}
