//! Frames that follow points in the mean: where they are, what they carry, what they leave free.

use mb_model::{BlockId, BlockKind, Model};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;

type V3 = Vector3<f64>;

/// A frame turned at the start, and points with weights.
fn model(points: &[V3], weights: &[f64], turn: UnitQuaternion<f64>) -> Model {
    let mut model = Model::new("mean", [0.0; 3]);
    let total: f64 = weights.iter().sum();
    let mean = points.iter().zip(weights).map(|(x, w)| x * *w).sum::<V3>() / total;
    let p = turn.quaternion();
    let pose = [mean.x, mean.y, mean.z, p.w, p.i, p.j, p.k];
    let frame = model.add_block("frame", BlockKind::Pose, &pose);
    let nodes: Vec<(BlockId, f64)> = points
        .iter()
        .zip(weights)
        .enumerate()
        .map(|(k, (x, w))| (model.add_block(format!("p[{k}]"), BlockKind::SpatialPoint, (*x).as_ref()), *w))
        .collect();
    assert_eq!(model.tie_in_the_mean("mean", frame, &nodes), Ok(()));
    model
}

fn vector(size: f64) -> impl Strategy<Value = V3> {
    prop::array::uniform3(-size..size).prop_map(V3::from)
}

fn points() -> impl Strategy<Value = (Vec<V3>, Vec<f64>)> {
    prop::collection::vec((vector(0.3), 0.2..2.0), 4..9).prop_map(|all| {
        // Corners of a box keep them off a line.
        let corner = |k: usize| V3::new((k & 1) as f64, ((k >> 1) & 1) as f64, (k >> 2) as f64);
        let at = |(k, (x, w)): (usize, &(V3, f64))| (x + corner(k), *w);
        all.iter().enumerate().map(at).unzip()
    })
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    vector(3.0).prop_map(UnitQuaternion::from_scaled_axis)
}

/// Velocities of all points and the frame, which is the first block, at `q` with angular velocity `w`.
fn rigid_motion(q: &[f64], v: V3, w: V3) -> Vec<f64> {
    let turn = UnitQuaternion::new_normalize(Quaternion::new(q[3], q[4], q[5], q[6]));
    let at = |x: &[f64]| v + w.cross(&V3::new(x[0], x[1], x[2]));
    let mut out: Vec<f64> = at(&q[..3]).iter().chain((turn.inverse() * w).iter()).copied().collect();
    for x in q[7..].chunks(3) {
        out.extend(at(x).iter());
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Wherever points and frame are moved together, the rows stay zero; a rotation or displacement of the frame alone
    /// is what the rows say.
    #[test]
    fn rows_are_displacement_and_rotation_against_the_mean(
        (x, w) in points(), turn in rotation(), moved in rotation(), shift in vector(2.0), alone in vector(1e-6),
    ) {
        let model = model(&x, &w, turn);
        let mut q = model.initial().to_vec();
        prop_assert!(model.phi(&q, 0.0).iter().all(|x| x.abs() < 1e-14));
        for k in (0..q.len()).filter(|k| *k == 0 || (*k >= 7 && (*k - 7) % 3 == 0)) {
            let x = moved * V3::new(q[k], q[k + 1], q[k + 2]) + shift;
            q[k..k + 3].copy_from_slice(x.as_ref());
        }
        let together = moved * turn;
        let euler = |q: &mut Vec<f64>, p: UnitQuaternion<f64>| {
            let p = p.into_inner();
            q[3..7].copy_from_slice(&[p.w, p.i, p.j, p.k]);
        };
        euler(&mut q, together);
        prop_assert!(model.phi(&q, 0.0).iter().all(|x| x.abs() < 1e-13));
        euler(&mut q, together * UnitQuaternion::from_scaled_axis(alone));
        q[0] += 0.25;
        let phi = model.phi(&q, 0.0);
        prop_assert!((phi[0] - 0.25).abs() < 1e-14 && phi[1].abs() < 1e-14 && phi[2].abs() < 1e-14);
    }

    /// The rotation against the mean has derivative one about each axis of the frame, in the assembled configuration.
    #[test]
    fn small_turns_are_measured_one_to_one((x, w) in points(), turn in rotation()) {
        let model = model(&x, &w, turn);
        let phi_q = model.phi_q(model.initial(), 0.0).to_dense();
        for i in 0..6 {
            for j in 0..6 {
                let unit = f64::from(u8::from(i == j));
                prop_assert!((phi_q[(i, j)] - unit).abs() < 1e-12, "{i} {j} {}", phi_q[(i, j)]);
            }
        }
    }

    /// Force and moment are carried exactly, whatever the deformation of the set: no rigid motion does work on the rows.
    #[test]
    fn force_and_moment_are_carried_whatever_the_deformation(
        (x, w) in points(), turn in rotation(), push in prop::collection::vec(-0.2_f64..0.2, 24),
        lambda in prop::collection::vec(-5.0_f64..5.0, 6), v in vector(1.0), rate in vector(1.0),
    ) {
        let model = model(&x, &w, turn);
        let mut q = model.initial().to_vec();
        for (x, d) in q[7..].iter_mut().zip(push.iter().cycle()) {
            *x += d;
        }
        // The frame in the mean of where the points are now.
        let total: f64 = w.iter().sum();
        for k in 0..3 {
            q[k] = w.iter().enumerate().map(|(i, w)| w / total * q[7 + 3 * i + k]).sum();
        }
        let reaction = model.reaction(&q, 0.0, &lambda);
        let power: f64 = reaction.iter().zip(rigid_motion(&q, v, rate)).map(|(f, v)| f * v).sum();
        prop_assert!(power.abs() < 1e-12, "{power}");
        // What the frame gives off, the points take: force lambda_1 to lambda_3 in all.
        for k in 0..3 {
            let sum: f64 = reaction[6..].iter().skip(k).step_by(3).sum();
            prop_assert!((sum + lambda[k]).abs() < 1e-12);
        }
    }
}

/// A square that grows, shears in itself and warps without turning moves its frame nowhere: the set is free to deform.
#[test]
fn the_set_stays_free_to_deform() {
    let square: Vec<V3> =
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| V3::new(x, y, 0.0)).into();
    let model = model(&square, &[1.0; 4], UnitQuaternion::identity());
    let phi_q = model.phi_q(model.initial(), 0.0).to_sparse();
    let deformations: [fn(&V3) -> V3; 4] =
        [|x| *x, |x| V3::new(x.y, x.x, 0.0), |x| V3::new(0.0, 0.0, x.x * x.y), |x| V3::new(x.x, -x.y, 0.0)];
    for deformation in deformations {
        let d: Vec<f64> = [0.0; 6]
            .into_iter()
            .chain(square.iter().flat_map(|x| <[f64; 3]>::from(deformation(x))))
            .collect();
        assert!(mb_algebra::sparse::matvec(&phi_q, &d).iter().all(|x| x.abs() < 1e-15));
    }
}
