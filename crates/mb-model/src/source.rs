//! Models that can be made in every scalar.

use crate::element::Data;
use crate::model::Model;
use crate::spec::{ModelError, ModelSpec};
use std::collections::BTreeMap;

/// Anything that can make one model in every scalar.
pub trait ModelSource {
    /// The model with some parameters given in the scalar `P`.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn model<P: Data>(&self, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError>;
    /// The value of a parameter, if there is one of that name.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn parameter(&self, name: &str) -> Result<Option<f64>, ModelError>;
}

impl ModelSource for ModelSpec {
    fn model<P: Data>(&self, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError> {
        self.build_with(given)
    }
    fn parameter(&self, name: &str) -> Result<Option<f64>, ModelError> {
        Ok(self.parameter_values()?.get(name).copied())
    }
}
