//! Textures that show something: paintings, book spines, rugs, views from windows.

use crate::{
    house::patterns::Noise,
    math::smooth,
    random::Random,
    scene::texture::{Colour, Texture, mixed, scaled},
};

fn colour(random: &mut Random) -> Colour {
    let hue = random.range(0.0, 6.0);
    let (strong, weak) = (random.range(140.0, 205.0), random.range(62.0, 112.0));
    let wave = |shift: f32| {
        let at = (hue + shift).rem_euclid(6.0);
        let share = if at < 1.0 {
            at
        } else if at < 3.0 {
            1.0
        } else if at < 4.0 {
            4.0 - at
        } else {
            0.0
        };
        (weak + (strong - weak) * share) as u8
    };
    [wave(2.0), wave(0.0), wave(4.0)]
}

/// A painting `width` × `height` metres with a frame: a landscape, or discs and bars.
pub(crate) fn painting(random: &mut Random, width: f32, height: f32) -> Texture {
    let noise = Noise::new(random);
    let frame = *random.pick(&[[40, 30, 24], [196, 164, 96], [235, 232, 225], [25, 25, 28]]);
    let sky = [colour(random), colour(random)];
    let layers: Vec<(f32, Colour)> =
        (0..4).map(|i| (0.45 + 0.14 * i as f32 + random.range(-0.03, 0.03), colour(random))).collect();
    let shapes: Vec<(f32, f32, f32, bool, Colour)> = (0..9)
        .map(|_| (random.unit(), random.unit(), random.range(0.06, 0.22), random.chance(0.5), colour(random)))
        .collect();
    let landscape = random.chance(0.5);
    Texture::paint(8, 8, (width, height), |x, y| {
        let (u, v) = (x as f32 / 255.0, y as f32 / 255.0);
        let edge = (u.min(1.0 - u) * width).min(v.min(1.0 - v) * height);
        if edge < 0.03 {
            return scaled(frame, 0.8 + 10.0 * edge);
        }
        if edge < 0.06 {
            return [238, 236, 228];
        }
        if landscape {
            let base = mixed(sky[0], [235, 235, 240], 1.0 - v);
            let hill =
                layers.iter().rev().find(|(at, _)| v > at + 0.16 * (noise.fractal(u, *at, (4, 4), 4) - 0.5));
            let tone = 0.9 + 0.3 * noise.fractal(u, v, (24, 24), 2);
            return scaled(hill.map_or(base, |(_, c)| *c), tone);
        }
        let hit = shapes.iter().find(|(cx, cy, r, disc, _)| {
            if *disc {
                (u - cx).hypot(v - cy) < *r
            } else {
                (u - cx).abs() < r * 1.4 && (v - cy).abs() < r * 0.4
            }
        });
        hit.map_or(mixed(sky[0], sky[1], v), |(.., c)| *c)
    })
}

/// Rows of book spines, `rows` shelves high.
pub(crate) fn books(random: &mut Random, width: f32, height: f32, rows: usize, wood: Colour) -> Texture {
    let (w, h) = (512, 512);
    let mut spines = vec![Vec::new(); rows];
    for row in &mut spines {
        let mut x = 0.0;
        while x < 1.0 {
            let thick = random.range(0.02, 0.05) / width;
            let gap = random.chance(0.08);
            row.push((x, x + thick, random.range(0.62, 0.92), colour(random), gap, random.range(0.2, 0.8)));
            x += thick;
        }
    }
    Texture::paint(9, 9, (width, height), |x, y| {
        let (u, v) = (x as f32 / w as f32, y as f32 / h as f32);
        let row = ((v * rows as f32) as usize).min(rows - 1);
        let up = 1.0 - (v * rows as f32).fract();
        if up < 0.08 {
            return wood;
        }
        let spine = spines[row].iter().find(|(x0, x1, ..)| (*x0..*x1).contains(&u));
        let Some((x0, x1, tall, colour, gap, band)) = spine else { return scaled(wood, 0.35) };
        if *gap || up > 0.08 + tall * 0.9 {
            return scaled(wood, 0.35);
        }
        let across = (u - x0) / (x1 - x0);
        let round = 0.7 + 0.4 * (across * std::f32::consts::PI).sin();
        let gold = (up - band).abs() < 0.03;
        scaled(if gold { [225, 205, 140] } else { *colour }, round)
    })
}

/// A rug with borders and a lattice of lozenges.
pub(crate) fn rug(random: &mut Random, width: f32, depth: f32) -> Texture {
    let noise = Noise::new(random);
    let colours: [Colour; 4] = std::array::from_fn(|_| scaled(colour(random), 0.8));
    let count = random.range(4.0, 8.0).floor();
    Texture::paint(9, 9, (width, depth), |x, y| {
        let (u, v) = (x as f32 / 511.0, y as f32 / 511.0);
        let edge = (u.min(1.0 - u) * width).min(v.min(1.0 - v) * depth);
        let lozenge = ((u * count).fract() - 0.5).abs() + ((v * count * depth / width).fract() - 0.5).abs();
        let base = if edge < 0.05 {
            colours[0]
        } else if edge < 0.11 {
            if ((u + v) * 30.0).fract() < 0.5 { colours[1] } else { colours[2] }
        } else if lozenge < 0.2 {
            colours[1]
        } else if lozenge < 0.32 {
            colours[3]
        } else {
            colours[2]
        };
        scaled(base, 0.8 + 0.4 * noise.fractal(u, v, (150, 150), 2))
    })
}

