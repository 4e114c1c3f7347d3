//! Solids at rest under load and their modes: stretch, stress stiffness, buckling, rigid motions, hinges on rigid faces.

use core::f64::consts::TAU;
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{Class, DenseOptions};
use mb_gallery::models::{BeamCantilever, SolidCantilever};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LinearError, LoadPathOptions, OperatingPoint, PathEnd, Stability,
    linearize, linearize_sparse, load_path, stability,
};
use mb_model::Model;
use mb_model::spec::{SolidElementSpec, SolidMassSpec};

pub(crate) fn rest_of(model: &Model) -> Equilibrium {
    Equilibrium::solve(model, model.initial(), &EquilibriumOptions::default()).unwrap()
}
/// The lowest frequencies at rest, rad/s.
fn lowest(model: &Model, rest: &Equilibrium, count: usize) -> Vec<f64> {
    let lin = linearize_sparse(model, &OperatingPoint::from(rest));
    let request = Request::Lowest { count };
    let spectrum = sparse::solve(&lin.pencil(), &request, &SparseOptions::default()).unwrap();
    let mut found: Vec<f64> = spectrum.motion_values().iter().map(|s| s.im).filter(|w| *w >= 0.0).collect();
    found.sort_by(f64::total_cmp);
    found.truncate(count);
    found
}
/// One layer of enhanced elements, Poisson's ratio zero.
fn slender(tension: f64) -> Model {
    let cantilever = SolidCantilever {
        across: 1,
        along: 20,
        element: SolidElementSpec::Enhanced,
        mass: SolidMassSpec::Consistent,
        tension,
        ..SolidCantilever::default()
    };
    cantilever.spec().unwrap().build().unwrap()
}

/// Under a dead pull F a bar of this material without Poisson's ratio stretches by l with F/A = E l (l^2 - 1) / 2.
#[test]
fn a_bar_stretches_as_its_law_says() {
    let (force, beam) = (1e10, BeamCantilever::default());
    let model = slender(force);
    let rest = rest_of(&model);
    let stretch = rest.q()[rest.q().len() - 1] / beam.length;
    let stress = 0.5 * beam.youngs_modulus * stretch * (stretch * stretch - 1.0);
    assert!((stress * beam.side * beam.side / force - 1.0).abs() < 1e-12, "{stretch}");
    let below: f64 = rest.lambda().iter().skip(2).step_by(3).sum();
    assert!((below.abs() / force - 1.0).abs() < 1e-12, "{below}");
}

/// Bending modes come in pairs, near those of the continuum, and tension raises them as it raises those.
#[test]
fn bending_is_near_the_continuum_with_and_without_tension() {
    for tension in [0.0, 1e10] {
        let model = slender(tension);
        let found = lowest(&model, &rest_of(&model), 4);
        let exact = BeamCantilever { tension, ..BeamCantilever::default() }.continuum_hz(2);
        // Shear and rotary inertia lower the second by a per cent; the mesh raises it by as much.
        for (pair, exact) in found.chunks(2).zip(exact) {
            assert!((pair[1] / pair[0] - 1.0).abs() < 1e-8, "{found:?}");
            assert!((pair[0] / TAU / exact - 1.0).abs() < 0.015, "{} {exact}", pair[0] / TAU);
        }
    }
}

/// Near the load under which a column buckles the square of its frequency goes down in proportion to what is left.
#[test]
fn pressure_softens_a_column() {
    let still = {
        let model = slender(0.0);
        lowest(&model, &rest_of(&model), 1)[0]
    };
    for share in [0.3, 0.6, 0.9] {
        let model = slender(share * BeamCantilever::default().buckling_tension());
        let found = lowest(&model, &rest_of(&model), 1)[0];
        let left = (found / still).powi(2);
        assert!((left - (1.0 - share)).abs() < 0.02, "{share}: {left}");
    }
}

