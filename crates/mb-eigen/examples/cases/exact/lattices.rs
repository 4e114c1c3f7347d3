//! Lattices of masses and springs in two and three dimensions, as blocks of a solid are.
//!
//! ```text
//! M = D x I x I x T^T diag(m_c) T
//! K = (L_x x I x I) x T^T diag(k_cx) T + (D x (L_y x I x T^T diag(k_cy) T + I x L_z x T^T diag(k_cz) T))
//! w = (k_cx l_x + k_cy l_y + k_cz l_z) / m_c,     N masses along an axis:
//! l = 4 sin^2(j pi / (2 (N + 1))), j = 1..N               both ends held
//!     4 sin^2((2 j - 1) pi / (2 (2 N + 1))), j = 1..N     one end held
//!     4 sin^2(j pi / (2 N)), j = 0..N - 1                 none
//! C = a M + b K + 2 W m J on the first two parts:         s^2 + (a + b w + 2 i W) s + w = 0 and its conjugate
//! ```
//!
//! L is the matrix of a chain of unit springs, T the integer mixture of the parts c of a node. An end is held by springs to the
//! ground or, along the first axis, by constraints. A joint cuts the lattice at a layer, of which either body has half: D is 1/2
//! in both layers, and constraints tie them. Strang, SIAM Review 41 (1999), has the l of all ends.

use mb_algebra::{QuadraticPencil, Scatter, Triplets, c64};
use proptest::prelude::*;

use super::{Known, Problem, quadratic_eigenvalues};

/// What is at an end of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Free,
    /// Springs to the ground.
    Ground,
    /// One more layer, held by constraints; along the first axis only.
    Held,
}

#[derive(Clone, Debug)]
struct Lattice {
    /// Masses along the axes that can move.
    size: [usize; 3],
    ends: [[End; 2]; 3],
    /// Of every part of a node: mass, and stiffness along the axes.
    parts: Vec<(f64, [f64; 3])>,
    mixture: [[f64; 3]; 3],
    /// a, b.
    damping: [f64; 2],
    spin: f64,
    /// The layer along the first axis in which the lattice is cut.
    joint: Option<usize>,
    redundant: bool,
}

/// Layers along the first axis: the place in the chain of each, and its share of that place.
fn layers(lattice: &Lattice) -> Vec<(usize, f64)> {
    let held = lattice.ends[0].iter().filter(|end| **end == End::Held).count();
    let mut out = Vec::new();
    for place in 0..lattice.size[0] + held {
        if lattice.joint == Some(place) {
            out.extend([(place, 0.5); 2]);
        } else {
            out.push((place, 1.0));
        }
    }
    out
}

