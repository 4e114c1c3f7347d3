//! Mechanisms whose constraints are replaced by penalties, with all eigenvalues of either form.
//!
//! ```text
//! two masses tied     (m_1 + m_2) s^2 + .. + k_1 + k_2 = 0 by the constraint u_1 = u_2; by a penalty, w = -s^2 without damping:
//!                     w = k / m + d,  m = m_1 + m_2,  k = k_1 + k_2,  r = (k_1 m_2 - k_2 m_1) / m,  x = Xi,
//!                     A d^2 + B d - r^2 = 0,  A = m_1 m_2 + x m,  B = r (m_1 - m_2) - x (omega^2 m - k)
//! its energy          x m d^2 of the penalty compared with r^2 + m_1 m_2 d^2 of the masses: the eigenvalue of the mechanism has the lesser |d|
//! one mass held       none by the constraint; w = (k + y) / (m + x) by a penalty
//! one mass free       w = k / m
//! damping             C = a M + b K,  Theta = a I + b Omega:  s^2 + (a + b w) s + w = 0
//! ```
//!
//! mixed by an integer matrix of determinant one; gonzalez2017, Eqs. (14), (15).

use mb_algebra::{Dense, PenaltyBlocks, QuadraticPencil, c64, dense};
use proptest::prelude::*;

use super::blocks::{Steps, unimodular};
use super::{Known, Penalty, Problem, quadratic_eigenvalues};

#[derive(Clone, Copy, Debug)]
enum Part {
    /// Masses, stiffnesses, and the power of two of Xi.
    Tied([i32; 2], [i32; 2], i32),
    Held(i32, i32, i32),
    Free(i32, i32),
}

fn part() -> impl Strategy<Value = Part> {
    let pair = || prop::array::uniform2(1..9_i32);
    prop_oneof![
        3 => (pair(), pair(), 0..4_i32).prop_map(|(m, k, more)| Part::Tied(m, k, more)),
        1 => (1..9_i32, 1..9_i32, 0..4_i32).prop_map(|(m, k, more)| Part::Held(m, k, more)),
        1 => (1..9_i32, 1..9_i32).prop_map(|(m, k)| Part::Free(m, k)),
    ]
}

/// Share of the penalty in the energy of an eigenvalue of the mechanism from which on it is as well one of the penalty.
pub(super) const UNCLEAR: f64 = 0.1;

/// a, b and omega^2 of the penalties.
#[derive(Clone, Copy, Debug)]
struct Law {
    a: f64,
    b: f64,
    square: f64,
}

/// The two eigenvalues of a mode whose w is known but for `change`.
fn eigenvalues(law: Law, w: f64, change: f64) -> Vec<Known> {
    let eigenvalues = quadratic_eigenvalues(c64::new(law.a + law.b * w, 0.0), c64::new(w, 0.0));
    let apart = (eigenvalues[0].0 - eigenvalues[1].0).norm();
    let moved = |(s, error): Known| {
        let by = change * (s * law.b + 1.0).norm();
        (s, error + (2.0 * by / apart).min(2.0 * by.sqrt()))
    };
    eigenvalues.into_iter().map(moved).collect()
}

/// Both w of two tied masses with their errors, that of the mechanism first, and the share of the penalty in the energy of the latter.
fn tied([m1, m2]: [f64; 2], [k1, k2]: [f64; 2], x: f64, square: f64) -> ([(f64, f64); 2], f64) {
    let (m, k) = (m1 + m2, k1 + k2);
    let (own, apart) = (k / m, k1 * m2 - k2 * m1);
    let (a, r) = (m1 * m2 + x * m, apart / m);
    // m B is a sum of integers, exact where they cancel.
    let b = (apart * (m1 - m2) - m * x * (square * m - k)) / m;
    let first = -0.5 * (b + b.signum() * b.hypot(2.0 * r * a.sqrt())) / a;
    let second = if r == 0.0 { 0.0 } else { -r * r / (a * first) };
    let mut both = [first, second];
    both.sort_by(|d, e| d.abs().total_cmp(&e.abs()));
    let with = x * m * both[0] * both[0];
    let without = r * r + m1 * m2 * both[0] * both[0];
    let share = if with > 0.0 { with / (with + without) } else { 0.0 };
    let rounding = |d: f64| 16.0 * f64::EPSILON * (own + d.abs());
    (both.map(|d| (own + d, rounding(d))), share)
}

/// The rows of Phi_q before they are mixed, with the powers of two of their Xi.
fn rows(parts: &[Part], n: usize) -> Vec<(Vec<f64>, i32)> {
    let (mut rows, mut at) = (Vec::new(), 0);
    for part in parts {
        let mut row = vec![0.0; n];
        match *part {
            Part::Tied(_, _, more) => {
                (row[at], row[at + 1]) = (1.0, -1.0);
                rows.push((row, more));
                at += 2;
            }
            Part::Held(_, _, more) => {
                row[at] = 1.0;
                rows.push((row, more));
                at += 1;
            }
            Part::Free(..) => at += 1,
        }
    }
    rows
}

/// The most alpha, a power of two, with which the entries of C + Phi_q^T Xi Theta Phi_q and K + Phi_q^T Xi Omega Phi_q, multiples of
/// 1/64, are exact.
fn most(phi: &Dense, more: &[i32], law: Law) -> f64 {
    let square = |i: usize| (0..phi.ncols()).map(|j| phi[(i, j)].abs()).fold(0.0, f64::max).powi(2);
    let entries: f64 = more.iter().enumerate().map(|(i, more)| f64::from(*more).exp2() * square(i)).sum();
    let rates = 1.0 + law.square + law.a + law.b * law.square;
    (46.0 - (1.0 + entries * rates).log2()).floor().exp2()
}

