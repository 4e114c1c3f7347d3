//! `mb response` of oscillators whose damping is small and known.

use crate::support::mb_with;

/// A mass of 1 kg on a spring of 1e4 N/m with a damper of `c` N s/m: w = 100 rad/s, a damping ratio of c / 200.
fn oscillator(c: f64) -> String {
    format!(
        "units = \"SI\"\nname = \"n\"\ngravity = [0, 0]\nbody = [{{ name = \"a\", mass = 1, inertia = 1, at = [1, 0] }}]\n\
         joint = [{{ name = \"g\", type = \"prismatic\", a = \"a\", b = \"ground\", axis = [1, 0] }}]\n\
         spring = [{{ name = \"s\", a = [0, 0], b = \"a\", stiffness = 1e4, damping = {c:e}, natural_length = 1 }}]\n\
         force = [{{ name = \"f\", at = \"a\", direction = [1, 0], input = \"u\" }}]\n\
         output = [{{ name = \"x\", quantity = \"x\", of = \"a\" }}]\n"
    )
}

#[test]
fn a_pole_whose_real_part_is_clear_of_its_bound_is_damped() {
    for c in [2e-6, 2e-7, 2e-8] {
        let args = ["response", "-", "--band", "10", "20", "--psd", "u=1", "--json"];
        let run = mb_with(&args, &oscillator(c));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let value = &found["responses"][0]["peaks"][0]["value"];
        let peak = value[0].as_f64().unwrap().hypot(value[1].as_f64().unwrap());
        assert!((peak * c * 100.0 - 1.0).abs() < 1e-4, "{c:e}: {peak}");
        // One-sided density S: E x^2 = S / (4 c k).
        let exact = 1.0 / (4.0 * c * 1e4);
        let square = |key: &str| {
            let value = found["random"][0][key].as_f64().unwrap();
            assert!((value / exact - 1.0).abs() < 1e-3, "{c:e}: {value} {exact}");
        };
        square("mean_square_in_band");
        square("mean_square");
    }
}
