//! A linearized model as the folder of a problem for the distributed engine.

use crate::AnalysisError;
use crate::part::{self, PartProblem};
use mb_engine::{EngineError, Problem, Stream};
use mb_linear::{OperatingPoint, linearize_by_columns};
use mb_model::Model;

/// Writes the folder of a linearized model, column by column where that can be, so that its matrices are never whole in memory; gives
/// the unknowns with constraint rows.
///
/// # Errors
/// As [`part::problem`] and [`Stream::write`].
pub fn write_folder<E: From<AnalysisError> + From<EngineError>>(
    stream: &Stream<'_>,
    model: &Model,
    at: &OperatingPoint,
) -> Result<usize, E> {
    let Stream { request, words, options, ranks, folder } = *stream;
    // Of a task the zeros that there can be are a part, whether matrices are whole or come in pieces.
    let (_, known) = part::with_free(model, at, options);
    let stream = Stream { options: &known, ..*stream };
    if let Some(unknowns) = stream.write(model.nv(), |take| linearize_by_columns(model, at, take))? {
        return Ok(unknowns);
    }
    let PartProblem { pencil, parts, options, .. } = part::problem(model, at, options)?;
    let problem = Problem { pencil: &pencil, parts: parts.as_ref(), request, words, options: &options };
    Ok(problem.write(ranks, folder)?)
}
