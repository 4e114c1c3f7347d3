//! Convergence of beams to their continua, of stiff linkages to rigid bodies, and frames at any size.

use crate::beam::{held, lowest, rest_of};
use mb_algebra::norms;
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::{Class, DenseOptions};
use mb_gallery::models::{BeamContinuum, BeamFourBar, BeamFrame, BeamSegment};
use mb_linear::{
    Equilibrium, EquilibriumOptions, OperatingPoint, Stability, Strategy, linearize, linearize_sparse,
    stability,
};
use mb_model::{BeamData, BeamMaterial, BeamSection, Model};

const HEIGHT: f64 = 0.04;
const FREE: [bool; 6] = [false; 6];
const CLAMPED: [bool; 6] = [true; 6];

/// A section without symmetry between its planes, so that no two frequencies coincide.
fn data() -> BeamData {
    let material = BeamMaterial { density: 8000.0, youngs_modulus: 2e11, shear_modulus: 8e10 };
    BeamData::new(BeamSection::rectangle(1.4 * HEIGHT, HEIGHT, 0.25), material)
}

/// Beams of one section from corner to corner with joints as given.
fn beams(corners: &[[f64; 3]], element: &str, n: usize, joints: &str) -> Model {
    beams_with(corners, &format!("element = \"{element}\""), n, joints)
}
/// The same with lines of one's own in the tables of the beams.
fn beams_with(corners: &[[f64; 3]], lines: &str, n: usize, joints: &str) -> Model {
    let mut parts = vec!["units = \"SI\"\nname = \"study\"\n".to_owned()];
    for (k, ends) in corners.windows(2).enumerate() {
        let from = if k == 0 { format!("{:?}", ends[0]) } else { format!("\"b{}.end\"", k - 1) };
        parts.push(format!(
            r#"
            [[beam]]
            name = "b{k}"
            from = {from}
            to = {:?}
            y = {:?}
            elements = {n}
            {lines}
            density = 8000
            youngs_modulus = 2e11
            shear_modulus = 8e10
            section = {{ width = {:?}, height = {HEIGHT:?} }}
            "#,
            ends[1],
            across(ends),
            1.4 * HEIGHT
        ));
    }
    Model::from_toml(&(parts.concat() + joints)).unwrap()
}
/// Ground y for beams along x, ground z for those along y.
fn across(ends: &[[f64; 3]]) -> [f64; 3] {
    if (ends[0][1] - ends[1][1]).abs() < 1e-9 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] }
}
fn continuum(corners: &[[f64; 3]], held: [[bool; 6]; 2]) -> BeamContinuum {
    let segment = |ends: &[[f64; 3]]| BeamSegment::new(data(), ends[0], ends[1], across(ends));
    BeamContinuum { segments: corners.windows(2).map(segment).collect(), held }
}

/// Name, corners, what is held at the two ends.
type Case<'a> = (&'a str, &'a [[f64; 3]], [[bool; 6]; 2]);

