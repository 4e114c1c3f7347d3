//! Equilibria found from far away, by every method, and the ones that do not exist.

use crate::support::{FourBar, closed_form, four_bar};
use mb_algebra::norms;
use mb_linear::equilibrium::{SearchOptions, find_equilibria};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LinearError, LoadPathOptions, OperatingPoint, PathEnd, PointKind,
    Stability, Strategy, load_path, stability,
};
use mb_model::element::{Coincident, Place, PlanarBody, PointMass, Spring};
use mb_model::{BlockKind, Element, Model, Point, Wiring};

/// A rod pinned at the origin, at `angle` from hanging; the mass centre at half a metre.
fn pendulum(angle: f64) -> Model {
    let mut m = Model::new("pendulum", [0.0, -9.81, 0.0]);
    let id = m.add_block("rod", BlockKind::PlanarPose, &[0.0, 0.0, angle]);
    let mut w = Wiring::default();
    let (slot, _) = w.slot(id, m.coordinates().block(id));
    let body = PlanarBody { slot, mass: 1.0, inertia: 1.0 / 12.0, center_of_mass: [0.0, -0.5], alpha: 0.0 };
    m.add_element("body 'rod'", Element::PlanarBody(body), w.into_blocks(), vec![]);
    let mut w = Wiring::default();
    let pin = Coincident { a: m.place(&mut w, id, [0.0; 2]), b: Place::Ground([0.0; 3]) };
    m.add_element("joint 'pin'", Element::Coincident(pin), w.into_blocks(), vec![]);
    m
}

fn solve(m: &Model, strategy: Strategy) -> Result<Equilibrium, LinearError> {
    Equilibrium::solve(m, m.initial(), &EquilibriumOptions { strategy, ..EquilibriumOptions::default() })
}

#[test]
fn relaxation_slides_down_from_near_the_top() {
    let m = pendulum(3.0);
    // Newton goes to the nearest equilibrium, the upright one.
    let near = solve(&m, Strategy::Newton).unwrap();
    assert!((near.q()[2] - core::f64::consts::PI).abs() < 1e-12);
    assert_eq!(stability(&m, &near).unwrap(), Stability::Unstable { directions: 1 });
    let down = solve(&m, Strategy::Relaxation).unwrap();
    assert!(down.q()[2].abs() < 1e-9, "{:?}", down.q());
    assert_eq!((stability(&m, &down).unwrap(), down.found_by), (Stability::Stable, "dynamic relaxation"));
}

/// Where no force pushes, relaxation steps aside first.
#[test]
fn relaxation_leaves_an_exact_unstable_equilibrium() {
    let m = pendulum(core::f64::consts::PI);
    let down = solve(&m, Strategy::Relaxation).unwrap();
    // To whichever side.
    assert!((down.q()[2].cos() - 1.0).abs() < 1e-12, "{:?}", down.q());
    // A column that stands straight under a multiple of its buckling load.
    let text = "units = \"SI\"\nname = \"column\"\n[[beam]]\nname = \"c\"\nfrom = [0.0, 0.0, 0.0]\nto = [0.0, 0.0, 1.0]\nelements = 3\n\
                density = 7850.0\nyoungs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = { width = 0.02, height = 0.01 }\n\
                [[joint]]\nname = \"j\"\ntype = \"fixed\"\na = \"c.start\"\nb = \"ground\"\n\
                [[force]]\nname = \"P\"\nat = \"c.end\"\nvector = [0.0, 0.0, -1200.0]\n";
    let m = Model::from_toml(text).unwrap();
    let up = solve(&m, Strategy::Newton).unwrap();
    assert_eq!(stability(&m, &up).unwrap(), Stability::Unstable { directions: 1 });
    let bent = solve(&m, Strategy::Relaxation).unwrap();
    assert_eq!(stability(&m, &bent).unwrap(), Stability::Stable);
}

#[test]
fn a_search_distinguishes_hanging_from_upright_once_each() {
    let m = pendulum(0.4);
    let found = find_equilibria(&m, &SearchOptions { starts: 12, ..SearchOptions::default() }).unwrap();
    assert_eq!((found.tried, found.stopped), (12, None));
    let kinds: Vec<Stability> = found.found.iter().map(|(_, s)| *s).collect();
    assert_eq!(kinds, [Stability::Stable, Stability::Unstable { directions: 1 }]);
    let again = find_equilibria(&m, &SearchOptions { starts: 12, ..SearchOptions::default() }).unwrap();
    assert_eq!(found, again, "the search does not depend on chance");
}

