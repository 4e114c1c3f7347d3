//! Flexible links against what is known of beams and of rigid pendulums.

use mb_algebra::{QuadraticPencil, dense, norms, to_dense};
use mb_eigen::sparse::{self, Request, SparseFinding, SparseOptions};
use mb_eigen::{DenseOptions, Finding, Spectrum, penalty};
use mb_gallery::models::FlexibleDoublePendulum;
use mb_linear::formulation::unconstrained::{
    Penalty, penalty_equilibrium, unconstrained, unconstrained_blocks,
};
use mb_linear::{
    Equilibrium, EquilibriumOptions, OperatingPoint, Stability, linearize, linearize_sparse, stability,
};
use mb_model::{Model, ModelSpec};

fn rest_of(model: &Model) -> Equilibrium {
    Equilibrium::solve(model, model.initial(), &EquilibriumOptions::default()).unwrap()
}
fn spectrum_at(model: &Model, rest: &Equilibrium) -> Spectrum {
    let lin = linearize(model, &OperatingPoint::from(rest));
    mb_eigen::dense::solve(&lin.pencil(), &DenseOptions::default()).unwrap()
}
/// Angular frequencies of the oscillating modes, slowest first.
fn frequencies(spectrum: &Spectrum) -> Vec<f64> {
    spectrum.motion_values().iter().filter(|s| s.im > 0.0).map(|s| s.im).collect()
}

/// Two equal uniform rods: (7/36) x^2 - (7/6) x + 3/4 = 0 with x = w^2 L/g, from
/// M = m L^2 [4/3 1/2; 1/2 1/3] and K = m g L diag(3/2, 1/2).
fn rigid_double_pendulum(length: f64, g: f64) -> [f64; 2] {
    [-1.0, 1.0].map(|sign| ((3.0 + sign * 6.0 / 7.0_f64.sqrt()) * g / length).sqrt())
}

#[test]
fn stiffer_links_converge_to_the_rigid_double_pendulum() {
    let rigid = rigid_double_pendulum(4.0, 9.81);
    let gallery = FlexibleDoublePendulum::default().rigid().eigenvalues();
    for geometric_stiffness in [true, false] {
        let errors: Vec<[f64; 2]> = [1e8, 1e9, 1e10, 1e11]
            .map(|youngs_modulus| {
                let data = FlexibleDoublePendulum {
                    elements: 8,
                    geometric_stiffness,
                    youngs_modulus,
                    ..FlexibleDoublePendulum::default()
                };
                let model = data.spec().unwrap().build().unwrap();
                let rest = rest_of(&model);
                assert_eq!(stability(&model, &rest).unwrap(), Stability::Stable);
                // The closed form of the stretched state is what Newton's method finds.
                for (q, exact) in rest.q().iter().zip(data.equilibrium()) {
                    assert!((q - exact).abs() < 1e-9, "{q} {exact}");
                }
                let found = frequencies(&spectrum_at(&model, &rest));
                [0, 1].map(|k| found[k] - rigid[k])
            })
            .into();
        for k in 0..2 {
            assert!((rigid[k] - gallery[k].im).abs() < 1e-14);
            // Ten times the modulus, a tenth of the error, where second order in 1/E has died out.
            for (pair, slack) in errors[1..].windows(2).zip([1.0, 0.2]) {
                let ratio = pair[0][k] / pair[1][k];
                assert!((ratio - 10.0).abs() < slack, "mode {k}: {errors:?}");
            }
            assert!(errors[3][k].abs() < 1e-4);
        }
    }
}

