//! The flexible link against what it stands for: a line of mass particles with elastic energy.

use mb_algebra::Dense;
use mb_model::coordinates::BlockKind;
use mb_model::element::{ElasticAxis, Element, Place, PlanarBody};
use mb_model::{FlexibleLink, LinkData, LinkStation, Model, Point, Wiring};
use proptest::prelude::*;

const DATA: LinkData = LinkData {
    length: 2.4,
    elements: 3,
    mass_per_length: 1.7,
    axial: 60.0,
    bending: 4.0,
    alpha: 0.0,
    beta: 0.0,
    geometric_stiffness: true,
};

fn link(data: &LinkData, gravity: [f64; 3]) -> (Model, FlexibleLink) {
    let mut model = Model::new("link", gravity);
    let link = model.add_link_blocks("link", [0.3, -0.4, 0.7], data);
    model.add_link_elements("link", &link, data, &[]);
    (model, link)
}

/// A point with elastic coordinates of some tenths, all else of order one.
fn point(model: &Model, seed: f64) -> Point {
    let wave = |k: f64| (0..model.nv()).map(move |i| (seed + k * (i + 1) as f64).sin()).collect::<Vec<_>>();
    let q = wave(1.9).iter().enumerate().map(|(i, x)| if i < 3 { 2.0 * x } else { 0.2 * x }).collect();
    Point { q, v: wave(1.3), a: wave(0.7), ..model.initial_point() }
}

/// Five-point Gauss quadrature over every element: exact to degree nine.
fn stations(data: &LinkData) -> Vec<(f64, f64)> {
    let root = (10.0_f64 / 7.0).sqrt();
    let (inner, outer) = ((5.0 - 2.0 * root).sqrt() / 3.0, (5.0 + 2.0 * root).sqrt() / 3.0);
    let weight = |sign: f64| (322.0 + sign * 13.0 * 70.0_f64.sqrt()) / 900.0;
    let rule = [
        (0.0, 128.0 / 225.0),
        (inner, weight(1.0)),
        (-inner, weight(1.0)),
        (outer, weight(-1.0)),
        (-outer, weight(-1.0)),
    ];
    let h = data.length / data.elements as f64;
    (0..data.elements)
        .flat_map(|k| rule.map(|(x, w)| ((k as f64 + 0.5 * (1.0 + x)) * h, 0.5 * w * h)))
        .collect()
}

/// The place at an arc length, and the local coordinates it sees.
fn seen(model: &Model, link: &FlexibleLink, s: f64, z: &[f64]) -> (Place, Vec<f64>) {
    let mut wiring = Wiring::default();
    let place = link.place(model, &mut wiring, LinkStation::Arc(s));
    let of = |b: &mb_model::BlockId| {
        let block = model.coordinates().block(*b);
        z[block.q..block.q + 3].to_vec()
    };
    (place, wiring.into_blocks().iter().flat_map(of).collect())
}

/// Kinetic energy of the particles.
fn kinetic_energy(model: &Model, link: &FlexibleLink, data: &LinkData, q: &[f64], v: &[f64]) -> f64 {
    let energy = |(s, w): (f64, f64)| {
        let ((place, q), (_, v)) = (seen(model, link, s, q), seen(model, link, s, v));
        0.5 * data.mass_per_length * w * place.velocity(&q, &v).norm_squared()
    };
    stations(data).into_iter().map(energy).sum()
}

