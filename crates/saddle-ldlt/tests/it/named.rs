//! Large fronts, counts of eigenvalues, dependent rows, refusals.

use std::sync::Arc;

use mb_algebra::{
    AlgebraError, Dense, RankTolerance, Scatter, Sparse, Svd, SymmetricDefiniteEigen, SymmetricEigen,
    Triplets, dense, sparse, to_dense, to_sparse,
};
use saddle_ldlt::{
    Inertia, Method, OrderingChoice, SaddleAnalysis, SaddleError, SaddleFactor, SaddleOptions,
};

use super::generated as cases;
use super::{Numbers, assembled, constraints, factor, methods, residuals, unsymmetric};

/// Large dense fronts: recursion over blocks, exchanges and pairs far from the first block.
#[test]
fn large_indefinite_fronts_agree_with_dense() {
    for (n, m, seed) in [(150, 40, 1), (420, 0, 2), (420, 130, 3)] {
        let numbers = &mut Numbers(seed);
        let half = Dense::from_fn(n, n, |_, _| numbers.next());
        // Zero diagonals in part of the rows call for pairs.
        let a =
            Dense::from_fn(n, n, |i, j| if i == j && i % 3 == 0 { 0.0 } else { half[(i, j)] + half[(j, i)] });
        let (a, g) = (to_sparse(&a), constraints(m, n, numbers));
        let s = assembled(&a, &g);
        let factor = factor(&a, &g, &SaddleOptions::default()).unwrap();
        assert_eq!(factor.report().method, Method::AugmentedLdl, "{:?}", factor.report());
        assert!(factor.report().pivot_pairs > 5);
        let values = SymmetricEigen::new(&s).unwrap().values;
        let negative = values.iter().filter(|v| **v < 0.0).count();
        let expected = Some(Inertia { positive: n + m - negative, negative, zero: 0 });
        assert_eq!(factor.inertia(), expected);
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        assert_eq!(SaddleFactor::quick_inertia(&analysis, &[(1.0, &a)], &g), Ok(expected));
        let b: Vec<f64> = (0..n + m).map(|_| numbers.next()).collect();
        let (x, l) = factor.solve(&b[..n], &b[n..]).unwrap();
        let (top, low) = residuals(&a, &g, &x, &l, &b[..n], &b[n..]);
        assert!(top < 1e-14 && low < 1e-13, "{top:e} {low:e}");
        // Blocks of any width, those of the narrow kernels and padded ones included.
        for width in [2, 3, 7, 8, 12, 33] {
            let f = Dense::from_fn(n, width, |_, _| numbers.next());
            let (x, l) = factor.solve_block(&f).unwrap();
            for k in 0..width {
                let lk: Vec<f64> = (0..m).map(|r| l[(r, k)]).collect();
                let (top, low) = residuals(&a, &g, x.col_as_slice(k), &lk, f.col_as_slice(k), &vec![0.0; m]);
                assert!(top < 1e-14 && low < 1e-13, "{width}: {top:e} {low:e}");
            }
        }
    }
}

/// A frame without stiffness of its own but for a trace, held, and in the mean of two nodes: its rows are not taken for
/// parallel, however small the trace is.
#[test]
fn traces_of_stiffness_do_not_hide_a_constraint() {
    for trace in [0.0, 1e-14, 1e-6, 1.0, 1e6] {
        let a = to_sparse(&dense::from_rows(&[
            &[2e10, -1e10, 0.0, 0.0],
            &[-1e10, 2e10, -1e10, 0.0],
            &[0.0, -1e10, 1e10, 0.0],
            &[0.0, 0.0, 0.0, trace],
        ]));
        let g = to_sparse(&dense::from_rows(&[&[0.0, -0.5, -0.5, 1.0], &[0.0, 0.0, 0.0, 1.0]]));
        let factor = factor(&a, &g, &SaddleOptions::default()).unwrap();
        assert!(factor.report().redundant.is_empty(), "{trace} {:?}", factor.report());
        let (b, c) = ([1.0, 2.0, -3.0, 0.5], [1e-9, 2e-9]);
        let (x, l) = factor.solve(&b, &c).unwrap();
        let (top, low) = residuals(&a, &g, &x, &l, &b, &c);
        // Unknowns whose scales are a hundred apart cost a row four digits before refinement.
        assert!(top < 1e-14 && low < 1e-12, "{trace}: {top:e} {low:e}");
    }
}

