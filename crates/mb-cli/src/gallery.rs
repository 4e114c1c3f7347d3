//! Models to start from, as text.

use crate::args::Assignment;
use crate::failure::RequestError;
use mb_gallery::GalleryError;
use mb_gallery::catalogue;
pub use mb_gallery::catalogue::{GalleryModel, MODELS, find};

/// The text of a model with parameters changed in its table `[parameters]`; whether the changed
/// model is right is for the caller to check.
///
/// # Errors
/// [`RequestError`] for a model or a parameter that does not exist.
pub fn generate(name: &str, set: &[Assignment]) -> Result<String, RequestError> {
    let set: Vec<(String, String)> = set.iter().map(|a| (a.name.clone(), a.value.clone())).collect();
    catalogue::generate(name, &set).map_err(|e| match e {
        GalleryError::NoSuchParameter { name, known } => {
            RequestError::NoSuchParameter { option: "--set", name, known }
        }
        // The catalogue reads no files: what is left is a model that it does not have.
        _ => RequestError::NoSuchModel {
            name: name.to_owned(),
            known: MODELS.iter().map(|m| m.name.to_owned()).collect(),
        },
    })
}
