//! Bounds of eigenvalues of a dense problem that lie together.

use std::cell::OnceCell;

use mb_algebra::{Cholesky, Dense, DenseC, LuComplex, c64, dense, interrupt, norms};

use super::{Certifier, Forms, Terms};
use crate::certify::error_bound;
use crate::certify::error_bound::{Column, Estimate, Factored, Solved, Source, alignment, sensitivity};
use crate::dense::polish::System;
use crate::dense::{Kind, Raw};
use crate::numeric::vectors;
use crate::numeric::vectors::{Block, ZERO, abs};
use crate::{EigenError, Eigenpair, tuning};

impl Certifier<'_> {
    /// Bounds of eigenvalues that lie together.
    pub(super) fn bound_together(
        &self,
        raws: &[Raw],
        lefts: &[Vec<c64>],
        forms: &[Forms],
        terms: &Terms,
        pairs: &mut [Eigenpair],
    ) {
        let definite = OnceCell::new();
        let one_sided = self.symmetric && raws.iter().all(|raw| raw.left.is_none());
        let astray = if one_sided { vec![0.0; raws.len()] } else { self.left_residuals(raws, pairs) };
        let estimate = |j: usize| {
            let (s, raw) = (raws[j].value(), &raws[j]);
            let slope = s * forms[j].m * 2.0 + forms[j].c;
            let sum =
                |of: &Dense| -> f64 { lefts[j].iter().enumerate().map(|(i, y)| abs(*y) * of[(i, j)]).sum() };
            let (of_m, of_c) = (2.0 * s.norm() * sum(&terms.m), terms.c.as_ref().map_or(0.0, sum));
            let mut aligned = alignment(slope.norm(), of_m, of_c, forms[j].c.norm());
            // In the metric of a definite mass nothing cancels, as entries of penalties do.
            if aligned < tuning::EPS_1_4 && *definite.get_or_init(|| Cholesky::new(&self.pencil.m).is_ok()) {
                let energy = |z: &[c64]| vectors::inner(z, &dense::matvec_complex(&self.pencil.m, z)).re;
                let of_m = 2.0 * s.norm() * (energy(&raw.right) * energy(&lefts[j])).sqrt();
                aligned = alignment(slope.norm(), of_m, of_c, forms[j].c.norm());
            }
            let astray = if astray[j] > 0.0 { 2.0 * astray[j] / slope.norm() } else { 0.0 };
            Estimate {
                s,
                bound: error_bound::of_both(&pairs[j], astray, self.rounding),
                alignment: aligned,
                astray,
                fixed: raw.kind != Kind::Ordinary,
                mirror: raw.mirror,
                opposite: false,
            }
        };
        let finite: Vec<usize> = (0..raws.len())
            .filter(|&j| raws[j].beta > 0.0 && matches!(raws[j].kind, Kind::Ordinary | Kind::Zero))
            .collect();
        let estimates: Vec<Estimate> = finite.iter().map(|&j| estimate(j)).collect();
        let undamped = self.c.is_none() && self.symmetric;
        let semisimple =
            undamped && finite.iter().all(|&j| raws[j].kind != Kind::Ordinary || forms[j].m.re > 0.0);
        let chosen: Vec<Eigenpair> = finite.iter().map(|&j| pairs[j].clone()).collect();
        let (bounds, _) = error_bound::together(&estimates, &chosen, semisimple, &DenseSource::new(self));
        finite.iter().zip(bounds).for_each(|(&j, bound)| pairs[j].error_bound = bound);
    }
}

impl Certifier<'_> {
    /// |x|^T |Q(s)^H y + Phi^T mu| of every eigenpair for left and right vectors of length one, without what is rounding of the residual.
    fn left_residuals(&self, raws: &[Raw], pairs: &[Eigenpair]) -> Vec<f64> {
        let n = self.basis.n();
        let y = Block::new(n, &pairs.iter().map(|pair| pair.left.to_vec()).collect::<Vec<_>>());
        let (products, own) = (self.products(&y, true), y.magnitudes());
        let [m, k] = [&self.size_m, &self.size_k].map(|a| a.apply_transpose(&own));
        let c = self.size_c.as_ref().map(|c| c.apply_transpose(&own));
        let of = |(j, (raw, pair)): (usize, (&Raw, &Eigenpair))| {
            interrupt::check();
            let (s, size) = (raw.value(), raw.value().norm());
            let force = products.combine(n, j, s.conj(), 1.0);
            let rest = |i: usize| {
                let (mut whole, mut terms) = (force[i], size * size * m[(i, j)] + k[(i, j)]);
                terms += c.as_ref().map_or(0.0, |c| size * c[(i, j)]);
                for (phi, mu) in self.pencil.phi_q.col_as_slice(i).iter().zip(&*pair.left_multipliers) {
                    whole += mu * phi;
                    terms += phi.abs() * abs(*mu);
                }
                (abs(whole) - self.rounding * terms).max(0.0)
            };
            let sum: f64 = raw.right.iter().enumerate().map(|(i, x)| abs(*x) * rest(i)).sum();
            if sum > 0.0 { sum / norms::two_complex(&pair.left) } else { 0.0 }
        };
        raws.iter().zip(pairs).enumerate().map(of).collect()
    }
}

/// Forms and determinants of a dense problem.
struct DenseSource<'a> {
    certifier: &'a Certifier<'a>,
    system: System<'a>,
    /// |Phi_i|, independent rows at length one.
    rows: Dense,
}

