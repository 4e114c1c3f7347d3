//! Hexahedra: patch test, rigid motions, bending, incompressibility, mass, derivatives, loads on faces.

use mb_model::law::TimeLaw;
use mb_model::{
    BlockId, BrickFormulation, MassForm, Model, Point, SolidData, SolidMaterial, SolidMesh, WrongElement,
};
use nalgebra::{DMatrix, DVector, Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;

const KINDS: [BrickFormulation; 2] = [BrickFormulation::Enhanced, BrickFormulation::Full];

fn data(formulation: BrickFormulation, nu: f64) -> SolidData {
    let material = SolidMaterial { density: 3.0, youngs_modulus: 40.0, poissons_ratio: nu };
    SolidData { formulation, ..SolidData::new(material) }
}

/// 2 x 2 x 2 elements, no two edges parallel.
fn distorted() -> SolidMesh {
    let mut mesh = SolidMesh::block([2.0, 2.4, 1.8], [2, 2, 2]);
    for (k, x) in mesh.nodes.iter_mut().flatten().enumerate() {
        *x += 0.12 * (1.7 * (k * k) as f64).sin();
    }
    mesh.congruent = false;
    mesh
}

fn solid(data: &SolidData, mesh: &SolidMesh) -> (Model, Vec<BlockId>) {
    let mut model = Model::new("solid", [0.0; 3]);
    let nodes = model.add_solid_nodes("s", mesh);
    let added = model.add_solid_elements("solid 's'", data, mesh, &nodes);
    assert!(added.is_ok(), "{added:?}");
    (model, nodes)
}

/// Every node moved as `f` says.
fn moved(model: &Model, f: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Point {
    let q = model.initial().chunks(3).flat_map(|x| <[f64; 3]>::from(f(Vector3::new(x[0], x[1], x[2]))));
    Point { q: q.collect(), ..model.initial_point() }
}

fn dense(triplets: &mb_algebra::Triplets) -> DMatrix<f64> {
    let m = triplets.to_dense();
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
}

/// A constant deformation, however large, is a state of equilibrium of every interior node, and its energy that of the
/// material: on a distorted mesh this needs modes that vanish in the mean.
#[test]
fn patch_test() {
    let mesh = distorted();
    let f = Matrix3::new(1.2, 0.3, -0.1, 0.05, 0.9, 0.2, -0.2, 0.1, 1.1);
    let strain = (f.transpose() * f - Matrix3::identity()) * 0.5;
    for kind in KINDS {
        let data = data(kind, 0.3);
        let (lambda, mu) = data.material.lame();
        let (model, _) = solid(&data, &mesh);
        let point = moved(&model, |x| f * x + Vector3::new(5.0, -3.0, 2.0));
        let residual = model.residual(&point);
        let largest = model.largest_force(&point);
        // Node 14 of 27 is the only one inside.
        for r in &residual[39..42] {
            assert!(r.abs() < 1e-13 * largest, "{kind:?}: {r} of {largest}");
        }
        let volume = model.members().iter().find_map(|m| match &m.element {
            mb_model::Element::BrickInertia(_) => Some(()),
            _ => None,
        });
        assert!(volume.is_some());
        let mass: f64 = dense(&model.mass(&point)).sum() / 3.0;
        let energy = 0.5 * lambda * strain.trace().powi(2) + mu * strain.norm_squared();
        let expected = energy * mass / data.material.density;
        assert!((model.potential_energy(&point) / expected - 1.0).abs() < 1e-13, "{kind:?}");
    }
}

/// One distorted element has six motions without stress and no more.
#[test]
fn six_zero_modes() {
    let mut mesh = SolidMesh::block([1.0; 3], [1, 1, 1]);
    for (k, x) in mesh.nodes.iter_mut().flatten().enumerate() {
        *x += 0.15 * (2.3 * k as f64).sin();
    }
    for nu in [0.0, 0.3, 0.4999] {
        for kind in KINDS {
            let (model, _) = solid(&data(kind, nu), &mesh);
            let k = dense(&model.stiffness(&model.initial_point()));
            let mut s: Vec<f64> = k.symmetric_eigenvalues().iter().copied().collect();
            s.sort_by(f64::total_cmp);
            assert!(s[5].abs() < 1e-13 * s[23], "{s:?}");
            // Far from zero against the shear modulus, which no value of nu makes large.
            assert!(s[0] > -1e-13 * s[23] && s[6] > 0.05 * 13.0, "{kind:?} {nu}: {}", s[6]);
        }
    }
}

/// Half of 2a x 2b x 2c in pure bending: u = k x y, v = -k (x^2 + nu (y^2 - z^2)) / 2, w = -nu k y z.
#[test]
fn bending_of_a_brick_is_exact_with_enhanced_strain_and_stiff_without() {
    let (a, b, c, nu, k) = (3.0, 0.5, 0.4, 0.3, 0.01);
    let mesh = SolidMesh::block([2.0 * a, 2.0 * b, 2.0 * c], [1, 1, 1]);
    for kind in KINDS {
        let data = data(kind, nu);
        let (model, _) = solid(&data, &mesh);
        let d: Vec<f64> = mesh
            .nodes
            .iter()
            .flat_map(|x| {
                let (x, y, z) = (x[0] - a, x[1] - b, x[2] - c);
                [k * x * y, -0.5 * k * (x * x + nu * (y * y - z * z)), -nu * k * y * z]
            })
            .collect();
        let stiffness = dense(&model.stiffness(&model.initial_point()));
        let d = DVector::from_vec(d);
        let energy = 0.5 * d.dot(&(stiffness * &d));
        let e = data.material.youngs_modulus;
        let beam = 0.5 * e * (2.0 * c * (2.0 * b).powi(3) / 12.0) * k * k * 2.0 * a;
        if kind == BrickFormulation::Enhanced {
            assert!((energy / beam - 1.0).abs() < 1e-12, "{energy} {beam}");
        } else {
            // E_11 = k y, E_33 = -nu k y, 2 E_12 = k x, 2 E_23 = -nu k z, all of which cost.
            let (lambda, mu) = data.material.lame();
            let (xx, yy, zz) = (a * a / 3.0, b * b / 3.0, c * c / 3.0);
            let normal = 0.5 * (lambda + 2.0 * mu) * (1.0 + nu * nu) - lambda * nu;
            let stiff = 8.0 * a * b * c * k * k * (normal * yy + 0.5 * mu * (xx + nu * nu * zz));
            assert!((energy / stiff - 1.0).abs() < 1e-12 && energy > 10.0 * beam);
        }
    }
}

/// Deflection of a cantilever under a force at its end, over that of a beam with shear.
fn deflection(kind: BrickFormulation, nu: f64, elements: [usize; 3]) -> f64 {
    let (length, height, width) = (10.0, 1.0, 1.0);
    let mesh = SolidMesh::block([length, height, width], elements);
    let data = data(kind, nu);
    let (mut model, nodes) = solid(&data, &mesh);
    let shear = [0.0, 1.0 / (height * width), 0.0];
    let faces = mesh.faces_of(&mesh.sets["x+"]);
    let magnitude = TimeLaw::constant(1e-6);
    model.add_face_load("load", (&mesh, &nodes), &faces, Some(shear), &magnitude, None);
    let point = model.initial_point();
    let (k, r) = (dense(&model.stiffness(&point)), model.residual(&point));
    let free: Vec<usize> = (0..model.nv()).filter(|i| mesh.nodes[i / 3][0] > 0.0).collect();
    let part = DMatrix::from_fn(free.len(), free.len(), |i, j| k[(free[i], free[j])]);
    let load = DVector::from_fn(free.len(), |i, _| -r[free[i]]);
    let Some(factor) = part.cholesky() else { panic!("a held block is stiff") };
    let d = factor.solve(&load);
    let tip: Vec<f64> = (0..free.len())
        .filter(|i| free[*i] % 3 == 1 && (mesh.nodes[free[*i] / 3][0] - length).abs() < 1e-9)
        .map(|i| d[i])
        .collect();
    let mean = tip.iter().sum::<f64>() / tip.len() as f64;
    let e = data.material.youngs_modulus;
    let second = width * height * height * height / 12.0;
    let shear_modulus = 0.5 * e / (1.0 + nu);
    let beam = length.powi(3) / (3.0 * e * second) + length * 1.2 / (shear_modulus * height * width);
    mean / (1e-6 * beam)
}

#[test]
fn a_cantilever_of_one_layer_bends_like_a_beam_unless_integrated_in_full() {
    let enhanced = deflection(BrickFormulation::Enhanced, 0.3, [10, 1, 1]);
    let full = deflection(BrickFormulation::Full, 0.3, [10, 1, 1]);
    assert!((enhanced - 1.0).abs() < 0.02, "{enhanced}");
    assert!(full < 0.75, "{full}");
    // Half as long elements: what parasitic shear adds goes with the square of their length.
    let finer = deflection(BrickFormulation::Full, 0.3, [20, 1, 1]);
    assert!(finer > full && finer < 0.95, "{finer}");
}

#[test]
fn near_incompressibility_locks_the_full_element_alone() {
    // Against nu = 0.49, where the bulk modulus is a hundred times smaller: what bends does not feel it.
    let ratio = |kind| deflection(kind, 0.4999, [10, 2, 2]) / deflection(kind, 0.49, [10, 2, 2]);
    let (enhanced, full) = (ratio(BrickFormulation::Enhanced), ratio(BrickFormulation::Full));
    assert!((enhanced - 1.0).abs() < 0.02, "{enhanced}");
    assert!(full < 0.5, "{full}");
    // Full clamping holds back the Poisson strain at the foot, which the beam does not know.
    assert!((0.9..1.0).contains(&deflection(BrickFormulation::Enhanced, 0.4999, [10, 2, 2])));
}

/// Both forms have the mass; the consistent one has the moments of inertia too.
#[test]
fn mass_is_density_times_volume() {
    let mesh = SolidMesh::block([2.0, 3.0, 4.0], [2, 1, 3]);
    for form in [MassForm::Consistent, MassForm::Lumped] {
        let (model, _) = solid(&SolidData { mass: form, ..data(BrickFormulation::Enhanced, 0.3) }, &mesh);
        let mass = 3.0 * 24.0;
        let speed = |f: &dyn Fn(Vector3<f64>) -> Vector3<f64>| Point {
            v: moved(&model, f).q,
            ..model.initial_point()
        };
        let along = speed(&|_| Vector3::new(0.0, 0.0, 2.0));
        assert!((model.kinetic_energy(&along) - 2.0 * mass).abs() < 1e-11);
        let round = speed(&|x| Vector3::new(0.0, 0.0, 1.5).cross(&(x - Vector3::new(1.0, 1.5, 2.0))));
        let expected = 0.5 * 1.5 * 1.5 * mass * (4.0 + 9.0) / 12.0;
        let energy = model.kinetic_energy(&round);
        match form {
            MassForm::Consistent => assert!((energy - expected).abs() < 1e-11),
            MassForm::Lumped => assert!(energy > expected),
        }
    }
}

fn numbers(n: usize, size: f64) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-size..size, n)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |s, x| s.max(x.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A rigid motion makes no stress; on top of a deformation it turns the forces and keeps the energy.
    #[test]
    fn strains_do_not_see_rigid_motions(
        w in numbers(3, 3.0), shift in numbers(3, 10.0), d in numbers(81, 0.2),
    ) {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_row_slice(&w));
        let shift = Vector3::from_row_slice(&shift);
        let mesh = distorted();
        for kind in KINDS {
            let (model, _) = solid(&data(kind, 0.3), &mesh);
            let rigid = moved(&model, |x| turn * x + shift);
            prop_assert!(largest(&model.residual(&rigid)) < 1e-11);
            let mut bent = model.initial_point();
            for (q, d) in bent.q.iter_mut().zip(&d) {
                *q += d;
            }
            let q = bent.q.chunks(3).flat_map(|x| {
                <[f64; 3]>::from(turn * Vector3::from_row_slice(x) + shift)
            });
            let both = Point { q: q.collect(), ..bent.clone() };
            let (energy, again) = (model.potential_energy(&bent), model.potential_energy(&both));
            prop_assert!((energy - again).abs() < 1e-11 * energy);
            let (r, turned) = (model.residual(&bent), model.residual(&both));
            for (a, b) in r.chunks(3).zip(turned.chunks(3)) {
                let back = turn.inverse() * Vector3::from_row_slice(b);
                prop_assert!((back - Vector3::from_row_slice(a)).norm() < 1e-11 * largest(&r));
            }
        }
    }

    /// K and C are the derivatives of the residual, forces those of the energy; damping dissipates and no rigid motion
    /// is damped by it.
    #[test]
    fn derivatives_agree_with_differences(d in numbers(81, 0.15), v in numbers(81, 1.0), p in numbers(81, 1.0)) {
        let mesh = distorted();
        for kind in KINDS {
            let (mut model, nodes) = solid(&SolidData { beta: 0.3, ..data(kind, 0.3) }, &mesh);
            let mut point = model.initial_point();
            for (q, d) in point.q.iter_mut().zip(&d) {
                *q += d;
            }
            let step = 1e-5;
            let shifted = |by: f64| {
                let q = point.q.iter().zip(&p).map(|(q, p)| q + by * p).collect();
                Point { q, ..point.clone() }
            };
            // Without velocity the force is the gradient of the energy.
            let slope = (model.potential_energy(&shifted(step)) - model.potential_energy(&shifted(-step))) / (2.0 * step);
            let force = model.residual(&point);
            let power: f64 = force.iter().zip(&p).map(|(r, p)| r * p).sum();
            prop_assert!((slope - power).abs() < 1e-6 * largest(&force));

            let faces = mesh.faces_of(&mesh.sets["x+"]);
            model.add_face_load("pressure", (&mesh, &nodes), &faces, None, &TimeLaw::constant(2.0), None);
            point.v = v.clone();
            let shifted = |by: f64| {
                let q = point.q.iter().zip(&p).map(|(q, p)| q + by * p).collect();
                Point { q, ..point.clone() }
            };
            let exact = dense(&model.stiffness(&point)) * DVector::from_vec(p.clone());
            let (up, down) = (model.residual(&shifted(step)), model.residual(&shifted(-step)));
            for ((k, up), down) in exact.iter().zip(&up).zip(&down) {
                prop_assert!((k - (up - down) / (2.0 * step)).abs() < 1e-6 * exact.amax());
            }
            let c = dense(&model.damping(&point));
            let v = DVector::from_vec(v.clone());
            prop_assert!(v.dot(&(&c * &v)) > 0.0 && (&c - c.transpose()).amax() < 1e-12 * c.amax());
            let spin = |x: &[f64]| Vector3::new(0.3, -1.0, 0.5).cross(&Vector3::from_row_slice(x));
            let rigid = point.q.chunks(3).flat_map(|x| <[f64; 3]>::from(spin(x)));
            let rigid = DVector::from_vec(rigid.collect());
            prop_assert!((&c * &rigid).amax() < 1e-12 * c.amax() * rigid.amax());
        }
    }
}

