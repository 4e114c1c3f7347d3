//! What is drawn of each gallery model: every moving place follows the coordinates to first order.

use mb_model::{CIRCLE, Model, OutlinePlace, OutlineStroke, Stroke};

fn fixture(name: &str) -> Model {
    let path = format!("{}/../mb-gallery/models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    Model::from_toml(&text).expect("the fixture is right")
}

#[test]
fn steps_are_the_derivatives_of_positions() {
    let names = [
        "double-pendulum-rigid",
        "slider-crank",
        "n-four-bar",
        "free-body",
        "flexible-double-pendulum",
        "erls-arm",
        "erls-four-bar",
    ];
    for name in names.into_iter().chain(["spatial-four-bar"]) {
        let model = fixture(name);
        let q = model.initial().to_vec();
        let d: Vec<f64> = (0..model.nv()).map(|i| 0.3 + 0.1 * i as f64).collect();
        let h = 1e-6;
        let moved = |s: f64| {
            let step: Vec<f64> = d.iter().map(|d| s * h * d).collect();
            model.coordinates().retract(&q, &step)
        };
        let (plus, minus) = (moved(1.0), moved(-1.0));
        let outline = model.outline();
        assert!(!outline.is_empty() && model.is_planar() == names.contains(&name), "{name}");
        for place in outline.iter().flat_map(|s| &s.places) {
            let step = model.place_step(place, &q, &d);
            let (a, b) = (model.place_at(place, &plus), model.place_at(place, &minus));
            for k in 0..3 {
                assert!((step[k] - (a[k] - b[k]) / (2.0 * h)).abs() < 1e-8, "{name}");
            }
            assert!(!place.is_ground() || step.iter().all(|x| *x == 0.0));
        }
    }
}

/// Curves of neighbouring elements meet, also where the link is bent; between the nodes they leave the chord.
#[test]
fn equivalent_rigid_links_are_curves_between_pins() {
    let model = fixture("erls-four-bar");
    let bent: Vec<f64> = (0..model.nv()).map(|i| 1e-2 * ((3 * i + 1) % 7) as f64).collect();
    let q = model.coordinates().retract(model.initial(), &bent);
    let outline = model.outline();
    let at = |stroke: &OutlineStroke| stroke.places.iter().map(|p| model.place_at(p, &q)).collect::<Vec<_>>();
    let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    for owner in ["erls-link 'crank'", "erls-link 'coupler'", "erls-link 'rocker'"] {
        let curves = outline.iter().filter(|s| s.owner == owner && s.stroke == Stroke::Curve);
        let curves: Vec<Vec<[f64; 3]>> = curves.map(at).collect();
        assert!(curves.len() > 2, "{owner}");
        assert!(curves.windows(2).all(|c| apart(c[0][4], c[1][0]) < 1e-14), "{owner}");
        let middle = |c: &Vec<[f64; 3]>| apart(c[2], [0, 1, 2].map(|k| 0.5 * (c[0][k] + c[4][k])));
        assert!(curves.iter().any(|c| middle(c) > 1e-4), "{owner}");
    }
    // Two bases and the rocker's or the coupler's end: pins of which one place is of the ground, and those between links.
    let pins: Vec<&OutlineStroke> = outline.iter().filter(|s| s.stroke == Stroke::Pin).collect();
    let grounded = pins.iter().filter(|s| s.places.iter().any(OutlinePlace::is_ground)).count();
    assert_eq!((pins.len(), grounded), (4, 2), "{pins:?}");
    let arm = fixture("erls-arm");
    assert!(arm.outline().iter().any(|s| s.stroke == Stroke::Mass && s.owner == "erls-link 'lower'"));
}

#[test]
fn a_body_is_drawn_by_the_points_others_attach_to() {
    let model = fixture("double-pendulum-rigid");
    let outline = model.outline();
    let bodies: Vec<_> = outline.iter().filter(|s| s.stroke == Stroke::Body).collect();
    assert_eq!(bodies.len(), 2);
    let pins: Vec<_> = outline.iter().filter(|s| s.stroke == Stroke::Pin).collect();
    // The upper body: its centre, its pin in the ground and its pin to the lower one.
    assert_eq!((bodies[0].places.len(), pins.len()), (3, 2));
    let all: Vec<[f64; 3]> = bodies[0].places.iter().map(|p| model.place_at(p, model.initial())).collect();
    for pin in pins {
        let at = model.place_at(&pin.places[0], model.initial());
        let other = model.place_at(&pin.places[1], model.initial());
        assert!(at.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(all.iter().any(|p| p.iter().zip(at).all(|(a, b)| (a - b).abs() < 1e-9)), "{all:?} {at:?}");
    }
}

#[test]
fn a_free_body_has_the_size_of_its_radius_of_gyration() {
    let model = fixture("free-body");
    let body = model.outline().into_iter().find(|s| s.stroke == Stroke::Body).unwrap();
    let at: Vec<[f64; 3]> = body.places.iter().map(|p| model.place_at(p, model.initial())).collect();
    assert_eq!(at.len(), 3);
    let [a, b] = [at[1], at[2]];
    let middle = [0, 1].map(|k| 0.5 * (a[k] + b[k]) - at[0][k]);
    assert!(middle.iter().all(|x| x.abs() < 1e-12) && (a[0] - b[0]).hypot(a[1] - b[1]) > 0.0);
}

/// A rotor on its axis is drawn with a girth: its spin moves what is drawn, and the inertia about the axis is its radius.
#[test]
fn a_body_on_its_axis_shows_how_it_turns() {
    let rotor = |spin: &str| {
        let text = format!(
            "units = \"SI\"\nname = \"rotor\"\nspatial-body = [{{ name = \"r\", mass = 4, inertia = [0.3, 0.3, {spin}], at = [0, 0, 0], \
             markers = {{ low = [0, 0, -0.5], high = [0, 0, 0.5] }} }}]\njoint = [{{ name = \"axle\", type = \"revolute\", a = \"r.low\", \
             b = \"ground\", axis = [0, 0, 1] }}]\nspring = [{{ name = \"s\", a = [0, 0, 1], b = \"r.high\", stiffness = 1, natural_length = 0.5 }}]\n"
        );
        let model = Model::from_toml(&text).unwrap();
        let body = model.outline().into_iter().find(|s| s.stroke == Stroke::Body).unwrap();
        (body, model)
    };
    // r = sqrt(0.04 / 4), and each of four points moves by r in a step of one radian; a flywheel is drawn smaller.
    for (spin, radius) in [("0.04", 0.1), ("0.4", 0.125)] {
        let (body, model) = rotor(spin);
        let turn = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let steps = body.places.iter().map(|p| model.place_step(p, model.initial(), &turn));
        let ways: Vec<f64> = steps.map(|d| d[0].hypot(d[1]).hypot(d[2])).filter(|way| *way > 0.0).collect();
        assert!(ways.len() == 4 && ways.iter().all(|way| (way - radius).abs() < 1e-12), "{ways:?}");
    }
    // Of a wire there is nothing but the line.
    assert_eq!(rotor("1e-6").0.places.len(), 3);
}

#[test]
fn bodies_in_space_and_flexible_links_are_drawn() {
    let model = fixture("spatial-four-bar");
    let outline = model.outline();
    let bodies: Vec<_> = outline.iter().filter(|s| s.stroke == Stroke::Body).collect();
    // Each its centre and the two joints it is in; the spring may add a point.
    assert!(bodies.len() == 3 && bodies.iter().all(|b| b.places.len() >= 3), "{bodies:?}");
    assert_eq!(outline.iter().filter(|s| s.stroke == Stroke::Pin).count(), 4);
    let links = fixture("flexible-double-pendulum").outline();
    assert!(links.iter().filter(|s| s.stroke == Stroke::Curve).all(|s| s.places.len() == 5));
}

/// A wheel is a circle on its tread about its axle, a part of its body, and a ball three circles; other bodies keep their points.
#[test]
fn what_rolls_is_round() {
    let wheels = |model: &Model| -> Vec<OutlineStroke> {
        model.outline().into_iter().filter(|s| s.stroke == Stroke::Wheel).collect()
    };
    let bicycle = fixture("bicycle");
    for (wheel, (body, radius)) in
        wheels(&bicycle).iter().zip([("spatial-body 'rear'", 0.3), ("spatial-body 'front'", 0.35)])
    {
        let at: Vec<_> = wheel.places.iter().map(|p| bicycle.place_at(p, bicycle.initial())).collect();
        assert!(wheel.owner == body && at.len() == 1 + CIRCLE, "{wheel:?}");
        for p in &at[1..] {
            let far = (p[0] - at[0][0]).hypot(p[2] - at[0][2]);
            assert!((far - radius).abs() < 1e-12 && p[1] == 0.0, "{p:?}");
        }
        // The circle touches the ground.
        let low = at.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        assert!(low.abs() < 1e-12, "{low}");
        let own = bicycle.outline().into_iter().find(|s| s.stroke == Stroke::Body && s.owner == body);
        assert_eq!(own.unwrap().places.len(), 2, "its centre and its hub");
    }
    assert_eq!(wheels(&bicycle).len(), 2);
    let ball = BALL.replace("AXLE", "");
    let ball = Model::from_toml(&ball).unwrap();
    assert_eq!(wheels(&ball)[0].places.len(), 1 + 3 * CIRCLE);
    // The tread is round beyond its circle.
    let torus = Model::from_toml(&BALL.replace("AXLE", "axle = [0, 1, 0]\ntread = 0.05")).unwrap();
    let [wheel] = &wheels(&torus)[..] else { panic!("one wheel") };
    let far = torus.place_at(&wheel.places[1], torus.initial());
    assert!((far[0].hypot(far[2] - 0.25) - 0.25).abs() < 1e-12, "{far:?}");
}

const BALL: &str = r#"
units = "SI"
name = "ball"
gravity = [0, 0, -9.81]

[[spatial-body]]
name = "ball"
mass = 1
inertia = [0.02, 0.02, 0.02]
at = [0, 0, 0.25]

[[rolling]]
name = "contact"
wheel = "ball"
radius = 0.2
AXLE
"#;

/// An arm on a hinge with a torsional spring, a second one welded to it.
const WELDED: &str = r#"
units = "SI"
name = "welded"
body = [
  { name = "arm", mass = 1, inertia = 0.1, at = [0, 0], markers = { l = [-0.5, 0], r = [1, 0] } },
  { name = "tip", mass = 1, inertia = 0.1, at = [1.5, 0.3], markers = { l = [-0.5, -0.3] } },
]
joint = [
  { name = "hinge", type = "revolute", a = "arm.l", b = [-0.5, 0] },
  { name = "weld", type = "fixed", a = "tip.l", b = "arm.r" },
]
torsion-spring = [
  { name = "coil", a = "ground", b = "arm", stiffness = 10 },
  { name = "friction", a = "tip", b = "ground", damping = 1 },
]
"#;

#[test]
fn clamps_and_torsion_springs_are_drawn_where_they_are() {
    let model = Model::from_toml(WELDED).unwrap();
    let outline = model.outline();
    let of = |kind: Stroke| {
        let found: Vec<_> = outline.iter().filter(|s| s.stroke == kind).collect();
        assert_eq!(found.len(), 1, "{kind:?}: {found:?}");
        let at: Vec<_> = found[0].places.iter().map(|p| model.place_at(p, model.initial())).collect();
        (found[0].owner.clone(), at)
    };
    // The direction of the weld is that to the centre of what it holds.
    assert_eq!(
        of(Stroke::Clamp),
        ("joint 'weld'".into(), vec![[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.5, 0.3, 0.0]])
    );
    assert_eq!(of(Stroke::Pin).0, "joint 'hinge'");
    let (owner, at) = of(Stroke::TorsionSpring);
    assert_eq!((owner.as_str(), &at[..]), ("torsion-spring 'coil'", &[[-0.5, 0.0, 0.0]; 2][..]));
    // Nothing of the tip is held by the ground: the damper is drawn at the tip.
    let (owner, at) = of(Stroke::TorsionDamper);
    assert_eq!((owner.as_str(), &at[..]), ("torsion-spring 'friction'", &[[1.0, 0.0, 0.0]; 2][..]));
}

#[test]
fn clamps_in_space_point_along_what_they_hold() {
    let model = fixture("beam-cantilever");
    let clamp = model.outline().into_iter().find(|s| s.stroke == Stroke::Clamp).unwrap();
    let at: Vec<_> = clamp.places.iter().map(|p| model.place_at(p, model.initial())).collect();
    assert_eq!(at[..2], [[0.0; 3]; 2]);
    assert!(at.len() == 3 && at[2][0] > 0.0 && at[2][1..] == [0.0; 2], "{at:?}");
    // Lines with an angle of their own meet at their common end.
    let model = fixture("spring-arm");
    for spring in model.outline().iter().filter(|s| s.stroke == Stroke::TorsionSpring) {
        let at: Vec<_> = spring.places.iter().map(|p| model.place_at(p, model.initial())).collect();
        assert!((0..3).all(|k| (at[0][k] - at[1][k]).abs() < 1e-9), "{at:?}");
    }
}
