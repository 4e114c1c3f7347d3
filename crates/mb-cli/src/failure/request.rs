//! Requests that do not fit the model, and what to do about them.

use crate::render::{short, six};
use mb_analysis::AnalysisError;

/// A request that does not fit the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// A parameter that the model does not have.
    #[error("{option} {name}: the model has no parameter `{name}`.")]
    NoSuchParameter {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A coordinate that the model does not have.
    #[error("{option}: the model has no coordinate `{name}`.")]
    NoSuchCoordinate {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Something to hold that the model does not have.
    #[error("--hold: the model has no coordinate or output `{name}`.")]
    NothingToHold {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// An input that the model does not have.
    #[error("{option} {name}: the model has no input `{name}`.")]
    NoSuchInput {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A density of an input that drives nothing.
    #[error("--psd {name}: the input `{name}` is not among those of {option}.")]
    NotDriven {
        /// The name.
        name: String,
        /// What says what drives.
        option: &'static str,
    },
    /// A value that is not a finite number.
    #[error("{option} {name}: `{value}` is {}.", no_number(value))]
    NotANumber {
        /// The option.
        option: &'static str,
        /// What it is the value of.
        name: String,
        /// The value.
        value: String,
    },
    /// A period that is none.
    #[error("{option} {text}: {reason}.")]
    BadPeriod {
        /// The option that gives it.
        option: &'static str,
        /// As given.
        text: String,
        /// Why.
        reason: String,
    },
    /// A configuration file that cannot be read.
    #[error("{option}: the {} `{path}` cannot be read: {reason}.", if *option == "--psd" { "file of densities" } else { "configuration file" })]
    BadConfiguration {
        /// The option that names it.
        option: &'static str,
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
    /// A driving constraint that is moving at the time asked for.
    #[error(
        "{row} moves at t = {time} s with the rate {rate:.3e} and the acceleration {acceleration:.3e}, so there is no equilibrium then."
    )]
    Moving {
        /// Owner and axis.
        row: String,
        /// Time, s.
        time: f64,
        /// Phi_t, in the unit of the row per second.
        rate: f64,
        /// Phi_tt.
        acceleration: f64,
    },
    /// Something that belongs to vibrations, asked of an instant of a motion.
    #[error("{option} belongs to vibrations, but the eigenvalues of an instant are none.")]
    NotOfAnInstant {
        /// The option.
        option: &'static str,
    },
    /// Something that belongs to an equilibrium, asked for in motion.
    #[error("{option} belongs to vibrations about an equilibrium, but a motion is asked for.")]
    OnlyAtRest {
        /// The option.
        option: &'static str,
    },
    /// Speeds in an expansion, which is one of the matrices of an instant.
    #[error(
        "Speeds make the point of expansion an instant of a motion, whose eigenvalues are no rates of growth."
    )]
    SpeedsOfAnInstant,
    /// A motion that ended before the time asked for.
    #[error("--after {after}: the motion ended {} s after its start.", six(*reached))]
    NotReached {
        /// Time asked for, s.
        after: f64,
        /// Time reached, s.
        reached: f64,
    },
    /// A range without width.
    #[error("{option} is {value}, where the range begins.")]
    EmptyRange {
        /// The option.
        option: &'static str,
        /// Both ends.
        value: f64,
    },
    /// Something over which there is no Campbell diagram.
    #[error(
        "--parameter: `{name}` is no speed; a Campbell diagram is over a parameter, `spin:JOINT` or `speed:COORDINATE`."
    )]
    NoSpeed {
        /// The name.
        name: String,
    },
    /// A parameter that makes nothing turn.
    #[error("--campbell: nothing turns, whatever `{name}` is.")]
    NothingTurns {
        /// The name.
        name: String,
    },
    /// A model with steady rotations where they are not followed.
    #[error("The model turns (`[[steady-rotation]]`), which {what} does not follow.")]
    Rotates {
        /// The command or option.
        what: &'static str,
    },
    /// A number out of its range.
    #[error("--{option} is {}, but it must be {range}.", short(*value))]
    OutOfRange {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        range: &'static str,
    },
    /// A sweep without cases.
    #[error("The sweep has no case.")]
    NoCases,
    /// A range of a grid without the number of its values.
    #[error("--grid {name}: the number of values is missing.")]
    NoCount {
        /// The parameter.
        name: String,
    },
    /// Cases that cannot be laid out.
    #[error("{option}: {reason}")]
    BadDesign {
        /// The option that describes them.
        option: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The table of an earlier run that a sweep cannot go on from.
    #[error("--resume {path}, line {line}: {reason}.")]
    OtherSweep {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A table of cases that cannot be used.
    #[error("{path}, line {line}: {reason}.")]
    BadTable {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A model too large for dense matrices.
    #[error(
        "The model has {n} coordinates and {m} constraint rows; the dense analysis takes {most} in all for this formulation."
    )]
    TooLarge {
        /// Coordinates.
        n: usize,
        /// Constraint rows.
        m: usize,
        /// The limit on n + m.
        most: usize,
    },
    /// Matrices that do not fit each other.
    #[error("Matrix {matrix} of `{path}` is {rows} x {cols}, but {needed} is needed: {why}.")]
    Sizes {
        /// Its letter.
        matrix: &'static str,
        /// Its file.
        path: String,
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
        /// Rows and columns needed.
        needed: String,
        /// What it has to fit.
        why: String,
    },
    /// A matrix that was declared symmetric.
    #[error(
        "Matrix {matrix} of `{path}` was declared symmetric, but {below} at row {row}, column {col} (from 1) faces {above}."
    )]
    NotSymmetric {
        /// Its letter.
        matrix: &'static str,
        /// Its file.
        path: String,
        /// Row of the entry below the diagonal, from 1.
        row: usize,
        /// Its column, from 1.
        col: usize,
        /// The entry below the diagonal.
        below: f64,
        /// The entry above it.
        above: f64,
    },
    /// What is made of the constrained matrices, asked of a formulation that has others.
    #[error(
        "{option} takes the modes from the constrained matrices themselves, which --formulation {formulation} does not."
    )]
    PartOfFormulation {
        /// The option.
        option: &'static str,
        /// The formulation.
        formulation: &'static str,
    },
    /// An option of another formulation than that asked for.
    #[error("{option} belongs to the {formulation} formulation, which is not asked for.")]
    OtherFormulation {
        /// The option.
        option: &'static str,
        /// The formulation that it belongs to.
        formulation: &'static str,
    },
    /// The distributed engine without a request.
    #[error("{option} needs to know which modes: --lowest N, --near HZ, --near-point RE,IM or --band LO HI.")]
    NothingForEngine {
        /// The option.
        option: &'static str,
    },
    /// A variable that the model does not have.
    #[error("{option}: the model has no parameter, coordinate or input `{name}`.")]
    NoSuchVariable {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The name that may have been meant.
        nearest: Option<String>,
        /// The names there are.
        known: Vec<String>,
    },
    /// A quantity in which no polynomials are made.
    #[error("{option}: `{name}` is an acceleration, which polynomials are not made in.")]
    NoVariable {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
    },
    /// A value of a quantity that is none of the variables.
    #[error("{option}: `{name}` is not among the variables of the polynomials.")]
    NotAVariable {
        /// The option.
        option: &'static str,
        /// The name.
        name: String,
        /// The variables.
        known: Vec<String>,
    },
    /// A region that cannot be read, or without the point of expansion.
    #[error("--region {name}={value}: {why}.")]
    BadRegion {
        /// The variable.
        name: String,
        /// As given.
        value: String,
        /// What is wrong.
        why: String,
    },
    /// No mode to expand where none was named.
    #[error("The model has no physical mode at the expansion point.")]
    NoPhysicalMode,
    /// A Krylov method where no Krylov method is used.
    #[error(
        "--solver arpack computes a part of the spectrum, and here all eigenvalues are computed by dense matrices; ask for a part \
         with --lowest, --near, --near-point, --band or --largest."
    )]
    SolverOfPart,
    /// Modes that are not there.
    #[error("{list}: {why}.")]
    BadModes {
        /// The option as given.
        list: String,
        /// What is wrong.
        why: String,
    },
    /// An option that belongs to a model, beside matrices.
    #[error("{option} belongs to a model, but matrices are given.")]
    NeedsModel {
        /// The option.
        option: &'static str,
    },
    /// Constraints that lose rank in a region or on a path.
    #[error(
        "The constraints lose rank at {at}: {} {} on the others there. No polynomial reaches beyond that configuration.",
        rows.join(", "), if rows.len() == 1 { "depends" } else { "depend" }
    )]
    RankChanges {
        /// Values of the variables there.
        at: String,
        /// The rows that depend on others there.
        rows: Vec<String>,
    },
    /// A steady motion of which there are no polynomials.
    #[error("There are no polynomials of this steady motion: {reason}.")]
    NoSteadySeries {
        /// Why.
        reason: String,
    },
    /// A path that cannot be read.
    #[error("--path: the file `{path}` cannot be used: {why}.")]
    BadPath {
        /// The file.
        path: String,
        /// What is wrong, with the line.
        why: String,
    },
    /// Constraints that depend on each other where multipliers must be unique.
    #[error("The multipliers are not unique, which their polynomials need: {} of {rows} constraint rows are redundant.", redundant.len())]
    RedundantRows {
        /// Constraint rows.
        rows: usize,
        /// The redundant ones by name.
        redundant: Vec<String>,
    },
    /// An output that the model does not have.
    #[error("{option} {name}: the model has no output `{name}`.")]
    NoSuchOutput {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// An option whose value holds options that cannot be used there.
    #[error("{option} '{given}': {why}.")]
    BadOptions {
        /// The option.
        option: &'static str,
        /// Its value.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// A name given twice to an option that takes several.
    #[error("{option} {name} is given twice.")]
    Twice {
        /// The option.
        option: &'static str,
        /// The name.
        name: String,
    },
    /// A response without an input or an output.
    #[error("A response needs an {what}, but the model has none.")]
    NothingToRespond {
        /// `input` or `output`.
        what: &'static str,
        /// The option that chooses it.
        option: &'static str,
    },
    /// A base that moves along an axis that nothing moves along.
    #[error("--base {axis}: no body of the model moves along {axis}.")]
    NoSuchAxis {
        /// x, y or z.
        axis: &'static str,
        /// Those along which something moves.
        others: Vec<&'static str>,
    },
    /// A page of modes, asked for of an instant that has none.
    #[error(
        "The page shows modes, but the eigenvalues of an instant of a motion are none: leave --instant out."
    )]
    NoModesOfInstant,
    /// Anything else that an analysis does not do.
    #[error(transparent)]
    Analysis(AnalysisError),
    /// A file whose kind is not known by its name.
    #[error("{option}: the name `{path}` does not end in {known}, so the format is not known.")]
    UnknownFormat {
        /// The option.
        option: &'static str,
        /// The path.
        path: String,
        /// The endings there are.
        known: &'static str,
    },
    /// An entry of a matrix whose products overflow or vanish.
    #[error(
        "{matrix} of `{path}` has the entry {value:e} at row {row}, column {col}; entries are zero or between 1e-150 and 1e150 in size."
    )]
    EntryOutOfRange {
        /// Letter of the matrix.
        matrix: &'static str,
        /// The file.
        path: String,
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        col: usize,
        /// The entry.
        value: f64,
    },
    /// A checkpoint that a run cannot go on from.
    #[error("--checkpoint: the run cannot go on from `{path}`: {reason}.")]
    BadCheckpoint {
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file that is written under two names, or read too.
    #[error("{option} and {other} name the same file, `{path}`.")]
    OneFile {
        /// The option that writes it.
        option: &'static str,
        /// What else names it.
        other: &'static str,
        /// The path.
        path: String,
    },
    /// A picture of a kind that is not drawn, where a folder could stand.
    #[error("{option}: `{path}` would be a folder of that name.")]
    PictureFolder {
        /// The option.
        option: &'static str,
        /// The path.
        path: String,
        /// What to give instead.
        remedy: &'static str,
    },
    /// A picture too large for its format.
    #[error("`{path}` is not written: {source}.")]
    TooManyPixels {
        /// The path.
        path: String,
        /// How large it would be.
        source: mb_chart::PixelError,
    },
    /// A model that `mb generate` does not have.
    #[error("There is no model `{name}` to generate.")]
    NoSuchModel {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
}

impl From<AnalysisError> for RequestError {
    /// Of those that are about the request; what else there is has arms of its own in [`super::Failure`].
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Moving { row, time, rate, acceleration } => {
                Self::Moving { row, time, rate, acceleration }
            }
            AnalysisError::OnlyAtRest { .. } => {
                Self::OnlyAtRest { option: "--formulation unconstrained with --lowest" }
            }
            AnalysisError::NotReached { after, reached } => Self::NotReached { after, reached },
            AnalysisError::TooLarge { n, m, most } => Self::TooLarge { n, m, most },
            other => Self::Analysis(other),
        }
    }
}

/// What a text is that is no number to compute with.
fn no_number(value: &str) -> &'static str {
    match value.trim_end_matches("deg").trim_end().parse::<f64>() {
        Ok(x) if x.is_finite() => "too large: numbers are below 1e100 in size",
        _ => "not a finite number",
    }
}
