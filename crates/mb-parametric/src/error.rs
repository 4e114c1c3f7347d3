//! What can go wrong when eigenpairs are expanded or evaluated.

use mb_algebra::{AlgebraError, Stopped, c64};

/// Failure of an expansion or of its evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametricError {
    /// An order beyond what exponents are kept with.
    #[error("The order is {order}; it is at most {most}.")]
    OrderTooHigh {
        /// Order asked for.
        order: usize,
        /// The highest one.
        most: usize,
    },
    /// The tables of a set of multi-indices would not fit in memory.
    #[error(
        "Order {order} in {parameters} parameter(s) keeps {terms:.4e} terms and {pairs:.4e} products of two of \
         them, about {:.1} GB of tables; at most {limit:.0e} products are allowed. Lower the order, or limit \
         the degree of some parameters.", pairs * 16e-9
    )]
    TooManyTerms {
        /// Number of parameters.
        parameters: usize,
        /// Order asked for.
        order: usize,
        /// Number of terms.
        terms: f64,
        /// Number of pairs of terms whose product is kept.
        pairs: f64,
        /// Pairs allowed.
        limit: f64,
    },
    /// The coefficients would not fit in memory.
    #[error(
        "{terms} coefficients of {what} with {size} unknowns need {:.1} GB; at most {:.0} GB are allowed. Lower the \
         order, limit the degree of some parameters, or use sparse matrices.", bytes / 1e9, limit / 1e9
    )]
    TooLarge {
        /// What they are coefficients of.
        what: &'static str,
        /// Number of terms.
        terms: usize,
        /// Number of unknowns.
        size: usize,
        /// Bytes needed.
        bytes: f64,
        /// Bytes allowed.
        limit: f64,
    },
    /// A degree limit names a parameter that does not exist.
    #[error("A degree limit names parameter {parameter} (from 0), but there are {parameters} parameters.")]
    UnknownParameter {
        /// Number asked for, from 0.
        parameter: usize,
        /// Number of parameters.
        parameters: usize,
    },
    /// A parameter stands in two degree limits.
    #[error("Parameter {parameter} (from 0) stands in two degree limits; put it into one of them.")]
    OverlappingLimits {
        /// The parameter, from 0.
        parameter: usize,
    },
    /// A list has another length than needed.
    #[error("The length of {what} is {found}, but {expected} is needed.")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// The point asked for is not finite.
    #[error("The value of parameter {parameter} (from 0) is not a finite number.")]
    NonFinitePoint {
        /// The parameter, from 0.
        parameter: usize,
    },
    /// The matrices do not fit each other.
    #[error(
        "{matrix} is {rows} x {cols} but should be {expected_rows} x {expected_cols}, as the mass matrix and \
         the number of constraint equations say."
    )]
    ShapeMismatch {
        /// The field's letter of the matrix.
        matrix: &'static str,
        /// Rows needed.
        expected_rows: usize,
        /// Columns needed.
        expected_cols: usize,
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
    },
    /// The matrices of one pencil are expanded over different sets.
    #[error("The series of {matrix} is over another set of multi-indices than that of the mass matrix.")]
    SetsDiffer {
        /// The field's letter of the matrix.
        matrix: &'static str,
    },
    /// A coefficient matrix holds an infinite entry or a NaN.
    #[error("The coefficient of term {term:?} has a value that is not finite at row {row}, column {col}.")]
    NonFiniteCoefficient {
        /// The multi-index.
        term: Vec<u8>,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
    },
    /// The eigenpair is asked for to terms that the matrices were not expanded to.
    #[error(
        "Term {term:?} of the eigenpair needs the same term of the matrices, which were expanded without it; \
         expand the matrices further, or declare them polynomials."
    )]
    BeyondMatrices {
        /// The first such multi-index.
        term: Vec<u8>,
    },
    /// The eigenvalue is repeated, defective or too close to another to have a power series
    /// of its own.
    #[error(
        "The eigenvalue {s:.6} rad/s is not simple: the next one is about {gap:.2e} rad/s away and its relative \
         condition number is {condition:.2e}. Its power series does not exist or is of no use; expand the group \
         of close eigenvalues, or move the expansion point."
    )]
    NotSimple {
        /// The eigenvalue, rad/s.
        s: c64,
        /// Estimated distance to the nearest other eigenvalue, rad/s.
        gap: f64,
        /// Relative change of the eigenvalue per relative change of the matrices.
        condition: f64,
    },
    /// A group of eigenvalues is not separate from the others.
    #[error(
        "The {count} eigenvalues about {centre:.6} rad/s do not form a group of their own: another one coincides with \
         one of them, or there are fewer. Take all that are close into the group."
    )]
    GroupNotSeparate {
        /// Mean of the values given, rad/s.
        centre: c64,
        /// Their number.
        count: usize,
    },
    /// The constraint Jacobian has not full row rank at the expansion point.
    #[error(
        "Only {rank} of the {constraints} constraint equations are independent at the expansion point \
         (equations {redundant:?}, from 0, depend on the others), so the multipliers are not unique; leave the \
         redundant equations out."
    )]
    RedundantConstraints {
        /// Rank of the Jacobian.
        rank: usize,
        /// Number of its rows.
        constraints: usize,
        /// Rows that depend on the others, from 0.
        redundant: Vec<usize>,
    },
    /// The starting vector is zero or not finite.
    #[error("The starting eigenvector is zero or holds a value that is not finite.")]
    BadStart,
    /// Newton's method did not settle.
    #[error(
        "The starting eigenpair could not be improved to rounding: after {iterations} Newton steps the last one \
         still changed it by {step:.2e} of its size."
    )]
    NotConverged {
        /// Steps done.
        iterations: usize,
        /// Relative size of the last step.
        step: f64,
    },
    /// Newton's method went to another eigenvalue.
    #[error(
        "Improving the start {start:.6} rad/s led to {found:.6} rad/s, as far away as other eigenvalues (about \
         {gap:.2e} rad/s); give a better start."
    )]
    StartTooFar {
        /// Eigenvalue given, rad/s.
        start: c64,
        /// Eigenvalue found, rad/s.
        found: c64,
        /// Estimated distance of the found one to its nearest neighbour, rad/s.
        gap: f64,
    },
    /// The component that the gauge holds constant is (almost) zero.
    #[error(
        "The eigenvector cannot be scaled by its component {component} (from 0), which is {size:.2e} of the largest."
    )]
    GaugeVanishes {
        /// The component, from 0.
        component: usize,
        /// Its magnitude relative to the largest component.
        size: f64,
    },
    /// The coefficients of some degree are not finite.
    #[error("The coefficients of degree {degree} overflow; scale the parameters, or lower the order.")]
    Overflow {
        /// The degree.
        degree: usize,
    },
    /// An evaluation asks for more than was expanded.
    #[error("Order {requested} was asked for, but the series was expanded to order {available}.")]
    OrderNotExpanded {
        /// Order asked for.
        requested: usize,
        /// Highest order there is.
        available: usize,
    },
    /// More terms than the expansion of models is compiled for.
    #[error(
        "The set keeps {terms} terms; models are expanded over at most {limit}. Lower the order, or limit the \
         degree of some variables."
    )]
    CapacityExceeded {
        /// Terms asked for.
        terms: usize,
        /// Terms allowed.
        limit: usize,
    },
    /// A mode could not be followed.
    #[error(
        "Mode {mode} (from 0) at {s:.6} rad/s could not be followed to {point:?}, however small the steps: it \
         meets another eigenvalue there, or the matrices change abruptly. Follow the group of close modes, or go \
         round."
    )]
    TrackLost {
        /// Number of the mode, from 0.
        mode: usize,
        /// Its last eigenvalue, rad/s.
        s: c64,
        /// The point on the way that was not reached.
        point: Vec<f64>,
    },
    /// The accuracy asked for is out of reach.
    #[error(
        "An accuracy of {accuracy:.1e} is not reached with {centres} centres of expansion: order {order} leaves \
         {reached:.1e} somewhere. Allow more centres or a higher order, or ask for a smaller region."
    )]
    AccuracyNotReached {
        /// Accuracy asked for, relative.
        accuracy: f64,
        /// Best error of the part that failed, relative; infinite outside the region of convergence.
        reached: f64,
        /// Order it was reached with.
        order: usize,
        /// Centres so far.
        centres: usize,
    },
    /// The accuracy is no positive number.
    #[error("The accuracy must be a positive number, but is {accuracy}.")]
    BadAccuracy {
        /// Accuracy asked for.
        accuracy: f64,
    },
    /// A region holds no point.
    #[error(
        "The region is empty: parameter {parameter} (from 0) would have to be above {lower} and below {upper}."
    )]
    EmptyRegion {
        /// The parameter, from 0.
        parameter: usize,
        /// Its lower end.
        lower: f64,
        /// Its upper end.
        upper: f64,
    },
    /// A truncated series is asked for another centre.
    #[error(
        "The matrices are a truncated series about one point; they cannot be expanded about another. Give the \
         model itself, or declare them polynomials."
    )]
    OneCentre,
    /// A variable that the model does not have.
    #[error("The model has no {variable}.")]
    UnknownVariable {
        /// The variable asked for.
        variable: String,
    },
    /// A variable stands in the list twice.
    #[error("The {variable} is used twice: in the list of variables, or as one that holds a coordinate.")]
    RepeatedVariable {
        /// The variable.
        variable: String,
    },
    /// A variable that changes none of the matrices.
    #[error("The {variable} does not enter the model's matrices, so nothing can be expanded in it.")]
    IdleVariable {
        /// The variable.
        variable: String,
    },
    /// Held coordinates and holding inputs do not match.
    #[error(
        "To stay in equilibrium each coordinate that is a variable ({held}) must be held by an input of its own \
         that is no variable ({inputs}); name as many inputs as coordinates."
    )]
    HoldingInputs {
        /// The coordinates.
        held: String,
        /// The inputs named.
        inputs: String,
    },
    /// Too large a model whose speeds would have to follow from constraints.
    #[error(
        "The operating point moves under {constraints} constraint rows in {coordinates} coordinates; which speeds follow \
         from the constraints is chosen in models of at most four million numbers in Phi_q."
    )]
    MovingConstraints {
        /// Constraint rows.
        constraints: usize,
        /// Coordinates.
        coordinates: usize,
    },
    /// A speed that is no variable of its own.
    #[error(
        "The {variable} follows from the constraints and the other speeds that are variables; leave it out, or another one."
    )]
    SpeedFollows {
        /// The speed.
        variable: String,
    },
    /// The constraints lose rank on the way from an expansion point.
    #[error(
        "The constraints lose rank at {point:?}, on the way from the expansion point {from:?}: equations {rows:?} (from 0) \
         depend on the others there, and no series reaches beyond. Keep the region on one side of that configuration."
    )]
    RankChanges {
        /// The expansion point, as distance from the reference point.
        from: Vec<f64>,
        /// Where the rank falls, as distance from the reference point.
        point: Vec<f64>,
        /// Equations that depend on the others there, from 0.
        rows: Vec<usize>,
    },
    /// The operating point cannot be kept in equilibrium.
    #[error("The operating point cannot be kept in equilibrium: {reason}.")]
    NotBalanced {
        /// Why, and at which values.
        reason: String,
        /// True where the equilibrium is not isolated; otherwise none was found.
        singular: bool,
    },
    /// A motion that is steady at the centre alone.
    #[error("The motion does not stay steady {when}: {reason}.")]
    NotSteady {
        /// At which values, or while which variable changes.
        when: String,
        /// What does not hold.
        reason: String,
    },
    /// Velocity rows, of which there are no series.
    #[error(
        "Eigenpairs of a model with velocity constraints, such as rolling without slip, have no series here: {row} is one."
    )]
    VelocityRows {
        /// The first such row.
        row: String,
    },
    /// The model could not be made.
    #[error(transparent)]
    Model(#[from] mb_model::ModelError),
    /// A matrix computation failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
    /// It was stopped from outside.
    #[error("The work ended before its end: {0}.")]
    Stopped(#[from] Stopped),
}
