//! Sequence of elimination: vertices of unknowns in a given order, each multiplier right after the last unknown
//! of its row.
//!
//! Its pivot is then -G K^-1 G^T of what has been eliminated: nonzero unless the row depends on others. Placed
//! earlier it would be zero. The multiplier costs no fill there: its neighbours are those of that unknown.

use super::graph::Quotient;
use super::pattern::Csr;

/// Vertices in the order of elimination. Members are unknowns j < n and multipliers n + r.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    /// Unknowns and multipliers of each vertex.
    pub(super) members: Csr,
    /// Neighbours of each vertex that come later.
    pub(super) later: Csr,
}

impl Sequence {
    /// `order[k]`: the vertex of unknowns in k-th place.
    pub(super) fn new(quotient: &Quotient, order: &[u32]) -> Self {
        let n = quotient.vertex_of.len();
        let mut place = vec![0_u32; order.len()];
        for (k, &v) in order.iter().enumerate() {
            place[v as usize] = k as u32;
        }
        let multipliers = sort_multipliers(quotient, &place);

        // Numbers in the sequence: unknowns' vertices, then the multipliers that follow them.
        let mut members = Csr::with_capacity(order.len() + multipliers.len(), n + multipliers.len());
        let mut number = vec![0_u32; order.len()];
        let mut attached: Vec<(u32, u32)> = Vec::with_capacity(quotient.rows.entries());
        let mut next = multipliers.iter().peekable();
        let mut take = |members: &mut Csr, limit: u32, previous: &mut Option<usize>| {
            while let Some(&&(last, _, r)) = next.peek() {
                if last > limit {
                    break;
                }
                let row = quotient.rows.row(r as usize);
                let same = previous.is_some_and(|p| quotient.rows.row(p) == row && !row.is_empty());
                if !same {
                    if previous.is_some() {
                        members.end_row();
                    }
                    let own = members.len() as u32;
                    attached.extend(row.iter().map(|&v| (v, own)));
                }
                members.push(n as u32 + r);
                *previous = Some(r as usize);
                next.next();
            }
            if previous.is_some() {
                members.end_row();
            }
        };
        for (k, &v) in order.iter().enumerate() {
            number[v as usize] = members.len() as u32;
            quotient.members.row(v as usize).iter().for_each(|&j| members.push(j));
            members.end_row();
            take(&mut members, k as u32, &mut None);
        }
        take(&mut members, order.len() as u32, &mut None);

        let attached = Csr::from_pairs(order.len(), &attached);
        let mut vertex_at = vec![u32::MAX; members.len()];
        for &v in order {
            vertex_at[number[v as usize] as usize] = v;
        }
        let mut later = Csr::with_capacity(members.len(), quotient.neighbours.entries() / 2);
        for (k, &v) in vertex_at.iter().enumerate() {
            if v != u32::MAX {
                for &w in quotient.neighbours.row(v as usize) {
                    if number[w as usize] as usize > k {
                        later.push(number[w as usize]);
                    }
                }
                attached.row(v as usize).iter().for_each(|&w| later.push(w));
            }
            later.end_row();
        }
        Self { members, later }
    }
}

/// (place of the last vertex, hash of the row, row of G) of each multiplier, sorted; rows without entries last.
fn sort_multipliers(quotient: &Quotient, place: &[u32]) -> Vec<(u32, u32, u32)> {
    let end = place.len() as u32;
    let last_of = |r: usize| quotient.rows.row(r).iter().map(|&v| place[v as usize]).max().unwrap_or(end);
    let last: Vec<u32> = (0..quotient.rows.len()).map(last_of).collect();
    let by_last = Csr::grouped(place.len() + 1, &last);
    let mut out = Vec::with_capacity(last.len());
    for (at, &end) in by_last.parts().0[1..].iter().enumerate() {
        let first = out.len();
        out.extend(by_last.row(at).iter().map(|&r| {
            let row = quotient.rows.row(r as usize);
            let mix = |h: u32, v: &u32| h.wrapping_add((v ^ (v << 7)).wrapping_mul(0x9e37_79b9));
            (at as u32, row.iter().fold(row.len() as u32, mix), r)
        }));
        debug_assert_eq!(out.len(), end);
        if out.len() > first + 1 {
            out[first..].sort_unstable();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_follow_the_last_unknown_of_their_row() {
        // Unknowns 0, 1, 2 in a chain; rows {0, 2}, {1}, {1}, {}.
        let a = Csr::from_rows(&[vec![0, 1], vec![0, 1, 2], vec![1, 2]]);
        let rows = Csr::from_rows(&[vec![0, 2], vec![1], vec![1], vec![]]);
        let cols = rows.transposed(3);
        let quotient = Quotient::new(&a, &cols, &rows, &[true; 4]);
        let s = Sequence::new(&quotient, &[2, 1, 0]);
        let all: Vec<&[u32]> = (0..s.members.len()).map(|k| s.members.row(k)).collect();
        assert_eq!(all, [&[2][..], &[1], &[4, 5], &[0], &[3], &[6]]);
        // Unknown 2 meets 1, 0 (through row 0) and the multiplier of row 0.
        let mut later = s.later.row(0).to_vec();
        later.sort_unstable();
        assert_eq!(later, [1, 3, 4]);
        assert_eq!(s.later.row(1), [3, 2]);
        assert!(s.later.row(4).is_empty());
    }
}
