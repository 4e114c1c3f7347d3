//! Elimination orders for symmetric matrices with zeros on the diagonal, [K, Phi^T; Phi, 0].
//!
//! L D L^T without exchanges breaks down when a multiplier comes before the unknowns it constrains. Each row
//! with a zero diagonal is therefore fused with one of its unknowns, the quotient graph is ordered by
//! approximate minimum degree (AMD), and each such row goes right after the last of its unknowns: its pivot is
//! then -Phi K^-1 Phi^T, nonzero for independent constraints on a regular part of K.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;

use crate::convert::with_faer;
use crate::{AlgebraError, Scatter, Sparse, Triplets};

/// The rows in the order of elimination: position k eliminates row `order[k]`.
///
/// `constraint[i]` marks the rows with a zero diagonal. The matrix is stored by columns, both triangles.
pub(crate) fn fused_minimum_degree(a: &Sparse, constraint: &[bool]) -> Result<Vec<usize>, AlgebraError> {
    let n = a.rows();
    let (groups, group) = fuse(a, constraint);
    let mut quotient = Triplets::with_capacity(groups, groups, a.nnz());
    for (_, (row, col)) in a {
        quotient.add(group[row], group[col], 1.0);
    }
    let group_order = minimum_degree(&quotient.to_sparse())?;
    let mut position = vec![0; groups];
    for (at, &group) in group_order.iter().enumerate() {
        position[group] = at;
    }
    // A constraint counts as being where its last unknown is; unknowns go before it.
    let mut keys: Vec<(usize, bool, usize)> = Vec::with_capacity(n);
    for (i, column) in a.outer_iterator().enumerate() {
        let own = position[group[i]];
        let last = column.indices().iter().filter(|&&j| !constraint[j]).map(|&j| position[group[j]]).max();
        keys.push((if constraint[i] { last.unwrap_or(own) } else { own }, constraint[i], i));
    }
    keys.sort_unstable();
    Ok(keys.into_iter().map(|(_, _, i)| i).collect())
}

/// Number of groups and the group of each row: every unknown has its own, a constraint joins its largest free
/// unknown.
fn fuse(a: &Sparse, constraint: &[bool]) -> (usize, Vec<usize>) {
    let mut group = vec![usize::MAX; a.rows()];
    let mut groups = 0;
    for (i, is_constraint) in constraint.iter().enumerate() {
        if !is_constraint {
            group[i] = groups;
            groups += 1;
        }
    }
    let mut taken = vec![false; a.rows()];
    for (i, column) in a.outer_iterator().enumerate() {
        if !constraint[i] {
            continue;
        }
        let free = column.iter().filter(|(j, _)| !constraint[*j] && !taken[*j]);
        if let Some((partner, _)) = free.max_by(|x, y| x.1.abs().total_cmp(&y.1.abs())) {
            taken[partner] = true;
            group[i] = group[partner];
        } else {
            group[i] = groups;
            groups += 1;
        }
    }
    (groups, group)
}

fn minimum_degree(a: &Sparse) -> Result<Vec<usize>, AlgebraError> {
    let n = a.rows();
    let memory = || AlgebraError::OutOfMemory { size: n };
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut buffer =
        MemBuffer::try_new(amd::order_maybe_unsorted_scratch::<usize>(n, a.nnz())).map_err(|_| memory())?;
    let stack = MemStack::new(&mut buffer);
    let control = amd::Control::default();
    with_faer(a, |view| {
        amd::order_maybe_unsorted(&mut order, &mut inverse, view.symbolic(), control, stack).map(|_| ())
    })
    .map_err(|_| memory())?;
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_follow_their_unknowns() {
        // A chain of 6 unknowns; row 6 ties 0 to 5, row 7 holds 2, row 8 is empty.
        let mut t = Triplets::new(9, 9);
        for i in 0..6 {
            t.add(i, i, 2.0);
            if i > 0 {
                t.add(i, i - 1, -1.0);
                t.add(i - 1, i, -1.0);
            }
        }
        for (c, i) in [(6, 0), (6, 5), (7, 2)] {
            t.add(c, i, 1.0);
            t.add(i, c, 1.0);
        }
        let constraint: Vec<bool> = (0..9).map(|i| i >= 6).collect();
        let order = fused_minimum_degree(&t.to_sparse(), &constraint).unwrap();
        let at = |i: usize| order.iter().position(|&o| o == i).unwrap();
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert!(at(6) > at(0) && at(6) > at(5) && at(7) > at(2));
    }
}
