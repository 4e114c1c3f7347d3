//! What is rigid, massless or growing, through the program: slender beams, thin solids, stiff links and small masses.

use crate::support::mb_with;
use serde_json::Value;

/// A model of the fixtures.
macro_rules! model {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/zeros/models/", $name, ".toml"))
    };
}

/// One eigenpair of the first formulation asked for.
#[derive(Clone, Debug)]
struct Pair {
    re: f64,
    im: f64,
    bound: f64,
    rigid: bool,
}

fn pairs(args: &[&str], text: &str) -> Vec<Pair> {
    let run = mb_with(&[&["modes", "-", "--json"], args].concat(), text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let list = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let number = |pair: &Value, key: &str| pair[key].as_f64().unwrap_or_else(|| panic!("{key}: {pair}"));
    let pair = |pair: &Value| Pair {
        re: number(pair, "re"),
        im: number(pair, "im"),
        bound: number(pair, "error_bound"),
        rigid: pair["class"]["kind"] == "rigid",
    };
    list.iter().filter(|pair| pair["re"].is_number()).map(pair).collect()
}

/// Frequencies above the real axis, after a check that nothing grows or decays and how many eigenvalues are rigid.
fn frequencies(args: &[&str], text: &str, rigid: usize) -> Vec<Pair> {
    let found = pairs(args, text);
    assert!(found.iter().all(|pair| pair.re == 0.0), "{args:?}: {:?}", &found[..4]);
    assert_eq!(found.iter().filter(|pair| pair.rigid).count(), rigid, "{args:?}");
    let mut out: Vec<Pair> = found.into_iter().filter(|pair| pair.im > 0.0).collect();
    out.sort_by(|a, b| a.im.total_cmp(&b.im));
    out
}

/// (x / L)^2 sqrt(E I / (rho A)) of the clamped beam with the first root x of cos x cosh x = -1.
fn clamped(ratio: f64, length: f64) -> f64 {
    let mut x = 1.9_f64;
    for _ in 0..50 {
        x -= (x.cos() * x.cosh() + 1.0) / (x.cos() * x.sinh() - x.sin() * x.cosh());
    }
    (x / length).powi(2) * ratio.sqrt()
}

#[test]
fn a_clamped_steel_rod_has_no_rigid_mode() {
    // E I / (rho A) = E r^2 / (4 rho).
    // To a slenderness of 1e6, where a decomposition of all modes leaves the lowest no digits.
    for (depth, elements) in [("0.02", "30"), ("0.002", "10"), ("0.05", "4"), ("2e-5", "30"), ("2e-6", "30")]
    {
        let radius = depth.parse::<f64>().unwrap() / 2.0;
        let exact = clamped(2.1e11 * radius * radius / (4.0 * 7850.0), 1.0);
        let set = [format!("d={depth}"), format!("n={elements}")];
        let set = ["--set", &set[0], "--set", &set[1]];
        let ways: [&[&str]; 2] = [&[], &["--lowest", "4"]];
        let [all, lowest] =
            ways.map(|way| frequencies(&[&set[..], way].concat(), model!("steel-cantilever"), 0));
        for found in [&all, &lowest] {
            // Twice, in both directions; rotary inertia and the mesh make the difference.
            for pair in &found[..2] {
                assert!((pair.im / exact - 1.0).abs() < 0.02, "{depth} {elements}: {pair:?} {exact}");
            }
        }
        for (a, b) in all.iter().zip(&lowest) {
            assert!((a.im - b.im).abs() <= a.bound + b.bound, "{depth} {elements}: {a:?} {b:?}");
        }
    }
}

#[test]
fn a_stiff_link_has_no_rigid_mode_when_clamped_and_one_when_pinned() {
    let exact = clamped(1.0, 1.0);
    for found in
        [frequencies(&[], model!("link-200"), 0), frequencies(&["--lowest", "3"], model!("link-200"), 0)]
    {
        assert!((found[0].im / exact - 1.0).abs() < 1e-3, "{:?}", found[0]);
    }
    // A pinned and free beam of the same material: tan x = tanh x, x^2 = 15.418.
    let found = frequencies(&[], model!("pinned-free-link"), 2);
    let mut x = 3.9_f64;
    for _ in 0..50 {
        let (t, h) = (x.tan(), x.tanh());
        x -= (t - h) / (t * t + h * h);
    }
    assert!((found[0].im / (x * x) - 1.0).abs() < 1e-3, "{:?}", found[0]);
}

/// A strip of solids a hundred times as wide as thick: rounding of K hides the softest mode, and its error bound reaches the conjugate, which
/// is another eigenvalue.
#[test]
#[expect(clippy::float_cmp, reason = "conjugates have the same digits")]
fn modes_of_a_thin_strip_keep_their_conjugates() {
    for args in [&["--lowest", "3"][..], &[]] {
        let found = pairs(args, model!("thin-strip"));
        let (upper, lower): (Vec<&Pair>, Vec<&Pair>) = found.iter().partition(|pair| pair.im > 0.0);
        assert_eq!(upper.len(), lower.len(), "{args:?}");
        for pair in upper {
            assert!(
                lower.iter().any(|other| other.im == -pair.im && other.re == pair.re),
                "{args:?}: {pair:?}"
            );
        }
    }
}

#[test]
fn a_shaft_almost_without_mass_does_not_grow() {
    for density in ["1", "100"] {
        let set = format!("rho={density}");
        for args in [["--lowest", "8"], ["--lowest", "20"]] {
            frequencies(&[&args[..], &["--set", &set]].concat(), model!("near-massless-shaft"), 2);
        }
    }
}

#[test]
fn a_mass_beyond_all_numbers_is_an_error_or_an_answer() {
    let run = mb_with(&["modes", "-", "--participation"], model!("panic-small-mass"));
    assert!(run.code <= 2 && !run.err.contains("panicked"), "{run:?}");
}

/// Zeros and their bounds, and how many eigenvalues are undetermined.
fn exact_zeros(args: &[&str], text: &str) -> (usize, f64, usize) {
    let found = pairs(args, text);
    let rigid = || found.iter().filter(|pair| pair.rigid);
    let open = found.iter().filter(|p| !p.rigid && p.re.hypot(p.im) <= p.bound).count();
    assert!(rigid().all(|pair| pair.re == 0.0 && pair.im == 0.0), "{found:?}");
    (rigid().count(), rigid().map(|pair| pair.bound).fold(0.0, f64::max), open)
}

/// The library's governor hangs on springs of 8e5 N/m, the rounding of whose forces is what K has along its free turn.
#[test]
fn a_governor_at_rest_turns_freely_however_it_is_solved() {
    let text = mb_gallery::files::FLYBALL_GOVERNOR;
    for args in [&[][..], &["--lowest", "4"], &["--formulation", "redundant"], &["--basis", "svd"]] {
        assert_eq!(exact_zeros(args, text), (2, 0.0, 0), "{args:?}");
    }
}

/// A satellite about an axis of its own with a damper of nutation, whose coordinates are rounded: drift along the axis and spin, each twice.
#[test]
fn the_spin_of_a_damped_satellite_is_free_at_any_speed() {
    let text = "units = 'SI'
        name = 'satellite'
        gravity = [0, 0, 0]
        spatial-body = [
            { name = 'bus', mass = 50, inertia = [8, 9, 6], at = [0, 0, 0], markers = { d = [0.7, 0, 0] } },
            { name = 'd', mass = 1.5, inertia = [0, 0, 0], at = [0.7, 0, 0] }]
        joint = [{ name = 'slot', type = 'prismatic', a = 'd', b = 'bus.d', axis = [0, 0, 1] }]
        bushing = [{ name = 'k', a = 'd', b = 'bus.d', stiffness = [0, 0, 30, 0, 0, 0], damping = [0, 0, 0.8, 0, 0, 0] }]
        steady-rotation = [{ name = 's', bodies = ['bus', 'd'], axis = [0, 0, 1], through = ['0.7*1.5/51.5', 0, 0], speed = 4 }]";
    assert_eq!(exact_zeros(&[], text), (4, 0.0, 0));
}

/// A blade of bricks on a hub, in m, kg, N and in mm, t, N.
#[test]
fn a_blade_of_bricks_spins_freely_in_any_units() {
    for (length, mass) in [(1.0, 1.0), (1e3, 1e-3)] {
        let text = format!(
            "units = 'SI'
            name = 'blade'
            gravity = [0, 0, 0]
            spatial-body = [{{ name = 'hub', mass = {}, inertia = {:?}, at = [0, 0, 0], markers = {{ root = [{}, 0, 0] }} }}]
            joint = [
                {{ name = 'axle', type = 'revolute', a = 'hub', b = 'ground', axis = [0, 0, 1] }},
                {{ name = 'root', type = 'fixed', a = 'blade.x-', b = 'hub.root' }}]
            solid = [{{ name = 'blade', at = {:?}, block = {{ size = {:?}, elements = [6, 2, 1] }}, density = {},
                youngs_modulus = {}, poissons_ratio = 0.3, rigid = ['x-'] }}]
            steady-rotation = [{{ name = 'spin', joint = 'axle', speed = 50 }}]",
            5.0 * mass,
            [mass * length * length; 3],
            0.2 * length,
            [0.2, -0.025, -0.005].map(|x: f64| x * length),
            [1.0, 0.05, 0.01].map(|x: f64| x * length),
            2700.0 * mass / (length * length * length),
            7e10 * mass / length
        );
        for args in [&[][..], &["--formulation", "redundant"]] {
            assert_eq!(exact_zeros(args, &text), (2, 0.0, 0), "{length} {args:?}");
        }
    }
}

/// Steel blades of beams on a hub that turns freely, or in bearings whose forces do work in a cycle: rounding of their stiffness moves the free
/// turn, and the forces that turning exerts on that, far more than the free turn has.
fn blades(count: u32, elements: u32) -> String {
    let root = |i: u32, r: f64| {
        let (sine, cosine) = (2.0 * std::f64::consts::PI * f64::from(i) / f64::from(count)).sin_cos();
        format!("[{:?}, {:?}, 0]", r * cosine, r * sine)
    };
    let each = |of: &dyn Fn(u32) -> String| (0..count).map(of).collect::<String>();
    let markers = each(&|i| format!("b{i} = {}, ", root(i, 0.1)));
    let beams = each(&|i| {
        format!(
            "{{ name = 'b{i}', from = {}, to = {}, elements = {elements}, density = 7850, youngs_modulus = 2.1e11,
                poissons_ratio = 0.3, section = {{ radius = 0.01 }} }},",
            root(i, 0.1),
            root(i, 1.1)
        )
    });
    let clamps = each(&|i| format!("{{ name = 'c{i}', type = 'fixed', a = 'b{i}.start', b = 'hub.b{i}' }},"));
    let support = if count > 1 {
        let pad = |z: f64| {
            format!(
                "{{ name = 'pad{}', a = 'hub.{}', b = [0, 0, {z}], stiffness = [[2e7, 2e6], [-2e6, 2e7]], damping = [[1e3, 0], [0, 1e3]] }}",
                u8::from(z > 0.0),
                if z > 0.0 { 'u' } else { 'l' }
            )
        };
        format!(
            "bushing = [{{ name = 'thrust', a = 'hub', b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, 0] }}]
             bearing = [{}, {}]
             joint = [{clamps}]
             [[steady-rotation]]
             name = 'spin'
             bodies = ['hub', 'b0', 'b1', 'b2']
             axis = [0, 0, 1]
             through = [0, 0, 0]
             speed = 100",
            pad(-0.2),
            pad(0.2)
        )
    } else {
        format!(
            "joint = [{clamps} {{ name = 'axle', type = 'revolute', a = 'hub', b = 'ground', axis = [0, 0, 1] }}]
             steady-rotation = [{{ name = 'spin', joint = 'axle', speed = 310 }}]"
        )
    };
    format!(
        "units = 'SI'
         name = 'blades'
         spatial-body = [{{ name = 'hub', mass = 10, inertia = [1, 1, 2], at = [0, 0, 0],
            markers = {{ {markers} l = [0, 0, -0.2], u = [0, 0, 0.2] }} }}]
         beam = [{beams}]
         {support}"
    )
}

#[test]
fn a_hub_with_slender_blades_turns_freely_on_any_mesh() {
    for (count, elements) in [(1, 60), (3, 30)] {
        let text = blades(count, elements);
        let args = ["--lowest", "8"];
        assert_eq!(exact_zeros(&args, &text), (2, 0.0, 0), "{count}");
        let of = |args: &[&str], text: &str| {
            let mut found = pairs(args, text);
            found.retain(|pair| !pair.rigid && pair.im > 0.0);
            found.sort_by(|a, b| a.im.total_cmp(&b.im));
            found
        };
        let (fine, coarse) = (of(&args, &text), of(&[], &blades(count, 6)));
        for (fine, coarse) in fine.iter().zip(&coarse).take(4) {
            assert!((fine.im - coarse.im).abs() < 3e-3 * fine.im, "{count}: {} {}", fine.im, coarse.im);
        }
        assert!(fine.len() >= 4, "{count}: {}", fine.len());
    }
}