#[test]
fn frequencies_converge_to_the_continuum_with_the_elements_order() {
    let straight = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let frame = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.7, 0.0]];
    let locked = |held: [bool; 6]| {
        let names = ["x", "y", "z", "rotation x", "rotation y", "rotation z"];
        let locked: Vec<String> =
            names.iter().zip(held).filter(|(_, held)| *held).map(|(name, _)| format!("\"{name}\"")).collect();
        locked.join(", ")
    };
    let pins = [[true, true, true, true, false, false], [false, true, true, false, false, false]];
    let cases: [Case<'_>; 5] = [
        ("cantilever", &straight, [CLAMPED, FREE]),
        ("clamped", &straight, [CLAMPED, CLAMPED]),
        ("pinned", &straight, pins),
        ("right angle", &frame, [CLAMPED, FREE]),
        ("right angle, clamped", &frame, [CLAMPED, CLAMPED]),
    ];
    for (name, corners, ends) in cases {
        let exact = continuum(corners, ends).frequencies(5.0, 1e4);
        let last = format!("b{}.end", corners.len() - 2);
        let joints = held(("b0.start", &locked(ends[0])), (&last, &locked(ends[1])));
        for (element, order) in [("linear", 2.0), ("quadratic", 4.0)] {
            let errors: Vec<Vec<f64>> = [10, 20]
                .map(|n| {
                    let found = lowest(&beams(corners, element, n, &joints), 3);
                    found.iter().zip(&exact).map(|(w, exact)| w / exact - 1.0).collect()
                })
                .into();
            for mode in 0..3 {
                let (coarse, fine) = (errors[0][mode], errors[1][mode]);
                let observed = (coarse / fine).log2();
                // Below 1e-9 rounding of stiff matrices and of the determinant shows.
                let resolved = fine.abs() > 1e-9;
                assert!(
                    (!resolved || (observed - order).abs() < 0.3) && fine.abs() < 0.03,
                    "{name}, {element}, mode {}: {errors:?}",
                    mode + 1
                );
            }
        }
    }
}

/// Sections that may not shear: the continuum without shear, in the order of the elements and away from Timoshenko's.
#[test]
fn beams_without_shear_are_those_of_euler_and_bernoulli() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let shearing = continuum(&corners, [CLAMPED, CLAMPED]);
    let mut stiff = shearing.clone();
    for segment in &mut stiff.segments {
        segment.data.section.shear_factors = [1e7; 2];
    }
    let [shearing, stiff] = [shearing, stiff].map(|beam| beam.frequencies(5.0, 1e4));
    let all = r#""x", "y", "z", "rotation x", "rotation y", "rotation z""#;
    let joints = held(("b0.start", all), ("b0.end", all));
    for (element, order) in [("linear", 2.0), ("quadratic", 4.0)] {
        let lines = format!("element = \"{element}\"\nshear = \"rigid\"");
        let errors: Vec<Vec<f64>> = [8, 16]
            .map(|n| {
                let found = lowest(&beams_with(&corners, &lines, n, &joints), 2);
                found.iter().zip(&stiff).map(|(w, exact)| w / exact - 1.0).collect()
            })
            .into();
        for mode in 0..2 {
            let (coarse, fine) = (errors[0][mode], errors[1][mode]);
            assert!(((coarse / fine).log2() - order).abs() < 0.4, "{element}, mode {}: {errors:?}", mode + 1);
            assert!(shearing[mode] < 0.999 * stiff[mode]);
        }
    }
}

/// Zeros of a free beam: exact and classed where the null space is deflated; small where a solver has to find them.
#[test]
fn rigid_modes_of_a_free_beam() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let exact = continuum(&corners, [FREE, FREE]).frequencies(5.0, 2e3);
    for element in ["linear", "quadratic"] {
        let model = beams(&corners, element, 10, "");
        let pencil = linearize(&model, &OperatingPoint::from(&rest_of(&model))).pencil();
        let deflated = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
        let rigid: Vec<_> = deflated.of_class(Class::Rigid).collect();
        assert_eq!(rigid.len(), 12);
        assert!(rigid.iter().all(|pair| pair.value().is_some_and(|s| s.norm() == 0.0)));
        let first = deflated
            .of_class(Class::Physical)
            .filter_map(mb_eigen::Eigenpair::value)
            .map(mb_algebra::c64::norm)
            .fold(f64::INFINITY, f64::min);
        assert!((first / exact[0] - 1.0).abs() < 0.02, "{first} {exact:?}");
        // Without deflation, from a shift of the size of the first elastic eigenvalue.
        let options = DirectOptions {
            deflate_zeros: false,
            condition: false,
            shift: Some(0.3 * first),
            ..DirectOptions::default()
        };
        let found = direct::solve(&pencil.to_sparse(), 8, &options).unwrap();
        let zeros: Vec<f64> =
            found.ritz.iter().map(mb_algebra::c64::norm_sqr).filter(|r2| *r2 < 0.5 * first * first).collect();
        assert_eq!(zeros.len(), 12, "{:?}", found.ritz);
        let largest = norms::max_abs_vec(&zeros) / (first * first);
        assert!(largest < 1e-9, "{element}: {largest:.1e}");
    }
}

