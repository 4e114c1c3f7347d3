//! Assembly of models large enough for several regions of columns.

use mb_algebra::{norms, sparse};
use mb_model::element::{Attitude, Distance, Joint, JointFrame, Locked, MassForm, Place};
use mb_model::law::TimeLaw;
use mb_model::{BlockId, BlockKind, Element, Model, Point, SolidData, SolidMaterial, SolidMesh, Wiring};

/// A block under pressure on one face that is tied to a rigid body, with distances between far nodes.
fn block() -> Model {
    let material = SolidMaterial { density: 3.0, youngs_modulus: 40.0, poissons_ratio: 0.3 };
    let mesh = SolidMesh::block([1.0, 1.0, 1.0], [14, 13, 12]);
    let mut model = Model::new("block", [0.0, 0.0, -9.81]);
    let body = model.add_block("plate", BlockKind::Pose, &[0.5, 0.5, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let nodes = model.add_solid_nodes("block", &mesh);
    let data = SolidData { alpha: 0.3, beta: 0.02, ..SolidData::new(material) };
    assert!(model.add_solid_elements("block", &data, &mesh, &nodes).is_ok());
    for k in &mesh.sets["z-"] {
        model.hold_node("hold", nodes[*k], [true, true, k % 2 == 0]);
    }
    for k in mesh.sets["z+"].iter().step_by(5) {
        let [x, y, z] = mesh.nodes[*k];
        tie(&mut model, nodes[*k], body, [x - 0.5, y - 0.5, z - 1.0]);
    }
    for k in (0..nodes.len() / 2).step_by(97) {
        let mut wiring = Wiring::default();
        let (a, b) = (nodes[k], nodes[nodes.len() - 1 - k]);
        let [a, b] = [a, b].map(|node| model.place_in_space(&mut wiring, node, [0.0; 3]));
        let rod = Element::Distance(Distance { a, b, length: 1.0 });
        model.add_element("rod", rod, wiring.into_blocks(), Vec::new());
    }
    let faces = mesh.faces_of(&mesh.sets["x+"]);
    model.add_face_load("load", (&mesh, &nodes), &faces, None, &TimeLaw::constant(0.1), None);
    model
}

fn tie(model: &mut Model, node: BlockId, body: BlockId, local: [f64; 3]) {
    let mut wiring = Wiring::default();
    let place = model.place_in_space(&mut wiring, node, [0.0; 3]);
    let on_body = model.place_in_space(&mut wiring, body, local);
    let attitude = model.attitude(&mut wiring, body);
    let frame = |place: Place, attitude| JointFrame::new(place, attitude, [1.0, 0.0, 0.0, 0.0]);
    let (a, b) = (frame(place, Attitude::GROUND), frame(on_body, attitude));
    let joint = Element::Joint(Box::new(Joint { a, b, locked: Locked::SPHERICAL }));
    model.add_element("tie", joint, wiring.into_blocks(), Vec::new());
}

fn somewhere(model: &Model) -> Point {
    let wave = |n: usize, size: f64| -> Vec<f64> { (0..n).map(|i| size * (1.3 * i as f64).sin()).collect() };
    let mut point = model.initial_point();
    point.q = model.coordinates().retract(&point.q, &wave(model.nv(), 1e-3));
    (point.v, point.a) = (wave(model.nv(), 0.2), wave(model.nv(), 0.5));
    point.lambda = wave(model.nc(), 2.0);
    point
}

/// Regions of columns, swept in lanes, give what all elements one after the other and direction by direction give.
#[test]
fn regions_give_the_blocks_of_the_whole() {
    let model = block();
    let point = somewhere(&model);
    let (blocks, whole) = (model.blocks(&point), model.block_triplets(&point));
    let (k, phi_q) = model.static_blocks(&point);
    for (name, a, b) in [
        ("M", &blocks.m, whole.m.to_sparse()),
        ("C", &blocks.c, whole.c.to_sparse()),
        ("K", &blocks.k, whole.k.to_sparse()),
        ("Phi_q", &blocks.phi_q, whole.phi_q.to_sparse()),
    ] {
        let difference = norms::max_abs(&sparse::add(1.0, a, -1.0, &b));
        assert!(difference <= 1e-12 * norms::max_abs(&b), "{name} {difference}");
        assert_eq!((a.shape(), a.nnz() > 0), (b.shape(), true), "{name}");
    }
    assert_eq!((k, phi_q), (blocks.k, blocks.phi_q));
}

/// One core or several, the same bits in the same places.
#[test]
fn cores_do_not_change_a_bit() -> Result<(), rayon::ThreadPoolBuildError> {
    let model = block();
    let point = somewhere(&model);
    let with = |cores: usize| -> Result<_, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build()?;
        Ok(pool.install(|| (model.blocks(&point), model.residual(&point))))
    };
    let (one, residual) = with(1)?;
    for cores in [2, 5] {
        let (several, again) = with(cores)?;
        assert!(residual == again, "{cores} cores");
        let pairs = [
            ("M", &one.m, &several.m),
            ("C", &one.c, &several.c),
            ("K", &one.k, &several.k),
            ("Phi_q", &one.phi_q, &several.phi_q),
        ];
        for (name, a, b) in pairs {
            assert!(a == b, "{name} by {cores} cores");
        }
    }
    Ok(())
}

/// Two solids, one of them damped and lumped: M has entries along the axes alone and of the lumped one on its diagonal, C
/// has columns of that one alone, by mass, by stiffness or both, and K of both, whether there are many elements or few.
#[test]
fn damped_and_undamped_solids_stand_side_by_side() {
    let cases = [[3, 2, 2], [16, 15, 12]]
        .into_iter()
        .flat_map(|count| [(0.0, 0.02), (0.3, 0.0), (0.3, 0.02)].map(|(alpha, beta)| (count, alpha, beta)));
    for (count, alpha, beta) in cases {
        let material = SolidMaterial { density: 3.0, youngs_modulus: 40.0, poissons_ratio: 0.3 };
        let mesh = SolidMesh::block([1.0, 1.0, 1.0], count);
        let mut model = Model::new("two blocks", [0.0; 3]);
        for damped in [false, true] {
            let nodes = model.add_solid_nodes("block", &mesh);
            let data = if damped {
                SolidData { alpha, beta, mass: MassForm::Lumped, ..SolidData::new(material) }
            } else {
                SolidData::new(material)
            };
            assert!(model.add_solid_elements("block", &data, &mesh, &nodes).is_ok());
        }
        let point = somewhere(&model);
        let (blocks, whole) = (model.blocks(&point), model.block_triplets(&point));
        let pairs = [
            ("M", &blocks.m, whole.m.to_sparse()),
            ("C", &blocks.c, whole.c.to_sparse()),
            ("K", &blocks.k, whole.k.to_sparse()),
        ];
        for (name, a, b) in pairs {
            assert_eq!((a.indptr(), a.indices()), (b.indptr(), b.indices()), "{name} {alpha} {beta}");
            let difference = norms::max_abs(&sparse::add(1.0, a, -1.0, &b));
            assert!(difference <= 1e-12 * norms::max_abs(&b), "{name} {difference}");
        }
        let half = model.nv() / 2;
        assert!(blocks.c.outer_iterator().take(half).all(|column| column.nnz() == 0));
        assert!(blocks.m.outer_iterator().skip(half).all(|column| column.nnz() == 1));
        assert!(blocks.m.iter().all(|(_, (i, j))| (i % 3) == (j % 3)));
    }
}

/// Forces of many elements are summed in their order, on however many cores they were computed.
#[test]
fn many_residuals_add_up() {
    let model = block();
    let point = somewhere(&model);
    let mut lambda_alone = Point { lambda: vec![0.0; model.nc()], ..point.clone() };
    let applied = model.residual(&lambda_alone);
    lambda_alone.lambda.clone_from(&point.lambda);
    let reaction = sparse::matvec_transpose(&model.blocks(&point).phi_q, &point.lambda);
    for (i, (r, parts)) in model.residual(&point).iter().zip(applied.iter().zip(&reaction)).enumerate() {
        assert!((r - parts.0 - parts.1).abs() < 1e-12 * (1.0 + r.abs()), "{i}");
    }
    assert_eq!(model.phi(&point.q, 0.0).len(), model.nc());
}
