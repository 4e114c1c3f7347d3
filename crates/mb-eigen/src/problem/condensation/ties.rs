//! Constraint rows that tie two coordinates or hold one, as trees of coordinates that move as one.
//!
//! ```text
//! a x_i + b x_j = 0 with |a| = |b|:  x_i = -+ x_j;     a x_i = 0:  x_i = 0;     x = B y, B of one entry +-1 a row, or none
//! ```
//!
//! Coordinates that ties connect are one of y; those connected to one that is held are none. Nothing is rounded in x = B y. Rows that
//! close a loop, or hold what is held, stay rows. The multipliers of the rows taken out follow from the forces on x, from the
//! leaves of each tree to its root, where the sum over the tree remains: B^T times the forces, zero for a solution. Sizes: x of length n,
//! r rows, y of length k.

#![expect(clippy::cast_possible_truncation, reason = "there are fewer coordinates and rows than 2^32")]

use mb_algebra::compensated::two_sum;
use mb_algebra::{Dense, Scatter, Sparse, Triplets};

use crate::tuning;

/// In the place of a coordinate.
const NONE: u32 = u32::MAX;

/// A row taken out.
#[derive(Clone, Copy, Debug)]
struct Step {
    row: u32,
    /// The coordinate it gives, and its entry there.
    leaf: u32,
    own: f64,
    /// The one nearer to the root, and the entry there; none where the row holds the leaf.
    parent: u32,
    other: f64,
}

/// B, and the rows it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Ties {
    /// Coordinate of y of each of x, none for those held; and its entry +-1.
    of: Vec<u32>,
    sign: Vec<f64>,
    /// From the leaves to the roots.
    steps: Vec<Step>,
    /// The rows that stay.
    pub(crate) rest: Vec<usize>,
    /// k.
    pub(crate) merged: usize,
}

/// What a row does.
enum Does {
    Holds(usize, f64),
    Ties([(usize, f64); 2]),
    Else,
}

impl Does {
    fn of(row: sprs::CsVecView<'_, f64>) -> Self {
        let mut entries = row.iter().filter(|(_, v)| **v != 0.0).map(|(j, v)| (j, *v));
        match (entries.next(), entries.next(), entries.next()) {
            (Some((i, a)), None, _) => Self::Holds(i, a),
            // Equal to the last bit, so that nothing is rounded.
            (Some((i, a)), Some((j, b)), None) if a.abs().to_bits() == b.abs().to_bits() => {
                Self::Ties([(i, a), (j, b)])
            }
            _ => Self::Else,
        }
    }
}

impl Ties {
    /// Of r x n independent rows; r and n below 2^32.
    pub(crate) fn new(rows: &Sparse) -> Self {
        let (r, n) = rows.shape();
        assert!(r.max(n) < NONE as usize, "ties: numbers of coordinates and rows beyond 32 bits");
        let does: Vec<Does> = rows.outer_iterator().map(Does::of).collect();
        // The ties of each coordinate.
        let mut start = vec![0_u32; n + 1];
        for row in &does {
            if let Does::Ties(ends) = row {
                for &(i, _) in ends {
                    start[i + 1] += 1;
                }
            }
        }
        (0..n).for_each(|i| start[i + 1] += start[i]);
        let mut next = start.clone();
        let mut ties = vec![0_u32; start[n] as usize];
        for (row, does) in does.iter().enumerate() {
            if let Does::Ties(ends) = does {
                for &(i, _) in ends {
                    ties[next[i] as usize] = row as u32;
                    next[i] += 1;
                }
            }
        }
        let mut out = Self {
            of: vec![NONE; n],
            sign: vec![0.0; n],
            steps: Vec::with_capacity(r),
            rest: Vec::new(),
            merged: 0,
        };
        let (mut seen, mut taken) = (vec![false; n], vec![false; r]);
        let mut tree: Vec<usize> = Vec::new();
        let holds = does.iter().enumerate().filter_map(|(row, does)| match does {
            Does::Holds(i, own) => Some((*i, Some((row, *own)))),
            _ => None,
        });
        for (root, held) in holds.chain((0..n).map(|i| (i, None))) {
            if seen[root] {
                continue;
            }
            let own = if let Some((row, own)) = held {
                taken[row] = true;
                out.steps.push(Step { row: row as u32, leaf: root as u32, own, parent: NONE, other: 0.0 });
                NONE
            } else {
                out.merged += 1;
                out.merged as u32 - 1
            };
            seen[root] = true;
            (out.of[root], out.sign[root]) = (own, 1.0);
            tree.clear();
            tree.push(root);
            let mut at = 0;
            while let Some(&i) = tree.get(at) {
                at += 1;
                for &row in &ties[start[i] as usize..start[i + 1] as usize] {
                    let Does::Ties(mut ends) = does[row as usize] else { continue };
                    if ends[0].0 != i {
                        ends.swap(0, 1);
                    }
                    let [(_, other), (leaf, entry)] = ends;
                    if taken[row as usize] || seen[leaf] {
                        continue;
                    }
                    taken[row as usize] = true;
                    seen[leaf] = true;
                    let turned = if (other > 0.0) == (entry > 0.0) { -1.0 } else { 1.0 };
                    (out.of[leaf], out.sign[leaf]) = (own, turned * out.sign[i]);
                    out.steps.push(Step { row, leaf: leaf as u32, own: entry, parent: i as u32, other });
                    tree.push(leaf);
                }
            }
        }
        out.steps.reverse();
        out.rest = (0..r).filter(|row| !taken[*row]).collect();
        out
    }