/// Pressure all round does not push a solid anywhere, deformed or not, and on one flat face it is p A.
#[test]
fn pressure_follows_its_face() {
    let mesh = distorted();
    let (mut model, nodes) = solid(&data(BrickFormulation::Enhanced, 0.3), &mesh);
    let bare = moved(&model, |x| Vector3::new(x.x + 0.1 * x.y * x.z, x.y - 0.2 * x.x * x.x, 1.1 * x.z));
    let before = model.residual(&bare);
    let all = mesh.faces_of(&mesh.sets["all"]);
    model.add_face_load("pressure", (&mesh, &nodes), &all, None, &TimeLaw::constant(2.0), None);
    let after = model.residual(&bare);
    for k in 0..3 {
        let force: f64 = (k..81).step_by(3).map(|i| before[i] - after[i]).sum();
        assert!(force.abs() < 1e-13, "{force}");
    }
    let mesh = SolidMesh::block([1.0, 2.0, 3.0], [1, 2, 2]);
    let (mut model, nodes) = solid(&data(BrickFormulation::Enhanced, 0.3), &mesh);
    let faces = mesh.faces_of(&mesh.sets["y+"]);
    model.add_face_load("pressure", (&mesh, &nodes), &faces, None, &TimeLaw::constant(5.0), None);
    // Turned by a quarter about x, the face that looked along y looks along z.
    let turned = moved(&model, |x| Vector3::new(x.x, -x.z, x.y));
    let force: f64 = model.residual(&turned).iter().skip(2).step_by(3).sum();
    assert!((force - 15.0).abs() < 1e-12, "the residual is minus the force, which is -p A: {force}");
}

#[test]
fn an_element_inside_out_is_named() {
    let mut mesh = SolidMesh::block([2.0, 1.0, 1.0], [2, 1, 1]);
    mesh.congruent = false;
    // The last node of the second element pushed through the face opposite.
    let node = mesh.elements[1][6];
    mesh.nodes[node][0] = -1.5;
    let mut model: Model = Model::new("wrong", [0.0; 3]);
    let nodes = model.add_solid_nodes("s", &mesh);
    let data = data(BrickFormulation::Enhanced, 0.3);
    let wrong: WrongElement = *model.add_solid_elements("s", &data, &mesh, &nodes).unwrap_err();
    assert_eq!((wrong.element, wrong.nodes.contains(&(node + 1))), (2, true));
    assert!(wrong.wrong.jacobian < 0.0 && wrong.to_string().contains("element 2"), "{wrong}");
    assert!(model.members().is_empty());
}