/// A mesh of more than a thousand coordinates without loads is at rest as it is assembled, clamped or free; a load, however small
/// compared with the stiffness, moves it.
#[test]
fn a_large_mesh_without_loads_rests_as_it_is_assembled() {
    let block = |gravity: f64, clamp: &str| {
        let text = format!(
            "units = 'SI'\nname = 'block'\ngravity = [0, 0, {gravity}]\n
            [[solid]]\nname = 'block'\nblock = {{ size = [3, 0.3, 0.2], elements = [40, 2, 2] }}
            orientation = {{ axis = [1, 2, 3], angle = 0.7 }}
            density = 7800\nyoungs_modulus = 2e11\npoissons_ratio = 0.3\n{clamp}"
        );
        let model = Model::from_toml(&text).unwrap();
        assert!(model.nv() > 1000);
        model
    };
    let clamp = "fixed = ['x-']\n";
    let held = block(0.0, clamp);
    let rest = rest_of(&held);
    assert_eq!((rest.q(), rest.iterations), (held.initial(), 0));
    assert_eq!(stability(&held, &rest).unwrap(), Stability::Stable);
    let free = block(0.0, "");
    let rest = rest_of(&free);
    assert_eq!(rest.q(), free.initial());
    assert_eq!(stability(&free, &rest).unwrap(), Stability::Neutral { directions: 6 });
    // The support carries a weight of 1e-9 N, far below the rounding of an element's force.
    let loaded = block(-1e-9 / (7800.0 * 3.0 * 0.3 * 0.2), clamp);
    assert!(!loaded.is_unloaded(&loaded.initial_point()));
    assert!(held.is_unloaded(&held.initial_point()));
}

/// A free solid has six motions without frequency and no more.
#[test]
fn a_free_block_has_six_rigid_modes() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "free"
        [[solid]]
        name = "block"
        block = { size = [3, 2, 1], elements = [2, 1, 1] }
        orientation = { axis = [1, 2, 3], angle = 0.7 }
        density = 8.0
        youngs_modulus = 2e3
        poissons_ratio = 0.3
        "#,
    )
    .unwrap();
    let rest = rest_of(&model);
    let lin = linearize(&model, &OperatingPoint::from(&rest));
    let spectrum = mb_eigen::dense::solve(&lin.pencil(), &DenseOptions::default()).unwrap();
    let rigid = spectrum.of_class(Class::Rigid).count();
    assert_eq!(rigid, 12, "two eigenvalues at zero for each of six motions");
    let slowest =
        spectrum.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
    assert!(slowest > 1.0);
}

/// A stiff block that hangs from a hinge on a rigid face swings like a rigid body, and the hinge carries its weight.
#[test]
fn a_block_on_a_hinge_swings_like_a_rigid_body() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "pendulum"
        gravity = [0, 0, -9.81]
        [[solid]]
        name = "block"
        block = { size = [0.2, 0.3, 1.0], elements = [1, 1, 3] }
        at = [-0.1, -0.15, -1.0]
        density = 2700.0
        youngs_modulus = 7e10
        poissons_ratio = 0.3
        rigid = ["z+"]
        [[joint]]
        name = "hinge"
        type = "revolute"
        a = "block.z+"
        b = "ground"
        axis = [0, 1, 0]
        "#,
    )
    .unwrap();
    let rest = rest_of(&model);
    let found = lowest(&model, &rest, 1)[0];
    let inertia = (0.2_f64.powi(2) + 1.0) / 12.0 + 0.25;
    let exact = (9.81 * 0.5 / inertia).sqrt();
    assert!((found / exact - 1.0).abs() < 1e-5, "{found} {exact}");
    let reactions = model.reactions();
    let hinge = reactions.iter().find(|r| r.owner == "joint 'hinge'").unwrap();
    let point = OperatingPoint::from(&rest).point().clone();
    let weight = 2700.0 * 0.06 * 9.81;
    assert!((model.wrench(hinge, &point).force[2] / weight - 1.0).abs() < 1e-9);
}

