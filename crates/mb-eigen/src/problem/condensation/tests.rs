//! Merged coordinates against the whole problem: matrices, factors, modes, eigenpairs in double-double precision.

use faer::Mat;
use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, dense, norms, sparse, to_dense};
use proptest::prelude::*;

use super::*;
use crate::certify::sparse::Certifier;
use crate::krylov::BuiltIn;
use crate::krylov::scalar::start_block;
use crate::refine;
use crate::refine::{Given, Improved};
use crate::request::Request;
use crate::sparse::SparseExpert;
use crate::sparse::solve::undamped;
use crate::tuning;

/// A chain of masses on springs, grounded, of `n` coordinates, and rows given as lists of entries.
fn pencil(n: usize, rows: &[Vec<(usize, f64)>]) -> QuadraticPencil<Sparse> {
    let (mut m, mut k, mut phi_q) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(rows.len(), n));
    for i in 0..n {
        m.add(i, i, 1.0 + (i % 3) as f64);
        k.add(i, i, 5.0 + (i % 4) as f64);
        for (step, value) in [(1, -1.5), (2, -0.5)] {
            if i >= step {
                k.add(i, i - step, value);
                k.add(i - step, i, value);
            }
        }
    }
    for (at, row) in rows.iter().enumerate() {
        for &(j, v) in row {
            phi_q.add(at, j, v);
        }
    }
    QuadraticPencil { m: m.to_sparse(), c: sparse::zeros(n, n), k: k.to_sparse(), phi_q: phi_q.to_sparse() }
}

/// Bounds that are joined, some the other way round, some in trees of more than two; one end held, and a row of
/// another kind.
fn sample() -> QuadraticPencil<Sparse> {
    let mut rows = vec![vec![(0, 3.0)], vec![(1, 1.0), (0, -1.0)]];
    rows.extend((1..9).map(|i| vec![(2 * i, 2.0), (2 * i + 1, if i % 3 == 0 { 2.0 } else { -2.0 })]));
    rows.push(vec![(3, -1.0), (8, -1.0)]);
    rows.push(vec![(8, 4.0), (15, -4.0)]);
    rows.push(vec![(5, 1.0), (12, -0.25), (18, 0.5)]);
    pencil(24, &rows)
}

fn options() -> SparseOptions {
    SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() })
}

#[test]
fn merged_coordinates_satisfy_the_rows_and_span_all_that_do() {
    let pencil = sample();
    let problem = Problem::new(&pencil, &options()).unwrap();
    let merged = Merged::of(&problem, &options()).unwrap();
    assert_eq!((merged.ties.count(), merged.problem.n, merged.problem.rows.rank), (12, 12, 1));
    let b = merged.ties.unfold(&dense::identity(merged.problem.n));
    // The columns of B have entries of one, each row has one of them at most.
    assert!(b.row_iter().all(|row| row.iter().filter(|v| **v != 0.0).count() <= 1));
    assert!(
        crate::numeric::vectors::columns(&b)
            .all(|column| column.iter().any(|v| v.abs().to_bits() == 1.0_f64.to_bits()))
    );
    let phi = to_dense(problem.rows.independent.sparse());
    let on_y = dense::mul(&phi, &b);
    for row in 0..phi.nrows() {
        let rest = merged.ties.rest.contains(&row);
        assert_eq!(dense::row(&on_y, row).iter().any(|v| *v != 0.0), rest);
    }
    for (given, ours) in [(&problem.m, &merged.problem.m), (&problem.k, &merged.problem.k)] {
        let expected = dense::mul(&dense::transpose(&b), &dense::mul(&to_dense(given.sparse()), &b));
        let apart = dense::add(1.0, &expected, -1.0, &to_dense(ours.sparse()));
        assert!(norms::max_abs(&apart) < 1e-14);
    }
    let f = start_block::<f64>(24, 2, 3);
    let folded = merged.ties.fold(&f);
    assert!(norms::max_abs(&dense::add(1.0, &folded, -1.0, &dense::mul_transpose(&b, &f))) < 1e-14);
}