/// A bright garden behind a window with its frame and bars.
pub(crate) fn window(random: &mut Random, width: f32, height: f32) -> Texture {
    let noise = Noise::new(random);
    let horizon = random.range(0.55, 0.7);
    let green: Colour = *random.pick(&[[96, 140, 70], [120, 150, 80], [88, 126, 92]]);
    Texture::paint(9, 9, (width, height), |x, y| {
        let (u, v) = (x as f32 / 511.0, y as f32 / 511.0);
        let edge = (u.min(1.0 - u) * width).min(v.min(1.0 - v) * height);
        let bar = ((u - 0.5).abs() * width).min((v - 0.32).abs() * height);
        if edge < 0.055 || bar < 0.022 {
            return [236, 236, 232];
        }
        let tree = horizon - 0.30 * smooth(noise.fractal(u, 0.3, (7, 7), 4) * 1.6 - 0.5);
        if v > horizon {
            scaled(green, 1.15 + 0.4 * (noise.fractal(u, v, (40, 40), 3) - 0.5))
        } else if v > tree {
            scaled(green, 0.55 + 0.7 * noise.fractal(u, v, (48, 48), 3))
        } else {
            let cloud = smooth(noise.fractal(u, v * 2.0, (5, 5), 5) * 2.4 - 0.8);
            mixed([176, 208, 240], [250, 250, 252], cloud)
        }
    })
}

/// Cabinet doors with knobs: `columns` × `rows` panels.
pub(crate) fn cabinet(colour: Colour, width: f32, height: f32, columns: usize, rows: usize) -> Texture {
    Texture::paint(9, 8, (width, height), |x, y| {
        let (u, v) = (x as f32 / 512.0, y as f32 / 256.0);
        let (fx, fy) = ((u * columns as f32).fract(), (v * rows as f32).fract());
        let (cell_w, cell_h) = (width / columns as f32, height / rows as f32);
        let edge = (fx.min(1.0 - fx) * cell_w).min(fy.min(1.0 - fy) * cell_h);
        let left = ((u * columns as f32) as usize).is_multiple_of(2);
        let knob = ((fx - if left { 0.88 } else { 0.12 }) * cell_w).hypot((fy - 0.25) * cell_h);
        if knob < 0.016 {
            [70, 66, 60]
        } else if edge < 0.006 {
            scaled(colour, 0.42)
        } else if (0.045..0.055).contains(&edge) {
            scaled(colour, 0.78)
        } else if edge > 0.055 {
            scaled(colour, 0.94)
        } else {
            colour
        }
    })
}

/// The face of a clock.
pub(crate) fn clock(random: &mut Random) -> Texture {
    let hands = [0, 1].map(|_| random.range(0.0, std::f32::consts::TAU));
    Texture::paint(8, 8, (0.32, 0.32), |x, y| {
        let (u, v) = (x as f32 / 127.5 - 1.0, 1.0 - y as f32 / 127.5);
        let (r, a) = (u.hypot(v), u.atan2(v));
        let hand = |angle: f32, long: f32, thick: f32| {
            let (along, across) = (u * angle.sin() + v * angle.cos(), u * angle.cos() - v * angle.sin());
            (-0.1..long).contains(&along) && across.abs() < thick
        };
        let tick = (a / std::f32::consts::TAU * 12.0).rem_euclid(1.0);
        if r > 0.9 {
            [30, 30, 34]
        } else if hand(hands[0], 0.5, 0.04) || hand(hands[1], 0.72, 0.025) {
            [20, 20, 24]
        } else if (0.74..0.86).contains(&r) && !(0.06..0.94).contains(&tick) {
            [40, 40, 44]
        } else {
            [244, 243, 238]
        }
    })
}

/// A whiteboard with a drawing of boxes and a curve, without text.
pub(crate) fn whiteboard_drawing(random: &mut Random, width: f32, height: f32) -> Texture {
    let inks: [Colour; 3] = [[40, 70, 160], [180, 50, 50], [40, 120, 70]];
    let boxes: Vec<(f32, f32, f32, f32, Colour)> = (0..4)
        .map(|i| {
            let x = 0.08 + 0.23 * i as f32;
            (x, random.range(0.12, 0.3), x + 0.15, random.range(0.36, 0.48), *random.pick(&inks))
        })
        .collect();
    let (phase, ink) = (random.range(0.0, 6.0), *random.pick(&inks));
    Texture::paint(9, 9, (width, height), |x, y| {
        let (u, v) = (x as f32 / 511.0, y as f32 / 511.0);
        for &(x0, y0, x1, y1, colour) in &boxes {
            let inside = (x0..x1).contains(&u) && (y0..y1).contains(&v);
            let core = (x0 + 0.008..x1 - 0.008).contains(&u) && (y0 + 0.012..y1 - 0.012).contains(&v);
            if inside && !core {
                return colour;
            }
        }
        let curve = 0.72 + 0.12 * (u * 9.0 + phase).sin();
        if (0.1..0.9).contains(&u) && (v - curve).abs() < 0.008 {
            return ink;
        }
        let axis = (0.1..0.9).contains(&u) && (v - 0.9).abs() < 0.006
            || (u - 0.1).abs() < 0.004 && (0.55..0.9).contains(&v);
        if axis { [40, 40, 46] } else { [240, 241, 240] }
    })
}
