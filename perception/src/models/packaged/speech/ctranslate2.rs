//! Reads weights in the binary format of CTranslate2.
//!
//! A file of format 6 is little-endian and holds: `u32` format; name of the specification and its
//! `u32` revision; `u32` number of variables; for each variable its name, `u8` rank, `u32`
//! dimensions, `u8` type, `u32` number of bytes, and the values, row by row. A name consists of its
//! `u16` length, including a closing zero, and its bytes.

use std::collections::BTreeMap;

use rten_simd::f16;

use super::MODEL;
use crate::models::ModelError;

/// Supported version of the format.
const FORMAT_VERSION: u32 = 6;
/// Supported specification and its revision.
const SPECIFICATION: (&str, u32) = ("WhisperSpec", 3);
/// Type number of 16-bit floats.
const TYPE_FLOAT16: u8 = 4;

/// Weights of a network, by name.
pub(in crate::models::packaged) struct Variables(BTreeMap<String, (Vec<usize>, Vec<f32>)>);

impl Variables {
    /// Reads all variables of 16-bit floats. The others only describe the network.
    pub(in crate::models::packaged) fn parse(bytes: &[u8]) -> Result<Variables, ModelError> {
        let mut reader = Reader { rest: bytes };
        let format = reader.u32()?;
        let specification = (reader.name()?, reader.u32()?);
        if format != FORMAT_VERSION || (specification.0.as_str(), specification.1) != SPECIFICATION {
            let reason = format!("format {format}, specification {specification:?}");
            return Err(ModelError::malformed(MODEL, reason));
        }
        let mut variables = BTreeMap::new();
        for _ in 0..reader.u32()? {
            let name = reader.name()?;
            let rank = reader.u8()?;
            let shape = (0..rank).map(|_| reader.u32().map(|d| d as usize)).collect::<Result<Vec<_>, _>>()?;
            let kind = reader.u8()?;
            let length = reader.u32()? as usize;
            let values = reader.take(length)?;
            if kind == TYPE_FLOAT16 {
                let (pairs, _) = values.as_chunks::<2>();
                let floats =
                    pairs.iter().map(|&pair| f16::from_bits(u16::from_le_bytes(pair)).to_f32()).collect();
                variables.insert(name, (shape, floats));
            }
        }
        Ok(Variables(variables))
    }

    /// Removes and returns a variable, which must have this shape.
    pub(super) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let (found, values) =
            self.0.remove(name).ok_or_else(|| ModelError::malformed(MODEL, format!("there is no {name}")))?;
        if found != shape || values.len() != shape.iter().product::<usize>() {
            return Err(ModelError::malformed(MODEL, format!("{name} has shape {found:?}, not {shape:?}")));
        }
        Ok(values)
    }
}

/// The unread rest of a file.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ModelError> {
        let (head, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| ModelError::malformed(MODEL, "it ends early"))?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, ModelError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, ModelError> {
        self.array().map(u32::from_le_bytes)
    }

    fn name(&mut self) -> Result<String, ModelError> {
        let length = u16::from_le_bytes(self.array()?) as usize;
        let bytes = self.take(length)?;
        let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
        String::from_utf8(bytes.to_vec()).map_err(|error| ModelError::malformed(MODEL, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Vec<u8> {
        let mut bytes = (text.len() as u16 + 1).to_le_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
        bytes
    }

    fn file() -> Vec<u8> {
        let u32s = |v: u32| v.to_le_bytes().to_vec();
        [
            u32s(6),
            name("WhisperSpec"),
            u32s(3),
            u32s(2),
            [name("heads"), vec![0, 2], u32s(2), vec![6, 0]].concat(),
            // 1.0, −2.0 and the smallest positive 16-bit float.
            [name("w"), vec![2], u32s(1), u32s(3), vec![4], u32s(6), vec![0x00, 0x3c, 0x00, 0xc0, 1, 0]]
                .concat(),
        ]
        .concat()
    }

    #[test]
    fn reads_variables() {
        let mut variables = Variables::parse(&file()).expect("a valid file");
        assert_eq!(variables.take("w", &[1, 3]).expect("w"), [1.0, -2.0, 2.0_f32.powi(-24)]);
        assert!(variables.take("w", &[1, 3]).is_err(), "it was taken");
    }

    #[test]
    fn refuses_another_shape() {
        let mut variables = Variables::parse(&file()).expect("a valid file");
        assert!(variables.take("w", &[3, 1]).is_err());
    }

    #[test]
    fn refuses_a_truncated_file() {
        let bytes = file();
        for end in 0..bytes.len() {
            assert!(Variables::parse(&bytes[..end]).is_err(), "cut at {end}");
        }
    }
}
