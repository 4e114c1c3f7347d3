//! What is said of a motion: the frame in which it is steady, or why it is not.

use super::FrameChoice;
use super::frames::turns;
use super::generator::{Generator, in_ground, length};
use mb_model::{Model, Point};

/// The frame in which a linearization is constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// That of the ground.
    Ground,
    /// It turns as a body does, with this angular velocity in rad/s (ground's axes).
    Body {
        /// Name of the body.
        name: String,
        /// Angular velocity, rad/s.
        rate: [f64; 3],
    },
    /// It turns with an angular velocity in rad/s (ground's axes) that is no body's.
    Turning {
        /// Angular velocity, rad/s.
        rate: [f64; 3],
    },
    /// Parts of the model are seen from frames of their own: names of bodies and points with the angular velocity.
    Several {
        /// Frame by frame.
        parts: Vec<(Vec<String>, [f64; 3])>,
    },
}

/// Angular velocities this near, relative to the largest, are the same: the conditions give them to the square root of
/// rounding at worst.
const SAME: f64 = 1e-7;

impl Frame {
    /// The choice by which a frame that has a name is found again; automatic for others.
    pub fn choice(&self) -> FrameChoice {
        match self {
            Self::Ground => FrameChoice::Ground,
            Self::Body { name, .. } => FrameChoice::Body(name.clone()),
            Self::Turning { .. } | Self::Several { .. } => FrameChoice::Automatic,
        }
    }
    pub(super) fn of(model: &Model, point: &Point, s: &Generator) -> Self {
        let mut parts: Vec<(Vec<String>, [f64; 3])> = Vec::new();
        let blocks = model.coordinates().blocks();
        let speed = blocks.iter().map(|b| length(in_ground(b, point))).chain(s.speeds()).fold(0.0, f64::max);
        let same = |a: &[f64; 3], b: &[f64; 3]| {
            length(std::array::from_fn(|i| a[i] - b[i])) <= SAME * speed.max(f64::MIN_POSITIVE)
        };
        for (block, rate) in s.place_rates() {
            match parts.iter_mut().find(|(_, known)| same(known, &rate)) {
                Some((names, _)) => names.push(block.name.clone()),
                None => parts.push((vec![block.name.clone()], rate)),
            }
        }
        let rate = match parts.as_slice() {
            [] => return Self::Ground,
            [(_, rate)] => *rate,
            _ => return Self::Several { parts },
        };
        if same(&rate, &[0.0; 3]) {
            return Self::Ground;
        }
        let body = turns(model, point).find(|(_, own)| same(own, &rate));
        body.map_or(Self::Turning { rate }, |(b, _)| Self::Body { name: b.name.clone(), rate })
    }
    /// Angular velocity in rad/s (ground's axes); none where parts have different ones.
    pub fn rate(&self) -> Option<[f64; 3]> {
        match self {
            Self::Ground => Some([0.0; 3]),
            Self::Body { rate, .. } | Self::Turning { rate } => Some(*rate),
            Self::Several { .. } => None,
        }
    }
}

/// An angular velocity in words.
fn words(rate: [f64; 3]) -> String {
    let speed = length(rate);
    let unit = rate.map(|x| x / speed);
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        if (unit[i].abs() - 1.0).abs() < 1e-12 {
            return format!("{} rad/s about {axis}", short(unit[i].signum() * speed));
        }
    }
    format!("{} rad/s about ({})", short(speed), unit.map(short).join(", "))
}

fn short(x: f64) -> String {
    let text = format!("{x:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ground => f.write_str("the ground's frame"),
            Self::Body { name, rate } => {
                write!(f, "the frame of '{name}', which turns at {}", words(*rate))
            }
            Self::Turning { rate } => write!(f, "a frame that turns at {}", words(*rate)),
            Self::Several { parts } => {
                let one = |(names, rate): &(Vec<String>, [f64; 3])| {
                    let names = names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
                    if length(*rate) == 0.0 {
                        format!("{names} in the ground's")
                    } else {
                        format!("{names} in one that turns at {}", words(*rate))
                    }
                };
                let parts: Vec<String> = parts.iter().map(one).collect();
                write!(f, "frames of the parts: {}", parts.join("; "))
            }
        }
    }
}

