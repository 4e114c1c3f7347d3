//! From the eigenvalues that a search has found to the spectrum that is returned: certified, each once.

use std::cell::OnceCell;

use mb_algebra::sorted::ascending;
use mb_algebra::{Cholesky, Dense, Sparse, c64};

use crate::certify::sparse::{Aid, Certifier};
use crate::certify::zeros;
use crate::finding::SparseFinding;
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::{Class, Counts, Eigenpair, ExpectedCounts, Finding, Method, Shape, Spectrum, tuning};

/// The smallest relative stiffness among the eigenvalues that are not zero, but no further from it than their error
/// bounds.
pub(super) fn blurred_zero(problem: &Problem, spectrum: &Spectrum) -> Option<f64> {
    let within = |pair: &&Eigenpair| {
        let nonzero = pair.value().filter(|s| s.norm() > 0.0);
        pair.class == Class::Physical && nonzero.is_some_and(|s| s.norm() <= pair.error_bound)
    };
    let relative = |pair: &Eigenpair| problem.k.relative_form(&pair.right.real_parts());
    spectrum.eigenpairs.iter().filter(within).map(relative).reduce(f64::min)
}

/// Certifies eigenvalues.
pub(super) fn finish(
    problem: &Problem,
    method: impl Into<Option<Method>>,
    uncertified: Vec<Uncertified>,
    findings: Vec<Finding>,
    keeps_left: bool,
) -> Spectrum {
    finish_with(problem, method, uncertified, findings, keeps_left, Aid::Nothing)
}

/// The same, with what the search for the eigenvalues has left.
pub(crate) fn finish_with(
    problem: &Problem,
    method: impl Into<Option<Method>>,
    uncertified: Vec<Uncertified>,
    findings: Vec<Finding>,
    keeps_left: bool,
    aid: Aid,
) -> Spectrum {
    let certifier = Certifier::new(problem, keeps_left);
    let pairs = certifier.certify_with(uncertified, aid);
    finished(problem, method, &certifier, pairs, findings)
}

/// The result, without rejected eigenpairs.
pub(crate) fn finished(
    problem: &Problem,
    method: impl Into<Option<Method>>,
    certifier: &Certifier<'_>,
    mut pairs: Vec<Eigenpair>,
    mut findings: Vec<Finding>,
) -> Spectrum {
    findings.extend(certifier.findings());
    // Of both kinds of equations.
    let left_over = |pair: &Eigenpair| pair.backward_error.max(pair.constraint_violation);
    let worst =
        // Backward error where the error bound is as large as the eigenvalue, so that the eigenpair adds no information.
        // Backward error, or violation of the constraints, above which an eigenpair is rejected.
        |pair: &Eigenpair| left_over(pair) > if pair.is_determined() { tuning::CBRT_EPS } else { tuning::SQRT_EPS };
    let dropped = pairs.iter().filter(|pair| worst(pair)).count();
    if dropped > 0 {
        let errors = pairs.iter().filter(|pair| worst(pair)).map(left_over);
        let backward_error = errors.fold(f64::INFINITY, f64::min);
        findings.push(SparseFinding::Dropped { eigenvalues: dropped, backward_error }.into());
        pairs.retain(|pair| !worst(pair));
    }
    let modes = certifier.found_twice()
        + drop_repeated(problem, &mut pairs)
        + drop_surplus(2 * problem.dof(), &mut pairs);
    if modes > 0 {
        findings.push(SparseFinding::Repeated { modes }.into());
    }
    findings.extend(zeros::by_rounding(problem, &pairs));
    part_of(problem, method, pairs, findings)
}

/// Part of the spectrum of a problem, with what theory counts and what the digits of the matrices leave open of that.
pub(crate) fn part_of(
    problem: &Problem,
    method: impl Into<Option<Method>>,
    pairs: Vec<Eigenpair>,
    mut findings: Vec<Finding>,
) -> Spectrum {
    let counts = counts(problem);
    findings.extend(problem.open_eigenvalues());
    Spectrum::partial(method, pairs, counts, findings)
}

