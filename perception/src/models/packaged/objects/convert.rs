//! Converts the TensorFlow.js graph of the package to ONNX, which rten runs.
//!
//! The graph switches between channels-first and channels-last around every convolution. The ONNX
//! graph is channels-first throughout, so those transposes vanish, and paddings become attributes
//! of the operators that follow.

use std::collections::HashMap;

use rten_simd::f16;
use serde::Deserialize;
use serde_json::Value as Json;

use super::MODEL;
use crate::models::ModelError;
use crate::models::packaged::onnx::{Attribute, Graph};

/// Converts a graph and its weights into an ONNX model with one output per entry of `outputs`,
/// given by node name and shape.
pub(super) fn convert(
    topology: &[u8],
    weights: &[u8],
    input: (&str, &[usize]),
    outputs: &[(&str, Vec<usize>)],
) -> Result<Vec<u8>, ModelError> {
    let file: File = serde_json::from_slice(topology).map_err(malformed)?;
    let mut converter = Converter {
        constants: constants(file.manifest, weights)?,
        nodes: file.topology.node.into_iter().map(|node| (node.name.clone(), node)).collect(),
        graph: Graph::default(),
        written: HashMap::from([(input.0.to_owned(), Tensor { name: input.0.to_owned(), padding: 0 })]),
    };
    let outputs = outputs
        .iter()
        .map(|(name, shape)| Ok((converter.tensor(name)?.name, shape.clone())))
        .collect::<Result<Vec<_>, ModelError>>()?;
    Ok(converter.graph.finish(input, &outputs))
}

fn malformed(reason: impl std::fmt::Display) -> ModelError {
    ModelError::malformed(MODEL, reason)
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "modelTopology")]
    topology: Topology,
    #[serde(rename = "weightsManifest")]
    manifest: Vec<Manifest>,
}

#[derive(Deserialize)]
struct Topology {
    node: Vec<Node>,
}

#[derive(Deserialize, Clone)]
struct Node {
    name: String,
    op: String,
    #[serde(default)]
    input: Vec<String>,
    #[serde(default)]
    attr: Json,
}

#[derive(Deserialize)]
struct Manifest {
    weights: Vec<Weight>,
}

#[derive(Deserialize)]
struct Weight {
    name: String,
    shape: Vec<usize>,
    dtype: String,
    quantization: Option<Json>,
}

/// A constant of the graph.
enum Constant {
    Floats { shape: Vec<usize>, values: Vec<f32> },
    Integers(Vec<i64>),
}

/// Reads the constants from the weights file: 16-bit floats and 32-bit integers, one after the
/// other.
fn constants(manifest: Vec<Manifest>, bytes: &[u8]) -> Result<HashMap<String, Constant>, ModelError> {
    let (mut rest, mut constants) = (bytes, HashMap::new());
    for weight in manifest.into_iter().flat_map(|part| part.weights) {
        let count: usize = weight.shape.iter().product();
        let half = weight.quantization.as_ref().is_some_and(|q| q["dtype"] == "float16");
        let size = match (weight.dtype.as_str(), half) {
            ("float32", true) => 2,
            ("int32", false) => 4,
            (kind, _) => return Err(malformed(format!("{} is of type {kind}", weight.name))),
        };
        let (values, after) =
            rest.split_at_checked(count * size).ok_or_else(|| malformed("weights end early"))?;
        rest = after;
        let constant = if half {
            let (pairs, _) = values.as_chunks::<2>();
            let values =
                pairs.iter().map(|&pair| f16::from_bits(u16::from_le_bytes(pair)).to_f32()).collect();
            Constant::Floats { shape: weight.shape, values }
        } else {
            let (quads, _) = values.as_chunks::<4>();
            Constant::Integers(quads.iter().map(|&quad| i64::from(i32::from_le_bytes(quad))).collect())
        };
        constants.insert(weight.name, constant);
    }
    Ok(constants)
}

/// A value of the ONNX graph: its name, and the padding in pixels that the operators using it must
/// apply.
#[derive(Clone)]
struct Tensor {
    name: String,
    padding: i64,
}

struct Converter {
    constants: HashMap<String, Constant>,
    nodes: HashMap<String, Node>,
    graph: Graph,
    /// Values that are already written, by their name in the package.
    written: HashMap<String, Tensor>,
}

