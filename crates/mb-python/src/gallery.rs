//! Models to start from, and the schema of the model file.

use mb_gallery::GalleryError;
use mb_gallery::catalogue::{self, MODELS};
use mb_model::spec::nearest;
use pyo3::prelude::*;

use crate::{errors, work};

/// Names of the models that [`generate`] has, and what each shows.
#[pyfunction]
pub(crate) fn gallery() -> Vec<(&'static str, &'static str)> {
    MODELS.iter().map(|m| (m.name, m.about)).collect()
}

/// The text of a model with parameters changed.
#[pyfunction]
pub(crate) fn generate(py: Python<'_>, name: &str, set: Vec<(String, String)>) -> PyResult<String> {
    let wanted = name.to_owned();
    work::run(py, move || catalogue::generate(&wanted, &set))?.map_err(|e| {
        let (name, known, what) = match &e {
            GalleryError::NoSuchParameter { name, known } => (name.as_str(), known.clone(), "parameter"),
            _ => (name, MODELS.iter().map(|m| m.name.to_owned()).collect(), "model"),
        };
        let help = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean '{near}'?"),
            None if known.is_empty() => "it has none".to_owned(),
            None => format!("there are: {}", known.join(", ")),
        };
        let message = match what {
            "model" => format!("no model of the gallery is named '{name}'; {help}"),
            _ => format!("the model has no parameter '{name}'; {help}"),
        };
        errors::request(py, message, &help)
    })
}

/// The JSON Schema of the model file: the one that `cargo xtask schema` writes.
#[pyfunction]
pub(crate) fn schema() -> &'static str {
    include_str!("../../mb-cli/model.schema.json")
}