/// Where more finite eigenvalues were found than can exist, some of them are found twice: leaves out those whose bounds are widest
/// for their size, with their conjugates; how many modes.
fn drop_surplus(most: usize, pairs: &mut Vec<Eigenpair>) -> usize {
    let mut modes = 0;
    while pairs.iter().filter(|pair| pair.class.is_motion()).count() > most {
        let width = |pair: &Eigenpair| pair.error_bound / pair.value().map_or(f64::INFINITY, c64::norm);
        let physical = pairs.iter().filter(|pair| pair.class == Class::Physical);
        let Some(worst) = physical.max_by(|a, b| width(a).total_cmp(&width(b))) else { break };
        let both = [worst.value(), worst.value().map(|s| s.conj())];
        let mut left = if worst.alpha.im == 0.0 { 1 } else { 2 };
        pairs.retain(|pair| {
            let drop = both.contains(&pair.value()) && pair.class == Class::Physical && left > 0;
            left -= usize::from(drop);
            !drop
        });
        modes += 1;
    }
    modes
}

/// Leaves out what several searches have found again of the modes of an undamped symmetric problem; how many modes.
///
/// Of a multiple eigenvalue any vectors of its space may have been found: each is held against the span of those with narrower bounds that
/// may belong to the same eigenvalue.
fn drop_repeated(problem: &Problem, pairs: &mut Vec<Eigenpair>) -> usize {
    if !(problem.symmetric && problem.undamped()) {
        return 0;
    }
    // M x, where it has been needed.
    let products: Vec<OnceCell<Shape>> = pairs.iter().map(|_| OnceCell::new()).collect();
    let form = |i: usize, j: usize| {
        let product = products[j].get_or_init(|| weighted(problem.m.sparse(), &pairs[j].right));
        inner(&pairs[i].right, product)
    };
    let upper = upper_ones(pairs);
    let near = |i: usize, j: usize| {
        let (a, b) = (&pairs[i], &pairs[j]);
        let physical = a.class == Class::Physical && b.class == Class::Physical;
        let (Some(s), Some(t)) = (a.value(), b.value()) else { return false };
        physical && upper[i] == upper[j] && (s - t).norm() <= a.error_bound + b.error_bound
    };
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    ascending(&mut order, |i| pairs[*i].error_bound);
    let mut kept: Vec<usize> = Vec::new();
    let mut repeated = vec![false; pairs.len()];
    for i in order {
        let others: Vec<usize> = kept.iter().copied().filter(|j| near(i, *j)).collect();
        let gram = Dense::from_fn(others.len(), others.len(), |p, q| form(others[p], others[q]));
        let along: Vec<f64> = others.iter().map(|other| form(*other, i)).collect();
        let of_all = Cholesky::new(&gram).map_or(0.0, |gram| {
            let shares = gram.solve(&along);
            shares.iter().zip(&along).map(|(share, along)| share * along).sum::<f64>()
        });
        // Where these depend on each other, as poor ones may, each of them says as much for itself.
        let of_each = along.iter().enumerate().map(|(p, along)| along * along / gram[(p, p)]);
        let inside = of_each.fold(of_all, f64::max);
        // Share of a vector, squared and in the metric of the mass, in the span of others, from which on it is no mode of its own; those
        // of different modes are orthogonal.
        repeated[i] = !others.is_empty() && inside > tuning::MAINLY * form(i, i);
        if !repeated[i] {
            kept.push(i);
        }
    }
    let modes = upper.iter().zip(&repeated).filter(|(upper, repeated)| **repeated && **upper).count();
    let mut kept = repeated.iter().map(|repeated| !repeated);
    pairs.retain(|_| kept.next().unwrap_or(true));
    modes
}

/// M x.
fn weighted(m: &Sparse, x: &Shape) -> Shape {
    if let Some(x) = x.real() {
        let row = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(j, m)| m * x[j]).sum();
        return Shape::of_real(m.outer_iterator().map(row).collect());
    }
    let row = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(j, m)| *m * x[j]).sum();
    Shape::from(m.outer_iterator().map(row).collect::<Vec<c64>>())
}

/// Re(x^H y).
fn inner(x: &Shape, y: &Shape) -> f64 {
    match (x.real(), y.real()) {
        (Some(x), Some(y)) => x.iter().zip(y).map(|(x, y)| x * y).sum(),
        _ => x.iter().zip(y.iter()).map(|(x, y)| (x.conj() * y).re).sum(),
    }
}

