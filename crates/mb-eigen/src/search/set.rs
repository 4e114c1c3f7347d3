//! Eigenvalues that a search has found, with vectors from both sides.

use mb_algebra::{DenseC, c64};

use crate::krylov::scalar::{hstack, pick};
use crate::tuning;

/// Nonzero eigenvalues with vectors from both sides.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) tau: Vec<c64>,
    /// n x k.
    pub(crate) x: DenseC,
    /// Multipliers of the independent rows at length one, r x k.
    pub(crate) l: DenseC,
    /// Left vectors and multipliers of the same shapes; none for symmetric matrices.
    pub(crate) left: Option<(DenseC, DenseC)>,
    /// All tau nearer to the shift than this are in the set.
    pub(crate) reach: f64,
    pub(crate) exhausted: bool,
    /// Others of which no left vectors could be found.
    pub(crate) without_left: usize,
}

impl Set {
    /// Eigenvalues of `n` unknowns without their vectors.
    pub(crate) fn of_values(n: usize, tau: &[c64]) -> Self {
        let none = || DenseC::zeros(n, 0);
        Self {
            tau: tau.to_vec(),
            x: none(),
            l: none(),
            left: None,
            reach: 0.0,
            exhausted: false,
            without_left: 0,
        }
    }

    /// How often the eigenvalue comes that comes most often of those that are `near`: values that agree but for what rounding makes of a
    /// defective one.
    pub(crate) fn most_members(&self, near: impl Fn(&c64) -> bool) -> usize {
        let members = |tau: &c64| {
            let same = |other: &&c64| (**other - tau).norm() <= tuning::CBRT_EPS * tau.norm();
            self.tau.iter().filter(same).count()
        };
        self.tau.iter().filter(|tau| near(tau)).map(members).max().unwrap_or(0)
    }

    /// Left vectors and multipliers; the conjugates of the right ones where there are no others.
    fn lefts(&self) -> (DenseC, DenseC) {
        let conjugate = |a: &DenseC| DenseC::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].conj());
        self.left.clone().unwrap_or_else(|| (conjugate(&self.x), conjugate(&self.l)))
    }

    /// Keeps some columns.
    pub(crate) fn keep(&mut self, columns: &[usize]) {
        self.tau = columns.iter().map(|&j| self.tau[j]).collect();
        for part in [&mut self.x, &mut self.l] {
            *part = pick(part, columns);
        }
        if let Some((y, mu)) = &mut self.left {
            (*y, *mu) = (pick(y, columns), pick(mu, columns));
        }
    }

    /// Puts some columns of other sets in the place of some of this one.
    pub(super) fn replace(&mut self, out: &[usize], others: &[(Self, Vec<usize>)]) {
        let stay: Vec<usize> = (0..self.tau.len()).filter(|j| !out.contains(j)).collect();
        let with_left = self.left.is_some() || others.iter().any(|(other, _)| other.left.is_some());
        let (mut y, mut mu) = self.lefts();
        for part in [&mut self.x, &mut self.l, &mut y, &mut mu] {
            *part = pick(part, &stay);
        }
        self.tau = stay.iter().map(|&j| self.tau[j]).collect();
        for (other, columns) in others {
            let (more_y, more_mu) = other.lefts();
            let both =
                [(&mut self.x, &other.x), (&mut self.l, &other.l), (&mut y, &more_y), (&mut mu, &more_mu)];
            for (own, more) in both {
                *own = hstack(own.as_ref(), pick(more, columns).as_ref());
            }
            self.tau.extend(columns.iter().map(|&j| other.tau[j]));
        }
        self.left = with_left.then_some((y, mu));
    }
}
