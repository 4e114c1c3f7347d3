//! Real pairs of undamped symmetric problems measured side by side, in one pass over the rows of the matrices.
//!
//! The measures are those of [`super`] in real numbers: r = -w M x + K x + Phi_q^T l with w from the quotient of forms in doubled
//! precision (`compensated/rows.rs`). K is read once for up to eight pairs, which share wide registers; the measures of a pair do
//! not depend on those beside it. Sizes: x n x W, l m x W, packed by rows.

use mb_algebra::{Sparse, c64, norms};

use super::{Certifier, Measures, Root, mirrored, step};
use crate::Eigenpair;
use crate::certificate::Forms;
use crate::compensated::of_rows;
use crate::vectors::ZERO;

/// Pairs side by side at most.
pub(super) const WIDTH: usize = 8;

/// Length of vectors from which on the memory of half as many side by side is worth more than reading K once for all.
const LONG: usize = 20_000;

/// Roots measured at once: real ones of an undamped symmetric problem, or a single one of any kind.
pub(super) type Group = Vec<Root>;

impl Certifier<'_> {
    /// Roots in groups, in their order.
    pub(super) fn groups(&self, roots: Vec<Root>) -> Vec<Group> {
        let most = if self.problem.n > LONG { WIDTH / 2 } else { WIDTH };
        let mut groups: Vec<(Group, bool)> = Vec::new();
        for root in roots {
            let real = self.is_real(&root);
            match groups.last_mut() {
                Some((group, true)) if real && group.len() < most => group.push(root),
                _ => groups.push((vec![root], real)),
            }
        }
        groups.into_iter().map(|(group, _)| group).collect()
    }

    /// Measures a group without doubled precision.
    pub(super) fn measured_side_by_side(&self, roots: Group) -> Vec<Eigenpair> {
        match roots.len() {
            1 if !self.is_real(&roots[0]) => {
                roots.into_iter().map(|root| self.measured(root, None)).collect()
            }
            1 => self.real_pairs::<1>(roots),
            2..=4 => self.real_pairs::<4>(roots),
            _ => self.real_pairs::<WIDTH>(roots),
        }
    }

    /// Whether a root of an undamped problem has nothing complex but s = +-i sqrt(w), and left vectors like the right ones.
    fn is_real(&self, root: &Root) -> bool {
        let axis = root.s.re == 0.0 || root.s.im == 0.0;
        axis && root.left.is_none()
            && self.problem.c.is_zero()
            && root.right.iter().chain(&root.multipliers).all(|z| z.im == 0.0)
    }

    fn real_pairs<const W: usize>(&self, roots: Group) -> Vec<Eigenpair> {
        let mut roots: Vec<Root> = roots.into_iter().map(|root| self.at_length_one(root)).collect();
        let measures = self.real_measures::<W>(&mut roots);
        roots
            .into_iter()
            .zip(measures)
            .map(|(root, measures)| {
                // Copies of the right vectors for who asks for them alone.
                let left = if self.keeps_left { mirrored(&root) } else { (Vec::new(), Vec::new()) };
                self.pair(root, left, &measures)
            })
            .collect()
    }

    /// Measures of up to W roots, whose s are put right on the way.
    fn real_measures<const W: usize>(&self, roots: &mut [Root]) -> Vec<Measures> {
        let p = self.problem;
        let x = packed::<W>(p.n, roots.iter().map(|root| &root.right[..]));
        let (mass, mut stiffness) = (of_rows(p.m.sparse(), &x), of_rows(p.k.sparse(), &x));
        let mut forms = stiffness.forms;
        if p.rounded_stiffness().is_some() {
            let terms = p.stiffness().iter().map(|a| of_rows(a.sparse(), &x).forms);
            forms = terms.fold([0.0; W], |sum, form| std::array::from_fn(|k| sum[k] + form[k]));
        }
        let mut square = [0.0; W];
        let real = |z: f64| c64::new(z, 0.0);
        for (k, root) in roots.iter_mut().enumerate() {
            if !root.stays() {
                root.s = step(root, Forms { m: real(mass.forms[k]), c: ZERO, k: real(forms[k]) });
            }
            square[k] = (root.s * root.s).re;
        }
        let react = reactions::<W>(p.rows.given.sparse(), p.n, roots);
        let u = self.rounding;
        let (mut rho, mut of_m, mut of_k) = ([0.0; W], [0.0; W], [0.0; W]);
        let rows = mass.sums.iter().zip(&mass.sizes).zip(stiffness.sums.iter_mut().zip(&stiffness.sizes));
        for (((mx, m), (kx, size)), (own, react)) in rows.zip(x.iter().zip(&react)) {
            for k in 0..W {
                let force = square[k] * mx[k] + kx[k] + react[0][k];
                let terms = size[k] + react[1][k] + square[k].abs() * m[k];
                rho[k] += own[k].abs() * (force.abs() * (1.0 + u) + u * terms);
                of_m[k] += own[k] * mx[k];
                of_k[k] += own[k] * kx[k];
                // The force takes the place of K x.
                kx[k] = force;
            }
        }
        let violations = self.violations::<W>(&x, roots, &mut rho);
        let length = |rows: &[[f64; W]], k: usize| norms::two(&rows.iter().map(|x| x[k]).collect::<Vec<_>>());
        (0..roots.len())
            .map(|k| Measures {
                rest: length(&stiffness.sums, k),
                violated: length(&violations, k),
                rho: rho[k],
                forms: Forms { m: real(of_m[k]), c: ZERO, k: real(of_k[k]) },
            })
            .collect()
    }

    /// Phi_q x, rows at length one; what it adds to rho.
    fn violations<const W: usize>(
        &self,
        x: &[[f64; W]],
        roots: &[Root],
        rho: &mut [f64; W],
    ) -> Vec<[f64; W]> {
        let rows = &self.problem.rows;
        let mu: Vec<Vec<c64>> = roots.iter().map(|root| rows.to_unit(&root.multipliers)).collect();
        let mu = packed::<W>(rows.m, mu.iter().map(|mu| &mu[..]));
        let mut violations = Vec::with_capacity(rows.m);
        for (row, mu) in rows.unit.sparse().outer_iterator().zip(&mu) {
            let (mut sum, mut size) = ([0.0; W], [0.0; W]);
            for (&j, a) in row.indices().iter().zip(row.data()) {
                for k in 0..W {
                    let term = a * x[j][k];
                    sum[k] += term;
                    size[k] += term.abs();
                }
            }
            for k in 0..W {
                rho[k] += mu[k].abs() * (sum[k].abs() + self.rounding * size[k]);
            }
            violations.push(sum);
        }
        violations
    }
}

/// Real parts of up to W columns by rows; zeros in the place of those there are not.
fn packed<'a, const W: usize>(rows: usize, columns: impl Iterator<Item = &'a [c64]>) -> Vec<[f64; W]> {
    let mut out = vec![[0.0; W]; rows];
    for (k, column) in columns.enumerate() {
        out.iter_mut().zip(column).for_each(|(out, z)| out[k] = z.re);
    }
    out
}

/// Phi_q^T l and |Phi_q|^T |l|.
fn reactions<const W: usize>(phi: &Sparse, n: usize, roots: &[Root]) -> Vec<[[f64; W]; 2]> {
    let l = packed::<W>(phi.rows(), roots.iter().map(|root| &root.multipliers[..]));
    let mut react = vec![[[0.0; W]; 2]; n];
    for (row, l) in phi.outer_iterator().zip(&l) {
        for (&j, a) in row.indices().iter().zip(row.data()) {
            let [sum, size] = &mut react[j];
            for k in 0..W {
                let term = l[k] * a;
                sum[k] += term;
                size[k] += term.abs();
            }
        }
    }
    react
}
