//! Writes EfficientNet-Lite0 as ONNX, which rten runs, from the tensors of its checkpoint.
//!
//! Architecture: Tan and Le, 2019, without squeeze-and-excitation and with ReLU6, as in the "Lite"
//! variants of its authors. Batch normalization is folded into the convolutions.

use std::collections::BTreeMap;

use super::checkpoint::Tensor;
use super::{CLASS_COUNT, REGION_COUNT, SIDE_PX, malformed};
use crate::models::ModelError;
use crate::models::packaged::onnx::{Attribute, Graph};

/// Name of the network's input.
const INPUT: &str = "picture";
/// Name of the network's output: one logit a class.
const OUTPUT: &str = "logits";
/// Number of blocks and stride of the first one, stage by stage.
const STAGES: [(usize, usize); 7] = [(1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1)];
/// Term that keeps the deviation of a batch normalization above zero (TensorFlow's default for this
/// network).
const EPSILON: f32 = 1e-3;

/// Returns the ONNX model.
pub(super) fn onnx(tensors: &BTreeMap<String, Tensor>) -> Result<Vec<u8>, ModelError> {
    let mut writer = Writer { tensors, graph: Graph::default() };
    writer.graph.floats("zero", &[], &[0.0]);
    writer.graph.floats("six", &[], &[6.0]);
    let input = Value { name: INPUT.to_owned(), side: SIDE_PX };
    let mut value = writer.convolution(&input, "_conv_stem", "_bn0", 2, true)?;
    let strides = STAGES.iter().flat_map(|(blocks, stride)| {
        std::iter::once(*stride).chain(std::iter::repeat_n(1, blocks - 1)).enumerate()
    });
    for (number, (of_stage, stride)) in strides.enumerate() {
        let part = |name: &str| format!("_blocks.{number}.{name}");
        let mut inner = value.clone();
        if tensors.contains_key(&format!("{}.weight", part("_expand_conv"))) {
            inner = writer.convolution(&inner, &part("_expand_conv"), &part("_bn0"), 1, true)?;
        }
        inner = writer.convolution(&inner, &part("_depthwise_conv"), &part("_bn1"), stride, true)?;
        inner = writer.convolution(&inner, &part("_project_conv"), &part("_bn2"), 1, false)?;
        if of_stage > 0 {
            let sum = part("sum");
            writer.graph.node("Add", &[&value.name, &inner.name], &[&sum], &[]);
            inner.name = sum;
        }
        value = inner;
    }
    let head = writer.convolution(&value, "_conv_head", "_bn1", 1, true)?;
    writer.graph.node("GlobalAveragePool", &[&head.name], &["mean"], &[]);
    writer.graph.node("Flatten", &["mean"], &["features"], &[]);
    let (weight, bias) = (writer.tensor("_fc.weight")?, writer.tensor("_fc.bias")?);
    writer.graph.floats("_fc.weight", &weight.shape, &weight.values);
    writer.graph.floats("_fc.bias", &bias.shape, &bias.values);
    let inputs = ["features", "_fc.weight", "_fc.bias"];
    writer.graph.node("Gemm", &inputs, &[OUTPUT], &[("transB", Attribute::Int(1))]);
    let output = [(OUTPUT.to_owned(), vec![REGION_COUNT, CLASS_COUNT])];
    Ok(writer.graph.finish((INPUT, &[REGION_COUNT, 3, SIDE_PX, SIDE_PX]), &output))
}

/// A value of the graph: its name, and the width and height of its pictures.
#[derive(Clone)]
struct Value {
    name: String,
    side: usize,
}

struct Writer<'a> {
    tensors: &'a BTreeMap<String, Tensor>,
    graph: Graph,
}

impl<'a> Writer<'a> {
    fn tensor(&self, name: &str) -> Result<&'a Tensor, ModelError> {
        self.tensors.get(name).ok_or_else(|| malformed(format!("there is no tensor {name}")))
    }

    /// Writes a convolution with its folded batch normalization and, if `bounded`, ReLU6.
    fn convolution(
        &mut self,
        input: &Value,
        name: &str,
        normalization: &str,
        stride: usize,
        bounded: bool,
    ) -> Result<Value, ModelError> {
        let kernel = self.tensor(&format!("{name}.weight"))?;
        let of_channels = |part: &str| self.tensor(&format!("{normalization}.{part}")).map(|t| &t.values);
        let (gain, offset) = (of_channels("weight")?, of_channels("bias")?);
        let (mean, variance) = (of_channels("running_mean")?, of_channels("running_var")?);
        let &[outputs, inputs, height, width] = kernel.shape.as_slice() else {
            return Err(malformed(format!("{name} is no kernel")));
        };
        if [gain, offset, mean, variance].iter().any(|values| values.len() != outputs) || height != width {
            return Err(malformed(format!("{name} has another normalization")));
        }
        let scales: Vec<f32> =
            gain.iter().zip(variance).map(|(gain, variance)| gain / (variance + EPSILON).sqrt()).collect();
        let of_output = kernel.values.chunks_exact(inputs * height * width).zip(&scales);
        let weights: Vec<f32> =
            of_output.flat_map(|(values, scale)| values.iter().map(move |v| v * scale)).collect();
        let biases: Vec<f32> =
            (0..outputs).map(|channel| offset[channel] - mean[channel] * scales[channel]).collect();
        let (weight, bias) = (format!("{name}.folded"), format!("{name}.bias"));
        self.graph.floats(&weight, &kernel.shape, &weights);
        self.graph.floats(&bias, &[outputs], &biases);
        // TensorFlow's "same" padding: the odd pixel is at the end.
        let side = input.side.div_ceil(stride);
        let padding = ((side - 1) * stride + height).saturating_sub(input.side);
        let (before, after) = ((padding / 2) as i64, padding.div_ceil(2) as i64);
        let groups = if inputs == 1 { outputs } else { 1 };
        self.graph.node(
            "Conv",
            &[&input.name, &weight, &bias],
            &[name],
            &[
                ("strides", Attribute::Ints(&[stride as i64; 2])),
                ("pads", Attribute::Ints(&[before, before, after, after])),
                ("dilations", Attribute::Ints(&[1, 1])),
                ("group", Attribute::Int(groups as i64)),
            ],
        );
        let mut output = name.to_owned();
        if bounded {
            output = format!("{name}.bounded");
            self.graph.node("Clip", &[name, "zero", "six"], &[&output], &[]);
        }
        Ok(Value { name: output, side })
    }
}
