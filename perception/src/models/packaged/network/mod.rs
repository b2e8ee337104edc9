//! Neural networks in ONNX format. rten runs them, or onnxruntime where the operator installed it
//! and chose it (ADR 41).

mod onnxruntime;
mod rten;

use std::{collections::BTreeMap, sync::Arc};

use ::rten::ThreadPool;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::models::{ModelError, Settings, settings::RuntimeKind};

/// What runs networks.
#[derive(Clone)]
pub(super) struct Runtime {
    /// Threads of rten, and of work between two runs of a network.
    pool: Arc<ThreadPool>,
    onnxruntime: Option<onnxruntime::Onnxruntime>,
}

/// An input of a network.
pub(super) enum Input {
    /// Numbers.
    Floats(Tensor<f32>),
    /// Indices, for example of words.
    Integers(Tensor<i32>),
}

/// A network that is ready to run.
pub(super) struct Network {
    /// Name of the model, for errors.
    model: &'static str,
    names: Names,
    backend: Box<dyn Backend>,
}

/// Names of the inputs and outputs of a network, in its order.
struct Names {
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// A loaded network of one runtime. Errors are messages.
trait Backend: Send + Sync {
    /// Returns the name of the runtime for a document, unless it is rten.
    fn name(&self) -> Option<&str>;

    /// Returns the names of the inputs and outputs.
    fn names(&self) -> Names;

    /// Returns a value of the metadata.
    fn metadata(&self, key: &str) -> Option<String>;

    /// Runs the network. The outputs are in the order of their names.
    fn run(&self, inputs: Vec<(&str, Input)>, outputs: &[&str]) -> Result<Vec<Tensor<f32>>, String>;
}

impl Runtime {
    /// Returns the runtime that the settings name. If it cannot be loaded, logs a warning and returns
    /// rten, which needs nothing.
    pub(super) fn new(settings: &Settings) -> Runtime {
        let threads = settings.thread_count();
        let pool = Arc::new(ThreadPool::with_num_threads(threads));
        let onnxruntime = match settings.runtime {
            RuntimeKind::Rten => None,
            RuntimeKind::Onnxruntime => onnxruntime::Onnxruntime::load(&settings.onnxruntime, threads)
                .inspect_err(|error| {
                    tracing::warn!(code = "ONNXRUNTIME_NOT_USABLE", error, "rten runs the models instead");
                })
                .ok(),
        };
        Runtime { pool, onnxruntime }
    }

    /// Returns the threads for work between two runs of a network.
    pub(super) fn pool(&self) -> &ThreadPool {
        &self.pool
    }
}

impl Network {
    /// Loads a network from the bytes of its ONNX file. rten loads what onnxruntime cannot load.
    pub(super) fn load(
        model: &'static str,
        bytes: Vec<u8>,
        runtime: &Runtime,
    ) -> Result<Network, ModelError> {
        let session = runtime.onnxruntime.as_ref().and_then(|onnxruntime| {
            let session = onnxruntime.session(&bytes).inspect_err(|error| {
                tracing::warn!(code = "ONNXRUNTIME_NOT_USABLE", model, error, "rten runs the model instead");
            });
            session.ok()
        });
        let backend: Box<dyn Backend> = match session {
            Some(session) => Box::new(session),
            None => {
                let loaded = rten::Loaded::new(bytes, runtime.pool.clone());
                Box::new(loaded.map_err(|error| ModelError::malformed(model, error))?)
            }
        };
        Ok(Network { model, names: backend.names(), backend })
    }

    /// Returns the parameters of a run for a document's `runs[]`, with the runtime if it is not rten.
    pub(super) fn with_runtime<const N: usize>(
        &self,
        parameters: [(String, String); N],
    ) -> BTreeMap<String, String> {
        let runtime = self.backend.name().map(|name| ("runtime".to_owned(), name.to_owned()));
        parameters.into_iter().chain(runtime).collect()
    }

    /// Returns the names of the outputs, in the order of the file.
    pub(super) fn outputs(&self) -> Vec<&str> {
        self.names.outputs.iter().map(String::as_str).collect()
    }

    /// Runs the network and returns the named outputs.
    pub(super) fn run(
        &self,
        inputs: Vec<(&str, Input)>,
        outputs: &[&str],
    ) -> Result<Vec<Tensor<f32>>, ModelError> {
        let found = self.backend.run(inputs, outputs).map_err(|error| self.failed(error))?;
        if found.len() == outputs.len() {
            Ok(found)
        } else {
            Err(self.failed(format!("{} outputs instead of {}", found.len(), outputs.len())))
        }
    }

    /// Runs a network with one input, and returns its only output.
    pub(super) fn run_one<const N: usize>(
        &self,
        input: NdTensor<f32, 4>,
    ) -> Result<NdTensor<f32, N>, ModelError> {
        let (Names { inputs, outputs }, only) = (&self.names, "not exactly one input and one output");
        let ([name], [output]) = (&inputs[..], &outputs[..]) else { return Err(self.failed(only)) };
        let output = self.run(vec![(name, Input::Floats(input.into_dyn()))], &[output])?.swap_remove(0);
        let dimensions = output.ndim();
        output.try_into().map_err(|_| self.failed(format!("an output of {dimensions} dimensions")))
    }

    /// Returns a value of the network's metadata.
    pub(super) fn metadata(&self, key: &str) -> Option<String> {
        self.backend.metadata(key)
    }

    /// Builds the error for a run.
    pub(super) fn failed(&self, reason: impl std::fmt::Display) -> ModelError {
        ModelError::failed(self.model, reason)
    }
}
