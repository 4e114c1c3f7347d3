//! `mb schema`: the JSON Schema of the model file.

/// The schema as text.
pub fn run() -> String {
    format!("{:#}\n", mb_model::spec::json_schema())
}