/// Which eigenpairs are the first of the two of their mode: it has the eigenvalues s and -s with one vector, behind each other, which
/// are two even where their error bounds reach each other, or both are zero.
fn upper_ones(pairs: &[Eigenpair]) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(pairs.len());
    for (i, pair) in pairs.iter().enumerate() {
        let zero = |pair: &Eigenpair| pair.value() == Some(c64::default());
        let second = i > 0 && zero(&pairs[i - 1]) && out[i - 1];
        let above = |s: c64| s.im > 0.0 || (s.im == 0.0 && s.re > 0.0);
        out.push(if zero(pair) { !second } else { pair.value().is_some_and(above) });
    }
    out
}

pub(crate) fn counts(problem: &Problem) -> Counts {
    Counts {
        n: problem.n,
        m: problem.rows.m,
        rank: problem.rows.rank,
        expected: ExpectedCounts { motion: problem.expected_eigenvalues(), ..ExpectedCounts::default() },
        ..Counts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::SparseOptions;
    use mb_algebra::{QuadraticPencil, dense, sparse};

    #[test]
    fn vectors_that_break_the_constraints_are_no_modes() {
        // Two masses on springs of their own, tied to each other: the mode of both, and one of the first alone.
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0, 1.0]),
            c: sparse::zeros(2, 2),
            k: sparse::diagonal(&[4.0, 4.0]),
            phi_q: mb_algebra::to_sparse(&dense::from_rows(&[&[1.0, -1.0]])),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let approx = |x: [f64; 2]| {
            let shape = |of: &[f64]| Shape::of_real(of.to_vec());
            Uncertified::oscillating(c64::new(0.0, 2.0), shape(&x), shape(&[0.0]))
        };
        let found = finish(
            &problem,
            Method::Lanczos,
            vec![approx([1.0, 1.0]), approx([1.0, 0.0])],
            Vec::new(),
            false,
        );
        assert_eq!(found.eigenpairs.len(), 2);
        assert!(found.eigenpairs.iter().all(|pair| pair.constraint_violation < 1e-15));
        let dropped = |f: &Finding| {
            matches!(f, Finding::Sparse { detail: SparseFinding::Dropped { eigenvalues: 2, .. } })
        };
        assert!(found.findings.iter().any(dropped), "{:?}", found.findings);
    }

    #[test]
    fn a_third_vector_in_the_plane_of_a_double_eigenvalue_is_no_mode() {
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0, 1.0, 1.0]),
            c: sparse::zeros(3, 3),
            k: sparse::diagonal(&[4.0, 4.0, 9.0]),
            phi_q: sparse::zeros(0, 3),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let none = || Shape::of_real(Vec::new());
        let approx = |s: f64, x: [f64; 3]| {
            Uncertified::oscillating(c64::new(0.0, s), Shape::of_real(x.to_vec()), none())
        };
        // At 60 degrees to each other: no two of them are one mode.
        let half = 0.75_f64.sqrt();
        let plane = [[1.0, 0.0, 0.0], [0.5, half, 0.0], [-0.5, half, 0.0]];
        let mut uncertified: Vec<Uncertified> = plane.into_iter().map(|x| approx(2.0, x)).collect();
        uncertified.push(approx(3.0, [0.0, 0.0, 1.0]));
        let found = finish(&problem, Method::Lanczos, uncertified, Vec::new(), false);
        assert_eq!(found.eigenpairs.len(), 6);
        let told =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Repeated { modes: 1 } });
        assert!(found.findings.iter().any(told), "{:?}", found.findings);
    }

    #[test]
    fn both_zeros_of_a_mode_stay_and_a_third_does_not() {
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0, 1.0]),
            c: sparse::zeros(2, 2),
            k: sparse::diagonal(&[1e-30, 1.0]),
            phi_q: sparse::zeros(0, 2),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let zero = || Uncertified {
            opposite: true,
            ..Uncertified::oscillating(
                c64::default(),
                Shape::of_real(vec![1.0, 0.0]),
                Shape::of_real(Vec::new()),
            )
        };
        let kept = |times: usize| {
            let mut pairs = Certifier::new(&problem, false).certify((0..times).map(|_| zero()).collect());
            for pair in &mut pairs {
                pair.alpha = c64::default();
            }
            let modes = drop_repeated(&problem, &mut pairs);
            (pairs.len(), modes)
        };
        assert_eq!((kept(1), kept(2)), ((2, 0), (2, 1)));
    }
}