impl<'a> DenseSource<'a> {
    fn new(certifier: &'a Certifier<'a>) -> Self {
        let rows = certifier.basis.independent_unit_rows().map(|v| v.abs());
        Self { certifier, system: System::new(certifier.pencil, certifier.basis), rows }
    }
}

impl Source for DenseSource<'_> {
    fn column(&self, pair: &Eigenpair, s: c64) -> Column {
        let own = self.certifier;
        let x = Block::new(own.basis.n(), &[pair.right.to_vec()]);
        let (products, terms) = (own.products(&x, false), own.terms(&x));
        let force = products.combine(own.basis.n(), 0, s, 1.0);
        let phi = &own.pencil.phi_q;
        let entry = |i: usize| {
            let react = |of: fn(f64, c64) -> c64| -> c64 {
                phi.col_as_slice(i).iter().zip(&*pair.multipliers).map(|(phi, l)| of(*phi, *l)).sum()
            };
            let size = s.norm();
            let c = terms.c.as_ref().map_or(0.0, |c| c[(i, 0)]);
            let g = size * (size * terms.m[(i, 0)] + c) + terms.k[(i, 0)];
            let reactions = react(|phi, l| c64::new((phi * l).norm(), 0.0)).re;
            abs(force[i] + react(|phi, l| l * phi)) + own.rounding * (g + reactions)
        };
        let n = own.basis.n();
        Column {
            m: products.m.column(0),
            c: products.c.as_ref().map_or_else(|| vec![ZERO; n], |c| c.column(0)),
            rest: (0..n).map(entry).collect(),
        }
    }

    fn sensitivity(&self, s: c64, directions: usize) -> Option<f64> {
        let (factors, scale) = self.system.factor(s)?;
        sensitivity(&DensePoint { source: self, s, factors, scale }, directions)
    }

    fn ln_determinant(&self, s: c64) -> Result<Option<c64>, EigenError> {
        Ok(self.system.factor(s).map(|(factors, scale)| {
            // Rows and columns of the constraints are scaled.
            factors.ln_determinant() - 2.0 * self.rows.nrows() as f64 * scale.ln()
        }))
    }
}

/// The bordered matrix of a dense problem at one point.
struct DensePoint<'a> {
    source: &'a DenseSource<'a>,
    s: c64,
    factors: LuComplex,
    /// Factor on the rows of the constraints.
    scale: f64,
}

impl Factored for DensePoint<'_> {
    fn size(&self) -> usize {
        self.source.certifier.basis.n()
    }

    fn solve(&self, f: &DenseC, adjoint: bool) -> Option<Solved> {
        let (n, all, p) = (self.size(), self.factors.size(), f.ncols());
        let columns: Vec<Vec<c64>> = (0..p)
            .map(|j| {
                let mut b = f.col_as_slice(j).to_vec();
                b.resize(all, ZERO);
                if adjoint {
                    vectors::conjugate(&self.factors.solve_transpose(&vectors::conjugate(&b)))
                } else {
                    self.factors.solve(&b)
                }
            })
            .collect();
        let finite = columns.iter().flatten().all(|z| z.is_finite());
        finite.then(|| Solved {
            x: DenseC::from_fn(n, p, |i, j| columns[j][i]),
            l: DenseC::from_fn(all - n, p, |i, j| columns[j][n + i] * self.scale),
        })
    }

    fn rounding(&self, x: &[f64], l: &[f64]) -> [Vec<f64>; 2] {
        let (own, size) = (self.source.certifier, self.s.norm());
        let x = Dense::from_fn(x.len(), 1, |i, _| x[i]);
        let (m, k) = (own.size_m.apply(&x), own.size_k.apply(&x));
        let c = own.size_c.as_ref().map(|c| c.apply(&x));
        let react = dense::matvec_transpose(&self.source.rows, l);
        let force = |i: usize| {
            let c = c.as_ref().map_or(0.0, |c| c[(i, 0)]);
            own.rounding * (size * (size * m[(i, 0)] + c) + k[(i, 0)] + react[i])
        };
        let forces = (0..x.nrows()).map(force).collect();
        let mut violations = dense::matvec(&self.source.rows, x.col_as_slice(0));
        for v in &mut violations {
            *v *= own.rounding;
        }
        [forces, violations]
    }

    fn residual(&self, f: &DenseC, solved: &Solved) -> DenseC {
        let (p, s) = (self.source.certifier.pencil, self.s);
        let rows = self.source.certifier.basis.independent_unit_rows();
        let mut out = f.clone();
        for j in 0..f.ncols() {
            let x = solved.x.col_as_slice(j);
            let [m, c, k] = [&p.m, &p.c, &p.k].map(|a| dense::matvec_complex(a, x));
            for (i, to) in out.col_as_slice_mut(j).iter_mut().enumerate() {
                let react: c64 =
                    rows.col_as_slice(i).iter().zip(solved.l.col_as_slice(j)).map(|(phi, l)| l * phi).sum();
                *to -= s * (s * m[i] + c[i]) + k[i] + react;
            }
        }
        out
    }

    fn sizes(&self) -> Vec<f64> {
        let (own, size) = (self.source.certifier, self.s.norm());
        let p = own.pencil;
        let entry = |i: usize| size * (size * p.m[(i, i)].abs() + p.c[(i, i)].abs()) + p.k[(i, i)].abs();
        (0..self.size()).map(|i| (own.rounding * entry(i)).sqrt()).collect()
    }
}