    /// Rows taken out.
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// B^T A B of a symmetric n x n matrix in either storage, and what rounding took from its sums, if anything; none where much cancels,
    /// whose rounding would be that of larger numbers than the sums show.
    pub(crate) fn both_sides(&self, a: &Sparse) -> Option<(Sparse, Option<Sparse>)> {
        // Coordinates of x that move with each of y.
        let mut start = vec![0_usize; self.merged + 1];
        let moving = || self.of.iter().enumerate().filter(|(_, own)| **own != NONE);
        moving().for_each(|(_, own)| start[*own as usize + 1] += 1);
        (0..self.merged).for_each(|own| start[own + 1] += start[own]);
        let mut next = start.clone();
        let mut members = vec![0_usize; start[self.merged]];
        for (i, own) in moving() {
            let next = &mut next[*own as usize];
            members[*next] = i;
            *next += 1;
        }
        let lines = a.proper_indptr();
        let mut starts = Vec::with_capacity(self.merged + 1);
        let (mut indices, mut values) = (Vec::with_capacity(a.nnz()), Vec::with_capacity(a.nnz()));
        let mut lost: Vec<(usize, usize, f64)> = Vec::new();
        let mut line: Vec<(u32, [f64; 2])> = Vec::new();
        let mut at = vec![usize::MAX; self.merged];
        starts.push(0);
        for own in 0..self.merged {
            line.clear();
            let mut terms = 0.0;
            for &i in &members[start[own]..start[own + 1]] {
                let entries = lines[i]..lines[i + 1];
                for (&j, &value) in a.indices()[entries.clone()].iter().zip(&a.data()[entries]) {
                    let to = self.of[j];
                    if to == NONE {
                        continue;
                    }
                    let value = value * (self.sign[i] * self.sign[j]);
                    if to as usize == own {
                        terms += value.abs();
                    }
                    let known = line.get_mut(at[to as usize]).filter(|(column, _)| *column == to);
                    if let Some((_, sum)) = known {
                        let (next, rest) = two_sum(sum[0], value);
                        *sum = [next, sum[1] + rest];
                    } else {
                        at[to as usize] = line.len();
                        line.push((to, [value, 0.0]));
                    }
                }
            }
            let diagonal = line.get(at[own]).filter(|(to, _)| *to as usize == own).map_or(0.0, |(_, v)| v[0]);
            // What cancels in a diagonal entry of B^T A B, over the entry, up to which the sum says what its terms do.
            if terms > (1.0 / tuning::CLEAR) * diagonal.abs() {
                return None;
            }
            line.sort_unstable_by_key(|(to, _)| *to);
            indices.extend(line.iter().map(|(to, _)| *to as usize));
            values.extend(line.iter().map(|(_, value)| value[0]));
            lost.extend(line.iter().filter(|(_, v)| v[1] != 0.0).map(|(to, v)| (own, *to as usize, v[1])));
            starts.push(indices.len());
        }
        let size = (self.merged, self.merged);
        let rest = (!lost.is_empty()).then(|| {
            let mut rest = Triplets::with_capacity(size.0, size.1, lost.len());
            for &(i, j, v) in &lost {
                rest.add(i, j, v);
            }
            rest.to_sparse().to_csr()
        });
        Some((Sparse::new(size, starts, indices, values), rest))
    }

