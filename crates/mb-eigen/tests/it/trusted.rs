//! Damped, unsymmetric, defective and descriptor problems of `fixtures/eigenvalues` against their exact eigenvalues.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, matrix_market, sparse};
use mb_eigen::sparse::{self as sparse_modes, Request, SparseExpert, SparseFinding, SparseOptions};
use mb_eigen::{DenseOptions, Eigenpair, Finding, Spectrum};

macro_rules! matrix {
    ($case:literal, $name:literal) => {
        read(include_bytes!(concat!("../../../../fixtures/eigenvalues/", $case, "/", $name, ".mtx")))
    };
}

fn read(text: &[u8]) -> Sparse {
    matrix_market::read(text).unwrap().matrix
}

/// Matrices with all their finite eigenvalues.
struct Case {
    pencil: QuadraticPencil<Sparse>,
    exact: Vec<c64>,
}

impl Case {
    fn new(m: Sparse, c: Option<Sparse>, k: Sparse, values: &Sparse) -> Self {
        let n = k.rows();
        let c = c.unwrap_or_else(|| sparse::zeros(n, n));
        let entry = |i: usize, j: usize| values.get(i, j).copied().unwrap_or(0.0);
        let exact = (0..values.rows()).map(|i| c64::new(entry(i, 0), entry(i, 1))).collect();
        Self { pencil: QuadraticPencil { m, c, k, phi_q: sparse::zeros(0, n) }, exact }
    }

    /// E x' = A x.
    fn descriptor(e: Sparse, a: &Sparse, values: &Sparse) -> Self {
        let n = e.rows();
        Self::new(sparse::zeros(n, n), Some(e), sparse::scale(-1.0, a), values)
    }

    fn sparse(&self, request: &Request) -> Spectrum {
        sparse_modes::solve(&self.pencil, request, &SparseOptions::default()).unwrap()
    }

    /// By Krylov methods whatever the size.
    fn krylov(&self, request: &Request) -> Spectrum {
        let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
        sparse_modes::solve(&self.pencil, request, &options).unwrap()
    }

    fn dense(&self) -> Spectrum {
        mb_eigen::dense::solve(&self.pencil.to_dense(), &DenseOptions::default()).unwrap()
    }

    /// Every finite eigenvalue returned lies within its bound of an exact one, each of these used once.
    fn assert_covered(&self, found: &Spectrum, what: &str) {
        let pairs: Vec<&Eigenpair> = found.eigenpairs.iter().filter(|pair| pair.class.is_motion()).collect();
        let mut order: Vec<&Eigenpair> = pairs.clone();
        order.sort_by(|a, b| a.error_bound.total_cmp(&b.error_bound));
        let mut taken = vec![false; self.exact.len()];
        for pair in order {
            let s = pair.value().unwrap();
            let nearest = (0..self.exact.len())
                .filter(|j| !taken[*j])
                .min_by(|i, j| (self.exact[*i] - s).norm().total_cmp(&(self.exact[*j] - s).norm()));
            let nearest = nearest.unwrap_or_else(|| panic!("{what}: more eigenvalues than exist"));
            taken[nearest] = true;
            let distance = (self.exact[nearest] - s).norm();
            // Exact eigenvalues are rounded to double precision.
            let allowed = pair.error_bound + f64::EPSILON * s.norm();
            assert!(distance <= allowed, "{what}: {s} is {distance:e} off, bound {:e}", pair.error_bound);
        }
    }
}

/// Whether the answer says that eigenvalues asked for are missing, or that completeness is not proved.
fn admits(found: &Spectrum) -> bool {
    let unproved = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Unproved { .. } });
    found.falls_short() || found.leaves_open() || found.findings.iter().any(unproved)
}

fn near_double() -> Case {
    let (m, c, k) = (matrix!("near_double", "M"), matrix!("near_double", "C"), matrix!("near_double", "K"));
    Case::new(m, Some(c), k, &matrix!("near_double", "values"))
}

fn damped_penalty() -> Case {
    let (m, c) = (matrix!("damped_penalty", "M"), matrix!("damped_penalty", "C"));
    Case::new(m, Some(c), matrix!("damped_penalty", "K"), &matrix!("damped_penalty", "values"))
}