fn form(a: &[f64], m: &Dense, b: &[f64]) -> f64 {
    (0..a.len()).map(|i| a[i] * (0..b.len()).map(|j| m[(i, j)] * b[j]).sum::<f64>()).sum()
}
fn moved(q: &[f64], j: usize, h: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    q[j] += h;
    q
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The mass matrix is that of the kinetic energy of the deflected field, and symmetric.
    #[test]
    fn mass_matrix_is_that_of_the_kinetic_energy(seed in 0.0..6.0_f64, elements in 1..5_usize) {
        let data = LinkData { elements, ..DATA };
        let (model, link) = link(&data, [0.0; 3]);
        let p = point(&model, seed);
        let m = model.mass(&p).to_dense();
        for i in 0..model.nv() {
            for j in 0..i {
                prop_assert!((m[(i, j)] - m[(j, i)]).abs() < 1e-14);
            }
        }
        let t = kinetic_energy(&model, &link, &data, &p.q, &p.v);
        prop_assert!((form(&p.v, &m, &p.v) / 2.0 / t - 1.0).abs() < 1e-13);
    }

    /// Inertia forces are Lagrange's: d(M v)/dt - grad(v^T M v)/2 by q.
    #[test]
    fn velocity_terms_are_lagranges(seed in 0.0..6.0_f64) {
        let (model, _) = link(&DATA, [0.0; 3]);
        let p = point(&model, seed);
        let still = Point { v: vec![0.0; model.nv()], a: vec![0.0; model.nv()], ..p.clone() };
        let elastic = model.residual(&still);
        let mass = |q: Vec<f64>| model.mass(&Point { q, ..p.clone() }).to_dense();
        let h = 1e-4;
        let along = |h: f64| p.q.iter().zip(&p.v).map(|(q, v)| q + h * v).collect::<Vec<_>>();
        let (plus, minus, here) = (mass(along(h)), mass(along(-h)), mass(p.q.clone()));
        for (i, r) in model.residual(&p).iter().enumerate() {
            let unit: Vec<f64> = (0..model.nv()).map(|j| f64::from(u8::from(i == j))).collect();
            let momentum = (form(&unit, &plus, &p.v) - form(&unit, &minus, &p.v)) / (2.0 * h);
            let (up, down) = (mass(moved(&p.q, i, h)), mass(moved(&p.q, i, -h)));
            let gradient = (form(&p.v, &up, &p.v) - form(&p.v, &down, &p.v)) / (4.0 * h);
            let expected = form(&unit, &here, &p.a) + momentum - gradient;
            prop_assert!((r - elastic[i] - expected).abs() < 1e-6, "{i}: {} {expected}", r - elastic[i]);
        }
    }

    /// Gravity does the work of the particles' weight.
    #[test]
    fn gravity_is_the_weight_of_the_particles(seed in 0.0..6.0_f64) {
        let gravity = [0.6, -9.8, 0.0];
        let (model, link) = link(&DATA, gravity);
        let (free, _) = self::link(&DATA, [0.0; 3]);
        let p = Point { a: vec![0.0; model.nv()], ..point(&model, seed) };
        let power: f64 = model.residual(&p).iter().zip(free.residual(&p)).zip(&p.v).map(|((r, f), v)| (f - r) * v).sum();
        let weight = |(s, w): (f64, f64)| {
            let ((place, q), (_, v)) = (seen(&model, &link, s, &p.q), seen(&model, &link, s, &p.v));
            let v = place.velocity(&q, &v);
            DATA.mass_per_length * w * (gravity[0] * v.x + gravity[1] * v.y)
        };
        let expected: f64 = stations(&DATA).into_iter().map(weight).sum();
        prop_assert!((power - expected).abs() < 1e-12);
    }

    /// Elastic forces are a gradient, and rigid motions of the field across the link cost nothing
    /// in the linear theory.
    #[test]
    fn elastic_stiffness_is_symmetric(seed in 0.0..6.0_f64, geometric_stiffness: bool) {
        let (model, _) = link(&LinkData { geometric_stiffness, ..DATA }, [0.0; 3]);
        let p = Point { v: vec![0.0; model.nv()], a: vec![0.0; model.nv()], ..point(&model, seed) };
        let k = model.stiffness(&p).to_dense();
        for i in 0..model.nv() {
            for j in 0..i {
                prop_assert!((k[(i, j)] - k[(j, i)]).abs() < 1e-10);
            }
        }
        if !geometric_stiffness {
            let h = DATA.length / DATA.elements as f64;
            let tilt: Vec<f64> = (0..model.nv()).map(|i| match i {
                0..3 => 0.0,
                i => [0.4, 0.3 * ((i / 3 - 1) as f64) * h - 0.1, 0.3][i % 3],
            }).collect();
            for i in 0..model.nv() {
                let force: f64 = (0..model.nv()).map(|j| k[(i, j)] * tilt[j]).sum();
                prop_assert!(force.abs() < 1e-10, "{i}: {force}");
            }
        }
    }
}

