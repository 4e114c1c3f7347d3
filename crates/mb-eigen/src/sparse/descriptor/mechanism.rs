//! The constrained second-order problem of a pair in the form of a mechanism, and the way back to its states.
//!
//! ```text
//! y = (q, v, l) = (c x, rate s c x, l_0 l),     w = ((conj(s) M^T z + C^T z) / (rate c a), r z, mu / unit)
//! ```
//!
//! x, z are the vectors of the blocks, l, mu their multipliers, c, r, l_0 and rate the units of the layout, a the entries of A in the
//! kinematic rows. Sizes: n coordinates, m constraint rows, y and w of length 2n + m.

use mb_algebra::{DescriptorPencil, QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse};

use super::layout::{Layout, Lines, lines, sorted};
use crate::Eigenpair;

/// The blocks of a mechanism.
pub(super) struct Mechanism {
    /// M, C, K and Phi_q, as it stands in the reactions.
    pub(super) blocks: QuadraticPencil<Sparse>,
    layout: Layout,
    /// Factor of every constraint row in A against Phi_q.
    row_units: Vec<f64>,
    mt: Sparse,
    ct: Sparse,
}

impl Mechanism {
    /// None for any other form.
    pub(super) fn of(pencil: &DescriptorPencil<Sparse>) -> Option<Self> {
        let (e, a) = (lines(&pencil.e), lines(&pencil.a));
        let written = Layout::as_written(&e, &a).and_then(|layout| Self::new(&e, &a, layout));
        written.or_else(|| Self::new(&e, &a, Layout::recognized(&e, &a)?))
    }

    fn new(e: &Lines, a: &Lines, layout: Layout) -> Option<Self> {
        let (n, m) = (layout.q.len(), layout.multipliers.len());
        let mut place = vec![usize::MAX; e.len()];
        let columns = layout.q.iter().chain(&layout.v).chain(&layout.multipliers);
        columns.enumerate().for_each(|(at, j)| place[*j] = at);
        let [mut mass, mut damping, mut stiffness] = [0; 3].map(|_| Triplets::new(n, n));
        let mut reactions = Triplets::new(m, n);
        for (i, (row, r)) in layout.balances.iter().zip(&layout.of_balances).enumerate() {
            let of_rate = |j: usize| r * layout.rates[j] * layout.of_coordinates[j];
            for (j, v) in &e[*row] {
                let j = place[*j].checked_sub(n).filter(|j| *j < n)?;
                mass.add(i, j, v * of_rate(j));
            }
            for (j, v) in &a[*row] {
                match place[*j] {
                    j if j < n => stiffness.add(i, j, -v * (r * layout.of_coordinates[j])),
                    j if j < 2 * n => damping.add(i, j - n, -v * of_rate(j - n)),
                    j => reactions.add(j - 2 * n, i, -v * (r * layout.of_multipliers[j - 2 * n])),
                }
            }
        }
        let reactions = reactions.to_sparse().to_csr();
        let of_reactions = lines(&reactions);
        let mut row_units = Vec::with_capacity(m);
        for (row, reaction) in layout.constraints.iter().zip(&of_reactions) {
            let free = |(j, v): &(usize, f64)| {
                let j = place[*j];
                (j < n).then(|| (j, -v * layout.of_coordinates[j]))
            };
            let own = a[*row].iter().map(free).collect::<Option<Vec<_>>>()?;
            row_units.push(if e[*row].is_empty() { multiple(&sorted(own), reaction)? } else { return None });
        }
        let blocks = QuadraticPencil {
            m: mass.to_sparse(),
            c: damping.to_sparse(),
            k: stiffness.to_sparse(),
            phi_q: reactions,
        };
        let (mt, ct) = (sparse::transpose(&blocks.m), sparse::transpose(&blocks.c));
        Some(Self { blocks, layout, row_units, mt, ct })
    }

    /// From an eigenpair of the blocks to one of E and A.
    pub(super) fn lift(&self, pair: &mut Eigenpair) {
        let Some(s) = pair.value() else { return };
        let layout = &self.layout;
        let size = 2 * layout.q.len() + layout.multipliers.len();
        let [mut y, mut w] = [(); 2].map(|()| vec![c64::default(); size]);
        for (i, x) in pair.right.iter().enumerate() {
            let x = x * layout.of_coordinates[i];
            y[layout.q[i]] = x;
            y[layout.v[i]] = s * x * layout.rates[i];
        }
        for ((at, l), by) in layout.multipliers.iter().zip(&*pair.multipliers).zip(&layout.of_multipliers) {
            y[*at] = l * by;
        }
        let (mz, cz) =
            (sparse::matvec_complex(&self.mt, &pair.left), sparse::matvec_complex(&self.ct, &pair.left));
        for (i, z) in pair.left.iter().enumerate() {
            let unit = layout.rates[i] * layout.of_coordinates[i] * layout.kinematic_entries[i];
            w[layout.kinematic[i]] = (s.conj() * mz[i] + cz[i]) / unit;
            w[layout.balances[i]] = z * layout.of_balances[i];
        }
        for ((at, mu), unit) in layout.constraints.iter().zip(&*pair.left_multipliers).zip(&self.row_units) {
            w[*at] = mu / unit;
        }
        pair.multipliers = Vec::new().into();
        pair.left_multipliers = Vec::new().into();
        (pair.right, pair.left) = (y.into(), w.into());
    }
}

/// The number that makes the second row the first one, in every entry to the last bit.
fn multiple(row: &[(usize, f64)], of: &[(usize, f64)]) -> Option<f64> {
    let (Some((_, v)), Some((_, w))) = (row.first(), of.first()) else {
        return (row.len() == of.len()).then_some(1.0);
    };
    let by = v / w;
    let same = |(a, b): (&(usize, f64), &(usize, f64))| a.0 == b.0 && (a.1 - by * b.1).abs() == 0.0;
    (row.len() == of.len() && row.iter().zip(of).all(same)).then_some(by)
}
