//! Real eigenpairs of undamped symmetric problems measured side by side, in two passes over the rows of the matrices.
//!
//! The measures are those of [`super`] in real numbers: r = -w M x + K x + Phi_q^T l with w from the quotient of forms
//! in double-double precision (`double_double/block.rs`). K is read twice for up to eight eigenpairs, for the forms that
//! give w and for the forces, and eigenpairs share wide registers; the measures of an eigenpair do not depend on the others of its block.
//! In addition to the packed vectors nothing of their length is kept. Sizes: x n x W, l m x W, packed by rows.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use mb_algebra::{Sparse, c64, norms};
use pulp::{Arch, Simd, WithSimd};

use super::{Certifier, Measures, mirrored, step};
use crate::certify::dense::Forms;
use crate::numeric::double_double::{forms_of_rows, row_products};
use crate::numeric::vectors::ZERO;
use crate::problem::uncertified::Uncertified;
use crate::refine::Doubled;
use crate::{Eigenpair, Shape, tuning};

/// Eigenvalues measured at once: real ones of an undamped symmetric problem, or a single one of any kind.
pub(super) type Group = Vec<Uncertified>;

impl Certifier<'_> {
    /// Eigenvalues in groups, in their order.
    pub(super) fn groups(&self, uncertified: Vec<Uncertified>) -> Vec<Group> {
        // Length of vectors from which on the memory of half as many side by side is worth more than reading K once for all.
        let most = if self.problem.n > tuning::LONG { tuning::WIDTH / 2 } else { tuning::WIDTH };
        let mut groups: Vec<(Group, bool)> = Vec::new();
        for approx in uncertified {
            let real = self.is_real(&approx);
            match groups.last_mut() {
                Some((group, true)) if real && group.len() < most => group.push(approx),
                _ => groups.push((vec![approx], real)),
            }
        }
        groups.into_iter().map(|(group, _)| group).collect()
    }

    /// Measures a group without double-double precision.
    pub(super) fn measured_side_by_side(&self, uncertified: Group) -> Vec<Eigenpair> {
        match uncertified.len() {
            1 if !self.is_real(&uncertified[0]) => {
                uncertified.into_iter().map(|approx| self.measured(approx, None)).collect()
            }
            1 => self.real_pairs::<1>(uncertified),
            2..=4 => self.real_pairs::<4>(uncertified),
            _ => self.real_pairs::<{ tuning::WIDTH }>(uncertified),
        }
    }

    /// Whether an eigenvalue of an undamped problem has nothing complex but s = +-i sqrt(w), and left vectors like the
    /// right ones.
    fn is_real(&self, approx: &Uncertified) -> bool {
        let axis = approx.s.re == 0.0 || approx.s.im == 0.0;
        axis && approx.left.is_none()
            && self.problem.c.is_zero()
            && approx.right.is_real()
            && approx.multipliers.is_real()
    }

    fn real_pairs<const W: usize>(&self, uncertified: Group) -> Vec<Eigenpair> {
        let mut uncertified: Vec<Uncertified> =
            uncertified.into_iter().map(|approx| self.at_length_one(approx)).collect();
        let x = packed::<W>(self.problem.n, uncertified.iter().map(|approx| &approx.right));
        self.put_right(&mut uncertified, &x);
        let measures = self.real_measures(&uncertified, &x, None);
        uncertified
            .into_iter()
            .zip(measures)
            .map(|(approx, measures)| {
                // Copies of the right vectors for who asks for them alone.
                let left =
                    if self.keeps_left { mirrored(&approx) } else { (Shape::default(), Shape::default()) };
                self.pair(approx, left, &measures)
            })
            .collect()
    }

    /// The measures of a real eigenvalue that double-double precision led to; none where something is complex, or K is
    /// known in parts. `length`: that of the vector whose residual it is.
    pub(super) fn doubled_measures(
        &self,
        approx: &Uncertified,
        found: &Doubled,
        length: f64,
    ) -> Option<Measures> {
        let real = self.is_real(approx) && found.residual.is_real();
        if !real || self.problem.rounded_stiffness().is_some() {
            return None;
        }
        let x = packed::<1>(self.problem.n, std::iter::once(&approx.right));
        let residual: Vec<[f64; 1]> = found.residual.real_parts().iter().map(|r| [r / length]).collect();
        self.real_measures(std::slice::from_ref(approx), &x, Some(&residual)).pop()
    }

    /// s of up to W eigenvalues with the packed vectors x, corrected by forms in double-double precision.
    fn put_right<const W: usize>(&self, uncertified: &mut [Uncertified], x: &[[f64; W]]) {
        let p = self.problem;
        let of_m = forms_of_rows(p.m.sparse(), x);
        let terms = p.stiffness().iter().map(|a| forms_of_rows(a.sparse(), x));
        let of_k = terms.reduce(|sum, form| std::array::from_fn(|k| sum[k] + form[k])).unwrap_or([0.0; W]);
        for (k, approx) in uncertified.iter_mut().enumerate().filter(|(_, approx)| !approx.stays()) {
            approx.s = step(approx, Forms { m: real(of_m[k]), c: ZERO, k: real(of_k[k]) });
        }
    }

    /// Measures of up to W eigenvalues with the packed vectors x; `residual`: that of double-double precision, where
    /// there is one.
    fn real_measures<const W: usize>(
        &self,
        uncertified: &[Uncertified],
        x: &[[f64; W]],
        residual: Option<&[[f64; W]]>,
    ) -> Vec<Measures> {
        let p = self.problem;
        let l = packed::<W>(p.rows.m, uncertified.iter().map(|approx| &approx.multipliers));
        let square =
            std::array::from_fn(|k| uncertified.get(k).map_or(0.0, |approx| (approx.s * approx.s).re));
        let forces = Forces {
            m: p.m.sparse(),
            k: p.k.sparse(),
            reactions: self.reactions().sparse(),
            x,
            l: &l,
            square,
            residual,
            u: self.rounding,
        };
        let mut found = Arch::new().dispatch(forces);
        let violated = self.violations(x, &l, &mut found.rho);
        (0..uncertified.len())
            .map(|k| Measures {
                rest: found.rest[k],
                violated: violated[k],
                rho: found.rho[k],
                forms: Forms { m: real(found.of_m[k]), c: ZERO, k: real(found.of_k[k]) },
            })
            .collect()
    }

    /// |Phi_q x|, rows at length one; what it adds to rho.
    fn violations<const W: usize>(&self, x: &[[f64; W]], l: &[[f64; W]], rho: &mut [f64; W]) -> [f64; W] {
        let rows = &self.problem.rows;
        let mut lengths = Lengths::new();
        for (i, l) in l.iter().enumerate() {
            let (sum, size) = row_products(rows.unit.sparse(), i, x);
            let by = rows.length(i);
            for k in 0..W {
                rho[k] += (l[k] * by).abs() * (sum[k].abs() + self.rounding * size[k]);
            }
            lengths.push(sum);
        }
        lengths.total()
    }
}

