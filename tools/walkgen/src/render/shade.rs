//! Colours the pixels of a polygon: texture times baked light, exact at the ends of short spans and
//! interpolated between them.

use crate::{
    scene::texture::{Level, Texture},
    scene::{Scene, Surface},
};

/// A linear function over the picture.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    /// Value at the upper left corner.
    pub(crate) base: f32,
    /// Increase per pixel to the right.
    pub(crate) x: f32,
    /// Increase per pixel downwards.
    pub(crate) y: f32,
}

impl Plane {
    /// Returns its value at a point of the picture.
    pub(crate) fn at(&self, x: f32, y: f32) -> f32 {
        self.base + self.x * x + self.y * y
    }
}

/// A polygon being filled.
pub(crate) struct Fill<'a> {
    /// `1/z`.
    pub(crate) w: Plane,
    /// First texture coordinate, divided by z.
    pub(crate) u: Plane,
    /// Second texture coordinate, divided by z.
    pub(crate) v: Plane,
    /// Surface of the polygon.
    pub(crate) surface: &'a Surface,
    /// Scene with the surface's texture.
    pub(crate) scene: &'a Scene,
}

/// Exact values at one pixel.
pub(crate) struct Exact {
    u: f32,
    v: f32,
    z: f32,
    /// Red, green and blue as 16.16 fixed point.
    light: [i32; 3],
}

impl Fill<'_> {
    /// Returns the values at a point of the picture.
    pub(crate) fn exact(&self, x: f32, y: f32) -> Exact {
        let z = 1.0 / self.w.at(x, y).max(1e-6);
        let (u, v) = (self.u.at(x, y) * z, self.v.at(x, y) * z);
        Exact { u, v, z, light: self.light(u, v).map(|c| (c * 65536.0) as i32) }
    }

    /// Chooses the mipmap level by the number of texels that a pixel covers.
    fn level(&self, at: &Exact, texture: &Texture) -> usize {
        let (pu, pv) = texture.per_metre;
        let rate = |w: f32, u: f32, v: f32| {
            let (du, dv) = ((u - at.u * w) * at.z * pu, (v - at.v * w) * at.z * pv);
            du * du + dv * dv
        };
        let (a, b) = (rate(self.w.x, self.u.x, self.v.x), rate(self.w.y, self.u.y, self.v.y));
        // The exponent of the number is its binary logarithm, rounded down; the level is half of
        // it.
        let covered = (0.65 * a.max(b) + 0.35 * a.min(b)) * 1.23;
        let exponent = (covered.to_bits() >> 23) as i32 - 127;
        (exponent.max(0) as usize / 2).min(texture.levels.len() - 1)
    }

    /// Colours the pixels of a span that are nearer than those in the buffer.
    pub(crate) fn span(
        &self,
        near: f32,
        first: &Exact,
        last: &Exact,
        depths: &mut [f32],
        colours: &mut [u32],
    ) {
        let texture = &self.scene.textures[self.surface.texture];
        let chosen = self.level(first, texture);
        let reader = Reader::new(&texture.levels[chosen]);
        let shrunk = |bits: u32| 65536.0 / (1_u32 << bits.min(chosen as u32)) as f32;
        let top = &texture.levels[0];
        let (ku, kv) =
            (texture.per_metre.0 * shrunk(top.width_bits), texture.per_metre.1 * shrunk(top.height_bits));
        let fixed = |t: f32, k: f32| (t * k - 32768.0) as i32;
        let steps = depths.len() as i32;
        let (mut tu, mut tv) = (fixed(first.u, ku), fixed(first.v, kv));
        let du = fixed(last.u, ku).wrapping_sub(tu) / steps;
        let dv = fixed(last.v, kv).wrapping_sub(tv) / steps;
        let mut light = first.light;
        let bend: [i32; 3] = std::array::from_fn(|i| (last.light[i] - light[i]) / steps);
        let mut near = near;
        for (depth, colour) in depths.iter_mut().zip(colours) {
            if near > *depth {
                *depth = near;
                let texel = reader.between(tu, tv);
                let lit = |shift: u32, light: i32| {
                    ((((texel >> shift) & 255) * (light >> 8) as u32) >> 8).min(255) << shift
                };
                *colour = lit(16, light[0]) | lit(8, light[1]) | lit(0, light[2]);
            }
            near += self.w.x;
            (tu, tv) = (tu.wrapping_add(du), tv.wrapping_add(dv));
            (0..3).for_each(|i| light[i] += bend[i]);
        }
    }

    /// Interpolates the baked light at a position of the surface.
    fn light(&self, u: f32, v: f32) -> [f32; 3] {
        if let Some(glow) = self.surface.glow {
            return [glow; 3];
        }
        let map = &self.surface.light;
        let (nu, nv) = map.size;
        let x = ((u - map.start.0) / map.step.0).clamp(0.0, (nu - 1) as f32 - 1e-3);
        let y = ((v - map.start.1) / map.step.1).clamp(0.0, (nv - 1) as f32 - 1e-3);
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f32, y - j as f32);
        let at = j * nu + i;
        let (a, b, c, d) = (map.points[at], map.points[at + 1], map.points[at + nu], map.points[at + nu + 1]);
        std::array::from_fn(|k| {
            let top = a[k] + (b[k] - a[k]) * fx;
            let bottom = c[k] + (d[k] - c[k]) * fx;
            top + (bottom - top) * fy
        })
    }
}

/// Reads a mipmap level many times.
struct Reader<'a> {
    texels: &'a [u32],
    width_bits: u32,
    wide: usize,
    high: usize,
}

impl<'a> Reader<'a> {
    fn new(level: &'a Level) -> Self {
        let (wide, high) = ((1 << level.width_bits) - 1, (1 << level.height_bits) - 1);
        Self { texels: &level.texels, width_bits: level.width_bits, wide, high }
    }

    /// Interpolates between four texels. The coordinates are 16.16 fixed point.
    #[inline(always)]
    fn between(&self, u: i32, v: i32) -> u32 {
        let (x, y) = ((u >> 16) as usize, (v >> 16) as usize);
        let (x0, x1) = (x & self.wide, x.wrapping_add(1) & self.wide);
        let (fx, fy) = ((u >> 8) as u32 & 255, (v >> 8) as u32 & 255);
        let top = (y & self.high) << self.width_bits;
        let bottom = (y.wrapping_add(1) & self.high) << self.width_bits;
        let upper = between(self.texels[top | x0], self.texels[top | x1], fx);
        let lower = between(self.texels[bottom | x0], self.texels[bottom | x1], fx);
        between(upper, lower, fy)
    }
}

/// Mixes `share`/256 of `b` with `a`. One multiplication covers two channels.
#[inline(always)]
fn between(a: u32, b: u32, share: u32) -> u32 {
    let rest = 256 - share;
    let red_blue = ((a & 0x00ff_00ff) * rest + (b & 0x00ff_00ff) * share) >> 8 & 0x00ff_00ff;
    let green = ((a & 0x0000_ff00) * rest + (b & 0x0000_ff00) * share) >> 8 & 0x0000_ff00;
    red_blue | green
}
