//! A plane frame of columns and girders that cross, joined by pins which lie inside elements.
//!
//! ```text
//! an element of length h along its member: stretch (E A / h) [1 -1; -1 1], bending by Hermite's cubics N of the deflection
//! N(x) = [1 - 3 x^2 + 2 x^3, h (x - 2 x^2 + x^3), 3 x^2 - 2 x^3, h (x^3 - x^2)],   x in [0, 1]
//! a pin: the points of a column and of a girder move alike, two rows, each with two linear and four cubic weights
//! ```
//!
//! Columns are clamped at their feet; masses are lumped at the nodes.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

/// Steel tube: E A, N; E I, N m^2; mass, kg/m.
const STRETCH: f64 = 6.3e8;
const BENDING: f64 = 4.8e6;
const MASS: f64 = 23.6;
/// Distance of columns and of girders, m.
const BAY: f64 = 3.0;
/// Elements of a member for each bay, and how far its first node is before the first crossing: no crossing is at a node.
const ELEMENTS: usize = 4;
const BEFORE: f64 = 0.37 * BAY / ELEMENTS as f64;

/// A frame of as many columns as girders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    members: usize,
}

impl Frame {
    /// By about so many unknowns: two sets of members, three coordinates a node.
    pub(crate) fn of_size(size: usize) -> Self {
        let bays = (size as f64 / (6 * ELEMENTS) as f64).sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the root of a number of unknowns"
        )]
        Self { members: (bays as usize).max(2) }
    }

    /// Nodes of a member: a bay beyond the last crossing.
    const fn nodes(self) -> usize {
        self.members * ELEMENTS + 1
    }

    /// Unknowns of a node along its member, across, and of rotation; girders come after columns.
    const fn node(self, girder: bool, member: usize, node: usize) -> usize {
        let first = if girder { self.members } else { 0 };
        3 * ((first + member) * self.nodes() + node)
    }

    /// M, C, K and Phi_q.
    pub(crate) fn pencil(self) -> QuadraticPencil<Sparse> {
        let n = 6 * self.members * self.nodes();
        let h = BAY / ELEMENTS as f64;
        let (mut m, mut k) = (vec![0.0; n], Triplets::with_capacity(n, n, 10 * n));
        let bending = [
            [12.0, 6.0 * h, -12.0, 6.0 * h],
            [6.0 * h, 4.0 * h * h, -6.0 * h, 2.0 * h * h],
            [-12.0, -6.0 * h, 12.0, -6.0 * h],
            [6.0 * h, 2.0 * h * h, -6.0 * h, 4.0 * h * h],
        ];
        for (girder, member) in (0..2 * self.members).map(|i| (i >= self.members, i % self.members)) {
            for element in 0..self.nodes() - 1 {
                let ends = [0, 1].map(|end| self.node(girder, member, element + end));
                let across = [ends[0] + 1, ends[0] + 2, ends[1] + 1, ends[1] + 2];
                for (i, row) in across.into_iter().enumerate() {
                    for (j, column) in across.into_iter().enumerate() {
                        k.add(row, column, BENDING / h.powi(3) * bending[i][j]);
                    }
                }
                for (i, row) in ends.into_iter().enumerate() {
                    for (j, column) in ends.into_iter().enumerate() {
                        k.add(row, column, if i == j { STRETCH / h } else { -STRETCH / h });
                    }
                    m[row] += 0.5 * MASS * h;
                    m[row + 1] += 0.5 * MASS * h;
                    m[row + 2] += MASS * h.powi(3) / 24.0;
                }
            }
        }
        QuadraticPencil {
            m: sparse::diagonal(&m),
            c: sparse::zeros(n, n),
            k: k.to_sparse(),
            phi_q: self.joints(n),
        }
    }

    /// Feet of the columns, then pins.
    fn joints(self, n: usize) -> Sparse {
        let mut phi = Triplets::new(3 * self.members + 2 * self.members * self.members, n);
        for column in 0..self.members {
            (0..3).for_each(|i| phi.add(3 * column + i, self.node(false, column, 0) + i, 1.0));
        }
        // Along x columns move across and girders along, along z the other way round.
        let mut row = 3 * self.members;
        for column in 0..self.members {
            for girder in 0..self.members {
                let on_column = self.point(false, column, girder);
                let on_girder = self.point(true, girder, column);
                let pairs = [(&on_column.across, &on_girder.along), (&on_column.along, &on_girder.across)];
                for (i, (of_column, of_girder)) in pairs.into_iter().enumerate() {
                    for (at, weight) in of_column {
                        phi.add(row + i, *at, *weight);
                    }
                    for (at, weight) in of_girder {
                        phi.add(row + i, *at, -weight);
                    }
                }
                row += 2;
            }
        }
        phi.to_sparse()
    }

    /// The place on a member where it crosses another one.
    fn point(self, girder: bool, member: usize, crossing: usize) -> Place {
        let h = BAY / ELEMENTS as f64;
        let x = BEFORE / h;
        let nodes = [0, 1].map(|end| self.node(girder, member, crossing * ELEMENTS + end));
        Place {
            along: vec![(nodes[0], 1.0 - x), (nodes[1], x)],
            across: vec![
                (nodes[0] + 1, 1.0 - 3.0 * x * x + 2.0 * x.powi(3)),
                (nodes[0] + 2, h * (x - 2.0 * x * x + x.powi(3))),
                (nodes[1] + 1, 3.0 * x * x - 2.0 * x.powi(3)),
                (nodes[1] + 2, h * (x.powi(3) - x * x)),
            ],
        }
    }
}

/// Displacements of a point of a member by unknowns and weights.
struct Place {
    along: Vec<(usize, f64)>,
    across: Vec<(usize, f64)>,
}