#[test]
fn factors_in_fewer_coordinates_solve_the_whole_system() {
    let pencil = sample();
    let problem = Problem::new(&pencil, &options()).unwrap();
    let merged = Arc::new(Merged::of(&problem, &options()).unwrap());
    let sigma = 0.3;
    let inner = Shifted { sigma, solver: merged.problem.factor(-sigma, 0.0).unwrap() };
    let outer = merged.unfold_factors(&problem, inner);
    let whole = problem.factor(-sigma, 0.0).unwrap();
    assert_eq!(outer.solver.negative(), whole.negative());
    let f = start_block::<f64>(problem.n, 3, 5);
    let g = start_block::<f64>(problem.rows.rank, 3, 6);
    let apart = |a: &Dense, b: &Dense| norms::max_abs(&dense::add(1.0, a, -1.0, b));
    let [ours, other] = [&outer.solver, &whole].map(|solver| solver.solve(&f, false, Effort::Final).unwrap());
    assert!(apart(&ours.x, &other.x) < 1e-13 && apart(&ours.l, &other.l) < 1e-12);
    let [ours, other] = [&outer.solver, &whole].map(|solver| solver.solve_both(&f, &g).unwrap());
    assert!(apart(&ours.x, &other.x) < 1e-12 && apart(&ours.l, &other.l) < 1e-11);
    assert!(apart(&problem.rows.independent.mul(&ours.x), &g) < 1e-13);
}

#[test]
fn what_is_not_worth_it_or_in_doubt_stays() {
    let refused = |pencil: &QuadraticPencil<Sparse>, options: &SparseOptions| {
        Merged::of(&Problem::new(pencil, options).unwrap(), options).is_none()
    };
    // Few ties; rows of three entries, or of two of unequal size, tie nothing.
    assert!(refused(&pencil(24, &[vec![(0, 1.0)], vec![(1, 1.0), (2, 1.0)]]), &options()));
    let others: Vec<_> = (0..6).map(|i| vec![(3 * i, 1.0), (3 * i + 1, -2.0)]).collect();
    assert!(refused(&pencil(24, &others), &options()));
    // Factors for single precision.
    assert!(!refused(&sample(), &options()));
    assert!(refused(
        &sample(),
        &SparseOptions { expert: SparseExpert { single_from: 0.0, ..options().expert }, ..options() }
    ));
    // A stiff spring between two coordinates that are one would leave its rounding.
    let mut stiff = sample();
    let mut k = Triplets::new(24, 24);
    for (i, j, v) in [(2, 2, 1e9), (3, 3, 1e9), (2, 3, -1e9), (3, 2, -1e9)] {
        k.add(i, j, v);
    }
    stiff.k = sparse::add(1.0, &stiff.k, 1.0, &k.to_sparse());
    assert!(refused(&stiff, &options()));
}

/// Modes in fewer coordinates and those of the whole problem: w within the bounds of both.
fn compared(pencil: &QuadraticPencil<Sparse>, count: usize) {
    let options = options();
    let problem = Problem::new(pencil, &options).unwrap();
    let request = Request::Lowest { count };
    let found = undamped(&problem, &request, &options, &BuiltIn).unwrap();
    assert!(matches!(found.aid, crate::certify::sparse::Aid::Merged(..)));
    let ours = Certifier::new(&problem, false).certify_with(found.modes.uncertified(&problem), found.aid);
    let mut run = crate::search::hermitian::Symmetric::new(&problem, &options, &BuiltIn);
    let modes = run.lowest(count).unwrap();
    let whole = Certifier::new(&problem, false).certify(modes.uncertified(&problem));
    assert_eq!(ours.len(), whole.len());
    for (ours, whole) in ours.iter().zip(&whole) {
        let apart = (ours.value().unwrap() - whole.value().unwrap()).norm();
        assert!(apart <= ours.error_bound + whole.error_bound, "{apart:e} {:e}", ours.error_bound);
        // No more than what the Krylov method was asked for, whose last digits the bound shows.
        let (rest, violation) = (ours.backward_error, ours.constraint_violation);
        let both = format!("{rest:e} {:e}, {violation:e}", whole.backward_error);
        assert!(rest <= options.expert.tolerance && violation < 1e-15, "{both}");
        let scale = ours.value().unwrap().norm();
        assert!(ours.error_bound <= 1e-8 * scale, "{:e}", ours.error_bound / scale);
        // The multipliers, measured by hand: r = (K - w M) x + Phi^T l.
        let s = ours.value().unwrap();
        let column = |x: &[mb_algebra::c64]| Mat::from_fn(x.len(), 1, |i, _| x[i]);
        let (x, l) = (column(&ours.right), column(&ours.multipliers));
        let r =
            problem.k.mul(&x) + problem.m.mul(&x) * faer::Scale(s * s) + problem.rows.given.mul_transpose(&l);
        let size = s.norm_sqr() * problem.m.norm + problem.k.norm;
        let claimed = ours.backward_error * size;
        assert!((norms::two_complex(r.col_as_slice(0)) - claimed).abs() <= 1e-3 * claimed + 1e-14 * size);
    }
}

