//! Flexible links: bounds that hold for the model, however fine its mesh and whichever analysis is asked for.

use crate::support::mb_with;

const LINK: &str = r#"
units = "SI"
name = "column"
gravity = [0.0, "-g"]

[parameters]
g = 0.0
n = 60

[[flexible-link]]
name = "column"
length = 1.0
elements = "n"
density = 7850.0
youngs_modulus = 2.1e11
section = { width = 0.02, height = 0.002 }
at = [0.0, 0.0]
angle = "deg(90)"

[[joint]]
name = "clamp"
type = "fixed"
a = "column.start"
b = "ground"
"#;

/// Frequencies and bounds of the oscillations, rad/s, in increasing order.
fn modes(set: [&str; 2], request: &[&str]) -> Vec<(f64, f64)> {
    let args = [&["modes", "-", "--json", "--set", set[0], "--set", set[1]], request].concat();
    let run = mb_with(&args, LINK);
    assert_eq!(run.code, 0, "{}", run.err);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let pairs = document["formulations"][0]["eigenpairs"].as_array().unwrap();
    let numbers = pairs.iter().map(|p| (p["im"].as_f64().unwrap(), p["error_bound"].as_f64().unwrap()));
    let mut out: Vec<(f64, f64)> = numbers.filter(|(im, _)| *im > 0.0).collect();
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

/// Rounding of 12 EI / h^3 moves the low modes by far more than the dense solver's own error. The sparse search takes K as a sum whose
/// large part is exact.
#[test]
fn whole_spectra_and_the_lowest_modes_of_links_agree_to_their_bounds() {
    for set in [["n=20", "g=0"], ["n=30", "g=9.81"], ["n=60", "g=0"], ["n=100", "g=9.81"]] {
        let (all, lowest) = (modes(set, &[]), modes(set, &["--lowest", "6"]));
        for ((a, bound), (b, other)) in all.iter().zip(&lowest) {
            assert!((a - b).abs() <= bound + other, "{set:?}: {a} +- {bound:e}, {b} +- {other:e}");
        }
        let share = all.iter().take(4).map(|(a, bound)| bound / a).fold(0.0, f64::max);
        assert!(share < 1e-8, "{set:?}: {share:e}");
    }
}
