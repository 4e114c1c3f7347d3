//! Numeric factorization by the multifrontal method (Duff and Reid, ACM Trans. Math. Softw. 9, 1983).
//!
//! Each supernode assembles its columns of the scaled, augmented matrix and the update matrices of its children,
//! eliminates its pivots ([`super::front`]) and leaves the Schur complement of the rows below on a stack, by its
//! lower triangle. Panels of L stay where they were assembled.

use sprs::CsMat;

use super::front::{Eliminator, Oddity};
use super::number::Number;
use super::pattern::Csr;
use super::scaling::Scaling;
use super::symbolic::{Supernode, Symbolic};

/// The matrix to factor: S [A + g G^T G, G^T; G, 0] S.
pub(super) struct Source<'a, T> {
    /// A, by columns, both triangles.
    pub(super) a: &'a CsMat<T>,
    pub(super) g_cols: &'a Csr,
    pub(super) g_rows: &'a Csr,
    pub(super) scaling: &'a Scaling,
    /// Whether each row of G enters g G^T G.
    pub(super) augmented: &'a [bool],
    /// Rows of G left out.
    pub(super) dropped: &'a [bool],
    /// g, after scaling.
    pub(super) weight: f64,
}

/// Factors in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Numeric<T> {
    /// All panels; each holds the unit lower triangle of its pivots and the rows below.
    pub(super) panels: Vec<T>,
    /// D^-1: diagonal by place, zero at null pivots.
    pub(super) inverse: Vec<T>,
    /// Pairs of D^-1: first place and entry off the diagonal.
    pub(super) pairs: Vec<(u32, T)>,
    /// Place each row of the pivots of an exchanged supernode came from; empty when nothing was exchanged.
    pub(super) perm: Vec<u32>,
    /// Supernodes whose pivots were exchanged.
    pub(super) moved: Vec<bool>,
    pub(super) summary: Summary,
}

/// What was met on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// Multipliers (n + r) whose row of G depends on others.
    pub(super) null: Vec<u32>,
    /// Unknowns whose pivot was zero.
    pub(super) singular: Vec<u32>,
    /// Multipliers whose pivot was replaced.
    pub(super) weak: Vec<u32>,
    /// Unknowns and multipliers with a pivot made by cancellation, and how small it was.
    pub(super) doubtful: Vec<(u32, f64)>,
    pub(super) positive: usize,
    pub(super) negative: usize,
    /// Pivots of two rows.
    pub(super) pairs: usize,
    /// Largest magnitude in L.
    pub(super) growth: f64,
}

/// Why the elimination stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// Memory was refused.
    Memory,
    /// An entry of this unknown's column lies outside the analysed pattern.
    Pattern(u32),
    /// A pivot of this supernode's first unknown is not finite.
    NonFinite(u32),
}

