//! Where the parts of a mechanism stand in a pair E, A, whatever the order and the units of its rows and columns.
//!
//! ```text
//! E = R [I 0 0; 0 M 0; 0 0 0] S,   A = R [0 I 0; -K -C -Phi_q^T; -Phi_q 0 0] S      R, S: permutations times powers of two
//! ```
//!
//! A kinematic row has one entry in E, at a coordinate, and one in A, at its rate; of a row with the same look that is a
//! balance of forces the entry in E stands at a rate. Constraint rows have entries in A at coordinates alone. Balances belong to the coordinates with
//! which the product of their entries in M is largest ([`matching`]), and their units follow from M, K, C and the reactions, which are
//! symmetric in the right ones. Powers of two round nothing. Sizes: n coordinates, m constraint rows, N = 2n + m.

use std::collections::{HashMap, VecDeque};

use mb_algebra::Sparse;

use super::units::Units;
use crate::numeric::matching;

/// Entries of each row that are not zero.
pub(super) type Lines = Vec<Vec<(usize, f64)>>;

pub(super) fn lines(a: &Sparse) -> Lines {
    let mut out = vec![Vec::new(); a.rows()];
    for (v, (i, j)) in a {
        if *v != 0.0 {
            out[i].push((j, *v));
        }
    }
    for row in &mut out {
        row.sort_unstable_by_key(|(j, _)| *j);
    }
    out
}

/// Rows and columns of the parts with their factors; all lists in the order of coordinates, or of constraints.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Rows q' = v, balances of forces, and constraints.
    pub(super) kinematic: Vec<usize>,
    pub(super) balances: Vec<usize>,
    pub(super) constraints: Vec<usize>,
    /// Columns of coordinates, their rates and multipliers.
    pub(super) q: Vec<usize>,
    pub(super) v: Vec<usize>,
    pub(super) multipliers: Vec<usize>,
    /// v = `rates` s q in the units given.
    pub(super) rates: Vec<f64>,
    /// Entries of A in the kinematic rows.
    pub(super) kinematic_entries: Vec<f64>,
    /// Factors of the balances, of the coordinates and of the multipliers.
    pub(super) of_balances: Vec<f64>,
    pub(super) of_coordinates: Vec<f64>,
    pub(super) of_multipliers: Vec<f64>,
}

impl Layout {
    /// The order and the units of the module's header with R = S = I; none where the kinematic rows say otherwise.
    pub(super) fn as_written(e: &Lines, a: &Lines) -> Option<Self> {
        let unit = |row: &[(usize, f64)]| match row {
            [(j, v)] if (v - 1.0).abs() == 0.0 => Some(*j),
            _ => None,
        };
        // The first rate is the first velocity.
        let (size, n) = (e.len(), unit(&a[0])?);
        if n == 0 || 2 * n > size || !(0..n).all(|i| unit(&e[i]) == Some(i) && unit(&a[i]) == Some(n + i)) {
            return None;
        }
        let range = |from: usize, to: usize| (from..to).collect::<Vec<usize>>();
        let ones = |count: usize| vec![1.0; count];
        Some(Self {
            kinematic: range(0, n),
            balances: range(n, 2 * n),
            constraints: range(2 * n, size),
            q: range(0, n),
            v: range(n, 2 * n),
            multipliers: range(2 * n, size),
            rates: ones(n),
            kinematic_entries: ones(n),
            of_balances: ones(n),
            of_coordinates: ones(n),
            of_multipliers: ones(size - 2 * n),
        })
    }

