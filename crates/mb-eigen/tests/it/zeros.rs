//! What is zero, rigid, massless or growing, held against eigenvalues in 80 digits.

use mb_algebra::matrix_market::{self, MatrixMarket};
use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, dense, sparse};
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum};

/// A pencil with the w = -s^2 of its modes, ascending.
struct Case {
    name: &'static str,
    pencil: QuadraticPencil<Sparse>,
    w: Vec<f64>,
}

fn matrix(text: &str) -> Sparse {
    let MatrixMarket { matrix, .. } = matrix_market::read(text.as_bytes()).unwrap();
    matrix
}

macro_rules! case {
    ($name:literal) => {{
        let text = |m, k, w| {
            let (m, k) = (matrix(m), matrix(k));
            let n = m.rows();
            let w: Sparse = matrix(w);
            let w = (0..w.rows()).map(|i| w.get(i, 0).copied().unwrap_or(0.0)).collect();
            let pencil = QuadraticPencil { m, c: sparse::zeros(n, n), k, phi_q: sparse::zeros(0, n) };
            Case { name: $name, pencil, w }
        };
        text(
            include_str!(concat!("../../../../fixtures/zeros/", $name, "/M.mtx")),
            include_str!(concat!("../../../../fixtures/zeros/", $name, "/K.mtx")),
            include_str!(concat!("../../../../fixtures/zeros/", $name, "/w.mtx")),
        )
    }};
}

/// Every eigenvalue of motion within its bound of one of w, each w as often as it should be; the rest of w is returned.
fn judge(name: &str, spectrum: &Spectrum, w: &[f64]) -> Vec<f64> {
    let mut left = w.to_vec();
    for pair in spectrum.motion() {
        let s = pair.value().unwrap();
        if s.im < 0.0 || (s.im == 0.0 && s.re < 0.0) {
            continue;
        }
        assert_eq!(pair.class, Class::Physical, "{name}: {s}");
        let distance = |w: f64| {
            let root = mb_algebra::c64::new(-w, 0.0).sqrt();
            (root - s).norm().min((root + s).norm())
        };
        let nearest =
            (0..left.len()).min_by(|&i, &j| distance(left[i]).total_cmp(&distance(left[j]))).unwrap();
        let error = distance(left[nearest]);
        assert!(error <= pair.error_bound, "{name}: {s} is {error:.1e} off, bound {:.1e}", pair.error_bound);
        assert!(pair.error_bound <= 1e-9 * s.norm(), "{name}: {s} +- {:.1e}", pair.error_bound);
        left.remove(nearest);
    }
    left
}

fn all_and_lowest(case: &Case) {
    let dense = mb_eigen::dense::solve(&case.pencil.to_dense(), &DenseOptions::default()).unwrap();
    assert!(judge(case.name, &dense, &case.w).is_empty());
    // Where double-double precision was needed, the rounding of the entries themselves is reported.
    let rounded =
        |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::RoundedStiffness { .. } });
    assert!(dense.findings.iter().all(rounded), "{}: {:?}", case.name, dense.findings);
    for dense_limit in [0, SparseOptions::default().expert.dense_limit] {
        let options = SparseOptions::from(SparseExpert { dense_limit, ..Default::default() });
        for count in 1..=case.w.len() {
            let found = solve(&case.pencil, &Request::Lowest { count }, &options).unwrap();
            let name = format!("{}, lowest {count}, dense limit {dense_limit}", case.name);
            let rest = judge(&name, &found, &case.w);
            assert_eq!(rest.len(), case.w.len() - count, "{name}: {:?}", found.findings);
        }
    }
}

#[test]
fn coordinates_in_mixed_units_are_no_null_space() {
    all_and_lowest(&case!("units"));
}

#[test]
fn a_small_mass_is_a_mass() {
    all_and_lowest(&case!("small-mass"));
}

#[test]
fn a_penalty_of_a_million_milliards_hides_no_mode() {
    all_and_lowest(&case!("penalty"));
}

/// A straight planar beam of Euler and Bernoulli with consistent mass, 3 unknowns (u, v, rotation) in each node, along a line at an
/// angle to the axes.
#[derive(Clone, Copy, Debug)]
struct Beam {
    elements: usize,
    /// Length over depth of the square section.
    slenderness: f64,
    /// Young's modulus in Pa and density in kg/m^3.
    material: [f64; 2],
    /// Metres and kilograms in the units of length and mass.
    units: [f64; 2],
    angle: f64,
}

const STEEL: [f64; 2] = [2.1e11, 7850.0];
const RUBBER: [f64; 2] = [1e6, 1100.0];
const SI: [f64; 2] = [1.0, 1.0];
/// Millimetres, tonnes and seconds.
const MM_T_S: [f64; 2] = [1e-3, 1e3];