/// A chain of three links from a model file, against three rigid rods: with the absolute angles,
/// M_ij = m L^2 (3 - max(i, j) + 1/2), M_ii = m L^2 (3 - i + 1/3), K_ii = m g L (3 - i + 1/2).
#[test]
fn a_chain_of_three_links_from_a_model_file() {
    let text = r#"
        units = "SI"
        name = "chain"
        gravity = [0.0, -9.81]
        parameters = { L = 1.5, E = 1e9, n = 3 }
        [[flexible-link]]
        name = "link0"
        length = "L"
        elements = 4
        density = 2700
        youngs_modulus = "E"
        section = { width = 0.04, height = 0.05 }
        at = [0, 0]
        angle = "deg(-90)"
        [[joint]]
        name = "pin0"
        type = "revolute"
        a = "link0.start"
        b = [0, 0]
        [[repeat]]
        index = "i"
        from = 1
        to = "n-1"
        [[repeat.flexible-link]]
        name = "link{i}"
        length = "L"
        elements = 4
        density = 2700
        youngs_modulus = "E"
        section = { width = 0.04, height = 0.05 }
        angle = "deg(-90)"
        reference = "chord"
        [[repeat.joint]]
        name = "pin{i}"
        type = "revolute"
        a = "link{i}.start"
        b = "link{i-1}.end"
    "#;
    let mut spec = ModelSpec::from_toml(text).unwrap();
    let mut at = |modulus: f64| {
        spec.set_parameter("E", modulus).unwrap();
        let model = spec.build().unwrap();
        assert_eq!((model.nv(), model.nc()), (3 * (3 + 15), 3 * 3 + 3 * 2));
        frequencies(&spectrum_at(&model, &rest_of(&model)))[..3].to_vec()
    };
    let (soft, stiff) = (at(1e11), at(1e12));
    let (length, g) = (1.5, 9.81);
    for k in 0..3 {
        // First order in 1/E is removed.
        let w2 = ((10.0 * stiff[k] - soft[k]) / 9.0).powi(2) * length / g;
        let m = |i: usize, j: usize| 2.0 - i.max(j) as f64 + if i == j { 1.0 / 3.0 } else { 1.0 / 2.0 };
        let a = |i: usize, j: usize| {
            let stiffness = if i == j { 2.0 - i as f64 + 0.5 } else { 0.0 };
            stiffness - w2 * m(i, j)
        };
        let minor = |i: usize, j: usize| a(1, i) * a(2, j) - a(1, j) * a(2, i);
        let terms = [a(0, 0) * minor(1, 2), -a(0, 1) * minor(0, 2), a(0, 2) * minor(0, 1)];
        let size = terms.iter().fold(0.0_f64, |s, t| s.max(t.abs()));
        assert!(terms.iter().sum::<f64>().abs() < 1e-4 * size.max(0.1), "mode {k}: {terms:?} {w2}");
    }
}

/// The hanging heavy beam, pinned at the top, by Ritz functions instead of finite elements:
///
/// ```text
/// EI int w'' v'' + int N w' v' = omega^2 rho A int w v,   N = rho A g (L - s),   w(0) = 0
/// ```
///
/// with w = s P_k(2 s/L - 1), integrated by Gauss-Legendre quadrature: free ends need nothing.
fn hanging_beam(length: f64, mass_per_length: f64, bending: f64, g: f64) -> Vec<f64> {
    const TERMS: usize = 14;
    let mut k = dense::zeros(TERMS, TERMS);
    let mut m = dense::zeros(TERMS, TERMS);
    for (x, weight) in gauss_legendre(24) {
        let (s, weight) = (0.5 * length * (1.0 + x), 0.5 * length * weight);
        let scale = 2.0 / length;
        let functions: Vec<[f64; 3]> = (0..TERMS)
            .map(|k| {
                let [p, d, dd] = legendre(k, x);
                let (d, dd) = (d * scale, dd * scale * scale);
                [s * p, p + s * d, 2.0 * d + s * dd]
            })
            .collect();
        let tension = mass_per_length * g * (length - s);
        for (i, f) in functions.iter().enumerate() {
            for (j, h) in functions.iter().enumerate() {
                k[(i, j)] += weight * (bending * f[2] * h[2] + tension * f[1] * h[1]);
                m[(i, j)] += weight * mass_per_length * f[0] * h[0];
            }
        }
    }
    let pencil = QuadraticPencil { m, c: dense::zeros(TERMS, TERMS), k, phi_q: dense::zeros(0, TERMS) };
    frequencies(&mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap())
}
/// Legendre polynomial with first and second derivative.
fn legendre(n: usize, x: f64) -> [f64; 3] {
    let (mut before, mut now) = ([0.0; 3], [1.0, 0.0, 0.0]);
    for k in 0..n {
        let (a, b) = ((2 * k + 1) as f64 / (k + 1) as f64, k as f64 / (k + 1) as f64);
        let next = [
            a * x * now[0] - b * before[0],
            a * (now[0] + x * now[1]) - b * before[1],
            a * (2.0 * now[1] + x * now[2]) - b * before[2],
        ];
        (before, now) = (now, next);
    }
    now
}
/// Points and weights on [-1, 1].
fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..20 {
                let [p, d, _] = legendre(n, x);
                x -= p / d;
            }
            let [_, d, _] = legendre(n, x);
            (x, 2.0 / ((1.0 - x * x) * d * d))
        })
        .collect()
}