fn real(z: f64) -> c64 {
    c64::new(z, 0.0)
}

/// What W vectors leave of the equations of motion.
struct Left<const W: usize> {
    /// |r|.
    rest: [f64; W],
    /// |x|^T (|r| + u g).
    rho: [f64; W],
    /// x^T M x and x^T K x in plain numbers.
    of_m: [f64; W],
    of_k: [f64; W],
}

/// One pass over the rows of M, K and Phi_q^T, by the instructions of this processor.
struct Forces<'a, const W: usize> {
    m: &'a Sparse,
    k: &'a Sparse,
    reactions: &'a Sparse,
    x: &'a [[f64; W]],
    l: &'a [[f64; W]],
    /// s^2.
    square: [f64; W],
    /// The residual in place of that of plain sums.
    residual: Option<&'a [[f64; W]]>,
    u: f64,
}

impl<const W: usize> WithSimd for Forces<'_, W> {
    type Output = Left<W>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Left<W> {
        let Self { m, k: stiffness, reactions, x, l, square, residual, u } = self;
        // Inertia is not in double-double precision.
        let of_terms = if residual.is_some() { u * u } else { u };
        let mut lengths = Lengths::new();
        let (mut rho, mut of_m, mut of_k) = ([0.0; W], [0.0; W], [0.0; W]);
        for (i, own) in x.iter().enumerate() {
            let (mx, inertia) = row_products(m, i, x);
            let (kx, size) = row_products(stiffness, i, x);
            let (react, reaction) = row_products(reactions, i, l);
            let mut force = residual.map_or([0.0; W], |residual| residual[i]);
            for k in 0..W {
                if residual.is_none() {
                    force[k] = square[k] * mx[k] + kx[k] + react[k];
                }
                let terms = of_terms * (size[k] + reaction[k]) + u * (square[k].abs() * inertia[k]);
                rho[k] += own[k].abs() * (force[k].abs() * (1.0 + u) + terms);
                of_m[k] += own[k] * mx[k];
                of_k[k] += own[k] * kx[k];
            }
            lengths.push(force);
        }
        Left { rest: lengths.total(), rho, of_m, of_k }
    }
}

