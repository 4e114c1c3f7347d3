//! What is measured, before any table is made of it.
//!
//! Every quantity that can fail is a `Result` with the reason in words: a table then shows the reason in the cell, and
//! the other cells stay.

use mb_gallery::Computed;

/// A measured quantity, or why there is none.
pub(crate) type Measured<T> = Result<T, String>;

/// The three families, in the order of the paper's tables.
pub(crate) const FAMILIES: [&str; 3] = ["MCS", "RCS", "UCS"];

/// A complex eigenvalue, s in rad/s, upper member of its pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Eigenvalue {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Eigenvalue {
    /// |s - other|.
    pub(crate) fn distance(self, other: Self) -> f64 {
        (self.re - other.re).hypot(self.im - other.im)
    }
}

impl From<Eigenvalue> for Computed {
    fn from(s: Eigenvalue) -> Self {
        Self::Complex { re: s.re, im: s.im }
    }
}

/// One family's answer for one linkage.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    /// The physical eigenvalue.
    pub(crate) s: Measured<Eigenvalue>,
    /// Elapsed time of linearization and eigenvalues, that of the fastest run, in milliseconds.
    pub(crate) elapsed_ms: Measured<f64>,
}

/// The linkage of N loops at its equilibrium.
#[derive(Debug, Clone)]
pub(crate) struct Linkage {
    /// N.
    pub(crate) loops: u32,
    /// Whether the dampers are there (c = 1 N s/m).
    pub(crate) damped: bool,
    /// Number of coordinates, of the model.
    pub(crate) coordinates: Measured<usize>,
    /// Angle at the equilibrium, in rad.
    pub(crate) phi: Measured<f64>,
    /// Angle at the equilibrium of the penalty system, in rad.
    pub(crate) penalty_phi: Measured<f64>,
    /// MCS, RCS, UCS.
    pub(crate) families: [Family; 3],
    /// The eigenvalue of the one-degree-of-freedom closed form.
    pub(crate) closed_form: Measured<Eigenvalue>,
}

/// Eigenvalues of one formulation by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Classes {
    pub(crate) physical: usize,
    pub(crate) infinite: usize,
    /// Zeros that the formulation added.
    pub(crate) zero: usize,
    /// Modes of the penalty system that violate the constraints.
    pub(crate) penalty: usize,
}

/// The classes of one formulation of the linkage with N loops.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    /// As in the table: `MCS`, `RCS`, `RCS, Jacobian in E`, ...
    pub(crate) formulation: &'static str,
    pub(crate) loops: u32,
    pub(crate) classes: Measured<Classes>,
}

/// The singular equilibrium.
#[derive(Debug, Clone)]
pub(crate) struct Singular {
    /// Angle, in rad.
    pub(crate) phi: Measured<f64>,
    /// Rows of the constraint Jacobian less its rank.
    pub(crate) rank_lost: Measured<usize>,
    /// Both pairs by MCS (after a new selection), RCS and UCS.
    pub(crate) eigenpairs: [Measured<[Eigenvalue; 2]>; 3],
    /// Whether the angle alone was accepted as the independent coordinate.
    pub(crate) angle_alone_accepted: Measured<bool>,
    /// Independent velocities of the new selection.
    pub(crate) velocities: Measured<usize>,
}

/// Measurements behind the table of features that no other table needs.
#[derive(Debug, Clone)]
pub(crate) struct Features {
    /// One explicit run of each linear system: the largest relative deviation from the exact solution, or `None`
    /// where the leading matrix is singular and the system cannot be run.
    pub(crate) explicit_run: [Measured<Option<f64>>; 3],
    /// Share of nonzeros in the leading matrix of MCS, RCS and UCS, and in the model's own mass matrix.
    pub(crate) density: Measured<Density>,
    /// Elapsed times of MCS, RCS and UCS, in milliseconds, where n is much larger than m.
    pub(crate) many_coordinates_ms: Measured<[f64; 3]>,
}

/// Shares of nonzeros, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Density {
    pub(crate) model: f64,
    pub(crate) families: [f64; 3],
}

/// Everything that was measured.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    pub(crate) linkages: Vec<Linkage>,
    pub(crate) counted: Vec<Counted>,
    pub(crate) singular: Singular,
    pub(crate) features: Features,
}

impl Results {
    /// Linkages with or without dampers.
    pub(crate) fn linkages(&self, damped: bool) -> impl Iterator<Item = &Linkage> {
        self.linkages.iter().filter(move |l| l.damped == damped)
    }
}
