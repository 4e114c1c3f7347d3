//! Jets against an independent implementation of dual numbers, and by the laws they obey.

use mb_scalar::Real;
use mb_scalar::jet::Jet;
use num_dual::{Dual3, DualNum};
use proptest::prelude::*;

/// Third order in each of two variables, mixed up to the sixth.
type Oracle = Dual3<Dual3<f64>>;
/// Order 6 in two variables.
type Pair = Jet<2, 28>;
/// Order 3 in three variables.
type Triple = Jet<3, 20>;

fn oracle_variables(x: f64, y: f64) -> (Oracle, Oracle) {
    let zero = Dual3::from_re(0.0);
    let x = Dual3::new(Dual3::from_re(x), Dual3::from_re(1.0), zero, zero);
    (x, Dual3::from_re(Dual3::new(y, 1.0, 0.0, 0.0)))
}

/// Every mixed derivative that both know.
fn assert_agree(name: &str, jet: Pair, oracle: &Oracle) {
    let outer = [oracle.re, oracle.v1, oracle.v2, oracle.v3];
    for (i, part) in (0_u8..).zip(outer) {
        for (j, want) in (0_u8..).zip([part.re, part.v1, part.v2, part.v3]) {
            let got = jet.derivative([i, j]);
            assert!((got - want).abs() <= 1e-11 * want.abs().max(1.0), "{name} d{i}{j}: {got} {want}");
        }
    }
}

#[test]
fn every_function_agrees_with_nested_dual_numbers() {
    for (x, y) in [(0.7, 1.3), (1.9, 0.4), (1.1, -2.2)] {
        let (a, b) = (Pair::variable(0, x), Pair::variable(1, y));
        let (u, v) = oracle_variables(x, y);
        // An inner function that mixes the variables and stays positive.
        let (f, g) =
            (a * a + a * b.sin() + Pair::constant(2.0), u * u + u * v.sin() + Dual3::from_re(2.0.into()));
        assert_agree("product", f, &g);
        assert_agree("sqrt", f.sqrt(), &g.sqrt());
        assert_agree("exp", (f * b).exp(), &(g * v).exp());
        assert_agree("ln", f.ln(), &g.ln());
        assert_agree("sin", f.sin(), &g.sin());
        assert_agree("cos", f.cos(), &g.cos());
        assert_agree("tan", (b.scale(0.3)).tan(), &(v * Dual3::from_re(0.3.into())).tan());
        assert_agree("quotient", b / f, &(v / g));
        assert_agree("reciprocal", f.recip(), &DualNum::recip(&g));
        assert_agree("atan2", b.atan2(f - a), &v.atan2(g - u));
        assert_agree("atan2, left half plane", b.atan2(-f), &v.atan2(-g));
        for n in [-3, -1, 0, 1, 2, 5] {
            assert_agree("powi", f.powi(n), &g.powi(n));
        }
    }
}

fn triple() -> impl Strategy<Value = Triple> {
    prop::array::uniform20(-2.0..2.0).prop_map(Jet)
}

/// A jet with its value away from zero.
fn positive() -> impl Strategy<Value = Triple> {
    (triple(), 0.5..2.0).prop_map(|(mut jet, value)| {
        jet.0[0] = value;
        jet
    })
}

/// Agreement to rounding, relative to the largest coefficient of `scale` (intermediate results).
fn close(a: Triple, b: Triple, scale: &[Triple]) -> Result<(), TestCaseError> {
    let largest = scale.iter().flat_map(|s| s.0).fold(1.0_f64, |m, x| m.max(x.abs()));
    for (x, y) in a.0.iter().zip(b.0) {
        prop_assert!((x - y).abs() <= 1e-12 * largest, "{x} {y}, scale {largest}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn jets_are_a_commutative_ring(a in triple(), b in triple(), c in triple()) {
        prop_assert_eq!(a + b, b + a);
        close(a * b, b * a, &[])?;
        close((a * b) * c, a * (b * c), &[])?;
        close(a * (b + c), a * b + a * c, &[])?;
        prop_assert_eq!(a * Jet::constant(1.0), a);
        prop_assert_eq!(a - a, Jet::constant(0.0));
    }

    #[test]
    fn functions_invert_each_other(a in triple(), b in positive()) {
        let quotient = a / b;
        close(quotient * b, a, &[quotient])?;
        let root = b.sqrt();
        close(root * root, b, &[root])?;
        let logarithm = b.ln();
        close(logarithm.exp(), b, &[logarithm, logarithm.powi(3)])?;
        let (s, c) = a.sin_cos();
        close(s * s + c * c, Jet::constant(1.0), &[s, c, s * s])?;
        close((s * b).atan2(c * b), a, &[s, c, (s * b).powi(2), (s * b).powi(3) / b])?;
    }

    #[test]
    fn a_multivariate_jet_restricts_to_a_line(x in prop::array::uniform3(0.5..2.0), v in prop::array::uniform3(-1.0..1.0)) {
        fn f<T: Real>(x: [T; 3]) -> T {
            (x[0] * x[1]).sin() / x[2] + (x[1] - x[2].sqrt()).exp() * x[0].ln() + x[2].atan2(x[0])
        }
        let full = f([0, 1, 2].map(|k| Jet::<3, 84>::variable(k, x[k])));
        let t = Jet::<1, 7>::variable(0, 0.0);
        let line = f([0, 1, 2].map(|k| Jet::constant(x[k]) + t.scale(v[k])));
        for degree in 0..=6 {
            let first = Jet::<3, 84>::number([u8::try_from(degree).unwrap(), 0, 0]).unwrap();
            let sum: f64 = full.homogeneous(degree).iter().zip(&Jet::<3, 84>::INDEX[first..])
                .map(|(c, sigma)| c * (0..3).map(|k| v[k].powi(i32::from(sigma[k]))).product::<f64>())
                .sum();
            let size: f64 = full.homogeneous(degree).iter().map(|c| c.abs()).sum();
            prop_assert!((sum - line.0[degree]).abs() <= 1e-12 * size.max(1.0), "degree {degree}");
        }
    }
}