/// An ONNX operator with its inputs and attributes.
struct Operator<'a> {
    name: &'static str,
    inputs: Vec<String>,
    attributes: Vec<(&'static str, Attribute<'a>)>,
}

/// Returns the name of an input of a node.
fn input(node: &Node, index: usize) -> Result<&str, ModelError> {
    node.input.get(index).map(String::as_str).ok_or_else(|| malformed(&node.name))
}

impl Converter {
    /// Returns a value of the graph after writing everything that it depends on.
    fn tensor(&mut self, name: &str) -> Result<Tensor, ModelError> {
        if let Some(tensor) = self.written.get(name) {
            return Ok(tensor.clone());
        }
        let (node, output) = name.split_once(':').unwrap_or((name, "0"));
        let node =
            self.nodes.get(node).cloned().ok_or_else(|| malformed(format!("there is no node {node}")))?;
        let tensor = self.write(&node, output)?;
        self.written.insert(name.to_owned(), tensor.clone());
        Ok(tensor)
    }

    /// Writes one node and returns one of its outputs.
    fn write(&mut self, node: &Node, output: &str) -> Result<Tensor, ModelError> {
        let first = self.tensor(input(node, 0)?)?;
        if let Some(same) = self.pass_through(node, &first)? {
            return Ok(same);
        }
        let out = format!("{}:{output}", node.name);
        if node.op == "SplitV" && first.padding == 0 {
            self.write_split(node, &first)?;
            return Ok(Tensor { name: out, padding: 0 });
        }
        let mut operator = self.operator(node, &first)?;
        let stride = node.attr["strides"]["list"]["i"][1].as_str().and_then(|s| s.parse().ok()).unwrap_or(1);
        let (strides, pads) = ([stride; 2], [first.padding; 4]);
        if matches!(operator.name, "Conv" | "MaxPool") {
            operator.attributes.push(("strides", Attribute::Ints(&strides)));
            operator.attributes.push(("pads", Attribute::Ints(&pads)));
            operator.attributes.push(("dilations", Attribute::Ints(&[1, 1])));
        }
        let inputs: Vec<&str> = operator.inputs.iter().map(String::as_str).collect();
        self.graph.node(operator.name, &inputs, &[&out], &operator.attributes);
        Ok(Tensor { name: out, padding: 0 })
    }

    /// Returns the input of a node that ONNX does not need: an identity, a padding that the
    /// following convolution takes over, or a transpose between channels-first and channels-last.
    fn pass_through(&self, node: &Node, first: &Tensor) -> Result<Option<Tensor>, ModelError> {
        let same = first.clone();
        Ok(match node.op.as_str() {
            "Identity" => Some(same),
            "Pad" | "PadV2"
                if first.padding == 0 && self.integers(input(node, 1)?)? == [0, 0, 0, 0, 1, 1, 1, 1] =>
            {
                Some(Tensor { padding: 1, ..same })
            }
            "Transpose" if matches!(self.integers(input(node, 1)?)?, [0, 2, 3, 1] | [0, 3, 1, 2]) => {
                Some(same)
            }
            _ => None,
        })
    }

    /// Writes a split along the channels, with all of its outputs.
    fn write_split(&mut self, node: &Node, first: &Tensor) -> Result<(), ModelError> {
        let sizes = format!("{}/sizes", node.name);
        let values = self.integers(input(node, 1)?)?.to_vec();
        let outputs: Vec<String> = (0..values.len()).map(|i| format!("{}:{i}", node.name)).collect();
        self.graph.integers(&sizes, &values);
        let names: Vec<&str> = outputs.iter().map(String::as_str).collect();
        self.graph.node("Split", &[&first.name, &sizes], &names, &[("axis", Attribute::Int(1))]);
        for name in &outputs {
            self.written.insert(name.clone(), Tensor { name: name.clone(), padding: 0 });
        }
        // Other nodes refer to the first output by the bare name of the node.
        self.written.insert(node.name.clone(), Tensor { name: outputs[0].clone(), padding: 0 });
        Ok(())
    }

