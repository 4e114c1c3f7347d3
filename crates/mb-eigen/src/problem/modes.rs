//! Modes of undamped symmetric problems, K x = w M x on {Phi_q x = 0}, s^2 = -w.

use mb_algebra::sorted::ascending;
use mb_algebra::{Dense, c64};

use super::Problem;
use super::uncertified::Uncertified;
use crate::krylov::scalar::{hstack, pick};
use crate::{Shape, tuning};

/// Modes of a symmetric problem: w and vectors of equal columns.
#[derive(Clone, Debug)]
pub(crate) struct Modes {
    pub(crate) w: Vec<f64>,
    /// n x k, M-orthonormal.
    pub(crate) x: Dense,
    /// Multipliers of the independent rows at length one, r x k.
    pub(crate) l: Dense,
    /// Leading columns that are rigid.
    pub(crate) rigid: usize,
}

impl Modes {
    /// None.
    pub(crate) fn none(problem: &Problem) -> Self {
        Self { w: Vec::new(), x: Dense::zeros(problem.n, 0), l: Dense::zeros(problem.rows.rank, 0), rigid: 0 }
    }

    /// Adds others behind these.
    pub(crate) fn append(&mut self, other: Self) {
        if self.w.is_empty() {
            *self = other;
            return;
        }
        self.w.extend_from_slice(&other.w);
        self.x = hstack(self.x.as_ref(), other.x.as_ref());
        self.l = hstack(self.l.as_ref(), other.l.as_ref());
    }

    /// Sorts the modes that are not rigid; smallest key first.
    pub(crate) fn sort_by(&mut self, key: impl Fn(f64) -> f64) {
        let mut order: Vec<usize> = (self.rigid..self.w.len()).collect();
        ascending(&mut order, |&i| key(self.w[i]));
        let order: Vec<usize> = (0..self.rigid).chain(order).collect();
        self.select(&order);
    }

    /// Takes the lowest modes of those in the order of |w| for the zeros that are known to exist, where the next one is clear of them: what
    /// rounding of K leaves of them may be far above what a shift shows.
    pub(crate) fn take_zeros(&mut self, known: usize) {
        let is_clear = |last: usize| {
            self.w.get(known).is_some_and(|next| self.w[last].abs() <= tuning::CLEAR * next.abs())
        };
        if known > self.rigid && is_clear(known - 1) {
            self.w[..known].fill(0.0);
            self.rigid = known;
        }
    }

    /// Keeps some columns, in the order given; rigid ones first.
    pub(crate) fn select(&mut self, order: &[usize]) {
        self.rigid = order.iter().filter(|&&j| j < self.rigid).count();
        self.w = order.iter().map(|&j| self.w[j]).collect();
        if order.iter().enumerate().any(|(at, j)| at != *j) {
            self.x = pick(&self.x, order);
            self.l = pick(&self.l, order);
        } else {
            // The first columns stay where they are.
            self.x.truncate(self.x.nrows(), order.len());
            self.l.truncate(self.l.nrows(), order.len());
        }
    }

    /// Keeps the first ones.
    pub(crate) fn truncate(&mut self, count: usize) {
        if count < self.w.len() {
            self.select(&(0..count).collect::<Vec<_>>());
        }
    }

    /// The eigenvalues of the modes, one for each.
    pub(crate) fn uncertified(&self, problem: &Problem) -> Vec<Uncertified> {
        let l = problem.rows.multipliers(&self.l);
        let mut mx = mb_algebra::Dense::zeros(problem.n, 1);
        let mut out = Vec::with_capacity(self.w.len());
        for (j, &w) in self.w.iter().enumerate() {
            let rigid = j < self.rigid;
            let x = self.x.col_as_slice(j);
            problem.m.mul_into(self.x.as_ref().subcols(j, 1), mx.as_mut());
            let mass: f64 = x.iter().zip(mx.col_as_slice(0)).map(|(x, m)| x * m).sum();
            let square: f64 = x.iter().map(|x| x * x).sum();
            let s = if rigid { c64::new(0.0, 0.0) } else { Uncertified::of_square(w) };
            let [right, multipliers] = [x, l.col_as_slice(j)].map(|x| Shape::of_real(x.to_vec()));
            out.push(Uncertified {
                rigid,
                mirror: !rigid && w > 0.0,
                opposite: !rigid && w <= 0.0,
                chain: if rigid { 2 } else { 1 },
                curvature: mass / square,
                ..Uncertified::simple(s, right, multipliers)
            });
        }
        out
    }
}