/// The lowest mode of the hanging linkage goes to that of rigid bars, and what is missing falls as 1/E.
#[test]
fn stiffer_linkages_converge_to_rigid_bars() {
    let rigid = BeamFourBar::default().rigid().1;
    let errors: Vec<f64> = [1.0, 10.0, 100.0, 1000.0]
        .map(|times| {
            let linkage =
                BeamFourBar { youngs_modulus: 2.06e11 * times, elements: 4, ..BeamFourBar::default() };
            let model = linkage.spec().unwrap().build().unwrap();
            assert_eq!((model.nv(), model.nc()), (90, 20));
            lowest(&model, 1)[0] / rigid - 1.0
        })
        .into();
    assert!((errors[0] / errors[1] - 10.0).abs() < 1.0, "{errors:?}");
    assert!((errors[1] / errors[2] - 10.0).abs() < 0.1, "{errors:?}");
    // Forces are rounded to a part of the stiffness, which is a thousand times as much here: 3e-9 of the frequency.
    assert!((errors[3] - 0.1 * errors[2]).abs() < 1e-8 && errors[3].abs() < 2e-8, "{errors:?}");
}

type Ends = [[f64; 3]; 2];

/// Crank, coupler and rocker in space on a revolute, a universal, a spherical and a revolute joint, as square bars
/// between the pivots and the two places given: of finite elements with this E, or rigid. The same joints either way.
fn spatial_linkage(b: [f64; 3], c: [f64; 3], youngs_modulus: Option<f64>) -> Model {
    let bars: [(&str, Ends); 3] =
        [("crank", [PIVOTS[0], b]), ("coupler", [b, c]), ("rocker", [c, PIVOTS[1]])];
    let mut parts = vec!["units = \"SI\"\nname = \"spatial linkage\"\ngravity = [0, 0, -9.81]\n".to_owned()];
    let (h, rho) = (0.1_f64, 7800.0);
    for (name, [from, to]) in bars {
        let along = [0, 1, 2].map(|i| to[i] - from[i]);
        let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Across the bar and horizontal.
        let y = [-along[1], along[0], 0.0];
        parts.push(if let Some(e) = youngs_modulus {
            format!(
                r#"
                [[beam]]
                name = "{name}"
                from = {from:?}
                to = {to:?}
                y = {y:?}
                elements = 4
                density = {rho:?}
                youngs_modulus = {e:?}
                poissons_ratio = 0.3
                section = {{ width = {h:?}, height = {h:?} }}
                "#
            )
        } else {
            let (mass, own) = (rho * h * h * length, rho * h.powi(4) / 12.0 * length);
            let across = mass * length * length / 12.0 + own;
            let middle = [0, 1, 2].map(|i| 0.5 * (from[i] + to[i]));
            format!(
                r#"
                    [[spatial-body]]
                    name = "{name}"
                    mass = {mass:?}
                    inertia = [{:?}, {across:?}, {across:?}]
                    at = {middle:?}
                    orientation = {{ x = {along:?}, y = {y:?} }}
                    markers = {{ start = [{:?}, 0, 0], end = [{:?}, 0, 0] }}
                    "#,
                2.0 * own,
                -0.5 * length,
                0.5 * length
            )
        });
    }
    for (name, kind, a, b, axis) in [
        ("A", "revolute", "crank.start", "ground", [0.0, 1.0, 0.0]),
        ("B", "generic", "coupler.start", "crank.end", [0.0, 0.0, 1.0]),
        ("C", "spherical", "rocker.start", "coupler.end", [0.0; 3]),
        ("D", "revolute", "rocker.end", "ground", [0.4, 1.0, 0.0]),
    ] {
        parts.push(format!("[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\na = \"{a}\"\nb = \"{b}\"\n"));
        if kind == "generic" {
            parts.push("locked = [\"x\", \"y\", \"z\", \"rotation x\"]\n".to_owned());
        }
        if kind != "spherical" {
            parts.push(format!("axis = {axis:?}\n"));
        }
    }
    Model::from_toml(&parts.concat()).unwrap()
}
const PIVOTS: [[f64; 3]; 2] = [[0.0, 0.0, 0.0], [1.3, 0.4, 0.0]];