    /// The rows that stay times B, from all r rows; none where one of them comes to nothing.
    pub(crate) fn rows_that_stay(&self, rows: &Sparse) -> Option<Sparse> {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut line: Vec<(usize, f64)> = Vec::new();
        for &row in &self.rest {
            line.clear();
            for (j, &value) in rows.outer_view(row)?.iter().filter(|(j, _)| self.of[*j] != NONE) {
                line.push((self.of[j] as usize, value * self.sign[j]));
            }
            line.sort_by_key(|(to, _)| *to);
            let first = indices.len();
            for &(to, value) in &line {
                if indices.len() > first && indices.last() == Some(&to) {
                    *values.last_mut()? += value;
                } else {
                    indices.push(to);
                    values.push(value);
                }
            }
            if values[first..].iter().all(|value| *value == 0.0) {
                return None;
            }
            starts.push(indices.len());
        }
        Some(Sparse::new((self.rest.len(), self.merged), starts, indices, values))
    }

    /// X = B Y.
    pub(crate) fn unfold(&self, y: &Dense) -> Dense {
        let mut out = Dense::zeros(self.of.len(), y.ncols());
        for j in 0..y.ncols() {
            let from = if self.merged > 0 { y.col_as_slice(j) } else { &[] };
            for ((x, &own), sign) in out.col_as_slice_mut(j).iter_mut().zip(&self.of).zip(&self.sign) {
                if own != NONE {
                    *x = sign * from[own as usize];
                }
            }
        }
        out
    }

    /// The same for columns.
    pub(crate) fn represented_columns(&self, x: &Sparse) -> Sparse {
        let mut out = Triplets::new(self.merged, x.cols());
        // Of the coordinates that move as one each has the value, which stands there once.
        let mut last = vec![usize::MAX; self.merged];
        for (j, column) in x.outer_iterator().enumerate() {
            for (i, value) in column.iter() {
                let own = self.of[i];
                if own != NONE && std::mem::replace(&mut last[own as usize], j) != j {
                    out.add(own as usize, j, self.sign[i] * value);
                }
            }
        }
        out.to_sparse()
    }

    /// y of x = B y.
    pub(crate) fn represented(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.merged];
        for ((x, &own), sign) in x.iter().zip(&self.of).zip(&self.sign) {
            if own != NONE {
                out[own as usize] = sign * x;
            }
        }
        out
    }

    /// B^T F.
    pub(crate) fn fold(&self, f: &Dense) -> Dense {
        let mut out = Dense::zeros(self.merged, f.ncols());
        for j in (0..f.ncols()).filter(|_| self.merged > 0) {
            let to = out.col_as_slice_mut(j);
            for ((f, &own), sign) in f.col_as_slice(j).iter().zip(&self.of).zip(&self.sign) {
                if own != NONE {
                    to[own as usize] += sign * f;
                }
            }
        }
        out
    }

    /// Multipliers of the rows taken out that hold `force`, which loses them: Phi^T l = force. Multipliers of the other rows stay as they are.
    pub(crate) fn hold(&self, force: &mut [f64], l: &mut [f64]) {
        for step in &self.steps {
            let own = force[step.leaf as usize] / step.own;
            l[step.row as usize] = own;
            force[step.leaf as usize] = 0.0;
            if step.parent != NONE {
                force[step.parent as usize] -= step.other * own;
            }
        }
    }

    /// Some x with the violations g of the rows taken out, zero at the roots that move.
    pub(crate) fn violated(&self, g: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for step in self.steps.iter().rev() {
            let above = if step.parent == NONE { 0.0 } else { step.other * x[step.parent as usize] };
            x[step.leaf as usize] = (g[step.row as usize] - above) / step.own;
        }
    }
}