/// A block with one end held along its axis and the other pulled through a frame in the mean of its face: the face is
/// free to contract, so that the stress is uniform and the frame moves by what the law says; a rigid face is stiffer.
#[test]
fn a_pull_on_a_face_in_the_mean_leaves_it_free_to_contract() {
    let (e, nu, force) = (2e11_f64, 0.3, 1e3);
    let ends = |key: &str| {
        let model = Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "pulled"
            [[solid]]
            name = "bar"
            block = {{ size = [0.2, 0.1, 0.6], elements = [3, 2, 4] }}
            density = 7850
            youngs_modulus = {e:?}
            poissons_ratio = {nu:?}
            held = {{ "z-" = ["z"], "x-" = ["x"], "y-" = ["y"] }}
            {key} = ["z+"]
            [[force]]
            name = "pull"
            at = "bar.z+"
            vector = [0, 0, {force:?}]
            "#
        ))
        .unwrap();
        let rest = rest_of(&model);
        let coordinates = model.coordinates();
        let face = coordinates.blocks().iter().find(|b| b.name == "bar.z+").unwrap();
        let corner = coordinates.blocks().iter().rev().find(|b| b.name.starts_with("bar[")).unwrap();
        let wide = rest.q()[corner.q] / 0.2 - 1.0;
        (rest.q()[face.q + 2] / 0.6 - 1.0, wide)
    };
    let strain = force / (0.02 * e);
    let (long, wide) = ends("averaged");
    // The law is that of large strains, 1.5 times the strain off Hooke's.
    assert!((long / strain - 1.0).abs() < 1e-5, "{long} {strain}");
    assert!((wide / -(nu * strain) - 1.0).abs() < 1e-5, "{wide}");
    let (rigid, still) = ends("rigid");
    assert!(rigid < 0.98 * long && still.abs() < 1e-3 * wide.abs(), "{rigid} {long} {still}");
}

/// A block clamped by a frame in the mean of one face: the clamp carries its weight and the moment of it, exactly.
#[test]
fn a_clamp_in_the_mean_carries_weight_and_moment() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "bracket"
        gravity = [0, 0, -9.81]
        [[solid]]
        name = "block"
        block = { size = [1.0, 0.3, 0.2], elements = [4, 2, 2] }
        density = 2700.0
        youngs_modulus = 7e10
        poissons_ratio = 0.3
        averaged = ["x-"]
        [[joint]]
        name = "clamp"
        type = "fixed"
        a = "block.x-"
        b = "ground"
        "#,
    )
    .unwrap();
    let rest = rest_of(&model);
    let reactions = model.reactions();
    let clamp = reactions.iter().find(|r| r.owner == "joint 'clamp'").unwrap();
    let found = model.wrench(clamp, OperatingPoint::from(&rest).point());
    let weight = 2700.0 * 0.06 * 9.81;
    assert!((found.force[2] / weight - 1.0).abs() < 1e-9, "{found:?}");
    // The arm is half the length but for the sag, some millionths of it.
    assert!((found.moment[1].abs() / (0.5 * weight) - 1.0).abs() < 1e-5, "{found:?}");
    assert!(found.force[0].abs() + found.force[1].abs() + found.moment[0].abs() < 1e-6 * weight);
    // Two bending modes near those of a cantilever, softer: the clamp lets the face warp and stretch.
    let found = lowest(&model, &rest, 2);
    let bending = 1.875_f64.powi(2) * (7e10 / 2700.0 / 12.0_f64).sqrt();
    assert!((0.75..1.0).contains(&(found[0] / (0.2 * bending))), "{found:?} {bending}");
    assert!((0.75..1.0).contains(&(found[1] / (0.3 * bending))), "{found:?} {bending}");
}

/// A frame without mass or stiffness holds a face however small the loads are that give its rotation a trace of
/// stiffness: the factors take no row for another.
#[test]
fn traces_of_load_do_not_loosen_a_clamp() {
    let first = |key: &str, gravity: f64| {
        let model = Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "bracket"
            gravity = [0, 0, {gravity:?}]
            [[solid]]
            name = "block"
            block = {{ size = [1.0, 0.3, 0.2], elements = [4, 2, 2] }}
            density = 2700.0
            youngs_modulus = 7e10
            poissons_ratio = 0.3
            {key} = ["x-"]
            [[joint]]
            name = "clamp"
            type = "fixed"
            a = "block.x-"
            b = "ground"
            "#
        ))
        .unwrap();
        lowest(&model, &rest_of(&model), 1)[0]
    };
    for key in ["rigid", "averaged"] {
        let still = first(key, 0.0);
        assert!(still > 100.0, "{key} {still}");
        for gravity in [-1e-12, -1e-6, -1.0] {
            let found = first(key, gravity);
            assert!((found / still - 1.0).abs() < 1e-6, "{key} {gravity}: {found} {still}");
        }
    }
}

