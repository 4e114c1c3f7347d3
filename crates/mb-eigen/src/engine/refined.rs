//! Eigenpairs that the engine refined, measured here.
//!
//! ```text
//! x = D (x~ + y~),   y~ what rounding left of x~,   r = (s^2 M + s C + K) x + Phi_q^T l in double-double precision
//! ```
//!
//! Powers of two in D make the vectors of the problem as given without rounding. No factors are made: where a residual is not as small as it
//! should be, the bound says so.

use mb_algebra::{DenseC, c64};

use super::{Answer, Prepared, Vectors};
use crate::Shape;
use crate::certify::sparse::Aid;
use crate::numeric::double_double::Twofold;
use crate::problem::uncertified::Uncertified;
use crate::refine::{self, Improved, Products};

/// Vectors of an eigenvalue, in coordinates as given.
pub(super) struct Refined {
    pub(super) tau: c64,
    pub(super) x: Shape,
    pub(super) low: Shape,
    /// Multipliers of the rows as given.
    pub(super) l: Shape,
}

impl Prepared<'_> {
    /// What the engine refined of a problem with complex numbers.
    pub(super) fn refined(&self, answer: &Answer) -> Vec<Refined> {
        let (Vectors::Complex(right), Some(Vectors::Complex(low))) = (&answer.right, &answer.low) else {
            return Vec::new();
        };
        let (n, rows) = (self.problem.n, &self.problem.rows);
        let scaled = |v: &[c64]| -> Shape { v.iter().zip(&self.scaling.d).map(|(v, d)| v * d).collect() };
        let columns = answer.values.iter().zip(right).zip(low);
        let refined = columns.map(|((tau, right), low)| {
            let l = DenseC::from_fn(rows.rank, 1, |i, _| right[n + i] * self.scaling.r[i]);
            let l = rows.multipliers(&l).col_as_slice(0).to_vec().into();
            Refined { tau: self.unit() * tau, x: scaled(&right[..n]), low: scaled(&low[..n]), l }
        });
        refined.collect()
    }

    /// What the certification takes for eigenvalues of the set that these are of.
    pub(super) fn aid(&self, uncertified: &[Uncertified], refined: &[Refined]) -> Aid {
        let products = Products::new(&self.problem);
        let of = |approx: &Uncertified| {
            if approx.rigid || approx.left.is_some() {
                return None;
            }
            let tau = self.form.tau(approx.s);
            let far = |one: &&Refined| (one.tau - tau).norm();
            let one = refined.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
            // A real vector has the phase of its largest entry no longer.
            let real = approx.right.is_real() && !one.x.is_real();
            let parts = if real { real_part(one) } else { None };
            let (x, low, l) = match &parts {
                Some([x, low, l]) => (x, low, l),
                None => (&one.x, &one.low, &one.l),
            };
            improved(&products, approx.s, [x, low, l])
        };
        Aid::Improved(uncertified.iter().filter_map(of).collect())
    }
}

/// One eigenpair measured, by its s.
pub(super) fn improved(products: &Products<'_>, s: c64, parts: [&Shape; 3]) -> Option<(c64, Improved)> {
    let pair = refine::measured(products, s, parts)?;
    Some((s, Improved { pair, low: Vec::new(), enough: true }))
}

/// The real vectors of a real eigenvalue: all entries have the phase of the largest one but for rounding.
fn real_part(one: &Refined) -> Option<[Shape; 3]> {
    let largest = one.x.iter().max_by(|a, b| a.norm_sqr().total_cmp(&b.norm_sqr()))?;
    let by = largest.conj() / largest.norm();
    let turned = |(x, low): (&c64, &c64)| {
        let mut sum = Twofold::default();
        sum.add_product(x.re, by.re);
        sum.add_product(x.im, -by.im);
        sum.add(0.0, (low * by).re);
        sum.halves()
    };
    let (x, low) = one.x.iter().zip(one.low.iter()).map(turned).unzip();
    let l = one.l.iter().map(|l| (l * by).re).collect();
    Some([Shape::of_real(x), Shape::of_real(low), Shape::of_real(l)])
}
