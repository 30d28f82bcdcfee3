//! Runs the network of a `model.onnx` (tract). Broken files are errors, also where the runner itself gives up on them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tract_onnx::prelude::*;

use super::Network;

/// What a piece is given for, by the name of the input.
#[derive(Clone, Copy)]
enum Input {
    Pieces,
    /// Which pieces count: all of them.
    Mask,
    /// Which of two texts a piece is of: the first.
    Text,
}

pub(super) struct Onnx {
    plan: Arc<TypedRunnableModel>,
    inputs: Vec<Input>,
    labels: usize,
}

impl Onnx {
    pub(super) fn load(path: &Path, labels: usize) -> Result<Onnx, String> {
        guarded(|| {
            let mut model = tract_onnx::onnx().model_for_path(path).map_err(told)?;
            let outlets = model.input_outlets().map_err(told)?.to_vec();
            let length = model.symbols.sym("pieces");
            let mut inputs = Vec::new();
            for (at, outlet) in outlets.iter().enumerate() {
                let name = model.node(outlet.node).name.clone();
                inputs.push(match name.as_str() {
                    "input_ids" => Input::Pieces,
                    "attention_mask" => Input::Mask,
                    "token_type_ids" => Input::Text,
                    _ => {
                        return Err(format!(
                            "it asks for {name:?}; input_ids, attention_mask and token_type_ids can be given"
                        ));
                    }
                });
                let shape: [TDim; 2] = [1.to_dim(), length.clone().into()];
                model.set_input_fact(at, i64::fact(shape).into()).map_err(told)?;
            }
            let plan = model.into_optimized().and_then(|model| model.into_runnable()).map_err(told)?;
            Ok(Onnx { plan, inputs, labels })
        })
    }
}

impl Network for Onnx {
    fn run(&self, pieces: &[u32]) -> Result<Vec<f32>, String> {
        guarded(|| {
            let tensor = |input: &Input| -> TractResult<TValue> {
                let numbers: Vec<i64> = match input {
                    Input::Pieces => pieces.iter().map(|id| i64::from(*id)).collect(),
                    Input::Mask => vec![1; pieces.len()],
                    Input::Text => vec![0; pieces.len()],
                };
                Ok(Tensor::from_shape(&[1, pieces.len()], &numbers)?.into_tvalue())
            };
            let inputs = self.inputs.iter().map(tensor).collect::<TractResult<_>>().map_err(told)?;
            let outputs = self.plan.run(inputs).map_err(told)?;
            let output = outputs.first().ok_or("it gives nothing")?;
            if output.shape() != [1, pieces.len(), self.labels] {
                return Err(format!(
                    "it gives numbers in the shape {:?}; {} labels for each of {} pieces are needed",
                    output.shape(),
                    self.labels,
                    pieces.len()
                ));
            }
            let numbers = output.to_plain_array_view::<f32>().map_err(told)?;
            Ok(numbers.iter().copied().collect())
        })
    }
}

/// The first line says what is wrong, the rest where in the runner.
fn told(fault: TractError) -> String {
    let whole = format!("{fault:#}");
    whole.lines().next().unwrap_or_default().chars().take(300).collect()
}

/// A file that makes the runner give up is wrong, and the program goes on.
fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it cannot be run".to_owned()))
}
