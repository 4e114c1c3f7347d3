//! Messages for bad tables of bodies and joints in space.

use crate::spec_errors::reports;

/// A correct model that the cases spoil or add to.
const GOOD: &str = r#"units = "SI"
name = "test"
gravity = [0.0, 0.0, -9.81]
[parameters]
m = 2.0
[[spatial-body]]
name = "arm"
mass = "m"
inertia = [0.2, 0.2, 0.1]
at = [0.0, 0.0, 0.5]
orientation = { axis = [1.0, 0.0, 0.0], angle = 0.3 }
markers.tip = [0.0, 0.0, 0.5]
frames.hinge = { at = [0.0, 0.0, -0.5], orientation = { x = [0.0, 1.0, 0.0], z = [1.0, 0.0, 0.0] } }
[[spatial-body]]
name = "rod"
mass = 1.0
inertia = [0.1, 0.1, 0.0]
at = [0.0, 0.0, 1.5]
[[point]]
name = "P"
at = [1.0, 0.0]
mass = 1.0
[[joint]]
name = "root"
type = "revolute"
a = "arm.hinge"
b = [0.0, 0.0, 0.0]
[[joint]]
name = "elbow"
type = "cylindrical"
a = "rod"
b = "arm.tip"
axis = [0.0, 0.0, 1.0]
"#;

/// The good file with one piece replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old}");
    GOOD.replace(old, new)
}
/// The good file with more tables.
fn and(more: &str) -> String {
    format!("{GOOD}{more}\n")
}

