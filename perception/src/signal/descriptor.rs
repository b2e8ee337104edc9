//! Global image descriptor for comparing pictures.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Features of a network averaged over a picture, as in visual place recognition, scaled so that
/// the largest magnitude is 127.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor(Vec<i8>);

impl Descriptor {
    /// Quantises averaged features. Returns `None` if all are zero or any is not finite.
    pub fn of(features: &[f32]) -> Option<Descriptor> {
        let max = features.iter().map(|v| v.abs()).fold(0.0, f32::max);
        let finite = features.iter().all(|v| v.is_finite());
        (finite && max > 0.0)
            .then(|| Descriptor(features.iter().map(|v| (v / max * 127.0).round() as i8).collect()))
    }

    /// Returns 1 − the cosine similarity of two descriptors, 0 (same direction) to 2. Returns
    /// `None` for descriptors of different networks.
    pub fn difference(&self, other: &Descriptor) -> Option<f64> {
        let product = |a: &Descriptor, b: &Descriptor| {
            a.0.iter().zip(&b.0).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum::<i64>() as f64
        };
        let lengths = (product(self, self) * product(other, other)).sqrt();
        (self.0.len() == other.0.len() && lengths > 0.0).then(|| 1.0 - product(self, other) / lengths)
    }

    /// Returns the mean direction of several descriptors, equally weighted.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Descriptor>) -> Option<Descriptor> {
        let mut sum: Vec<f32> = Vec::new();
        for one in all {
            let length = one.0.iter().map(|v| f32::from(*v).powi(2)).sum::<f32>().sqrt();
            sum.resize(one.0.len(), 0.0);
            sum.iter_mut().zip(&one.0).for_each(|(sum, v)| *sum += f32::from(*v) / length);
        }
        Descriptor::of(&sum)
    }
}

impl Serialize for Descriptor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0.iter().map(|v| v.cast_unsigned()).collect::<Vec<u8>>()))
    }
}

impl<'de> Deserialize<'de> for Descriptor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = hex::decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)?;
        Ok(Descriptor(bytes.into_iter().map(u8::cast_signed).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_directions_and_ignores_lengths() {
        let [a, b, c] = [[1.0, 0.0], [5.0, 0.0], [0.0, 2.0]].map(|v| Descriptor::of(&v).unwrap());
        assert_eq!((a.difference(&b), a.difference(&c)), (Some(0.0), Some(1.0)));
        let between = Descriptor::mean([&a, &c]).unwrap();
        assert!((between.difference(&a).unwrap() - between.difference(&c).unwrap()).abs() < 1e-9);
        assert_eq!(a.difference(&Descriptor::of(&[1.0, 0.0, 0.0]).unwrap()), None, "another network");
        assert_eq!(Descriptor::of(&[0.0, 0.0]), None);
        assert_eq!(Descriptor::of(&[f32::NAN, 1.0]), None);
        assert_eq!(Descriptor::mean([]), None);
    }

    #[test]
    fn survives_storage() {
        let one = Descriptor::of(&[0.5, -0.25, 0.125]).unwrap();
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!((text.as_str(), serde_json::from_str::<Descriptor>(&text).unwrap()), ("\"7fc020\"", one));
    }
}