fn assembled(parts: &[Part], steps: &Steps, law: Law, alpha: f64) -> Problem {
    let n: usize = parts.iter().map(|part| if matches!(part, Part::Tied(..)) { 2 } else { 1 }).sum();
    let r = unimodular(n, n, steps);
    let (rows, more): (Vec<Vec<f64>>, Vec<i32>) = rows(parts, n).into_iter().unzip();
    let phi = dense::mul(&Dense::from_fn(rows.len(), n, |i, j| rows[i][j]), &r);
    let alpha = alpha.min(most(&phi, &more, law));
    let xi: Vec<f64> = more.iter().map(|more| alpha * f64::from(*more).exp2()).collect();
    let [mut m, mut k] = [0; 2].map(|_| Dense::zeros(n, n));
    let (mut exact, mut physical, mut spurious, mut mixed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut at, mut factors) = (0, xi.iter().copied());
    for part in parts {
        match *part {
            Part::Tied(masses, stiff, _) => {
                let (masses, stiff) = (masses.map(f64::from), stiff.map(f64::from));
                let xi = factors.next().unwrap_or_default();
                for i in 0..2 {
                    (m[(at + i, at + i)], k[(at + i, at + i)]) = (masses[i], stiff[i]);
                }
                exact.extend(eigenvalues(law, stiff.iter().sum::<f64>() / masses.iter().sum::<f64>(), 0.0));
                let ([own, other], share) = tied(masses, stiff, xi, law.square);
                if share > UNCLEAR {
                    mixed.extend(physical.len()..physical.len() + 2);
                }
                physical.extend(eigenvalues(law, own.0, own.1));
                spurious.extend(eigenvalues(law, other.0, other.1));
                at += 1;
            }
            Part::Held(mass, stiff, _) => {
                let xi = factors.next().unwrap_or_default();
                let (mass, stiff) = (f64::from(mass), f64::from(stiff));
                (m[(at, at)], k[(at, at)]) = (mass, stiff);
                spurious.extend(eigenvalues(law, (stiff + xi * law.square) / (mass + xi), 0.0));
            }
            Part::Free(mass, stiff) => {
                let (mass, stiff) = (f64::from(mass), f64::from(stiff));
                (m[(at, at)], k[(at, at)]) = (mass, stiff);
                exact.extend(eigenvalues(law, stiff / mass, 0.0));
                physical.extend(eigenvalues(law, stiff / mass, 0.0));
            }
        }
        at += 1;
    }
    let through = |a: &Dense| dense::mul_transpose(&r, &dense::mul(a, &r));
    let (m, k) = (through(&m), through(&k));
    let c = dense::add(law.a, &m, law.b, &k);
    let all = xi.len();
    let pencil = QuadraticPencil { m, c, k, phi_q: phi }.to_sparse();
    let diagonal = |v: f64| dense::scale(v, &dense::identity(all));
    let blocks = PenaltyBlocks {
        m: pencil.m.clone(),
        c: pencil.c.clone(),
        k: pencil.k.clone(),
        phi_q: pencil.phi_q.clone(),
        xi: dense::diagonal(&xi),
        theta: diagonal(law.a + law.b * law.square),
        omega: diagonal(law.square),
        k_parts: None,
    };
    let penalty = Some(Penalty { blocks, physical, spurious, mixed });
    let kind = if law.a == 0.0 && law.b == 0.0 { "undamped, penalties" } else { "damped, penalties" };
    Problem { pencil, exact, kind, rank: all, penalty }
}

/// Up to forty unknowns.
pub(crate) fn penalties() -> impl Strategy<Value = Problem> {
    let parts =
        prop_oneof![2 => prop::collection::vec(part(), 1..6), 1 => prop::collection::vec(part(), 6..20)];
    let eighths = || prop_oneof![Just(0.0), (0..8_i32).prop_map(|k| f64::from(k) / 64.0)];
    (parts, steps(), eighths(), eighths(), 0..7_i32, 6..34_i32).prop_map(
        |(parts, steps, a, b, rate, alpha)| {
            let law = Law { a, b, square: f64::from(2 * rate).exp2() };
            assembled(&parts, &steps, law, f64::from(alpha).exp2())
        },
    )
}

/// Ties whose eigenvalues stand on those of their penalties, w = omega^2 = 1, and share their energy with them;
/// penalties leave nine digits.
#[cfg(test)]
pub(crate) fn resonant_penalties() -> impl Strategy<Value = Problem> {
    let tie = (prop::array::uniform2(1..9_i32), 0..16_i32, 0..4_i32).prop_map(|([m1, m2], stiff, more)| {
        let first = 1 + stiff % (m1 + m2 - 1);
        Part::Tied([m1, m2], [first, m1 + m2 - first], more)
    });
    let parts = prop::collection::vec(prop_oneof![3 => tie, 1 => part()], 1..8);
    (parts, steps(), 0..8_i32, 6..22_i32).prop_map(|(parts, steps, a, alpha)| {
        let law = Law { a: f64::from(a) / 64.0, b: 0.0, square: 1.0 };
        assembled(&parts, &steps, law, f64::from(alpha).exp2())
    })
}

fn steps() -> impl Strategy<Value = Steps> {
    prop::collection::vec((0..40_usize, 0..40_usize, -2..3_i32), 6)
}