/// Where the rigid linkage hangs: its two moving joints.
fn hanging() -> [[f64; 3]; 2] {
    let model = spatial_linkage([0.3, 0.0, -0.4], [1.1, 0.5, -0.6], None);
    let options = EquilibriumOptions { strategy: Strategy::Relaxation, ..EquilibriumOptions::default() };
    let rest = Equilibrium::solve(&model, model.initial(), &options).unwrap();
    assert_eq!(stability(&model, &rest).unwrap(), Stability::Stable);
    // The ends of crank and rocker lie beyond their middles as far as the pivots lie before them.
    let middle = |body: usize| [0, 1, 2].map(|i| rest.q()[7 * body + i]);
    let beyond = |body: usize, pivot: usize| [0, 1, 2].map(|i| 2.0 * middle(body)[i] - PIVOTS[pivot][i]);
    [beyond(0, 0), beyond(2, 1)]
}

#[test]
fn a_stiff_spatial_linkage_agrees_with_that_of_rigid_bodies() {
    let [b, c] = hanging();
    let rigid = spatial_linkage(b, c, None);
    assert_eq!((rigid.nv(), rigid.nc()), (18, 17));
    let rigid = lowest(&rigid, 1)[0];
    let errors: Vec<f64> = [1e9, 1e10, 1e11, 1e12, 1e13]
        .map(|e| lowest(&spatial_linkage(b, c, Some(e)), 1)[0] / rigid - 1.0)
        .into();
    for pair in errors.windows(2) {
        // 1e-7 of the frequency is rounding of the largest stiffness.
        assert!((pair[1] - 0.1 * pair[0]).abs() < 0.15 * pair[1].abs() + 2e-7, "{errors:?}");
    }
    assert!(errors.last().unwrap().abs() < 1e-6, "{errors:?}");
}

/// Sizes, weight on the feet, and modes that do not depend on which way they are computed.
#[test]
fn a_frame_carries_its_weight() {
    let frame = BeamFrame::default();
    let model = frame.spec().unwrap().build().unwrap();
    let rest = rest_of(&model);
    assert_eq!((rest.found_by, stability(&model, &rest).unwrap()), ("Newton", Stability::Stable));
    // Joints push back on both sides alike, so that only the feet are left of the sum.
    let forces = model.reaction(rest.q(), 0.0, rest.lambda());
    let carried: f64 = forces.iter().skip(2).step_by(6).sum();
    assert!((carried.abs() / frame.weight() - 1.0).abs() < 1e-9, "{carried} {}", frame.weight());
    let at = OperatingPoint::from(&rest);
    let dense = mb_eigen::dense::solve(&linearize(&model, &at).pencil(), &DenseOptions::default()).unwrap();
    let mut all: Vec<f64> = dense.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
    all.sort_by(f64::total_cmp);
    let sparse = mb_eigen::sparse::solve(
        &linearize_sparse(&model, &at).pencil(),
        &mb_eigen::sparse::Request::Lowest { count: 6 },
        &mb_eigen::sparse::SparseOptions::default(),
    )
    .unwrap();
    let mut few: Vec<f64> = sparse.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
    few.sort_by(f64::total_cmp);
    assert_eq!(few.len(), 6);
    for (a, b) in few.iter().zip(&all) {
        assert!((a / b - 1.0).abs() < 1e-9);
    }
}