/// Sturm counts of a clamped block and of chains against dense eigenvalues, under every order.
#[test]
fn inertia_counts_eigenvalues_below_a_shift() {
    for case in [cases::hex(4, 3, 5), cases::chain(40, 0.0), cases::chain(30, 2.0)] {
        let (n, m) = (case.k.cols(), case.g.rows());
        // A basis of the motions that satisfy the constraints.
        let basis = Svd::new(&to_dense(&case.g)).unwrap().null_space(RankTolerance::default());
        let reduced = |a: &Sparse| {
            let product = dense::mul(&to_dense(a), &basis);
            dense::symmetric_part(&dense::mul_transpose(&basis, &product))
        };
        let eigen = SymmetricDefiniteEigen::new(&reduced(&case.k), &reduced(&case.m)).unwrap();
        let pattern = sparse::add(1.0, &case.k, 1.0, &case.m);
        for ordering in
            [OrderingChoice::Automatic, OrderingChoice::MinimumDegree, OrderingChoice::NestedDissection]
        {
            let options = SaddleOptions { ordering, ..SaddleOptions::default() };
            let analysis = Arc::new(SaddleAnalysis::new(&pattern, &case.g, &options).unwrap());
            for k in [0, 3, n / 5, n - m - 2] {
                let shift = f64::midpoint(eigen.values[k], eigen.values[k + 1]);
                let a = sparse::add(1.0, &case.k, -shift, &case.m);
                let factor = SaddleFactor::new(&analysis, &a, &case.g).unwrap();
                let expected = Inertia { positive: n - k - 1, negative: m + k + 1, zero: 0 };
                assert_eq!(factor.inertia(), Some(expected), "{ordering:?} {:?}", factor.report());
                assert!(factor.report().failed.is_empty());
                assert_eq!(SaddleFactor::quick_inertia(&analysis, &[(1.0, &a)], &case.g), Ok(Some(expected)));
            }
        }
    }
}

/// Long rows of G are not augmented: a rigid plate of many nodes held at its middle.
#[test]
fn long_rows_need_no_clique() {
    let n = 300;
    let mut k = Triplets::new(n, n);
    let mut g = Triplets::new(2, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i > 0 {
            k.add(i, i - 1, -1.0);
            k.add(i - 1, i, -1.0);
        }
        // Mean displacement and mean rotation vanish.
        g.add(0, i, 1.0);
        g.add(1, i, i as f64 - 150.0);
    }
    let (k, g) = (k.to_sparse(), g.to_sparse());
    let factor = factor(&k, &g, &SaddleOptions::default()).unwrap();
    assert_eq!(factor.report().method, Method::AugmentedLdl);
    assert!(factor.report().fill.unwrap() < 10.0);
    let numbers = &mut Numbers(5);
    let f: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
    let (x, l) = factor.solve(&f, &[1.0, -2.0]).unwrap();
    let (top, low) = residuals(&k, &g, &x, &l, &f, &[1.0, -2.0]);
    assert!(top < 1e-13 && low < 1e-13, "{top:e} {low:e}");
    assert_eq!(factor.inertia(), Some(Inertia { positive: n, negative: 2, zero: 0 }));
}

#[test]
fn too_little_memory_is_said_before_factoring() {
    let case = cases::hex(4, 4, 4);
    let options = SaddleOptions { memory_limit: Some(1000), ..SaddleOptions::default() };
    let refused = factor(&case.k, &case.g, &options).unwrap_err();
    let AlgebraError::Saddle(SaddleError::OutOfMemory {
        unknowns, needed_bytes, available_bytes: 1000, ..
    }) = refused
    else {
        panic!("{refused}")
    };
    assert_eq!(unknowns, 192 + 48);
    let estimate = SaddleAnalysis::new(&case.k, &case.g, &SaddleOptions::default()).unwrap().estimate();
    assert_eq!(estimate.bytes, needed_bytes);
    // The factor alone holds at least the lower triangle.
    assert!(estimate.factor_nonzeros >= case.k.nnz().midpoint(192) && estimate.flops > 0.0);
}