/// Entries (i, j, v) of the chain of unit springs along an axis.
fn chain(count: usize, ends: [End; 2]) -> Vec<(usize, usize, f64)> {
    let mut out = Vec::new();
    for i in 0..count.saturating_sub(1) {
        out.extend([(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]);
    }
    for (end, i) in ends.into_iter().zip([0, count - 1]) {
        if end == End::Ground {
            out.push((i, i, 1.0));
        }
    }
    out
}

/// Eigenvalues of the chain.
fn squares(count: usize, ends: [End; 2]) -> Vec<f64> {
    let held = ends.iter().filter(|end| **end != End::Free).count();
    let sine = |top: usize, below: usize| {
        let sine = (top as f64 * std::f64::consts::FRAC_PI_2 / below as f64).sin();
        4.0 * sine * sine
    };
    (0..count)
        .map(|j| match held {
            0 => sine(j, count),
            1 => sine(2 * j + 1, 2 * count + 1),
            _ => sine(j + 1, count + 1),
        })
        .collect()
}

impl Lattice {
    fn kind(&self) -> &'static str {
        let slender = self.size[0] >= 12 * self.size[1].max(self.size[2]);
        match (self.spin == 0.0, self.damping.iter().all(|d| *d == 0.0), slender) {
            (false, ..) => "gyroscopic lattices",
            (true, false, false) => "damped lattices",
            (true, false, true) => "damped slender lattices",
            (true, true, false) => "undamped lattices",
            (true, true, true) => "undamped slender lattices",
        }
    }

    /// T^T A T of a matrix on the parts of a node.
    fn mixed(&self, a: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let (t, parts) = (&self.mixture, 0..self.parts.len());
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let terms = parts.clone().flat_map(|p| parts.clone().map(move |q| (p, q)));
                terms.map(|(p, q)| t[p][i] * a[p][q] * t[q][j]).sum()
            })
        })
    }

    /// The same of a value for each part.
    fn diagonal(&self, value: impl Fn(&(f64, [f64; 3])) -> f64) -> [[f64; 3]; 3] {
        let mut a = [[0.0; 3]; 3];
        self.parts.iter().enumerate().for_each(|(c, part)| a[c][c] = value(part));
        self.mixed(a)
    }

    fn problem(&self) -> Problem {
        let (layers, parts) = (layers(self), self.parts.len());
        let [_, ny, nz] = self.size;
        let plane = ny * nz;
        let n = layers.len() * plane * parts;
        let [mut m, mut c, mut k] = [0; 3].map(|_| Triplets::new(n, n));
        let [a, b] = self.damping;
        let add = |into: &mut Triplets<f64>, p: usize, q: usize, by: f64, block: &[[f64; 3]; 3]| {
            for (i, row) in block.iter().enumerate().take(parts) {
                for (j, v) in row.iter().enumerate().take(parts).filter(|(_, v)| **v != 0.0) {
                    into.add(p * parts + i, q * parts + j, by * v);
                }
            }
        };
        let mass = self.diagonal(|part| part.0);
        let mut turn = [[0.0; 3]; 3];
        if self.spin != 0.0 {
            (turn[0][1], turn[1][0]) =
                (-2.0 * self.spin * self.parts[0].0, 2.0 * self.spin * self.parts[0].0);
        }
        let turn = self.mixed(turn);
        for (layer, &(_, share)) in layers.iter().enumerate() {
            for at in 0..plane {
                let node = layer * plane + at;
                add(&mut m, node, node, share, &mass);
                add(&mut c, node, node, share * a, &mass);
                add(&mut c, node, node, share, &turn);
            }
        }
        // Along the first axis springs go from the last layer at a place to the first one at the next.
        let first = |place: usize| layers.iter().position(|(at, _)| *at == place).unwrap_or(0);
        let last = |place: usize| layers.iter().rposition(|(at, _)| *at == place).unwrap_or(0);
        let places = layers.last().map_or(0, |(place, _)| place + 1);
        let ends = self.ends[0].map(|end| if end == End::Held { End::Free } else { end });
        let along = self.diagonal(|part| part.1[0]);
        let mut springs: Vec<(usize, usize, f64)> = Vec::new();
        for i in 0..places.saturating_sub(1) {
            let (p, q) = (last(i), first(i + 1));
            springs.extend([(p, p, 1.0), (q, q, 1.0), (p, q, -1.0), (q, p, -1.0)]);
        }
        for (end, layer) in ends.into_iter().zip([0, layers.len() - 1]) {
            if end == End::Ground {
                springs.push((layer, layer, 1.0));
            }
        }
        for (p, q, v) in springs {
            for at in 0..plane {
                add(&mut k, p * plane + at, q * plane + at, v, &along);
                add(&mut c, p * plane + at, q * plane + at, b * v, &along);
            }
        }
        for (axis, count, step, others) in [(1, ny, nz, nz), (2, nz, 1, ny)] {
            let across = self.diagonal(|part| part.1[axis]);
            for (p, q, v) in chain(count, self.ends[axis]) {
                for (layer, &(_, share)) in layers.iter().enumerate() {
                    for other in 0..others {
                        let base = layer * plane + other * if axis == 1 { 1 } else { nz };
                        let (p, q) = (base + p * step, base + q * step);
                        add(&mut k, p, q, share * v, &across);
                        add(&mut c, p, q, share * b * v, &across);
                    }
                }
            }
        }
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        let unit = |row: usize| f64::from([1, 4, 1, -2, 32][row % 5]);
        for (end, layer) in self.ends[0].into_iter().zip([0, layers.len() - 1]) {
            if end == End::Held {
                let own = layer * plane * parts..(layer + 1) * plane * parts;
                rows.extend(own.map(|at| vec![(at, unit(at))]));
            }
        }
        if let Some(place) = self.joint {
            let (p, q) = (first(place) * plane * parts, last(place) * plane * parts);
            rows.extend((0..plane * parts).map(|at| vec![(p + at, unit(at)), (q + at, -unit(at))]));
        }
        let rank = rows.len();
        if self.redundant && rank > 1 {
            let twice = rows[0].iter().map(|(at, v)| (*at, 2.0 * v)).chain(rows[1].iter().copied()).collect();
            rows.push(twice);
        }
        let mut phi = Triplets::new(rows.len(), n);
        for (row, entries) in rows.iter().enumerate() {
            for (at, v) in entries {
                phi.add(row, *at, *v);
            }
        }
        let pencil =
            QuadraticPencil { m: m.to_sparse(), c: c.to_sparse(), k: k.to_sparse(), phi_q: phi.to_sparse() };
        Problem { pencil, exact: self.eigenvalues(), kind: self.kind(), rank, penalty: None }
    }

    fn eigenvalues(&self) -> Vec<Known> {
        let axes: [Vec<f64>; 3] = std::array::from_fn(|axis| squares(self.size[axis], self.ends[axis]));
        let mut out = Vec::new();
        for (part, (mass, k)) in self.parts.iter().enumerate() {
            let turns = self.spin != 0.0 && part < 2;
            if turns && part == 1 {
                continue;
            }
            for x in &axes[0] {
                for y in &axes[1] {
                    for z in &axes[2] {
                        let w = (k[0] * x + k[1] * y + k[2] * z) / mass;
                        let [a, b] = self.damping;
                        let linear = c64::new(a + b * w, if turns { 2.0 * self.spin } else { 0.0 });
                        for (s, error) in quadratic_eigenvalues(linear, c64::new(w, 0.0)) {
                            out.push((s, error));
                            if turns {
                                out.push((s.conj(), error));
                            }
                        }
                    }
                }
            }
        }
        out
    }
}

