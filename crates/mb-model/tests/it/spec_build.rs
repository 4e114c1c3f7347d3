//! Models made from descriptions: that each kind of table means what it says.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use mb_model::spec::{
    AngleForm, AngleSpec, BodySpec, DriveSpec, ForceSpec, FrameSpec, JointKind, JointSpec, OutputQuantity,
    OutputSpec, PlaceRef, PointSpec, QuantitySpec, RepeatSpec, RodSpec, SpringSpec, TorqueSpec,
    TorsionSpringSpec, Value,
};
use mb_model::{Model, ModelSpec, Point};
use mb_scalar::Real;
use mb_scalar::jet::{DynJet, Monomials};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "{a:?} {b:?}");
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-13, "{a:?} {b:?}");
    }
}
fn body(name: &str) -> BodySpec {
    BodySpec::new(name, 2.0, 0.3)
}
fn at(model: &Model, q: &[f64]) -> Point {
    Point { q: q.to_vec(), ..model.initial_point() }
}

#[test]
fn markers_of_fixed_bodies_are_places_of_the_ground() {
    let mut spec = ModelSpec::new("t");
    let frame = BodySpec { fixed: true, ..body("frame") };
    spec.bodies.push(frame.starting([1.0, 2.0], "deg(90)").with_marker("eye", [3.0, 0.0]));
    spec.bodies.push(body("arm").starting([0.0, 0.0], 0.0));
    spec.joints.push(JointSpec::revolute("pin", "arm", "frame.eye"));
    let model = spec.build().unwrap();
    assert_eq!((model.nv(), model.nc()), (3, 2));
    close(&model.phi(&[1.0, 5.0, 0.7], 0.0), &[0.0, 0.0]);
}

#[test]
fn a_slider_on_a_turned_fixed_body_moves_along_the_turned_axis() {
    for axis in [[2.0, 0.0].into(), [2.0, 0.0, 0.0].into()] {
        let mut spec = ModelSpec::new("t");
        let frame = BodySpec { fixed: true, ..body("frame") };
        spec.bodies.push(frame.starting([1.0, 0.0], "pi/3"));
        spec.bodies.push(body("block").starting([1.0, 0.0], FRAC_PI_2));
        let guide = JointSpec::new(JointKind::Prismatic, "guide", "block", "frame");
        spec.joints.push(JointSpec { axis: Some(axis), ..guide });
        let model = spec.build().unwrap();
        let (s, c) = FRAC_PI_3.sin_cos();
        // Along the axis, with the angle of the start kept.
        close(&model.phi(&[1.0 + 4.0 * c, 4.0 * s, FRAC_PI_2], 0.0), &[0.0, 0.0]);
        // One metre across, and turned by 0.1.
        close(&model.phi(&[1.0 - s, c, FRAC_PI_2 + 0.1], 0.0), &[0.1, 1.0]);
        assert_eq!(model.row_name(0), "joint 'guide' (angle)");
        assert_eq!(model.row_name(1), "joint 'guide' (perpendicular)");
    }
}

#[test]
fn a_fixed_joint_keeps_the_angle_given_or_that_of_the_start() {
    let mut spec = ModelSpec::new("t");
    spec.bodies.push(body("a").starting([0.0, 0.0], 0.25));
    spec.bodies.push(body("b").starting([0.0, 0.0], 1.0));
    spec.joints.push(JointSpec::new(JointKind::Fixed, "weld", "a", "b"));
    let q = [0.5, 0.5, 0.25, 0.5, 0.5, 1.0];
    close(&spec.build().unwrap().phi(&q, 0.0), &[0.0, 0.0, 0.0]);
    spec.joints[0].angle = Some("deg(180)".into());
    close(&spec.build().unwrap().phi(&q, 0.0), &[0.0, 0.0, -0.75 - PI]);
}

#[test]
fn ground_in_a_joint_is_where_the_other_end_starts() {
    let mut spec = ModelSpec::new("t");
    spec.bodies.push(body("arm").starting([1.0, 2.0], "pi/2").with_marker("eye", [0.5, 0.0]));
    spec.joints.push(JointSpec::revolute("pin", "arm.eye", "ground"));
    let model = spec.build().unwrap();
    close(&model.phi(model.initial(), 0.0), &[0.0, 0.0]);
    close(&model.phi(&[1.0, 2.5, 0.0], 0.0), &[0.5, 0.0]);
}