impl Beam {
    /// Stiffness and mass of the element in its own axes.
    fn element(&self) -> [[[f64; 6]; 6]; 2] {
        let [metre, kilogram] = self.units;
        let (e, rho) = (self.material[0] * metre / kilogram, self.material[1] * metre.powi(3) / kilogram);
        let length = 1.0 / metre;
        let (depth, h) = (length / self.slenderness, length / self.elements as f64);
        let (area, inertia) = (depth.powi(2), depth.powi(4) / 12.0);
        let (axial, bending) = (e * area / h, e * inertia / h.powi(3));
        let (along, across) = (rho * area * h / 6.0, rho * area * h / 420.0);
        let of_bending = [
            [12.0, 6.0 * h, -12.0, 6.0 * h],
            [6.0 * h, 4.0 * h * h, -6.0 * h, 2.0 * h * h],
            [-12.0, -6.0 * h, 12.0, -6.0 * h],
            [6.0 * h, 2.0 * h * h, -6.0 * h, 4.0 * h * h],
        ];
        let of_mass = [
            [156.0, 22.0 * h, 54.0, -13.0 * h],
            [22.0 * h, 4.0 * h * h, 13.0 * h, -3.0 * h * h],
            [54.0, 13.0 * h, 156.0, -22.0 * h],
            [-13.0 * h, -3.0 * h * h, -22.0 * h, 4.0 * h * h],
        ];
        let (mut k, mut m) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        let (ends, others) = ([0, 3], [1, 2, 4, 5]);
        for i in 0..2 {
            for j in 0..2 {
                k[ends[i]][ends[j]] = if i == j { axial } else { -axial };
                m[ends[i]][ends[j]] = if i == j { 2.0 * along } else { along };
            }
        }
        for i in 0..4 {
            for j in 0..4 {
                k[others[i]][others[j]] = bending * of_bending[i][j];
                m[others[i]][others[j]] = across * of_mass[i][j];
            }
        }
        [k, m]
    }

    /// Without the first `held` unknowns.
    fn pencil(&self, held: usize) -> QuadraticPencil<Sparse> {
        let n = 3 * (self.elements + 1);
        let (sin, cos) = self.angle.sin_cos();
        let turn = |a: [[f64; 6]; 6]| {
            let mut t = [[0.0; 6]; 6];
            for node in [0, 3] {
                t[node][node] = cos;
                t[node][node + 1] = sin;
                t[node + 1][node] = -sin;
                t[node + 1][node + 1] = cos;
                t[node + 2][node + 2] = 1.0;
            }
            let entry = |i: usize, j: usize| -> f64 {
                (0..6).map(|p| (0..6).map(|q| t[p][i] * a[p][q] * t[q][j]).sum::<f64>()).sum()
            };
            let mut out = [[0.0; 6]; 6];
            for i in 0..6 {
                for j in 0..=i {
                    (out[i][j], out[j][i]) = (entry(i, j), entry(i, j));
                }
            }
            out
        };
        let assembled = |a: [[f64; 6]; 6]| {
            let mut whole = mb_algebra::Dense::zeros(n - held, n - held);
            for element in 0..self.elements {
                for i in 0..6 {
                    for j in 0..6 {
                        let (row, column) = (3 * element + i, 3 * element + j);
                        if row >= held && column >= held {
                            whole[(row - held, column - held)] += a[i][j];
                        }
                    }
                }
            }
            mb_algebra::to_sparse(&whole)
        };
        let [k, m] = self.element();
        let (k, m) = if self.angle == 0.0 { (k, m) } else { (turn(k), turn(m)) };
        let free = n - held;
        QuadraticPencil {
            m: assembled(m),
            c: sparse::zeros(free, free),
            k: assembled(k),
            phi_q: sparse::zeros(0, free),
        }
    }

    /// First frequency of the clamped beam of the continuum in rad/s: 1.875^2 sqrt(E I / (rho A L^4)), with the root x of
    /// cos x cosh x = -1.
    fn first(&self) -> f64 {
        let mut x = 1.9_f64;
        for _ in 0..50 {
            let f = x.cos() * x.cosh() + 1.0;
            x -= f / (x.cos() * x.sinh() - x.sin() * x.cosh());
        }
        let [e, rho] = self.material;
        x * x * (e / (12.0 * rho)).sqrt() / self.slenderness
    }
}

/// Dense and sparse answers to the same question.
fn both_ways(pencil: &QuadraticPencil<Sparse>, count: usize) -> [Spectrum; 2] {
    let dense = mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap();
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    [dense, solve(pencil, &Request::Lowest { count }, &options).unwrap()]
}

