//! `mb schema`: the JSON Schema of the model file.

/// The schema as text: the file that `cargo xtask schema` writes. Made anew in every run, it would be half a megabyte of code.
pub fn run() -> String {
    include_str!("../../model.schema.json").to_owned()
}