/// Mixtures of the parts of a node: none, rotations with a factor, others of determinant one.
const MIXTURES: [[[i32; 3]; 3]; 5] = [
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    [[2, -1, 2], [2, 2, -1], [-1, 2, 2]],
    [[1, 2, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 2, -1], [0, 1, 3], [0, 0, 1]],
];

/// Unknowns of lattices that are not undamped, of small ones and of a few others.
const DAMPED: [usize; 2] = [90, 300];

/// What the sizes of a lattice look like; `damped`: unknowns up to which some of them are.
fn drawn(sizes: impl Strategy<Value = [usize; 3]>, damped: usize) -> impl Strategy<Value = Problem> {
    let end = || prop_oneof![3 => Just(End::Held), 1 => Just(End::Ground), 2 => Just(End::Free)];
    let across = || prop_oneof![1 => Just(End::Ground), 3 => Just(End::Free)];
    let ends = (end(), end(), across(), across());
    let power = |range: std::ops::Range<i32>| range.prop_map(|power| f64::from(power).exp2());
    // Along the axes: alike, or of very different stiffness.
    let stiff = prop::array::uniform3(prop_oneof![2 => (1..5_i32).prop_map(f64::from), 1 => power(0..18)]);
    let part = (1..4_i32, stiff);
    let parts = (1..4_usize, prop::array::uniform3(part), 0..MIXTURES.len(), any::<bool>());
    let forces = (
        prop_oneof![2 => Just(0), 1 => 0..64],
        prop_oneof![2 => Just(0), 1 => 0..16],
        prop_oneof![3 => Just(0), 1 => 1..64],
    );
    let units = (power(-10..11), (-10..16_i32).prop_map(|power| f64::from(power).exp2()));
    let rest = (any::<bool>(), any::<bool>(), prop::option::of(0..30_usize), any::<bool>());
    (sizes, ends, parts, forces, units, rest).prop_map(move |(size, ends, parts, forces, units, rest)| {
        let (count, drawn, mixture, alike) = parts;
        let (square, equal, joint, redundant) = rest;
        let (mut size, mut ends) = (size, [[ends.0, ends.1], [ends.2, ends.3], [End::Free, ends.2]]);
        // The first rows and columns of each are regular but for a single part.
        let mixture = MIXTURES[if count == 1 { 0 } else { mixture }];
        let (mass, unit) = units;
        let forces = if damped > 0 { forces } else { (0, 0, 0) };
        // Damped problems take many times as long.
        while forces != (0, 0, 0) && size.iter().product::<usize>() * count > damped {
            let longest = (0..3).max_by_key(|&axis| size[axis]).unwrap_or(0);
            size[longest] = (size[longest] / 2).max(1);
        }
        let spin = if count > 1 { f64::from(forces.2) / 64.0 * unit } else { 0.0 };
        let own = |(m, k): (i32, [f64; 3])| {
            let k = if equal { [k[0], k[1], k[1]] } else { k };
            (f64::from(m) * mass, k.map(|k| k * mass * unit * unit))
        };
        let mut of: Vec<(f64, [f64; 3])> = drawn.into_iter().take(count).map(own).collect();
        if count > 1 && (alike || spin != 0.0) {
            of[1] = of[0];
        }
        // Stiff springs with much damping would leave half of all eigenvalues, hundreds of them, within rounding of -1
        // / b.
        let stiffest = of.iter().flat_map(|(mass, k)| k.map(|k| k / mass)).fold(0.0, f64::max).sqrt();
        let slower = (stiffest / (4.0 * unit)).max(1.0).log2().ceil().exp2();
        if square {
            size[2] = size[1].min(size[2]);
            size[1] = size[2];
            ends[2] = ends[1];
        }
        let before = usize::from(ends[0][0] == End::Held);
        let joint = joint.filter(|_| size[0] > 1).map(|at| before + at % size[0]);
        let lattice = Lattice {
            size,
            ends,
            parts: of,
            mixture: mixture.map(|row| row.map(f64::from)),
            damping: [f64::from(forces.0) / 64.0 * unit, f64::from(forces.1) / 64.0 / (unit * slower)],
            spin,
            joint,
            redundant,
        };
        lattice.problem()
    })
}