/// Values above the real axis with their bounds, in increasing order.
fn oscillations(spectrum: &Spectrum) -> Vec<(f64, f64)> {
    let upper = spectrum.motion().filter(|pair| pair.alpha.im > 0.0);
    upper.map(|pair| (pair.value().unwrap().im, pair.error_bound)).collect()
}

#[test]
fn clamped_beams_have_no_rigid_and_no_growing_modes() {
    for slenderness in [1e1, 1e3, 1e6] {
        for elements in [1, 6, 40] {
            for (material, units) in [(STEEL, SI), (STEEL, MM_T_S), (RUBBER, SI)] {
                let beam = Beam { elements, slenderness, material, units, angle: 0.0 };
                let spectra = both_ways(&beam.pencil(3), 2);
                for spectrum in &spectra {
                    assert!(spectrum.motion().all(|pair| pair.class == Class::Physical), "{beam:?}");
                    let [re, im] = [spectrum.eigenpairs[0].alpha.re, spectrum.eigenpairs[0].alpha.im];
                    assert!(re == 0.0 && im > 0.0, "{beam:?}");
                    let (found, bound) = oscillations(spectrum)[0];
                    // One element errs by half a percent, as textbooks have it, from above.
                    let relative = found / beam.first() - 1.0;
                    assert!(relative > -1e-6 && relative < 6e-3, "{beam:?}: {relative:.1e}");
                    assert!(bound < 1e-6 * found, "{beam:?}: {found} +- {bound:.1e}");
                    let told = spectrum.findings.iter().filter(|f| f.falls_short()).count();
                    assert_eq!(told, 0, "{beam:?}: {:?}", spectrum.findings);
                }
                let [dense, sparse] = spectra.each_ref().map(oscillations);
                for (a, b) in dense.iter().zip(&sparse) {
                    assert!((a.0 - b.0).abs() <= a.1 + b.1, "{beam:?}: {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn free_beams_have_three_rigid_modes_in_all_directions() {
    for slenderness in [1e1, 1e3, 1e5] {
        for (elements, angle) in [(1, 0.0), (6, 0.0), (30, 0.0), (6, 0.5), (30, 0.5)] {
            for (material, units) in [(STEEL, SI), (STEEL, MM_T_S), (RUBBER, SI)] {
                let beam = Beam { elements, slenderness, material, units, angle };
                for spectrum in both_ways(&beam.pencil(0), 5) {
                    let rigid = spectrum.of_class(Class::Rigid).count();
                    assert_eq!(rigid, 6, "{beam:?}: {:?}", spectrum.findings);
                }
            }
        }
    }
}

#[test]
fn growing_modes_are_reported_with_every_request() {
    let case = case!("growing");
    let growing = case.w.iter().filter(|w| **w < 0.0).count();
    let requests = [
        Request::Band { from_hz: 0.0, to_hz: 0.62, max_damping_ratio: None },
        Request::Band { from_hz: 0.2, to_hz: 0.62, max_damping_ratio: None },
        Request::NearFrequency { hz: 0.3, count: 2 },
        Request::Lowest { count: 2 },
        Request::Largest { count: 2 },
    ];
    for request in requests {
        for dense_limit in [0, 400] {
            let options = SparseOptions::from(SparseExpert { dense_limit, ..Default::default() });
            let found = solve(&case.pencil, &request, &options).unwrap();
            let seen = found.motion().filter(|pair| pair.alpha.re > 0.0).count();
            let told = found.findings.iter().find_map(|finding| match finding {
                Finding::Sparse { detail: SparseFinding::GrowingNotShown { counted, shown } } => {
                    Some((*counted, *shown))
                }
                _ => None,
            });
            let expected = (seen < growing).then_some((growing, seen));
            assert_eq!(told, expected, "{request:?}: {:?}", found.findings);
        }
    }
}

/// w of the modes of a band on the imaginary axis.
fn inside(w: &[f64], from_hz: f64, to_hz: f64) -> Vec<f64> {
    let hz = |w: f64| w.sqrt() / std::f64::consts::TAU;
    w.iter().copied().filter(|&w| w > 0.0 && hz(w) >= from_hz && hz(w) <= to_hz).collect()
}

#[test]
fn bands_hold_what_lies_inside() {
    let bands = [(case!("singular"), 0.2956, 1.02), (case!("penalty"), 0.2, 0.9)];
    for (case, from_hz, to_hz) in bands {
        for dense_limit in [0, 400] {
            if dense_limit == 0 && case.name == "singular" {
                // No shift is regular there.
                continue;
            }
            let options = SparseOptions::from(SparseExpert { dense_limit, ..Default::default() });
            let request = Request::Band { from_hz, to_hz, max_damping_ratio: None };
            let found = solve(&case.pencil, &request, &options).unwrap();
            let expected = inside(&case.w, from_hz, to_hz);
            let rest = judge(case.name, &found, &case.w);
            assert_eq!(rest.len() + expected.len(), case.w.len(), "{}: {:?}", case.name, found.findings);
            assert!(rest.iter().all(|w| !expected.contains(w)), "{}: {rest:?}", case.name);
        }
    }
}

/// Stiffness 2^60 (q_1 + q_2)^2 next to q_3^2 + 2 q_1 q_3: as written, w = -1/2 within 1e-15 on (1, -1, ..). Double precision does not distinguish it
/// from zero, and whatever calls it so says that the digits leave it open.
#[test]
fn a_zero_that_only_rounding_makes_is_said_to_be_one() {
    let p = 60.0_f64.exp2();
    let pencil = QuadraticPencil {
        m: dense::identity(3),
        c: Dense::zeros(3, 3),
        k: dense::from_rows(&[&[p, p, 1.0], &[p, p, 0.0], &[1.0, 0.0, 1.0]]),
        phi_q: Dense::zeros(0, 3),
    };
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let found = [
        mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap(),
        solve(&pencil.to_sparse(), &Request::Lowest { count: 3 }, &options).unwrap(),
    ];
    for found in found {
        let open = found.findings.iter().any(|f| matches!(f, Finding::ZeroByRounding { .. }));
        assert_eq!(found.of_class(Class::Rigid).count() > 0, open, "{:?}", found.findings);
    }
}

/// A clamped beam of Euler and Bernoulli with 3,200 elements of length one, EI = rho A = 1: its entries are whole numbers, and its lowest
/// mode, s = 3.516 i / 3200^2, is 50 times what half a unit in the last place of each of them could make of it.
#[test]
fn a_mode_that_the_digits_of_the_entries_determine_is_none_of_rounding() {
    let nodes = 3200;
    let element =
        [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]];
    let n = 2 * nodes;
    let (mut k, mut m) = (Triplets::new(n, n), Triplets::new(n, n));
    for e in 0..nodes {
        for (i, row) in element.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                // The first node of the first element is clamped.
                if let (Some(i), Some(j)) = ((2 * e + i).checked_sub(2), (2 * e + j).checked_sub(2)) {
                    k.add(i, j, *value);
                }
            }
        }
        let share = if e + 1 == nodes { 0.5 } else { 1.0 };
        m.add(2 * e, 2 * e, share);
        m.add(2 * e + 1, 2 * e + 1, share / 64.0);
    }
    let pencil = QuadraticPencil {
        m: m.to_sparse(),
        c: sparse::zeros(n, n),
        k: k.to_sparse(),
        phi_q: sparse::zeros(0, n),
    };
    let found = solve(&pencil, &Request::Lowest { count: 1 }, &SparseOptions::default()).unwrap();
    assert_eq!(found.of_class(Class::Rigid).count(), 0, "{:?}", found.findings);
    assert!(!found.falls_short(), "{:?}", found.findings);
    let lowest = found.motion().next().and_then(mb_eigen::Eigenpair::value).unwrap();
    // cos k cosh k = -1 of the continuum by Newton's method; masses at the nodes are 1e-6 off it.
    let step = |k: f64| {
        let slope = k.cos() * k.sinh() - k.sin() * k.cosh();
        k - (k.cos() * k.cosh() + 1.0) / slope
    };
    let exact = (0..6).fold(1.9, |k, _| step(k)).powi(2) / (nodes * nodes) as f64;
    assert!((lowest.im.abs() / exact - 1.0).abs() < 1e-5, "{lowest}, {exact}");
}

/// det (K - w M) = w (800 - w) with K >= 0 and M indefinite: the inertia is the same on both sides of both eigenvalues, and counts none.
#[test]
fn bands_of_masses_with_a_negative_direction_are_not_counted_by_inertia() {
    let pencil = QuadraticPencil {
        m: dense::from_rows(&[&[-6.0, -5.0], &[-5.0, -4.0]]),
        c: Dense::zeros(2, 2),
        k: dense::from_rows(&[&[100.0, 200.0], &[200.0, 400.0]]),
        phi_q: Dense::zeros(0, 2),
    };
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let band = Request::Band { from_hz: 0.0, to_hz: 5.27, max_damping_ratio: None };
    let near = Request::NearFrequency { hz: 4.4, count: 1 };
    for request in [band, near] {
        let found = solve(&pencil.to_sparse(), &request, &options).unwrap();
        let inside = |s: mb_algebra::c64| (s.im.powi(2) - 800.0).abs() < 1e-9 && s.re.abs() < 1e-9;
        assert!(found.motion_values().into_iter().any(inside), "{request:?}: {:?}", found.findings);
    }
}
