//! Properties of jets and identities of eigenpair series.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise, as tests do")]

mod beam;
mod closed_forms;
mod jets;
mod model_series;
mod refusals;
mod series;
mod systems;
