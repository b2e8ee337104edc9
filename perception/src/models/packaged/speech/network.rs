//! Whisper's network (Radford et al., 2022, <https://arxiv.org/abs/2212.04356>), size `tiny.en`.

use super::layers::{FeedForward, LayerNorm, Linear, WIDTH, add, attend, gelu, rows};
use super::mel::{BANDS, FRAMES};
use super::variables::Variables;
use crate::models::ModelError;

/// Layers of the encoder, and of the decoder.
const LAYERS: usize = 4;
/// Rows of the encoder's output: one for two mel frames, 20 ms.
const SOUND_ROWS: usize = FRAMES / 2;
/// Tokens the decoder can hold.
pub(super) const TOKENS: usize = 448;
/// Tokens it knows.
pub(super) const VOCABULARY: usize = 51_864;

/// Makes 1,500 rows of meaning out of 30 seconds of sound.
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
    /// Takes it out of the weights.
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
            narrow: Linear::load_convolution(from, "encoder/conv1", BANDS)?,
            halving: Linear::load_convolution(from, "encoder/conv2", WIDTH)?,
            positions: from.take("encoder/position_encodings/encodings", &[SOUND_ROWS, WIDTH])?,
            norm: LayerNorm::load(from, "encoder")?,
        })
    }

    /// Encodes a mel spectrogram of [`FRAMES`] rows of [`BANDS`] values.
    pub(super) fn encode(&self, mel: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut state = self.narrow.apply(&neighbours(mel, BANDS, 1))?;
        gelu(&mut state);
        let mut state = self.halving.apply(&neighbours(&state, WIDTH, 2))?;
        gelu(&mut state);
        add(&mut state, &self.positions);
        for layer in &self.layers {
            let [queries, keys, values] = layer.attention.project(&state)?;
            let seen = attend(rows(&queries, WIDTH), rows(&keys, WIDTH), rows(&values, WIDTH))?;
            add(&mut state, &layer.attention.out.apply(&seen)?);
            layer.feed_forward.add_to(&mut state)?;
        }
        Ok(self.norm.apply(&state))
    }
}

/// For every `stride`-th row, the row before, itself and the row after, value by value: what a convolution
/// of width 3 sees. Beyond the ends all is 0.
fn neighbours(input: &[f32], width: usize, stride: usize) -> Vec<f32> {
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

/// Attention of rows to rows of the same kind.
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
            project: Linear::load(from, &format!("{name}/linear_0"), WIDTH, 3 * WIDTH)?,
            out: Linear::load(from, &format!("{name}/linear_1"), WIDTH, WIDTH)?,
        })
    }

    /// Queries, keys and values of each row.
    fn project(&self, state: &[f32]) -> Result<[Vec<f32>; 3], ModelError> {
        let all = self.project.apply(&self.norm.apply(state))?;
        let part = |i: usize| {
            all.chunks_exact(3 * WIDTH).flat_map(|row| &row[i * WIDTH..(i + 1) * WIDTH]).copied().collect()
        };
        Ok([part(0), part(1), part(2)])
    }
}

/// Predicts the next token from what was heard and the tokens so far.
pub(super) struct Decoder {
    tokens: Linear,
    positions: Vec<f32>,
    layers: Vec<DecoderLayer>,
    norm: LayerNorm,
}

struct DecoderLayer {
    attention: SelfAttention,
    sound_norm: LayerNorm,
    sound_query: Linear,
    sound_project: Linear,
    sound_out: Linear,
    feed_forward: FeedForward,
}

/// What a decoder remembers of one piece of sound.
pub(super) struct Memory {
    layers: Vec<LayerMemory>,
    length: usize,
}

#[derive(Default)]
struct LayerMemory {
    keys: Vec<f32>,
    values: Vec<f32>,
    sound_keys: Vec<f32>,
    sound_values: Vec<f32>,
}

impl Decoder {
    /// Takes it out of the weights.
    pub(super) fn load(from: &mut Variables) -> Result<Decoder, ModelError> {
        let layers = (0..LAYERS)
            .map(|i| DecoderLayer::load(from, &format!("decoder/layer_{i}")))
            .collect::<Result<_, _>>()?;
        Ok(Decoder {
            layers,
            tokens: Linear::of(from.take("decoder/embeddings/weight", &[VOCABULARY, WIDTH])?, WIDTH),
            positions: from.take("decoder/position_encodings/encodings", &[TOKENS, WIDTH])?,
            norm: LayerNorm::load(from, "decoder")?,
        })
    }

    /// Begins with an encoded sound.
    pub(super) fn begin(&self, sound: &[f32]) -> Result<Memory, ModelError> {
        let layers = self
            .layers
            .iter()
            .map(|layer| {
                let both = layer.sound_project.apply(sound)?;
                let part = |i: usize| {
                    both.chunks_exact(2 * WIDTH)
                        .flat_map(|row| &row[i * WIDTH..(i + 1) * WIDTH])
                        .copied()
                        .collect()
                };
                Ok(LayerMemory { sound_keys: part(0), sound_values: part(1), ..LayerMemory::default() })
            })
            .collect::<Result<_, ModelError>>()?;
        Ok(Memory { layers, length: 0 })
    }

    /// Takes one more token (at most [`TOKENS`] in all) and gives the logits of the next.
    pub(super) fn step(&self, memory: &mut Memory, token: usize) -> Result<Vec<f32>, ModelError> {
        let state = self.take(memory, token)?;
        self.tokens.apply(&self.norm.apply(&state))
    }

    /// Takes one more token without asking what comes next, which costs most.
    pub(super) fn take(&self, memory: &mut Memory, token: usize) -> Result<Vec<f32>, ModelError> {
        let mut state = self.tokens.row(token).to_vec();
        add(&mut state, &self.positions[memory.length * WIDTH..(memory.length + 1) * WIDTH]);
        memory.length += 1;
        for (layer, memory) in self.layers.iter().zip(&mut memory.layers) {
            let [query, key, value] = layer.attention.project(&state)?;
            memory.keys.extend(key);
            memory.values.extend(value);
            let seen = attend(rows(&query, WIDTH), rows(&memory.keys, WIDTH), rows(&memory.values, WIDTH))?;
            add(&mut state, &layer.attention.out.apply(&seen)?);

            let query = layer.sound_query.apply(&layer.sound_norm.apply(&state))?;
            let heard = attend(
                rows(&query, WIDTH),
                rows(&memory.sound_keys, WIDTH),
                rows(&memory.sound_values, WIDTH),
            )?;
            add(&mut state, &layer.sound_out.apply(&heard)?);

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
            sound_norm: LayerNorm::load(from, &sound)?,
            sound_query: Linear::load(from, &format!("{sound}/linear_0"), WIDTH, WIDTH)?,
            sound_project: Linear::load(from, &format!("{sound}/linear_1"), WIDTH, 2 * WIDTH)?,
            sound_out: Linear::load(from, &format!("{sound}/linear_2"), WIDTH, WIDTH)?,
            feed_forward: FeedForward::load(from, layer)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::neighbours;

    #[test]
    fn a_convolution_sees_its_neighbours() {
        let input = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0];
        assert_eq!(
            neighbours(&input, 2, 2),
            [
                0.0, 1.0, 2.0, 0.0, 10.0, 20.0, //
                2.0, 3.0, 4.0, 20.0, 30.0, 40.0,
            ]
        );
        assert_eq!(neighbours(&input, 2, 1).len(), 24);
    }
}