    /// The same in any order and units; none where rows and columns do not fall into these parts.
    pub(super) fn recognized(e: &Lines, a: &Lines) -> Option<Self> {
        let size = e.len();
        let pairs = kinematic(e, a);
        let n = pairs.len();
        if n == 0 || 2 * n > size {
            return None;
        }
        let mut place = vec![Place::Multiplier; size];
        for (at, pair) in pairs.iter().enumerate() {
            (place[pair.q], place[pair.v]) = (Place::Coordinate(at), Place::Rate(at));
        }
        let mut taken = vec![false; size];
        for pair in &pairs {
            taken[pair.row] = true;
        }
        let holds = |i: &usize| {
            e[*i].is_empty() && a[*i].iter().all(|(j, _)| matches!(place[*j], Place::Coordinate(_)))
        };
        let (constraints, balances): (Vec<usize>, Vec<usize>) =
            (0..size).filter(|i| !taken[*i]).partition(holds);
        let multipliers: Vec<usize> = (0..size).filter(|j| place[*j] == Place::Multiplier).collect();
        if constraints.len() != multipliers.len() {
            return None;
        }
        for (at, j) in multipliers.iter().enumerate() {
            place[*j] = Place::Reaction(at);
        }
        let rates: Vec<f64> = pairs.iter().map(|pair| pair.rate).collect();
        let parts = Parts::new(e, a, &balances, &place, &rates)?;
        let coordinate = parts.coordinates()?;
        let mut units = Units::new(n);
        let to = |(i, j, v): &(usize, usize, f64)| (coordinate[*i], *j, *v);
        for part in [&parts.mass, &parts.stiffness, &parts.damping] {
            units.tie(part.iter().map(to));
        }
        let mut reactions = vec![Vec::new(); multipliers.len()];
        for (i, k, v) in &parts.reactions {
            reactions[*k].push((coordinate[*i], *v));
        }
        let rows = constraints.iter().map(|i| {
            let coordinates = a[*i].iter().map(|(j, v)| match place[*j] {
                Place::Coordinate(at) => (at, *v),
                _ => (usize::MAX, *v),
            });
            sorted(coordinates.collect())
        });
        let order = units.tie_reactions(&mut reactions, &rows.collect::<Vec<_>>())?;
        let sizes = parts.diagonal(&coordinate, n);
        let (of_coordinates, of_rows) = units.factors(&sizes);
        let mut own = vec![usize::MAX; n];
        coordinate.iter().zip(&balances).for_each(|(at, i)| own[*at] = *i);
        let of_multipliers = reactions.iter().map(|row| {
            let largest = row.iter().fold(0.0_f64, |m, (i, v)| m.max((v * of_rows[*i]).abs()));
            if largest > 0.0 { (-largest.log2()).round().exp2() } else { 1.0 }
        });
        Some(Self {
            kinematic: pairs.iter().map(|pair| pair.row).collect(),
            balances: own,
            constraints: order.iter().map(|at| constraints[*at]).collect(),
            q: pairs.iter().map(|pair| pair.q).collect(),
            v: pairs.iter().map(|pair| pair.v).collect(),
            of_multipliers: of_multipliers.collect(),
            multipliers,
            rates,
            kinematic_entries: pairs.iter().map(|pair| pair.entry).collect(),
            of_balances: of_rows,
            of_coordinates,
        })
    }
}

pub(super) fn sorted(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_unstable_by_key(|(j, _)| *j);
    row
}

/// What a column stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Coordinate(usize),
    Rate(usize),
    Reaction(usize),
    Multiplier,
}

/// A kinematic row.
#[derive(Clone, Copy, Debug)]
struct Pair {
    row: usize,
    q: usize,
    v: usize,
    /// v = rate s q.
    rate: f64,
    /// Its entry in A.
    entry: f64,
}

/// Whether a number is a power of two, in either sign.
fn is_power(v: f64) -> bool {
    v.is_normal() && v.to_bits() & ((1 << 52) - 1) == 0
}

