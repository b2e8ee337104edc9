//! Vectors, rectangles on the floor, and boxes. x is east, y is north, z is up; lengths are in
//! metres.

use std::ops::{Add, Mul, Neg, Sub};

/// A position or a direction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Vec3 {
    /// East.
    pub(crate) x: f32,
    /// North.
    pub(crate) y: f32,
    /// Up.
    pub(crate) z: f32,
}

/// Returns a [`Vec3`].
pub(crate) const fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

impl Vec3 {
    /// Straight up.
    pub(crate) const UP: Self = vec3(0.0, 0.0, 1.0);

    /// Returns the dot product.
    pub(crate) fn dot(self, o: Self) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Returns the cross product.
    pub(crate) fn cross(self, o: Self) -> Self {
        vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Returns the length.
    pub(crate) fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// Returns the vector of length 1 in the same direction.
    pub(crate) fn unit(self) -> Self {
        self * (1.0 / self.length().max(1e-9))
    }

    /// Interpolates: returns the point at `share` of the way to `o`.
    pub(crate) fn towards(self, o: Self, share: f32) -> Self {
        self + (o - self) * share
    }
}

impl Add for Vec3 {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        vec3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        vec3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, k: f32) -> Self {
        vec3(self.x * k, self.y * k, self.z * k)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

/// A rectangle on the floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    /// West.
    pub x0: f32,
    /// South.
    pub y0: f32,
    /// East.
    pub x1: f32,
    /// North.
    pub y1: f32,
}

impl Rect {
    /// Returns the length from west to east.
    pub(crate) fn width(&self) -> f32 {
        self.x1 - self.x0
    }

    /// Returns the length from south to north.
    pub(crate) fn depth(&self) -> f32 {
        self.y1 - self.y0
    }

    /// Returns the centre.
    pub(crate) fn centre(&self) -> Vec3 {
        vec3((self.x0 + self.x1) / 2.0, (self.y0 + self.y1) / 2.0, 0.0)
    }

    /// Returns whether the point is inside.
    pub(crate) fn contains(&self, p: Vec3) -> bool {
        p.x >= self.x0 && p.x < self.x1 && p.y >= self.y0 && p.y < self.y1
    }

    /// Returns the rectangle with each side moved outwards by `by` metres (inwards if negative).
    pub(crate) fn grown(&self, by: f32) -> Self {
        Self { x0: self.x0 - by, y0: self.y0 - by, x1: self.x1 + by, y1: self.y1 + by }
    }

    /// Returns whether the rectangles overlap.
    pub(crate) fn overlaps(&self, o: &Self) -> bool {
        self.x0 < o.x1 && o.x0 < self.x1 && self.y0 < o.y1 && o.y0 < self.y1
    }

    /// Returns whether `o` lies inside.
    pub(crate) fn encloses(&self, o: &Self) -> bool {
        o.x0 >= self.x0 && o.x1 <= self.x1 && o.y0 >= self.y0 && o.y1 <= self.y1
    }

    /// Returns the distance of a point from the rectangle; 0 inside.
    pub(crate) fn distance(&self, p: Vec3) -> f32 {
        let dx = (self.x0 - p.x).max(p.x - self.x1).max(0.0);
        let dy = (self.y0 - p.y).max(p.y - self.y1).max(0.0);
        dx.hypot(dy)
    }
}

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Block {
    /// The corner with the smallest coordinates.
    pub(crate) low: Vec3,
    /// The corner with the largest coordinates.
    pub(crate) high: Vec3,
}

impl Block {
    /// Returns whether the line from `from` to `to` passes through the box (slab method).
    pub(crate) fn stops(&self, from: Vec3, to: Vec3) -> bool {
        let way = to - from;
        let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
        let axes = [
            (from.x, way.x, self.low.x, self.high.x),
            (from.y, way.y, self.low.y, self.high.y),
            (from.z, way.z, self.low.z, self.high.z),
        ];
        for (start, step, low, high) in axes {
            if step.abs() < 1e-7 {
                if start < low || start > high {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - start) / step, (high - start) / step);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
            if enter >= leave {
                return false;
            }
        }
        true
    }
}

/// Smooth step from 0 to 1.
pub(crate) fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_stops_lines_that_pass_through_it() {
        let block = Block { low: vec3(1.0, -1.0, -1.0), high: vec3(2.0, 1.0, 1.0) };
        assert!(block.stops(vec3(0.0, 0.0, 0.0), vec3(3.0, 0.0, 0.0)));
        assert!(!block.stops(vec3(0.0, 0.0, 0.0), vec3(0.9, 0.0, 0.0)));
        assert!(!block.stops(vec3(0.0, 0.0, 2.0), vec3(3.0, 0.0, 2.0)));
    }
}