/// An undeformed link that moves as a rigid body has the frame equations of a uniform rod.
#[test]
fn rigid_motion_is_that_of_a_rigid_rod() {
    let gravity = [0.3, -9.8, 0.0];
    let (model, _) = link(&DATA, gravity);
    let mut rod = Model::new("rod", gravity);
    let mass = DATA.mass_per_length * DATA.length;
    let id = rod.add_block("rod", BlockKind::PlanarPose, &[0.3, -0.4, 0.7]);
    let body = PlanarBody {
        slot: 0,
        mass,
        inertia: mass * DATA.length * DATA.length / 12.0,
        center_of_mass: [DATA.length / 2.0, 0.0],
        alpha: 0.0,
    };
    rod.add_element("rod", Element::PlanarBody(body), vec![id], vec![]);
    let (mut p, mut r) = (model.initial_point(), rod.initial_point());
    p.v[..3].copy_from_slice(&[0.4, -1.1, 2.3]);
    p.a[..3].copy_from_slice(&[-0.8, 0.5, 1.9]);
    r.v.copy_from_slice(&p.v[..3]);
    r.a.copy_from_slice(&p.a[..3]);
    for (a, b) in model.residual(&p).iter().zip(rod.residual(&r)) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// C at rest is alpha M_ff + beta K_ff on the elastic coordinates, and nothing on the frame.
#[test]
fn damping_is_proportional_on_the_elastic_coordinates() {
    let plain = LinkData { geometric_stiffness: false, ..DATA };
    let (model, _) = link(&plain, [0.0; 3]);
    let (damped, _) = link(&LinkData { alpha: 0.3, beta: 0.02, ..plain }, [0.0; 3]);
    let p = model.initial_point();
    let (m, k, c) =
        (model.mass(&p).to_dense(), model.stiffness(&p).to_dense(), damped.damping(&p).to_dense());
    for i in 0..model.nv() {
        for j in 0..model.nv() {
            let expected = if i < 3 || j < 3 { 0.0 } else { 0.3 * m[(i, j)] + 0.02 * k[(i, j)] };
            assert!((c[(i, j)] - expected).abs() < 1e-13);
        }
    }
}

/// Two equal halves joined at a node store the energy of one.
#[test]
fn axial_force_softens_bending_by_its_work_on_the_slope() {
    // One element, deflected as a straight tilt w = a s: the strain is u'/1 + a^2/2, so the
    // energy is EA L (u + a^2/2)^2 / 2 with u the stretch per length.
    let data = LinkData { elements: 1, ..DATA };
    let (model, _) = link(&data, [0.0; 3]);
    let mut p = model.initial_point();
    let (u, a, l) = (-0.03, 0.2, data.length);
    p.q[3..].copy_from_slice(&[0.0, 0.0, a, u * l, a * l, a]);
    let force = data.axial * (u + a * a / 2.0);
    let r = model.residual(&p);
    // Along the tilt the generalized force is N a L per unit of a, spread over w_b and rotations.
    assert!((r[6] - force).abs() < 1e-13);
    assert!((r[7] * l + r[5] + r[8] - force * a * l).abs() < 1e-12);
}

/// The frame's conditions as rows.
#[test]
fn reference_conditions_are_rows_of_the_model() {
    let mut model = Model::new("link", [0.0; 3]);
    let link = model.add_link_blocks("link", [0.0; 3], &DATA);
    model.add_link_elements(
        "link",
        &link,
        &DATA,
        &[(1, ElasticAxis::X), (1, ElasticAxis::Y), (4, ElasticAxis::Y)],
    );
    let p = point(&model, 0.4);
    assert_eq!(model.phi(&p.q, 0.0), [p.q[3], p.q[4], p.q[13]]);
    assert_eq!(model.row_name(2), "link (reference node 4 y)");
    assert_eq!(model.coordinate_name(13), "link[4].uy");
}

/// The parts of K make K, and for rigid motion cancel far beyond the digits of its entries.
#[test]
fn parts_of_the_stiffness_cancel_beyond_its_digits() {
    // A step of few digits, so that the arc lengths of the nodes are exact.
    let step = 3.0 / 128.0;
    let data = LinkData { elements: 40, length: 40.0 * step, bending: 1e12 / 7.0, axial: 0.0, ..DATA };
    let (model, link) = link(&data, [0.0; 3]);
    let p = model.initial_point();
    let (blocks, parts) = model.blocks_in_parts(&p);
    let parts = parts.expect("links separate their bending");
    let plain = model.blocks(&p);
    let largest = mb_algebra::norms::max_abs(&plain.k);
    let difference = mb_algebra::norms::max_abs(&mb_algebra::sparse::add(1.0, &plain.k, -1.0, &blocks.k));
    assert!(difference <= 8.0 * f64::EPSILON * largest);
    assert_eq!((blocks.k, blocks.m), (parts.sum(), plain.m));

    let mut turned = vec![0.0; model.nv()];
    for k in 1..=link.nodes() {
        let at = model.coordinates().block(link.node(k)).v;
        turned[at + 1] = (k - 1) as f64 * step;
        turned[at + 2] = 1.0;
    }
    let [exact, rounded, whole] =
        [&parts.exact, &parts.rounded, &plain.k].map(|a| mb_algebra::sparse::matvec(a, &turned));
    let left = exact.iter().zip(&rounded).map(|(a, b)| (a + b).abs()).fold(0.0, f64::max);
    let before = whole.iter().map(|r| r.abs()).fold(0.0, f64::max);
    assert!(left <= 1e-26 * largest && before >= 1e-18 * largest, "{left:e} {before:e} {largest:e}");
}

/// Away from the straight state, under damping and in company of bodies, the parts make K as well.
#[test]
fn parts_of_the_stiffness_at_any_point() {
    let (mut model, _) = link(&LinkData { alpha: 0.3, beta: 0.02, ..DATA }, [0.3, -9.81, 0.0]);
    let body = model.add_block("body", BlockKind::PlanarPose, &[0.0; 3]);
    let none: Model = Model::new("nothing", [0.0; 3]);
    assert!(none.blocks_in_parts(&none.initial_point()).1.is_none());
    let mass = Element::PlanarBody(PlanarBody {
        slot: 0,
        mass: 2.0,
        inertia: 0.3,
        center_of_mass: [0.1, 0.2],
        alpha: 0.0,
    });
    model.add_element("body", mass, vec![body], Vec::new());
    let p = point(&model, 0.4);
    let (plain, (blocks, parts)) = (model.blocks(&p), model.blocks_in_parts(&p));
    let sum = parts.expect("links separate their bending").sum();
    for (a, b) in [(&plain.m, &blocks.m), (&plain.c, &blocks.c), (&plain.k, &blocks.k), (&plain.k, &sum)] {
        let difference = mb_algebra::norms::max_abs(&mb_algebra::sparse::add(1.0, a, -1.0, b));
        assert!(difference <= 1e-13 * mb_algebra::norms::max_abs(a), "{difference:e}");
    }
}

/// Sweeps of several directions in wide registers are those of one direction at a time, in motion and under damping, with and without
/// the stiffness of the axial force.
#[test]
fn the_blocks_are_those_of_one_direction_at_a_time() {
    for geometric_stiffness in [false, true] {
        for (alpha, beta) in [(0.0, 0.0), (0.3, 0.02)] {
            let data = LinkData { alpha, beta, geometric_stiffness, ..DATA };
            let (model, _) = link(&data, [0.3, -9.81, 0.0]);
            let moving = point(&model, 0.4);
            let still = model.initial_point();
            for p in [moving, still] {
                let (found, single) = (model.blocks(&p), model.block_triplets(&p));
                let pairs = [(found.m, single.m), (found.c, single.c), (found.k, single.k)];
                for (found, single) in pairs {
                    let single = single.to_sparse();
                    assert_eq!(found.nnz(), single.nnz());
                    let difference = mb_algebra::sparse::add(1.0, &found, -1.0, &single);
                    let largest = mb_algebra::norms::max_abs(&single);
                    let difference = mb_algebra::norms::max_abs(&difference);
                    assert!(difference <= 4.0 * f64::EPSILON * largest, "{difference:e} {largest:e}");
                }
            }
        }
    }
}
