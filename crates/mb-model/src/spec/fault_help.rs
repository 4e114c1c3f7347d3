//! What to do about each fault of a description.

use super::fault::Fault;
use super::value::COMPONENTS;

impl Fault {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let near = |nearest: &Option<String>| nearest.as_ref().map(|n| format!("did you mean `{n}`?"));
        Some(match self {
            Self::UnknownKey { nearest, valid, .. } | Self::UnknownWord { nearest, valid, .. } => {
                near(nearest).unwrap_or_else(|| list("possible here", valid))
            }
            Self::UnknownParameter { nearest, .. } => {
                near(nearest).unwrap_or_else(|| "parameters are given in the table [parameters]".to_owned())
            }
            Self::NoSuchParameter { nearest, .. } => return near(nearest),
            Self::UnknownMarker { marker, nearest, .. } => near(nearest).unwrap_or_else(|| {
                format!("a marker has its place in the table of its body: `markers = {{ {marker} = [0, 0] }}`, with three numbers in space")
            }),
            Self::UnknownReference { nearest: None, known, wanted, .. } if known.is_empty() => {
                format!("write the name of a {wanted} of this model, as its table has it")
            }
            Self::UnknownReference { nearest, known, .. } => {
                near(nearest).unwrap_or_else(|| list("there are", known))
            }
            Self::UnknownLinkPlace { nearest, .. } => near(nearest).unwrap_or_else(|| {
                "a place is `start`, `end`, a node such as `node3`, or a marker of the link".to_owned()
            }),
            Self::BaseCycle { .. } => "one link of each chain has a point of the ground as its base".to_owned(),
            Self::PassiveWithoutLoop { .. } => {
                "leave `passive` out: the link turns freely by its angle. A revolute joint between ends of erls-links, or with the \
                 ground, closes a loop and gives the angles of two passive links"
                    .to_owned()
            }
            Self::WhereOnBeam { beam } => {
                format!("write `{beam}.start`, `{beam}.end`, a node such as `{beam}.node3`, or a marker of the beam")
            }
            Self::UnknownBeamPlace { nearest, .. } => near(nearest).unwrap_or_else(|| {
                "a place is `start`, `end`, a node such as `node3`, or a marker of the beam".to_owned()
            }),
            Self::LaterBeam { beam } => format!("move the table of '{beam}' before this one"),
            Self::Solid(fault) => return fault.help(),
            Self::Rolling(fault) => return fault.help(),
            Self::Coupling(fault) => return fault.help(),
            Self::Rotor(fault) => return fault.help(),
            Self::NoArc => "leave `through` out for a straight beam".to_owned(),
            Self::BeyondLink { length, .. } => format!("a marker stands between 0 and {length} m"),
            Self::UnknownCondition { .. } => {
                "a condition is a node, a dot and x, y or rotation: `start.x`, `node5.rotation`".to_owned()
            }
            Self::FrameNotHeld { .. } => {
                "write `reference = \"tangent\"` or `\"chord\"`, or add conditions that stop them".to_owned()
            }
            Self::FrameOverHeld { .. } => "clamp or guide nodes with joints".to_owned(),
            Self::MissingUnits | Self::WrongUnits { .. } => {
                "write `units = \"SI\"` at the top: metre, kilogram, second, newton, radian".to_owned()
            }
            Self::MissingName => "write `name = \"...\"` at the top".to_owned(),
            Self::WrongType { found, expected } if found == "a table" && expected == LIST => {
                "write the header with two brackets, as in `[[joint]]`".to_owned()
            }
            Self::WrongType { found, expected } if found.starts_with("the number") && expected == LIST => {
                "a list stands in brackets, as in `[0.0, -9.81]`".to_owned()
            }
            Self::WrongType { found, expected } if found.starts_with("the number") && expected == THREE => {
                "three numbers stand in brackets, as in `[0.1, 0.2, 0.3]`".to_owned()
            }
            Self::GravityComponents { .. } => {
                "write `gravity = [0.0, -9.81]` or `gravity = [0.0, 0.0, -9.81]`".to_owned()
            }
            Self::ImpossibleInertia { .. } => {
                "moments are about the centre of mass; look for one given about another point".to_owned()
            }
            Self::Expression { text, error } => error.help(text),
            Self::TimeNotAllowed { .. } => {
                "t may stand in `law` of a drive and in `magnitude` of a force or torque".to_owned()
            }
            Self::NotFinite { value, .. } => not_finite(*value).to_owned(),
            Self::DuplicateName { .. } => {
                "give every point, rod, body, beam, solid, flexible link, angle, joint, spring, force, torque, load and drive a name of its own"
                    .to_owned()
            }
            Self::Brace { .. } => "an index stands in braces, as in `B{i}` or `B{i-1}`".to_owned(),
            Self::GroundIsNowhere => "name a fixed point or give coordinates such as [0.0, 0.0]".to_owned(),
            Self::SameThing { .. } => "the two ends must be on different bodies or points".to_owned(),
            Self::NothingMoves => "leave it out, or let something move".to_owned(),
            Self::NoInertia => "give it a mass, or hold it with a joint".to_owned(),
            Self::UnknownStart { key: key @ ("a" | "b"), .. } => {
                format!("give `{key}` as a point such as [0.0, 0.0], or give the start with `at`")
            }
            Self::UnknownStart { key, .. } => format!("give `{key}`, or give the start with `at`"),
            Self::UnknownStartAngle { key, .. } => format!("give its `angle`, or write coordinates at `{key}`"),
            Self::ObeyedCharacter { .. } => "write the text without it".to_owned(),
            Self::OutOfRange { .. } => "look for a slip of the pen in the exponent, or write 0".to_owned(),
            Self::NoOrientation { .. } => {
                "a point has no angle; use a body, or the joint `point-on-line`".to_owned()
            }
            Self::TurnedGround { .. } => "measure it from `ground`".to_owned(),
            Self::SeveralRows { valid, .. } => list("give `axis`, one of", valid),
            Self::NoReaction { .. } => {
                "forces are those of joints and rods; a drive or an angle has a multiplier".to_owned()
            }
            Self::UnknownRow { valid, .. } | Self::UnknownComponent { valid, .. } => list("it has", valid),
            _ => return self.help_on_text_and_types().or_else(|| self.help_on_wholes_and_motions()),
        })
    }
    /// The same about text that is no TOML, lists, and joints that cannot be assembled.
    fn help_on_text_and_types(&self) -> Option<String> {
        Some(match self {
            Self::Syntax { help, .. } => (*help)?.to_owned(),
            Self::WrongReference { found: "spatial-body", wanted: "body or angle", .. } => {
                "in space give `joint = NAME` in place of `a` and `b`: the joint whose free rotation it resists".to_owned()
            }
            Self::WrongType { expected, .. } | Self::WrongLength { expected, .. } if expected == COMPONENTS => {
                "a direction or a place stands in brackets, as in `[0.0, 0.0, 1.0]`".to_owned()
            }
            Self::WrongType { expected, .. } | Self::WrongLength { expected, .. } if expected == SIX => {
                "along x, y, z (N/m, N s/m) and about them (N m/rad, N m s/rad), as in `[1e6, 1e6, 1e6, 1e3, 1e3, 1e3]`".to_owned()
            }
            Self::ParallelPins => {
                "give `axis_a`, the pin on a in the axes of its body, at a right angle to `axis`, the pin on b in those of its own".to_owned()
            }
            _ => return None,
        })
    }
    /// The same about whole numbers, families and motions that joints leave free.
    fn help_on_wholes_and_motions(&self) -> Option<String> {
        Some(match self {
            Self::NotWhole { .. } => {
                "write a whole number, or an expression of parameters that is one, such as `2*N - 1`".to_owned()
            }
            Self::TooMany { .. } => "look at `from`, `to` and `step`: `to` is the last value of the index".to_owned(),
            Self::NoFreeMotion { in_plane: true, .. } => {
                "joints in the plane have the motion of their bodies: name the two ends as `a` and `b`, or the body".to_owned()
            }
            Self::NoFreeMotion { wanted, .. } => {
                let kinds = if wanted.starts_with("rotation") { "revolute, cylindrical" } else { "prismatic, cylindrical" };
                format!("such are the joints in space of the types {kinds}, and generic ones that leave it free")
            }
            _ => return None,
        })
    }
}

/// The word for a list of tables in messages.
pub(super) const LIST: &str = "a list";

/// The words for stiffnesses along three axes and about them in messages.
pub(super) const SIX: &str = "six numbers";

/// The words for a vector in space in messages.
pub(super) const THREE: &str = "three numbers [x, y, z]";

fn list(intro: &str, words: &[String]) -> String {
    format!("{intro}: {}", words.join(", "))
}

/// For a value that is infinite or no number.
fn not_finite(value: f64) -> &'static str {
    if value.is_infinite() {
        "look for a division by zero, or for a slip of the pen in an exponent: products above 1e308 are no numbers"
    } else {
        "look for a division by zero or a root or logarithm of a negative number"
    }
}
