//! The zeros of slender and thin structures are those of the mechanism, whatever the entries of K hide.

use crate::beam::rest_of;
use mb_eigen::sparse::{self, Request, SparseExpert, SparseOptions};
use mb_eigen::{Class, DenseOptions, dense};
use mb_linear::{OperatingPoint, Stability, linearize, linearize_sparse, most_free_directions, stability};
use mb_model::Model;

/// Young's modulus and density: steel and rubber in m, kg, s; steel in mm, t, s.
const MATERIALS: [(f64, f64, f64); 3] = [(2.1e11, 7850.0, 1.0), (1e6, 1100.0, 1.0), (2.1e5, 7.85e-9, 1e3)];

/// A square beam along x of slenderness `length / h`, on one joint to the ground or free.
fn beam(n: usize, slenderness: f64, (e, rho, length): (f64, f64, f64), joint: &str) -> Model {
    let joint = if joint.is_empty() {
        String::new()
    } else {
        format!("[[joint]]\nname = \"j\"\ntype = \"{joint}\"\na = \"bar.start\"\nb = \"ground\"\n")
    };
    let h = length / slenderness;
    Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "bar"
        [[beam]]
        name = "bar"
        from = [0, 0, 0]
        to = [{length:?}, 0, 0]
        elements = {n}
        density = {rho:?}
        youngs_modulus = {e:?}
        poissons_ratio = 0.3
        shear = "rigid"
        section = {{ width = {h:?}, height = {h:?} }}
        {joint}"#
    ))
    .unwrap()
}

/// A block of `n` elements along x, `width` and `height` across, clamped on its first face or free.
fn block(n: usize, [width, height]: [f64; 2], (e, rho, length): (f64, f64, f64), clamped: bool) -> Model {
    let fixed = if clamped { "fixed = [\"x-\"]" } else { "" };
    let (width, height) = (length * width, length * height);
    Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "strip"
        [[solid]]
        name = "s"
        block = {{ size = [{length:?}, {width:?}, {height:?}], elements = [{n}, 1, 1] }}
        density = {rho:?}
        youngs_modulus = {e:?}
        poissons_ratio = 0.3
        {fixed}"#
    ))
    .unwrap()
}

/// What is known of the free directions, how the equilibrium stands, and the zero modes of the sparse search.
fn zeros(model: &Model) -> (Option<usize>, Stability, usize, Vec<String>) {
    let rest = rest_of(model);
    let at = OperatingPoint::from(&rest);
    let most_zeros = most_free_directions(model, &at);
    let lin = linearize_sparse(model, &at);
    let options = SparseOptions::from(SparseExpert { most_zeros, ..SparseExpert::default() });
    let found = sparse::solve(&lin.pencil(), &Request::Lowest { count: 8 }, &options).unwrap();
    // Two eigenvalues at zero for each free motion.
    let rigid = found.of_class(Class::Rigid).count() / 2;
    let growing = |p: &&mb_eigen::Eigenpair| p.value().is_some_and(|s| s.re > 0.0) && p.is_determined();
    let growing = found.eigenpairs.iter().filter(growing).map(|p| format!("{:?} grows", p.value())).collect();
    (most_zeros, stability(model, &rest).unwrap(), rigid, growing)
}

/// Every combination has the zeros of its mechanism; all that differ are named.
#[test]
fn beams_and_solids_have_the_zero_modes_of_their_mechanism() {
    let mut wrong = Vec::new();
    let mut judge = |name: String, model: &Model, free: usize| {
        let (most, stable, rigid, growing) = zeros(model);
        let expected = if free == 0 { Stability::Stable } else { Stability::Neutral { directions: free } };
        if most != Some(free) || rigid != free || stable != expected || !growing.is_empty() {
            wrong.push(format!("{name}: at most {most:?}, {rigid} of {free}, {stable:?}, {growing:?}"));
        }
    };
    for (m, material) in MATERIALS.into_iter().enumerate() {
        for slenderness in [1e1, 1e2, 1e3, 1e4] {
            // Fine meshes of one material: the others differ by powers of the units alone.
            for n in [1, 5, 60].into_iter().filter(|n| *n < 60 || (m == 0 && slenderness > 1e3)) {
                for (joint, free) in [("fixed", 0), ("spherical", 3), ("", 6)] {
                    let name = format!("beam {m} {slenderness:e} {n} {joint}");
                    judge(name, &beam(n, slenderness, material, joint), free);
                }
            }
            for n in [1, 20] {
                for (clamped, free) in [(true, 0), (false, 6)] {
                    let name = format!("block {m} {slenderness:e} {n} {clamped}");
                    judge(name, &block(n, [0.02, slenderness.recip()], material, clamped), free);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Clamped, 1 m by 20 mm by 0.1 mm: the first bending mode lies between those of a beam and of a plate that cannot narrow.
#[test]
fn a_thin_strip_has_its_first_bending_mode() {
    let model = block(40, [0.02, 1e-4], MATERIALS[0], true);
    let at = OperatingPoint::from(&rest_of(&model));
    let most_zeros = most_free_directions(&model, &at);
    assert_eq!(most_zeros, Some(0));
    // The least solution of cos x cosh x = -1, by Newton's method.
    let root = (0..20).fold(1.9_f64, |x, _| {
        let slope = x.cos() * x.sinh() - x.sin() * x.cosh();
        x - (x.cos() * x.cosh() + 1.0) / slope
    });
    let beam = root.powi(2) * 1e-4 / 12.0_f64.sqrt() * (2.1e11_f64 / 7850.0).sqrt();
    let holds = |pairs: &[mb_eigen::Eigenpair]| {
        assert!(pairs.iter().all(|pair| pair.class != Class::Rigid));
        let first = &pairs[0];
        let w = first.value().unwrap().norm();
        let slack = first.error_bound + 1e-2 * beam;
        assert!(w > beam - slack && w < beam / 0.91_f64.sqrt() + slack, "{w} {beam} {}", first.error_bound);
    };
    let all = DenseOptions { most_zeros, ..DenseOptions::default() };
    holds(&dense::solve(&linearize(&model, &at).pencil(), &all).unwrap().eigenpairs);
    let options = SparseOptions::from(SparseExpert { most_zeros, ..SparseExpert::default() });
    let pencil = linearize_sparse(&model, &at).pencil();
    holds(&sparse::solve(&pencil, &Request::Lowest { count: 10 }, &options).unwrap().eigenpairs);
}

/// Under load a direction may lose its stiffness at a critical point: the geometry decides nothing.
#[test]
fn a_loaded_beam_is_not_judged_by_its_geometry() {
    let mut model = beam(5, 1e2, MATERIALS[0], "fixed");
    model.gravity = [0.0, 0.0, -9.81];
    let at = OperatingPoint::from(&rest_of(&model));
    assert_eq!(most_free_directions(&model, &at), None);
}
