//! Beams in space against continua, closed forms of large bending, and rigid bars.

use core::f64::consts::{FRAC_PI_2, PI, TAU};
use mb_algebra::c64;
use mb_eigen::direct::{self, DirectOptions, Factorization, Scaling};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_gallery::models::{BeamCantilever, BeamFourBar};
use mb_gallery::{Computed, Table, Verdict, verdict};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LoadPathOptions, OperatingPoint, PathEnd, Stability, linearize_sparse,
    load_path, stability,
};
use mb_model::Model;
use mb_model::spec::{AxialStrainSpec, BeamElementSpec};

pub(crate) fn rest_of(model: &Model) -> Equilibrium {
    Equilibrium::solve(model, model.initial(), &EquilibriumOptions::default()).unwrap()
}
/// The lowest frequencies at rest, rad/s.
pub(crate) fn lowest(model: &Model, count: usize) -> Vec<f64> {
    let lin = linearize_sparse(model, &OperatingPoint::from(&rest_of(model)));
    let spectrum =
        sparse::solve(&lin.pencil(), &Request::Lowest { count }, &SparseOptions::default()).unwrap();
    let mut found: Vec<f64> = spectrum.motion_values().iter().map(|s| s.im).filter(|w| *w >= 0.0).collect();
    found.sort_by(f64::total_cmp);
    found.truncate(count);
    found
}

/// A beam along x with joints of one's own; the section is a square of side `h`.
fn bar(element: &str, n: usize, length: f64, h: f64, rest: &str) -> Model {
    Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "bar"
        parameters = {{ L = {length:?}, h = {h:?}, E = 2e11, rho = 8000.0 }}
        [[beam]]
        name = "bar"
        from = [0, 0, 0]
        to = ["L", 0, 0]
        elements = {n}
        element = "{element}"
        density = "rho"
        youngs_modulus = "E"
        poissons_ratio = 0.25
        section = {{ width = "h", height = "h" }}
        {rest}"#
    ))
    .unwrap()
}
const CLAMP: &str = r#"
    [[joint]]
    name = "clamp"
    type = "fixed"
    a = "bar.start"
    b = "ground"
