//! Layers of a transformer over plain rows of `f32`.
//!
//! Matrices are slices of rows. Products run in rten's kernels on the threads of the current pool.
//! Each value of a product is summed in a fixed order, so the number of threads does not change the
//! result.

use rayon::prelude::*;
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::{Matrix, MatrixLayout, NdTensorView};
use rten_vecmath::{Gelu, Softmax};

use super::MODEL;
use super::ctranslate2::Variables;
use crate::models::ModelError;

/// Length of a row between layers.
pub(super) const MODEL_WIDTH: usize = 384;
/// Number of heads of each attention layer.
const ATTENTION_HEADS: usize = 6;
/// Length of the part of a row that a head uses.
const HEAD_WIDTH: usize = MODEL_WIDTH / ATTENTION_HEADS;
/// Length of a row inside the feed-forward layers.
const FEED_FORWARD_WIDTH: usize = 4 * MODEL_WIDTH;
/// Added to the variance in layer normalisation.
const LAYER_NORM_EPSILON: f32 = 1e-5;

/// Computes `scale · a · b` plus a bias on each row.
fn product(a: Matrix, b: Matrix, bias: Option<&[f32]>, scale: f32) -> Result<Vec<f32>, ModelError> {
    let mut out = vec![0.0; a.rows() * b.cols()];
    let options = GemmOptions { alpha: scale, bias: bias.map(BiasVector::Row), ..GemmOptions::default() };
    GemmExecutor::<f32>::new()
        .gemm(&mut out, GemmInputA::Unpacked(a), GemmInputB::Unpacked(b), options)
        .map_err(|error| ModelError::failed(MODEL, error))?;
    Ok(out)
}

/// Views values as a matrix with rows of the given length.
pub(super) fn rows(values: &[f32], width: usize) -> Matrix<'_> {
    NdTensorView::from_data([values.len() / width, width], values)
}

/// A linear layer: weights (one row per output) and bias.
pub(super) struct Linear {
    weights: Vec<f32>,
    bias: Option<Vec<f32>>,
    inputs: usize,
}

impl Linear {
    /// Takes the layer, with its bias, from the weights.
    pub(super) fn load(
        from: &mut Variables,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, ModelError> {
        let weights = from.take(&format!("{name}/weight"), &[outputs, inputs])?;
        let bias = Some(from.take(&format!("{name}/bias"), &[outputs])?);
        Ok(Linear { weights, bias, inputs })
    }

    /// Takes a convolution of width 3 over `channels` from the weights, as a layer over rows of
    /// channels × 3 values.
    pub(super) fn load_convolution(
        from: &mut Variables,
        name: &str,
        channels: usize,
    ) -> Result<Self, ModelError> {
        let weights = from.take(&format!("{name}/weight"), &[MODEL_WIDTH, channels, 3])?;
        let bias = Some(from.take(&format!("{name}/bias"), &[MODEL_WIDTH])?);
        Ok(Linear { weights, bias, inputs: channels * 3 })
    }

    /// Builds a layer without bias.
    pub(super) fn of(weights: Vec<f32>, inputs: usize) -> Self {
        Linear { weights, bias: None, inputs }
    }

    /// Returns one row of the weights.
    pub(super) fn row(&self, index: usize) -> &[f32] {
        &self.weights[index * self.inputs..(index + 1) * self.inputs]
    }

    /// Applies the layer to each row.
    pub(super) fn apply(&self, input: &[f32]) -> Result<Vec<f32>, ModelError> {
        let weights = rows(&self.weights, self.inputs);
        product(rows(input, self.inputs), weights.transposed(), self.bias.as_deref(), 1.0)
    }
}

/// Layer normalisation (Ba et al., 2016): scales each row to mean 0 and variance 1, then applies
/// scale and shift.
pub(super) struct LayerNorm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl LayerNorm {
    /// Takes the layer from the weights.
    pub(super) fn load(from: &mut Variables, name: &str) -> Result<Self, ModelError> {
        let name = format!("{name}/layer_norm");
        let scale = from.take(&format!("{name}/gamma"), &[MODEL_WIDTH])?;
        let shift = from.take(&format!("{name}/beta"), &[MODEL_WIDTH])?;
        Ok(LayerNorm { scale, shift })
    }

    /// Applies the layer to each row.
    pub(super) fn apply(&self, input: &[f32]) -> Vec<f32> {
        let mut out = input.to_vec();
        for row in out.chunks_exact_mut(MODEL_WIDTH) {
            let mean = row.iter().sum::<f32>() / MODEL_WIDTH as f32;
            let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / MODEL_WIDTH as f32;
            let factor = (variance + LAYER_NORM_EPSILON).sqrt().recip();
            for ((value, scale), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
                *value = (*value - mean) * factor * scale + shift;
            }
        }
        out
    }
}

/// Feed-forward block of a layer with its normalisation. Its output is added to the rows.
pub(super) struct FeedForward {
    norm: LayerNorm,
    wide: Linear,
    narrow: Linear,
}

impl FeedForward {
    /// Takes the block from the weights of a layer.
    pub(super) fn load(from: &mut Variables, layer: &str) -> Result<Self, ModelError> {
        Ok(FeedForward {
            norm: LayerNorm::load(from, &format!("{layer}/ffn"))?,
            wide: Linear::load(from, &format!("{layer}/ffn/linear_0"), MODEL_WIDTH, FEED_FORWARD_WIDTH)?,
            narrow: Linear::load(from, &format!("{layer}/ffn/linear_1"), FEED_FORWARD_WIDTH, MODEL_WIDTH)?,
        })
    }

