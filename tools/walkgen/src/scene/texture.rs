//! Repeating textures, whose sides are powers of two, with mipmaps.

/// A colour: red, green and blue, 0 to 255.
pub(crate) type Colour = [u8; 3];

/// A mipmap level.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    /// Binary logarithm of the width.
    pub(crate) width_bits: u32,
    /// Binary logarithm of the height.
    pub(crate) height_bits: u32,
    /// `0x00RRGGBB`, row by row.
    pub(crate) texels: Vec<u32>,
}

/// A repeating texture.
#[derive(Debug, Clone)]
pub(crate) struct Texture {
    /// Mipmap levels, the largest first.
    pub(crate) levels: Vec<Level>,
    /// Texels of the largest level per metre, along and across.
    pub(crate) per_metre: (f32, f32),
}

/// Converts to `0x00RRGGBB`.
pub(crate) fn pack(c: Colour) -> u32 {
    u32::from(c[0]) << 16 | u32::from(c[1]) << 8 | u32::from(c[2])
}

/// Converts from `0x00RRGGBB`.
pub(crate) fn unpack(c: u32) -> Colour {
    [(c >> 16) as u8, (c >> 8) as u8, c as u8]
}

/// Makes a colour lighter (`by` above 1) or darker (below 1).
pub(crate) fn scaled(colour: Colour, by: f32) -> Colour {
    colour.map(|c| (f32::from(c) * by).clamp(0.0, 255.0) as u8)
}

/// Mixes `a` with `b`; `share` is the share of `b`.
pub(crate) fn mixed(a: Colour, b: Colour, share: f32) -> Colour {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|i| (f32::from(a[i]) * (1.0 - share) + f32::from(b[i]) * share) as u8)
}

impl Texture {
    /// Paints a texture of `2^width_bits` × `2^height_bits` texels that covers `metres`. `colour`
    /// gets the position in texels.
    pub(crate) fn paint(
        width_bits: u32,
        height_bits: u32,
        metres: (f32, f32),
        mut colour: impl FnMut(usize, usize) -> Colour,
    ) -> Self {
        let (width, height) = (1_usize << width_bits, 1_usize << height_bits);
        let texels = (0..width * height).map(|i| pack(colour(i % width, i / width))).collect();
        Self::from_level(Level { width_bits, height_bits, texels }, metres)
    }

    /// Returns a texture of a single colour.
    pub(crate) fn plain(colour: Colour) -> Self {
        Self::paint(0, 0, (1.0, 1.0), |_, _| colour)
    }

    /// Computes the mipmap levels below `first`.
    pub(crate) fn from_level(first: Level, metres: (f32, f32)) -> Self {
        let per_metre =
            ((1_u32 << first.width_bits) as f32 / metres.0, (1_u32 << first.height_bits) as f32 / metres.1);
        let mut levels = vec![first];
        while let Some(smaller) = levels.last().and_then(Level::halved) {
            levels.push(smaller);
        }
        Self { levels, per_metre }
    }
}

impl Level {
    /// Halves both sides by averaging. Returns `None` for a single texel.
    fn halved(&self) -> Option<Self> {
        if self.width_bits == 0 && self.height_bits == 0 {
            return None;
        }
        let (width_bits, height_bits) =
            (self.width_bits.saturating_sub(1), self.height_bits.saturating_sub(1));
        let (step_x, step_y) = (1 << (self.width_bits - width_bits), 1 << (self.height_bits - height_bits));
        let mut texels = Vec::with_capacity(1 << (width_bits + height_bits));
        for y in 0..1_usize << height_bits {
            for x in 0..1_usize << width_bits {
                let (mut sum, mut count) = ([0_u32; 3], 0);
                for dy in 0..step_y {
                    for dx in 0..step_x {
                        let at = ((y * step_y + dy) << self.width_bits) + x * step_x + dx;
                        let c = unpack(self.texels[at]);
                        (0..3).for_each(|i| sum[i] += u32::from(c[i]));
                        count += 1;
                    }
                }
                texels.push(pack(sum.map(|s| ((s + count / 2) / count) as u8)));
            }
        }
        Some(Self { width_bits, height_bits, texels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mipmaps_average_down_to_one_texel() {
        let texture = Texture::paint(3, 1, (2.0, 1.0), |x, _| if x < 4 { [0; 3] } else { [200; 3] });
        assert_eq!(texture.levels.len(), 4);
        assert_eq!(texture.levels[3].texels, vec![pack([100; 3])]);
        assert_eq!(texture.per_metre, (4.0, 2.0));
    }
}
