//! Solids in model files: what they make, and what is said of those that are wrong.

use mb_model::{BlockKind, Model, ModelSpec};

const BLOCK: &str = r#"
units = "SI"
name = "block"
gravity = [0.0, 0.0, -9.81]
parameters.L = 2.0

[[solid]]
name = "bar"
block = { size = ["L", 0.5, 0.25], elements = [4, 2, 1] }
at = [1.0, 0.0, 0.0]
orientation = { axis = [0, 0, 1], angle = "deg(90)" }
density = 8000.0
youngs_modulus = 2e11
poissons_ratio = 0.3
fixed = ["x-"]
held = { "z-" = ["z"], node5 = ["x", "z"] }

[[surface-load]]
name = "pull"
on = "bar.x+"
force = [0.0, 3.0, 0.0]
"#;

fn build(text: &str) -> Model {
    match Model::from_toml(text) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_block_in_a_file() {
    let model = build(BLOCK);
    assert_eq!(model.nv(), 3 * 5 * 3 * 2);
    // Six nodes fixed, and node 5 and the others of the lower face along z: 4 x 3 of them are not at the foot.
    assert_eq!(model.nc(), 6 * 3 + 12 + 1);
    assert_eq!(model.row_name(0), "solid 'bar' node 1 (x)");
    assert!((0..model.nc()).any(|i| model.row_name(i) == "solid 'bar' node 5 (x)"));
    assert!(model.coordinates().blocks().iter().all(|b| b.kind == BlockKind::SpatialPoint));
    // Node 5 is at the end of the first edge, which the orientation turns along y.
    let at = &model.initial()[12..15];
    assert!((at[0] - 1.0).abs() < 1e-15 && (at[1] - 2.0).abs() < 1e-15 && at[2] == 0.0);
    let residual = model.residual(&model.initial_point());
    let force = |k: usize| residual.iter().skip(k).step_by(3).sum::<f64>();
    assert!(force(0).abs() < 1e-9 && (force(1) + 3.0).abs() < 1e-9);
    assert!((force(2) - 8000.0 * 0.25 * 9.81).abs() < 1e-8);
}

#[test]
fn a_file_is_read_back_as_it_was_written() {
    let spec = ModelSpec::from_toml(BLOCK).unwrap();
    assert_eq!(ModelSpec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec);
}

/// A pin on a node, a spring on another, a beam and a hinge on a rigid face.
#[test]
fn joints_springs_and_beams_hold_on_to_solids() {
    let model = build(&format!(
        "{}{}",
        BLOCK.replace("held =", "rigid = [\"x+\"]\nheld ="),
        r#"
        [[joint]]
        name = "pin"
        type = "spherical"
        a = "bar.node10"
        b = "ground"

        [[joint]]
        name = "hinge"
        type = "revolute"
        a = "bar.x+"
        b = "ground"
        axis = [0, 0, 1]

        [[spring]]
        name = "spring"
        a = "bar.node30"
        b = [0, 0, 5]
        stiffness = 3.0
        natural_length = 1.0

        [[beam]]
        name = "rod"
        from = "bar.x+"
        to = [1, 5, 0.125]
        elements = 1
        section = { radius = 0.01 }
        density = 8000.0
        youngs_modulus = 2e11
        poissons_ratio = 0.3

        [[torque]]
        name = "twist"
        on = "bar.x+"
        direction = [0, 1, 0]
        magnitude = 2.0

        [[output]]
        name = "height"
        quantity = "z"
        of = "bar.node30"

        [[output]]
        name = "pin-force"
        quantity = "force"
        axis = "z"
        of = "pin"
        "#
    ));
    // The rigid face is a body in its middle: six coordinates, three rows for each of its six nodes.
    let face = model.coordinates().blocks().iter().find(|b| b.name == "bar.x+").unwrap();
    assert_eq!(face.kind, BlockKind::Pose);
    let at = &model.initial()[face.q..face.q + 3];
    let middle = [1.0 - 0.25, 2.0, 0.125];
    assert!(at.iter().zip(middle).all(|(a, b)| (a - b).abs() < 1e-14), "{at:?}");
    let names: Vec<String> = (0..model.nc()).map(|i| model.row_name(i)).collect();
    assert_eq!(names.iter().filter(|n| n.contains(" on x+ ")).count(), 18);
    assert!(names.contains(&"solid 'bar' node 5 on x+ (y)".to_owned()));
    assert_eq!(names.iter().filter(|n| n.starts_with("joint 'hinge'")).count(), 5);
    let point = model.initial_point();
    assert!(model.phi(&point.q, 0.0).iter().all(|x| x.abs() < 1e-14));
    assert!((model.outputs(&point)[0] - 0.25).abs() < 1e-15);
}

const MESH: &str = "\
nodes
1 0 0 0
2 100 0 0
3 100 100 0
4 0 100 0
5 0 0 100
6 100 0 100
7 100 100 100
8 0 100 100
elements
1 1 2 3 4 5 6 7 8
set foot
1 2 3 4
set top
5 6 7 8
";

fn with_mesh(mesh: &str, keys: &str) -> Result<Model, mb_model::ModelError> {
    let text = BLOCK
        .replace(
            "block = { size = [\"L\", 0.5, 0.25], elements = [4, 2, 1] }",
            "mesh = \"cube.mesh\"\nscale = 1e-3",
        )
        .replace("\"x-\"", "\"foot\"")
        .replace("held = { \"z-\" = [\"z\"], node5 = [\"x\", \"z\"] }", keys)
        .replace("bar.x+", "bar.top");
    let mut spec = ModelSpec::from_toml(&text)?;
    assert_eq!(spec.mesh_files(), ["cube.mesh"]);
    if !mesh.is_empty() {
        spec.attach_mesh("cube.mesh", mesh);
    }
    spec.build().map_err(|e| e.located(&text))
}

#[test]
fn a_mesh_file_beside_the_model() {
    let model = with_mesh(MESH, "").unwrap();
    assert_eq!((model.nv(), model.nc()), (24, 12));
    let mass: f64 = 8000.0 * 1e-3;
    let weight: f64 = model.residual(&model.initial_point()).iter().skip(2).step_by(3).sum();
    assert!((weight - mass * 9.81).abs() < 1e-9);
    let error = with_mesh("", "").unwrap_err();
    assert_eq!(error.problems()[0].to_string(), "solid 'bar': the mesh file `cube.mesh` is not there");
    let error = with_mesh(&MESH.replace("7 100", "7 x"), "").unwrap_err();
    assert_eq!(error.line(), Some(9));
    assert_eq!(
        error.problems()[0].to_string(),
        "solid 'bar': mesh file `cube.mesh`, line 8: `x` is not a finite coordinate"
    );
    let error = with_mesh(&MESH.replace("1 1 2 3 4 5 6 7 8", "1 1 4 3 2 5 8 7 6"), "").unwrap_err();
    assert!(error.problems()[0].to_string().contains("line 11: element 1 is inside out"), "{error}");
}

/// A set followed in the mean: a frame in its middle and six rows, whose names say whose they are.
#[test]
fn a_face_is_followed_in_the_mean() {
    let model = build(&format!(
        "{}{}",
        BLOCK.replace("held =", "averaged = [\"x+\"]\nheld ="),
        r#"
        [[joint]]
        name = "hinge"
        type = "revolute"
        a = "bar.x+"
        b = "ground"
        axis = [0, 0, 1]
        "#
    ));
    let face = model.coordinates().blocks().iter().find(|b| b.name == "bar.x+").unwrap();
    assert_eq!(face.kind, BlockKind::Pose);
    let names: Vec<String> = (0..model.nc()).map(|i| model.row_name(i)).collect();
    let mean: Vec<&String> = names.iter().filter(|n| n.contains("mean of x+")).collect();
    assert_eq!(mean.len(), 6);
    assert_eq!(mean[0], "solid 'bar' mean of x+ (x)");
    assert_eq!(mean[5], "solid 'bar' mean of x+ (rotation z)");
    let point = model.initial_point();
    assert!(model.phi(&point.q, 0.0).iter().all(|x| x.abs() < 1e-14));
}

#[test]
fn sets_that_no_frame_can_follow_are_named() {
    let message = |keys: &str| {
        let text = BLOCK.replace("held =", &format!("{keys}\nheld ="));
        Model::from_toml(&text).unwrap_err().problems()[0].to_string()
    };
    assert!(message("averaged = [\"top\"]").contains("neither a node set nor a node `top`"));
    let twice = message("rigid = [\"x+\"]\naveraged = [\"x+\"]");
    assert_eq!(twice, "solid 'bar': the node set `x+` stands twice in the lists `rigid` and `averaged`");
    let line = with_mesh(&format!("{MESH}set edge\n7 8\n"), "averaged = [\"edge\"]").unwrap_err();
    assert_eq!(
        line.problems()[0].to_string(),
        "solid 'bar': the node set `edge` cannot be averaged: the 2 points lie on a line, so that they have no \
         mean rotation about it"
    );
}

#[test]
fn what_is_wrong_with_a_solid_is_said() {
    let message = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        let error = Model::from_toml(&BLOCK.replacen(from, to, 1)).unwrap_err();
        (error.problems()[0].to_string(), error.help().unwrap_or_default())
    };
    let cases = [
        (
            "poissons_ratio = 0.3",
            "poissons_ratio = 0.5",
            "Poisson's ratio is 0.5; it lies above -1 and below 0.5",
        ),
        ("[\"L\", 0.5, 0.25]", "[\"-L\", 0.5, 0.25]", "size"),
        ("[4, 2, 1]", "[4, 2, 0]", "number of elements is 0"),
        ("[4, 2, 1]", "[4000, 2000, 1000]", "8000000000 elements"),
        ("fixed = [\"x-\"]", "fixed = [\"x\"]", "neither a node set nor a node `x`"),
        ("node5 =", "node500 =", "neither a node set nor a node `node500`"),
        ("on = \"bar.x+\"", "on = \"bar.node7\"", "neither a node set nor a node `node7`"),
        ("on = \"bar.x+\"", "on = \"bar\"", "has no place of its own"),
        ("on = \"bar.x+\"", "on = \"baz.x+\"", "there is no solid `baz`"),
        ("force = [0.0, 3.0, 0.0]", "", "none of `force`, `traction` and `pressure`"),
        ("force = [0.0", "pressure = 2.0\nforce = [0.0", "`force` and `pressure` cannot stand together"),
        ("block = {", "mesh = \"m\"\nblock = {", "`block` and `mesh` cannot stand together"),
    ];
    for (from, to, expected) in cases {
        let (found, help) = message(from, to);
        assert!(found.contains(expected), "{found} [{help}]\nin place of {expected}");
    }
    let joint = |a: &str, kind: &str| {
        let joint = format!(
            "[[joint]]\nname = \"j\"\ntype = \"{kind}\"\na = \"{a}\"\nb = \"ground\"\naxis = [0, 0, 1]\n"
        );
        let joint = if kind == "spherical" { joint.replace("axis = [0, 0, 1]\n", "") } else { joint };
        Model::from_toml(&format!("{BLOCK}{joint}")).unwrap_err().problems()[0].to_string()
    };
    assert!(
        joint("bar.y+", "spherical").contains("not rigid or averaged"),
        "{}",
        joint("bar.y+", "spherical")
    );
    assert!(joint("bar.node7", "revolute").contains("joint 'j'"), "{}", joint("bar.node7", "revolute"));
}

/// What hangs on a faulty solid is not reported to be at fault too.
#[test]
fn a_faulty_set_is_the_only_fault() {
    let with = |list: &str| {
        format!(
            "{BLOCK}
            [[joint]]
            name = 'grip'
            type = 'fixed'
            a = 'bar.x+'
            b = 'ground'
            [[force]]
            name = 'push'
            at = 'bar.x+'
            vector = [0, 0, 1]
            "
        )
        .replace("fixed = [\"x-\"]", &format!("fixed = [\"x-\"]\n{list}"))
    };
    assert!(Model::from_toml(&with("averaged = ['x+']")).is_ok());
    for (list, words) in [
        ("averaged = ['x']", "neither a node set nor a node `x`"),
        ("rigid = ['node3']", "`node3` is a single node; `rigid` takes node sets"),
        ("averaged = ['x+']\nrigid = ['x+']", "stands twice"),
    ] {
        let error = Model::from_toml(&with(list)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(words), "{list}: {text}");
        assert!(!text.contains("grip") && !text.contains("push"), "{list}: {text}");
    }
}
