//! Small systems with known spectra.

use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, c64, dense};
use mb_eigen::penalty::PenaltyPencil;

/// M, C, K without constraints.
pub(crate) fn free(m: Dense, c: Dense, k: Dense) -> QuadraticPencil {
    let n = m.nrows();
    QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, n) }
}

/// n equal masses between walls (`grounded`) or floating: frequencies 2 sqrt(k/m) sin(j pi / (2 (n + 1))), j = 1..n,
/// or 2 sqrt(k/m) sin(j pi / (2 n)), j = 0..n-1.
pub(crate) fn chain(n: usize, m: f64, k: f64, grounded: bool) -> QuadraticPencil {
    let mut stiffness = Dense::zeros(n, n);
    for i in 0..n {
        if i + 1 < n {
            for (a, b, v) in [(i, i, k), (i + 1, i + 1, k), (i, i + 1, -k), (i + 1, i, -k)] {
                stiffness[(a, b)] += v;
            }
        }
    }
    if grounded {
        stiffness[(0, 0)] += k;
        stiffness[(n - 1, n - 1)] += k;
    }
    free(dense::scale(m, &dense::identity(n)), Dense::zeros(n, n), stiffness)
}

/// The frequencies of [`chain`], rad/s, ascending.
pub(crate) fn chain_frequencies(n: usize, m: f64, k: f64, grounded: bool) -> Vec<f64> {
    let half_pi = std::f64::consts::FRAC_PI_2;
    let (first, intervals) = if grounded { (1, n + 1) } else { (0, n) };
    (first..first + n).map(|j| 2.0 * (k / m).sqrt() * (j as f64 * half_pi / intervals as f64).sin()).collect()
}

/// Point mass on a massless rod, coordinates (x, y), Phi = x^2 + y^2 - L^2; hanging for `up` false.
///
/// M a + Phi_q^T lambda - f = 0 with f = (0, -m g): 2 y lambda = -m g, K = 2 lambda I. Eigenvalues +-i sqrt(g / L)
/// hanging, +-sqrt(g / L) upright.
pub(crate) fn pendulum(mass: f64, length: f64, gravity: f64, up: bool) -> QuadraticPencil {
    let y = if up { length } else { -length };
    let lambda = -mass * gravity / (2.0 * y);
    QuadraticPencil {
        m: dense::diagonal(&[mass, mass]),
        c: Dense::zeros(2, 2),
        k: dense::diagonal(&[2.0 * lambda, 2.0 * lambda]),
        phi_q: dense::from_rows(&[&[0.0, 2.0 * y]]),
    }
}

/// A trolley of mass `trolley` free along x with a pendulum (mass, length) below it in Cartesian coordinates
/// (X, x, y): one double zero and +-i sqrt((1 + mass / trolley) g / L).
pub(crate) fn trolley(trolley: f64, mass: f64, length: f64, gravity: f64) -> QuadraticPencil {
    // Phi = (x - X)^2 + y^2 - L^2 at x = X, y = -L.
    let lambda = mass * gravity / (2.0 * length);
    let k = 2.0 * lambda;
    QuadraticPencil {
        m: dense::diagonal(&[trolley, mass, mass]),
        c: Dense::zeros(3, 3),
        k: dense::from_rows(&[&[k, -k, 0.0], &[-k, k, 0.0], &[0.0, 0.0, k]]),
        phi_q: dense::from_rows(&[&[0.0, 0.0, -2.0 * length]]),
    }
}

/// The N-loop four-bound linkage of gonzalez2017, Section 4.1, at its equilibrium, and its eigenvalue with Im s > 0.
///
/// Coordinates x_0, y_0, .., x_N, y_N, phi; n = 2N + 3, m = 2N + 2. All rods are parallel at equilibrium, so that with
/// one angle phi (l = m = 1): M = (N + 1)/3 + N, V = ((N + 1)/2 + N) g sin phi + (N k/2) (2 cos(phi/2) - sqrt 2)^2,
/// C = N c sin^2(phi/2), and M s^2 + C s + V'' = 0 at V' = 0.
pub(crate) fn four_bar(loops: usize, damper: f64) -> (QuadraticPencil, c64) {
    let (g, k, rest) = (9.81, 25.0, 2.0_f64.sqrt());
    let count = loops as f64;
    let weight = (f64::midpoint(count, 1.0) + count) * g;
    let slope = |phi: f64| {
        let half = phi / 2.0;
        weight * phi.cos() - count * k * (2.0 * half.cos() - rest) * half.sin()
    };
    // The square, phi = pi/2, balances too; the branch meant lies beyond it.
    let (mut low, mut high) = (std::f64::consts::FRAC_PI_2 + 0.1, std::f64::consts::PI);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if (slope(middle) > 0.0) == (slope(low) > 0.0) { low = middle } else { high = middle }
    }
    let phi = 0.5 * (low + high);
    let half = phi / 2.0;
    let curvature =
        -weight * phi.sin() - count * k * (0.5 * (2.0 * half.cos() - rest) * half.cos() - half.sin().powi(2));
    let mass = (count + 1.0) / 3.0 + count;
    let damping = count * damper * half.sin().powi(2);
    let root = (c64::new(damping * damping - 4.0 * mass * curvature, 0.0).sqrt() - damping) / (2.0 * mass);
    (four_bar_matrices(loops, damper, phi), root)
}

