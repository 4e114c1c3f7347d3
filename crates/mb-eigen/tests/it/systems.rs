//! Small systems with known spectra.

use mb_algebra::{Dense, QuadraticPencil, dense};

/// M, C, K without constraints.
pub fn free(m: Dense, c: Dense, k: Dense) -> QuadraticPencil {
    let n = m.nrows();
    QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, n) }
}

/// n equal masses between walls (`grounded`) or floating: frequencies 2 sqrt(k/m) sin(j pi / (2 (n + 1))), j = 1..n,
/// or 2 sqrt(k/m) sin(j pi / (2 n)), j = 0..n-1.
pub fn chain(n: usize, m: f64, k: f64, grounded: bool) -> QuadraticPencil {
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
pub fn chain_frequencies(n: usize, m: f64, k: f64, grounded: bool) -> Vec<f64> {
    let half_pi = std::f64::consts::FRAC_PI_2;
    let (first, intervals) = if grounded { (1, n + 1) } else { (0, n) };
    (first..first + n).map(|j| 2.0 * (k / m).sqrt() * (j as f64 * half_pi / intervals as f64).sin()).collect()
}

/// Point mass on a massless rod, coordinates (x, y), Phi = x^2 + y^2 - L^2; hanging for `up` false.
///
/// M a + Phi_q^T lambda - f = 0 with f = (0, -m g): 2 y lambda = -m g, K = 2 lambda I. Roots +-i sqrt(g / L) hanging,
/// +-sqrt(g / L) upright.
pub fn pendulum(mass: f64, length: f64, gravity: f64, up: bool) -> QuadraticPencil {
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
pub fn trolley(trolley: f64, mass: f64, length: f64, gravity: f64) -> QuadraticPencil {
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