/// A steel block held by the mean of its foot, a body in the mean of its end: few steps of Newton's method, and modes. The
/// rotations of the frames have but a trace of stiffness compared with the steel.
#[test]
fn frames_in_the_mean_carry_steel() {
    let block = |held: &str, tool: &str| {
        Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "column"
            gravity = [0, 0, -9.81]
            [[solid]]
            name = "block"
            block = {{ size = [0.1, 0.1, 1.0], elements = [3, 3, 12] }}
            density = 7850.0
            youngs_modulus = 2.1e11
            poissons_ratio = 0.3
            {held}
            {tool}
            "#
        ))
        .unwrap()
    };
    let foot = "[[joint]]\nname = \"foot\"\ntype = \"fixed\"\na = \"block.z-\"\nb = \"ground\"";
    let tool = "[[spatial-body]]\nname = \"tool\"\nmass = 5.0\ninertia = [0.02, 0.02, 0.01]\n\
        [[joint]]\nname = \"grip\"\ntype = \"fixed\"\na = \"tool\"\nb = \"block.z+\"\n\
        [[force]]\nname = \"side\"\nat = \"tool\"\nvector = [2000.0, 0.0, 0.0]";
    let first = |held: &str, more: &str| {
        let model = block(held, more);
        let rest = rest_of(&model);
        assert!(rest.found_by == "Newton" && rest.iterations <= 6, "{} {}", rest.found_by, rest.iterations);
        let found = lowest(&model, &rest, 2);
        assert!((found[1] / found[0] - 1.0).abs() < 1e-4, "{found:?}");
        found[0]
    };
    let clamped = first("fixed = [\"z-\"]", "");
    // The foot may warp and stretch.
    let by_its_mean = first("averaged = [\"z-\", \"z+\"]", foot);
    assert!((0.97..1.0).contains(&(by_its_mean / clamped)), "{by_its_mean} {clamped}");
    // 33/140 of the block's mass swings with its end (Rayleigh); the body has rotary inertia and an arm of zero.
    let loaded = first("fixed = [\"z-\"]\naveraged = [\"z+\"]", tool);
    let swinging = 33.0 / 140.0 * 78.5;
    let ratio = (swinging / (swinging + 5.0_f64)).sqrt();
    assert!((loaded / clamped / ratio - 1.0).abs() < 0.01, "{loaded} {clamped} {ratio}");
}

/// Damping in proportion to mass and stiffness, given in the file: zeta = alpha / (2 w) + beta w / 2 of each mode.
#[test]
fn damping_of_a_solid_is_that_of_proportional_damping() {
    let (alpha, beta) = (0.4, 2e-4);
    let block = |damping: &str| {
        Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "damped"
            [[solid]]
            name = "bar"
            block = {{ size = [0.2, 0.3, 1.0], elements = [1, 1, 4] }}
            density = 2700.0
            youngs_modulus = 7e7
            poissons_ratio = 0.3
            fixed = ["z-"]
            {damping}
            "#
        ))
        .unwrap()
    };
    let still = block("");
    let undamped = lowest(&still, &rest_of(&still), 6);
    let model = block(&format!("damping = {{ alpha = {alpha:?}, beta = {beta:?} }}"));
    let lin = linearize_sparse(&model, &OperatingPoint::from(&rest_of(&model)));
    let request = Request::Lowest { count: 6 };
    let spectrum = sparse::solve(&lin.pencil(), &request, &SparseOptions::default()).unwrap();
    let mut values: Vec<_> = spectrum.motion_values().into_iter().filter(|s| s.im > 0.0).collect();
    values.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    assert!(values.len() >= 6);
    for (s, w) in values.iter().zip(undamped) {
        let zeta = alpha / (2.0 * w) + beta * w / 2.0;
        assert!((s.norm() / w - 1.0).abs() < 1e-9, "{s} {w}");
        assert!((-s.re / s.norm() / zeta - 1.0).abs() < 1e-7, "{s} {zeta}");
    }
}

/// A cube pressed by a follower pressure on all sides shrinks as its law says: p times the area it has now is what the
/// stress of the unstressed state carries, p l^2 = -l S, S = 3 K (l^2 - 1) / 2.
#[test]
fn a_cube_under_pressure_shrinks_alike_on_all_sides() {
    let (e, nu, pressure) = (2e3, 0.3, 50.0);
    let model = Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "diver"
        [[solid]]
        name = "cube"
        block = {{ size = [1, 1, 1], elements = [2, 2, 2] }}
        density = 8.0
        youngs_modulus = {e:?}
        poissons_ratio = {nu:?}
        held = {{ "x-" = ["x"], "y-" = ["y"], "z-" = ["z"] }}
        [[surface-load]]
        name = "water"
        on = "cube.all"
        pressure = {pressure:?}
        "#
    ))
    .unwrap();
    let rest = rest_of(&model);
    let side = rest.q()[rest.q().len() - 1];
    let bulk = e / (3.0 * (1.0 - 2.0 * nu));
    let stress = 1.5 * bulk * (side * side - 1.0);
    assert!((pressure * side / -stress - 1.0).abs() < 1e-10, "{side}");
    let far = rest.q().len() - 3;
    assert!(rest.q()[far..].iter().all(|x| (x - side).abs() < 1e-12) && side < 1.0);
}