/// Euclidean lengths of W vectors that come row by row, by parts of [`PART`] rows so that nothing of length n is kept.
struct Lengths<const W: usize> {
    part: Vec<[f64; W]>,
    before: [f64; W],
}

/// Rows of a part.
const PART: usize = 256;

impl<const W: usize> Lengths<W> {
    fn new() -> Self {
        Self { part: Vec::with_capacity(PART), before: [0.0; W] }
    }

    #[inline(always)]
    fn push(&mut self, row: [f64; W]) {
        if self.part.len() == PART {
            self.close();
        }
        self.part.push(row);
    }

    fn close(&mut self) {
        let mut column = [0.0; PART];
        for (k, before) in self.before.iter_mut().enumerate() {
            let column = &mut column[..self.part.len()];
            column.iter_mut().zip(&self.part).for_each(|(to, row)| *to = row[k]);
            *before = before.hypot(norms::two(column));
        }
        self.part.clear();
    }

    fn total(mut self) -> [f64; W] {
        self.close();
        self.before
    }
}

/// Real parts of up to W columns by rows; zeros in the place of those there are not.
fn packed<'a, const W: usize>(rows: usize, columns: impl Iterator<Item = &'a Shape>) -> Vec<[f64; W]> {
    let mut out = vec![[0.0; W]; rows];
    for (k, column) in columns.enumerate() {
        match column.real() {
            Some(column) => out.iter_mut().zip(column).for_each(|(out, x)| out[k] = *x),
            None => out.iter_mut().zip(column).for_each(|(out, z)| out[k] = z.re),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use mb_algebra::{QuadraticPencil, Scatter, Triplets, sparse};

    use super::*;
    use crate::options::SparseOptions;
    use crate::problem::Problem;

    #[test]
    fn lengths_by_parts_are_those_of_whole_vectors() {
        for n in [0, 1, PART, PART + 1, 3 * PART + 7] {
            let row = |i: usize| [1e-170 * (i as f64 + 1.0), (i as f64).sin(), 1e170];
            let mut lengths = Lengths::new();
            (0..n).for_each(|i| lengths.push(row(i)));
            for (k, found) in lengths.total().into_iter().enumerate() {
                let whole = norms::two(&(0..n).map(|i| row(i)[k]).collect::<Vec<_>>());
                assert!((found - whole).abs() <= 1e-14 * whole, "{n} {k}: {found:e} {whole:e}");
            }
        }
    }

    #[test]
    fn real_measures_are_those_of_complex_numbers_with_and_without_doubled_precision() {
        // A chain of masses, disturbed, its first one held by a row of length two.
        let n = 9;
        let (mut m, mut k, mut phi_q) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(1, n));
        for i in 0..n {
            m.add(i, i, 1.0 + (i % 3) as f64);
            k.add(i, i, 2.5);
            if i > 0 {
                k.add(i, i - 1, -1.0);
                k.add(i - 1, i, -1.0);
            }
        }
        phi_q.add(0, 0, 2.0);
        let c = sparse::zeros(n, n);
        let pencil = QuadraticPencil { m: m.to_sparse(), c, k: k.to_sparse(), phi_q: phi_q.to_sparse() };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let certifier = Certifier::new(&problem, false);
        let numbers = |count: usize, by: f64| -> Shape {
            (0..count).map(|i| real((by * (i + 1) as f64).sin())).collect()
        };
        let approx = Uncertified::oscillating(c64::new(0.0, 1.3), numbers(n, 0.7), numbers(1, 0.4));
        let (y, mu) = mirrored(&approx);
        let found = Doubled {
            x: approx.right.clone(),
            l: approx.multipliers.clone(),
            s: approx.s,
            residual: numbers(n, 1.1),
        };
        let length = 1.7;
        let x = packed::<1>(n, std::iter::once(&approx.right));
        let plain = certifier.real_measures(std::slice::from_ref(&approx), &x, None).pop().unwrap();
        let doubled = certifier.doubled_measures(&approx, &found, length).unwrap();
        for (ours, with) in [(plain, None), (doubled, Some((&found, length)))] {
            let other = certifier.measures(&approx, &y, &mu, with);
            let pairs = [
                (ours.rest, other.rest),
                (ours.violated, other.violated),
                (ours.rho, other.rho),
                (ours.forms.m.re, other.forms.m.re),
                (ours.forms.k.re, other.forms.k.re),
            ];
            for (ours, other) in pairs {
                assert!((ours - other).abs() <= 1e-14 * other.abs(), "{ours:e} {other:e}");
            }
        }
    }
}
