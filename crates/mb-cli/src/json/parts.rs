//! Parts that several documents share.

use crate::flow::{Moving, Settled, Site};
use crate::names;
use crate::render::summary;
use crate::source::Loaded;
use mb_algebra::{Dense, RankDecision, c64};
use mb_constraints::{ConstraintRank, RedundantRow};
use mb_linear::{Frame, Stability, SteadyMotion};
use mb_model::Model;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Numbers by name, in the order of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named(pub Vec<(String, f64)>);

impl Named {
    /// Names and values of equal number.
    pub fn new(names: Vec<String>, values: &[f64]) -> Self {
        Self(names.into_iter().zip(values.iter().copied()).collect())
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The model and its sizes.
#[derive(Debug, serde::Serialize)]
pub struct ModelView {
    name: String,
    file: String,
    /// Parameters changed on the command line, as given.
    set: Vec<String>,
    configuration_numbers: usize,
    velocities: usize,
    constraint_rows: usize,
    rank: usize,
    degrees_of_freedom: usize,
    rank_decision: RankDecision,
    redundant_constraints: Vec<RedundantView>,
    coordinates: Vec<String>,
    rows: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// A redundant row.
#[derive(Debug, serde::Serialize)]
pub struct RedundantView {
    row: usize,
    name: String,
    depends_on: Vec<String>,
}

impl From<&RedundantRow> for RedundantView {
    fn from(r: &RedundantRow) -> Self {
        Self { row: r.row, name: r.name.clone(), depends_on: r.depends_on.clone() }
    }
}

impl ModelView {
    /// The view of a model.
    pub fn new(loaded: &Loaded, rank: &ConstraintRank) -> Self {
        let model = &loaded.model;
        Self {
            name: model.name.clone(),
            file: loaded.file.clone(),
            set: loaded.set.iter().map(ToString::to_string).collect(),
            configuration_numbers: model.nq(),
            velocities: model.nv(),
            constraint_rows: model.nc(),
            rank: rank.rank(),
            degrees_of_freedom: rank.degrees_of_freedom(),
            rank_decision: rank.decision,
            redundant_constraints: rank.redundant.iter().map(RedundantView::from).collect(),
            coordinates: model.coordinates().names(),
            rows: (0..model.nc()).map(|i| model.row_name(i)).collect(),
            inputs: model.inputs().to_vec(),
            outputs: model.sensors().iter().map(|s| s.name.clone()).collect(),
        }
    }
}

/// Stability in words and numbers.
#[derive(Debug, serde::Serialize)]
pub struct StabilityView {
    kind: &'static str,
    directions: Option<usize>,
}

impl From<Stability> for StabilityView {
    fn from(s: Stability) -> Self {
        let (kind, directions) = match s {
            Stability::Stable => ("stable", None),
            Stability::Unstable { directions } => ("unstable", Some(directions)),
            Stability::Neutral { directions } => ("neutral", Some(directions)),
            Stability::Undecided => ("undecided", None),
        };
        Self { kind, directions }
    }
}

/// An equilibrium.
#[derive(Debug, serde::Serialize)]
pub struct EquilibriumView {
    configuration: Named,
    multipliers: Named,
    time: f64,
    inputs: Named,
    outputs: Named,
    stability: StabilityView,
    residual: f64,
    found_by: &'static str,
    iterations: usize,
    start: Option<StartView>,
}

/// What assembly did to the start.
#[derive(Debug, serde::Serialize)]
pub struct StartView {
    worst_row: Option<String>,
    violation: f64,
    moved: f64,
    furthest: Option<FurthestView>,
    not_kept: Vec<String>,
}

/// What assembly moved furthest.
#[derive(Debug, serde::Serialize)]
pub struct FurthestView {
    name: String,
    distance: f64,
}

impl FurthestView {
    /// The view of a start that was assembled from `before` to `after`; none where no place moved.
    pub fn new(model: &Model, before: &[f64], after: &[f64]) -> Option<Self> {
        summary::furthest_part(model, before, after).map(|(name, distance)| Self { name, distance })
    }
}

impl StartView {
    /// The view of a start.
    pub fn new(loaded: &Loaded, start: &crate::flow::Start) -> Self {
        Self {
            worst_row: start.violation.map(|(row, _)| loaded.model.row_name(row)),
            violation: start.violation.map_or(0.0, |v| v.1),
            moved: start.moved,
            furthest: FurthestView::new(&loaded.model, &start.before, &start.q),
            not_kept: start.not_kept.clone(),
        }
    }
}

impl EquilibriumView {
    /// The view of an equilibrium.
    pub fn new(loaded: &Loaded, settled: &Settled) -> Self {
        let model = &loaded.model;
        let point = settled.equilibrium.point();
        let rows = (0..model.nc()).map(|i| model.row_name(i)).collect();
        let outputs = model.sensors().iter().map(|s| s.name.clone()).collect();
        Self {
            configuration: Named::new(names::configuration(model), &point.q),
            multipliers: Named::new(rows, &point.lambda),
            time: point.t,
            inputs: Named::new(model.inputs().to_vec(), &point.u),
            outputs: Named::new(outputs, &model.outputs(point)),
            stability: settled.stability.into(),
            residual: settled.equilibrium.residual,
            found_by: settled.equilibrium.found_by,
            iterations: settled.equilibrium.iterations,
            start: settled.start.as_ref().map(|s| StartView::new(loaded, s)),
        }
    }
}

/// A point of a motion.
#[derive(Debug, serde::Serialize)]
pub struct MovingView {
    configuration: Named,
    velocities: Named,
    accelerations: Named,
    multipliers: Named,
    time: f64,
    inputs: Named,
    outputs: Named,
    residual: f64,
    /// Speeds and inputs that were unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    solved: Option<Named>,
    start: StartView,
}

impl MovingView {
    fn new(loaded: &Loaded, moving: &Moving) -> Self {
        let model = &loaded.model;
        let point = moving.at.point();
        let coordinates = model.coordinates().names();
        let rows = (0..model.nc()).map(|i| model.row_name(i)).collect();
        let outputs = model.sensors().iter().map(|s| s.name.clone()).collect();
        Self {
            configuration: Named::new(names::configuration(model), &point.q),
            velocities: Named::new(coordinates.clone(), &point.v),
            accelerations: Named::new(coordinates, &point.a),
            multipliers: Named::new(rows, &point.lambda),
            time: point.t,
            inputs: Named::new(model.inputs().to_vec(), &point.u),
            outputs: Named::new(outputs, &model.outputs(point)),
            residual: moving.residual,
            solved: (!moving.solved.is_empty()).then(|| {
                let (names, values): (Vec<_>, Vec<_>) =
                    moving.solved.iter().map(|s| (s.name.clone(), s.value)).unzip();
                Named::new(names, &values)
            }),
            start: StartView::new(loaded, &moving.start),
        }
    }
}

/// A steady motion: the frame, and what shows that the linearization is constant in it.
#[derive(Debug, serde::Serialize)]
pub struct SteadyView {
    /// ground, body, turning or several.
    kind: &'static str,
    /// The frame in words.
    frame: String,
    /// The body that it turns with.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Its angular velocity in rad/s, ground's axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    angular_velocity: Option<[f64; 3]>,
    deviation: f64,
    points: usize,
}

impl From<&SteadyMotion> for SteadyView {
    fn from(motion: &SteadyMotion) -> Self {
        let frame = motion.frame();
        let (kind, body) = match frame {
            Frame::Ground => ("ground", None),
            Frame::Body { name, .. } => ("body", Some(name.clone())),
            Frame::Turning { .. } => ("turning", None),
            Frame::Several { .. } => ("several", None),
        };
        Self {
            kind,
            frame: frame.to_string(),
            body,
            angular_velocity: frame.rate(),
            deviation: motion.deviation().relative,
            points: motion.deviation().points,
        }
    }
}

/// Where a model was linearized: an equilibrium, or a point of a motion with what makes it steady.
#[derive(Debug, serde::Serialize)]
pub struct SiteView {
    #[serde(skip_serializing_if = "Option::is_none")]
    equilibrium: Option<EquilibriumView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operating_point: Option<MovingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steady: Option<SteadyView>,
}

impl SiteView {
    /// The view of an equilibrium or of a point of a motion.
    pub fn new(loaded: &Loaded, site: &Site) -> Self {
        match site {
            Site::Rest(settled) => Self {
                equilibrium: Some(EquilibriumView::new(loaded, settled)),
                operating_point: None,
                steady: None,
            },
            Site::Motion(moving) => Self {
                equilibrium: None,
                operating_point: Some(MovingView::new(loaded, moving)),
                steady: moving.at.steady().map(SteadyView::from),
            },
        }
    }
}

/// Complex numbers as pairs [re, im].
pub fn complex(list: &[c64]) -> Vec<[f64; 2]> {
    list.iter().map(|z| [z.re, z.im]).collect()
}

/// A matrix by rows.
pub fn rows(a: &Dense) -> Vec<Vec<f64>> {
    (0..a.nrows()).map(|i| (0..a.ncols()).map(|j| a[(i, j)]).collect()).collect()
}
