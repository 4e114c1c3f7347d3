//! Signs of stiffnesses that the entries of K hide: what geometry or the exact parts of K know of them.

use crate::support::mb_with;

/// A steel bar on a pin with a torsion spring, 14 decades softer than the bar.
fn pinned(k: f64) -> String {
    format!(
        "units = \"SI\"\nname = \"pinned\"\n[[flexible-link]]\nname = \"bar\"\nlength = 1\nelements = 4\ndensity = 7850\n\
         youngs_modulus = 2.1e11\nsection = {{ width = 0.01, height = 0.01 }}\nat = [0, 0]\n\
         [[joint]]\nname = \"r\"\ntype = \"revolute\"\na = \"bar.start\"\nb = \"ground\"\n\
         [[torsion-spring]]\nname = \"t\"\na = \"bar.start\"\nb = \"ground\"\nstiffness = {k:e}\n"
    )
}

/// A steel strip, clamped, with a strip of rubber on its end.
const STRIPS: &str = r#"
units = "SI"
name = "strips"
[[flexible-link]]
name = "steel"
length = 1
elements = 4
density = 7850
youngs_modulus = 2.1e11
section = { width = 0.01, height = 1e-4 }
at = [0, 0]
angle = 0
[[flexible-link]]
name = "rubber"
length = 1
elements = 1
density = 1100
youngs_modulus = 1e6
section = { width = 0.01, height = 1e-4 }
at = [1, 0]
angle = 0
[[joint]]
name = "c"
type = "fixed"
a = "steel.start"
b = "ground"
[[joint]]
name = "j"
type = "fixed"
a = "rubber.start"
b = "steel.end"
"#;

/// A free bar on one spring to the ground, which is as long as it is without force.
const ON_A_SPRING: &str = r#"
units = "SI"
name = "on a spring"
[[flexible-link]]
name = "bar"
length = 1
elements = 4
density = 7850
youngs_modulus = 2.1e11
section = { width = 0.02, height = 0.02 }
at = [0, 0]
angle = 0
[[spring]]
name = "s"
a = "bar.end"
b = [1.3, 0.4]
stiffness = 1e5
natural_length = 0.5
"#;

fn stability(text: &str) -> serde_json::Value {
    let run = mb_with(&["equilibrium", "-", "--json"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    found["equilibria"][0]["stability"].clone()
}

#[test]
fn a_spring_that_rounding_of_a_bar_hides_has_its_sign() {
    assert_eq!(stability(&pinned(1e-7))["kind"], "stable");
    let falls = stability(&pinned(-1e-7));
    assert_eq!((&falls["kind"], &falls["directions"]), (&"unstable".into(), &1.into()));
    assert_eq!(stability(STRIPS)["kind"], "stable");
}

#[test]
fn free_motions_that_the_geometry_shows_are_exact_zeros() {
    let free = stability(ON_A_SPRING);
    assert_eq!((&free["kind"], &free["directions"]), (&"neutral".into(), &2.into()));
    for lowest in ["1", "2", "4"] {
        let run = mb_with(&["modes", "-", "--lowest", lowest], ON_A_SPRING);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!run.out.contains("do not determine"), "{}", run.out);
    }
    let run = mb_with(&["modes", "-"], ON_A_SPRING);
    assert!(run.code == 0 && !run.out.contains("do not determine"), "{run:?}");
}

#[test]
fn a_load_path_says_between_which_loads_signs_are_lost() {
    // Twice Euler's load of the cantilever.
    let text = "units = \"SI\"\nname = \"column\"\n[parameters]\nh = 1e-4\nP = \"pi^2/2*2.1e11*2*h^4/12\"\n\
                [[beam]]\nname = \"col\"\nfrom = [0, 0, 0]\nto = [0, 0, 1]\nelements = 150\ndensity = 7850\n\
                youngs_modulus = 2.1e11\npoissons_ratio = 0.3\ny = [1, 0, 0]\nsection = { width = \"2*h\", height = \"h\" }\n\
                [[joint]]\nname = \"c\"\ntype = \"fixed\"\na = \"col.start\"\nb = \"ground\"\n\
                [[force]]\nname = \"f\"\nat = \"col.end\"\nvector = [0, 0, \"-P\"]\n";
    let run = mb_with(&["equilibrium", "-", "--load-path"], text);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("buckles between 0."), "{}", run.out);
    assert!(run.out.contains("the signs of the stiffness are lost in rounding"), "{}", run.out);
    let run = mb_with(&["equilibrium", "-", "--load-path", "--json"], text);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let end = |k: usize| found["end"]["between"][k].as_f64().unwrap();
    assert!(end(0) < 0.5 && 0.499 < end(1), "{}", found["end"]);
}