/// A slender link whose bending stiffness comes mostly from its weight.
fn slender(elements: usize, extra: &str) -> String {
    format!(
        r#"
        units = "SI"
        name = "slender link"
        parameters = {{ L = 4.0, r = 0.012, E = 1e9, rho = 1500, P = 0 }}
        [[flexible-link]]
        name = "link"
        length = "L"
        elements = {elements}
        density = "rho"
        youngs_modulus = "E"
        section.radius = "r"
        at = [0, 0]
        {extra}
        "#
    )
}
const AREA: f64 = std::f64::consts::PI * 0.012 * 0.012;
const BENDING: f64 = 1e9 * AREA * 0.012 * 0.012 / 4.0;

#[test]
fn a_hanging_heavy_link_agrees_with_a_beam_in_ritz_functions() {
    let pinned = r#"
        angle = "deg(-90)"
        [[joint]]
        name = "pin"
        type = "revolute"
        a = "link.start"
        b = [0, 0]
    "#;
    let mut spec = ModelSpec::from_toml(&slender(50, pinned)).unwrap();
    spec.gravity = vec![0.0.into(), (-9.81).into()];
    let exact = hanging_beam(4.0, 1500.0 * AREA, BENDING, 9.81);
    let mut found = Vec::new();
    for geometric_stiffness in [true, false] {
        spec.flexible_links[0].geometric_stiffness = geometric_stiffness;
        let model = spec.build().unwrap();
        found.push(frequencies(&spectrum_at(&model, &rest_of(&model))));
    }
    for k in 0..6 {
        assert!((found[0][k] / exact[k] - 1.0).abs() < 1e-3, "mode {k}: {} {}", found[0][k], exact[k]);
    }
    // Without the stiffness of the tension the second mode is wrong by more than a tenth.
    assert!((found[1][1] / exact[1] - 1.0).abs() > 0.1, "{} {}", found[1][1], exact[1]);
}

/// A clamped column under a dead load P at its free end buckles at pi^2 EI / (4 L^2).
#[test]
fn a_column_buckles_at_the_euler_load() {
    let clamped = r#"
        angle = "deg(90)"
        [[joint]]
        name = "clamp"
        type = "fixed"
        a = "link.start"
        b = [0, 0]
        angle = "deg(90)"
        [[force]]
        name = "load"
        at = "link.end"
        vector = [0, "-P"]
    "#;
    let mut spec = ModelSpec::from_toml(&slender(16, clamped)).unwrap();
    let euler = std::f64::consts::PI.powi(2) * BENDING / (4.0 * 16.0);
    let mut at = |share: f64, geometric_stiffness: bool| {
        spec.set_parameter("P", share * euler).unwrap();
        spec.flexible_links[0].geometric_stiffness = geometric_stiffness;
        let model = spec.build().unwrap();
        let rest = rest_of(&model);
        (stability(&model, &rest).unwrap(), spectrum_at(&model, &rest).motion_values())
    };
    let (label, _) = at(0.995, true);
    assert_eq!(label, Stability::Stable);
    for share in [1.005, 3.0] {
        let (label, roots) = at(share, true);
        assert_eq!(label, Stability::Unstable { directions: 1 }, "{share}");
        // One real pair, and nothing else that grows.
        let real: Vec<f64> = roots.iter().filter(|s| s.im == 0.0).map(|s| s.re).collect();
        assert_eq!(real.len(), 2, "{share}: {real:?}");
        assert!((real[0] + real[1]).abs() < 1e-9 && real[0].abs() > 1e-3, "{real:?}");
        assert!(roots.iter().filter(|s| s.im != 0.0).all(|s| s.re.abs() < 1e-6));
    }
    // The linear theory knows no buckling.
    assert_eq!(at(3.0, false).0, Stability::Stable);
}