    /// Adds the output of the block to each row.
    pub(super) fn add_to(&self, state: &mut [f32]) -> Result<(), ModelError> {
        let mut inner = self.wide.apply(&self.norm.apply(state))?;
        gelu(&mut inner);
        add(state, &self.narrow.apply(&inner)?);
        Ok(())
    }
}

/// Adds values element by element.
pub(super) fn add(to: &mut [f32], values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += value;
    }
}

/// Applies the Gaussian error linear unit in place.
pub(super) fn gelu(values: &mut [f32]) {
    values.par_chunks_mut(16 * FEED_FORWARD_WIDTH).for_each(|part| {
        Gelu {}.map_mut(part);
    });
}

/// The keys that a query attends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    Everything,
    /// Those up to its own: the queries are the last rows, and the last one sees everything.
    Past,
}

/// Computes multi-head attention (Vaswani et al., 2017).
pub(super) fn attend(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    sight: Sight,
) -> Result<Vec<f32>, ModelError> {
    let heads = (0..ATTENTION_HEADS)
        .into_par_iter()
        .map(|head| {
            let part = head * HEAD_WIDTH..(head + 1) * HEAD_WIDTH;
            let count = keys.rows();
            let scale = (HEAD_WIDTH as f32).sqrt().recip();
            let keys = keys.slice((.., part.clone()));
            let mut weights = product(queries.slice((.., part.clone())), keys.transposed(), None, scale)?;
            for (query, row) in weights.chunks_exact_mut(count).enumerate() {
                let seen = match sight {
                    Sight::Everything => count,
                    Sight::Past => count + query + 1 - queries.rows(),
                };
                let (seen, hidden) = row.split_at_mut(seen);
                Softmax::new_mut(seen).dispatch();
                hidden.fill(0.0);
            }
            product(rows(&weights, count), values.slice((.., part)), None, 1.0)
        })
        .collect::<Result<Vec<_>, ModelError>>()?;
    let mut out = Vec::with_capacity(queries.rows() * MODEL_WIDTH);
    for row in 0..queries.rows() {
        for head in &heads {
            out.extend_from_slice(&head[row * HEAD_WIDTH..(row + 1) * HEAD_WIDTH]);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns reproducible pseudo-random values.
    fn noise(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .take(count)
        .collect()
    }

    #[test]
    fn attention_matches_its_formula() {
        let (queries, keys, values) =
            (noise(2 * MODEL_WIDTH, 1), noise(3 * MODEL_WIDTH, 2), noise(3 * MODEL_WIDTH, 3));
        let of = |sight| {
            attend(rows(&queries, MODEL_WIDTH), rows(&keys, MODEL_WIDTH), rows(&values, MODEL_WIDTH), sight)
                .expect("attention")
        };
        for (sight, row, seen) in
            [(Sight::Everything, 0, 3), (Sight::Everything, 1, 3), (Sight::Past, 0, 2), (Sight::Past, 1, 3)]
        {
            let out = of(sight);
            for column in [0, 63, 64, 200, 383] {
                let head = column / HEAD_WIDTH * HEAD_WIDTH;
                let similar = |key: usize| {
                    let dot: f32 = (head..head + HEAD_WIDTH)
                        .map(|i| queries[row * MODEL_WIDTH + i] * keys[key * MODEL_WIDTH + i])
                        .sum();
                    (dot / 8.0).exp()
                };
                let total: f32 = (0..seen).map(similar).sum();
                let expected: f32 =
                    (0..seen).map(|key| similar(key) / total * values[key * MODEL_WIDTH + column]).sum();
                let found = out[row * MODEL_WIDTH + column];
                assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let (input, layer) =
            (noise(70 * MODEL_WIDTH, 4), Linear::of(noise(200 * MODEL_WIDTH, 5), MODEL_WIDTH));
        let on = |threads| {
            rten::ThreadPool::with_num_threads(threads).run(|| layer.apply(&input)).expect("product")
        };
        assert_eq!(on(1), on(3));
        let one_row = |threads| {
            rten::ThreadPool::with_num_threads(threads)
                .run(|| layer.apply(&input[..MODEL_WIDTH]))
                .expect("product")
        };
        assert_eq!(one_row(1), one_row(3));
    }

    #[test]
    fn gelu_is_exact() {
        let mut values = [-1.0, 0.0, 1.0, 3.0];
        gelu(&mut values);
        for (found, expected) in values.iter().zip([-0.158_655, 0.0, 0.841_345, 2.995_95]) {
            assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
        }
    }
}
