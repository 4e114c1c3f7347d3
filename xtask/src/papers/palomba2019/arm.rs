//! The arm at the operating point that the paper prints, and its elastic eigenpairs.

use mb_algebra::{Dense, QuadraticPencil};
use mb_eigen::DenseOptions;
use mb_gallery::Table;
use mb_gallery::models::ErlsArm;
use mb_model::Point;
use mb_parametric::{PolishOptions, RefinedEigenpair, StartingEigenpair, Variable, polish};

/// Names of the three elastic pairs whose figures the paper shows.
pub(super) const PAIRS: [&str; 3] = ["second", "third", "fourth"];

/// The two sets of parameters: as printed, and as the operating point was computed with.
pub(super) fn sets() -> [(&'static str, ErlsArm); 2] {
    [("recovered", ErlsArm::recovered()), ("Table 2", ErlsArm::table_2())]
}

/// q1, q2, qd1, qd2: what the paper expands in.
pub(super) fn variables(arm: &ErlsArm) -> [Variable; 4] {
    let [q1, q2] = angles(arm);
    [Variable::Coordinate(q1), Variable::Coordinate(q2), Variable::Speed(q1), Variable::Speed(q2)]
}

/// Numbers of the two joint angles.
pub(super) fn angles(arm: &ErlsArm) -> [usize; 2] {
    [arm.first_angle(), arm.first_angle() + 1]
}

/// The printed numbers of one column of the operating point, with half a unit of each last place.
pub(super) fn column(table: &Table, name: &str) -> Result<Vec<(f64, f64)>, String> {
    let cells = table.rows.iter().filter_map(|row| row.cell(name));
    cells.map(|cell| decimal(&cell.text)).collect()
}

fn decimal(text: &str) -> Result<(f64, f64), String> {
    let printed: mb_gallery::Printed = text.parse().map_err(|e| format!("{e}"))?;
    Ok((printed.re().value(), printed.re().half_unit()))
}

/// The printed operating point.
pub(super) fn printed_point(arm: &ErlsArm) -> Result<Point, String> {
    let table = Table::load("palomba2019/operating-point").map_err(|e| e.to_string())?;
    let values = |name: &str| -> Result<Vec<f64>, String> {
        Ok(column(&table, name)?.into_iter().map(|(value, _)| value).collect())
    };
    let mut q = values("q")?;
    let u = q.split_off(q.len() - arm.links.len());
    Ok(Point { q, v: values("qd")?, a: values("qdd")?, lambda: Vec::new(), t: 0.0, u })
}

/// The three elastic eigenpairs of lowest frequency, to rounding.
pub(super) fn elastic_pairs(pencil: &QuadraticPencil<Dense>) -> Result<Vec<RefinedEigenpair>, String> {
    let spectrum = mb_eigen::dense::solve(pencil, &DenseOptions::default()).map_err(|e| e.to_string())?;
    let pairs = spectrum.motion().filter_map(|pair| Some((pair.value()?, pair.right.as_slice())));
    let starts = StartingEigenpair::oscillations(pairs, ErlsArm::ELASTIC_FROM);
    starts
        .iter()
        .take(PAIRS.len())
        .map(|start| polish(pencil, start, &PolishOptions::default()).map_err(|e| e.to_string()))
        .collect()
}
