//! The model: from a file or the standard input to a checked [`Model`].

use crate::args::{Assignment, ModelArgs};
use crate::failure::{Failure, MODEL_FILE, RequestError};
use mb_model::Model;
use mb_model::spec::{ModelSpec, Value};
use std::io::Read;
use std::path::Path;

/// The text of a model file and what to call it.
#[derive(Clone, Debug)]
pub struct Text {
    /// The path as given, or `<stdin>`.
    pub name: String,
    /// The text.
    pub content: String,
}

impl Text {
    /// Reads a file, or the standard input for `-`.
    ///
    /// # Errors
    /// [`Failure::Unreadable`].
    pub fn read(path: &str) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        let read = if path == "-" {
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            std::fs::read(path).map(|b| bytes = b)
        };
        let unreadable = |source| Failure::Unreadable { what: MODEL_FILE, path: path.to_owned(), source };
        read.map_err(unreadable)?;
        let content = String::from_utf8(bytes).map_err(|e| {
            unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, e.utf8_error().to_string()))
        })?;
        let name = if path == "-" { "<stdin>".to_owned() } else { path.to_owned() };
        // Editors of some systems put a mark in front.
        let content = content.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(content);
        Ok(Self { name, content })
    }
}

/// A model with where it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Name of the file.
    pub file: String,
    /// Parameters that were changed.
    pub set: Vec<Assignment>,
    /// The description.
    pub spec: ModelSpec,
    /// The model.
    pub model: Model,
}

/// Makes the model of a text with some parameters changed.
///
/// # Errors
/// [`Failure::Model`] with the line of every problem; [`RequestError::NoSuchParameter`].
pub fn load(text: &Text, args: &ModelArgs) -> Result<Loaded, Failure> {
    let mut spec = ModelSpec::from_toml(&text.content)?;
    read_meshes(&mut spec, &text.name)?;
    for set in &args.set {
        if !spec.parameters.contains_key(&set.name) {
            let known = spec.parameters.keys().cloned().collect();
            return Err(RequestError::NoSuchParameter { name: set.name.clone(), known }.into());
        }
        spec.set_parameter(&set.name, value(&set.value))?;
    }
    let model = spec.build().map_err(|e| e.located(&text.content))?;
    Ok(Loaded { file: text.name.clone(), set: args.set.clone(), spec, model })
}

/// Reads the mesh files that solids ask for, as seen from the model file; those that are not there are said with
/// their tables.
fn read_meshes(spec: &mut ModelSpec, model: &str) -> Result<(), Failure> {
    let folder = Path::new(model).parent().unwrap_or_else(|| Path::new(""));
    for file in spec.mesh_files() {
        let path = folder.join(&file);
        match std::fs::read_to_string(&path) {
            Ok(text) => spec.attach_mesh(file, &text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => {
                let path = path.display().to_string();
                return Err(Failure::Unreadable { what: "mesh file", path, source });
            }
        }
    }
    Ok(())
}

/// A number where it is one, an expression otherwise.
fn value(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::from(text), Value::Number)
}