/// Why a motion is not steady.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// All is at rest and stays there.
    Rests,
    /// All is at rest, but the forces on a body are not in balance.
    Starts {
        /// The body.
        body: String,
    },
    /// A body's velocity is not carried by any frame.
    Accelerates {
        /// The body.
        body: String,
        /// Change of the velocity compared with the largest of its kind, 1/s.
        share: f64,
        /// What the velocity changes by in a second beyond what the frame does, in `unit`.
        change: f64,
        /// That of the velocity.
        unit: &'static str,
    },
    /// The equations of a body change from the start.
    ChangesAtOnce {
        /// The body.
        body: String,
        /// Share of themselves by which they change, 1/s.
        rate: f64,
    },
    /// The equations of a body change.
    Changes {
        /// The body.
        body: String,
        /// Share of themselves by which they change.
        share: f64,
        /// Within this time, s.
        within: f64,
    },
    /// A constraint does not hold along the motion, or other displacements are admissible there.
    Breaks {
        /// Owner and axis.
        constraint: String,
        /// By how much, relative to its own size.
        share: f64,
        /// After this time, s.
        within: f64,
    },
    /// A given function of time.
    GivenInTime {
        /// Whose it is.
        owner: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A wheel goes along a profile that is not straight by its form.
    Uneven {
        /// The element that gives it.
        owner: String,
    },
}

/// A motion that is not steady has no exponents.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsteady {
    /// Why.
    pub reason: Reason,
    /// What is not symmetric in the frames of the ground and of the bodies; empty where that was not sought.
    pub asymmetric: Vec<Asymmetric>,
    /// Whether that is so in a frame that was asked for, while there may be others.
    pub in_frame_asked: bool,
}

/// A force that is not the same all along an orbit, seen from a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Asymmetric {
    /// The frame in words.
    pub frame: String,
    /// What the force belongs to, such as `bearing 'lower'`.
    pub owner: String,
    /// Share of themselves by which its equations change.
    pub share: f64,
}

impl Unsteady {
    pub(super) fn of(reason: Reason) -> Self {
        Self { reason, asymmetric: Vec::new(), in_frame_asked: false }
    }
    /// The whole sentence, with what to do.
    pub(crate) fn sentence(&self) -> String {
        if self.in_frame_asked {
            return format!(
                "Seen from the frame that was asked for, the motion is not steady and has no exponents: {self}. Seen from another one it may be: leave the frame out, or name a body that turns."
            );
        }
        format!(
            "The motion is not steady, so it has no exponents: {self}. Ask for a steady motion near by, or follow the motion in time."
        )
    }
    pub(super) fn accelerates(body: String, share: f64, change: f64, unit: &'static str) -> Self {
        Self::of(Reason::Accelerates { body, share, change, unit })
    }
    pub(super) fn changes(body: String, share: f64, within: f64) -> Self {
        Self::of(Reason::Changes { body, share, within })
    }
    pub(super) fn breaks(constraint: String, share: f64, within: f64) -> Self {
        Self::of(Reason::Breaks { constraint, share, within })
    }
    /// By what share things change; infinite where that is not the question.
    pub(super) fn share(&self) -> f64 {
        match self.reason {
            Reason::Accelerates { share, .. }
            | Reason::Changes { share, .. }
            | Reason::Breaks { share, .. } => share,
            Reason::ChangesAtOnce { rate, .. } => rate,
            Reason::Rests | Reason::Starts { .. } | Reason::GivenInTime { .. } | Reason::Uneven { .. } => {
                f64::INFINITY
            }
        }
    }
    /// The rate of change, where the equations of a body change from the start.
    pub(super) fn or_faster(self, (body, rate): (String, f64)) -> Self {
        match self.reason {
            Reason::Changes { .. } if rate > 1e-6 => Self::of(Reason::ChangesAtOnce { body, rate }),
            _ => self,
        }
    }
}

/// A share in words.
fn percent(share: f64) -> String {
    if share > 10.0 { format!("{share:.3e} times themselves") } else { format!("{} %", short(100.0 * share)) }
}

impl std::fmt::Display for Unsteady {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reason.fmt(f)?;
        for Asymmetric { frame, owner, .. } in &self.asymmetric {
            write!(f, "; seen from {frame}, {owner} is not the same all along the motion")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rests => f.write_str("all of its speeds are zero, and it is at rest"),
            Self::Starts { body } => {
                write!(f, "it starts from rest, and the forces on '{body}' are not in balance")
            }
            Self::Accelerates { body, change, unit, .. } => {
                write!(f, "the velocity of '{body}' changes by {} {unit} in a second", short(*change))
            }
            Self::ChangesAtOnce { body, rate } => {
                write!(f, "the equations of '{body}' change at a rate of {} in a second", percent(*rate))
            }
            Self::Changes { body, share, within } => {
                write!(
                    f,
                    "the equations of '{body}' change by {} within {} s",
                    percent(*share),
                    short(*within)
                )
            }
            Self::Breaks { constraint, share, within } => {
                write!(f, "{constraint} differs by {} after {} s", percent(*share), short(*within))
            }
            Self::Uneven { owner } => {
                write!(f, "the profile of {owner} is not straight along the way of the wheel")
            }
            Self::GivenInTime { owner, why } => write!(f, "{owner} is a given function of time: {why}"),
        }
    }
}
