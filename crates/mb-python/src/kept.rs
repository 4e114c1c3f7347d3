//! Long work whose steps are kept, so that it can go on from them after an end from outside.
//!
//! The file is held by the thread that waits, which writes the steps that the worker hands over: it is closed as soon as an interrupt
//! is raised, while the worker may go on to its next look.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use mb_analysis::checkpoint::{Checkpoint, Run};
use mb_parametric::Journal;
use pyo3::prelude::*;

use crate::model::Model;
use crate::{errors, work};

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

/// As [`work::run_watched`], with the steps of `analysis` of a model with its `options` in the file `checkpoint`. A run that has
/// `finished` needs it no more.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    checkpoint: Option<PathBuf>,
    (analysis, model, options): (&str, &Model, &impl Debug),
    work: impl FnOnce(&mut Steps) -> T + Send + 'static,
    finished: impl Fn(&T) -> bool,
    watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let Some(path) = checkpoint else {
        let mut steps = Steps { earlier: VecDeque::new(), kept: None };
        return work::run_watched(py, move || work(&mut steps), watch);
    };
    let run = Run::new(analysis, &model.spec(), options);
    let file = Checkpoint::open(Some(&path), &run).map_err(|e| errors::checkpoint(py, e))?;
    let file = RefCell::new(file);
    let earlier = std::iter::from_fn(|| file.borrow_mut().recall()).collect();
    let (send, kept) = channel();
    let mut steps = Steps { earlier, kept: Some(send) };
    let keep = |_: Python<'_>, numbers| {
        file.borrow_mut().keep(numbers);
        Ok(())
    };
    let out = run_handing_over(py, &kept, keep, move || work(&mut steps), watch)?;
    file.into_inner().end(finished(&out)).map_err(|e| errors::checkpoint(py, e))?;
    Ok(out)
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
