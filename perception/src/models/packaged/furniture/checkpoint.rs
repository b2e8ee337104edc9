//! Reads the tensors of a PyTorch checkpoint in the format before version 1.6: five pickles (magic
//! number, protocol, system, tensors, names of storages), followed by the bytes of the storages.
//!
//! The pickle machine knows only the instructions that such files use. It calls no code: a tensor is
//! a view of a storage, and every other object is refused.

use std::collections::{BTreeMap, HashMap};

use super::malformed;
use crate::models::ModelError;

/// A tensor of 32-bit floats, in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// Returns the tensors of floats of a checkpoint by name. Tensors of integers are left out.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, ModelError> {
    let mut reader = Reader { rest: bytes };
    for _ in 0..3 {
        reader.pickle()?;
    }
    let Value::Dictionary(entries) = reader.pickle()? else {
        return Err(malformed("the tensors are no dictionary"));
    };
    let Value::List(keys) = reader.pickle()? else { return Err(malformed("the storages are no list")) };
    let mut sizes = HashMap::new();
    for (_, value) in &entries {
        if let Value::Tensor(view) = value {
            sizes.insert(view.storage.as_str(), view.element_size);
        }
    }
    let mut storages = HashMap::new();
    for key in keys {
        let Value::Text(key) = key else { return Err(malformed("a storage has no name")) };
        let size = *sizes.get(key.as_str()).ok_or_else(|| malformed("a storage has no tensor"))?;
        let count = reader.integer(8)?;
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
        storages.insert(key, reader.take(length.ok_or_else(|| malformed("a storage is too long"))?)?);
    }
    let mut tensors = BTreeMap::new();
    for (name, value) in &entries {
        if let (Value::Text(name), Value::Tensor(view)) = (name, value)
            && view.element_size == size_of::<f32>()
        {
            let storage = storages.get(&view.storage).ok_or_else(|| malformed("a storage is missing"))?;
            tensors.insert(name.clone(), view.tensor(storage)?);
        }
    }
    Ok(tensors)
}

/// A part of a storage that a tensor shows.
#[derive(Debug, Clone)]
struct View {
    storage: String,
    /// Bytes of an element: 4 for floats, 8 for integers.
    element_size: usize,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl View {
    /// Copies the view out of a storage of floats.
    fn tensor(&self, storage: &[u8]) -> Result<Tensor, ModelError> {
        let (floats, _) = storage.as_chunks::<4>();
        let count = self.shape.iter().try_fold(1_usize, |count, side| count.checked_mul(*side));
        let count = count.filter(|count| *count <= floats.len() && self.shape.len() == self.strides.len());
        let count = count.ok_or_else(|| malformed("a tensor is larger than its storage"))?;
        let value = |number: usize| {
            let mut rest = number;
            let mut index = self.offset;
            for (side, stride) in self.shape.iter().zip(&self.strides).rev() {
                index = index.saturating_add((rest % side).saturating_mul(*stride));
                rest /= side;
            }
            floats.get(index).map(|bytes| f32::from_le_bytes(*bytes))
        };
        let values = (0..count).map(value).collect::<Option<Vec<f32>>>();
        let values = values.ok_or_else(|| malformed("a tensor reaches beyond its storage"))?;
        Ok(Tensor { shape: self.shape.clone(), values })
    }
}

/// A value on the stack of the pickle machine.
#[derive(Debug, Clone)]
enum Value {
    /// `None` and booleans: nothing depends on them.
    Other,
    Integer(i64),
    Text(String),
    /// Name of a class or function.
    Global(String),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Dictionary(Vec<(Value, Value)>),
    Storage {
        key: String,
        element_size: usize,
    },
    Tensor(View),
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| malformed("the file ends early"))?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a little-endian integer of at most 8 bytes without sign.
    fn integer(&mut self, bytes: usize) -> Result<i64, ModelError> {
        let value = self.take(bytes)?.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        i64::try_from(value).map_err(|_| malformed("an integer is too large"))
    }

