//! Writes ONNX models: the parts of the protocol buffers that the converter needs.
//!
//! Field numbers are those of <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3>.

/// `TensorProto.DataType` of 32-bit floats.
const TENSOR_FLOAT: u64 = 1;
/// `TensorProto.DataType` of 64-bit integers.
const TENSOR_INT64: u64 = 7;

/// Version of the intermediate representation.
const IR_VERSION: u64 = 8;
/// Version of the operator set.
const OPERATOR_SET_VERSION: u64 = 13;

/// Attribute of a node.
pub(in crate::models::packaged) enum Attribute<'a> {
    Int(i64),
    Float(f32),
    Text(&'a str),
    Ints(&'a [i64]),
}

/// A graph under construction.
#[derive(Default)]
pub(in crate::models::packaged) struct Graph {
    body: Message,
}

impl Graph {
    /// Adds a node.
    pub(in crate::models::packaged) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[(&str, Attribute)],
    ) {
        let mut node = Message::default();
        inputs.iter().for_each(|name| node.bytes(1, name.as_bytes()));
        outputs.iter().for_each(|name| node.bytes(2, name.as_bytes()));
        node.bytes(3, outputs[0].as_bytes());
        node.bytes(4, op.as_bytes());
        for (name, value) in attributes {
            let mut attribute = Message::default();
            attribute.bytes(1, name.as_bytes());
            let kind = match value {
                Attribute::Float(v) => {
                    attribute.float(2, *v);
                    1
                }
                Attribute::Int(v) => {
                    attribute.integer(3, *v as u64);
                    2
                }
                Attribute::Text(v) => {
                    attribute.bytes(4, v.as_bytes());
                    3
                }
                Attribute::Ints(values) => {
                    values.iter().for_each(|v| attribute.integer(8, *v as u64));
                    7
                }
            };
            attribute.integer(20, kind);
            node.bytes(5, &attribute.0);
        }
        self.body.bytes(1, &node.0);
    }

    /// Adds a constant tensor of floats.
    pub(in crate::models::packaged) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensor(name, shape, TENSOR_FLOAT, &raw);
    }

    /// Adds a constant vector of integers.
    pub(in crate::models::packaged) fn integers(&mut self, name: &str, values: &[i64]) {
        let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensor(name, &[values.len()], TENSOR_INT64, &raw);
    }

    fn tensor(&mut self, name: &str, shape: &[usize], kind: u64, raw: &[u8]) {
        let mut tensor = Message::default();
        shape.iter().for_each(|size| tensor.integer(1, *size as u64));
        tensor.integer(2, kind);
        tensor.bytes(8, name.as_bytes());
        tensor.bytes(9, raw);
        self.body.bytes(5, &tensor.0);
    }

    /// Returns the bytes of the model with the given input and outputs, all of type float.
    pub(in crate::models::packaged) fn finish(
        mut self,
        input: (&str, &[usize]),
        outputs: &[(String, Vec<usize>)],
    ) -> Vec<u8> {
        self.body.bytes(2, b"graph");
        self.body.bytes(11, &value(input.0, input.1).0);
        for (name, shape) in outputs {
            self.body.bytes(12, &value(name, shape).0);
        }
        let mut operators = Message::default();
        operators.bytes(1, b"");
        operators.integer(2, OPERATOR_SET_VERSION);
        let mut model = Message::default();
        model.integer(1, IR_VERSION);
        model.bytes(8, &operators.0);
        model.bytes(7, &self.body.0);
        model.0
    }
}

/// Builds a `ValueInfoProto`: a named float tensor with its shape.
fn value(name: &str, shape: &[usize]) -> Message {
    let nested = |field: u64, message: Message| {
        let mut outer = Message::default();
        outer.bytes(field, &message.0);
        outer
    };
    let mut dimensions = Message::default();
    for size in shape {
        let mut dimension = Message::default();
        dimension.integer(1, *size as u64);
        dimensions.bytes(1, &dimension.0);
    }
    let mut tensor = Message::default();
    tensor.integer(1, TENSOR_FLOAT);
    tensor.bytes(2, &dimensions.0);
    let mut value = Message::default();
    value.bytes(1, name.as_bytes());
    value.bytes(2, &nested(1, tensor).0);
    value
}

/// A protocol buffer message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn integer(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn float(&mut self, field: u64, value: f32) {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
    }
}

#[cfg(test)]
mod tests {
    use rten_tensor::NdTensor;
    use rten_tensor::prelude::*;

    use super::*;

    #[test]
    fn written_models_run() {
        let mut graph = Graph::default();
        graph.floats("offset", &[2, 1], &[10.0, 300.0]);
        graph.integers("shape", &[4]);
        graph.node("Add", &["in", "offset"], &["sum"], &[]);
        graph.node("LeakyRelu", &["sum"], &["relu"], &[("alpha", Attribute::Float(0.5))]);
        graph.node("Transpose", &["relu"], &["turned"], &[("perm", Attribute::Ints(&[1, 0]))]);
        graph.node("Reshape", &["turned", "shape"], &["out"], &[]);
        let bytes = graph.finish(("in", &[2, 2]), &[("out".to_owned(), vec![4])]);
        let model = rten::Model::load(bytes).expect("a model");
        let input = NdTensor::from_data([2, 2], vec![1.0, -30.0, 3.0, 4.0]);
        let output = model.run_one(input.view().into(), None).expect("a run");
        let output: NdTensor<f32, 1> = output.try_into().expect("floats");
        assert_eq!(output.to_vec(), [11.0, 303.0, -10.0, 304.0]);
    }
}