    /// Translates a node with one output into an ONNX operator, and writes its other inputs.
    fn operator<'a>(&mut self, node: &Node, first: &Tensor) -> Result<Operator<'a>, ModelError> {
        let plain = first.padding == 0;
        let mut inputs = vec![first.name.clone()];
        let mut attributes = Vec::new();
        let name = match node.op.as_str() {
            "Transpose" => match self.integers(input(node, 1)?)? {
                [0, 2, 1] if plain => {
                    attributes.push(("perm", Attribute::Ints(&[0, 2, 1])));
                    "Transpose"
                }
                order => return Err(malformed(format!("{} to {order:?}", node.name))),
            },
            "Conv2D" => {
                inputs.push(self.kernel(input(node, 1)?)?);
                "Conv"
            }
            "MaxPool" => {
                attributes.push(("kernel_shape", Attribute::Ints(&[3, 3])));
                "MaxPool"
            }
            "LeakyRelu" if plain => {
                let alpha = node.attr["alpha"]["f"].as_f64().ok_or_else(|| malformed(&node.name))?;
                attributes.push(("alpha", Attribute::Float(alpha as f32)));
                "LeakyRelu"
            }
            "Sigmoid" if plain => "Sigmoid",
            "Add" if plain => {
                inputs.push(self.addend(input(node, 1)?)?);
                "Add"
            }
            "ConcatV2" if plain => {
                inputs.push(self.tensor(input(node, 1)?)?.name);
                attributes.push(("axis", Attribute::Int(1)));
                "Concat"
            }
            "ResizeBilinear" if plain => {
                // The size is [height, width]. ONNX expects the size of all four dimensions.
                let size = self.integers(input(node, 1)?)?.to_vec();
                let sizes = format!("{}/sizes", node.name);
                self.graph.integers(&sizes, &[&[1, 128], &size[..]].concat());
                inputs.extend([String::new(), String::new(), sizes]);
                attributes.push(("mode", Attribute::Text("linear")));
                attributes.push(("coordinate_transformation_mode", Attribute::Text("half_pixel")));
                "Resize"
            }
            "Reshape" if plain => {
                let shape = format!("{}/shape", node.name);
                let values = self.shape(input(node, 1)?)?;
                self.graph.integers(&shape, &values);
                inputs.push(shape);
                "Reshape"
            }
            op => return Err(malformed(format!("node {} has the unsupported operator {op}", node.name))),
        };
        Ok(Operator { name, inputs, attributes })
    }

    /// Returns the name of the second input of an addition: a bias or another tensor.
    fn addend(&mut self, name: &str) -> Result<String, ModelError> {
        if self.constants.contains_key(name) { self.bias(name) } else { Ok(self.tensor(name)?.name) }
    }

    /// Returns a constant vector of integers.
    fn integers(&self, name: &str) -> Result<&[i64], ModelError> {
        match self.constants.get(name) {
            Some(Constant::Integers(values)) => Ok(values),
            _ => Err(malformed(format!("{name} is not a vector of integers"))),
        }
    }

    /// Returns the target shape of a reshape. The graph computes it as a constant plus zero.
    fn shape(&self, name: &str) -> Result<Vec<i64>, ModelError> {
        let node = self.nodes.get(name).filter(|node| node.op == "AddV2");
        let constant = node.and_then(|node| node.input.first()).ok_or_else(|| malformed(name))?;
        self.integers(constant).map(<[i64]>::to_vec)
    }

    /// Writes the kernel of a convolution. Reorders it from height, width, inputs, outputs to
    /// outputs, inputs, height, width.
    fn kernel(&mut self, name: &str) -> Result<String, ModelError> {
        let Some(Constant::Floats { shape, values }) = self.constants.get(name) else {
            return Err(malformed(format!("{name} is not a kernel")));
        };
        let &[height, width, inputs, outputs] = shape.as_slice() else { return Err(malformed(name)) };
        let mut transposed = Vec::with_capacity(values.len());
        for output in 0..outputs {
            for input in 0..inputs {
                transposed.extend(
                    (0..height * width).map(|place| values[(place * inputs + input) * outputs + output]),
                );
            }
        }
        self.graph.floats(name, &[outputs, inputs, height, width], &transposed);
        Ok(name.to_owned())
    }

    /// Writes a bias with one value per channel.
    fn bias(&mut self, name: &str) -> Result<String, ModelError> {
        let Some(Constant::Floats { values, .. }) = self.constants.get(name) else {
            return Err(malformed(format!("{name} is not a bias")));
        };
        self.graph.floats(name, &[values.len(), 1, 1], values);
        Ok(name.to_owned())
    }
}
