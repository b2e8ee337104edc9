//! rten: a runtime in Rust, compiled in. It is the default.

use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool};
use rten_tensor::Tensor;

use super::{Backend, Input, Names};

/// A network in rten.
pub(super) struct Loaded {
    model: Model,
    pool: Arc<ThreadPool>,
}

impl Loaded {
    pub(super) fn new(bytes: Vec<u8>, pool: Arc<ThreadPool>) -> Result<Loaded, String> {
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        Ok(Loaded { model, pool })
    }
}

impl Backend for Loaded {
    fn name(&self) -> Option<&str> {
        None
    }

    fn names(&self) -> Names {
        let name = |id: &NodeId| self.model.node_info(*id).and_then(|node| node.name().map(str::to_owned));
        Names {
            inputs: self.model.input_ids().iter().filter_map(name).collect(),
            outputs: self.model.output_ids().iter().filter_map(name).collect(),
        }
    }

    fn metadata(&self, key: &str) -> Option<String> {
        self.model.metadata().get(key).map(str::to_owned)
    }

    fn run(&self, inputs: Vec<(&str, Input)>, outputs: &[&str]) -> Result<Vec<Tensor<f32>>, String> {
        let message = |error: &dyn std::fmt::Display| error.to_string();
        let node = |name: &str| self.model.node_id(name).map_err(|error| message(&error));
        let inputs = inputs.into_iter().map(|(name, input)| {
            let value = match input {
                Input::Floats(tensor) => tensor.into(),
                Input::Integers(tensor) => tensor.into(),
            };
            Ok((node(name)?, value))
        });
        let inputs = inputs.collect::<Result<Vec<_>, String>>()?;
        let outputs = outputs.iter().map(|name| node(name)).collect::<Result<Vec<_>, String>>()?;
        let options = RunOptions::default().with_thread_pool(Some(self.pool.clone()));
        let found = self.model.run(inputs, &outputs, Some(options)).map_err(|error| message(&error))?;
        found.into_iter().map(|value| value.try_into().map_err(|error| message(&error))).collect()
    }
}
