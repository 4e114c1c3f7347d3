//! Whether a model is what was meant, as a dictionary.

use mb_analysis::check::check as check_model;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::vector;
use crate::model::Model;
use crate::options::{Place, read};
use crate::site::Site;
use crate::{errors, work};

/// What a model has, its start, rank, equilibrium and free motions.
#[pyfunction]
pub(crate) fn check<'py>(py: Python<'py>, model: &Model, place: &str) -> PyResult<Bound<'py, PyDict>> {
    let place: Place = read(py, place)?;
    let (start, mechanism) = (place.start(), model.mechanism());
    let own = model.mechanism();
    let found =
        work::run(py, move || check_model(&mechanism, &start))?.map_err(|e| errors::analysis(py, &e))?;
    let out = PyDict::new(py);
    let parts: Vec<(String, usize)> = found.parts.into_iter().map(|p| (p.kind, p.count)).collect();
    out.set_item("parts", parts)?;
    out.set_item("q", vector(py, found.start.q))?;
    out.set_item("moved", found.start.moved)?;
    out.set_item("not_kept", found.start.not_kept)?;
    out.set_item("violation", found.start.violation.map(|(row, by)| (own.row_name(row), by)))?;
    let redundant = found.rank.redundant.iter();
    let redundant: Vec<_> = redundant.map(|r| (r.name.clone(), r.depends_on.clone())).collect();
    out.set_item("rank", found.rank.rank())?;
    out.set_item("redundant", redundant)?;
    out.set_item("other_rank", found.other_rank)?;
    out.set_item("undetermined", found.undetermined.map(|finding| finding.to_string()))?;
    out.set_item("idle_gravity", found.idle_gravity)?;
    let (site, failure) = match found.settled {
        Ok(settled) => (Some(Site::new(model.mechanism(), mb_analysis::Site::Rest(Box::new(settled)))), None),
        Err(e) => (None, Some(e.to_string())),
    };
    out.set_item("site", site)?;
    out.set_item("failure", failure)?;
    let (rigid, reason) = match found.rigid {
        None => (None, None),
        Some(Err(e)) => (None, Some(e.to_string())),
        Some(Ok(modes)) => {
            let modes: Vec<_> = modes.into_iter().map(|m| (m.dominant, m.drifting)).collect();
            (Some(modes), None)
        }
    };
    out.set_item("free", rigid)?;
    out.set_item("free_failure", reason)?;
    out.set_item("speeds_aside", mb_analysis::speeds_aside(&own, "motion_point() takes them"))?;
    Ok(out)
}