/// Elements of displacements alone are stiff in bending by the energy of their parasitic shear, (G/E) (l/h)^2 with their
/// length l and the height h of the section; enhanced elements are not.
#[test]
fn parasitic_shear_stiffens_by_the_square_of_the_length() {
    let first = |element, along: u32| {
        let mass = SolidMassSpec::Consistent;
        let solid = SolidCantilever { across: 1, along, element, mass, ..SolidCantilever::default() };
        let model = solid.spec().unwrap().build().unwrap();
        lowest(&model, &rest_of(&model), 1)[0]
    };
    let exact = first(SolidElementSpec::Enhanced, 60);
    for along in [10, 20, 40] {
        let ratio = |element| (first(element, along) / exact).powi(2) - 1.0;
        // Length over height is 20, G/E one half.
        let expected = 0.5 * (20.0 / f64::from(along)).powi(2);
        let full = ratio(SolidElementSpec::Full);
        assert!((full / expected - 1.0).abs() < 0.01, "{along}: {full} {expected}");
        assert!(ratio(SolidElementSpec::Enhanced).abs() < 0.005, "{along}");
    }
}

/// A bar without Poisson's ratio whose law F/A = E l (l^2 - 1) / 2 has its least, -E / (3 sqrt 3), at l = 1 / sqrt 3. More
/// pressure than that finds rest only beyond l = -1, where the bar has passed through itself.
#[test]
fn a_bar_pressed_through_itself_is_no_equilibrium() {
    let build = |share: f64| {
        Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "pressed"
            [[solid]]
            name = "bar"
            block = {{ size = [1, 1, 2], elements = [1, 1, 2] }}
            density = 1.0
            youngs_modulus = 1e3
            poissons_ratio = 0
            fixed = ["z-"]
            held = {{ all = ["x", "y"] }}
            [[surface-load]]
            name = "press"
            on = "bar.z+"
            force = [0, 0, {}]
            "#,
            -share * 1e3 / 27.0_f64.sqrt()
        ))
        .unwrap()
    };
    let least = rest_of(&build(0.9)).q()[35];
    assert!(least > 2.0 / 3.0_f64.sqrt() && least < 2.0, "{least}");
    let pressed = build(1.6);
    match Equilibrium::solve(&pressed, pressed.initial(), &EquilibriumOptions::default()) {
        Err(LinearError::InsideOut { count, worst }) => {
            assert_eq!((count, worst.owner.as_str()), (2, "solid 'bar'"));
            assert!(worst.ratio < -1.0 && worst.nodes.len() == 8, "{worst}");
        }
        // No method needs to find the mirror image; none may call it a body.
        other => assert!(matches!(other, Err(LinearError::NoEquilibrium { .. })), "{other:?}"),
    }
    // The mirror image itself, offered as an equilibrium: l (l^2 - 1) / 2 = -1.6 / sqrt 27.
    let mut l = -1.2_f64;
    for _ in 0..50 {
        l -= (0.5 * l * (l * l - 1.0) + 1.6 / 27.0_f64.sqrt()) / (1.5 * l * l - 0.5);
    }
    let mut q = pressed.initial().to_vec();
    q.iter_mut().skip(2).step_by(3).for_each(|z| *z *= l);
    let offered = Equilibrium::verify(&pressed, q, &EquilibriumOptions::default());
    assert!(matches!(offered, Err(LinearError::InsideOut { count: 2, .. })), "{offered:?}");
    // Growing loads end where the law has its least.
    let path = load_path(&pressed, pressed.initial(), &LoadPathOptions::default()).unwrap();
    let PathEnd::LimitPoint { factor } = path.end else { panic!("{:?}", path.end) };
    assert!((factor * 1.6 - 1.0).abs() < 1e-5, "{factor}");
}