fn jordan_chain() -> Case {
    let (m, k) = (matrix!("jordan_chain", "M"), matrix!("jordan_chain", "K"));
    Case::new(m, None, k, &matrix!("jordan_chain", "values"))
}

fn jordan_descriptor() -> Case {
    let (e, a) = (matrix!("jordan_descriptor", "E"), matrix!("jordan_descriptor", "A"));
    Case::descriptor(e, &a, &matrix!("jordan_descriptor", "values"))
}

/// Two modes at the point of flutter: damped; undamped twice.
fn coalescences() -> [Case; 3] {
    let c = matrix!("coalescence_damped", "C");
    let (m, k) = (matrix!("coalescence_damped", "M"), matrix!("coalescence_damped", "K"));
    let damped = Case::new(m, Some(c), k, &matrix!("coalescence_damped", "values"));
    let (m, k) = (matrix!("coalescence_a", "M"), matrix!("coalescence_a", "K"));
    let a = Case::new(m, None, k, &matrix!("coalescence_a", "values"));
    let (m, k) = (matrix!("coalescence_b", "M"), matrix!("coalescence_b", "K"));
    [damped, a, Case::new(m, None, k, &matrix!("coalescence_b", "values"))]
}

/// Of two real eigenvalues 6e-5 apart, seen from far away, each is counted once, or completeness is not claimed.
#[test]
fn real_eigenvalues_close_to_each_other_are_counted_once() {
    let case = near_double();
    let at = c64::new(0.0, std::f64::consts::TAU * 0.8068);
    for count in 1..=10 {
        let requests = [
            Request::NearFrequency { hz: at.im / std::f64::consts::TAU, count },
            Request::NearPoint { s: at, count },
        ];
        for request in requests {
            let found = case.sparse(&request);
            let what = format!("{request:?}");
            case.assert_covered(&found, &what);
            if matches!(request, Request::NearPoint { .. }) || admits(&found) {
                continue;
            }
            // All of them are real: no value stands for two.
            assert!(found.eigenpairs.iter().all(|pair| pair.alpha.im == 0.0), "{what}");
            assert_eq!(found.eigenpairs.len(), count, "{what}");
            let mut distances: Vec<f64> = case.exact.iter().map(|s| (s - at).norm()).collect();
            distances.sort_by(f64::total_cmp);
            let furthest = found
                .eigenpairs
                .iter()
                .filter_map(Eigenpair::value)
                .map(|s| (s - at).norm())
                .fold(0.0, f64::max);
            assert!(furthest <= distances[count - 1] * (1.0 + 1e-12), "{what}: {furthest}");
        }
    }
}

/// Six modes next to a stiffness of 1e15: all of them by the dense eigensolver, with the digits of the matrices. By Krylov methods those in
/// the band are there, or the answer says that it is not proved.
#[test]
fn modes_near_a_damped_penalty_are_not_lost_in_silence() {
    let case = damped_penalty();
    let all = case.dense();
    case.assert_covered(&all, "all");
    assert_eq!(all.motion_values().len(), case.exact.len());
    for pair in all.motion() {
        let s = pair.value().unwrap();
        assert!(pair.error_bound <= 1e-11 * s.norm(), "{s}: {:e}", pair.error_bound);
    }
    // One band from a mode to that of the penalty.
    let hz = |at: usize| case.exact[at].im.abs() / std::f64::consts::TAU;
    for (from_hz, to_hz) in [(hz(6), hz(12)), (0.3, 1.3), (0.0, 2.0), (1.0, 1e7)] {
        let band = Request::Band { from_hz, to_hz, max_damping_ratio: None };
        let found = case.krylov(&band);
        case.assert_covered(&found, &format!("{from_hz} to {to_hz} Hz"));
        let tau = std::f64::consts::TAU;
        // Ends on an eigenvalue are decided by rounding of the number.
        let inside = |s: &&c64| s.im > tau * from_hz * (1.0 + 1e-12) && s.im < tau * to_hz * (1.0 - 1e-12);
        let exist = case.exact.iter().filter(inside).count();
        let upper = found.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0).count();
        let values = found.motion_values();
        assert!(
            upper >= exist || admits(&found),
            "{from_hz} to {to_hz} Hz: {values:?}, {:?}",
            found.findings
        );
        // So few coordinates go to the dense eigensolver; the ends themselves may belong to the band.
        let found = case.sparse(&band);
        let upper = found.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0).count();
        assert!((exist..=exist + 2).contains(&upper), "{from_hz} to {to_hz} Hz: {upper} of {exist}");
    }
}

