//! The flexible arm of palomba2019 about the middle of its path.

use mb_algebra::{Dense, QuadraticPencil};
use mb_eigen::{DenseOptions, quadratic};
use mb_gallery::models::ErlsArm;
use mb_model::{ModelSource, Point};
use mb_parametric::{MovingModel, PointRule, SeriesSource, StartingPair, Variable};
use std::collections::BTreeMap;

/// Angles, speeds and accelerations near the printed operating point; deflections follow.
pub(crate) fn in_motion(arm: &ErlsArm) -> Point {
    let mut point = arm.model::<f64>(&BTreeMap::new()).unwrap().initial_point();
    let first = arm.first_angle();
    for (i, [q, v, a]) in [[1.26, 0.89, 0.68], [-1.09, -0.86, 0.84]].into_iter().enumerate() {
        (point.q[first + i], point.v[first + i], point.a[first + i]) = (q, v, a);
    }
    point
}

/// Both angles and speeds, which the motors hold.
pub(crate) fn angles_and_speeds(arm: &ErlsArm) -> Vec<Variable> {
    let k = arm.first_angle();
    vec![Variable::Coordinate(k), Variable::Coordinate(k + 1), Variable::Speed(k), Variable::Speed(k + 1)]
}

/// The arm in the variables given, moving; the motors hold the angles that are variables, and
/// their torque is what it takes at the centre for the others.
pub(crate) fn moving<'a>(arm: &'a ErlsArm, variables: &[Variable]) -> MovingModel<'a, ErlsArm> {
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let all = MovingModel::new(arm, &in_motion(arm), &angles_and_speeds(arm), held);
    let centre = all.point(&[0.0; 4]).unwrap();
    let first = arm.first_angle();
    let holding = (0..2).filter(|i| variables.contains(&Variable::Coordinate(first + i))).collect::<Vec<_>>();
    MovingModel::new(arm, &centre, variables, PointRule::Balanced { holding })
}

/// The three lowest elastic modes.
pub(crate) fn elastic(source: &MovingModel<'_, ErlsArm>) -> Vec<StartingPair> {
    let zero = vec![0.0; source.parameters()];
    elastic_of(&source.matrices(&zero).unwrap())
}

/// The three lowest modes above 100 rad/s: the rigid motion lies far below.
pub(crate) fn elastic_of(pencil: &QuadraticPencil<Dense>) -> Vec<StartingPair> {
    let spectrum = quadratic::solve(pencil, &DenseOptions::default()).unwrap();
    let mut starts: Vec<StartingPair> = spectrum
        .motion()
        .filter_map(|pair| Some(StartingPair { s: pair.value()?, vector: pair.right.clone() }))
        .filter(|pair| pair.s.im > 100.0)
        .collect();
    starts.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    starts.truncate(3);
    starts
}
