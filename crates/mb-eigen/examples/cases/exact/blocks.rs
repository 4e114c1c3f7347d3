//! Systems of one or two coordinates mixed by integer matrices.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use proptest::prelude::*;

use super::{Problem, z};

/// M, C, K of one or two coordinates and their finite eigenvalues.
#[derive(Clone, Debug)]
struct Block {
    m: Vec<Vec<i32>>,
    c: Vec<Vec<i32>>,
    k: Vec<Vec<i32>>,
    eigenvalues: Vec<c64>,
}

/// Eigenvalues of m s^2 + c s + k without cancellation.
pub(super) fn eigenvalues_of(m: f64, c: f64, k: f64) -> Vec<c64> {
    let discriminant = c * c - 4.0 * m * k;
    if discriminant < 0.0 {
        let s = z(-c / (2.0 * m), (-discriminant).sqrt() / (2.0 * m));
        return vec![s, s.conj()];
    }
    let q = -0.5 * (c + c.signum() * discriminant.sqrt());
    if q == 0.0 { vec![z(0.0, 0.0); 2] } else { vec![z(q / m, 0.0), z(k / q, 0.0)] }
}

fn single(m: i32, c: i32, k: i32) -> Block {
    let eigenvalues = if m > 0 {
        eigenvalues_of(f64::from(m), f64::from(c), f64::from(k))
    } else if c != 0 {
        vec![z(-f64::from(k) / f64::from(c), 0.0)]
    } else {
        Vec::new()
    };
    Block { m: vec![vec![m]], c: vec![vec![c]], k: vec![vec![k]], eigenvalues }
}

/// m s^2 + [0 g; -g 0] s + diag(a, b): m^2 w^2 + (m (a + b) + g^2) w + a b = 0 for w = s^2.
fn gyroscopic(m: i32, g: i32, a: i32, b: i32) -> Block {
    let (mass, rate) = (f64::from(m), f64::from(g));
    let (ka, kb) = (f64::from(a), f64::from(b));
    let squares = eigenvalues_of(mass * mass, mass * (ka + kb) + rate * rate, ka * kb);
    let eigenvalues = squares.iter().flat_map(|w| [w.sqrt(), -w.sqrt()]).collect();
    Block {
        m: vec![vec![m, 0], vec![0, m]],
        c: vec![vec![0, g], vec![-g, 0]],
        k: vec![vec![a, 0], vec![0, b]],
        eigenvalues,
    }
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        3 => (1..5, 0..6, 1..60).prop_map(|(m, c, k)| single(m, c, k)),
        // Without mass; free; damped to the ground; at the limit of oscillation.
        1 => (1..5, 1..30).prop_map(|(c, k)| single(0, c, k)),
        1 => (1..30).prop_map(|k| single(0, 0, k)),
        1 => (1..5).prop_map(|m| single(m, 0, 0)),
        1 => (1..5, 1..9).prop_map(|(m, c)| single(m, c, 0)),
        1 => (1..4, 1..5).prop_map(|(m, a)| single(m, 2 * m * a, m * a * a)),
        2 => (1..4, 1..5, 1..20, 1..20).prop_map(|(m, g, a, b)| gyroscopic(m, g, a, b)),
    ]
}

/// A product of elementary integer matrices.
pub(super) fn unimodular(n: usize, used: usize, steps: &[(usize, usize, i32)]) -> Dense {
    let mut out = dense::identity(n);
    for &(i, j, factor) in steps {
        let (i, j) = (i % used, j % used);
        if i != j {
            for row in 0..n {
                let add = f64::from(factor) * out[(row, i)];
                out[(row, j)] += add;
            }
        }
    }
    out
}

pub(super) type Steps = Vec<(usize, usize, i32)>;

pub(super) fn steps(count: usize) -> impl Strategy<Value = Steps> {
    prop::collection::vec((0..8_usize, 0..8_usize, -2..3_i32), count)
}

/// The problem and its finite eigenvalues.
fn assembled(
    blocks: &[Block],
    right: &Steps,
    left: &Steps,
    held: usize,
    redundant: bool,
) -> (QuadraticPencil, Vec<c64>) {
    let free: usize = blocks.iter().map(|b| b.m.len()).sum();
    let n = free + held;
    let (r, b) = (unimodular(n, n, right), unimodular(n, free, left));
    let through = |part: fn(&Block) -> &Vec<Vec<i32>>, rest: f64| {
        let mut d = Dense::zeros(n, n);
        let mut at = 0;
        for block in blocks {
            let values = part(block);
            for (i, row) in values.iter().enumerate() {
                for (j, v) in row.iter().enumerate() {
                    d[(at + i, at + j)] = f64::from(*v);
                }
            }
            at += values.len();
        }
        (free..n).for_each(|i| d[(i, i)] = rest);
        dense::mul_transpose(&r, &dense::mul(&b, &dense::mul(&d, &r)))
    };
    let select = Dense::from_fn(held, n, |i, j| if j == free + i { 1.0 } else { 0.0 });
    let mut phi_q = dense::mul(&select, &r);
    if redundant && held > 0 {
        phi_q = dense::vstack(&[&phi_q, &dense::scale(-2.0, &dense::select_rows(&phi_q, &[0]))]);
    }
    let pencil = QuadraticPencil {
        m: through(|b| &b.m, 2.0),
        c: through(|b| &b.c, 1.0),
        k: through(|b| &b.k, 3.0),
        phi_q,
    };
    (pencil, blocks.iter().flat_map(|b| b.eigenvalues.clone()).collect())
}

/// Blocks mixed by integers, up to a dozen unknowns.
pub(crate) fn blocks() -> impl Strategy<Value = Problem> {
    let mixed = (prop::collection::vec(block(), 1..5), steps(5), steps(3), any::<bool>());
    (mixed, 0..3_usize, any::<bool>()).prop_map(|((blocks, right, left, unsymmetric), held, redundant)| {
        let left = if unsymmetric { left } else { Steps::new() };
        let (pencil, eigenvalues) = assembled(&blocks, &right, &left, held, redundant);
        let exact = eigenvalues.iter().map(|s| (*s, 4.0 * f64::EPSILON * s.norm())).collect();
        Problem { pencil: pencil.to_sparse(), exact, kind: "blocks", rank: held, penalty: None }
    })
}
