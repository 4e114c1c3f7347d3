//! Linkages that pass a singular configuration.

use crate::systems::solve;
use mb_model::{Model, ModelSpec, Point};
use mb_parametric::{
    AccuracyOptions, MovingModel, MultiIndexSet, ParametricError, PointRule, Region, SeriesSource,
    TrackOptions, Variable, balanced_point, expand_to_accuracy, rank_change, rank_change_within, track,
};

/// A parallelogram: two cranks of 1 m, 2 m apart, and a coupler of `coupler` metres as a rod. A motor turns the
/// first; a spring holds the second against the ground and a mass on springs hangs on it.
/// With a coupler of 2 m the constraints lose rank where the cranks lie along the ground.
fn four_bar(coupler: f64) -> ModelSpec {
    four_bar_from(coupler, 0.6)
}

/// The same with cranks that start at an angle.
fn four_bar_from(coupler: f64, angle: f64) -> ModelSpec {
    let text = r#"
        units = "SI"
        name = "four-bar"
        gravity = [0, 0]
        parameters = { k = 300.0, coupler = COUPLER }
        point = [{ name = "load", at = [2.3, 0.4], mass = 0.4 }]
        body = [
            { name = "crank", mass = 1.0, inertia = 0.1, at = [0, 0], angle = ANGLE, markers = { end = [1, 0] } },
            { name = "rocker", mass = 1.0, inertia = 0.1, at = [2, 0], angle = ANGLE, markers = { end = [1, 0] } },
        ]
        joint = [
            { name = "A", type = "revolute", a = "crank", b = "ground" },
            { name = "B", type = "revolute", a = "rocker", b = [2, 0] },
            { name = "link", type = "distance", a = "crank.end", b = "rocker.end", length = "coupler" },
        ]
        spring = [
            { name = "s", a = "crank.end", b = "load", stiffness = "k", natural_length = 1.2 },
            { name = "t", a = [2, 2], b = "load", stiffness = "k", natural_length = 1.2 },
            { name = "u", a = [3.5, 0], b = "load", stiffness = "k", natural_length = 1.0 },
        ]
        torque = [{ name = "motor", on = "crank", input = "motor" }]
    "#;
    ModelSpec::from_toml(
        &text.replace("COUPLER", &format!("{coupler:?}")).replace("ANGLE", &format!("{angle:?}")),
    )
    .unwrap()
}

/// The crank at an angle, held by the motor.
fn at_rest(spec: &ModelSpec) -> (Model, Point, [Variable; 1]) {
    let model = spec.build().unwrap();
    let crank = model.coordinates().names().iter().position(|n| n == "crank.angle").unwrap();
    let mut start = model.initial_point();
    start.v.fill(0.0);
    let point = balanced_point(&model, &start, &[crank], &[0]).unwrap();
    (model, point, [Variable::Coordinate(crank)])
}

fn held() -> PointRule {
    PointRule::Balanced { holding: vec![0] }
}

#[test]
fn the_flat_parallelogram_is_found_and_its_rod_named() {
    let spec = four_bar(2.0);
    let (model, point, angle) = at_rest(&spec);
    let source = MovingModel::new(&spec, &point, &angle, held());
    let pencil = source.series(&[0.0], &MultiIndexSet::total(1, 6).unwrap()).unwrap();
    assert_eq!(rank_change(&source, &pencil, &[0.0], &[0.5]).unwrap(), None);
    assert_eq!(rank_change(&source, &pencil, &[0.0], &[-0.5]).unwrap(), None);
    let found = rank_change(&source, &pencil, &[0.0], &[-0.9]).unwrap().unwrap();
    // Flat where the angle of .6 rad is gone.
    assert!((found.at[0] + 0.6).abs() < 1e-5, "{found:?}");
    assert!(found.rows.iter().any(|i| model.row_name(*i).contains("link")), "{found:?}");
}

#[test]
fn regions_and_paths_across_it_are_refused() {
    let spec = four_bar(2.0);
    let (_, point, angle) = at_rest(&spec);
    let source = MovingModel::new(&spec, &point, &angle, held());
    let mut starts = solve(&source.matrices(&[0.0]).unwrap());
    starts.retain(|pair| pair.s.im > 1.0);
    starts.truncate(2);
    let region = |low: f64, high: f64| Region::Box { lower: vec![low], upper: vec![high] };
    let options = AccuracyOptions { accuracy: 1e-2, ..AccuracyOptions::default() };
    let error = expand_to_accuracy(&source, &starts, &region(-0.7, 0.1), &options).unwrap_err();
    let ParametricError::RankChanges { point, rows, .. } = error else { panic!("{error}") };
    assert!((point[0] + 0.6).abs() < 1e-4 && !rows.is_empty(), "{point:?} {rows:?}");
    expand_to_accuracy(&source, &starts, &region(-0.1, 0.1), &options).unwrap();
    // No sample lies at the singular configuration.
    let path: Vec<Vec<f64>> = (0..9).map(|i| vec![-0.11 * f64::from(i)]).collect();
    let error = track(&source, &path, &starts, &TrackOptions::default()).unwrap_err();
    let ParametricError::RankChanges { point, .. } = error else { panic!("{error}") };
    assert!((point[0] + 0.6).abs() < 1e-4, "{point:?}");
    track(&source, &path[..4], &starts, &TrackOptions::default()).unwrap();
}