#[test]
fn distances_default_to_those_of_the_start() {
    let mut spec = ModelSpec::new("t");
    spec.bodies.push(body("arm").starting([3.0, 4.0], 0.0));
    spec.joints.push(JointSpec::new(JointKind::Distance, "rope", "arm", [0.0, 0.0]));
    let model = spec.build().unwrap();
    close(&model.phi(&[0.0, 5.0, 1.0], 0.0), &[0.0]);
    close(&model.phi(&[0.0, 6.0, 1.0], 0.0), &[11.0]);
}

#[test]
fn drives_follow_their_laws_also_against_turned_fixed_bodies() {
    let mut spec = ModelSpec::new("t");
    spec.parameters.insert("w".into(), 3.0.into());
    spec.bodies.push(BodySpec { fixed: true, ..body("frame") }.starting([0.0, 0.0], 0.4));
    spec.bodies.push(body("arm").with_marker("tip", [2.0, 0.0]).starting([0.0, 0.0], 0.0));
    let from = |name: &str| Some(PlaceRef::from(name));
    spec.drives.push(DriveSpec {
        from: from("frame"),
        ..DriveSpec::new("turn", QuantitySpec::Angle, "arm", "sin(w*t)")
    });
    spec.drives.push(DriveSpec::new("lift", QuantitySpec::Y, "arm.tip", "1 + t^2"));
    spec.drives.push(DriveSpec {
        from: Some([1.0, 0.0].into()),
        ..DriveSpec::new("reach", QuantitySpec::Distance, "arm", 2.0)
    });
    let model = spec.build().unwrap();
    let (t, q) = (0.5, [4.0, 0.0, 1.0]);
    close(
        &model.phi(&q, t),
        &[1.0 - 0.4 - (3.0 * t).sin(), 2.0 * 1.0_f64.sin() - (1.0 + t * t), 3.0 * 3.0 - 2.0 * 2.0],
    );
    close(&model.phi_t(&q, t), &[-3.0 * (3.0 * t).cos(), -2.0 * t, 0.0]);
}

#[test]
fn springs_and_torsional_springs_push_back() {
    let mut spec = ModelSpec::new("t");
    spec.bodies.push(BodySpec { fixed: true, ..body("frame") }.starting([0.0, 0.0], 0.4));
    spec.bodies.push(body("arm").starting([3.0, 0.0], 0.0));
    spec.springs.push(SpringSpec::new("pull", "arm", [0.0, 0.0], 10.0, 2.0));
    spec.springs.push(SpringSpec {
        stiffness: None,
        natural_length: None,
        damping: Some(4.0.into()),
        ..SpringSpec::new("damp", "arm", [0.0, 0.0], 0.0, 0.0)
    });
    spec.torsion_springs.push(TorsionSpringSpec {
        natural_angle: Some(0.1.into()),
        damping: Some(2.0.into()),
        ..TorsionSpringSpec::new("twist", "frame", "arm", 5.0)
    });
    let model = spec.build().unwrap();
    let mut p = at(&model, &[3.0, 0.0, 0.9]);
    p.v = vec![0.5, 0.0, 0.25];
    // The residual is minus the force: 10 N of stretch and 2 N of damping, both along x.
    close(&model.residual(&p), &[10.0 + 2.0, 0.0, 5.0 * (0.9 - 0.4 - 0.1) + 2.0 * 0.25]);
}

#[test]
fn forces_act_along_their_directions_with_inputs_and_time() {
    let mut spec = ModelSpec::new("t");
    spec.bodies.push(body("arm").with_marker("tip", [1.0, 0.0]).starting([0.0, 0.0], 0.0));
    spec.forces.push(ForceSpec::dead("dead", "arm", [3.0, 4.0]));
    spec.forces.push(ForceSpec {
        frame: FrameSpec::Follower,
        magnitude: Some("2*t".into()),
        ..ForceSpec::input("push", "arm.tip", [0.0, 5.0], "F")
    });
    spec.forces.push(ForceSpec { input: Some("F".into()), ..ForceSpec::dead("more", "arm", [0.0, 2.0]) });
    spec.torques.push(TorqueSpec { input: Some("T".into()), ..TorqueSpec::new("turn", "arm", "t") });
    let model = spec.build().unwrap();
    assert_eq!(model.inputs(), ["F", "T"]);
    let mut p = at(&model, &[0.0, 0.0, FRAC_PI_2]);
    (p.t, p.u) = (1.5, vec![10.0, 100.0]);
    // The follower pushes along -x now; each force with an input carries the input once.
    let force = [3.0 - (3.0 + 10.0), 4.0 + 2.0 + 10.0, (3.0 + 10.0) + 1.5 + 100.0];
    close(&model.residual(&p), &force.map(|f| -f));
}

