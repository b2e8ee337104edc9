//! onnxruntime: a library that is loaded when the process starts, if the operator chose it.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use ort::{
    environment::Environment,
    ep::{self, ExecutionProvider as _},
    session::{OutputSelector, RunOptions, Session, SessionInputValue, builder::SessionBuilder},
    value::Outlet,
};
use rten_tensor::Tensor;
use rten_tensor::prelude::*;

use super::{Backend, Input, Names};
use crate::models::settings::{ExecutionProvider, OnnxruntimeSettings};

/// The library, loaded.
#[derive(Clone)]
pub(super) struct Onnxruntime {
    environment: Environment,
    /// Execution providers that this machine has, in order.
    providers: Vec<ExecutionProvider>,
    threads: usize,
}

impl Onnxruntime {
    /// Loads the library.
    pub(super) fn load(settings: &OnnxruntimeSettings, threads: usize) -> Result<Onnxruntime, String> {
        let environment = environment(&settings.library_path())?;
        let providers = settings.execution_providers.iter().copied().filter(|provider| {
            let registered = Session::builder(&environment)
                .and_then(|mut builder| register(*provider, &mut builder));
            if let Err(error) = &registered {
                let provider = provider.name();
                tracing::warn!(code = "EXECUTION_PROVIDER_NOT_USABLE", provider, %error, "the next one is used");
            }
            registered.is_ok()
        });
        let providers = providers.collect();
        Ok(Onnxruntime { environment, providers, threads })
    }

    /// Returns the runtime and its execution providers, for a document.
    pub(super) fn name(&self) -> String {
        let providers = self.providers.iter().map(|provider| provider.name()).chain(["cpu"]);
        format!("onnxruntime ({})", providers.collect::<Vec<_>>().join(", "))
    }

    /// Loads a network.
    pub(super) fn session(&self, bytes: &[u8]) -> Result<Loaded, String> {
        let session = self.build(bytes).map_err(|error| error.to_string())?;
        Ok(Loaded(Mutex::new(session)))
    }

    fn build(&self, bytes: &[u8]) -> ort::Result<Session> {
        let mut builder = Session::builder(&self.environment)?
            .with_intra_threads(self.threads)?
            // Threads that wait for work would take processor time from other work.
            .with_intra_op_spinning(false)?
            // Pictures and lines have many sizes. A plan of memory for each of them would be kept.
            .with_memory_pattern(false)?;
        for provider in &self.providers {
            register(*provider, &mut builder)?;
        }
        builder.commit_from_memory(bytes)
    }
}

/// Returns the environment of the library. A process has one, of the first library that was found.
fn environment(library: &Path) -> Result<Environment, String> {
    static ENVIRONMENT: OnceLock<Result<Environment, String>> = OnceLock::new();
    if !library.is_file() {
        return Err(format!(
            "{} is missing; `cargo xtask setup --onnxruntime` installs it",
            library.display()
        ));
    }
    let load = || {
        let environment = ort::init_from(library).map_err(|error| error.to_string())?;
        environment.build().map_err(|error| error.to_string())
    };
    ENVIRONMENT.get_or_init(load).clone()
}

fn register(provider: ExecutionProvider, builder: &mut SessionBuilder) -> ort::Result<()> {
    match provider {
        ExecutionProvider::Cuda => ep::CUDA::default().register(builder),
        ExecutionProvider::Tensorrt => ep::TensorRT::default().register(builder),
        ExecutionProvider::Openvino => ep::OpenVINO::default().register(builder),
        ExecutionProvider::Migraphx => ep::MIGraphX::default().register(builder),
    }
}

/// A network in onnxruntime. It runs once at a time, with all threads.
pub(super) struct Loaded(Mutex<Session>);

impl Loaded {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Loaded {
    fn names(&self) -> Names {
        let session = self.session();
        let names = |outlets: &[Outlet]| outlets.iter().map(|outlet| outlet.name().to_owned()).collect();
        Names { inputs: names(session.inputs()), outputs: names(session.outputs()) }
    }

    fn metadata(&self, key: &str) -> Option<String> {
        self.session().metadata().ok()?.custom(key)
    }

    fn run(&self, inputs: Vec<(&str, Input)>, outputs: &[&str]) -> Result<Vec<Tensor<f32>>, String> {
        run(&mut self.session(), &inputs, outputs).map_err(|error| error.to_string())
    }
}

fn run(session: &mut Session, inputs: &[(&str, Input)], outputs: &[&str]) -> ort::Result<Vec<Tensor<f32>>> {
    let inputs = inputs.iter().map(|(name, input)| Ok((*name, value(input)?)));
    let inputs = inputs.collect::<ort::Result<Vec<_>>>()?;
    let wanted = outputs.iter().fold(OutputSelector::no_default(), |wanted, name| wanted.with(*name));
    let options = RunOptions::new()?.with_outputs(wanted);
    let found = session.run_with_options(inputs, &options)?;
    let tensor = |name: &&str| {
        let value = found.get(name).ok_or_else(|| ort::Error::new(format!("no output {name}")))?;
        let (shape, values) = value.try_extract_tensor::<f32>()?;
        let shape: Vec<usize> = shape.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
        Ok(Tensor::from_data(&shape, values.to_vec()))
    };
    outputs.iter().map(tensor).collect()
}

/// Returns the value of an input. Indices have 64 bits in ONNX files.
fn value(input: &Input) -> ort::Result<SessionInputValue<'_>> {
    Ok(match input {
        Input::Floats(tensor) => {
            let values = tensor.to_vec();
            ort::value::Tensor::from_array((tensor.shape().to_vec(), values))?.into()
        }
        Input::Integers(tensor) => {
            let values: Vec<i64> = tensor.iter().map(|value| i64::from(*value)).collect();
            ort::value::Tensor::from_array((tensor.shape().to_vec(), values))?.into()
        }
    })
}