#[test]
fn modes_in_fewer_coordinates_are_those_of_the_whole_problem() {
    compared(&sample(), 5);
    // Free chains: rigid motion and zero modes are found in fewer coordinates too.
    let n = 60;
    let (mut m, mut k, mut phi_q) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(n / 2 - 1, n));
    for bar in 0..n / 2 {
        let (left, right) = (2 * bar, 2 * bar + 1);
        for (i, j, v) in [(left, left, 7.0), (right, right, 7.0), (left, right, -7.0), (right, left, -7.0)] {
            k.add(i, j, v);
        }
        m.add(left, left, 1.0);
        m.add(right, right, 1.5);
        if bar > 0 {
            phi_q.add(bar - 1, left - 1, 1.0);
            phi_q.add(bar - 1, left, -1.0);
        }
    }
    let free = QuadraticPencil {
        m: m.to_sparse(),
        c: sparse::zeros(n, n),
        k: k.to_sparse(),
        phi_q: phi_q.to_sparse(),
    };
    let spectrum = crate::sparse::solve(&free, &Request::Lowest { count: 4 }, &options()).unwrap();
    let rigid = spectrum.eigenpairs.iter().filter(|pair| pair.class == crate::Class::Rigid).count();
    assert_eq!(rigid, 2);
    // The sum of squares of the reactions of a rigid motion is nothing.
    let reaction = |pair: &crate::Eigenpair| norms::two_complex(&pair.multipliers);
    assert!(
        spectrum.eigenpairs.iter().filter(|p| p.class == crate::Class::Rigid).all(|p| reaction(p) < 1e-12)
    );
}

