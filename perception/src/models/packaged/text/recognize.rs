//! Text recognition: runs the recognition network on a line and decodes its output.

use image::RgbImage;
use rten_tensor::prelude::*;

use super::MODEL;
use super::detect::input_tensor;
use crate::models::ModelError;
use crate::models::packaged::network::{Network, Runtime};

/// Line height that the network was trained with, in pixels.
pub(super) const LINE_HEIGHT_PX: u32 = 48;
/// Maximum width of a line, in pixels; longer lines are squeezed.
pub(super) const MAX_LINE_WIDTH_PX: u32 = 2048;
/// Minimum input width in pixels; shorter lines are padded.
const MIN_INPUT_WIDTH_PX: u32 = 96;
/// Probability from which a gap between two letters is a space. The network was trained on Chinese
/// and seldom makes the space its most probable class.
const SPACE_MIN_PROBABILITY: f32 = 0.03;

/// The recognition network.
pub(super) struct Recognizer {
    pub(super) network: Network,
    /// Character of each class; class 0 is the blank.
    characters: Vec<String>,
}

/// Text of a line with the mean probability of its characters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) confidence: f32,
}

impl Recognizer {
    /// Loads the network from the bytes of its ONNX file. The metadata hold its characters.
    pub(super) fn load(bytes: Vec<u8>, runtime: &Runtime) -> Result<Self, ModelError> {
        let network = Network::load(MODEL, bytes, runtime)?;
        let list = network
            .metadata("character")
            .ok_or_else(|| ModelError::malformed(MODEL, "no character list in the metadata"))?;
        // The blank comes first and the space last; the list contains neither.
        let characters = std::iter::once("").chain(list.lines()).chain([" "]).map(str::to_owned).collect();
        Ok(Recognizer { network, characters })
    }

    /// Reads a line that was cut out at [`LINE_HEIGHT_PX`].
    pub(super) fn read(&self, line: &RgbImage) -> Result<Line, ModelError> {
        let input = input_tensor(line, line.width().max(MIN_INPUT_WIDTH_PX));
        let output = self.network.run_one::<3>(input)?;
        let [batch, steps, classes] = output.shape();
        if batch != 1 || classes != self.characters.len() {
            let reason = format!("{batch} × {steps} × {classes} for {} characters", self.characters.len());
            return Err(self.network.failed(reason));
        }
        Ok(decode(&output.to_vec(), &self.characters))
    }
}

/// Decodes greedily with CTC (Graves et al., 2006): takes the most probable class of each step,
/// merges repeats and drops blanks. Inserts a space into a gap between Latin letters where a space
/// is at all likely.
///
/// `probabilities` holds one row per step and one value per class.
fn decode(probabilities: &[f32], characters: &[String]) -> Line {
    let space = characters.len() - 1;
    let (mut text, mut sum, mut count) = (String::new(), 0.0, 0_u32);
    let (mut previous, mut gap) = (0, 0.0_f32);
    for step in probabilities.chunks_exact(characters.len()) {
        let (class, probability) = argmax(step);
        if class == 0 {
            gap = gap.max(step[space]);
        } else if class != previous {
            let spaced =
                gap > SPACE_MIN_PROBABILITY && class != space && !text.is_empty() && !text.ends_with(' ');
            if spaced
                && !is_ideograph(&characters[class])
                && !text.chars().last().is_some_and(has_no_word_spaces)
            {
                text.push(' ');
            }
            text.push_str(&characters[class]);
            sum += probability;
            count += 1;
            gap = 0.0;
        }
        previous = class;
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Line { text, confidence: if count == 0 { 0.0 } else { sum / count as f32 } }
}

/// Returns the index and value of the maximum, the first of equal values.
fn argmax(step: &[f32]) -> (usize, f32) {
    step.iter()
        .enumerate()
        .fold((0, f32::NEG_INFINITY), |best, (i, &p)| if p > best.1 { (i, p) } else { best })
}

/// Returns true for characters of scripts that do not separate words by spaces.
fn has_no_word_spaces(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Returns true if a class is a character of such a script.
fn is_ideograph(character: &str) -> bool {
    character.chars().next().is_some_and(has_no_word_spaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHARACTERS: [&str; 5] = ["", "a", "b", "房", " "];

    fn decoded(steps: &[[f32; 5]]) -> Line {
        decode(&steps.concat(), &CHARACTERS.map(str::to_owned))
    }

    const A: [f32; 5] = [0.1, 0.9, 0.0, 0.0, 0.0];
    const B: [f32; 5] = [0.1, 0.0, 0.7, 0.1, 0.1];
    const ROOM: [f32; 5] = [0.1, 0.0, 0.0, 0.8, 0.1];
    const BLANK: [f32; 5] = [0.99, 0.0, 0.0, 0.0, 0.01];
    const MAYBE_SPACE: [f32; 5] = [0.9, 0.0, 0.0, 0.0, 0.1];

    #[test]
    fn joins_repeats_and_drops_blanks() {
        let line = decoded(&[BLANK, A, A, BLANK, A, B, B, BLANK]);
        assert_eq!(line.text, "aab");
        assert!((line.confidence - (0.9 + 0.9 + 0.7) / 3.0).abs() < 1e-6);
    }

    #[test]
    fn inserts_spaces_between_letters_only() {
        assert_eq!(decoded(&[MAYBE_SPACE, A, BLANK, MAYBE_SPACE, B, MAYBE_SPACE]).text, "a b");
        assert_eq!(decoded(&[ROOM, MAYBE_SPACE, A]).text, "房a");
        assert_eq!(decoded(&[A, MAYBE_SPACE, ROOM]).text, "a房");
    }

    #[test]
    fn reads_nothing_from_blanks() {
        assert_eq!(decoded(&[BLANK, MAYBE_SPACE]), Line { text: String::new(), confidence: 0.0 });
    }
}
