//! What the tests share.

use mb_constraints::simulate::{StartPolicy, consistent_start};
use mb_model::{Model, ModelSpec};
use mb_periodic::State;

/// A model with some parameters changed.
pub(crate) fn model(text: &str, set: &[(&str, f64)]) -> Model {
    let mut spec = ModelSpec::from_toml(text).unwrap();
    for (name, value) in set {
        spec.set_parameter(name, mb_model::spec::Value::Number(*value)).unwrap();
    }
    spec.build().unwrap()
}

/// The model's own start, assembled.
pub(crate) fn start(model: &Model) -> State {
    let start =
        consistent_start(model, model.initial(), model.initial_velocity(), 0.0, StartPolicy::Assemble, &[])
            .unwrap();
    State { t: 0.0, q: start.q, v: start.v }
}
