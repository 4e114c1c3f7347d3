//! Error bounds against exact eigenvalues.
//!
//! Q(s) = L diag(m_i s^2 + c_i s + k_i) R with integer coefficients and integer L, R of determinant one, so that the
//! matrices are exact and the eigenvalues those of the single quadratics; constraints are added the same way.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::{DenseOptions, Refinement, Spectrum};
use proptest::prelude::*;

/// (m, c, k) of one decoupled coordinate.
type Single = (i32, i32, i32);

#[derive(Clone, Debug)]
struct Exact {
    pencil: QuadraticPencil,
    roots: Vec<c64>,
}

/// An integer matrix of determinant one: a product of elementary ones.
fn unimodular(n: usize, steps: &[(usize, usize, i32)]) -> Dense {
    let mut out = dense::identity(n);
    for &(i, j, factor) in steps {
        let (i, j) = (i % n, j % n);
        if i != j {
            for row in 0..n {
                let add = f64::from(factor) * out[(row, i)];
                out[(row, j)] += add;
            }
        }
    }
    out
}

/// Eigenvalues of m s^2 + c s + k, the larger one first by the stable formula.
fn eigenvalues_of((m, c, k): Single) -> [c64; 2] {
    let (m, c, k) = (f64::from(m), f64::from(c), f64::from(k));
    let discriminant = c * c - 4.0 * m * k;
    if discriminant < 0.0 {
        let s = c64::new(-c / (2.0 * m), (-discriminant).sqrt() / (2.0 * m));
        return [s, s.conj()];
    }
    let q = -0.5 * (c + c.signum() * discriminant.sqrt());
    if q == 0.0 { [c64::new(0.0, 0.0); 2] } else { [c64::new(q / m, 0.0), c64::new(k / q, 0.0)] }
}

fn exact(
    singles: &[Single],
    left: &[(usize, usize, i32)],
    right: Option<&[(usize, usize, i32)]>,
    held: usize,
) -> Exact {
    let (free, n) = (singles.len(), singles.len() + held);
    let l = unimodular(n, left);
    let r = right.map_or_else(|| dense::transpose(&l), |right| unimodular(n, right));
    let through = |pick: fn(&Single) -> i32, rest: f64| {
        let diagonal: Vec<f64> =
            (0..n).map(|i| if i < free { f64::from(pick(&singles[i])) } else { rest }).collect();
        dense::mul(&l, &dense::mul(&dense::diagonal(&diagonal), &r))
    };
    // The last coordinates in front of R are held at zero; on the left they leave the equations 0..free only when the
    // constraint forces act in the same space, which the shared transformation of a symmetric problem gives.
    let select = Dense::from_fn(held, n, |i, j| if j == free + i { 1.0 } else { 0.0 });
    let pencil = QuadraticPencil {
        m: through(|s| s.0, 2.0),
        c: through(|s| s.1, 1.0),
        k: through(|s| s.2, 3.0),
        phi_q: dense::mul(&select, &r),
    };
    Exact { pencil, roots: singles.iter().flat_map(|&s| eigenvalues_of(s)).collect() }
}

fn single() -> impl Strategy<Value = Single> {
    prop_oneof![
        4 => (1..5, -3..8, -20..40),
        // Undamped, critically damped, free, damped to the ground.
        1 => (1..5, Just(0), 1..40),
        1 => (1..4, 1..5).prop_map(|(m, a)| (m, 2 * m * a, m * a * a)),
        1 => (1..5, Just(0), Just(0)),
        1 => (1..5, 1..9, Just(0)),
    ]
}

fn steps(count: usize) -> impl Strategy<Value = Vec<(usize, usize, i32)>> {
    prop::collection::vec((0..8_usize, 0..8_usize, -2..3_i32), count)
}

/// Every exact root lies within the bound of a root of its own.
fn assert_covered(spectrum: &Spectrum, exact: &[c64]) -> Result<(), TestCaseError> {
    let found: Vec<_> = spectrum.motion().collect();
    prop_assert_eq!(found.len(), exact.len(), "{:?}", &spectrum.findings);
    let values: Vec<c64> = found.iter().map(|pair| pair.value().unwrap()).collect();
    for (i, j, distance) in mb_eigen::pairing::match_values(exact, &values) {
        let allowed = found[j].error_bound + 4.0 * f64::EPSILON * exact[i].norm();
        prop_assert!(
            distance <= allowed,
            "{} found as {}: error {:e}, bound {:e}, condition {:e}",
            exact[i],
            values[j],
            distance,
            found[j].error_bound,
            found[j].condition
        );
        // And the bound is a statement, not a shrug: the square root of rounding at double roots. Where chance makes
        // more than two eigenvalues meet, no such bound holds.
        let meeting = exact.iter().filter(|s| (*s - exact[i]).norm() < 1e-3).count();
        prop_assert!(
            meeting > 2 || found[j].error_bound <= 1e-2 * (1.0 + exact[i].norm()),
            "bound {:e}",
            found[j].error_bound
        );
    }
    Ok(())
}

fn check(problem: &Exact, refinement: Refinement) -> Result<(), TestCaseError> {
    let options = DenseOptions { refinement, ..DenseOptions::default() };
    assert_covered(&mb_eigen::dense::solve(&problem.pencil, &options).unwrap(), &problem.roots)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn symmetric_problems_with_constraints(
        singles in prop::collection::vec(single(), 1..5),
        left in steps(6),
        held in 0..3_usize,
    ) {
        let problem = exact(&singles, &left, None, held);
        check(&problem, Refinement::RayleighQuotient)?;
        check(&problem, Refinement::None)?;
        check(&problem, Refinement::InverseIteration { lowest: 2 })?;
    }

    #[test]
    fn unsymmetric_problems(
        singles in prop::collection::vec(single(), 1..5),
        left in steps(5),
        right in steps(5),
    ) {
        check(&exact(&singles, &left, Some(&right), 0), Refinement::RayleighQuotient)?;
    }
}

/// Behind its constraint the problem has one coordinate, so that a cluster has fewer directions than values.
#[test]
fn a_double_eigenvalue_of_one_free_coordinate_has_a_narrow_bound() {
    let steps = [(6, 6, 0), (2, 1, 2), (0, 0, 0), (6, 6, 0), (2, 0, 0), (5, 2, 2)];
    let problem = exact(&[(2, 12, 18)], &steps, None, 1);
    for refinement in
        [Refinement::RayleighQuotient, Refinement::None, Refinement::InverseIteration { lowest: 2 }]
    {
        check(&problem, refinement).unwrap();
        let options = DenseOptions { refinement, ..DenseOptions::default() };
        let spectrum = mb_eigen::dense::solve(&problem.pencil, &options).unwrap();
        // The square root of rounding of matrices whose entries are two hundred times the stiffness of the coordinate.
        assert!(spectrum.motion().all(|pair| pair.error_bound < 1e-4), "{refinement:?}");
    }
}
