//! The native module of the Python package: arrays in, results out; what users call is in `python/mb`.
//!
//! Without the feature `extension` the crate is empty.
#![cfg(feature = "extension")]

mod arrays;
mod campbell;
mod charts;
mod check;
mod eigs;
mod engine;
mod errors;
mod findings;
mod fork;
mod gallery;
mod kept;
mod memory;
mod model;
mod motion;
mod options;
mod page;
mod periodic;
mod plan;
mod response;
mod series;
mod site;
mod spectrum;
mod sweep;
mod track;
mod work;

use pyo3::prelude::*;

/// The functions and classes that `python/mb` builds on.
#[pymodule]
mod _mb {
    #[pymodule_export]
    use crate::arrays::petsc;
    #[pymodule_export]
    use crate::campbell::campbell;
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::eigs::{eigs, eigs_descriptor};
    #[pymodule_export]
    use crate::engine::{engine_job, model_engine_job};
    #[pymodule_export]
    use crate::gallery::{gallery, generate, schema};
    #[pymodule_export]
    use crate::memory::memory_for;
    #[pymodule_export]
    use crate::model::{Model, meant, mesh_files};
    #[pymodule_export]
    use crate::motion::{Motion, simulate};
    #[pymodule_export]
    use crate::page::page;
    #[pymodule_export]
    use crate::periodic::{Orbit, exponents, orbit};
    #[pymodule_export]
    use crate::response::{matrix_response, response};
    #[pymodule_export]
    use crate::series::{Series, series};
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::spectrum::Spectrum;
    #[pymodule_export]
    use crate::sweep::sweep;
    #[pymodule_export]
    use crate::track::{Track, track};
    #[pymodule_export]
    use crate::work::{busy, watch_progress};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::fork::born();
        crate::memory::keep_between_calls();
        m.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
