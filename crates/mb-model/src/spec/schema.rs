//! JSON Schema of the model file, for editors.

use super::ModelSpec;

/// The JSON Schema of a model file.
///
/// An editor with TOML support uses it when the file starts with a line such as
/// `#:schema model.schema.json`.
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(ModelSpec);
    schema.insert("title".to_owned(), "Model of a multibody system".into());
    schema.to_value()
}