impl<T: Number> Numeric<T> {
    pub(super) fn new(symbolic: &Symbolic, source: &Source<'_, T>) -> Result<Self, Stop> {
        let size = symbolic.order.len();
        let mut out = Self {
            panels: zeros(symbolic.panel_entries)?,
            inverse: zeros(size)?,
            pairs: Vec::new(),
            perm: Vec::new(),
            moved: vec![false; symbolic.supernodes.len()],
            summary: Summary::default(),
        };
        let mut work = Work::new(symbolic)?;
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            let panel = &mut out.panels[node.panel..node.panel + node.rows() * node.cols];
            work.start(symbolic, node);
            work.assemble(symbolic, node, source, panel)?;
            work.extend_add(symbolic, s, panel);
            work.eliminator.eliminate(panel, node.rows(), &work.multiplier, &mut work.sums);
            work.eliminator.update_below(panel, node.rows(), node.cols, &mut work.schur);
            work.push(node.below, node.cols);
            out.record(symbolic, s, &work.eliminator)?;
        }
        out.summary.growth = work.eliminator.growth;
        Ok(out)
    }

    fn record(&mut self, symbolic: &Symbolic, s: usize, done: &Eliminator<T>) -> Result<(), Stop> {
        let node = &symbolic.supernodes[s];
        if done.moved {
            self.moved[s] = true;
            if self.perm.is_empty() {
                self.perm = (0..symbolic.order.len() as u32).collect();
            }
            for (k, &p) in done.perm.iter().enumerate() {
                self.perm[node.first + k] = node.first as u32 + p;
            }
        }
        let unknown = |k: usize| symbolic.order[node.first + done.perm[k] as usize];
        for &(k, oddity) in &done.odd {
            match oddity {
                Oddity::Null => self.summary.null.push(unknown(k)),
                Oddity::Singular => self.summary.singular.push(unknown(k)),
                Oddity::Weak => self.summary.weak.push(unknown(k)),
            }
        }
        self.summary.doubtful.extend(done.doubtful.iter().map(|&(k, ratio)| (unknown(k), ratio)));
        let mut k = 0;
        while k < node.cols {
            self.inverse[node.first + k] = done.inverse[k];
            if !done.inverse[k].size().is_finite() {
                return Err(Stop::NonFinite(unknown(k)));
            }
            if done.e[k] == T::default() {
                self.summary.positive += usize::from(done.inverse[k] != T::default());
                self.summary.negative += usize::from(done.inverse[k].is_negative());
                k += 1;
            } else {
                // Bunch and Kaufman take pairs with negative determinant only: one eigenvalue of each sign.
                self.pairs.push((node.first as u32 + k as u32, done.inverse_e[k]));
                self.inverse[node.first + k + 1] = done.inverse[k + 1];
                if !done.inverse_e[k].size().is_finite() {
                    return Err(Stop::NonFinite(unknown(k)));
                }
                self.summary.positive += 2;
                self.summary.negative += 1;
                self.summary.pairs += 1;
                k += 2;
            }
        }
        Ok(())
    }
}

fn zeros<T: Number>(length: usize) -> Result<Vec<T>, Stop> {
    // `vec!` gets its zeros from the system, page by page as they are touched; the reservation asks first.
    Vec::<T>::new().try_reserve_exact(length).map_err(|_| Stop::Memory)?;
    Ok(vec![T::default(); length])
}

/// Memory of the front in work, and the stack.
struct Work<T> {
    eliminator: Eliminator<T>,
    /// Index in the front of each place; valid where `places` agrees.
    local: Vec<u32>,
    /// Places of the front's rows.
    places: Vec<u32>,
    /// Whether each pivot is a multiplier.
    multiplier: Vec<bool>,
    /// Magnitudes summed into the diagonal of each row.
    sums: Vec<f64>,
    /// Schur complement of the rows below, square by columns, lower triangle.
    schur: Vec<T>,
    stack: Vec<T>,
    stack_sums: Vec<f64>,
}

impl<T: Number> Work<T> {
    fn new(symbolic: &Symbolic) -> Result<Self, Stop> {
        let mut stack = Vec::new();
        stack.try_reserve_exact(symbolic.stack_entries).map_err(|_| Stop::Memory)?;
        let mut schur = Vec::new();
        schur.try_reserve_exact(symbolic.max_below * symbolic.max_below).map_err(|_| Stop::Memory)?;
        Ok(Self {
            eliminator: Eliminator::default(),
            local: vec![0; symbolic.order.len()],
            places: Vec::new(),
            multiplier: Vec::new(),
            sums: Vec::new(),
            schur,
            stack,
            stack_sums: Vec::new(),
        })
    }

    fn start(&mut self, symbolic: &Symbolic, node: &Supernode) {
        self.places.clear();
        self.places.extend(node.first as u32..(node.first + node.cols) as u32);
        for &(first, length) in &symbolic.runs[node.runs.clone()] {
            self.places.extend(first..first + length);
        }
        for (k, &place) in self.places.iter().enumerate() {
            self.local[place as usize] = k as u32;
        }
        self.sums.clear();
        self.sums.resize(self.places.len(), 0.0);
        self.schur.clear();
        self.schur.resize(node.below * node.below, T::default());
    }

