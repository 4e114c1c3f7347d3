//! The model: from a file or the standard input to a checked [`Model`].

use crate::args::{Assignment, ModelArgs};
use crate::failure::{Failure, MODEL_FILE, RequestError, remedy};
use mb_model::Model;
use mb_model::spec::{ModelError, ModelSpec, Value, legible};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The text of a model file and what to call it.
#[derive(Clone, Debug)]
pub struct Text {
    /// The path as it can be shown, or `<stdin>`.
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
        let unreadable = |source| Failure::Unreadable { what: MODEL_FILE, path: path.to_owned(), source };
        if path == "-" {
            let most = std::io::stdin().lock().take(LARGEST_MODEL + 1).read_to_end(&mut bytes);
            most.and_then(|_| small_enough(bytes.len(), LARGEST_MODEL)).map_err(unreadable)?;
        } else {
            bytes = read_file(Path::new(path), LARGEST_MODEL).map_err(unreadable)?;
        }
        let content = String::from_utf8(bytes).map_err(|e| {
            unreadable(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to() + 1),
            ))
        })?;
        let name = if path == "-" { "<stdin>".to_owned() } else { legible(path) };
        // Editors of some systems put a mark in front.
        let content = content.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(content);
        Ok(Self { name, content })
    }
}

/// Largest model file in bytes; a model of ten million unknowns is a mesh with a short text.
const LARGEST_MODEL: u64 = 1 << 28;
/// Largest file of a mesh, of matrices or of a start in bytes.
pub const LARGEST_FILE: u64 = 1 << 34;

/// Reads a file that is not larger than `most` bytes, and is the same at the end as at the beginning.
///
/// # Errors
/// The errors of the system; a file that is too large, or that changes while it is read.
pub fn read_file(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let before = file.metadata()?;
    let mut bytes = Vec::new();
    (&file).take(most + 1).read_to_end(&mut bytes)?;
    small_enough(bytes.len(), most)?;
    let after = file.metadata()?;
    let regular = before.is_file();
    if regular && (after.len() != bytes.len() as u64 || after.modified().ok() != before.modified().ok()) {
        return Err(std::io::Error::other("it changed while it was read; try again when it is written"));
    }
    Ok(bytes)
}

fn small_enough(size: usize, most: u64) -> std::io::Result<()> {
    if size as u64 <= most {
        return Ok(());
    }
    Err(std::io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {} MiB", most >> 20)))
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
    load_with(text, args, ("--set", &[]))
}

/// The same with further parameters that another option changes, by whose name messages call them.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    text: &Text,
    args: &ModelArgs,
    (option, more): (&'static str, &[Assignment]),
) -> Result<Loaded, Failure> {
    let changes = || args.set.iter().map(|set| ("--set", set)).chain(more.iter().map(|set| (option, set)));
    let mut spec = ModelSpec::from_toml(&text.content)?;
    read_meshes(&mut spec, &args.model);
    for (option, set) in changes() {
        if !spec.parameters.contains_key(&set.name) {
            let known = spec.parameters.keys().cloned().collect();
            return Err(RequestError::NoSuchParameter { option, name: set.name.clone(), known }.into());
        }
        spec.set_parameter(&set.name, value(&set.value))?;
    }
    let model = spec.build().map_err(|error| {
        let given = |error: ModelError, (option, set): (&str, &Assignment)| {
            error.of_parameter_from(&set.name, &format!("{option} {}={}", set.name, set.value))
        };
        changes().fold(error.located(&text.content), given)
    })?;
    crate::guard::size(model.nv() + model.nc());
    Ok(Loaded { file: text.name.clone(), set: changes().map(|(_, set)| set.clone()).collect(), spec, model })
}

/// Reads the mesh files that solids ask for, as seen from the model file; those that are not there or cannot be read are said
/// with their tables. A model may come from a stranger: only files in its own folder and below are read.
fn read_meshes(spec: &mut ModelSpec, model: &str) {
    let folder = Path::new(model).parent().unwrap_or_else(|| Path::new(""));
    for file in spec.mesh_files() {
        let path = folder.join(&file);
        let read = inside(folder, &path).and_then(|()| read_file(&path, LARGEST_FILE));
        let not_text = |e| std::io::Error::new(ErrorKind::InvalidData, e);
        let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(not_text));
        match text {
            Ok(text) => spec.attach_mesh(file, &text),
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => {
                let help = remedy::unreadable("mesh file", &e).map(str::to_owned);
                spec.refuse_mesh(file, e.to_string(), help);
            }
        }
    }
}

/// Refuses a file outside a folder, and what is no file, wherever links lead.
fn inside(folder: &Path, path: &Path) -> std::io::Result<()> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (home, there) = (here.canonicalize()?, path.canonicalize()?);
    if !there.starts_with(&home) {
        return Err(std::io::Error::other(
            "it is outside the folder of the model file; copy it into that folder",
        ));
    }
    if there.metadata()?.is_file() {
        Ok(())
    } else {
        Err(std::io::Error::other("it is no file; name one in the folder of the model file"))
    }
}

/// A number where it is one, an expression otherwise.
fn value(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::from(text), Value::Number)
}
