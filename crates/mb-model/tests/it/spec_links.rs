//! Flexible links in model files: what they make, and the messages for bad ones.

use crate::spec_errors::report;
use mb_model::spec::{FlexibleLinkSpec, JointSpec, SectionSpec, TorsionSpringSpec};
use mb_model::{Model, ModelSpec};
use std::fmt::Write;

/// A correct link that the cases spoil.
const GOOD: &str = r#"units = "SI"
name = "test"
[parameters]
n = 8
L = 2.0
[[flexible-link]]
name = "arm"
length = "L"
elements = "n"
density = 7800
youngs_modulus = 2.1e11
section.radius = 0.01
at = [0, 0]
angle = 0
reference = "tangent"
damping.beta = 1e-4
markers.eye = "0.3*L"
[[joint]]
name = "hinge"
type = "revolute"
a = "arm.start"
b = [0, 0]
[[spring]]
name = "stay"
a = "arm.node3"
b = [0, 1]
stiffness = 5
natural_length = 1
"#;

#[test]
fn the_good_link_is_good() {
    assert_eq!(report(GOOD), "no error\n");
    let model = Model::from_toml(GOOD).unwrap();
    assert_eq!((model.nv(), model.nc()), (3 + 3 * 9, 5));
    assert_eq!(model.row_name(3), "joint 'hinge' (x)");
    let spec = ModelSpec::from_toml(GOOD).unwrap();
    assert_eq!(ModelSpec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec);
}

#[test]
fn messages_for_bad_links() {
    let with = |old: &str, new: &str| {
        assert_eq!(GOOD.matches(old).count(), 1, "{old}");
        GOOD.replace(old, new)
    };
    let section = "section.radius = 0.01";
    let mut out = String::new();
    for (title, text) in [
        ("zero length", with("L = 2.0", "L = 0")),
        ("zero section", with("section.radius = 0.01", "section.radius = 0")),
        ("no section", with("section.radius = 0.01", "section = {}")),
        ("half a rectangle", with(section, "section.width = 0.01")),
        ("two sections", with(section, "section = { radius = 0.01, area = 1e-4 }")),
        ("tube without wall", with(section, "section = { radius = 0.01, inner_radius = 0.01 }")),
        ("section of a beam in space", with(section, "section = { radius = 0.01, torsion = 1e-8 }")),
        ("negative density", with("density = 7800", "density = -7800")),
        ("no modulus", with("youngs_modulus = 2.1e11", "youngs_modulus = 0")),
        ("negative damping", with("damping.beta = 1e-4", "damping.beta = -1e-4")),
        ("no element", with("n = 8", "n = 0")),
        ("half an element", with("n = 8", "n = 8.5")),
        ("too many elements", with("n = 8", "n = 1e9")),
        ("marker beyond the end", with("0.3*L", "1.3*L")),
        ("marker before the start", with("0.3*L", "-0.3*L")),
        ("reserved marker", with("markers.eye", "markers.end")),
        ("no such node", with("arm.node3", "arm.node12")),
        ("node zero", with("arm.node3", "arm.node0")),
        ("no such place", with("arm.node3", "arm.eya")),
        ("no reference conditions", with("\"tangent\"", "\"none\"")),
        ("too few conditions", with("\"tangent\"", "[\"start.x\", \"node5.y\"]")),
        ("no condition across", with("\"tangent\"", "[\"end.x\", \"end.rotation\"]")),
        ("too many conditions", with("\"tangent\"", "[\"start.x\", \"start.y\", \"end.y\", \"end.x\"]")),
        ("condition of no node", with("\"tangent\"", "[\"node99.x\"]")),
        ("no condition", with("\"tangent\"", "[\"start.z\"]")),
        ("unknown reference", with("\"tangent\"", "\"tangental\"")),
        ("unknown key", with("density", "densty")),
        ("both ends in one place", with("b = [0, 1]", "b = \"arm.node3\"")),
    ] {
        writeln!(out, "# {title}\n{}", report(&text)).unwrap();
    }
    insta::assert_snapshot!(out);
}

fn beam(name: &str) -> FlexibleLinkSpec {
    FlexibleLinkSpec {
        density: 1000.0.into(),
        youngs_modulus: 1e9.into(),
        section: SectionSpec::rectangle(0.02, 0.03),
        ..FlexibleLinkSpec::new(name, 1.5, 4)
    }
}

