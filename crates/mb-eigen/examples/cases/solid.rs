//! Blocks of trilinear hexahedra (E = 2.1e11 N/m^2, nu = 0.3, rho = 7850 kg/m^3), lumped mass, row by row: memory for
//! the matrices alone, however many cells there are.
//!
//! ```text
//! K  from the elements;  with a spin W about the first axis less W^2 m across it
//! C  b_e times the stiffness of every element, b_e by layer;  2 W m (e_x x v) of the spin
//! ```

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

const YOUNG: f64 = 2.1e11;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 7850.0;

/// A block and what acts on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid {
    /// Cubic cells along the axes; the side along the second is 1 m.
    pub(crate) cells: [usize; 3],
    /// Whether the face at the low end of the first axis is held, by three multipliers a node.
    pub(crate) clamped: bool,
    /// Damping over stiffness, s, of the lower and of the upper half of the layers along the first axis.
    pub(crate) damping: [f64; 2],
    /// Angular velocity about the first axis, rad/s.
    pub(crate) spin: f64,
}

/// Columns of a matrix as they come.
#[derive(Default)]
struct Columns {
    start: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Columns {
    fn with_capacity(columns: usize, entries: usize) -> Self {
        let mut start = Vec::with_capacity(columns + 1);
        start.push(0);
        Self { start, rows: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    fn push(&mut self, row: usize, value: f64) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end(&mut self) {
        self.start.push(self.rows.len());
    }

    fn finish(self, n: usize) -> Sparse {
        Sparse::new_csc((n, n), self.start, self.rows, self.values)
    }
}

impl Solid {
    /// M, C, K and Phi_q.
    pub(crate) fn pencil(&self) -> QuadraticPencil<Sparse> {
        let side = 1.0 / self.cells[1] as f64;
        let (ke, corner_mass) = hexahedron(side);
        let nodes = self.cells.map(|c| c + 1);
        let n = 3 * nodes.iter().product::<usize>();
        let damped = self.damping.iter().any(|b| *b > 0.0);
        let mut k = Columns::with_capacity(n, 81 * n);
        let mut c = Columns::with_capacity(n, if damped { 81 * n } else { n });
        let mut m = vec![0.0; n];
        let half = self.cells[0] / 2;
        for node in 0..n / 3 {
            let at = [node / (nodes[1] * nodes[2]), node / nodes[2] % nodes[1], node % nodes[2]];
            let (mut stiffness, mut damping) = ([[0.0; 9]; 27], [[0.0; 9]; 27]);
            let mut mass = 0.0;
            for a in 0..8_usize {
                let bit = |corner: usize, axis: usize| corner >> (2 - axis) & 1;
                if !(0..3).all(|axis| at[axis] >= bit(a, axis) && at[axis] - bit(a, axis) < self.cells[axis])
                {
                    continue;
                }
                mass += corner_mass;
                let layer = at[0] - bit(a, 0);
                let factor = self.damping[usize::from(layer >= half)];
                for b in 0..8 {
                    let slot = (0..3).fold(0, |slot, axis| 3 * slot + 1 + bit(b, axis) - bit(a, axis));
                    for entry in 0..9 {
                        let value = ke[3 * b + entry / 3][3 * a + entry % 3];
                        stiffness[slot][entry] += value;
                        damping[slot][entry] += factor * value;
                    }
                }
            }
            for j in 0..3 {
                let own = 3 * node + j;
                m[own] = mass;
                for slot in 0..27 {
                    let step = [slot / 9, slot / 3 % 3, slot % 3];
                    if !(0..3).all(|axis| (1..=nodes[axis]).contains(&(at[axis] + step[axis]))) {
                        continue;
                    }
                    let other = (0..3).fold(0, |index, axis| index * nodes[axis] + at[axis] + step[axis] - 1);
                    for i in 0..3 {
                        let row = 3 * other + i;
                        let centrifugal =
                            if row == own && j > 0 { mass * self.spin * self.spin } else { 0.0 };
                        k.push(row, stiffness[slot][3 * i + j] - centrifugal);
                        if damped {
                            c.push(row, damping[slot][3 * i + j] + self.coriolis(mass, [own, row]));
                        }
                    }
                }
                k.end();
                if !damped && self.spin != 0.0 && j > 0 {
                    let row = 3 * node + 3 - j;
                    c.push(row, self.coriolis(mass, [own, row]));
                }
                c.end();
            }
        }
        let face = if self.clamped { 3 * nodes[1] * nodes[2] } else { 0 };
        let mut phi_q = Triplets::with_capacity(face, n, face);
        (0..face).for_each(|row| phi_q.add(row, row, 1.0));
        QuadraticPencil { m: sparse::diagonal(&m), c: c.finish(n), k: k.finish(n), phi_q: phi_q.to_sparse() }
    }

    /// 2 W m (e_x x v) at one node: the entry of a column and a row.
    fn coriolis(&self, mass: f64, [column, row]: [usize; 2]) -> f64 {
        let same_node = column / 3 == row / 3;
        match (same_node, column % 3, row % 3) {
            (true, 2, 1) => -2.0 * self.spin * mass,
            (true, 1, 2) => 2.0 * self.spin * mass,
            _ => 0.0,
        }
    }
}

/// Stiffness (2 x 2 x 2 points) and the mass of a corner of a cube with the given side; corner a at bits (x, y, z).
fn hexahedron(side: f64) -> (Vec<[f64; 24]>, f64) {
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let mut ke = vec![[0.0; 24]; 24];
    let gauss = 0.5 / 3.0_f64.sqrt();
    let weight = side.powi(3) / 8.0;
    for point in 0..8_usize {
        let at = |axis: usize| if point >> (2 - axis) & 1 == 1 { 0.5 + gauss } else { 0.5 - gauss };
        let shape = |a: usize, axis: usize| if a >> (2 - axis) & 1 == 1 { at(axis) } else { 1.0 - at(axis) };
        let slope = |a: usize, axis: usize| if a >> (2 - axis) & 1 == 1 { 1.0 } else { -1.0 };
        let gradient: Vec<[f64; 3]> = (0..8)
            .map(|a| {
                [
                    slope(a, 0) * shape(a, 1) * shape(a, 2) / side,
                    shape(a, 0) * slope(a, 1) * shape(a, 2) / side,
                    shape(a, 0) * shape(a, 1) * slope(a, 2) / side,
                ]
            })
            .collect();
        for a in 0..8 {
            for b in 0..8 {
                let (g, h) = (gradient[a], gradient[b]);
                let dot: f64 = (0..3).map(|i| g[i] * h[i]).sum();
                for i in 0..3 {
                    for j in 0..3 {
                        let same = if i == j { mu * dot } else { 0.0 };
                        ke[3 * a + i][3 * b + j] +=
                            weight * (lambda * (g[i] * h[j]) + mu * (g[j] * h[i]) + same);
                    }
                }
            }
        }
    }
    (ke, DENSITY * side.powi(3) / 8.0)
}