/// Chains of up to eight: whatever is asked, by Krylov methods and by the dense eigensolver.
#[test]
fn eigenvalues_of_jordan_chains_lie_within_their_bounds() {
    let case = jordan_chain();
    case.assert_covered(&case.dense(), "all");
    let hz = 5_f64.sqrt() / std::f64::consts::TAU;
    let band = case.sparse(&Request::Band { from_hz: hz, to_hz: hz, max_damping_ratio: None });
    case.assert_covered(&band, "band");
    assert!(band.eigenpairs.len() == 16 || admits(&band), "{} of 16", band.eigenpairs.len());
    for count in 1..8 {
        case.assert_covered(&case.krylov(&Request::Lowest { count }), &format!("lowest {count}"));
    }
    // One value alone of a chain does not show the chain: its bound is open.
    for count in 2..8 {
        case.assert_covered(&case.krylov(&Request::NearFrequency { hz, count }), &format!("near {count}"));
    }
    let case = jordan_descriptor();
    case.assert_covered(&case.dense(), "descriptor");
    for count in 1..5 {
        case.assert_covered(&case.krylov(&Request::Lowest { count }), &format!("descriptor, lowest {count}"));
    }
}

/// Bounds at a point of flutter are those of a double eigenvalue: within a hundred times the change sqrt(u) that entries can cause, and
/// the eigenvalues near it keep the bounds of simple ones.
#[test]
fn bounds_at_a_point_of_flutter_are_those_of_a_double_eigenvalue() {
    for (number, case) in coalescences().iter().enumerate() {
        for (how, found) in [("all", case.dense()), ("lowest", case.krylov(&Request::Lowest { count: 4 }))] {
            let what = format!("{number}, {how}");
            case.assert_covered(&found, &what);
            for pair in &found.eigenpairs {
                let s = pair.value().unwrap();
                let double = case.exact.iter().filter(|t| (*t - s).norm() < 1e-5).count() > 1;
                let most = if double { 100.0 * f64::EPSILON.sqrt() } else { 1e-12 } * s.norm();
                assert!(pair.error_bound <= most, "{what}: {s} bound {:e}", pair.error_bound);
            }
        }
    }
}

/// Multiplicities of up to eight with C = I, a cluster cut by the number asked for or not.
#[test]
fn no_mode_of_a_damped_lattice_is_missing_in_silence() {
    for (p, counts) in [(22, [26, 14, 21]), (12, [5, 17, 30]), (9, [4, 13, 20])] {
        let case = lattice(p);
        for count in counts {
            let found = case.sparse(&Request::Lowest { count });
            let what = format!("{p}, {count}");
            case.assert_covered(&found, &what);
            if admits(&found) {
                assert!(found.falls_short(), "{what}: not proved, {:?}", found.findings);
                continue;
            }
            // As many modes as asked for, none further out than the last one that belongs to them.
            let mut sizes: Vec<f64> = case.exact.iter().filter(|s| s.im >= 0.0).map(|s| s.norm()).collect();
            sizes.sort_by(f64::total_cmp);
            let shown: Vec<f64> = found
                .eigenpairs
                .iter()
                .filter_map(Eigenpair::value)
                .filter(|s| s.im >= 0.0)
                .map(c64::norm)
                .collect();
            assert_eq!(shown.len(), count, "{what}");
            let last = shown.iter().copied().fold(0.0, f64::max);
            assert!(last <= sizes[count - 1] * (1.0 + 1e-9), "{what}: {last} beyond {}", sizes[count - 1]);
        }
    }
}