    fn line(&mut self) -> Result<String, ModelError> {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let line = self.take(end.ok_or_else(|| malformed("a line has no end"))?)?;
        self.take(1)?;
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    /// Runs one pickle and returns its value.
    fn pickle(&mut self) -> Result<Value, ModelError> {
        let mut stack = Stack::default();
        let mut memo = HashMap::<i64, Value>::new();
        loop {
            let instruction = self.take(1)?[0];
            match instruction {
                b'.' => return stack.pop(),
                0x80 => {
                    self.take(1)?;
                }
                b'(' => stack.marks.push(stack.values.len()),
                b'N' | 0x88 | 0x89 => stack.values.push(Value::Other),
                b'K' => stack.values.push(Value::Integer(self.integer(1)?)),
                b'M' => stack.values.push(Value::Integer(self.integer(2)?)),
                b'J' => stack.values.push(Value::Integer(self.integer(4)?)),
                0x8a => {
                    let length = self.take(1)?[0];
                    // Only the magic number is this long.
                    self.take(usize::from(length))?;
                    stack.values.push(Value::Other);
                }
                b'X' => {
                    let length = usize::try_from(self.integer(4)?).map_err(malformed)?;
                    let text = String::from_utf8_lossy(self.take(length)?).into_owned();
                    stack.values.push(Value::Text(text));
                }
                b'c' => {
                    let name = format!("{}.{}", self.line()?, self.line()?);
                    stack.values.push(Value::Global(name));
                }
                b'q' | b'r' => {
                    let slot = self.integer(if instruction == b'q' { 1 } else { 4 })?;
                    memo.insert(slot, stack.top()?.clone());
                }
                b'h' | b'j' => {
                    let slot = self.integer(if instruction == b'h' { 1 } else { 4 })?;
                    let value = memo.get(&slot).ok_or_else(|| malformed("an unknown reference"))?;
                    stack.values.push(value.clone());
                }
                b')' => stack.values.push(Value::Tuple(Vec::new())),
                b']' => stack.values.push(Value::List(Vec::new())),
                b'}' => stack.values.push(Value::Dictionary(Vec::new())),
                b't' => {
                    let items = stack.since_mark()?;
                    stack.values.push(Value::Tuple(items));
                }
                0x85 | 0x86 => {
                    let items = stack.split(usize::from(instruction) - 0x84)?;
                    stack.values.push(Value::Tuple(items));
                }
                b'e' => {
                    let items = stack.since_mark()?;
                    match stack.top()? {
                        Value::List(list) => list.extend(items),
                        _ => return Err(malformed("items of no list")),
                    }
                }
                b'u' | b's' => {
                    let items = if instruction == b'u' { stack.since_mark()? } else { stack.split(2)? };
                    stack.set_items(items)?;
                }
                // The state of a dictionary holds no tensor.
                b'b' => {
                    stack.pop()?;
                }
                b'Q' => {
                    let id = stack.pop()?;
                    stack.values.push(storage(id)?);
                }
                b'R' => {
                    let (arguments, function) = (stack.pop()?, stack.pop()?);
                    stack.values.push(call(&function, arguments)?);
                }
                other => return Err(malformed(format!("the unsupported instruction {other:#x}"))),
            }
        }
    }
}

#[derive(Default)]
struct Stack {
    values: Vec<Value>,
    marks: Vec<usize>,
}

impl Stack {
    fn pop(&mut self) -> Result<Value, ModelError> {
        self.values.pop().ok_or_else(|| malformed("the stack is empty"))
    }

    fn top(&mut self) -> Result<&mut Value, ModelError> {
        self.values.last_mut().ok_or_else(|| malformed("the stack is empty"))
    }

    /// Removes and returns the last values.
    fn split(&mut self, count: usize) -> Result<Vec<Value>, ModelError> {
        let start = self.values.len().checked_sub(count).ok_or_else(|| malformed("the stack is empty"))?;
        Ok(self.values.split_off(start))
    }

    /// Removes and returns the values above the last mark.
    fn since_mark(&mut self) -> Result<Vec<Value>, ModelError> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.values.len());
        Ok(self.values.split_off(mark.ok_or_else(|| malformed("there is no mark"))?))
    }

    /// Adds pairs of key and value to the dictionary on top.
    fn set_items(&mut self, items: Vec<Value>) -> Result<(), ModelError> {
        let Value::Dictionary(entries) = self.top()? else { return Err(malformed("items of no dictionary")) };
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            entries.push((key, value));
        }
        Ok(())
    }
}

