//! What is asked for, as `python/mb` writes it: JSON objects whose numbers keep all digits.

use mb_algebra::c64;
use mb_analysis::factor::Penalties;
use mb_analysis::{MotionOptions, StartOptions};
use mb_constraints::NullSpaceMethod;
use mb_eigen::penalty::ViolationLaw;
use mb_eigen::sparse::{Request, Shift, Solver, SparseExpert, SparseOptions, Structure};
use mb_linear::formulation::redundant::Transferred;
use mb_linear::steady::{Sought, Spin};
use mb_linear::{FrameChoice, Strategy};
use mb_model::Held;
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::engine::Engine;
use crate::errors;

/// Options from their JSON.
pub(crate) fn read<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| errors::internal(py, &format!("options {json}: {e}")))
}

/// Part of a spectrum.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    part: Part,
    count: usize,
    point: (f64, f64),
    band: (f64, f64),
    max_damping_ratio: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Lowest,
    Largest,
    NearFrequency,
    NearPoint,
    Band,
    All,
}

impl Wanted {
    pub(crate) fn request(&self) -> Request {
        let count = self.count;
        match self.part {
            Part::Lowest => Request::Lowest { count },
            Part::Largest => Request::Largest { count },
            Part::NearFrequency => Request::NearFrequency { hz: self.point.0, count },
            Part::NearPoint => Request::NearPoint { s: c64::new(self.point.0, self.point.1), count },
            Part::Band => Request::Band {
                from_hz: self.band.0,
                to_hz: self.band.1,
                max_damping_ratio: self.max_damping_ratio,
            },
            Part::All => Request::All,
        }
    }
}

/// Settings of a search.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    symmetric: Option<bool>,
    left: bool,
    prove: bool,
    shift: Option<(f64, f64)>,
    memory: Option<u64>,
    arpack: bool,
    engine: Option<Engine>,
}

impl Settings {
    /// The engine that is to answer, where it is not the built-in one.
    pub(crate) fn engine(&self) -> Option<Engine> {
        self.engine.clone()
    }

    /// Whether the matrices are said to be symmetric.
    pub(crate) fn declares_symmetry(&self) -> bool {
        self.symmetric == Some(true)
    }

    pub(crate) fn options(&self) -> SparseOptions {
        SparseOptions {
            left_vectors: self.left,
            prove_complete: self.prove,
            memory_limit: self.memory,
            expert: SparseExpert {
                structure: match self.symmetric {
                    None => Structure::Detect,
                    Some(true) => Structure::Symmetric,
                    Some(false) => Structure::General,
                },
                solver: if self.arpack { Solver::Arpack } else { Solver::BuiltIn },
                shift: self.shift.map_or(Shift::Automatic, |(re, im)| Shift::At(c64::new(re, im))),
                ..Default::default()
            },
        }
    }
}

/// Where a model is linearized.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    at: Vec<(usize, f64)>,
    solve: bool,
    strategy: StrategyWord,
    time: f64,
    inputs: Vec<f64>,
    motion: Option<MotionPlace>,
}

/// How an equilibrium is found.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StrategyWord {
    Automatic,
    Newton,
    Relaxation,
}

impl From<StrategyWord> for Strategy {
    fn from(word: StrategyWord) -> Self {
        match word {
            StrategyWord::Automatic => Self::Automatic,
            StrategyWord::Newton => Self::Newton,
            StrategyWord::Relaxation => Self::Relaxation,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MotionPlace {
    velocities: Vec<(usize, f64)>,
    accelerations: Vec<(usize, f64)>,
    multipliers: Vec<(usize, f64)>,
    after: f64,
    spins: Vec<(String, f64)>,
    unknown_spins: Vec<usize>,
    unknown_inputs: Vec<usize>,
    /// Index in the configuration and among the velocities, value.
    held_coordinates: Vec<(usize, usize, f64)>,
    held_outputs: Vec<(usize, f64)>,
    frame: Option<String>,
    instant: bool,
}

impl MotionPlace {
    fn sought(&self) -> Sought {
        let coordinates =
            self.held_coordinates.iter().map(|(q, v, x)| (Held::Coordinate { q: *q, v: *v }, *x));
        let outputs = self.held_outputs.iter().map(|(i, x)| (Held::Output(*i), *x));
        Sought {
            spins: self.unknown_spins.clone(),
            inputs: self.unknown_inputs.clone(),
            holds: coordinates.chain(outputs).collect(),
        }
    }
}

impl Place {
    pub(crate) fn start(&self) -> StartOptions {
        StartOptions {
            given: self.at.clone(),
            solve: self.solve,
            strategy: self.strategy.into(),
            time: self.time,
            inputs: self.inputs.clone(),
            ..StartOptions::default()
        }
    }

    pub(crate) fn motion(&self) -> Option<MotionOptions> {
        self.motion.as_ref().map(|m| MotionOptions {
            velocities: m.velocities.clone(),
            accelerations: m.accelerations.clone(),
            multipliers: m.multipliers.clone(),
            after: m.after,
            spins: m.spins.iter().map(|(joint, speed)| Spin::behind(joint.clone(), *speed)).collect(),
            sought: m.sought(),
            frame: FrameChoice::named(m.frame.as_deref()),
            instant: m.instant,
            branch: true,
            ..MotionOptions::default()
        })
    }
}

/// A formulation of the linearized equations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    pub(crate) formulation: FormWord,
    basis: BasisWord,
    transferred: (bool, bool),
    alpha: Option<f64>,
    xi: f64,
    omega: f64,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormWord {
    Minimal,
    Redundant,
    Unconstrained,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BasisWord {
    Qr,
    Svd,
    GramSchmidt,
    ZeroEigenvalue,
    CoordinateSelection,
}

impl Form {
    pub(crate) fn basis(&self) -> NullSpaceMethod {
        match self.basis {
            BasisWord::Qr => NullSpaceMethod::Qr,
            BasisWord::Svd => NullSpaceMethod::Svd,
            BasisWord::GramSchmidt => NullSpaceMethod::GramSchmidt,
            BasisWord::ZeroEigenvalue => NullSpaceMethod::ZeroEigenvalue,
            BasisWord::CoordinateSelection => NullSpaceMethod::CoordinateSelection(None),
        }
    }

    pub(crate) fn transferred(&self) -> Transferred {
        Transferred { phi_q: self.transferred.0, phi_q_t: self.transferred.1 }
    }

    pub(crate) fn penalties(&self) -> Penalties {
        Penalties { alpha: self.alpha, law: ViolationLaw { xi: self.xi, omega: self.omega } }
    }
}