/// Joints between two links place the second one, and a weld keeps the angle of the sections.
#[test]
fn links_are_placed_and_welded_at_their_ends() {
    let mut spec = ModelSpec::new("frame");
    spec.flexible_links.push(beam("post").starting([1.0, 0.0], "deg(90)"));
    let mut bar = beam("bar");
    bar.angle = Some(0.0.into());
    spec.flexible_links.push(bar);
    let weld = JointSpec::new(mb_model::spec::JointKind::Fixed, "weld", "bar.start", "post.end");
    spec.joints.push(weld);
    spec.torsion_springs.push(TorsionSpringSpec::new("coil", "post.node2", "ground", 3.0));
    let model = spec.build().unwrap();
    let bar = model.coordinates().blocks().iter().find(|b| b.name == "bar").unwrap().q;
    let start = &model.initial()[bar..bar + 3];
    assert!((start[0] - 1.0).abs() < 1e-15 && (start[1] - 1.5).abs() < 1e-15 && start[2] == 0.0);
    // As placed, the weld and the reference conditions hold; turning the end section of the post
    // by an elastic rotation breaks the angle of the weld by just that.
    assert!(model.phi(model.initial(), 0.0).iter().all(|x| x.abs() < 1e-15));
    let mut q = model.initial().to_vec();
    let end = model.coordinates().blocks().iter().find(|b| b.name == "post[5]").unwrap().q;
    q[end + 2] = 0.1;
    let phi = model.phi(&q, 0.0);
    let broken: Vec<_> = (0..model.nc()).filter(|i| phi[*i].abs() > 1e-15).collect();
    assert_eq!(broken.iter().map(|i| model.row_name(*i)).collect::<Vec<_>>(), ["joint 'weld' (angle)"]);
    assert!((phi[broken[0]] + 0.1).abs() < 1e-15);
    // The coil turns the section of its node: torque -3 (pi/2 - 0) on frame and node alike.
    let r = model.residual(&model.initial_point());
    let node = model.coordinates().blocks().iter().find(|b| b.name == "post[2]").unwrap().v;
    assert!((r[node + 2] - r[2]).abs() < 1e-12 && r[2].abs() > 4.0);
}

/// A chain of equivalent rigid links, `true` for those that are passive, and joints by their ends.
fn rigid_links(links: &[(&str, &str, bool)], joints: &[(&str, &str)]) -> String {
    let mut text = "units = \"SI\"\nname = \"links\"\n".to_owned();
    for (name, base, passive) in links {
        let _infallible = writeln!(
            text,
            "[[erls-link]]\nname = \"{name}\"\nbase = {base}\nlength = 1\nelements = 2\ndensity = 1\nyoungs_modulus = 1\n\
             section.radius = 0.01\npassive = {passive}"
        );
    }
    for (k, (a, b)) in joints.iter().enumerate() {
        let _infallible =
            writeln!(text, "[[joint]]\nname = \"j{k}\"\ntype = \"revolute\"\na = \"{a}\"\nb = {b}");
    }
    text
}

/// The links that are reported as passive without a loop.
fn faulty<'a>(links: &[(&'a str, &str, bool)], joints: &[(&str, &str)]) -> Vec<&'a str> {
    let said = report(&rigid_links(links, joints));
    let named = |name: &&str| said.contains(&format!("'{name}' is passive, and no loop"));
    links.iter().map(|l| l.0).filter(named).collect()
}

/// A loop gives the angles of two passive links; any further one describes one turn twice.
#[test]
fn passive_links_need_a_loop_that_gives_their_angles() {
    let ground = "[0, 0]";
    let chain = [("a", ground, true), ("b", "\"a\"", false), ("c", "\"b\"", true)];
    assert_eq!(faulty(&chain, &[]), ["a", "c"]);
    assert_eq!(faulty(&chain, &[("c.end", "[1, 0]")]), [""; 0]);
    // A body is no part of the ideal mechanism.
    let body = "\n[[body]]\nname = \"body\"\nmass = 1\ninertia = 1\nat = [0, 0]\nangle = 0\n";
    let tied = rigid_links(&chain, &[("c.end", "\"body\"")]) + body;
    assert!(report(&tied).contains("'a' is passive"), "{}", report(&tied));
    // The base of b is the end of a: joined to the ground, it leaves the angles beyond it.
    assert_eq!(faulty(&chain, &[("b.start", "[1, 0]")]), ["c"]);
    let four_bar = [("crank", ground, false), ("coupler", "\"crank\"", true), ("rocker", "[1, 0]", true)];
    let close = ("coupler.end", "\"rocker.end\"");
    assert_eq!(faulty(&four_bar, &[close]), [""; 0]);
    let mut free = four_bar;
    free[0].2 = true;
    assert_eq!(faulty(&free, &[close]), ["rocker"]);
    // Two branches on one link: its angle moves both sides of the joint alike.
    let fork = [("stem", ground, true), ("left", "\"stem\"", true), ("right", "\"stem\"", true)];
    assert_eq!(faulty(&fork, &[("left.end", "\"right.end\"")]), ["stem"]);
    // Two loops that share a link: each gives two angles, whichever row the shared one takes.
    let two = [("p", ground, true), ("q", "\"p\"", true), ("r", "\"q\"", true), ("s", "[3, 0]", true)];
    assert_eq!(faulty(&two, &[("r.end", "\"s.end\""), ("q.end", "[2, 0]")]), [""; 0]);
}

/// `ground` without a point is where the other end starts, which must then be known.
#[test]
fn ground_needs_an_end_whose_start_is_given() {
    let hung = GOOD.replace("at = [0, 0]\nangle", "angle").replace("b = [0, 0]", "b = \"ground\"");
    let said = report(&hung);
    assert!(said.contains("`b` does not follow from the start") && said.contains("as a point"), "{said}");
    assert_eq!(report(&hung.replace("b = \"ground\"", "b = [0, 0]")), "no error\n");
}
