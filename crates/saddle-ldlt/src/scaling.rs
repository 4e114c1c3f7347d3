//! Scaling of [A, G^T; G, 0] so that unknowns and constraints have one magnitude.
//!
//! S A S with s_i = 1 / sqrt(max_j |A_ij|, |A_ji|), then each row of G S to a largest entry of one; powers of two, so that
//! nothing is rounded. Unscaled constraints cost digits in proportion to the stiffness (1e6 N/m: six digits), and
//! a residual over all rows does not show it.
//!
//! An unknown whose entries in A are a mere trace, such as the rotation of a massless frame that a small moment acts on,
//! outweighs the others in every row of G it stands in, and independent rows may look parallel. Where they do, and in any
//! case where scales would differ by more than the inverse of [`tuning::HALF_THE_DIGITS`], such unknowns are scaled as if their
//! entries were [`LEAST`] of the usual ones.
//!
//! Where A is a sum, entries that cancel count as [`LEAST`] of their terms at least: what is left of an end that constraints hold, at
//! a shift on a frequency of that end alone, is rounding or a trace. As a scale it would make the displacement that the
//! constraints keep from there so large that no residual compared with it shows.

use super::number::Number;
use super::pattern::Csr;
use super::symmetric_storage::Stored;
use super::tuning;
use mb_algebra::Sparse;

/// Scale factors and the scaled constraints.
#[derive(Clone, Debug)]
pub(super) struct Scaling {
    /// s of the unknowns.
    pub(super) unknowns: Vec<f64>,
    /// Scale of the rows of G.
    pub(super) rows: Vec<f64>,
    /// Entries of the scaled G, in the order of its columns and of its rows.
    pub(super) by_col: Vec<f64>,
    pub(super) by_row: Vec<f64>,
    /// Next place in each row, while the entries of the rows are filled in.
    next: Vec<usize>,
}

/// In even scales, entries of unknowns of constraints count as this part of the usual ones at least; in all, sums of their terms.
pub(super) const LEAST: f64 = 1e-4;

fn power_of_two(x: f64) -> f64 {
    // The exponent alone: 2^floor(log2 x), for normal x.
    if x.is_normal() && x > 0.0 { f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000) } else { 1.0 }
}

/// Geometric mean of the numbers above a bound, if there are any.
fn mean_above(x: &[f64], bound: f64) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_usize);
    for x in x.iter().filter(|x| **x > bound) {
        sum += x.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / count as f64).exp())
}

/// The power of two next below or at 1 / sqrt(x), one for zero.
fn inverse_root(x: f64) -> f64 {
    power_of_two(x.sqrt()).recip()
}

impl Scaling {
    /// `g_cols` and `g_rows`: patterns of G (m x n, by columns) and its transpose.
    ///
    /// Entries of unknowns of constraints count as `least` of the usual ones at least, and as [`LEAST`] of them where they
    /// are the inverse of [`tuning::HALF_THE_DIGITS`].
    pub(super) fn new<T: Number>(a: &Stored<T>, g: &Sparse, g_cols: &Csr, g_rows: &Csr, least: f64) -> Self {
        let none = Vec::new;
        let mut out =
            Self { unknowns: none(), rows: none(), by_col: none(), by_row: none(), next: Vec::new() };
        out.update(a, g, g_cols, g_rows, least);
        out
    }
    /// The scaling of another matrix of the same pattern, in the memory of this one.
    pub(super) fn update<T: Number>(
        &mut self,
        a: &Stored<T>,
        g: &Sparse,
        g_cols: &Csr,
        g_rows: &Csr,
        least: f64,
    ) {
        let Self { unknowns, rows, by_col, by_row, next } = self;
        unknowns.clear();
        unknowns.resize(a.size(), 0.0);
        a.for_each(|i, j, value| {
            for at in [i, j] {
                unknowns[at] = unknowns[at].max(value.size());
            }
        });
        for (j, x) in unknowns.iter_mut().enumerate() {
            *x = x.max(LEAST * a.largest_term(j));
        }
        // Unknowns without entries get the scale of the others.
        let usual = mean_above(unknowns, 0.0).unwrap_or(1.0);
        let held = unknowns.iter().enumerate().filter(|(j, x)| **x > 0.0 && !g_cols.row(*j).is_empty());
        let (smallest, largest) =
            held.fold((f64::INFINITY, 0.0_f64), |(a, b), (_, x)| (a.min(*x), b.max(*x)));
        // Ratio of the scales of unknowns of constraints from which on they are evened: entries in A 1e16 times smaller than others are
        // rounding compared with these. Long links of thousands of elements, all of whose entries count, come up to 1e7.
        let apart = (largest / smallest).sqrt() > (1.0 / tuning::HALF_THE_DIGITS);
        let least = if apart { least.max(LEAST) } else { least };
        // Without what is only a trace.
        let of_most = mean_above(unknowns, least * usual).unwrap_or(usual);
        for (j, x) in unknowns.iter_mut().enumerate() {
            let least = if g_cols.row(j).is_empty() { 0.0 } else { least * of_most };
            *x = inverse_root(if *x > 0.0 { x.max(least) } else { usual });
        }
        let (_, row_of) = g_cols.parts();
        by_col.clear();
        by_col.extend_from_slice(g.data());
        // The largest entries of the rows at first.
        rows.clear();
        rows.resize(g.rows(), 0.0);
        let mut at = 0;
        for (j, &scale) in unknowns.iter().enumerate() {
            for &r in g_cols.row(j) {
                by_col[at] *= scale;
                rows[r as usize] = rows[r as usize].max(by_col[at].abs());
                at += 1;
            }
        }
        for x in rows.iter_mut() {
            *x = power_of_two(*x).recip();
        }
        by_row.clear();
        by_row.resize(by_col.len(), 0.0);
        next.clear();
        next.extend_from_slice(g_rows.parts().0);
        for (value, &r) in by_col.iter_mut().zip(row_of) {
            *value *= rows[r as usize];
            by_row[next[r as usize]] = *value;
            next[r as usize] += 1;
        }
    }
    /// Largest ratio of the scales of two unknowns of constraints.
    pub(super) fn spread(&self, g_cols: &Csr) -> f64 {
        let held = (0..self.unknowns.len()).filter(|j| !g_cols.row(*j).is_empty()).map(|j| self.unknowns[j]);
        let (least, most) = held.fold((f64::INFINITY, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
        if most > 0.0 { most / least } else { 1.0 }
    }
}