#[test]
fn every_method_finds_the_linkage_at_rest_from_a_rough_start() {
    let data = FourBar { loops: 3, stiffness: 25.0, damping: 0.0, gravity: [0.0, -9.81, 0.0], angle: 2.0 };
    let m = four_bar(data);
    let mut start = m.initial().to_vec();
    for (i, x) in start.iter_mut().enumerate() {
        *x += 0.15 * (i as f64).sin();
    }
    for strategy in [Strategy::Automatic, Strategy::Newton, Strategy::Relaxation] {
        let options = EquilibriumOptions { strategy, ..EquilibriumOptions::default() };
        let e = Equilibrium::solve(&m, &start, &options).unwrap();
        let slope = closed_form(3, 25.0, 0.0, 9.81, e.q()[m.nq() - 1])[1];
        assert!(slope.abs() < 1e-10 && e.residual < 1e-12, "{strategy:?}: {slope:e} {:e}", e.residual);
    }
}

/// More unknowns than the dense limit: the sparse factors carry the same answer.
#[test]
fn large_linkages_go_through_the_sparse_factors() {
    let data = FourBar { loops: 300, stiffness: 25.0, damping: 0.0, gravity: [0.0, -9.81, 0.0], angle: 1.8 };
    let m = four_bar(data);
    assert!(m.nv() + m.nc() > mb_constraints::DENSE_UP_TO);
    let e = Equilibrium::solve(&m, m.initial(), &EquilibriumOptions::default()).unwrap();
    let slope = closed_form(300, 25.0, 0.0, 9.81, e.q()[m.nq() - 1])[1];
    assert!(slope.abs() < 1e-9 * 300.0, "{slope:e}");
    assert!(norms::max_abs_vec(&m.phi(e.q(), 0.0)) < 1e-11);
}

#[test]
fn a_falling_body_has_no_equilibrium_and_is_named() {
    let mut m = Model::new("falling", [0.0, -9.81, 0.0]);
    let id = m.add_block("stone", BlockKind::PlanarPoint, &[0.0, 0.0]);
    let mut w = Wiring::default();
    let (slot, _) = w.slot(id, m.coordinates().block(id));
    let stone = PointMass { slot, mass: 2.0, alpha: 0.0 };
    m.add_element("point 'stone'", Element::PointMass(stone), w.into_blocks(), vec![]);
    let error = solve(&m, Strategy::Automatic).unwrap_err();
    let LinearError::Falls { pushed, equation } = &error else { panic!("{error}") };
    assert_eq!([pushed, equation], ["stone.y (1.00)", "stone.y"]);
}

#[test]
fn a_spring_shrunk_to_a_point_is_named() {
    let mut m = Model::new("point", [0.0; 3]);
    let id = m.add_block("P", BlockKind::PlanarPoint, &[0.0, 0.0]);
    let mut w = Wiring::default();
    let b = m.place(&mut w, id, [0.0; 2]);
    let a = Place::Ground([0.0; 3]);
    let spring = Spring { a, b, stiffness: 1.0, natural_length: 0.0, damping: 0.0 };
    m.add_element("spring 'stay'", Element::Spring(spring), w.into_blocks(), vec![]);
    let error = solve(&m, Strategy::Automatic).unwrap_err().to_string();
    assert!(error.contains("spring 'stay'"), "{error}");
}

/// Ziegler's column: two links on torsion springs under a follower force along the last one. The
/// reduced stiffness is not symmetric, so its sign does not decide; the eigenvalues do.
#[test]
fn follower_loads_are_undecided_by_stiffness() {
    let column = |push: f64| {
        let text = format!(
            r#"
            units = "SI"
            name = "column"
            body = [
                {{ name = "lower", mass = 1, inertia = 0.1, at = [0, 0], markers = {{ top = [0, 1] }} }},
                {{ name = "upper", mass = 1, inertia = 0.1, at = [0, 1], markers = {{ top = [0, 1] }} }},
            ]
            point = [{{ name = "O", at = [0, 0], fixed = true }}]
            joint = [
                {{ name = "base", type = "revolute", a = "lower", b = "O" }},
                {{ name = "knee", type = "revolute", a = "upper", b = "lower.top" }},
            ]
            torsion-spring = [
                {{ name = "base-spring", a = "ground", b = "lower", stiffness = 10 }},
                {{ name = "knee-spring", a = "lower", b = "upper", stiffness = 10 }},
            ]
            force = [{{ name = "jet", at = "upper.top", vector = [0, {push}], frame = "follower" }}]
            "#
        );
        mb_model::ModelSpec::from_toml(&text).unwrap().build().unwrap()
    };
    let free = solve(&column(0.0), Strategy::Automatic).unwrap();
    assert_eq!(stability(&column(0.0), &free).unwrap(), Stability::Stable);
    let m = column(-3.0);
    let loaded = solve(&m, Strategy::Automatic).unwrap();
    assert_eq!(stability(&m, &loaded).unwrap(), Stability::Undecided);
}