#[test]
fn outputs_read_what_they_name() {
    let mut spec = ModelSpec::new("t");
    spec.points.push(PointSpec::fixed("O", [0.0, 0.0]));
    spec.points.push(PointSpec::moving("P", [0.0, 2.0]));
    spec.rods.push(RodSpec::new("OP", ["O", "P"], 1.0));
    spec.angles.push(AngleSpec::new("phi", "O", "P", AngleForm::Cross));
    spec.outputs.push(OutputSpec { derivative: 1, ..OutputSpec::new("vx", OutputQuantity::X, "P") });
    spec.outputs.push(OutputSpec::new("phi", OutputQuantity::Angle, "phi"));
    spec.outputs.push(OutputSpec {
        from: Some([0.0, -1.0].into()),
        ..OutputSpec::new("d", OutputQuantity::Distance, "P")
    });
    spec.outputs.push(OutputSpec::new("lambda", OutputQuantity::Multiplier, "phi"));
    let model = spec.build().unwrap();
    assert_eq!((model.nv(), model.nc()), (3, 2));
    let mut p = model.initial_point();
    p.v = vec![7.0, 0.0, 0.0];
    p.lambda = vec![1.0, 5.0];
    close(&model.outputs(&p), &[7.0, FRAC_PI_2, 3.0, 5.0]);
}

/// Partial start values: the circle through two neighbours, joints, chains.
#[test]
fn what_has_no_start_begins_where_its_neighbours_allow() {
    let mut spec = ModelSpec::new("t");
    spec.points.push(PointSpec::fixed("A", [0.0, 0.0]));
    spec.points.push(PointSpec::fixed("D", [6.0, 0.0]));
    spec.points.push(PointSpec { at: None, ..PointSpec::moving("C", [0.0, 0.0]) });
    for (name, end) in [("AC", "A"), ("DC", "D")] {
        spec.rods.push(RodSpec { length: Some(5.0.into()), ..RodSpec::new(name, [end, "C"], 1.0) });
    }
    let mut coupler = body("coupler").with_marker("end", [2.0, 0.0]);
    coupler.center_of_mass = Some([1.0, 0.0].map(Value::from));
    spec.bodies.push(coupler);
    spec.bodies.push(body("tail").with_marker("hole", [0.0, 1.0]));
    spec.joints.push(JointSpec::revolute("p", "coupler", "C"));
    spec.joints.push(JointSpec::revolute("q", "coupler.end", [3.0, 6.0]));
    spec.joints.push(JointSpec::revolute("r", "tail.hole", "coupler.end"));
    let model = spec.build().unwrap();
    // C on both circles; the coupler from C along the line to (3, 6); the tail hangs on its end.
    close(model.initial(), &[3.0, 4.0, 3.0, 4.0, FRAC_PI_2, 3.0, 5.0, 0.0]);
    close(&model.phi(model.initial(), 0.0), &[0.0; 8]);
}

#[test]
fn a_grid_of_families_inside_families_and_parameters_in_names() {
    let mut spec = ModelSpec::new("grid");
    spec.parameters.insert("N".into(), 3.0.into());
    let inner = RepeatSpec {
        index: "j".into(),
        from: "i".into(),
        to: "N".into(),
        points: vec![PointSpec {
            mass: Some("i + 10*j".into()),
            ..PointSpec::moving("P{i}-{j}", ["i", "j"])
        }],
        ..RepeatSpec::default()
    };
    spec.repeats.push(RepeatSpec {
        index: "i".into(),
        from: "N".into(),
        to: 1.into(),
        step: Some((-1).into()),
        repeats: vec![inner],
        ..RepeatSpec::default()
    });
    spec.springs.push(SpringSpec::new("s", "P{N-1}-{N}", [0.0, 0.0], 1.0, 1.0));
    let model = spec.build().unwrap();
    let names: Vec<_> = model.coordinates().blocks().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["P3-3", "P2-2", "P2-3", "P1-1", "P1-2", "P1-3"]);
    assert_eq!(model.initial()[4..6], [2.0, 3.0]);
}