#[test]
fn bodies() {
    let text = reports([
        ("nothing", GOOD.to_owned()),
        ("zero mass", with("mass = \"m\"", "mass = 0.0")),
        ("negative mass", with("m = 2.0", "m = -2.0")),
        ("no mass", with("mass = \"m\"\n", "")),
        ("no inertia", with("inertia = [0.1, 0.1, 0.0]\n", "")),
        ("negative inertia", with("[0.2, 0.2, 0.1]", "[0.2, -0.2, 0.1]")),
        ("triangle", with("[0.2, 0.2, 0.1]", "[0.2, 0.2, 0.5]")),
        (
            "triangle by products",
            with("[0.2, 0.2, 0.1]", "[0.2, 0.2, 0.1]\nproducts_of_inertia = [0.15, 0.0, 0.0]"),
        ),
        ("two numbers", with("at = [0.0, 0.0, 1.5]", "at = [0.0, 1.5]")),
        ("planar gravity", with("[0.0, 0.0, -9.81]", "[-9.81]")),
        ("zero axis", with("axis = [1.0, 0.0, 0.0], angle", "axis = [0.0, 0.0, 0.0], angle")),
        ("axis without angle", with("axis = [1.0, 0.0, 0.0], angle = 0.3", "axis = [1.0, 0.0, 0.0]")),
        ("two ways of saying it", with("angle = 0.3", "angle = 0.3, cardan = [0.0, 0.0, 0.0]")),
        (
            "no parameters",
            with("axis = [1.0, 0.0, 0.0], angle = 0.3", "euler_parameters = [0.0, 0.0, 0.0, 0.0]"),
        ),
        (
            "parallel pins",
            and(
                "[[joint]]\nname = \"cross\"\ntype = \"universal\"\na = \"arm.tip\"\nb = \"rod\"\naxis = [1.0, 0.0, 0.0]\naxis_a = [1.0, 0.0, 0.0]",
            ),
        ),
        ("axes not perpendicular", with("x = [0.0, 1.0, 0.0]", "x = [0.2, 1.0, 0.0]")),
        ("zero direction", with("x = [0.0, 1.0, 0.0]", "x = [0.0, 0.0, 0.0]")),
        ("marker and frame of one name", with("markers.tip", "markers.hinge")),
        ("duplicate name", with("name = \"rod\"", "name = \"arm\"")),
        ("moving ground", with("name = \"rod\"", "name = \"rod\"\nfixed = true\nvelocity = [1.0, 0.0, 0.0]")),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn joints() {
    let text = reports([
        ("unknown body", with("b = \"arm.tip\"", "b = \"amr.tip\"")),
        ("unknown marker", with("b = \"arm.tip\"", "b = \"arm.tpi\"")),
        ("zero axis", with("axis = [0.0, 0.0, 1.0]", "axis = [0.0, 0.0, 0.0]")),
        ("no axis", with("axis = [0.0, 0.0, 1.0]\n", "")),
        ("axis twice", with("b = \"arm.tip\"", "b = \"arm.hinge\"")),
        ("axis of a ball", with("\"cylindrical\"", "\"spherical\"")),
        ("both ends on one body", with("a = \"rod\"", "a = \"arm\"")),
        ("universal without its second pin", with("\"cylindrical\"", "\"universal\"")),
        ("generic without mask", with("\"cylindrical\"", "\"generic\"")),
        ("generic with two masks", with("\"cylindrical\"", "\"generic\"\nlocked = [\"x\"]\nfree = [\"y\"]")),
        ("generic that locks nothing", with("\"cylindrical\"", "\"generic\"\nlocked = []")),
        ("unknown motion", with("\"cylindrical\"", "\"generic\"\nlocked = [\"rotation w\"]")),
        ("mask of another", with("\"cylindrical\"", "\"cylindrical\"\nlocked = [\"x\"]")),
        ("angle in space", with("\"cylindrical\"", "\"fixed\"\nangle = 0.1")),
        (
            "a point cannot be turned",
            and("[[joint]]\nname = \"j\"\ntype = \"fixed\"\na = \"rod\"\nb = \"P\""),
        ),
        (
            "a ball in the plane",
            and("[[joint]]\nname = \"j\"\ntype = \"spherical\"\na = \"P\"\nb = [1.0, 0.0]"),
        ),
        (
            "a line that leaves the plane",
            and(
                "[[joint]]\nname = \"j\"\ntype = \"point-on-line\"\na = \"P\"\nb = [1.0, 0.0]\naxis = [1, 0, 0.5]",
            ),
        ),
        (
            "angle of a prismatic joint",
            with("\"cylindrical\"", "\"prismatic\"")
                + "[[drive]]\nname = \"d\"\nquantity = \"angle\"\nof = \"elbow\"\nlaw = \"t\"",
        ),
        (
            "displacement of a revolute joint",
            and("[[output]]\nname = \"y\"\nquantity = \"displacement\"\nof = \"root\""),
        ),
        (
            "multiplier without a row",
            and("[[output]]\nname = \"y\"\nquantity = \"multiplier\"\nof = \"root\"\naxis = \"rotation z\""),
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn loads() {
    let bushing = "[[bushing]]\nname = \"k\"\na = \"rod\"\nb = \"arm\"\n";
    let torque = "[[torque]]\nname = \"t\"\non = \"rod\"\nmagnitude = 1.0\n";
    let text = reports([
        ("bushing without anything", and(bushing)),
        ("five numbers", and(&format!("{bushing}stiffness = [1, 1, 1, 1, 1]"))),
        (
            "stiffness twice",
            and(&format!("{bushing}stiffness = [1, 1, 1, 1, 1, 1]\nstiffness_matrix = {:?}", [[0.0; 6]; 6])),
        ),
        (
            "bushing in the plane",
            and("[[bushing]]\nname = \"k\"\na = \"P\"\nb = [0, 0]\ndamping = [1, 1, 1, 1, 1, 1]"),
        ),
        ("moment without direction", and(torque)),
        ("moment without length", and(&format!("{torque}direction = [0, 0, 0]"))),
        ("spring between nothing", and("[[torsion-spring]]\nname = \"s\"\nstiffness = 1.0")),
        (
            "spring said twice",
            and("[[torsion-spring]]\nname = \"s\"\nstiffness = 1.0\njoint = \"root\"\na = \"arm\""),
        ),
        (
            "spring about a ball",
            and(
                "[[joint]]\nname = \"ball\"\ntype = \"spherical\"\na = \"rod\"\nb = [0, 0, 1.5]\n[[torsion-spring]]\nname = \"s\"\nstiffness = 1.0\njoint = \"ball\"",
            ),
        ),
        (
            "force along a joint with a direction",
            and("[[force]]\nname = \"f\"\nat = \"elbow\"\nvector = [1, 0, 0]"),
        ),
        (
            "force along a joint that does not slide",
            and("[[force]]\nname = \"f\"\nat = \"root\"\nmagnitude = 1"),
        ),
    ]);
    insta::assert_snapshot!(text);
}
