//! The linkage as what it is: a parallelogram with one degree of freedom, the angle phi.
//!
//! ```text
//! M = ((N+1)/3 + N) m l^2
//! V = ((N+1)/2 + N) m g l sin(phi) + N k/2 (2 l cos(phi/2) - l0)^2
//! C = N c l^2 sin^2(phi/2)
//! M s^2 + C s + V'' = 0   where V' = 0
//! ```
//!
//! With l = 1 m, m = 1 kg, k = 25 N/m, l0 = sqrt(2) m, g = 9.81 m/s^2. It shares no code with the library, and
//! judges whether a formulation's eigenvalues are exact.
//!
//! Paper: [gonzalez2017] Sec. 4.1.

use super::super::results::Eigenvalue;

const GRAVITY: f64 = 9.81;
const STIFFNESS: f64 = 25.0;
/// Damping of the damped linkage, N s/m.
pub(super) const DAMPING: f64 = 1.0;

/// First and second derivative of V at an angle.
fn slope_and_curvature(loops: f64, phi: f64) -> (f64, f64) {
    let weight = (1.5 * loops + 0.5) * GRAVITY;
    let (sin, cos) = (phi / 2.0).sin_cos();
    let stretch = 2.0 * cos - std::f64::consts::SQRT_2;
    let spring = loops * STIFFNESS;
    (
        weight * phi.cos() - spring * stretch * sin,
        -weight * phi.sin() + spring * (sin * sin - stretch * cos / 2.0),
    )
}

/// The stable equilibrium between pi/2 and pi, in rad: the zero of V' by bisection.
///
/// V' is negative just above pi/2, where the upright linkage is unstable, and positive at pi.
pub(super) fn angle(loops: usize) -> f64 {
    let loops = loops as f64;
    let (mut low, mut high) = (std::f64::consts::FRAC_PI_2 + 1e-6, std::f64::consts::PI);
    while high - low > 1e-15 * high {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if slope_and_curvature(loops, middle).0 < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The eigenvalue with positive imaginary part.
pub(super) fn eigenvalue(loops: usize, damped: bool) -> Eigenvalue {
    let phi = angle(loops);
    let n = loops as f64;
    let mass = (n + 1.0) / 3.0 + n;
    let drag = if damped { n * DAMPING * (phi / 2.0).sin().powi(2) } else { 0.0 };
    let re = -drag / (2.0 * mass);
    let stiffness = slope_and_curvature(n, phi).1;
    Eigenvalue { re, im: (stiffness / mass - re * re).sqrt() }
}

#[cfg(test)]
mod tests {
    use mb_gallery::{Computed, Table};

    use super::*;

    #[test]
    fn the_closed_form_rounds_to_the_printed_tables() {
        let (undamped, damped) =
            (Table::load("gonzalez2017/table-1").unwrap(), Table::load("gonzalez2017/table-2").unwrap());
        for loops in [1, 5, 10, 15, 20] {
            let row = format!("N={loops}");
            for (table, is_damped) in [(&undamped, false), (&damped, true)] {
                let printed = table.number(&row, "s_1").unwrap();
                assert!(printed.accepts(&Computed::from(eigenvalue(loops, is_damped))), "{row}");
            }
        }
    }
}