    /// Adds the pivots' columns of the matrix.
    fn assemble(
        &mut self,
        symbolic: &Symbolic,
        node: &Supernode,
        source: &Source<'_, T>,
        panel: &mut [T],
    ) -> Result<(), Stop> {
        let rows = node.rows();
        let n = source.a.cols();
        let pivots = &symbolic.order[node.first..node.first + node.cols];
        self.multiplier.clear();
        self.multiplier.extend(pivots.iter().map(|&u| u as usize >= n));
        let scale = &source.scaling.unknowns;
        let start = source.a.indptr();
        let (indices, data) = (source.a.indices(), source.a.data());
        let (g_start, _) = source.g_cols.parts();
        let (row_start, _) = source.g_rows.parts();
        for k in 0..node.cols {
            let place = node.first + k;
            let unknown = pivots[k] as usize;
            if unknown >= n {
                continue;
            }
            let column = &mut panel[k * rows..(k + 1) * rows];
            let find = |other: usize| {
                let at = self.local[other] as usize;
                if self.places.get(at) == Some(&(other as u32)) {
                    Ok(at)
                } else {
                    Err(Stop::Pattern(unknown as u32))
                }
            };
            let range = start.outer_inds_sz(unknown);
            for (&i, &value) in indices[range.clone()].iter().zip(&data[range]) {
                let other = symbolic.place[i] as usize;
                if other >= place {
                    column[find(other)?] += value.scaled(scale[unknown] * scale[i]);
                }
            }
            self.sums[k] += column[k].size();
            for (at, &r) in source.g_cols.row(unknown).iter().enumerate() {
                let r = r as usize;
                if source.dropped[r] {
                    continue;
                }
                let value = source.scaling.by_col[g_start[unknown] + at];
                column[find(symbolic.place[n + r] as usize)?] += T::from_real(value);
                if source.augmented[r] && source.weight != 0.0 {
                    for (at, &j) in source.g_rows.row(r).iter().enumerate() {
                        let other = symbolic.place[j as usize] as usize;
                        if other >= place {
                            let product = source.weight * value * source.scaling.by_row[row_start[r] + at];
                            column[find(other)?] += T::from_real(product);
                        }
                    }
                    self.sums[k] += source.weight * value * value;
                }
            }
        }
        Ok(())
    }

    /// Adds the update matrices of the children and takes them off the stack.
    fn extend_add(&mut self, symbolic: &Symbolic, s: usize, panel: &mut [T]) {
        let node = &symbolic.supernodes[s];
        let (rows, cols) = (node.rows(), node.cols);
        for &child in &symbolic.children[node.children.clone()] {
            let child = &symbolic.supernodes[child as usize];
            let below = child.below;
            let runs = &symbolic.runs[child.runs.clone()];
            let base = self.stack.len() - below * (below + 1) / 2;
            let sums_base = self.stack_sums.len() - below;
            let mut from = &self.stack[base..];
            let mut sums = &self.stack_sums[sums_base..];
            for (at, &(first, length)) in runs.iter().enumerate() {
                for inside in 0..length {
                    // Runs stay together in the parent.
                    let column = (self.local[first as usize] + inside) as usize;
                    self.sums[column] += sums[0];
                    sums = &sums[1..];
                    let (target, offset) = if column < cols {
                        (&mut panel[column * rows..(column + 1) * rows], 0)
                    } else {
                        let k = column - cols;
                        (&mut self.schur[k * node.below..(k + 1) * node.below], cols)
                    };
                    let rest = (length - inside) as usize;
                    add(&mut target[column - offset..column - offset + rest], &from[..rest]);
                    from = &from[rest..];
                    for &(first, length) in &runs[at + 1..] {
                        let row = self.local[first as usize] as usize - offset;
                        add(&mut target[row..row + length as usize], &from[..length as usize]);
                        from = &from[length as usize..];
                    }
                }
            }
            self.stack.truncate(base);
            self.stack_sums.truncate(sums_base);
        }
    }

    /// Leaves the Schur complement on the stack.
    fn push(&mut self, below: usize, cols: usize) {
        for k in 0..below {
            self.stack.extend_from_slice(&self.schur[k * below + k..(k + 1) * below]);
        }
        self.stack_sums.extend_from_slice(&self.sums[cols..]);
    }
}

fn add<T: Number>(target: &mut [T], source: &[T]) {
    for (t, &s) in target.iter_mut().zip(source) {
        *t += s;
    }
}