/// Up to a hundred unknowns or so.
pub(crate) fn small_lattices() -> impl Strategy<Value = Problem> {
    drawn(
        prop_oneof![
            (2..6_usize, 2..5_usize).prop_map(|(x, y)| [x, y, 1]),
            (2..4_usize).prop_map(|c| [c; 3]),
            (2..4_usize, 1..3_usize, 1..3_usize).prop_map(|(x, y, z)| [x, y, z]),
            (12..40_usize).prop_map(|x| [x, 1, 1]),
        ],
        DAMPED[0],
    )
}

/// Hundreds of unknowns.
pub(crate) fn lattices() -> impl Strategy<Value = Problem> {
    drawn(
        prop_oneof![
            (8..16_usize, 8..16_usize).prop_map(|(x, y)| [x, y, 1]),
            (5..7_usize).prop_map(|c| [c; 3]),
            (50..160_usize, 1..3_usize, 1..3_usize).prop_map(|(x, y, z)| [x, y, z]),
        ],
        DAMPED[1],
    )
}

/// Thousands of unknowns.
pub(crate) fn large_lattices() -> impl Strategy<Value = Problem> {
    drawn(
        prop_oneof![
            (10..13_usize).prop_map(|c| [c; 3]),
            (400..1500_usize, 1..3_usize, 1..3_usize).prop_map(|(x, y, z)| [x, y, z]),
            (30..60_usize, 30..60_usize).prop_map(|(x, y)| [x, y, 1]),
        ],
        0,
    )
}
