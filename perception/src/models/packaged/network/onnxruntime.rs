//! onnxruntime: a library that is loaded when the process starts, if the operator chose it.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use ort::{
    environment::Environment,
    ep::{self, ExecutionProvider as _},
    session::{OutputSelector, RunOptions, Session, SessionInputValue, builder::SessionBuilder},
    value::{Outlet, Tensor as Value},
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

    /// Loads a network. Hardware that fails only now, for example because a driver is missing, is left out.
    pub(super) fn session(&self, bytes: &[u8]) -> Result<Loaded, String> {
        let loaded = self.load_on(&self.providers, bytes).or_else(|error| {
            if self.providers.is_empty() {
                return Err(error);
            }
            tracing::warn!(code = "EXECUTION_PROVIDER_NOT_USABLE", %error, "the processor is used");
            self.load_on(&[], bytes)
        });
        loaded.map_err(|error| error.to_string())
    }

    fn load_on(&self, providers: &[ExecutionProvider], bytes: &[u8]) -> ort::Result<Loaded> {
        let mut builder = Session::builder(&self.environment)?
            .with_intra_threads(self.threads)?
            // Threads that wait for work would take processor time from other work.
            .with_intra_op_spinning(false)?
            // Pictures and lines have many sizes. A plan of memory for each of them would be kept.
            .with_memory_pattern(false)?;
        for provider in providers {
            register(*provider, &mut builder)?;
        }
        let session = Mutex::new(builder.commit_from_memory(bytes)?);
        let providers = providers.iter().map(|provider| provider.name()).chain(["cpu"]);
        let name = format!("onnxruntime ({})", providers.collect::<Vec<_>>().join(", "));
        Ok(Loaded { session, name })
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
pub(super) struct Loaded {
    session: Mutex<Session>,
    /// The runtime and its execution providers.
    name: String,
}

impl Loaded {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Loaded {
    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn names(&self) -> Names {
        let session = self.session();
        let names = |outlets: &[Outlet]| outlets.iter().map(|outlet| outlet.name().to_owned()).collect();
        Names { inputs: names(session.inputs()), outputs: names(session.outputs()) }
    }

    fn metadata(&self, key: &str) -> Option<String> {
        self.session().metadata().ok()?.custom(key)
    }

    fn run(&self, inputs: Vec<(&str, Input)>, outputs: &[&str]) -> Result<Vec<Tensor<f32>>, String> {
        run(&mut self.session(), inputs, outputs).map_err(|error| error.to_string())
    }
}

fn run(session: &mut Session, inputs: Vec<(&str, Input)>, outputs: &[&str]) -> ort::Result<Vec<Tensor<f32>>> {
    let inputs = inputs.into_iter().map(|(name, input)| Ok((name, value(input)?)));
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
fn value(input: Input) -> ort::Result<SessionInputValue<'static>> {
    Ok(match input {
        Input::Floats(tensor) => Value::from_array((tensor.shape().to_vec(), tensor.into_data()))?.into(),
        Input::Integers(tensor) => {
            let shape = tensor.shape().to_vec();
            let values: Vec<i64> = tensor.into_data().into_iter().map(i64::from).collect();
            Value::from_array((shape, values))?.into()
        }
    })
}