/// Returns the storage of a persistent id: `("storage", type, key, location, count, view)`.
fn storage(id: Value) -> Result<Value, ModelError> {
    let Value::Tuple(parts) = id else { return Err(malformed("a storage without parts")) };
    let [_, Value::Global(kind), Value::Text(key), ..] = parts.as_slice() else {
        return Err(malformed("a storage without type or name"));
    };
    let element_size = match kind.as_str() {
        "torch.FloatStorage" => 4,
        "torch.LongStorage" => 8,
        other => return Err(malformed(format!("the unsupported storage {other}"))),
    };
    Ok(Value::Storage { key: key.clone(), element_size })
}

/// Returns the value of one of the two calls that are known.
fn call(function: &Value, arguments: Value) -> Result<Value, ModelError> {
    match (function, arguments) {
        (Value::Global(name), Value::Tuple(_)) if name == "collections.OrderedDict" => {
            Ok(Value::Dictionary(Vec::new()))
        }
        (Value::Global(name), Value::Tuple(arguments)) if name == "torch._utils._rebuild_tensor_v2" => {
            let [Value::Storage { key, element_size }, Value::Integer(offset), shape, strides, ..] =
                arguments.as_slice()
            else {
                return Err(malformed("a tensor without storage, offset, shape or strides"));
            };
            Ok(Value::Tensor(View {
                storage: key.clone(),
                element_size: *element_size,
                offset: usize::try_from(*offset).map_err(malformed)?,
                shape: sides(shape)?,
                strides: sides(strides)?,
            }))
        }
        (function, _) => Err(malformed(format!("a call of {function:?}"))),
    }
}

fn sides(value: &Value) -> Result<Vec<usize>, ModelError> {
    let Value::Tuple(items) = value else { return Err(malformed("a shape is no tuple")) };
    let side = |item: &Value| match item {
        Value::Integer(side) => usize::try_from(*side).map_err(malformed),
        _ => Err(malformed("a side is no integer")),
    };
    items.iter().map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a checkpoint with one tensor of 2 × 2 over a storage of 4 floats, stored transposed.
    fn checkpoint(function: &str, strides: [u8; 2]) -> Vec<u8> {
        let text = |text: &str| [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
        let pickle = |body: &[u8]| [b"\x80\x02", body, b"."].concat();
        let storage =
            [b"(", &text("storage")[..], b"ctorch\nFloatStorage\n", &text("7"), &text("cpu"), b"K\x04NtQ"];
        let view = [b"K\x00(K\x02K\x02t(K", &strides[..1], b"K", &strides[1..], b"t\x89"].concat();
        let tensor = [function.as_bytes(), b"(", &storage.concat(), &view, b"tR"].concat();
        let tensors = [b"ccollections\nOrderedDict\n)R(", &text("weight")[..], &tensor, b"u}b"].concat();
        let values: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        [
            pickle(b"\x8a\x02\x01\x02"),
            pickle(b"M\xe9\x03"),
            pickle(b"}"),
            pickle(&tensors),
            pickle(&[b"](", &text("7")[..], b"e"].concat()),
            4_u64.to_le_bytes().to_vec(),
            values,
        ]
        .concat()
    }

    const REBUILD: &str = "ctorch._utils\n_rebuild_tensor_v2\n";

    #[test]
    fn tensors_are_read_in_the_order_of_their_strides() {
        let read = |strides| read(&checkpoint(REBUILD, strides)).map(|tensors| tensors["weight"].clone());
        let tensor = |values: [f32; 4]| Tensor { shape: vec![2, 2], values: values.to_vec() };
        assert_eq!(read([2, 1]).unwrap(), tensor([1.0, 2.0, 3.0, 4.0]));
        assert_eq!(read([1, 2]).unwrap(), tensor([1.0, 3.0, 2.0, 4.0]));
        assert!(read([9, 9]).is_err(), "beyond the storage");
    }

    #[test]
    fn other_calls_and_cut_off_files_are_refused() {
        assert!(read(&checkpoint("cos\nsystem\n", [2, 1])).is_err());
        let whole = checkpoint(REBUILD, [2, 1]);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
        }
    }
}
