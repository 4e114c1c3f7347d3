//! Units in which the matrices of a mechanism are symmetric.
//!
//! ```text
//! r_i a_ij c_j = r_j a_ji c_i   for M, K, C;      r_i R_ik l_k = g_k Phi_ki c_i   for reactions R and constraint rows Phi
//! ```
//!
//! Both say what r_i / c_i = 2^(x_i) is relative to another coordinate. Coordinates are joined in trees by what is said of them, M
//! first; what is left is free. Sizes: x of length n.

use std::collections::HashMap;

use super::layout::{Lines, sorted};

/// x_i relative to the coordinate that stands for those it is joined with.
pub(super) struct Units {
    joined: Vec<usize>,
    exponent: Vec<i32>,
}

impl Units {
    pub(super) fn new(n: usize) -> Self {
        Self { joined: (0..n).collect(), exponent: vec![0; n] }
    }

    /// The coordinate that stands for i, and x_i relative to it.
    fn root(&mut self, i: usize) -> (usize, i32) {
        let (mut at, mut sum, mut path) = (i, 0, Vec::new());
        while self.joined[at] != at {
            path.push(at);
            sum += self.exponent[at];
            at = self.joined[at];
        }
        let mut rest = sum;
        for step in path {
            let own = std::mem::replace(&mut self.exponent[step], rest);
            self.joined[step] = at;
            rest -= own;
        }
        (at, sum)
    }

    /// x_j - x_i = `by`, where nothing was said of them before.
    fn join(&mut self, i: usize, j: usize, by: i32) {
        let ((a, x), (b, y)) = (self.root(i), self.root(j));
        if a != b {
            (self.joined[b], self.exponent[b]) = (a, x + by - y);
        }
    }

    /// Joins coordinates with a_ij and a_ji whose quotient is a power of two.
    pub(super) fn tie(&mut self, entries: impl Iterator<Item = (usize, usize, f64)>) {
        let list: Vec<(usize, usize, f64)> = entries.filter(|(i, j, _)| i != j).collect();
        let of: HashMap<(usize, usize), f64> = list.iter().map(|(i, j, v)| ((*i, *j), *v)).collect();
        for (i, j, v) in list.into_iter().filter(|(i, j, _)| i < j) {
            if let Some(by) = of.get(&(j, i)).and_then(|other| power(v / other)) {
                self.join(i, j, by);
            }
        }
    }

    /// The constraint row of every list of reactions: one with entries at the same coordinates and, in units that do not contradict what is
    /// known, in the same proportions. Reactions are sorted.
    pub(super) fn tie_reactions(&mut self, reactions: &mut Lines, rows: &Lines) -> Option<Vec<usize>> {
        let mut of_pattern: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
        let pattern = |row: &[(usize, f64)]| row.iter().map(|(j, _)| *j).collect::<Vec<usize>>();
        for (at, row) in rows.iter().enumerate().rev() {
            of_pattern.entry(pattern(row)).or_default().push(at);
        }
        let mut out = Vec::new();
        for own in reactions {
            *own = sorted(std::mem::take(own));
            let others = of_pattern.get_mut(&pattern(own))?;
            let at = (0..others.len()).rev().find(|at| self.tie_rows(own, &rows[others[*at]]))?;
            out.push(others.remove(at));
        }
        Some(out)
    }

    /// Joins the coordinates of a constraint, where nothing contradicts it.
    fn tie_rows(&mut self, reaction: &[(usize, f64)], row: &[(usize, f64)]) -> bool {
        let quotients: Vec<(usize, f64)> =
            reaction.iter().zip(row).map(|((i, r), (_, phi))| (*i, r / phi)).collect();
        let Some(&(first, f)) = quotients.first() else { return true };
        let mut known: HashMap<usize, i32> = HashMap::new();
        let mut said = Vec::new();
        for (i, quotient) in &quotients {
            // x_i - x_first = log2(f / quotient).
            let Some(by) = power(f / quotient).filter(|_| f * quotient > 0.0) else { return false };
            let (root, x) = self.root(*i);
            // What stands for i is by - x from the first.
            if *known.entry(root).or_insert(by - x) != by - x {
                return false;
            }
            said.push((*i, by));
        }
        for (i, by) in said {
            self.join(first, i, by);
        }
        true
    }

    /// c and r, with r_i c_i `sizes`_i near one.
    pub(super) fn factors(&mut self, sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let of = |(i, size): (usize, &f64)| {
            let x = self.root(i).1;
            let level = if *size > 0.0 { size.log2() } else { 0.0 };
            let c = (-0.5 * (level + f64::from(x))).round();
            (c.exp2(), (c + f64::from(x)).exp2())
        };
        sizes.iter().enumerate().map(of).unzip()
    }
}

/// The exponent of a power of two, but for a rounding of its quotient; in either sign.
fn power(v: f64) -> Option<i32> {
    let rounding = 2.0 * f64::EPSILON;
    // The bits of a number just below a power of two have the exponent before.
    let above = v.abs() * (1.0 + rounding);
    let exponent = i32::try_from(above.to_bits() >> 52).ok()? - 1023;
    let near = v.is_normal() && (v.abs() / f64::from(exponent).exp2() - 1.0).abs() <= rounding;
    near.then_some(exponent)
}
