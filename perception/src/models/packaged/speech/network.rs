//! Whisper's network (Radford et al., 2022, <https://arxiv.org/abs/2212.04356>), size `tiny.en`.

use super::ctranslate2::Variables;
use super::layers::{FeedForward, LayerNorm, Linear, MODEL_WIDTH, Sight, add, attend, gelu, rows};
use super::mel::{MEL_BANDS, MEL_FRAMES};
use crate::models::ModelError;

/// Number of layers of the encoder and of the decoder.
const LAYERS: usize = 4;
/// Number of rows of the encoder's output: one per two mel frames (20 ms).
const ENCODER_ROWS: usize = MEL_FRAMES / 2;
/// Maximum number of tokens in the decoder's context.
pub(super) const MAX_TOKENS: usize = 448;
/// Number of tokens in the vocabulary.
pub(super) const VOCABULARY_SIZE: usize = 51_864;

/// Encodes 30 seconds of sound into 1,500 rows.
pub(super) struct Encoder {
    narrow: Linear,
    halving: Linear,
    positions: Vec<f32>,
    layers: Vec<EncoderLayer>,
    norm: LayerNorm,
}

struct EncoderLayer {
    attention: SelfAttention,
    feed_forward: FeedForward,
}

impl Encoder {
    /// Takes the encoder from the weights.
    pub(super) fn load(from: &mut Variables) -> Result<Encoder, ModelError> {
        let layers = (0..LAYERS)
            .map(|i| {
                let layer = format!("encoder/layer_{i}");
                Ok(EncoderLayer {
                    attention: SelfAttention::load(from, &layer)?,
                    feed_forward: FeedForward::load(from, &layer)?,
                })
            })
            .collect::<Result<_, ModelError>>()?;
        Ok(Encoder {
            layers,
            narrow: Linear::load_convolution(from, "encoder/conv1", MEL_BANDS)?,
            halving: Linear::load_convolution(from, "encoder/conv2", MODEL_WIDTH)?,
            positions: from.take("encoder/position_encodings/encodings", &[ENCODER_ROWS, MODEL_WIDTH])?,
            norm: LayerNorm::load(from, "encoder")?,
        })
    }

    /// Encodes a mel spectrogram of [`MEL_FRAMES`] rows of [`MEL_BANDS`] values.
    pub(super) fn encode(&self, mel: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut state = self.narrow.apply(&im2col(mel, MEL_BANDS, 1))?;
        gelu(&mut state);
        let mut state = self.halving.apply(&im2col(&state, MODEL_WIDTH, 2))?;
        gelu(&mut state);
        add(&mut state, &self.positions);
        for layer in &self.layers {
            let [queries, keys, values] = layer.attention.project(&state)?;
            let attended = attend(
                rows(&queries, MODEL_WIDTH),
                rows(&keys, MODEL_WIDTH),
                rows(&values, MODEL_WIDTH),
                Sight::Everything,
            )?;
            add(&mut state, &layer.attention.out.apply(&attended)?);
            layer.feed_forward.add_to(&mut state)?;
        }
        Ok(self.norm.apply(&state))
    }
}

/// Returns the input of a convolution of width 3 as a matrix (im2col): for every `stride`-th row
/// the previous, the same and the next row, value by value, padded with 0.
fn im2col(input: &[f32], width: usize, stride: usize) -> Vec<f32> {
    let count = input.len() / width;
    let mut out = Vec::with_capacity(count / stride * width * 3);
    for row in (0..count).step_by(stride) {
        for column in 0..width {
            let at = |r: usize| input.get(r * width + column).copied().unwrap_or(0.0);
            out.extend([row.checked_sub(1).map_or(0.0, at), at(row), at(row + 1)]);
        }
    }
    out
}

/// Self-attention of a layer.
struct SelfAttention {
    norm: LayerNorm,
    project: Linear,
    out: Linear,
}

impl SelfAttention {
    fn load(from: &mut Variables, layer: &str) -> Result<Self, ModelError> {
        let name = format!("{layer}/self_attention");
        Ok(SelfAttention {
            norm: LayerNorm::load(from, &name)?,
            project: Linear::load(from, &format!("{name}/linear_0"), MODEL_WIDTH, 3 * MODEL_WIDTH)?,
            out: Linear::load(from, &format!("{name}/linear_1"), MODEL_WIDTH, MODEL_WIDTH)?,
        })
    }

    /// Returns the queries, keys and values of each row.
    fn project(&self, state: &[f32]) -> Result<[Vec<f32>; 3], ModelError> {
        let all = self.project.apply(&self.norm.apply(state))?;
        let part = |i: usize| {
            all.chunks_exact(3 * MODEL_WIDTH)
                .flat_map(|row| &row[i * MODEL_WIDTH..(i + 1) * MODEL_WIDTH])
                .copied()
                .collect()
        };
        Ok([part(0), part(1), part(2)])
    }
}

/// Predicts the next token from the encoded sound and the tokens so far.
pub(super) struct Decoder {
    tokens: Linear,
    positions: Vec<f32>,
    layers: Vec<DecoderLayer>,
    norm: LayerNorm,
}