/// No load at all, and a prestress that cancels: the sums are rounding, the equilibrium is one.
#[test]
fn unloaded_and_prestressed_models_are_at_rest() {
    let model = |gap: f64| {
        let text = format!(
            r#"
            units = "SI"
            name = "stretched"
            point = [
                {{ name = "A", at = [-0.1, 0.3], fixed = true }},
                {{ name = "B", at = [0.9, 1.7], fixed = true }},
                {{ name = "P", at = [0.4, 1.0], mass = 1 }},
            ]
            spring = [
                {{ name = "left", a = "A", b = "P", stiffness = 1e6, natural_length = "sqrt(0.74) - {gap}" }},
                {{ name = "right", a = "B", b = "P", stiffness = 1e6, natural_length = "sqrt(0.74) - {gap}" }},
            ]
            "#
        );
        mb_model::ModelSpec::from_toml(&text).unwrap().build().unwrap()
    };
    for gap in [0.0, 0.2] {
        let m = model(gap);
        let e = solve(&m, Strategy::Automatic).unwrap();
        assert!((e.q()[0] - 0.4).abs() < 1e-12 && (e.q()[1] - 1.0).abs() < 1e-12, "{:?}", e.q());
    }
}

#[test]
fn a_moving_drive_is_no_rest() {
    let text = r#"
        units = "SI"
        name = "driven"
        body = [{ name = "crank", mass = 1, inertia = 0.1, at = [0, 0] }]
        point = [{ name = "O", at = [0, 0], fixed = true }]
        joint = [{ name = "pin", type = "revolute", a = "crank", b = "O" }]
        drive = [{ name = "motor", quantity = "angle", of = "crank", law = "0.3*cos(2*t)" }]
    "#;
    let m = mb_model::ModelSpec::from_toml(text).unwrap().build().unwrap();
    let error = solve(&m, Strategy::Automatic).unwrap_err();
    assert!(
        matches!(&error, LinearError::Driven { owner, acceleration, .. }
        if owner.contains("motor") && (acceleration.abs() - 1.2).abs() < 1e-12),
        "{error}"
    );
}

#[test]
fn given_points_are_verified() {
    let m = pendulum(0.0);
    let e = Equilibrium::verify(&m, m.initial().to_vec(), &EquilibriumOptions::default()).unwrap();
    assert_eq!(OperatingPoint::from(&e).kind(), PointKind::Equilibrium);
    let off = Equilibrium::verify(&m, vec![0.0, 0.0, 0.1], &EquilibriumOptions::default()).unwrap_err();
    assert!(off.to_string().contains("rod."), "{off}");
    let short = Point { lambda: vec![], ..m.initial_point() };
    let error = OperatingPoint::declared(&m, short, 1e-9).unwrap_err().to_string();
    assert_eq!(error, "The point has 0 multipliers, the model needs 2.");
}

/// A steel beam on a ball joint, level at the start, hangs down in the end: so much stiffer along itself than as a
/// pendulum that explicit steps do not get there, which shows within a fifth of those there may be.
#[test]
fn a_stiff_beam_swings_down_to_its_hanging_rest() {
    for elements in [4, 50] {
        hangs_down(elements);
    }
}

/// However fine: compared with what its short elements resist a stretch with, all the weight is nothing.
fn hangs_down(elements: usize) {
    let model = Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "beam on a ball"
        gravity = [0.0, 0.0, -9.81]
        [[beam]]
        name = "rod"
        from = [0.0, 0.0, 0.0]
        to = [2.0, 0.0, 0.0]
        elements = {elements}
        density = 7850.0
        youngs_modulus = 2.1e11
        poissons_ratio = 0.3
        section = {{ radius = 0.02 }}
        [[joint]]
        name = "ball"
        type = "spherical"
        a = "rod.start"
        b = "ground"
        "#
    ))
    .unwrap();
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    assert_eq!(rest.found_by, "descent with inertia");
    assert!(rest.iterations < 50 * EquilibriumOptions::default().max_iterations / 5, "{}", rest.iterations);
    let end = &rest.q()[rest.q().len() - 7..];
    // Stretched by rho g l^2 / (2 E) of its weight.
    let stretch = 7850.0 * 9.81 * 4.0 / (2.0 * 2.1e11);
    assert!((end[2] + 2.0 + stretch).abs() < 1e-3 * stretch, "{} {stretch}", end[2]);
    assert!(end[0].abs() + end[1].abs() < 1e-9, "{end:?}");
    // Free to spin about itself.
    let stable = stability(&model, &rest).unwrap();
    assert!(matches!(stable, Stability::Neutral { .. }), "{stable:?}");
}