/// A cantilever with a mass at its end, pinned there: 1 + cosh cos + mu l (sinh cos - cosh sin) = 0.
/// The frame is a matter of description: chord and tangent give the same eigenvalues.
#[test]
fn a_cantilever_with_a_tip_mass_in_either_frame() {
    let build = |reference: &str| {
        let text = slender(
            20,
            &format!(
                r#"
                angle = 0
                reference = "{reference}"
                [[point]]
                name = "bob"
                at = ["L", 0]
                mass = "0.5*rho*pi*r^2*L"
                [[joint]]
                name = "clamp"
                type = "fixed"
                a = "link.start"
                b = [0, 0]
                [[joint]]
                name = "tip"
                type = "revolute"
                a = "link.end"
                b = "bob"
                "#
            ),
        );
        let model = Model::from_toml(&text).unwrap();
        frequencies(&spectrum_at(&model, &rest_of(&model)))
    };
    let (tangent, chord) = (build("tangent"), build("chord"));
    for k in 0..4 {
        assert!((tangent[k] / chord[k] - 1.0).abs() < 1e-7, "mode {k}: {} {}", tangent[k], chord[k]);
        let l = 4.0 * (1500.0 * AREA * tangent[k] * tangent[k] / BENDING).powf(0.25);
        let (s, c) = l.sin_cos();
        // Divided by cosh, which grows.
        let (sech, tanh) = (1.0 / l.cosh(), l.tanh());
        let characteristic = sech + c + 0.5 * l * (tanh * c - s);
        assert!(characteristic.abs() < 1e-3 * l, "mode {k}: {characteristic}");
    }
}

/// Large enough for the sparse route to the equilibrium of the penalty system.
#[test]
fn blocks_of_the_penalty_system_make_up_its_matrices() {
    let data = FlexibleDoublePendulum { elements: 70, ..FlexibleDoublePendulum::default() };
    let model = data.spec().unwrap().build().unwrap();
    let rest = Equilibrium::verify(&model, data.equilibrium(), &EquilibriumOptions::default()).unwrap();
    let penalty = Penalty::scalar(1e7, 1.0, 10.0);
    let at = penalty_equilibrium(&model, rest.point(), &penalty).unwrap();
    // The violations carry the weight of both links: w = Xi Omega Phi.
    let forces: Vec<f64> = model.phi(&at.point.q, 0.0).iter().map(|phi| 1e9 * phi).collect();
    let largest = norms::max_abs_vec(&at.point.lambda);
    let weight = 2.0 * data.rigid().mass[0] * data.gravity;
    assert!((largest / weight - 1.0).abs() < 1e-3 && at.violation > 0.0, "{largest} {weight}");
    for (force, w) in forces.iter().zip(&at.point.lambda) {
        assert!((force - w).abs() < 1e-6 * largest, "{force} {w}");
    }
    let whole = unconstrained(&model, &at, &penalty).unwrap();
    let parts = unconstrained_blocks(&model, &at, &penalty).unwrap();
    let phi = to_dense(&parts.phi_q);
    let with = |a: &mb_algebra::Sparse, by: &mb_algebra::Dense| {
        let inner = dense::mul(&dense::mul(&parts.xi, by), &phi);
        dense::add(1.0, &to_dense(a), 1.0, &dense::mul_transpose(&phi, &inner))
    };
    let one = dense::identity(model.nc());
    for (made, exact) in [
        (with(&parts.m, &one), &whole.m),
        (with(&parts.c, &parts.theta), &whole.c),
        (with(&parts.k, &parts.omega), &whole.k),
    ] {
        let off = norms::max_abs(&dense::add(1.0, &made, -1.0, exact));
        assert!(off <= 1e-14 * norms::max_abs(exact), "{off:e}");
    }
    // Penalties in motion keep to the dense matrices.
    let mut moving = at.clone();
    moving.point.v[0] = 1.0;
    assert!(unconstrained_blocks(&model, &moving, &penalty).is_err());
}

