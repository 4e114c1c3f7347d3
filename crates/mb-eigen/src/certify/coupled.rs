//! Whether the eigenpairs of an undamped symmetric problem agree with each other.
//!
//! ```text
//! a_ij = |x_i^T K x_j - w_i x_i^T M x_j|,   x_i^T M x_i = 1;   |dw_i| about sum_j a_ij^2 / |w_i - w_j|, or a_ij where that is less
//! ```
//!
//! Vectors of different modes are orthogonal in M and in K. What two of them have in common is an error of both, which no residual weighed by
//! the vector itself shows: of two modes mixed with each other the quotients of both are stationary in all other directions. To second order
//! the sum is what the others make of w_i (Parlett, The Symmetric Eigenvalue Problem, section 11.8), and twice that is part of the bound.
//! Forms are in double-double precision. Only modes far below the largest are looked at, which rounding of that reaches; two vectors that
//! are nearly one are one mode that stands twice. Sizes: x n.

use mb_algebra::{QuadraticPencil, norms};

use crate::numeric::check;
use crate::numeric::double_double::{TwoVectors, Twofold};
use crate::{Class, Eigenpair, tuning};

/// A mode of some vector at length one in M.
struct Mode {
    pairs: Vec<usize>,
    w: f64,
    x: Vec<f64>,
    /// K x and M x of modes far below the largest.
    products: Option<[TwoVectors; 2]>,
}

/// Widens bounds of low modes that have something in common with others; `pairs`: conjugate and opposite ones behind each other.
pub(crate) fn widen(pencil: &QuadraticPencil, pairs: &mut [Eigenpair]) {
    let symmetric = |a| check::is_symmetric_to_rounding(a);
    let applies = norms::max_abs(&pencil.c) == 0.0
        && pencil.phi_q.nrows() == 0
        && symmetric(&pencil.m)
        && symmetric(&pencil.k);
    if !applies {
        return;
    }
    let modes = modes(pencil, pairs);
    let mut moved = vec![0.0_f64; modes.len()];
    for (i, own) in modes.iter().enumerate() {
        let Some([kx, mx]) = &own.products else { continue };
        for other in modes.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| other) {
            let (k, m) = (form(&other.x, kx), form(&other.x, mx));
            // A cosine above this is no error of two vectors, but one vector.
            let coupling = if m.abs() > tuning::MAINLY { f64::INFINITY } else { (k - own.w * m).abs() };
            let apart = (own.w - other.w).abs();
            // The second order holds for what is small.
            let small = coupling <= tuning::PARTLY * apart;
            moved[i] += if small { coupling * (coupling / apart) } else { coupling };
        }
    }
    for (mode, moved) in modes.iter().zip(moved).filter(|(mode, _)| mode.products.is_some()) {
        let s = mode.w.abs().sqrt();
        let moved = tuning::TWICE * moved;
        let of_s = if moved < mode.w.abs() { moved / s } else { s + (mode.w.abs() + moved).sqrt() };
        for i in &mode.pairs {
            pairs[*i].error_bound = pairs[*i].error_bound.max(of_s);
        }
    }
}