struct DecoderLayer {
    attention: SelfAttention,
    cross_norm: LayerNorm,
    cross_query: Linear,
    cross_project: Linear,
    cross_out: Linear,
    feed_forward: FeedForward,
}

/// Keys and values of the attention layers for one sound.
pub(super) struct KvCache {
    layers: Vec<LayerCache>,
    length: usize,
}

#[derive(Default)]
struct LayerCache {
    keys: Vec<f32>,
    values: Vec<f32>,
    cross_keys: Vec<f32>,
    cross_values: Vec<f32>,
}

impl Decoder {
    /// Takes the decoder from the weights.
    pub(super) fn load(from: &mut Variables) -> Result<Decoder, ModelError> {
        let layers = (0..LAYERS)
            .map(|i| DecoderLayer::load(from, &format!("decoder/layer_{i}")))
            .collect::<Result<_, _>>()?;
        Ok(Decoder {
            layers,
            tokens: Linear::of(
                from.take("decoder/embeddings/weight", &[VOCABULARY_SIZE, MODEL_WIDTH])?,
                MODEL_WIDTH,
            ),
            positions: from.take("decoder/position_encodings/encodings", &[MAX_TOKENS, MODEL_WIDTH])?,
            norm: LayerNorm::load(from, "decoder")?,
        })
    }

    /// Prepares the cache for an encoded sound.
    pub(super) fn begin(&self, sound: &[f32]) -> Result<KvCache, ModelError> {
        let layers = self
            .layers
            .iter()
            .map(|layer| {
                let both = layer.cross_project.apply(sound)?;
                let part = |i: usize| {
                    both.chunks_exact(2 * MODEL_WIDTH)
                        .flat_map(|row| &row[i * MODEL_WIDTH..(i + 1) * MODEL_WIDTH])
                        .copied()
                        .collect()
                };
                Ok(LayerCache { cross_keys: part(0), cross_values: part(1), ..LayerCache::default() })
            })
            .collect::<Result<_, ModelError>>()?;
        Ok(KvCache { layers, length: 0 })
    }

    /// Adds a token (at most [`MAX_TOKENS`] in total) and returns the logits of the next.
    pub(super) fn step(&self, cache: &mut KvCache, token: usize) -> Result<Vec<f32>, ModelError> {
        let state = self.advance(cache, &[token])?;
        self.tokens.apply(&self.norm.apply(&state))
    }

    /// Adds tokens, all at once, and returns their rows. It doesn't compute the logits of the next one,
    /// which is the most expensive part.
    pub(super) fn advance(&self, cache: &mut KvCache, tokens: &[usize]) -> Result<Vec<f32>, ModelError> {
        let mut state: Vec<f32> = tokens.iter().flat_map(|token| self.tokens.row(*token)).copied().collect();
        let end = cache.length + tokens.len();
        add(&mut state, &self.positions[cache.length * MODEL_WIDTH..end * MODEL_WIDTH]);
        cache.length = end;
        for (layer, cache) in self.layers.iter().zip(&mut cache.layers) {
            let [query, key, value] = layer.attention.project(&state)?;
            cache.keys.extend(key);
            cache.values.extend(value);
            let attended = attend(
                rows(&query, MODEL_WIDTH),
                rows(&cache.keys, MODEL_WIDTH),
                rows(&cache.values, MODEL_WIDTH),
                Sight::Past,
            )?;
            add(&mut state, &layer.attention.out.apply(&attended)?);

            let query = layer.cross_query.apply(&layer.cross_norm.apply(&state))?;
            let attended = attend(
                rows(&query, MODEL_WIDTH),
                rows(&cache.cross_keys, MODEL_WIDTH),
                rows(&cache.cross_values, MODEL_WIDTH),
                Sight::Everything,
            )?;
            add(&mut state, &layer.cross_out.apply(&attended)?);

            layer.feed_forward.add_to(&mut state)?;
        }
        Ok(state)
    }
}

impl DecoderLayer {
    fn load(from: &mut Variables, layer: &str) -> Result<Self, ModelError> {
        let sound = format!("{layer}/attention");
        Ok(DecoderLayer {
            attention: SelfAttention::load(from, layer)?,
            cross_norm: LayerNorm::load(from, &sound)?,
            cross_query: Linear::load(from, &format!("{sound}/linear_0"), MODEL_WIDTH, MODEL_WIDTH)?,
            cross_project: Linear::load(from, &format!("{sound}/linear_1"), MODEL_WIDTH, 2 * MODEL_WIDTH)?,
            cross_out: Linear::load(from, &format!("{sound}/linear_2"), MODEL_WIDTH, MODEL_WIDTH)?,
            feed_forward: FeedForward::load(from, layer)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::im2col;

    #[test]
    fn im2col_collects_neighbouring_rows() {
        let input = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0];
        assert_eq!(
            im2col(&input, 2, 2),
            [
                0.0, 1.0, 2.0, 0.0, 10.0, 20.0, //
                2.0, 3.0, 4.0, 20.0, 30.0, 40.0,
            ]
        );
        assert_eq!(im2col(&input, 2, 1).len(), 24);
    }
}