/// Stiffnesses of a slender link lie many decades apart; none of them is zero.
#[test]
fn long_flexible_links_hang_stably_and_upright_ones_fall() {
    let data = FlexibleDoublePendulum { elements: 1500, ..FlexibleDoublePendulum::default() };
    let model = data.spec().unwrap().build().unwrap();
    let rest = Equilibrium::verify(&model, data.equilibrium(), &EquilibriumOptions::default()).unwrap();
    assert_eq!(stability(&model, &rest).unwrap(), Stability::Stable);
    // Gravity upwards: the same state turned over, stretch for compression.
    let over = FlexibleDoublePendulum { gravity: -data.gravity, youngs_modulus: 1e11, ..data };
    let model = over.spec().unwrap().build().unwrap();
    let rest = Equilibrium::verify(&model, over.equilibrium(), &EquilibriumOptions::default()).unwrap();
    assert_eq!(stability(&model, &rest).unwrap(), Stability::Unstable { directions: 2 });
}

/// The links of the gallery at rest.
fn hanging(elements: u32) -> (Model, Equilibrium) {
    let pendulum = FlexibleDoublePendulum { elements, ..FlexibleDoublePendulum::default() };
    let model = pendulum.spec().unwrap().build().unwrap();
    let rest = Equilibrium::verify(&model, pendulum.equilibrium(), &EquilibriumOptions::default()).unwrap();
    (model, rest)
}

/// Whether the eigenvalues of fine meshes lie within their error bounds of where two coarse ones lead to.
///
/// The axial force is constant in an element: the error of the mesh falls as h^2, and what is left of it as h^4.
fn assert_bars_hold(lowest: impl Fn(u32) -> Spectrum, fine: &[u32]) {
    let (rough, coarse) = (lowest(250), lowest(500));
    for &elements in fine {
        let fine = lowest(elements);
        assert_eq!((fine.eigenpairs.len(), fine.counts.found.rigid), (8, 0), "{:?}", fine.findings);
        let share = (250.0 / f64::from(elements)).powi(2);
        for ((a, b), c) in rough.eigenpairs.iter().zip(&coarse.eigenpairs).zip(&fine.eigenpairs) {
            let [first, second, s] = [a, b, c].map(|pair| pair.value().unwrap());
            let slope = (first - second) / 0.75;
            let expected = first + slope * (share - 1.0);
            let bound = c.error_bound;
            assert!(bound < 2e-8 * s.norm(), "{elements}: {s} {bound:e}");
            let (off, own) =
                ((expected - s).norm(), 2.0 * (a.error_bound + b.error_bound) + 1e-10 * s.norm());
            assert!(off <= own + bound, "{elements}: {s} off {off:e}, bound {bound:e}, {own:e}");
        }
        let rounded =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::RoundedStiffness { .. } });
        assert!(!fine.findings.iter().any(rounded), "{:?}", fine.findings);
    }
}

/// With K in parts the error bounds of very fine meshes reach to the model, not only to its rounded matrices.
#[test]
fn bars_of_ten_thousand_elements_hold() {
    let lowest = |elements: u32| {
        let (model, rest) = hanging(elements);
        let lin = linearize_sparse(&model, &OperatingPoint::from(&rest));
        let (request, options) = (Request::Lowest { count: 4 }, SparseOptions::default());
        sparse::solve_in_parts(&lin.pencil(), lin.k_parts.as_ref(), &request, &options).unwrap()
    };
    assert_bars_hold(lowest, &[2_000, 10_000]);
}

/// The same held by penalties, whose factors near an eigenvalue are singular to the last digit.
#[test]
fn bars_of_ten_thousand_elements_under_penalties_hold() {
    let lowest = |elements: u32| {
        let (model, rest) = hanging(elements);
        let factors = Penalty::scalar(1e7, 1.0, 10.0);
        let at = penalty_equilibrium(&model, rest.point(), &factors).unwrap();
        let blocks = unconstrained_blocks(&model, &at, &factors).unwrap();
        penalty::lowest(&blocks, 4, &SparseOptions::default()).unwrap()
    };
    assert_bars_hold(lowest, &[10_000]);
}
