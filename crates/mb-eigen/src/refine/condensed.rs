//! Eigenpairs improved in double-double precision in the merged coordinates: a third of the numbers, and no reactions among
//! them.
//!
//! ```text
//! B^T r = (B^T K B - w B^T M B) y + Phi'^T l',   then  Phi^T l = w M x - K x  with  x = B (y_1 + y_2),   r = K x + Phi^T l - w M x
//! ```
//!
//! Sums of K x and of r are in double-double precision, the latter with the rounded multipliers in them, so that what
//! these leave is in the residual that is claimed. What rounding took from B^T K B is kept as a second matrix.
//! Sizes: y of length k, x of length n.

use mb_algebra::Dense;

use super::{Doubled, Given, Improved};
use crate::Shape;
use crate::numeric::double_double::{Term, sum_of_products};
use crate::problem::Problem;
use crate::problem::condensation::Merged;
use crate::problem::matrix::Matrix;
use crate::refine;
use crate::transform::factors::Shifted;

impl Merged {
    /// As [`refine::refine_together`], of eigenpairs of the problem in x; what comes out is in y.
    pub(crate) fn improve(
        &self,
        problem: &Problem<'_>,
        near: &Shifted,
        pairs: &[Given<'_>],
        wanted: &[bool],
        enough: f64,
    ) -> Vec<Option<Improved>> {
        let inner = |pair: &Given<'_>| {
            let y = self.ties.represented(&pair.x.real_parts());
            let l = pair.l.real_parts();
            let kept: Vec<f64> = problem.rows.kept().iter().map(|&row| l[row]).collect();
            let l = problem.rows.independent_multipliers(&kept);
            let l = self.ties.rest.iter().map(|&row| l[row]).collect();
            (Shape::of_real(y), Shape::of_real(l))
        };
        let inner: Vec<(Shape, Shape)> = pairs.iter().map(inner).collect();
        let given = pairs.iter().zip(&inner).map(|(pair, (x, l))| Given { s: pair.s, x, l });
        refine::refine_together(&self.problem, near, &given.collect::<Vec<_>>(), wanted, enough)
    }

    /// Improved eigenpairs in x; `reactions`: Phi^T of the rows as given.
    pub(crate) fn whole(
        &self,
        problem: &Problem<'_>,
        reactions: &Matrix<'_>,
        found: &[&Improved],
    ) -> Vec<Doubled> {
        let columns = |rows: usize, of: &dyn Fn(&Improved, usize) -> f64| {
            Dense::from_fn(rows, found.len(), |i, j| of(found[j], i))
        };
        let (k, rest) = (self.problem.n, self.ties.rest.len());
        let parts: Vec<_> =
            found.iter().map(|one| (one.pair.x.real_parts(), one.pair.l.real_parts())).collect();
        let y = Dense::from_fn(k, found.len(), |i, j| parts[j].0[i]);
        let of_rest = Dense::from_fn(rest, found.len(), |i, j| parts[j].1[i]);
        let x = self.ties.unfold(&y);
        let low = self.ties.unfold(&columns(k, &|one, i| one.low[i]));
        drop((y, parts));
        let terms = problem.stiffness().iter().filter(|part| !part.is_zero());
        let terms = || terms.clone().map(|part| Term { a: part.sparse(), x: &x, low: Some(&low) });
        let mut inertia = problem.m.mul(&x);
        for (j, one) in found.iter().enumerate() {
            let w = -(one.pair.s * one.pair.s).re;
            inertia.col_as_slice_mut(j).iter_mut().for_each(|m| *m *= w);
        }
        let mut force = &inertia - sum_of_products(&terms().collect::<Vec<_>>());
        let l = problem.rows.multipliers(&self.held(&mut force, &of_rest));
        drop(force);
        let last = Term { a: reactions.sparse(), x: &l, low: None };
        let residual = sum_of_products(&terms().chain([last]).collect::<Vec<_>>()) - inertia;
        let column = |a: &Dense, j: usize| Shape::of_real(a.col_as_slice(j).to_vec());
        let whole = |(j, one): (usize, &&Improved)| Doubled {
            x: column(&x, j),
            l: column(&l, j),
            s: one.pair.s,
            residual: column(&residual, j),
        };
        found.iter().enumerate().map(whole).collect()
    }
}