/// The kinematic rows, by coordinate.
///
/// A row q_i' = v_j may be a balance of a lone force too. What is no rate in any of them is a coordinate; its rate is none, whose own row
/// is a balance, and so on. On the circles that are left, as of a mass on a spring, a rate of positive sign decides.
fn kinematic(e: &Lines, a: &Lines) -> Vec<Pair> {
    let size = e.len();
    let mut entries = vec![0_usize; size];
    e.iter().flatten().for_each(|(j, _)| entries[*j] += 1);
    let mut of_column: Vec<Option<Pair>> = vec![None; size];
    let mut open = vec![0_usize; size];
    for row in 0..size {
        let ([(q, left)], [(v, right)]) = (&e[row][..], &a[row][..]) else { continue };
        let rate = left / right;
        if q != v && entries[*q] == 1 && is_power(rate) && (rate * right - left).abs() == 0.0 {
            of_column[*q] = Some(Pair { row, q: *q, v: *v, rate, entry: *right });
            open[*v] += 1;
        }
    }
    let mut role: Vec<Option<bool>> = vec![None; size];
    let mut found = Vec::new();
    let mut ready: VecDeque<usize> = (0..size).filter(|j| open[*j] == 0).collect();
    let positive = |q: usize| of_column[q].is_some_and(|pair| pair.rate > 0.0);
    let circles: Vec<usize> =
        (0..size).filter(|q| positive(*q)).chain((0..size).filter(|q| !positive(*q))).collect();
    let mut circles = circles.into_iter();
    while let Some(q) = ready.pop_front().or_else(|| circles.next()) {
        let Some(pair) = of_column[q].filter(|pair| role[q].is_none() && role[pair.v].is_none()) else {
            continue;
        };
        (role[q], role[pair.v]) = (Some(true), Some(false));
        found.push(pair);
        if let Some(next) = of_column[pair.v] {
            open[next.v] -= 1;
            if open[next.v] == 0 {
                ready.push_back(next.v);
            }
        }
    }
    found.sort_unstable_by_key(|pair| pair.q);
    found
}

/// Entries of M, C and K by balance and coordinate, and of the reactions by balance and multiplier, in the signs of the second-order problem.
struct Parts {
    mass: Vec<(usize, usize, f64)>,
    damping: Vec<(usize, usize, f64)>,
    stiffness: Vec<(usize, usize, f64)>,
    reactions: Vec<(usize, usize, f64)>,
    balances: usize,
}

impl Parts {
    fn new(e: &Lines, a: &Lines, balances: &[usize], place: &[Place], rates: &[f64]) -> Option<Self> {
        let [mut mass, mut damping, mut stiffness, mut reactions] = [(); 4].map(|()| Vec::new());
        for (at, i) in balances.iter().enumerate() {
            for (j, v) in &e[*i] {
                let Place::Rate(of) = place[*j] else { return None };
                mass.push((at, of, v * rates[of]));
            }
            for (j, v) in &a[*i] {
                match place[*j] {
                    Place::Coordinate(of) => stiffness.push((at, of, -v)),
                    Place::Rate(of) => damping.push((at, of, -v * rates[of])),
                    Place::Reaction(of) => reactions.push((at, of, -v)),
                    Place::Multiplier => return None,
                }
            }
        }
        Some(Self { mass, damping, stiffness, reactions, balances: balances.len() })
    }

    /// The coordinate of every balance: by M, and where that has empty rows by K + tau M.
    fn coordinates(&self) -> Option<Vec<usize>> {
        let mut rows = vec![HashMap::new(); self.balances];
        let mut matched = |list: &[(usize, usize, f64)], by: f64| {
            for (i, j, v) in list {
                *rows[*i].entry(*j).or_insert(0.0) += by * v;
            }
            let lists: Lines =
                rows.iter().map(|row| sorted(row.iter().map(|(j, v)| (*j, *v)).collect())).collect();
            matching::largest_product(&lists)
        };
        matched(&self.mass, 1.0).or_else(|| matched(&self.stiffness, self.unit_of_time()))
    }

    /// 1 / tau, by which K is as large as M in the geometric mean.
    fn unit_of_time(&self) -> f64 {
        let mean = |list: &[(usize, usize, f64)]| -> f64 {
            list.iter().map(|(.., v)| v.abs().log2()).sum::<f64>() / list.len().max(1) as f64
        };
        (mean(&self.mass) - mean(&self.stiffness)).round().exp2()
    }

    /// |M_ii| + |K_ii| / tau of every coordinate.
    fn diagonal(&self, coordinate: &[usize], n: usize) -> Vec<f64> {
        let mut out = vec![0.0; n];
        for (list, by) in [(&self.mass, 1.0), (&self.stiffness, self.unit_of_time())] {
            for (i, j, v) in list {
                if coordinate[*i] == *j {
                    out[*j] += by * v.abs();
                }
            }
        }
        out
    }
}
