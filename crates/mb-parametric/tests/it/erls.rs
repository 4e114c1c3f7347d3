//! The flexible arm of palomba2019 about the middle of its path.

use mb_algebra::{Dense, QuadraticPencil};
use mb_eigen::DenseOptions;
use mb_gallery::models::ErlsArm;
use mb_parametric::{MovingModel, PointRule, SeriesSource, StartingEigenpair, Variable};

/// Both angles and speeds, which the motors hold.
pub(crate) fn angles_and_speeds(arm: &ErlsArm) -> Vec<Variable> {
    let k = arm.first_angle();
    vec![Variable::Coordinate(k), Variable::Coordinate(k + 1), Variable::Speed(k), Variable::Speed(k + 1)]
}

/// The arm in the variables given, moving; the motors hold the angles that are variables, and
/// their torque is what it takes at the centre for the others.
pub(crate) fn moving<'a>(arm: &'a ErlsArm, variables: &[Variable]) -> MovingModel<'a> {
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let all = MovingModel::new(arm, &arm.in_motion(), &angles_and_speeds(arm), held);
    let centre = all.point(&[0.0; 4]).unwrap();
    let first = arm.first_angle();
    let holding = (0..2).filter(|i| variables.contains(&Variable::Coordinate(first + i))).collect::<Vec<_>>();
    MovingModel::new(arm, &centre, variables, PointRule::Balanced { holding })
}

/// The three lowest elastic modes.
pub(crate) fn elastic(source: &MovingModel<'_>) -> Vec<StartingEigenpair> {
    let zero = vec![0.0; source.parameters()];
    elastic_of(&source.matrices(&zero).unwrap())
}

/// The three lowest elastic modes of a pencil.
pub(crate) fn elastic_of(pencil: &QuadraticPencil<Dense>) -> Vec<StartingEigenpair> {
    let spectrum = mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap();
    let pairs = spectrum.motion().filter_map(|pair| Some((pair.value()?, pair.right.as_slice())));
    let mut starts = StartingEigenpair::oscillations(pairs, ErlsArm::ELASTIC_FROM);
    starts.truncate(3);
    starts
}
