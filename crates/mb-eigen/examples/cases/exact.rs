//! Random problems whose roots are known in closed form, and whether error bars cover them.
//!
//! ```text
//! blocks   R^T B diag(D_1, D_2, ..) R with blocks D_i of integer coefficients and integer R, B of determinant one
//! chains   two planes of N masses m between anchors held by constraints, springs k, with w_j = 2 sqrt(k/m) sin(j pi / (2 (N + 1))):
//!          s^2 + (a + b w_j^2 + 2 i W) s + w_j^2 + i c = 0 and its conjugate
//! joined   the same with every mass in two halves, which constraints tie to each other or against each other
//! ```
//!
//! The matrices are exact in double precision. a and b are damping in proportion to M and K, W a spin (Coriolis forces), c
//! circulatory forces, which make K unsymmetric and some roots grow. Coordinates of the blocks that constraints hold at zero come
//! last in front of R, and B leaves their equations alone.

use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, dense};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{DenseOptions, EigenError, Eigenpair, pairing, quadratic};
use proptest::prelude::*;

/// A problem with its finite roots and how far rounding may have moved them.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) pencil: QuadraticPencil<Sparse>,
    pub(crate) exact: Vec<(c64, f64)>,
    pub(crate) kind: &'static str,
}

/// M, C, K of one or two coordinates and their finite roots.
#[derive(Clone, Debug)]
struct Block {
    m: Vec<Vec<i32>>,
    c: Vec<Vec<i32>>,
    k: Vec<Vec<i32>>,
    roots: Vec<c64>,
}