#[test]
fn bad_input_is_named() {
    let options = SaddleOptions::default();
    let g = to_sparse(&dense::from_rows(&[&[1.0, 0.0, 1.0]]));
    let good = sparse::diagonal(&[1.0, 2.0, 3.0]);
    let nan = sparse::diagonal(&[1.0, f64::NAN, 3.0]);
    assert_eq!(factor(&nan, &g, &options).unwrap_err(), AlgebraError::NonFinite { row: 1, col: 1 });
    let oblique = to_sparse(&dense::from_rows(&[&[1.0, 0.5, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]));
    let AlgebraError::NotSymmetric { row: 1, col: 0, below, above } =
        factor(&oblique, &g, &options).unwrap_err()
    else {
        panic!("asymmetry not seen")
    };
    assert_eq!((below, above), (0.0, 0.5));
    assert!(matches!(
        factor(&good, &sparse::zeros(1, 2), &options).unwrap_err(),
        AlgebraError::ShapeMismatch { expected_cols: 3, cols: 2, .. }
    ));
    // An entry outside the analysed pattern.
    let analysis = Arc::new(SaddleAnalysis::new(&good, &g, &options).unwrap());
    let other = to_sparse(&dense::from_rows(&[&[1.0, 0.5, 0.0], &[0.5, 1.0, 0.0], &[0.0, 0.0, 1.0]]));
    assert!(matches!(
        SaddleFactor::new(&analysis, &other, &g).unwrap_err(),
        AlgebraError::Saddle(SaddleError::PatternChanged { .. })
    ));
    let held = SaddleFactor::new(&analysis, &good, &g).unwrap();
    assert_eq!(
        held.solve(&[1.0, f64::INFINITY, 0.0], &[0.0]),
        Err(AlgebraError::NonFinite { row: 1, col: 0 })
    );
}

#[test]
fn contradicting_rows_are_named() {
    // x_0 = 1 and 2 x_0 = 3.
    let a = sparse::identity(2);
    let g = to_sparse(&dense::from_rows(&[&[1.0, 0.0], &[2.0, 0.0]]));
    for options in methods() {
        let factor = factor(&a, &g, &options).unwrap();
        assert_eq!(factor.report().redundant.len(), 1);
        assert!(factor.solve(&[0.0, 0.0], &[1.0, 2.0]).is_ok());
        let refused = factor.solve(&[0.0, 0.0], &[1.0, 3.0]).unwrap_err();
        let dropped = factor.report().redundant[0].row;
        let AlgebraError::Saddle(SaddleError::Inconsistent { row, residual }) = refused else {
            panic!("{refused}")
        };
        assert!(row == dropped && residual > 1e-2);
    }
}

#[test]
fn a_mechanism_is_singular_or_said_to_be_nearly_so() {
    // Unknown 1 has neither stiffness nor constraint.
    let a = sparse::diagonal(&[1.0, 0.0, 1.0]);
    let g = to_sparse(&dense::from_rows(&[&[1.0, 0.0, 1.0]]));
    let refused = factor(&a, &g, &SaddleOptions::default()).unwrap_err();
    assert_eq!(refused, AlgebraError::Saddle(SaddleError::Singular { unknown: 1 }));
    // A free chain at shift zero: the rigid motions have no stiffness.
    let mut case = cases::chain(20, 0.0);
    case.g = to_sparse(&Dense::from_fn(38, 60, |r, j| to_dense(&case.g)[(r + 2, j)]));
    case.k = sparse::add(1.0, &case.k, -1e4, &first_angle(60));
    match factor(&case.k, &case.g, &SaddleOptions::default()) {
        Err(error) => assert!(matches!(error, AlgebraError::Saddle(_)), "{error}"),
        Ok(factor) => assert!(factor.inertia().is_none() && !factor.report().near_singular.is_empty()),
    }
}

/// The matrix with a one at the angle of the first link, which the clamp's spring acts on.
fn first_angle(n: usize) -> Sparse {
    let mut t = Triplets::new(n, n);
    t.add(2, 2, 1.0);
    t.to_sparse()
}

#[test]
fn nothing_to_solve_is_solved() {
    let options = SaddleOptions::default();
    let empty = factor(&sparse::zeros(0, 0), &sparse::zeros(0, 0), &options).unwrap();
    assert_eq!(empty.solve(&[], &[]), Ok((vec![], vec![])));
    let one = factor(&sparse::diagonal(&[4.0]), &sparse::zeros(0, 1), &options).unwrap();
    assert_eq!(one.solve(&[2.0], &[]), Ok((vec![0.5], vec![])));
    // A row of zeros is dependent by itself.
    let row = to_sparse(&dense::from_rows(&[&[1.0, 0.0]]));
    let g = sparse::blocks(&[&[Some(&sparse::zeros(1, 2))], &[Some(&row)]], &[1, 1], &[2]);
    let zero = factor(&sparse::identity(2), &g, &options).unwrap();
    assert_eq!(zero.report().redundant[0].combination, [(0, 1.0)]);
    assert_eq!(zero.solve(&[3.0, 1.0], &[0.0, 2.0]), Ok((vec![2.0, 1.0], vec![0.0, 1.0])));
}

/// Without stiffness and with rows too long to be augmented no pivot can be had on the diagonal: pivots are delayed, and
/// the report says why.
#[test]
fn delayed_pivots_take_over() {
    let n = 60;
    let numbers = &mut Numbers(9);
    let a = sparse::scale(0.0, &sparse::identity(n));
    let g = to_sparse(&Dense::from_fn(n, n, |i, j| numbers.next() + if i == j { 3.0 } else { 0.0 }));
    let factor = factor(&a, &g, &SaddleOptions::default()).unwrap();
    let report = factor.report();
    assert_eq!((report.method, report.failed[0].0), (Method::DelayedLdl, Method::AugmentedLdl));
    assert_eq!(factor.inertia(), Some(Inertia { positive: n, negative: n, zero: 0 }));
    let b: Vec<f64> = (0..2 * n).map(|_| numbers.next()).collect();
    let (x, l) = factor.solve(&b[..n], &b[n..]).unwrap();
    let (top, low) = residuals(&a, &g, &x, &l, &b[..n], &b[n..]);
    assert!(top < 1e-13 && low < 1e-13, "{top:e} {low:e}");
}

/// Growth of 1e17: factors may pass their trial and miss another right-hand side, which is no error.
#[test]
fn a_solution_is_found_whatever_the_factors_are_worth() {
    let numbers = &mut Numbers(7_164_734_046_447_944_403);
    let (n, m) = (23, 9);
    let (a, g) = (unsymmetric(n, -0.21, numbers), constraints(m, n, numbers));
    let f = Dense::from_fn(n, 3, |_, _| numbers.next());
    let dense_lu = mb_algebra::Lu::new(&assembled(&a, &g)).unwrap();
    let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
    let lu = SaddleFactor::unsymmetric(&analysis, &a, &g).unwrap();
    for transposed in [false, true] {
        let (x, l) = if transposed { lu.solve_block_transposed(&f) } else { lu.solve_block(&f) }.unwrap();
        for k in 0..3 {
            let b: Vec<f64> = (0..n + m).map(|i| if i < n { f[(i, k)] } else { 0.0 }).collect();
            let exact = if transposed { dense_lu.solve_transpose(&b) } else { dense_lu.solve(&b) };
            let allowed = 1e-13 / dense_lu.rcond() * mb_algebra::norms::max_abs_vec(&exact);
            for (i, exact) in exact.iter().enumerate() {
                let found = if i < n { x[(i, k)] } else { l[(i - n, k)] };
                assert!((found - exact).abs() <= allowed, "{found:e} {exact:e} by {:?}", lu.report());
            }
        }
    }
}

/// Every joint of a chain written twice: more dependent rows than combinations are formed for.
#[test]
fn many_dependent_rows_are_left_out() {
    let case = cases::chain(200, 1.0);
    let m = case.g.rows();
    let twice = sparse::blocks(&[&[Some(&case.g)], &[Some(&case.g)]], &[m, m], &[case.k.cols()]);
    let factor = factor(&case.k, &twice, &SaddleOptions::default()).unwrap();
    assert_eq!(factor.report().redundant.len(), m);
    assert!(!factor.report().minimum_norm);
    assert_eq!(factor.inertia().map(|i| i.zero), Some(m));
    let f: Vec<f64> = (0..case.k.cols()).map(|i| (i % 5) as f64).collect();
    let (x, l) = factor.solve(&f, &vec![0.0; 2 * m]).unwrap();
    let (top, low) = residuals(&case.k, &twice, &x, &l, &f, &vec![0.0; 2 * m]);
    assert!(top < 1e-13 && low < 1e-13, "{top:e} {low:e}");
}