#[test]
fn a_linkage_that_only_comes_near_is_not_refused() {
    // A longer coupler cannot lie flat between the cranks: the constraints stay independent.
    let spec = four_bar(2.1);
    let (_, point, angle) = at_rest(&spec);
    let source = MovingModel::new(&spec, &point, &angle, held());
    let pencil = source.series(&[0.0], &MultiIndexSet::total(1, 6).unwrap()).unwrap();
    assert_eq!(rank_change(&source, &pencil, &[0.0], &[-0.4]).unwrap(), None);
}

/// The crank's angle and the coupler's length from 1.9 m and 0.3 rad: singular at 2 m and 0 alone.
#[test]
fn a_singular_configuration_beside_the_straight_ways_is_found() {
    let spec = four_bar_from(1.9, 0.3);
    let (model, point, [angle]) = at_rest(&spec);
    let variables = [angle, Variable::Parameter("coupler".into())];
    let source = MovingModel::new(&spec, &point, &variables, held());
    let pencil = source.series(&[0.0; 2], &MultiIndexSet::total(2, 6).unwrap()).unwrap();
    let region = |lower: [f64; 2], upper: [f64; 2]| Region::Box { lower: lower.into(), upper: upper.into() };
    // On an edge, inside, and with one variable more than is needed.
    let [zero, open] = [[0.0; 2], [-0.45, 0.1]];
    for (lower, upper) in [([-0.45, -0.05], [0.1, 0.1]), ([-0.4, -0.03], [0.2, 0.12])] {
        let found = rank_change_within(&source, &pencil, &zero, &region(lower, upper)).unwrap();
        let found = found.unwrap_or_else(|| panic!("{lower:?} {upper:?}"));
        assert!((found.at[0] + 0.3).abs() < 1e-4 && (found.at[1] - 0.1).abs() < 1e-4, "{found:?}");
        assert!(found.rows.iter().any(|i| model.row_name(*i).contains("link")), "{found:?}");
        // No straight way from the centre to a corner or the middle of a face meets it.
        for end in [lower, upper, [lower[0], upper[1]], [upper[0], lower[1]], open] {
            if end[1] < 0.11 {
                assert_eq!(rank_change(&source, &pencil, &zero, &end).unwrap(), None, "{end:?}");
            }
        }
    }
    for (lower, upper) in [([-0.45, -0.05], [0.1, 0.06]), ([-0.1, -0.05], [0.1, 0.12])] {
        let found = rank_change_within(&source, &pencil, &zero, &region(lower, upper)).unwrap();
        assert_eq!(found, None, "{lower:?} {upper:?}");
    }
    // Along a path that passes it between two samples, far from the straight ways.
    let corner = vec![vec![0.0, 0.0], vec![0.0, 0.1], vec![-0.17, 0.1], vec![-0.37, 0.1]];
    let found = rank_change_within(&source, &pencil, &zero, &Region::Path(corner.clone())).unwrap().unwrap();
    assert!((found.at[0] + 0.3).abs() < 1e-4, "{found:?}");
    assert_eq!(
        rank_change_within(&source, &pencil, &zero, &Region::Path(corner[..3].to_vec())).unwrap(),
        None
    );
    // And the plan refuses the region by it.
    let mut starts = solve(&source.matrices(&zero).unwrap());
    starts.retain(|pair| pair.s.im > 1.0);
    starts.truncate(1);
    let options = AccuracyOptions { accuracy: 1e-2, ..AccuracyOptions::default() };
    let error =
        expand_to_accuracy(&source, &starts, &region([-0.45, -0.05], [0.1, 0.1]), &options).unwrap_err();
    assert!(matches!(error, ParametricError::RankChanges { .. }), "{error}");
}

/// A coupler of 2.05 m cannot join cranks that lie almost flat.
#[test]
fn a_place_that_cannot_be_reached_is_no_equilibrium() {
    let spec = four_bar_from(1.9, 0.3);
    let (_, point, [angle]) = at_rest(&spec);
    let variables = [angle, Variable::Parameter("coupler".into())];
    let source: MovingModel<'_> = MovingModel::new(&spec, &point, &variables, held());
    let error = source.matrices(&[-0.3, 0.15]).unwrap_err();
    assert!(matches!(error, ParametricError::NotBalanced { .. }), "{error}");
    assert!(source.matrices(&[-0.3, 0.02]).is_ok());
}
