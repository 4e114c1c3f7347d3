//! Models that can be made in every scalar.

use crate::element::Data;
use crate::model::Model;
use crate::spec::{ModelError, ModelSpec};
use mb_scalar::jet::DynJet;
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

/// The object-safe face of [`ModelSource`]; implemented for every source, never by hand.
///
/// With it the code that expands models is compiled once and not again for each source.
#[expect(missing_docs, reason = "one method per data scalar, each the method of ModelSource of that name")]
pub trait AnySource: Sync {
    fn model_f64(&self, given: &BTreeMap<String, f64>) -> Result<Model, ModelError>;
    fn model_70(&self, given: &BTreeMap<String, DynJet<70>>) -> Result<Model<DynJet<70>>, ModelError>;
    fn model_495(&self, given: &BTreeMap<String, DynJet<495>>) -> Result<Model<DynJet<495>>, ModelError>;
    fn value_of(&self, name: &str) -> Result<Option<f64>, ModelError>;
}

impl<S: ModelSource + Sync> AnySource for S {
    fn model_f64(&self, given: &BTreeMap<String, f64>) -> Result<Model, ModelError> {
        self.model(given)
    }
    fn model_70(&self, given: &BTreeMap<String, DynJet<70>>) -> Result<Model<DynJet<70>>, ModelError> {
        self.model(given)
    }
    fn model_495(&self, given: &BTreeMap<String, DynJet<495>>) -> Result<Model<DynJet<495>>, ModelError> {
        self.model(given)
    }
    fn value_of(&self, name: &str) -> Result<Option<f64>, ModelError> {
        self.parameter(name)
    }
}