"#;
/// Two generic joints to the ground: a place and what is locked there along and about the ground axes.
pub(crate) fn held(left: (&str, &str), right: (&str, &str)) -> String {
    let joint = |name: &str, (at, locked): (&str, &str)| {
        if locked.is_empty() {
            return String::new();
        }
        format!(
            r#"
            [[joint]]
            name = "{name}"
            type = "generic"
            locked = [{locked}]
            a = "{at}"
            b = "ground"
            axis = [0, 0, 1]
            "#
        )
    };
    joint("left", left) + &joint("right", right)
}
fn pins() -> String {
    held(("bar.start", r#""x", "y", "z", "rotation x""#), ("bar.end", r#""y", "z""#))
}

/// Timoshenko's pinned beam, mode n: sine deflection and cosine rotation are exact, so that
/// rho A rho I w^4 - (rho A (EI k^2 + GA) + rho I GA k^2) w^2 + GA EI k^4 = 0, GA with the shear factor.
fn pinned(n: f64, length: f64, h: f64) -> f64 {
    let (e, rho, nu) = (2e11, 8000.0, 0.25);
    let (area, inertia) = (h * h, h.powi(4) / 12.0);
    let shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu) * e / (2.0 * (1.0 + nu)) * area;
    let (m, j, ei, k2) = (rho * area, rho * inertia, e * inertia, (n * PI / length).powi(2));
    let (a, b, c) = (m * j, m * (ei * k2 + shear) + j * shear * k2, shear * ei * k2 * k2);
    (2.0 * c / (b + (b * b - 4.0 * a * c).sqrt())).sqrt()
}

#[test]
fn a_pinned_beam_converges_to_the_continuum_with_its_elements_order() {
    for (element, order) in [("linear", 2.0), ("quadratic", 4.0)] {
        for h in [0.05, 1e-3] {
            let errors: Vec<f64> = [8, 16]
                .map(|n| {
                    let found = lowest(&bar(element, n, 1.0, h, &pins()), 4);
                    // Both bending planes alike: every mode twice.
                    for pair in found.chunks(2) {
                        assert!((pair[1] / pair[0] - 1.0).abs() < 1e-7, "{found:?}");
                    }
                    found[2] / pinned(2.0, 1.0, h) - 1.0
                })
                .into();
            let observed = (errors[0] / errors[1]).log2();
            assert!((observed - order).abs() < 0.3, "{element}, h = {h}: {errors:?}");
        }
    }
}

/// A moment at the tip bends the cantilever into an arc of any angle.
#[test]
fn an_end_moment_rolls_the_cantilever_up() {
    let tip = |angle: f64, n: usize| {
        let rest = format!(
            r#"{CLAMP}
            [[torque]]
            name = "turn"
            on = "bar.end"
            direction = [0, 0, 1]
            magnitude = "{angle:?}*E*h^4/12/L""#
        );
        let model = bar("quadratic", n, 2.0, 0.02, &rest);
        let path = load_path(&model, model.initial(), &LoadPathOptions::default()).unwrap();
        assert_eq!(path.end, PathEnd::FullLoad);
        let q = path.steps.last().unwrap().equilibrium.q().to_vec();
        let exact = [2.0 * angle.sin() / angle, 2.0 * (1.0 - angle.cos()) / angle];
        let x = &q[q.len() - 7..];
        assert!(x[2].abs() < 1e-9);
        (x[0] - exact[0]).hypot(x[1] - exact[1])
    };
    let (coarse, fine) = (tip(FRAC_PI_2, 2), tip(FRAC_PI_2, 4));
    assert!(fine < coarse / 12.0 && coarse < 1e-2, "{coarse:.1e} {fine:.1e}");
    // All the way round.
    assert!(tip(TAU, 8) < 1e-2);
}

/// Bent out of its plane at the tip, a right-angle frame bends in both arms and twists in the first:
/// P b^3/3EI + P a^3/3EI + P a b^2/GJ + P (a + b)/GA.
#[test]
fn a_right_angle_frame_bends_and_twists_as_the_closed_form_has_it() {
    let (a, b, h, e, nu, force) = (1.0, 0.6, 0.04, 2e11, 0.25, 1.0);
    let deflection = |n: usize| {
        let rest = format!(
            r#"{CLAMP}
            [[force]]
            name = "load"
            at = "arm.end"
            vector = [0, 0, {force:?}]
            [[beam]]
            name = "arm"
            from = "bar.end"
            to = ["L", {b:?}, 0]
            elements = {n}
            density = "rho"
            youngs_modulus = "E"
            poissons_ratio = 0.25
            section = {{ width = "h", height = "h" }}"#
        );
        let model = bar("quadratic", n, a, h, &rest);
        let equilibrium = rest_of(&model);
        let q = equilibrium.q();
        q[q.len() - 5]
    };
    let section = mb_model::BeamSection::rectangle(h, h, nu);
    let (ei, g) = (e * section.second_moments[0], e / (2.0 * (1.0 + nu)));
    let exact = force
        * ((a * a * a + b * b * b) / (3.0 * ei)
            + a * b * b / (g * section.torsion)
            + (a + b) / (g * section.area * section.shear_factors[0]));
    let errors = [1, 2].map(|n| deflection(n) / exact - 1.0);
    assert!(errors[0].abs() < 0.1 && errors[1].abs() < errors[0].abs() / 3.0 + 1e-6, "{errors:?}");
    assert!((deflection(8) / exact - 1.0).abs() < 1e-3);
}

/// Euler's column: the load factor is reported, although the straight equilibrium goes on beyond.
#[test]
fn a_column_reports_where_it_buckles() {
    let mut column = BeamCantilever {
        elements: 12,
        element: BeamElementSpec::Quadratic,
        axial_strain: AxialStrainSpec::Exact,
        side: 4.0,
        ..BeamCantilever::default()
    };
    column.tension = 1.6 * column.buckling_tension();
    let model = column.spec().unwrap().build().unwrap();
    let straight = rest_of(&model);
    assert_eq!(stability(&model, &straight).unwrap(), Stability::Unstable { directions: 2 });
    let path = load_path(&model, model.initial(), &LoadPathOptions::default()).unwrap();
    let PathEnd::Buckling { factor, directions, .. } = path.end else { panic!("{:?}", path.end) };
    // In both planes at once; shear and shortening count a few hundredths of a percent.
    assert_eq!(directions, 2);
    assert!((factor * 1.6 - 1.0).abs() < 1e-3, "{factor}");
    // However near, the column below its load is stable: its stiffness is small and has a sign.
    let told: Vec<(f64, Stability)> = path.steps.iter().map(|s| (s.factor, s.stability)).collect();
    assert!(told.iter().all(|(at, s)| *at < factor && *s == Stability::Stable), "{told:?} {factor}");
}

/// A thick column of many elements: Newton's method fails just below its load, where rounding bends it, and the straight path goes on.
#[test]
fn a_bifurcation_that_no_short_step_passes_is_no_limit_point() {
    let model = mb_model::ModelSpec::from_toml(
        r#"
        units = "SI"
        name = "column"
        [parameters]
        E = 2.1e11
        h = 0.1
        P = "pi^2/2*E*2*h^4/12"
        [[beam]]
        name = "column"
        from = [0, 0, 0]
        to = [0, 0, 1]
        elements = 60
        density = 7850
        youngs_modulus = "E"
        poissons_ratio = 0.3
        y = [1, 0, 0]
        section = { width = "2*h", height = "h" }
        [[joint]]
        name = "foot"
        type = "fixed"
        a = "column.start"
        b = "ground"
        [[force]]
        name = "weight"
        at = "column.end"
        vector = [0, 0, "-P"]
        "#,
    )
    .unwrap()
    .build()
    .unwrap();
    let path = load_path(&model, model.initial(), &LoadPathOptions::default()).unwrap();
    let PathEnd::Buckling { factor, directions, between } = path.end else { panic!("{:?}", path.end) };
    // Shear makes it a little less than Euler's.
    assert!(directions == 1 && (factor - 0.5).abs() < 5e-3, "{factor} {directions}");
    assert!(between.is_none_or(|[from, to]| from < factor && factor < to && to - from < 1e-4), "{between:?}");
}

/// A pinned column that may turn about its own axis: this motion is free under any load, and distinguished from the
/// two in which the column is about to buckle.
#[test]
fn a_free_turn_is_no_part_of_buckling() {
    let held = held(("bar.start", r#""x", "y", "z""#), ("bar.end", r#""y", "z""#));
    let load = "[[force]]\nname = \"load\"\nat = \"bar.end\"\nvector = [\"-2*pi^2*E*h^4/12/L^2\", 0, 0]";
    let model = bar("quadratic", 8, 1.0, 0.02, &format!("{held}{load}"));
    let path = load_path(&model, model.initial(), &LoadPathOptions::default()).unwrap();
    let PathEnd::Buckling { factor, directions, .. } = path.end else { panic!("{:?}", path.end) };
    assert_eq!(directions, 2);
    assert!((factor - 0.5).abs() < 5e-3, "{factor}");
    let told: Vec<Stability> = path.steps.iter().map(|s| s.stability).collect();
    assert!(told.iter().all(|s| *s == Stability::Neutral { directions: 1 }), "{told:?}");
}

/// Frequencies of the cantilever or the linkage, Hz; of double modes both.
fn published(linkage: bool, tension: f64, axial_strain: AxialStrainSpec) -> Vec<f64> {
    let spec = if linkage {
        BeamFourBar { axial_strain, ..BeamFourBar::default() }.spec()
    } else {
        BeamCantilever { tension, axial_strain, ..BeamCantilever::default() }.spec()
    };
    lowest(&spec.unwrap().build().unwrap(), 6).iter().map(|w| w / TAU).collect()
}

/// Values computed separately, to the digits they are known to; and the printed digits of Tables 2 and 3.
#[test]
fn the_published_cantilever_and_linkage_are_reproduced() {
    use AxialStrainSpec::{Exact, GreenLagrange};
    let table = Table::load("yang2012/exact").unwrap();
    let tolerance = table.column("frequency").unwrap().tolerance.as_ref().unwrap().absolute;
    let tense = published(false, 1e10, GreenLagrange);
    let systems = [
        ("cantilever", published(false, 0.0, Exact), 2),
        ("cantilever under tension", published(false, 1e10, Exact), 2),
        ("cantilever under tension and Green-Lagrange stretch", tense.clone(), 2),
        ("linkage", published(true, 0.0, Exact), 1),
    ];
    let mut off = Vec::new();
    for (name, found, step) in &systems {
        for (k, f) in found.iter().step_by(*step).enumerate() {
            let row = format!("system={name},mode={}", k + 1);
            let cell = table.row(&row).unwrap().cell("frequency").unwrap();
            let value = cell.number().unwrap().re().value();
            // What is open agrees to the digits that the paper prints.
            let allowed = if cell.note.is_some() { 1e-5 } else { tolerance };
            if (f - value).abs() > allowed {
                off.push(format!("{row}: {f} for {value}"));
            }
        }
    }
    let free = published(false, 0.0, GreenLagrange);
    for (id, found) in [("yang2012/table-2", &free), ("yang2012/table-3", &tense)] {
        let table = Table::load(id).unwrap();
        for (row, f) in table.rows.iter().zip(found) {
            let printed = row.cell("model 1, scaled").unwrap().number().unwrap();
            if verdict(printed, &Computed::Real(*f)) != Verdict::Reproduced {
                off.push(format!("{id}, {}: {f}", row.label));
            }
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}

/// Multipliers as they are break a factorization without row exchanges; scaled by the stiffness they do not.
#[test]
fn scaling_is_what_makes_static_pivoting_right() {
    let model = BeamCantilever::default().spec().unwrap().build().unwrap();
    let pencil = linearize_sparse(&model, &OperatingPoint::from(&rest_of(&model))).pencil();
    let exact = lowest(&model, 6);
    let worst = |scaling: Scaling, factorization: Factorization| {
        let options = DirectOptions {
            scaling,
            factorization,
            shift: Some(3.0),
            refinements: 0,
            deflate_zeros: false,
            condition: false,
            ..DirectOptions::default()
        };
        let ritz = direct::solve(&pencil, 6, &options).unwrap().ritz;
        let miss = |w: &f64| {
            let near = |r: &c64| (r - c64::new(0.0, *w)).norm() / w;
            ritz.iter().map(near).fold(1.0, f64::min)
        };
        exact.iter().map(miss).fold(0.0, f64::max)
    };
    let fixed = Factorization::Static { perturbation: 1e-13 };
    let errors = [
        worst(Scaling::LargestEntry, Factorization::Pivoted),
        worst(Scaling::LargestEntry, fixed),
        worst(Scaling::Unscaled, Factorization::Pivoted),
        worst(Scaling::Unscaled, fixed),
    ];
    assert!(errors[0] < 1e-7 && errors[1] < 1e-6 && errors[2] < 1e-2 && errors[3] > 0.1, "{errors:?}");
}
