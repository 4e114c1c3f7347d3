//! Long work whose steps are kept, so that it can go on from them after an end from outside.
//!
//! Files are Python's: `python/mb/_checkpoint.py` gives the steps of an earlier run and writes those that are done now. The worker
//! hands them over; the thread that waits for it calls Python.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};

use mb_parametric::Journal;
use pyo3::prelude::*;

use crate::arrays::vector;
use crate::work;

/// The steps of a run.
pub(crate) struct Steps {
    earlier: VecDeque<Vec<f64>>,
    /// None where nothing is kept.
    kept: Option<Sender<Vec<f64>>>,
}

impl Steps {
    /// Whether steps are kept.
    pub(crate) fn are_kept(&self) -> bool {
        self.kept.is_some()
    }
}

impl Journal for Steps {
    fn recall(&mut self) -> Option<Vec<f64>> {
        self.earlier.pop_front()
    }

    fn keep(&mut self, numbers: Vec<f64>) {
        if let Some(kept) = &self.kept {
            // Nobody listens any more after an interrupt.
            let _ = kept.send(numbers);
        }
    }
}

/// As [`work::run_watched`], with the steps of `checkpoint`: its list `earlier`, and its method `keep`, called with each step.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    checkpoint: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut Steps) -> T + Send + 'static,
    watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (send, kept) = channel();
    let earlier = match checkpoint {
        Some(checkpoint) => checkpoint.getattr("earlier")?.extract::<Vec<Vec<f64>>>()?.into(),
        None => VecDeque::new(),
    };
    let mut steps = Steps { earlier, kept: checkpoint.map(|_| send) };
    let keep = |py: Python<'_>, numbers: Vec<f64>| match checkpoint {
        Some(checkpoint) => checkpoint.call_method1("keep", (vector(py, numbers),)).map(|_| ()),
        None => Ok(()),
    };
    run_handing_over(py, &kept, keep, move || work(&mut steps), watch)
}

/// As [`work::run_watched`]; what the work sends is handed to `take` by the thread that waits, and what it has sent until an
/// interrupt too.
pub(crate) fn run_handing_over<T: Send + 'static, S>(
    py: Python<'_>,
    sent: &Receiver<S>,
    take: impl Fn(Python<'_>, S) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
    mut watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let drain = |py: Python<'_>| sent.try_iter().try_for_each(|one| take(py, one));
    let out = work::run_watched(py, work, |py| drain(py).and_then(|()| watch(py)));
    let rest = drain(py);
    let out = out?;
    rest.map(|()| out)
}
