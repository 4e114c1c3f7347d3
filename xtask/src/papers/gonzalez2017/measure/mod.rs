//! The measurements, made with the library as any user would.

mod closed_form;
mod explicit_run;
mod features;
mod linkage;
mod singular;
mod spectra;
mod timing;

use std::path::Path;

use mb_linear::formulation::unconstrained::Penalty;
use mb_model::ModelSpec;

use super::results::{Counted, Linkage, Results};
use crate::error::TaskError;
use crate::root;

/// The model file of the linkage; N and c are parameters.
const LINKAGE: &str = "fixtures/models/n-four-bar.toml";
/// The model file of the singular equilibrium.
const SINGULAR: &str = "fixtures/models/n-four-bar-singular.toml";
/// The paper's numbers of loops.
const LOOPS: [usize; 5] = [1, 5, 10, 15, 20];

/// The paper's penalty parameters for the linkage: alpha = 1e6, xi = 1, omega = 10.
fn penalty() -> Penalty {
    Penalty::scalar(1e6, 1.0, 10.0)
}

impl Results {
    /// Measures everything once. What fails is told in the cells it would have filled.
    pub(crate) fn measure(root: &Path) -> Result<Self, TaskError> {
        let spec = load(root, LINKAGE)?;
        let mut linkages: Vec<Linkage> = Vec::new();
        for damped in [false, true] {
            linkages.extend(LOOPS.iter().map(|&loops| linkage::measure(&spec, loops, damped)));
        }
        let counted: Vec<Counted> = [1, 20].iter().flat_map(|&loops| linkage::count(&spec, loops)).collect();
        let singular = singular::measure(&load(root, SINGULAR)?);
        let features = features::measure(&spec);
        Ok(Self { linkages, counted, singular, features })
    }
}

fn load(root: &Path, file: &str) -> Result<ModelSpec, TaskError> {
    ModelSpec::from_toml(&root::read(root, file)?)
        .map_err(|e| TaskError::Malformed { file: file.to_owned(), why: e.to_string() })
}
