//! Properties of jets and identities of eigenpair series.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise, as tests do")]

mod beam;
mod closed_forms;
mod effectivity;
mod erls;
mod forms;
mod jets;
mod journal;
mod kinds;
mod model_series;
mod motion;
mod plan;
mod plan_groups;
mod rank;
mod refusals;
mod series;
mod systems;
mod tracking;
mod trust;