/// Bounds by the dense and the sparse source of forms are those of one rule: for simple eigenvalues and for double ones, of the same matrices.
#[test]
fn dense_and_sparse_bounds_agree() {
    let [damped, a, b] = coalescences();
    for (number, case) in [damped, a, b, lattice(4), near_double(), jordan_chain()].iter().enumerate() {
        let dense = case.dense();
        let few = case.krylov(&Request::Lowest { count: 3 });
        for pair in few.eigenpairs.iter().filter(|pair| pair.error_bound > 0.0) {
            let s = pair.value().unwrap();
            let other = dense.nearest(s).unwrap();
            let quotient = pair.error_bound / other.error_bound;
            // The chain is reducible: dense bounds are those of its blocks, which are narrower than one of the whole.
            let most = if number == 5 { f64::INFINITY } else { 50.0 };
            // The constants are the same; what differs is the length of rows that counts as rounding, and the residuals that searches leave.
            assert!(
                quotient >= 0.02 && quotient < most,
                "{number}: {s}: {:e} and {:e}",
                pair.error_bound,
                other.error_bound
            );
        }
    }
}

/// A stiffness near the largest number there is: an answer or an error, no panic.
#[test]
fn entries_near_the_largest_number_do_not_panic() {
    let m = sparse::diagonal(&[0.0, 0.0, 0.0, 7.848, 7.848, 0.0]);
    let k = sparse::diagonal(&[2.0, 2.0, 2.0, 9e-2, 5e-2, -1e308]);
    let pencil = QuadraticPencil { m, c: sparse::zeros(6, 6), k, phi_q: sparse::zeros(0, 6) };
    let request = Request::Band { from_hz: 0.1, to_hz: 5.0, max_damping_ratio: None };
    if let Ok(found) = sparse_modes::solve(&pencil, &request, &SparseOptions::default()) {
        assert!(found.eigenpairs.iter().all(|pair| !pair.error_bound.is_nan()), "{:?}", found.findings);
    }
}

/// A hundred thousand constraint rows, all but one of them zero: memory of a square matrix of them is not needed.
#[test]
fn many_rows_of_zeros_take_no_memory() {
    let mut phi_q = Triplets::new(100_000, 2);
    phi_q.add(0, 0, 1.0);
    let pencil = QuadraticPencil {
        m: sparse::identity(2),
        c: sparse::zeros(2, 2),
        k: sparse::diagonal(&[4.0, 9.0]),
        phi_q: phi_q.to_sparse(),
    };
    let options = SparseOptions::default();
    for request in [Request::Lowest { count: 1 }, Request::All] {
        let found = sparse_modes::solve(&pencil, &request, &options).unwrap();
        let s = found.motion_values();
        assert_eq!(s.len(), 2, "{request:?}");
        assert!((s[0] - c64::new(0.0, 3.0)).norm() < 1e-14, "{request:?}: {}", s[0]);
    }
}

/// Unit masses on a periodic square lattice of unit springs, each damped to the ground by one:
/// s^2 + s + 4 - 2 cos(2 pi i / p) - 2 cos(2 pi j / p) = 0.
fn lattice(p: usize) -> Case {
    let n = p * p;
    let mut k = Triplets::new(n, n);
    let mut exact = Vec::new();
    for i in 0..p {
        for j in 0..p {
            let at = i * p + j;
            k.add(at, at, 4.0);
            for other in [
                ((i + 1) % p) * p + j,
                ((i + p - 1) % p) * p + j,
                i * p + (j + 1) % p,
                i * p + (j + p - 1) % p,
            ] {
                k.add(at, other, -1.0);
            }
            let angle = |i: usize| 2.0 - 2.0 * (std::f64::consts::TAU * i as f64 / p as f64).cos();
            let w = angle(i) + angle(j);
            let root = c64::new(1.0 - 4.0 * w, 0.0).sqrt();
            exact.extend([0.5 * (root - 1.0), 0.5 * (-root - 1.0)]);
        }
    }
    let one = sparse::identity(n);
    let pencil = QuadraticPencil { m: one.clone(), c: one, k: k.to_sparse(), phi_q: sparse::zeros(0, n) };
    Case { pencil, exact }
}