#[test]
fn parameters_are_expressions_of_each_other_in_any_order() {
    let mut spec = ModelSpec::new("t");
    for (name, text) in [("a", "2*z"), ("z", "m + 1"), ("m", "sqrt(4)")] {
        spec.parameters.insert(name.into(), text.into());
    }
    spec.points.push(PointSpec { mass: Some("a".into()), ..PointSpec::moving("P", ["z", "m"]) });
    let model = spec.build().unwrap();
    close(model.initial(), &[3.0, 2.0]);
    let mass = model.mass(&model.initial_point());
    close(&mass.iter().map(|(_, _, x)| *x).collect::<Vec<_>>(), &[6.0, 6.0]);
    assert!(spec.set_parameter("b", 1.0).is_err());
}

/// A parameter given as a series carries its derivatives into the whole model.
#[test]
fn given_parameters_carry_their_derivatives() {
    type J = DynJet<70>;
    // 1, m, L, m^2, m L, L^2.
    let exponents: Vec<Vec<u8>> = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]].map(Vec::from).into();
    let set = Monomials::new(&exponents).unwrap();
    let mut spec = ModelSpec::new("t");
    for (name, value) in [("m", 2.0), ("L", 3.0)] {
        spec.parameters.insert(name.into(), value.into());
    }
    spec.parameters.insert("J".into(), "m*L^2/12".into());
    let mut arm = BodySpec::new("arm", "m", "J").starting(["L", "0"], 0.0);
    arm.center_of_mass = Some(["L/2".into(), 0.0.into()]);
    spec.bodies.push(arm);
    spec.joints.push(JointSpec::new(JointKind::Distance, "rope", "arm", [0.0, 0.0]));
    let given = BTreeMap::from([
        ("m".to_owned(), J::variable(set, 0, 2.0)),
        ("L".to_owned(), J::variable(set, 1, 3.0)),
    ]);
    let model = spec.build_with(&given).unwrap();
    // The start and the default length move with L.
    assert!((model.initial()[0].coefficients(set)[2] - 1.0).abs() < 1e-15);
    let q = [J::cst(0.0), J::cst(4.0), J::cst(0.0)];
    let phi = model.phi(&q, J::cst(0.0))[0];
    let phi = phi.coefficients(set);
    close(&[phi[0], phi[2], phi[5]], &[16.0 - 9.0, -6.0, -1.0]);
    // Inertia about the reference point is m L^2/12 + m L^2/4 = m L^2 / 3.
    let mass = model.mass(&model.initial_point());
    let sum = mass.iter().filter(|(i, j, _)| (*i, *j) == (2, 2)).fold(J::cst(0.0), |s, (_, _, x)| s + *x);
    let sum = sum.coefficients(set);
    close(&[sum[0], sum[1], sum[2], sum[4]], &[6.0, 3.0, 4.0, 2.0]);
    let unknown = BTreeMap::from([("n".to_owned(), 1.0)]);
    assert!(spec.build_with(&unknown).is_err());
}

/// The schema is for editors: every key of every table, and no other.
#[test]
fn schema_knows_every_key_of_the_fixtures_and_no_other() {
    let schema = mb_model::spec::json_schema();
    for (file, text) in super::spec_fixtures::fixtures() {
        let document: toml::Value = toml::from_str(&text).unwrap();
        check(&schema, &schema, &document, &file);
    }
    let tables = schema["properties"].as_object().unwrap();
    assert_eq!(tables.len(), 29);
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["units", "name"]));
}

/// Follows a document through the schema: objects, lists, references.
fn check(root: &serde_json::Value, schema: &serde_json::Value, value: &toml::Value, path: &str) {
    let schema = match schema.get("$ref").and_then(|r| r.as_str()) {
        Some(r) => root.pointer(r.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    if let Some(options) = schema.get("anyOf").and_then(|o| o.as_array()) {
        let option = options.iter().find(|o| o["type"] != "null").unwrap();
        return check(root, option, value, path);
    }
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let sub =
                    schema.pointer(&format!("/properties/{key}")).or(schema.get("additionalProperties"));
                let sub = sub.filter(|s| s.is_object()).unwrap_or_else(|| panic!("{path}.{key}"));
                check(root, sub, value, &format!("{path}.{key}"));
            }
            for key in schema.get("required").and_then(|r| r.as_array()).into_iter().flatten() {
                assert!(table.contains_key(key.as_str().unwrap()), "{path}: {key}");
            }
        }
        toml::Value::Array(list) if schema.get("items").is_some_and(serde_json::Value::is_object) => {
            for item in list {
                check(root, &schema["items"], item, path);
            }
        }
        _ => {}
    }
}
