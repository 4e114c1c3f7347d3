//! Two blocks of hexahedra whose meshes do not match, tied by a mortar.
//!
//! ```text
//! integral over the face of N_i (u_coarse - u_fine) = 0,   N_i the shape functions of the coarse mesh, three rows a node
//! on a rectangle:   D_1 (x) D_1 u_coarse - F_1 (x) F_1 u_fine = 0
//! D_1, F_1: integrals of products of hat functions on a side, coarse with coarse and coarse with fine
//! ```

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

use crate::families::solid::Solid;

/// Cells a side of both blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    /// The clamped block, fine.
    pub(crate) fine: usize,
    /// The block that hangs on it.
    pub(crate) coarse: usize,
}

/// Integral over [0, 1] of the product of hat functions i of a mesh of a cells and j of one of b cells: exact by Simpson's rule between
/// the nodes of both meshes, where the product is a parabola.
fn overlap([a, i]: [usize; 2], [b, j]: [usize; 2]) -> f64 {
    let hat = |cells: usize, node: usize, x: f64| (1.0 - (x * cells as f64 - node as f64).abs()).max(0.0);
    let mut nodes: Vec<f64> =
        [a, b].into_iter().flat_map(|c| (0..=c).map(move |node| node as f64 / c as f64)).collect();
    nodes.sort_by(f64::total_cmp);
    let product = |x: f64| hat(a, i, x) * hat(b, j, x);
    let part = |ends: &[f64]| {
        let middle = 0.5 * (ends[0] + ends[1]);
        (ends[1] - ends[0]) / 6.0 * (product(ends[0]) + 4.0 * product(middle) + product(ends[1]))
    };
    nodes.windows(2).map(part).sum()
}

impl Tie {
    /// M, C, K and Phi_q: the clamp, then the tie.
    pub(crate) fn pencil(self) -> QuadraticPencil<Sparse> {
        let block = |cells: usize, clamped: bool| {
            Solid { cells: [cells; 3], clamped, damping: [0.0; 2], spin: 0.0 }.pencil()
        };
        let (fine, coarse) = (block(self.fine, true), block(self.coarse, false));
        let both = [fine.k.rows(), coarse.k.rows()];
        let join =
            |a: &Sparse, b: &Sparse| sparse::blocks(&[&[Some(a), None], &[None, Some(b)]], &both, &both);
        let n = both[0] + both[1];
        let clamp = fine.phi_q.rows();
        let nodes = self.coarse + 1;
        let mut phi = Triplets::new(clamp + 3 * nodes * nodes, n);
        (0..clamp).for_each(|row| phi.add(row, row, 1.0));
        // The last layer of the fine block along the first axis, and the first one of the other.
        let last = self.fine * (self.fine + 1) * (self.fine + 1);
        self.rows(&mut phi, clamp, (self.coarse, both[0], 1.0));
        self.rows(&mut phi, clamp, (self.fine, 3 * last, -1.0));
        QuadraticPencil {
            m: join(&fine.m, &coarse.m),
            c: sparse::zeros(n, n),
            k: join(&fine.k, &coarse.k),
            phi_q: phi.to_sparse(),
        }
    }

    /// Weights of one side in the rows of the tie; `side`: its cells, the first unknown of its face, and its sign.
    fn rows(self, phi: &mut Triplets, first: usize, side: (usize, usize, f64)) {
        let (cells, face, sign) = side;
        let weights: Vec<Vec<(usize, f64)>> = (0..=self.coarse)
            .map(|i| {
                let all = (0..=cells).map(|j| (j, overlap([self.coarse, i], [cells, j])));
                all.filter(|(_, weight)| *weight > 0.0).collect()
            })
            .collect();
        let nodes = self.coarse + 1;
        // In units of a cell's face, so that rows are of the size of one.
        let unit = (self.coarse * self.coarse) as f64;
        for (node, [y, z]) in (0..nodes * nodes).map(|i| (i, [i / nodes, i % nodes])) {
            for (j, of_y) in &weights[y] {
                for (k, of_z) in &weights[z] {
                    let at = face + 3 * (j * (cells + 1) + k);
                    (0..3).for_each(|i| phi.add(first + 3 * node + i, at + i, sign * unit * of_y * of_z));
                }
            }
        }
    }
}