/// A rod without weight on a pin, turned by a constant torque, with a torsion spring.
fn motor(stiffness: f64) -> Model {
    let text = format!(
        "units = \"SI\"\nname = \"motor\"\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = 1\nat = [0, 0]\nangle = 0\n\
         [[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"rod\"\nb = \"ground\"\n\
         [[torsion-spring]]\nname = \"coil\"\na = \"rod\"\nb = \"ground\"\nstiffness = {stiffness}\n\
         [[torque]]\nname = \"drive\"\non = \"rod\"\nmagnitude = 100\n"
    );
    mb_model::ModelSpec::from_toml(&text).unwrap().build().unwrap()
}

#[test]
fn what_a_torque_turns_forever_is_named_and_a_coil_of_many_turns_is_wound() {
    for strategy in [Strategy::Automatic, Strategy::Relaxation] {
        let error = solve(&motor(0.0), strategy).unwrap_err();
        let LinearError::Turns { .. } = &error else { panic!("{error}") };
        let why = error.to_string();
        assert!(why.starts_with("The torque 'drive' turns rod.angle (1.00), which nothing holds"), "{why}");
        // 100 N m on 0.5 N m/rad: 32 turns.
        let wound = solve(&motor(0.5), strategy).unwrap();
        assert!((wound.q()[2] - 200.0).abs() < 1e-9 * 200.0, "{:?}", wound.q());
    }
}

/// Two rods of one metre upright on each other, on torsion springs k, with the weight W = m g each:
///
/// ```text
/// det [2 k - 3 x / 2, -k; -k, k - x / 2] = 0,   x = s W 1 m:   x = k (5 - 13^1/2) / 3, the first load that they do not carry
/// ```
fn upright_rods(stiffness: f64) -> (Model, f64) {
    let model = Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "upright rods"
        gravity = [0, -9.81]
        body = [
            {{ name = "a", mass = 2000, inertia = 1, at = [0, 0.5], markers = {{ s = [0, -0.5], e = [0, 0.5] }} }},
            {{ name = "b", mass = 2000, inertia = 1, at = [0, 1.5], markers = {{ s = [0, -0.5] }} }},
        ]
        joint = [
            {{ name = "j1", type = "revolute", a = "a.s", b = "ground" }},
            {{ name = "j2", type = "revolute", a = "b.s", b = "a.e" }},
        ]
        torsion-spring = [
            {{ name = "k1", a = "a", b = "ground", stiffness = {stiffness}, natural_angle = 0 }},
            {{ name = "k2", a = "b", b = "a", stiffness = {stiffness}, natural_angle = 0 }},
        ]
        "#
    ));
    (model.expect("a model that holds"), stiffness * (5.0 - 13.0_f64.sqrt()) / (3.0 * 2000.0 * 9.81))
}

/// The first load that buckles is found however small a part of the given one it is.
#[test]
fn a_load_path_ends_at_the_first_buckling_load() {
    for stiffness in [10_000.0, 10.0, 0.1] {
        let (model, expected) = upright_rods(stiffness);
        let path = load_path(&model, model.initial(), &LoadPathOptions::default()).unwrap();
        let PathEnd::Buckling { factor, directions: 1, .. } = path.end else { panic!("{:?}", path.end) };
        assert!((factor / expected - 1.0).abs() < 1e-6, "{factor} {expected}");
        assert_eq!(path.steps[0].stability, Stability::Stable);
    }
}

/// What is unstable under any load is no buckling, as a rod upright on its pin.
#[test]
fn what_is_unstable_without_springs_does_not_buckle() {
    let upright = pendulum(core::f64::consts::PI);
    let path = load_path(&upright, upright.initial(), &LoadPathOptions::default()).unwrap();
    assert_eq!(path.end, PathEnd::FullLoad);
    assert!(path.steps.iter().all(|step| step.stability == Stability::Unstable { directions: 1 }));
}
