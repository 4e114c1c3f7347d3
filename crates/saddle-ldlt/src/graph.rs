//! Quotient graph of a saddle-point matrix: what the ordering and the symbolic factorization work on.
//!
//! Unknowns with equal columns in A and in G (the three displacements of a node, the coordinates of a body)
//! become one vertex; so do multipliers of equal rows later. Orders and structures are found on this graph,
//! ten times smaller than the matrix, and expanded at the end (Ashcraft, SIAM J. Sci. Comput. 16, 1995).
//!
//! A row of G with few entries is augmented: A + g G^T G couples all its unknowns, so that they form a clique.

use std::borrow::Cow;

use super::pattern::Csr;

/// Vertices of unknowns with their members and neighbours.
#[derive(Clone, Debug)]
pub(super) struct Quotient {
    /// Unknowns of each vertex.
    pub(super) members: Csr,
    /// Vertex of each unknown.
    pub(super) vertex_of: Vec<u32>,
    /// Vertices of each row of G, sorted.
    pub(super) rows: Csr,
    /// Neighbours of each vertex in A + G^T G, the latter of augmented rows only; without itself.
    pub(super) neighbours: Csr,
}

/// A well-mixed number for each index (splitmix64), so that sums of them distinguish sets.
fn hash(index: usize) -> u64 {
    let mut z = (index as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Whether a pattern with these columns is symmetric: sums of hashes by row and by column agree.
pub(super) fn is_symmetric(a: &Csr) -> bool {
    let mut by_row = vec![0_u64; a.len()];
    let mut by_col = vec![0_u64; a.len()];
    for j in 0..a.len() {
        let own = hash(j);
        let mut sum = 0_u64;
        for &i in a.row(j) {
            by_row[i as usize] = by_row[i as usize].wrapping_add(own);
            sum = sum.wrapping_add(hash(i as usize));
        }
        by_col[j] = sum;
    }
    by_row == by_col
}

impl Quotient {
    /// Merges equal columns and finds the neighbours.
    ///
    /// `a`: columns of the symmetric pattern; `g_cols`, `g_rows`: columns and rows of G; `augmented[r]`: whether
    /// row r couples its unknowns.
    pub(super) fn new(a: &Csr, g_cols: &Csr, g_rows: &Csr, augmented: &[bool]) -> Self {
        let vertex_of = merge_equal_columns(a, g_cols);
        let count = vertex_of.iter().max().map_or(0, |&v| v as usize + 1);
        let members = Csr::grouped(count, &vertex_of);
        let rows = rows_of_vertices(g_rows, &vertex_of, count);
        let mut neighbours = Csr::with_capacity(count, a.entries() / 4);
        let mut seen = vec![u32::MAX; count];
        for v in 0..count {
            let own = v as u32;
            seen[v] = own;
            let first = members.row(v)[0] as usize;
            for &i in a.row(first) {
                let other = vertex_of[i as usize];
                if seen[other as usize] != own {
                    seen[other as usize] = own;
                    neighbours.push(other);
                }
            }
            for &r in g_cols.row(first) {
                if !augmented[r as usize] {
                    continue;
                }
                for &other in rows.row(r as usize) {
                    if seen[other as usize] != own {
                        seen[other as usize] = own;
                        neighbours.push(other);
                    }
                }
            }
            neighbours.end_row();
        }
        Self { members, vertex_of, rows, neighbours }
    }

    /// Neighbours for the ordering: rows without clique make one of their vertices adjacent to the others.
    pub(super) fn ordering_neighbours(&self, augmented: &[bool]) -> Cow<'_, Csr> {
        let long: Vec<usize> =
            (0..augmented.len()).filter(|&r| !augmented[r] && self.rows.row(r).len() > 1).collect();
        if long.is_empty() {
            return Cow::Borrowed(&self.neighbours);
        }
        let mut load = vec![0_u32; self.members.len()];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for r in long {
            let row = self.rows.row(r);
            let room = |v: &u32| (load[*v as usize], self.neighbours.row(*v as usize).len());
            let Some(&centre) = row.iter().min_by_key(|v| room(v)) else { continue };
            load[centre as usize] += 1;
            for &other in row.iter().filter(|&&v| v != centre) {
                edges.extend([(centre, other), (other, centre)]);
            }
        }
        for v in 0..self.members.len() {
            edges.extend(self.neighbours.row(v).iter().map(|&w| (v as u32, w)));
        }
        edges.sort_unstable();
        edges.dedup();
        Cow::Owned(Csr::from_pairs(self.members.len(), &edges))
    }
}

/// Vertex of each unknown, numbered by first member.
///
/// Only adjacent unknowns are merged: equal columns that do not touch would make a dense block of zeros.
fn merge_equal_columns(a: &Csr, g_cols: &Csr) -> Vec<u32> {
    let n = a.len();
    let key = |j: usize| {
        let sum = a.row(j).iter().fold(0_u64, |s, &i| s.wrapping_add(hash(i as usize)));
        g_cols.row(j).iter().fold(sum, |s, &r| s.wrapping_add(hash(r as usize).rotate_left(17)))
    };
    let equal = |i: usize, j: usize| {
        a.row(i) == a.row(j) && g_cols.row(i) == g_cols.row(j) && a.row(j).contains(&(i as u32))
    };
    // Neighbouring unknowns first: the usual numbering keeps a node's or a body's unknowns together.
    let mut leader: Vec<u32> = (0..n as u32).collect();
    // Unknowns further apart by a table of hashes, open addressing.
    let keys: Vec<u64> = (0..n).map(key).collect();
    let mask = (2 * n).next_power_of_two() - 1;
    let mut table = vec![u32::MAX; mask + 1];
    let mut last = usize::MAX;
    for j in 0..n {
        // A column without its own row equals no other; all empty ones together would make one long chain in the table.
        if !a.row(j).contains(&(j as u32)) {
            continue;
        }
        if last != usize::MAX && keys[j] == keys[last] && equal(last, j) {
            leader[j] = last as u32;
            continue;
        }
        let mut at = keys[j] as usize & mask;
        loop {
            let first = table[at];
            if first == u32::MAX {
                table[at] = j as u32;
                break;
            }
            if keys[first as usize] == keys[j] && equal(first as usize, j) {
                leader[j] = first;
                break;
            }
            at = (at + 1) & mask;
        }
        last = leader[j] as usize;
    }
    let mut vertex_of = vec![u32::MAX; n];
    let mut count = 0;
    for j in 0..n {
        let top = leader[j] as usize;
        if vertex_of[top] == u32::MAX {
            vertex_of[top] = count;
            count += 1;
        }
        vertex_of[j] = vertex_of[top];
    }
    vertex_of
}

fn rows_of_vertices(g_rows: &Csr, vertex_of: &[u32], count: usize) -> Csr {
    let mut rows = Csr::with_capacity(g_rows.len(), g_rows.entries());
    let mut seen = vec![u32::MAX; count];
    let mut own = Vec::new();
    for r in 0..g_rows.len() {
        own.clear();
        for &j in g_rows.row(r) {
            let v = vertex_of[j as usize];
            if seen[v as usize] != r as u32 {
                seen[v as usize] = r as u32;
                own.push(v);
            }
        }
        own.sort_unstable();
        for &v in &own {
            rows.push(v);
        }
        rows.end_row();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of two unknowns each, coupled, numbered by direction: unknowns 0 and 2 are one node.
    fn two_nodes() -> Csr {
        Csr::from_rows(&[vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![0, 1, 2, 3]])
    }

    #[test]
    fn equal_columns_become_one_vertex() {
        let none = Csr::from_rows(&[vec![], vec![], vec![], vec![]]);
        let q = Quotient::new(&two_nodes(), &none, &Csr::from_rows(&[]), &[]);
        assert_eq!(q.vertex_of, [0, 0, 0, 0]);
        // A constraint on unknowns 0 and 2 distinguishes them from the others.
        let g = Csr::from_rows(&[vec![0], vec![], vec![0], vec![]]);
        let q = Quotient::new(&two_nodes(), &g, &Csr::from_rows(&[vec![0, 2]]), &[true]);
        assert_eq!(q.vertex_of, [0, 1, 0, 1]);
        assert_eq!(q.neighbours.row(0), [1]);
        assert_eq!(q.rows.row(0), [0]);
    }

    #[test]
    fn unknowns_without_entries_stay_apart() {
        let a = Csr::from_rows(&[vec![], vec![], vec![2]]);
        let none = Csr::from_rows(&[vec![], vec![], vec![]]);
        let q = Quotient::new(&a, &none, &Csr::from_rows(&[]), &[]);
        assert_eq!(q.vertex_of, [0, 1, 2]);
    }

    #[test]
    fn augmented_rows_are_cliques_and_others_stars() {
        let a = Csr::from_rows(&[vec![0], vec![1], vec![2]]);
        let g_cols = Csr::from_rows(&[vec![0], vec![0], vec![0]]);
        let g_rows = Csr::from_rows(&[vec![0, 1, 2]]);
        let clique = Quotient::new(&a, &g_cols, &g_rows, &[true]);
        assert_eq!(clique.neighbours.entries(), 6);
        let star = Quotient::new(&a, &g_cols, &g_rows, &[false]);
        assert_eq!(star.neighbours.entries(), 0);
        assert_eq!(star.ordering_neighbours(&[false]).entries(), 4);
    }

    #[test]
    fn one_sided_patterns_are_seen() {
        assert!(is_symmetric(&two_nodes()));
        assert!(!is_symmetric(&Csr::from_rows(&[vec![0, 1], vec![1]])));
    }
}
