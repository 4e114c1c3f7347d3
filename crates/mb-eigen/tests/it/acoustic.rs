//! Pressures next to displacements: unsymmetric problems whose constant pressure is an exact double zero.
//!
//! ```text
//! M = [M_s 0; B^T Q],  K = [K_s -B; 0 H],  H 1 = 0:   x = (K_s^-1 B 1, 1), y = (0, 1),   K x = 0, K^T y = 0, y^T M x > 0
//! ```
//!
//! Structural-acoustic problems in displacements and pressures; entries of K are from 1e8 to 1e-5, those of M from 1 to 1e-14.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};
use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum, dense};

/// A chain of `width` masses that faces a cavity of `width` times `depth` cells of edge h.
fn cavity(width: usize, depth: usize) -> QuadraticPencil<Sparse> {
    let (density, speed, edge, mass, stiffness) = (1000.0, 1500.0, 0.05_f64, 0.8, 5e7);
    let n = width + width * depth;
    let cell = |i: usize, j: usize| width + i * depth + j;
    let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
    for i in 0..width {
        m.add(i, i, mass);
        k.add(i, i, 2.0 * stiffness);
        m.add(cell(i, 0), i, edge * edge);
        k.add(i, cell(i, 0), -edge * edge);
        if i > 0 {
            k.add(i, i - 1, -stiffness);
            k.add(i - 1, i, -stiffness);
        }
        for j in 0..depth {
            m.add(cell(i, j), cell(i, j), edge.powi(3) / (density * speed * speed));
            let others = [(i + 1 < width).then(|| cell(i + 1, j)), (j + 1 < depth).then(|| cell(i, j + 1))];
            for other in others.into_iter().flatten() {
                for (a, b, sign) in [
                    (cell(i, j), cell(i, j), 1.0),
                    (other, other, 1.0),
                    (cell(i, j), other, -1.0),
                    (other, cell(i, j), -1.0),
                ] {
                    k.add(a, b, sign * edge / density);
                }
            }
        }
    }
    QuadraticPencil { m: m.to_sparse(), c: sparse::zeros(n, n), k: k.to_sparse(), phi_q: sparse::zeros(0, n) }
}

fn assert_rigid(found: &Spectrum, what: &str) {
    let rigid: Vec<_> = found.of_class(Class::Rigid).collect();
    assert!(rigid.len() == 2 && rigid.iter().all(|pair| pair.chain == 2), "{what}: {:?}", found.findings);
    let told = |f: &Finding| matches!(f, Finding::LongChain { .. } | Finding::NearlyZeroStiffness { .. });
    assert!(!found.findings.iter().any(told), "{what}: {:?}", found.findings);
    assert!(found.eigenpairs.iter().all(mb_eigen::Eigenpair::is_determined), "{what}: {:?}", found.findings);
}

fn krylov() -> SparseOptions {
    SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() })
}

#[test]
fn a_constant_pressure_is_a_double_zero() {
    for (width, depth) in [(2, 2), (5, 3), (10, 8)] {
        let pencil = cavity(width, depth);
        let what = format!("{width} x {depth}");
        let all = dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap();
        assert_rigid(&all, &what);
        let few = solve(&pencil, &Request::Lowest { count: 3 }, &krylov()).unwrap();
        assert_rigid(&few, &what);
        for pair in &few.eigenpairs {
            let s = pair.value().unwrap();
            let other = all.nearest(s).unwrap();
            assert!(
                (other.value().unwrap() - s).norm() <= pair.error_bound + other.error_bound,
                "{what}: {s}"
            );
        }
    }
}

/// A mass m on a spring k that pushes by b on the first of two cells with compliances q and a passage h between them.
fn two_cells(m: f64, k: f64, b: f64, h: f64, q: f64) -> QuadraticPencil<Sparse> {
    let list = |entries: &[(usize, usize, f64)]| {
        let mut out = Triplets::new(3, 3);
        for (i, j, v) in entries {
            out.add(*i, *j, *v);
        }
        out.to_sparse()
    };
    QuadraticPencil {
        m: list(&[(0, 0, m), (1, 0, b), (1, 1, q), (2, 2, q)]),
        c: sparse::zeros(3, 3),
        k: list(&[(0, 0, k), (0, 1, -b), (1, 1, h), (1, 2, -h), (2, 1, -h), (2, 2, h)]),
        phi_q: sparse::zeros(0, 3),
    }
}

/// One mass and two cells: with w = -s^2
///
/// ```text
/// det (K - w M) = -w (m q^2 w^2 - (k q^2 + 2 h q m + b^2 q) w + 2 h q k + b^2 h)
/// ```
#[test]
fn two_cells_have_the_eigenvalues_of_a_quadratic() {
    for exponents in [[0, 26, -9, -14, -44], [0, 20, -6, -10, -30], [0, 0, 0, 0, 0]] {
        let [m, k, b, h, q] = exponents.map(|e| f64::from(e).exp2());
        let pencil = two_cells(m, k, b, h, q);
        let (second, first, zeroth) =
            (m * q * q, k * q * q + 2.0 * h * q * m + b * b * q, 2.0 * h * q * k + b * b * h);
        let larger = (first + (first * first - 4.0 * second * zeroth).sqrt()) / (2.0 * second);
        let exact = [0.0, (zeroth / (second * larger)).sqrt(), larger.sqrt()];
        for options in [krylov(), SparseOptions::default()] {
            let found = solve(&pencil, &Request::Lowest { count: 3 }, &options).unwrap();
            let what = format!("{exponents:?}");
            assert_rigid(&found, &what);
            assert_eq!(found.eigenpairs.len(), 6, "{what}");
            for pair in &found.eigenpairs {
                let s = pair.value().unwrap();
                let error = exact.iter().map(|w| (s.norm() - w).abs()).fold(f64::INFINITY, f64::min);
                // The closed form is rounded too.
                assert!(
                    error <= pair.error_bound + 1e-14 * s.norm(),
                    "{what}: {s} {error:e} {:e}",
                    pair.error_bound
                );
            }
        }
    }
}

/// y^T M x = 0: a chain of four is no double zero.
#[test]
fn a_pressure_without_compliance_has_a_longer_chain() {
    // With q_1 + q_2 + b^2 / k = 0 the quadratic above has a zero too.
    let [k, b, h] = [26.0, -9.0, -14.0].map(f64::exp2);
    let q = -0.5 * b * b / k;
    let pencil = two_cells(1.0, k, b, h, q);
    let found = solve(&pencil, &Request::All, &SparseOptions::default()).unwrap();
    let long = |f: &Finding| matches!(f, Finding::LongChain { at_infinity: false });
    assert!(found.findings.iter().any(long), "{:?}", found.findings);
    // Without the chain nothing that was found is claimed to be where it is not.
    let few = solve(&pencil, &Request::Lowest { count: 2 }, &krylov()).unwrap();
    for pair in few.eigenpairs.iter().chain(&found.eigenpairs) {
        let s = pair.value().unwrap();
        let zero = s.norm() <= pair.error_bound;
        assert!(zero || s.norm() > 1e3, "{s}, bound {:e}", pair.error_bound);
    }
}
