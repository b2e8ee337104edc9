//! Corners of a picture with descriptors, and how they are stored.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A corner with its descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Column in pixels of the reduced picture.
    pub x: u16,
    /// Row in pixels of the reduced picture.
    pub y: u16,
    /// BRIEF descriptor: for each of 256 pairs of points, whether the first is darker than the
    /// second.
    pub bits: [u64; 4],
}

/// Corners of one picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features {
    /// Width of the reduced picture in pixels.
    pub width: u16,
    /// Height of the reduced picture in pixels.
    pub height: u16,
    /// The corners.
    pub list: Vec<Feature>,
}

impl Feature {
    /// Returns the Hamming distance of two descriptors.
    pub fn distance(&self, other: &Feature) -> u32 {
        self.bits.iter().zip(&other.bits).map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

impl Serialize for Features {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(4 + self.list.len() * 36);
        bytes.extend(self.width.to_be_bytes());
        bytes.extend(self.height.to_be_bytes());
        for feature in &self.list {
            bytes.extend(feature.x.to_be_bytes());
            bytes.extend(feature.y.to_be_bytes());
            bytes.extend(feature.bits.iter().flat_map(|b| b.to_be_bytes()));
        }
        serializer.serialize_str(&hex::encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = hex::decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)?;
        let invalid = || serde::de::Error::custom("not a list of features");
        let (head, body) = bytes.split_at_checked(4).ok_or_else(invalid)?;
        if body.len() % 36 != 0 {
            return Err(invalid());
        }
        let short = |b: &[u8]| u16::from_be_bytes([b[0], b[1]]);
        let list = body.chunks_exact(36).map(|c| Feature {
            x: short(c),
            y: short(&c[2..]),
            bits: std::array::from_fn(|i| {
                c[4 + 8 * i..12 + 8 * i].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
            }),
        });
        Ok(Features { width: short(head), height: short(&head[2..]), list: list.collect() })
    }
}