fn z(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// Roots of m s^2 + c s + k without cancellation.
fn roots_of(m: f64, c: f64, k: f64) -> Vec<c64> {
    let discriminant = c * c - 4.0 * m * k;
    if discriminant < 0.0 {
        let s = z(-c / (2.0 * m), (-discriminant).sqrt() / (2.0 * m));
        return vec![s, s.conj()];
    }
    let q = -0.5 * (c + c.signum() * discriminant.sqrt());
    if q == 0.0 { vec![z(0.0, 0.0); 2] } else { vec![z(q / m, 0.0), z(k / q, 0.0)] }
}

fn single(m: i32, c: i32, k: i32) -> Block {
    let roots = if m > 0 {
        roots_of(f64::from(m), f64::from(c), f64::from(k))
    } else if c != 0 {
        vec![z(-f64::from(k) / f64::from(c), 0.0)]
    } else {
        Vec::new()
    };
    Block { m: vec![vec![m]], c: vec![vec![c]], k: vec![vec![k]], roots }
}

/// m s^2 + [0 g; -g 0] s + diag(a, b): m^2 w^2 + (m (a + b) + g^2) w + a b = 0 for w = s^2.
fn gyroscopic(m: i32, g: i32, a: i32, b: i32) -> Block {
    let (mass, rate) = (f64::from(m), f64::from(g));
    let (ka, kb) = (f64::from(a), f64::from(b));
    let squares = roots_of(mass * mass, mass * (ka + kb) + rate * rate, ka * kb);
    let roots = squares.iter().flat_map(|w| [w.sqrt(), -w.sqrt()]).collect();
    Block {
        m: vec![vec![m, 0], vec![0, m]],
        c: vec![vec![0, g], vec![-g, 0]],
        k: vec![vec![a, 0], vec![0, b]],
        roots,
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
fn unimodular(n: usize, used: usize, steps: &[(usize, usize, i32)]) -> Dense {
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

type Steps = Vec<(usize, usize, i32)>;

fn steps(count: usize) -> impl Strategy<Value = Steps> {
    prop::collection::vec((0..8_usize, 0..8_usize, -2..3_i32), count)
}

/// The problem and its finite roots.
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
    (pencil, blocks.iter().flat_map(|b| b.roots.clone()).collect())
}

/// Blocks mixed by integers, up to a dozen unknowns.
pub(crate) fn blocks() -> impl Strategy<Value = Problem> {
    let mixed = (prop::collection::vec(block(), 1..5), steps(5), steps(3), any::<bool>());
    (mixed, 0..3_usize, any::<bool>()).prop_map(|((blocks, right, left, unsymmetric), held, redundant)| {
        let left = if unsymmetric { left } else { Steps::new() };
        let (pencil, roots) = assembled(&blocks, &right, &left, held, redundant);
        let exact = roots.iter().map(|s| (*s, 4.0 * f64::EPSILON * s.norm())).collect();
        Problem { pencil: pencil.to_sparse(), exact, kind: "blocks" }
    })
}

/// What acts on a chain beside its springs.
#[derive(Clone, Copy, Debug)]
struct Forces {
    mass: f64,
    stiffness: f64,
    /// a, b, W, c.
    damping: [f64; 2],
    spin: f64,
    circulation: f64,
}

/// Chains in two planes, up to a hundred unknowns, in any units.
pub(crate) fn chains() -> impl Strategy<Value = Problem> {
    let scale = |power: std::ops::Range<i32>| power.prop_map(|power| f64::from(power).exp2());
    // Multiples of 1/64 of a unit of frequency stay exact when they are multiplied with small integers and powers of two.
    let part = |most: i32| prop_oneof![1 => Just(0.0), 1 => (0..most).prop_map(|k| f64::from(k) / 64.0)];
    let forces = (scale(-10..11), scale(-20..31), part(64), part(16), part(64), part(32));
    (3..24_usize, forces, 1..5_i32, any::<bool>()).prop_map(|(masses, forces, stiff, redundant)| {
        let (mass, square, a, b, spin, circulation) = forces;
        // The unit of frequency, a power of two.
        let unit = (square.log2() / 2.0).floor().exp2();
        let forces = Forces {
            mass,
            stiffness: mass * unit * unit * f64::from(stiff),
            damping: [a * unit, b / unit],
            spin: spin * unit,
            circulation: circulation * unit * unit,
        };
        chain(masses, &forces, redundant)
    })
}

fn chain(masses: usize, forces: &Forces, redundant: bool) -> Problem {
    let Forces { mass, stiffness, damping: [a, b], spin, circulation } = *forces;
    let plane = masses + 2;
    let n = 2 * plane;
    let [mut m, mut c, mut k] = [0; 3].map(|_| Triplets::new(n, n));
    let mut phi = Triplets::new(if redundant { 5 } else { 4 }, n);
    for side in 0..2 {
        let other = 1 - side;
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for i in 0..plane {
            let at = |side: usize, i: usize| side * plane + i;
            m.add(at(side, i), at(side, i), mass);
            c.add(at(side, i), at(side, i), a * mass);
            c.add(at(side, i), at(other, i), sign * 2.0 * spin * mass);
            k.add(at(side, i), at(other, i), sign * circulation * mass);
            if i + 1 < plane {
                for (p, q, v) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
                    k.add(at(side, p), at(side, q), v * stiffness);
                    c.add(at(side, p), at(side, q), v * b * stiffness);
                }
            }
        }
        phi.add(2 * side, side * plane, 1.0);
        phi.add(2 * side + 1, side * plane + plane - 1, 3.0);
    }
    if redundant {
        phi.add(4, 0, 2.0);
        phi.add(4, plane - 1, -1.0);
    }
    let mut exact = Vec::with_capacity(4 * masses);
    for j in 1..=masses {
        let sine = (j as f64 * std::f64::consts::FRAC_PI_2 / (masses + 1) as f64).sin();
        let square = 4.0 * stiffness / mass * sine * sine;
        let linear = c64::new(a + b * square, 2.0 * spin);
        for (s, error) in quadratic_roots(linear, c64::new(square, circulation)) {
            exact.extend([(s, error), (s.conj(), error)]);
        }
    }
    let pencil =
        QuadraticPencil { m: m.to_sparse(), c: c.to_sparse(), k: k.to_sparse(), phi_q: phi.to_sparse() };
    let kind = match (circulation == 0.0, spin == 0.0, a == 0.0 && b == 0.0) {
        (false, ..) => "chains with circulatory forces",
        (_, false, _) => "gyroscopic chains",
        (_, _, false) => "damped chains",
        _ => "undamped chains",
    };
    Problem { pencil, exact, kind }
}

/// Chains of which every coordinate x_i is two, x_i = +-x_(n+i).
pub(crate) fn joined() -> impl Strategy<Value = Problem> {
    (chains(), any::<u64>()).prop_map(|(problem, turned)| halved(&problem, turned))
}

/// A problem with two coordinates for each, tied by rows; a bit of `turned` says that they move against each other.
fn halved(problem: &Problem, turned: u64) -> Problem {
    let n = problem.pencil.m.rows();
    let sign = |i: usize| if turned >> (i % 64) & 1 == 1 { -1.0 } else { 1.0 };
    let [m, c, k] = [&problem.pencil.m, &problem.pencil.c, &problem.pencil.k].map(|a| {
        let mut out = Triplets::new(2 * n, 2 * n);
        for (&v, (i, j)) in a {
            // Half of each mass, and springs between one of the first ones and one of the second.
            match i.cmp(&j) {
                std::cmp::Ordering::Equal => {
                    out.add(i, i, 0.5 * v);
                    out.add(n + i, n + i, 0.5 * v);
                }
                std::cmp::Ordering::Less => out.add(i, n + j, sign(j) * v),
                std::cmp::Ordering::Greater => out.add(n + i, j, sign(i) * v),
            }
        }
        out.to_sparse()
    });
    let held = problem.pencil.phi_q.rows();
    let mut phi_q = Triplets::new(held + n, 2 * n);
    for (&v, (i, j)) in &problem.pencil.phi_q {
        phi_q.add(i, j, v);
    }
    for i in 0..n {
        let size = 1.0 + (i % 5) as f64;
        phi_q.add(held + i, i, size);
        phi_q.add(held + i, n + i, -sign(i) * size);
    }
    let kind = match problem.kind {
        "undamped chains" => "undamped joined chains",
        "damped chains" => "damped joined chains",
        _ => "other joined chains",
    };
    let exact = problem.exact.clone();
    Problem { pencil: QuadraticPencil { m, c, k, phi_q: phi_q.to_sparse() }, exact, kind }
}

/// Roots of s^2 + b s + c with what rounding of b and c does to them.
fn quadratic_roots(b: c64, c: c64) -> [(c64, f64); 2] {
    let d = (b * b - 4.0 * c).sqrt();
    let d = if (b.conj() * d).re < 0.0 { -d } else { d };
    let first = -0.5 * (b + d);
    [first, c / first].map(|s| {
        let error = 8.0 * f64::EPSILON * (b.norm() * s.norm() + c.norm() + s.norm_sqr()) / d.norm();
        (s, error)
    })
}

/// One answer: which solver, on what, and what it found.
pub(crate) struct Answer {
    pub(crate) who: &'static str,
    pub(crate) found: Result<Vec<Eigenpair>, EigenError>,
}

/// By the dense path, the direct method, and the sparse one for requests of all kinds; `place` in 0..1 says where.
pub(crate) fn answers(problem: &Problem, place: f64) -> Vec<Answer> {
    let pencil = &problem.pencil;
    let options = SparseOptions { dense_limit: 0, ..SparseOptions::default() };
    let ask = |request: Request| sparse::solve(pencil, &request, &options).map(|spectrum| spectrum.pairs);
    let dense = quadratic::solve(&pencil.to_dense(), &DenseOptions::default());
    let mut out = vec![Answer { who: "dense", found: dense.map(|all| all.motion().cloned().collect()) }];
    let all = problem.exact.len();
    let count = if problem.kind == "blocks" { all } else { 6 };
    let direct = direct::solve(pencil, count, &DirectOptions::default());
    out.push(Answer { who: "direct", found: direct.map(|found| found.spectrum.pairs) });
    out.push(Answer { who: "lowest", found: ask(Request::Lowest { count }) });
    let mut sizes: Vec<f64> = problem.exact.iter().map(|(s, _)| s.norm()).collect();
    sizes.sort_by(f64::total_cmp);
    let top = sizes.last().copied().unwrap_or(0.0);
    if top > 0.0 && problem.kind != "blocks" {
        let angle = 2.0 * std::f64::consts::PI * place;
        let radius = top * (0.05 + 0.9 * (7.0 * place).fract());
        let point = c64::from_polar(radius, angle);
        out.push(Answer { who: "near a point", found: ask(Request::NearPoint { s: point, count: 5 }) });
        let hz = radius / std::f64::consts::TAU;
        out.push(Answer { who: "near a frequency", found: ask(Request::NearFrequency { hz, count: 3 }) });
        let band = Request::Band { from_hz: hz, to_hz: 1.2 * hz, max_damping_ratio: Some(0.1) };
        out.push(Answer { who: "band", found: ask(band) });
        out.push(Answer { who: "largest", found: ask(Request::Largest { count: 3 }) });
    }
    out
}

/// Every root found lies within its bar of an exact root, each used once; else what does not.
pub(crate) fn covered(found: &[Eigenpair], exact: &[(c64, f64)]) -> Result<(), String> {
    let values: Vec<c64> = found.iter().filter_map(Eigenpair::value).collect();
    if values.len() < found.len() || values.len() > exact.len() {
        return Err(format!("{} finite of {} roots, {} exist", values.len(), found.len(), exact.len()));
    }
    let roots: Vec<c64> = exact.iter().map(|(s, _)| *s).collect();
    for (i, j, distance) in pairing::match_values(&values, &roots) {
        // A NaN is not covered.
        if !matches!(distance.partial_cmp(&(found[i].error_bar + exact[j].1)), Some(order) if order.is_le()) {
            return Err(format!(
                "{} is {distance:e} from {}, bar {:e}, condition {:e}",
                values[i], roots[j], found[i].error_bar, found[i].condition
            ));
        }
    }
    Ok(())
}