#[test]
fn pairs_improved_in_fewer_coordinates_are_those_improved_in_all() {
    // Bounds whose stiffnesses leave a rounding in their sums; both ends held, and one row that stays.
    let (bars, n) = (40, 80);
    let (mut m, mut k, mut phi_q) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(bars + 2, n));
    for bar in 0..bars {
        let (left, right) = (2 * bar, 2 * bar + 1);
        let own = 1e4 * (0.1 + (bar % 7) as f64 / 3.0);
        for (i, j, v) in [(left, left, own), (right, right, own), (left, right, -own), (right, left, -own)] {
            k.add(i, j, v);
        }
        m.add(left, left, 1.0);
        m.add(right, right, 0.7);
        phi_q.add(bar, left, 1.0);
        phi_q.add(bar + 1, right, -1.0);
    }
    for (j, v) in [(10, 1.0), (30, -2.0), (60, 0.5)] {
        phi_q.add(bars + 1, j, v);
    }
    let c = sparse::zeros(n, n);
    let pencil = QuadraticPencil { m: m.to_sparse(), c, k: k.to_sparse(), phi_q: phi_q.to_sparse() };
    let problem = Problem::new(&pencil, &options()).unwrap();
    let merged = Arc::new(Merged::of(&problem, &options()).unwrap());
    assert!(merged.problem.stiffness().len() == 2 && merged.problem.rows.rank == 1);
    let found = undamped(&problem, &Request::Lowest { count: 4 }, &options(), &BuiltIn).unwrap();
    let sigma = -1e-3;
    let inner = Shifted { sigma, solver: merged.problem.factor(-sigma, 0.0).unwrap() };
    let outer = Shifted { sigma, solver: problem.factor(-sigma, 0.0).unwrap() };
    let uncertified = found.modes.uncertified(&problem);
    let given: Vec<Given<'_>> = uncertified.iter().map(Given::of_uncertified).collect();
    let wanted = vec![true; given.len()];
    let ours = merged.improve(&problem, &inner, &given, &wanted, tuning::SOLVE_ROUNDINGS);
    let ours: Vec<Improved> = ours.into_iter().map(Option::unwrap).collect();
    let whole = merged.whole(&problem, &problem.rows.given.transposed(), &ours.iter().collect::<Vec<_>>());
    let other = refine::refine_together(&problem, &outer, &given, &wanted, tuning::SOLVE_ROUNDINGS);
    for (ours, other) in whole.iter().zip(other) {
        let other = other.unwrap().pair;
        assert!((ours.s - other.s).norm() <= 1e-15 * ours.s.norm(), "{} {}", ours.s, other.s);
        let apart = |a: &[mb_algebra::c64], b: &[mb_algebra::c64]| -> f64 {
            let by = crate::numeric::vectors::inner(b, a) / norms::two_complex(b).powi(2);
            norms::two_complex(&a.iter().zip(b).map(|(a, b)| a - by * b).collect::<Vec<_>>())
        };
        assert!(apart(&ours.x, &other.x) <= 1e-13 * norms::two_complex(&ours.x));
        assert!(apart(&ours.l, &other.l) <= 1e-12 * norms::two_complex(&ours.l));
        // No more than what the steps end at, for which w changes by less than its rounding.
        let weighted: f64 = ours.x.iter().zip(ours.residual.iter()).map(|(x, r)| (x * r).norm()).sum();
        let square = norms::two_complex(&ours.x).powi(2) * ours.s.norm_sqr();
        assert!(weighted <= 4.0 * tuning::SOLVE_ROUNDINGS * square, "{weighted:e}");
        let x = Mat::from_fn(n, 1, |i, _| ours.x[i].re);
        assert!(norms::max_abs(&problem.rows.unit.mul(&x)) < 1e-15);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_ties_give_the_modes_of_the_whole_problem(
        ends in proptest::collection::vec((0_usize..30, 0_usize..30, proptest::bool::ANY), 4..20),
        held in 0_usize..30,
        general in proptest::collection::vec((0_usize..30, -2.0_f64..2.0), 2..5),
    ) {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        for (i, j, other) in ends {
            rows.push(match i.cmp(&j) {
                std::cmp::Ordering::Equal => vec![(i, 1.5)],
                _ => vec![(i, 1.0), (j, if other { 1.0 } else { -1.0 })],
            });
        }
        rows.push(vec![(held, 1.0)]);
        rows.push(general);
        let pencil = pencil(30, &rows);
        let problem = Problem::new(&pencil, &options()).unwrap();
        prop_assume!(problem.dof() >= 4 && Merged::of(&problem, &options()).is_some());
        compared(&pencil, 3);
    }
}

/// A hub in the rows of all others: their multipliers fill a dense block, whatever the order, and thousands of them stay in x.
#[test]
fn a_coordinate_in_thousands_of_rows_is_not_merged() {
    let merged = |others: usize| {
        let twin = |i: usize| 2 + 2 * i;
        let ties = (0..others).map(|i| vec![(twin(i), 1.0), (twin(i) + 1, -1.0)]);
        let spokes = (0..others).map(|i| vec![(0, 0.6), (twin(i), 0.8)]);
        let pencil = pencil(2 + 2 * others, &ties.chain(spokes).collect::<Vec<_>>());
        let problem = Problem::new(&pencil, &options()).unwrap();
        Merged::of(&problem, &options()).map(|merged| merged.problem.n)
    };
    assert_eq!(merged(40), Some(42));
    assert_eq!(merged(4000), None);
}
