//! What can be wrong with a model description, in the user's words.

use super::expression::ExpressionError;
use super::fault_coupling::CouplingFault;
use super::fault_rolling::RollingFault;
use super::fault_rotor::RotorFault;
use super::fault_solid::SolidFault;

/// Sizes between which the numbers of a model lie, zero aside: their cubes are doubles with all digits.
pub(super) const SMALLEST: f64 = 1e-100;
/// The other end.
pub(super) const LARGEST: f64 = 1e100;

/// A fault of a model description. Its message follows the name of the table it is in, as in
/// `joint 'elbow': there is no point, body or marker `crnk``.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The text is not TOML.
    #[error("this is not TOML: {message}")]
    Syntax {
        /// The TOML parser's words.
        message: String,
        /// What to write, where it can be guessed.
        help: Option<&'static str>,
    },
    /// A key that the table does not have.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest valid key.
        nearest: Option<String>,
        /// All valid keys.
        valid: Vec<String>,
    },
    /// A word that is not in the list of words that may stand here.
    #[error("`{word}` is not known here")]
    UnknownWord {
        /// The word.
        word: String,
        /// The nearest valid word.
        nearest: Option<String>,
        /// All valid words.
        valid: Vec<String>,
    },
    /// A key that must be there is not.
    #[error("the key `{key}` is missing")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// The file does not say its units.
    #[error("the system of units is missing")]
    MissingUnits,
    /// The file is in other units.
    #[error("the units are `{found}`, but a model is written in SI units")]
    WrongUnits {
        /// What the file says.
        found: String,
    },
    /// The model has no name.
    #[error("the model has no name")]
    MissingName,
    /// A value of the wrong kind.
    #[error("found {found} where {expected} must stand")]
    WrongType {
        /// What stands there.
        found: String,
        /// What must stand there.
        expected: String,
    },
    /// A list of the wrong length.
    #[error("found a list of {found} where {expected} must stand")]
    WrongLength {
        /// Its length.
        found: usize,
        /// What must stand there.
        expected: String,
    },
    /// A value refused by its reader for another reason.
    #[error("{message}")]
    Malformed {
        /// The reader's words.
        message: String,
    },
    /// Gravity with the wrong number of components.
    #[error("gravity has {found} components; it has two, along x and y, or three")]
    GravityComponents {
        /// How many there are.
        found: usize,
    },
    /// A text that is not an expression.
    #[error("in the expression `{text}`: {error}")]
    Expression {
        /// The text.
        text: String,
        /// What and where.
        error: ExpressionError,
    },
    /// A name in an expression that is not a parameter.
    #[error("in the expression `{text}`: there is no parameter `{name}`")]
    UnknownParameter {
        /// The text.
        text: String,
        /// The name.
        name: String,
        /// The nearest parameter.
        nearest: Option<String>,
    },
    /// A parameter to be set that the model does not have.
    #[error("the model has no parameter `{name}`")]
    NoSuchParameter {
        /// The name.
        name: String,
        /// The nearest parameter.
        nearest: Option<String>,
    },
    /// Parameters that are defined by each other.
    #[error("the parameter is defined by itself: {}", .names.join(" -> "))]
    ParameterCycle {
        /// The chain of names, the first repeated at the end.
        names: Vec<String>,
    },
    /// Time where a constant must stand.
    #[error("in the expression `{text}`: time t has no meaning here; the value must be constant")]
    TimeNotAllowed {
        /// The text.
        text: String,
    },
    /// A character that whoever shows the text would obey.
    #[error("the text has the character U+{:04X}, which is not shown but obeyed by terminals", u32::from(*.character))]
    ObeyedCharacter {
        /// The character.
        character: char,
    },
    /// A number whose powers no double holds.
    #[error(
        "the value is {value:e}; numbers of a model are zero or between {SMALLEST:e} and {LARGEST:e} in size, so that no product of them overflows or vanishes"
    )]
    OutOfRange {
        /// The value.
        value: f64,
    },
    /// NaN or infinity.
    #[error("the value is {value}, but a finite number must stand here")]
    NotANumber {
        /// The value.
        value: f64,
    },
    /// An expression that gives NaN or infinity.
    #[error("`{text}` is {value}, not a finite number")]
    NotFinite {
        /// The expression.
        text: String,
        /// Its value.
        value: f64,
    },
    /// A value that must be a whole number.
    #[error("the value is {}, but a whole number must stand here", shown(text, *value))]
    NotWhole {
        /// The expression.
        text: String,
        /// Its value.
        value: f64,
    },
    /// A quantity that must not be negative.
    #[error("the {quantity} is {value}, but it cannot be negative")]
    Negative {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A quantity that must be positive.
    #[error("the {quantity} is {value}, but it must be greater than zero")]
    NotPositive {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction of length zero.
    #[error("the {key} has length zero, which is no direction")]
    ZeroDirection {
        /// The key.
        key: &'static str,
    },
    /// Axes of a frame that are not perpendicular.
    #[error("the {first} and the {second} make an angle of {degrees} degrees, but must be perpendicular")]
    NotPerpendicular {
        /// One axis.
        first: &'static str,
        /// The other axis.
        second: &'static str,
        /// Their angle.
        degrees: f64,
    },
    /// An orientation given in no way or in several.
    #[error(
        "an orientation is given by `axis` and `angle`, by `euler_parameters`, by `cardan`, or by two of `x`, `y`, `z`"
    )]
    Orientation,
    /// An inertia tensor that no body has.
    #[error(
        "no body has the principal moments of inertia {}, {} and {} kg m^2: none can exceed the sum of the others",
        .principal[0], .principal[1], .principal[2]
    )]
    ImpossibleInertia {
        /// Principal moments, ascending, kg m^2.
        principal: [f64; 3],
    },
    /// A joint in space with both ends in the plane.
    #[error("{kind} needs a spatial-body at one of its ends")]
    NeedsSpace {
        /// Such as `a spherical joint`.
        kind: String,
    },
    /// A direction of a thing in the plane that points out of it.
    #[error("`{key}` points out of the plane, but both ends lie in it: its z-component must be 0")]
    OutOfPlane {
        /// The key.
        key: &'static str,
    },
    /// A generic joint without a locked motion.
    #[error("the joint locks nothing")]
    LocksNothing,
    /// A joint in space that does not have the motion asked for.
    #[error("`{joint}` is no joint in space with a free {wanted}")]
    NoFreeMotion {
        /// The name.
        joint: String,
        /// The motion.
        wanted: &'static str,
        /// True for a joint of things in the plane.
        in_plane: bool,
    },
    /// A reference to something whose own table is wrong; it is not reported.
    #[error("the table of `{of}` is wrong")]
    Consequence {
        /// The name.
        of: String,
    },
    /// Two things of one name.
    #[error("the name `{name}` is taken by another {table}")]
    DuplicateName {
        /// The name.
        name: String,
        /// What has it already.
        table: &'static str,
    },
    /// A name that cannot be referred to.
    #[error("`{name}` is not a name: {reason}")]
    IllegalName {
        /// The name.
        name: String,
        /// Why.
        reason: NameFault,
    },
    /// A name with braces that do not match.
    #[error("in `{text}` a brace has no partner")]
    Brace {
        /// The text.
        text: String,
    },
    /// A reference to nothing.
    #[error("there is no {wanted} `{name}`")]
    UnknownReference {
        /// The name.
        name: String,
        /// What is wanted, as `point, body or marker`.
        wanted: &'static str,
        /// The nearest name there is.
        nearest: Option<String>,
        /// All names there are, when they are few and none is near.
        known: Vec<String>,
    },
    /// A body without the marker that is referred to.
    #[error("body '{body}' has no marker `{marker}`")]
    UnknownMarker {
        /// The body.
        body: String,
        /// The marker.
        marker: String,
        /// The nearest marker.
        nearest: Option<String>,
    },
    /// A reference to a thing of the wrong kind.
    #[error("`{name}` is a {found}, but a {wanted} must stand here")]
    WrongReference {
        /// The name.
        name: String,
        /// What it is.
        found: &'static str,
        /// What is wanted.
        wanted: &'static str,
    },
    /// `ground` where a definite place is needed.
    #[error("`ground` alone is not a point")]
    GroundIsNowhere,
    /// Both ends are on one body or one point.
    #[error("both ends are on {thing}")]
    SameThing {
        /// Such as `body 'arm'`.
        thing: String,
    },
    /// Nothing that the table speaks of can move.
    #[error("nothing moves here: all that it acts on is fixed in the ground")]
    NothingMoves,
    /// A constraint between fixed places that does not hold.
    #[error("the two places are fixed {distance} m apart and cannot be {required} m apart")]
    Contradiction {
        /// Distance there is, m.
        distance: f64,
        /// Distance the constraint asks for, m.
        required: f64,
    },
    /// Two lengths for the same two places.
    #[error("the length is {length} m, but {other} keeps the same two places {other_length} m apart")]
    ConflictingLengths {
        /// Length, m.
        length: f64,
        /// The other constraint.
        other: String,
        /// Its length, m.
        other_length: f64,
    },
    /// Lengths to two fixed places that no point can have at once.
    #[error(
        "no place is {length} m and, for {other}, {other_length} m from two fixed places that are {distance} m apart"
    )]
    OutOfReach {
        /// Length, m.
        length: f64,
        /// The other constraint.
        other: String,
        /// Its length, m.
        other_length: f64,
        /// Distance of the fixed places, m.
        distance: f64,
    },
    /// Coordinates that neither mass nor a constraint determines.
    #[error("it can move without mass, and no joint holds it")]
    NoInertia,
    /// A flexible link with too few or too many elements.
    #[error("the number of elements is {count}; it can be 1 to {most}")]
    ElementCount {
        /// The number.
        count: i64,
        /// The largest number.
        most: i64,
    },
    /// A place beyond the ends of a flexible link.
    #[error("the place is {at} m from the start, beyond the length of {length} m")]
    BeyondLink {
        /// Arc length of the place, m.
        at: f64,
        /// Length of the link, m.
        length: f64,
    },
    /// A node that a flexible link does not have.
    #[error("there is no node {node}; the nodes are 1 to {nodes}")]
    NoSuchNode {
        /// The node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A place that a flexible link does not have.
    #[error("flexible-link '{link}' has no place `{place}`")]
    UnknownLinkPlace {
        /// The link.
        link: String,
        /// The place.
        place: String,
        /// The nearest place.
        nearest: Option<String>,
    },
    /// Links whose bases stand on each other.
    #[error("its base does not lead to the ground: '{link}' stands on itself")]
    BaseCycle {
        /// The link.
        link: String,
    },
    /// A passive link whose angle is free.
    #[error(
        "'{link}' is passive, and no loop of erls-links gives its angle: the angle and the elastic rotation of its base describe one turn twice"
    )]
    PassiveWithoutLoop {
        /// The link.
        link: String,
    },
    /// A beam where one of its nodes must be named.
    #[error("beam '{beam}' alone is not a point")]
    WhereOnBeam {
        /// The beam.
        beam: String,
    },
    /// A node that a beam does not have.
    #[error("beam '{beam}' has no place `{place}`")]
    UnknownBeamPlace {
        /// The beam.
        beam: String,
        /// The place.
        place: String,
        /// The nearest place.
        nearest: Option<String>,
    },
    /// A beam that is attached to one that stands further down.
    #[error("beam '{beam}' stands further down, so its nodes are not known here")]
    LaterBeam {
        /// The beam further down.
        beam: String,
    },
    /// Three places of an arc that lie on a line.
    #[error("the three places of the arc lie on one line")]
    NoArc,
    /// A Poisson's ratio that no stable material has.
    #[error("Poisson's ratio is {value}, but must be greater than -1 and at most 0.5")]
    PoissonsRatio {
        /// The value.
        value: f64,
    },
    /// A reference condition that is none.
    #[error("`{text}` is no reference condition")]
    UnknownCondition {
        /// The text.
        text: String,
    },
    /// Reference conditions that leave the frame loose.
    #[error("nothing ties the frame to the link: its elastic displacements can still make the rigid motions: {}", .free.join("; "))]
    FrameNotHeld {
        /// The rigid motions that are free.
        free: Vec<String>,
    },
    /// More reference conditions than a frame needs.
    #[error("there are {count} reference conditions; more than three hold the link itself, not its frame")]
    FrameOverHeld {
        /// Their number.
        count: usize,
    },
    /// A mass that is needed.
    #[error("a body that is not fixed needs `{key}`")]
    BodyNeeds {
        /// `mass` or `inertia`.
        key: &'static str,
    },
    /// A key that has no meaning for this kind.
    #[error("`{key}` has no meaning for {kind}")]
    KeyNotFor {
        /// The key.
        key: &'static str,
        /// Such as `a revolute joint`.
        kind: String,
    },
    /// A key that this kind needs.
    #[error("{kind} needs `{key}`")]
    KeyNeeded {
        /// The key.
        key: &'static str,
        /// Such as `a prismatic joint`.
        kind: String,
    },
    /// Two keys that say the same.
    #[error("`{first}` and `{second}` cannot stand together")]
    Exclusive {
        /// One.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A length by default although the start is not given.
    #[error("`{key}` does not follow from the start: {thing} has no position of its own")]
    UnknownStart {
        /// The key.
        key: &'static str,
        /// Such as `point 'B'`.
        thing: String,
    },
    /// A place on a body whose angle is not given.
    #[error(
        "`{key}` is where {thing} has it at the start, which is not known: {thing} has no `angle` of its own"
    )]
    UnknownStartAngle {
        /// The key.
        key: &'static str,
        /// Such as `body 'arm'`.
        thing: String,
    },
    /// An end that has no orientation.
    #[error("`{key}` must be on a body; {thing} has no orientation")]
    NoOrientation {
        /// The key.
        key: &'static str,
        /// Such as `point 'B'`.
        thing: String,
    },
    /// A universal joint that cannot be assembled.
    #[error("the two pins of a universal joint must be at right angles, and are parallel at the start")]
    ParallelPins,
    /// A fixed body whose angle an output would have to leave out.
    #[error("an output cannot be measured from a fixed body that is turned by {angle} rad")]
    TurnedGround {
        /// Its angle, rad.
        angle: f64,
    },
    /// A constraint row that does not exist.
    #[error("{owner} has no constraint row `{axis}`")]
    UnknownRow {
        /// Such as `joint 'elbow'`.
        owner: String,
        /// The row asked for.
        axis: String,
        /// The rows it has.
        valid: Vec<String>,
    },
    /// Several constraint rows, of which one must be chosen.
    #[error("{owner} has {} constraint rows", .valid.len())]
    SeveralRows {
        /// Such as `joint 'elbow'`.
        owner: String,
        /// The rows it has.
        valid: Vec<String>,
    },
    /// A thing without constraint rows.
    #[error("{owner} has no constraint and so no multiplier")]
    NoRows {
        /// Such as `rod 'AB'`.
        owner: String,
    },
    /// A component that a reaction does not have.
    #[error("the reaction of {owner} has no component `{axis}`")]
    UnknownComponent {
        /// Such as `joint 'elbow'`.
        owner: String,
        /// The component asked for.
        axis: String,
        /// Axes it has.
        valid: Vec<String>,
    },
    /// A thing that ties no two places, or a point that takes no moment.
    #[error("{owner} has no such reaction")]
    NoReaction {
        /// Such as `drive 'motor'`.
        owner: String,
    },
    /// A time derivative above the second.
    #[error("the derivative is {found}; it can be 0, 1 or 2")]
    Derivative {
        /// The order.
        found: u8,
    },
    /// A family with too many members.
    #[error("the repetition has {count} members; the most is {most}")]
    TooMany {
        /// Members so far.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// A fault of a solid or of a load on its faces.
    #[error("{0}")]
    Solid(Box<SolidFault>),
    /// Of a contact without slip.
    #[error(transparent)]
    Rolling(RollingFault),
    /// Couplings.
    #[error(transparent)]
    Coupling(CouplingFault),
    /// Tables of rotors.
    #[error(transparent)]
    Rotor(RotorFault),
    /// A model without coordinates.
    #[error("the model has nothing that moves: no point, body or angle that is not fixed")]
    EmptyModel,
}

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameFault {
    /// Nothing in it.
    #[error("it is empty")]
    Empty,
    /// A character that would make references ambiguous.
    #[error("it has the character {0:?}; a name has letters, digits, `_` and `-`")]
    Character(char),
    /// A character that would make expressions ambiguous.
    #[error(
        "it has the character {0:?}; the name of a parameter starts with a letter and goes on with letters, digits and `_`"
    )]
    InExpression(char),
    /// A word with a meaning.
    #[error("the word has a meaning of its own")]
    Reserved,
    /// An index with the name of a parameter or another index.
    #[error("a parameter or an outer index has this name")]
    Shadows,
}

/// An expression with its value, a number as it stands.
fn shown(text: &str, value: f64) -> String {
    if text.parse::<f64>().is_ok() { text.to_owned() } else { format!("`{text}` = {value}") }
}