fn four_bar_matrices(loops: usize, damper: f64, phi: f64) -> QuadraticPencil {
    let (g, k, rest) = (9.81, 25.0, 2.0_f64.sqrt());
    let (n, m) = (2 * loops + 3, 2 * loops + 2);
    let (mut mass, mut c, mut stiffness) = (Dense::zeros(n, n), Dense::zeros(n, n), Dense::zeros(n, n));
    let (mut phi_q, mut force) = (Dense::zeros(m, n), vec![0.0; n]);
    let arm = [phi.cos(), phi.sin()];
    for i in 0..=loops {
        for axis in 0..2 {
            mass[(2 * i + axis, 2 * i + axis)] += 1.0 / 3.0;
            phi_q[(i, 2 * i + axis)] = 2.0 * arm[axis];
        }
        force[2 * i + 1] -= 0.5 * g;
    }
    for i in 1..=loops {
        let (a, b) = (2 * (i - 1), 2 * i);
        for axis in 0..2 {
            for (p, q, v) in [(a, a, 2.0), (b, b, 2.0), (a, b, 1.0), (b, a, 1.0)] {
                mass[(p + axis, q + axis)] += v / 6.0;
            }
        }
        force[a + 1] -= 0.5 * g;
        force[b + 1] -= 0.5 * g;
        // The coupler is horizontal.
        phi_q[(loops + i, a)] = -2.0;
        phi_q[(loops + i, b)] = 2.0;
        let diagonal = [1.0 + arm[0], arm[1]];
        let length = diagonal[0].hypot(diagonal[1]);
        let e = [diagonal[0] / length, diagonal[1] / length];
        let pull = k * (length - rest);
        for p in 0..2 {
            force[b + p] -= pull * e[p];
            for q in 0..2 {
                let unit = if p == q { 1.0 } else { 0.0 };
                stiffness[(b + p, b + q)] += k * e[p] * e[q] + pull / length * (unit - e[p] * e[q]);
                c[(b + p, b + q)] += damper * e[p] * e[q];
            }
        }
    }
    phi_q[(m - 1, n - 2)] = 1.0;
    phi_q[(m - 1, n - 1)] = -phi.cos();
    let lambda = RankQr::new(&phi_q, RankTolerance::default()).unwrap().solve_transpose(&force);
    for i in 0..=loops {
        for axis in 0..2 {
            stiffness[(2 * i + axis, 2 * i + axis)] += 2.0 * lambda[i];
        }
    }
    for i in 1..=loops {
        let (a, b, l) = (2 * (i - 1), 2 * i, 2.0 * lambda[loops + i]);
        for axis in 0..2 {
            for (p, q, v) in [(a, a, l), (b, b, l), (a, b, -l), (b, a, -l)] {
                stiffness[(p + axis, q + axis)] += v;
            }
        }
    }
    stiffness[(n - 1, n - 1)] += lambda[m - 1] * phi.sin();
    QuadraticPencil { m: mass, c, k: stiffness, phi_q }
}

/// The penalty form of a linearized problem: Xi = alpha I, Theta = 2 xi omega I, Omega = omega^2 I.
pub(crate) fn penalty(pencil: &QuadraticPencil, alpha: f64, xi: f64, omega: f64) -> PenaltyPencil {
    let p = dense::mul_transpose(&pencil.phi_q, &pencil.phi_q);
    PenaltyPencil {
        m: dense::add(1.0, &pencil.m, alpha, &p),
        c: dense::add(1.0, &pencil.c, 2.0 * xi * omega * alpha, &p),
        k: dense::add(1.0, &pencil.k, omega * omega * alpha, &p),
        phi_q: pencil.phi_q.clone(),
        xi: dense::scale(alpha, &dense::identity(pencil.phi_q.nrows())),
    }
}
