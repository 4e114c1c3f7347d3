//! A problem whose lines come one after the other and go straight to a file: what must be known of all of them is gathered on their way.
//!
//! A matrix is symmetric where every entry meets the one that faces it. Entries beyond the diagonal wait for the line that holds the other,
//! so that memory is that of the lines between which a mesh is coupled:
//!
//! ```text
//! |a_ij - a_ji| <= 8 u max(|a_ij|, |a_ji|, sqrt |a_ii a_jj|)
//! ```

use std::collections::BTreeMap;
use std::io;

use mb_algebra::{Sparse, sparse};

use super::outline::Outline;
use super::scaling::Scaling;
use super::{ForEngine, Lines, ScaledMatrix, Task, answerable, free, task};
use crate::EigenError;
use crate::options::{SparseOptions, Structure};
use crate::problem::constraint_rows::Rows;
use crate::request::Request;
use crate::transform::shift_invert::Form;

/// What is known of the lines of M, C and K so far.
#[derive(Debug)]
pub struct Gathering {
    outline: Outline,
    facing: [Facing; 3],
    finite: bool,
    /// Lines so far.
    lines: usize,
}

impl Gathering {
    /// Of matrices of size n whose lines are still to come.
    pub fn new(n: usize) -> Self {
        let facing = std::array::from_fn(|_| Facing::default());
        Self { outline: Outline::new(n), facing, finite: true, lines: 0 }
    }

    /// Adds the next lines of M, C and K: their outer vectors.
    pub fn add(&mut self, matrices: [&Sparse; 3]) {
        self.outline.add(self.lines, matrices);
        for (which, (matrix, facing)) in matrices.into_iter().zip(&mut self.facing).enumerate() {
            for (i, line) in (self.lines..).zip(matrix.outer_iterator()) {
                let diagonal = |i: usize| self.outline.diagonal(i)[which];
                facing.add(i, line.indices().iter().copied().zip(line.data().iter().copied()), &diagonal);
            }
            self.finite &= sparse::first_non_finite(matrix).is_none();
        }
        self.lines += matrices[0].outer_dims();
    }

    /// The problem with constraint rows `phi_q`, m x n. None where its matrices must be whole: unsymmetric ones, coordinates without mass,
    /// entries that are no numbers.
    ///
    /// # Errors
    /// [`EigenError::NotForEngine`] for a request that engines do not answer and a problem without freedom; the rank of the rows.
    pub fn finish(
        self,
        phi_q: &Sparse,
        request: &Request,
        options: &SparseOptions,
    ) -> Result<Option<Gathered>, EigenError> {
        answerable(request)?;
        let Self { outline, facing, finite, lines } = self;
        let symmetric = facing.into_iter().all(Facing::closed);
        let general = options.expert.structure == Structure::General;
        let numbers = finite && sparse::first_non_finite(phi_q).is_none();
        if general || !symmetric || !numbers || outline.massless > 0 || lines == 0 || lines != outline.n() {
            return Ok(None);
        }
        let rows = Rows::new(phi_q, options.expert.constraint_rank)?;
        let freedom = free(lines.saturating_sub(rows.rank))?;
        let scaling = Scaling::of(&outline, rows.independent.sparse());
        let task = task(&outline, (rows.rank, 2 * freedom), request, options, scaling.gamma);
        Ok(Some(Gathered { form: outline.form(), rows, scaling, task }))
    }
}

/// A problem whose lines wait elsewhere.
#[derive(Debug)]
pub struct Gathered {
    rows: Rows,
    scaling: Scaling,
    form: Form,
    task: Task,
}

impl Gathered {
    /// What is written for an engine, with `lines` that read M, C and K again.
    pub fn with_lines<F>(&self, lines: F) -> WithLines<'_, F>
    where
        F: Fn() -> io::Result<[Box<dyn Lines>; 3]>,
    {
        WithLines { of: self, lines }
    }
}

/// A gathered problem with the place where its lines wait.
#[derive(Debug)]
pub struct WithLines<'a, F> {
    of: &'a Gathered,
    lines: F,
}

impl<F: Fn() -> io::Result<[Box<dyn Lines>; 3]>> ForEngine for WithLines<'_, F> {
    fn task(&self) -> &Task {
        &self.of.task
    }
    fn size(&self) -> usize {
        self.of.scaling.d.len() + self.of.rows.rank
    }
    fn matrices(&self) -> io::Result<Vec<(&'static str, ScaledMatrix<'_>)>> {
        let Gathered { rows, scaling, form, .. } = self.of;
        Ok(scaling.matrices(*form, rows.independent.sparse(), (self.lines)()?))
    }
}

/// Entries that wait for the ones that face them.
#[derive(Debug, Default)]
struct Facing {
    /// By the line that holds the other: (line, value), the lines ascending.
    waiting: BTreeMap<usize, Vec<(usize, f64)>>,
    unsymmetric: bool,
}

impl Facing {
    /// Adds line `i`; `diagonal` gives the entries of the diagonal up to it.
    fn add(&mut self, i: usize, line: impl Iterator<Item = (usize, f64)>, diagonal: &dyn Fn(usize) -> f64) {
        let mut waiting = self.waiting.remove(&i).unwrap_or_default().into_iter().peekable();
        let mut meet = |j: usize, x: f64, facing: f64| {
            let size = x.abs().max(facing.abs()).max((diagonal(i).abs().sqrt()) * diagonal(j).abs().sqrt());
            self.unsymmetric |= (x - facing).abs() > 8.0 * f64::EPSILON * size;
        };
        for (j, x) in line {
            if j < i {
                while let Some((k, facing)) = waiting.next_if(|(k, _)| *k < j) {
                    meet(k, 0.0, facing);
                }
                let facing = waiting.next_if(|(k, _)| *k == j).map_or(0.0, |(_, facing)| facing);
                meet(j, x, facing);
            } else if j > i {
                self.waiting.entry(j).or_default().push((i, x));
            }
        }
        for (k, facing) in waiting {
            meet(k, 0.0, facing);
        }
    }

    /// Whether all have met.
    fn closed(self) -> bool {
        self.waiting.is_empty() && !self.unsymmetric
    }
}