/// All modes, with products of those that rounding of the largest reaches; none where the lowest have digits left.
fn modes(pencil: &QuadraticPencil, pairs: &[Eigenpair]) -> Vec<Mode> {
    let w = |pair: &Eigenpair| pair.value().map(|s| -(s * s).re).filter(|_| pair.class == Class::Physical);
    let largest = pairs.iter().filter_map(w).map(f64::abs).fold(0.0, f64::max);
    // Share of the largest w that rounding of it reaches, by a factor of a million.
    let low = |w: f64| w.abs() <= tuning::EPS_2_3 * largest;
    let smallest = pairs.iter().filter_map(w).map(f64::abs).fold(f64::INFINITY, f64::min);
    // Closer together rounding of the largest leaves the lowest some digits, and residuals show what it takes.
    if smallest > tuning::MANY_ROUNDINGS * largest {
        return Vec::new();
    }
    let mut out: Vec<Mode> = Vec::new();
    for (i, pair) in pairs.iter().enumerate() {
        let Some(w) = w(pair) else { continue };
        if let Some(last) = out.last_mut()
            && last.pairs == [i - 1]
            && [pairs[i - 1].alpha.conj(), -pairs[i - 1].alpha].contains(&pair.alpha)
        {
            last.pairs.push(i);
            continue;
        }
        let x = pair.right.real_parts();
        let length = form(&x, &TwoVectors::new(x.to_vec()).product(&pencil.m, false)).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            continue;
        }
        let x: Vec<f64> = x.iter().map(|x| x / length).collect();
        let of = |a| TwoVectors::new(x.clone()).product(a, false);
        let products = low(w).then(|| [of(&pencil.k), of(&pencil.m)]);
        out.push(Mode { pairs: vec![i], w, x, products });
    }
    out
}

/// x^T y.
fn form(x: &[f64], y: &TwoVectors) -> f64 {
    let mut sum = Twofold::default();
    for ((x, high), low) in x.iter().zip(&y.high).zip(&y.low) {
        sum.add_product(*x, *high);
        sum.add(0.0, x * low);
    }
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{c64, dense};

    fn pair(w: f64, x: &[f64]) -> [Eigenpair; 2] {
        let shape = crate::Shape::of_real(x.to_vec());
        let upper = Eigenpair {
            alpha: c64::new(0.0, w.sqrt()),
            beta: 1.0,
            right: shape.clone(),
            left: shape,
            multipliers: crate::Shape::default(),
            left_multipliers: crate::Shape::default(),
            class: Class::Physical,
            chain: 1,
            backward_error: 0.0,
            constraint_violation: 0.0,
            condition: 1.0,
            error_bound: 1e-15,
            penalty_share: None,
        };
        let lower = upper.conjugate();
        [upper, lower]
    }

    /// w = 1, 4 and 2^60; vectors of the first two turned in their plane have quotients between 1 and 4.
    #[test]
    fn modes_mixed_with_each_other_have_bounds_that_reach_the_eigenvalues() {
        let high = 2.0_f64.powi(60);
        let k = dense::diagonal(&[1.0, 4.0, high]);
        let pencil =
            QuadraticPencil { m: dense::identity(3), c: dense::zeros(3, 3), k, phi_q: dense::zeros(0, 3) };
        for angle in [0.0_f64, 1e-5, 0.1, 0.3, 0.7] {
            let (sin, cos) = angle.sin_cos();
            let of = |x: f64, y: f64| pair(x * x + 4.0 * y * y, &[x, y, 0.0]);
            let mut pairs = [of(cos, sin), of(-sin, cos), pair(high, &[0.0, 0.0, 1.0])].concat();
            widen(&pencil, &mut pairs);
            for (exact, pair) in [1.0, 2.0, high.sqrt()].iter().zip(pairs.iter().step_by(2)) {
                let away = (pair.value().unwrap().im - exact).abs();
                assert!(away <= pair.error_bound + 1e-15 * exact, "{angle}: {exact} {away:e} {pair:?}");
                assert!(angle > 0.1 || pair.error_bound <= 20.0 * angle * angle + 1e-15, "{angle}: {pair:?}");
            }
            assert_eq!(pairs[0].error_bound.to_bits(), pairs[1].error_bound.to_bits());
            assert!(pairs[4].error_bound <= 1e-15);
        }
        // One vector twice is no second mode.
        let mut pairs =
            [pair(1.0, &[1.0, 0.0, 0.0]), pair(1.0, &[1.0, 1e-9, 0.0]), pair(high, &[0.0, 0.0, 1.0])]
                .concat();
        widen(&pencil, &mut pairs);
        assert!(pairs[..4].iter().all(|pair| pair.error_bound.is_infinite()));
    }
}
