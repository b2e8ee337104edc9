//! Mutations of inputs: those that find errors in parsers of lengths, offsets and nested structures.

use crate::random::Random;

/// Values at which lengths and offsets overflow or become negative.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    8,
    16,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_fff8,
    u64::MAX,
];
/// Longest part that is copied or removed.
const MAX_PART: usize = 64;

/// Changes an input once. `other` is another seed, whose parts may be inserted.
pub(crate) fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(input.len());
    match random.below(9) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = random.byte();
            }
        }
        2 => write_edge(input, at, random),
        3 => {
            let end = (at + 1 + random.below(MAX_PART)).min(input.len());
            input.drain(at.min(end)..end);
        }
        4 => {
            let part = part_of(input, random).to_vec();
            insert(input, at, &part);
        }
        5 => {
            let part = part_of(other, random).to_vec();
            insert(input, at, &part);
        }
        6 => insert(input, at, &[random.byte()]),
        7 => input.truncate(at),
        _ => {
            let cut = random.below(other.len());
            input.truncate(at);
            input.extend_from_slice(&other[cut..]);
        }
    }
}

/// Overwrites 1, 2, 4 or 8 bytes with a value at the edge of its range, in one of the byte orders.
fn write_edge(input: &mut [u8], at: usize, random: &mut Random) {
    let value = EDGES[random.below(EDGES.len())];
    let width = 1 << random.below(4);
    let bytes = if random.below(2) == 0 {
        value.to_be_bytes()[8 - width..].to_vec()
    } else {
        value.to_le_bytes()[..width].to_vec()
    };
    for (to, from) in input.iter_mut().skip(at).zip(bytes) {
        *to = from;
    }
}

fn part_of<'a>(bytes: &'a [u8], random: &mut Random) -> &'a [u8] {
    let start = random.below(bytes.len());
    let end = (start + 1 + random.below(MAX_PART)).min(bytes.len());
    &bytes[start.min(end)..end]
}

fn insert(input: &mut Vec<u8>, at: usize, part: &[u8]) {
    let rest = input.split_off(at.min(input.len()));
    input.extend_from_slice(part);
    input.extend_from_slice(&rest);
}
