//! Parts of a model that no configuration keeps at rest, because nothing holds them against their loads along a direction of the ground.
//!
//! ```text
//! e . sum of forces on the bodies of a part  =  constant /= 0      for every configuration
//! ```
//!
//! This holds where every element of the part sees the same when the part as a whole is shifted along e: what acts between its own bodies does,
//! with reactions that cancel in the sum, and so does a guide in the ground along e. Dead loads and weight are what is left of the sum.
//! Elements of which that is not known leave the question open, for the search of an equilibrium to decide.

use super::strainless::root;
use crate::coordinates::{BlockId, BlockKind};
use crate::element::{
    AngleOf, Bushing, Coincident, Driven, Effort, Element, ForceFrame, Joint, JointFrame, Place, Quantity,
    Traction,
};
use crate::model::{Member, Model};
use crate::state::Point;
use nalgebra::Vector3;

/// Sines of angles between guides that are rounding of their axes.
const ALONG: f64 = 64.0 * f64::EPSILON;
/// Share of the forces in a part, added up without their signs, below which their sum is rounding.
const ROUNDING: f64 = 1e-9;

/// Blocks that fall, whatever their configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// The blocks, in order.
    pub blocks: Vec<BlockId>,
    /// The sum of the forces on them along the directions in which nothing holds them, N, in the axes of the ground.
    pub force: [f64; 3],
}

/// Directions along which the ground holds a part; none where that is not known.
type Held = Option<Vec<Vector3<f64>>>;

impl Model<f64> {
    /// The parts that nothing holds against their loads at the time and with the inputs of a point, in order of their first blocks: while
    /// there is one, there is no equilibrium. That there is none does not say that there is an equilibrium.
    pub fn falls(&self, point: &Point) -> Vec<Fall> {
        let blocks = self.coordinates().blocks();
        let mut parent: Vec<usize> = (0..blocks.len()).collect();
        for m in self.members() {
            for pair in m.wires.blocks.windows(2) {
                let (a, b) = (root(&mut parent, pair[0].0), root(&mut parent, pair[1].0));
                parent[a.max(b)] = a.min(b);
            }
        }
        let residual = self.applied_residual(point);
        // Of the part whose first block it is: its blocks, what holds it, its force, and the sum without signs.
        let mut parts: Vec<(Vec<BlockId>, Held, Vector3<f64>, f64)> =
            vec![(Vec::new(), Some(Vec::new()), Vector3::zeros(), 0.0); blocks.len()];
        for (i, block) in blocks.iter().enumerate() {
            let (own, held, force, size) = &mut parts[root(&mut parent, i)];
            own.push(BlockId(i));
            let axes = block.kind.positions();
            match block.kind {
                // What they do to a shift of everything is their element's to say.
                BlockKind::Displacement | BlockKind::Vector(_) => *held = None,
                BlockKind::PlanarPoint | BlockKind::PlanarPose => {
                    if let Some(held) = held {
                        take(held, Vector3::z());
                    }
                }
                // Elastic coordinates are counted from their frame, which shifts.
                BlockKind::SpatialPoint | BlockKind::Pose | BlockKind::Angle | BlockKind::ElasticNode => {}
            }
            for k in 0..axes {
                force[k] -= residual[block.v + k];
                *size += residual[block.v + k].abs();
            }
        }
        for m in self.members() {
            let Some(first) = m.wires.blocks.first() else { continue };
            let held = &mut parts[root(&mut parent, first.0)].1;
            match held_by(m) {
                None => *held = None,
                Some(more) => {
                    if let Some(held) = held {
                        for axis in more {
                            take(held, axis);
                        }
                    }
                }
            }
        }
        let falls = parts.into_iter().filter_map(|(blocks, held, force, size)| {
            let free = held?.iter().fold(force, |force, axis| force - axis * axis.dot(&force));
            (free.norm() > ROUNDING * size).then(|| Fall { blocks, force: free.into() })
        });
        falls.collect()
    }
}

/// Adds a direction to others that are orthogonal and of length one.
fn take(held: &mut Vec<Vector3<f64>>, axis: Vector3<f64>) {
    let size = axis.norm();
    let rest = held.iter().fold(axis, |rest, known| rest - known * known.dot(&rest));
    if held.len() < 3 && rest.norm() > ALONG * size {
        // Once more, as the first rest may be all rounding.
        let rest = held.iter().fold(rest, |rest, known| rest - known * known.dot(&rest));
        held.push(rest.normalize());
    }
}

/// What an element holds of the part it belongs to.
fn held_by(m: &Member<f64>) -> Held {
    let nothing = Vec::new;
    Some(match &m.element {
        Element::PointMass(_)
        | Element::PlanarBody(_)
        | Element::SpatialBody(_)
        | Element::BeamInertia(_)
        | Element::BrickInertia(_)
        | Element::BrickStrain(_)
        | Element::HingeSpring(_)
        | Element::Moment(_)
        | Element::TorsionSpring(_)
        | Element::Torque(_)
        | Element::RelativeAngle(_)
        | Element::Link(_)
        | Element::ReferenceConditions(_) => nothing(),
        Element::BeamStrain(e) if !e.is_on_ground() => nothing(),
        Element::Rod(e) => between(e.ends[0], e.ends[1]),
        // A damper.
        Element::Spring(e) if e.stiffness == 0.0 => nothing(),
        Element::Spring(e) => between(e.a, e.b),
        Element::Distance(e) => between(e.a, e.b),
        Element::AngleOfLine(e) => between(e.a, e.b),
        Element::Coincident(Coincident { a, b }) => between(*a, *b),
        Element::OnLine(e) => match (e.base, e.point) {
            (Place::Ground(_), _) if e.frame == AngleOf::Ground => {
                vec![Vector3::new(-e.axis[1], e.axis[0], 0.0)]
            }
            (base, point) => between(base, point),
        },
        Element::Joint(e) => by_joint(e),
        Element::Bushing(e) => by_bushing(e),
        Element::MeanTie(e) if !e.is_on_ground() => nothing(),
        Element::Force(e) if e.frame == ForceFrame::Ground => nothing(),
        Element::FaceLoad(e) if e.traction != Traction::Pressure => nothing(),
        Element::Motor(e) => match &e.effort {
            Effort::Torque(_) => nothing(),
            Effort::Force(slide) => between(slide.a.place, slide.b.place),
        },
        Element::Drive(e) => match &e.quantity {
            Driven::Angle { .. } | Driven::Rotation(_) => nothing(),
            Driven::Coordinate { axis, .. } => vec![Vector3::ith(*axis, 1.0)],
            Driven::Displacement(slide) => between(slide.a.place, slide.b.place),
            Driven::Distance { a, b } => between(*a, *b),
        },
        Element::Coupling(e) => {
            let turns = |q: &Quantity| matches!(q, Quantity::Angle { .. } | Quantity::Rotation(_));
            if !e.terms.iter().all(|(_, q)| turns(q)) {
                return None;
            }
            nothing()
        }
        Element::BeamStrain(_)
        | Element::Force(_)
        | Element::Rolling(_)
        | Element::KnifeEdge(_)
        | Element::MeanTie(_)
        | Element::FaceLoad(_)
        | Element::Erls(_)
        | Element::Custom(_) => return None,
    })
}

/// What acts between two places holds nothing where both move with the part, and all of it where one is in the ground.
fn between(a: Place, b: Place) -> Vec<Vector3<f64>> {
    let of_ground = |place| matches!(place, Place::Ground(_));
    if of_ground(a) || of_ground(b) { vec![Vector3::x(), Vector3::y(), Vector3::z()] } else { Vec::new() }
}

/// The axes of a frame in the ground; none for one that moves.
fn axes_in_ground(frame: &JointFrame) -> Option<[Vector3<f64>; 3]> {
    let rests = matches!(frame.place, Place::Ground(_)) && frame.attitude.is_ground();
    rests.then(|| [0, 1, 2].map(|k| frame.axis(&[] as &[f64], k)))
}

fn by_joint(joint: &Joint) -> Vec<Vector3<f64>> {
    match axes_in_ground(&joint.b) {
        _ if joint.locked.translation == [false; 3] => Vec::new(),
        Some(axes) if !matches!(joint.a.place, Place::Ground(_)) => {
            axes.into_iter().zip(joint.locked.translation).filter(|(_, l)| *l).map(|(axis, _)| axis).collect()
        }
        _ => between(joint.a.place, joint.b.place),
    }
}

/// The force of a bushing in the ground is constant along the directions of which it takes no displacement and in which it gives no force.
fn by_bushing(bushing: &Bushing) -> Vec<Vector3<f64>> {
    let Some(axes) = axes_in_ground(&bushing.b) else { return between(bushing.a.place, bushing.b.place) };
    let k = &bushing.stiffness;
    let rows = k.iter().map(|row| [row[0], row[1], row[2]]);
    let columns = (0..6).map(|j| [k[0][j], k[1][j], k[2][j]]);
    let used = rows.chain(columns).filter(|c| c.iter().any(|x| *x != 0.0));
    used.map(|c| axes[0] * c[0] + axes[1] * c[1] + axes[2] * c[2]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The falling parts of a model: names of their blocks, and the forces.
    fn falling(gravity: &str, rest: &str) -> Vec<(Vec<String>, [f64; 3])> {
        let text = format!("units = \"SI\"\nname = \"parts\"\ngravity = {gravity}\n{rest}");
        let model = Model::from_toml(&text).expect("a model");
        let name = |id: &BlockId| model.coordinates().block(*id).name.clone();
        let falls = model.falls(&model.initial_point());
        falls.iter().map(|fall| (fall.blocks.iter().map(name).collect(), fall.force)).collect()
    }

    /// The force on the first of the parts, to rounding.
    fn assert_force(found: &[(Vec<String>, [f64; 3])], expected: [f64; 3]) {
        let off = found[0].1.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-12, "{found:?} {expected:?}");
    }

    const BLOCK: &str = "[[spatial-body]]\nname = \"a\"\nmass = 2\ninertia = [1, 1, 1]\nat = [0, 0, 0]\n";

    fn guided(axis: &str) -> String {
        format!(
            "{BLOCK}[[joint]]\nname = \"guide\"\ntype = \"prismatic\"\na = \"a\"\nb = \"ground\"\naxis = {axis}\n"
        )
    }

    #[test]
    fn a_guide_lets_a_body_fall_along_it_and_a_level_one_does_not() {
        let [(names, force)] = &falling("[0, 0, -10]", &guided("[3, 0, 4]"))[..] else { panic!("one part") };
        assert_eq!(names, &["a"]);
        // -20 N along z, of which 4/5 along the guide.
        let along = -20.0 * 0.8;
        assert!(
            (force[0] - 0.6 * along).abs() < 1e-12 && (force[2] - 0.8 * along).abs() < 1e-12,
            "{force:?}"
        );
        assert!(falling("[0, 0, -10]", &guided("[0, 1, 0]")).is_empty());
        assert!(falling("[0, 0, 0]", &guided("[3, 0, 4]")).is_empty());
    }

    #[test]
    fn a_guide_on_a_body_that_turns_leaves_the_question_open_and_so_does_a_thruster() {
        // A slider on a hinged rod rests where the rod is level.
        let rod = "[[spatial-body]]\nname = \"b\"\nmass = 2\ninertia = [1, 1, 1]\nat = [0, 0, 0]\n\
                   [[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"b\"\nb = \"ground\"\naxis = [0, 1, 0]\n";
        let slider = guided("[1, 0, 1]").replace("b = \"ground\"", "b = \"b\"");
        assert!(falling("[0, 0, -10]", &(slider.clone() + rod)).is_empty());
        // Without the pin both fall together.
        let free = rod.split("[[joint]]").next().expect("the body");
        assert_force(&falling("[0, 0, -10]", &(slider + free)), [0.0, 0.0, -40.0]);
        let thrust = "[[force]]\nname = \"jet\"\nat = \"a\"\ndirection = [0, 0, 1]\nmagnitude = 30\nframe = \"follower\"\n";
        assert!(falling("[0, 0, -10]", &format!("{BLOCK}{thrust}")).is_empty());
        // A dead load that carries the weight.
        let lift = |n: i32| {
            format!("{BLOCK}[[force]]\nname = \"lift\"\nat = \"a\"\ndirection = [0, 0, 1]\nmagnitude = {n}\n")
        };
        assert!(falling("[0, 0, -10]", &lift(20)).is_empty());
        assert_force(&falling("[0, 0, -10]", &lift(30)), [0.0, 0.0, 10.0]);
    }

    #[test]
    fn a_bushing_holds_what_it_has_a_stiffness_for() {
        let held = |translation: &str| {
            format!(
                "{BLOCK}[[bushing]]\nname = \"mount\"\na = \"a\"\nb = \"ground\"\nstiffness = [{translation}, 1, 1, 1]\n"
            )
        };
        assert!(falling("[0, 0, -10]", &held("1, 1, 1")).is_empty());
        assert_force(&falling("[0, 0, -10]", &held("1, 1, 0")), [0.0, 0.0, -20.0]);
        assert!(falling("[0, 0, -10]", &held("0, 0, 1")).is_empty());
        let damper = |k: i32| {
            format!(
                "{BLOCK}[[spring]]\nname = \"d\"\na = \"a\"\nb = [0, 0, -1]\nstiffness = {k}\ndamping = 3\nnatural_length = 1\n"
            )
        };
        assert_force(&falling("[0, 0, -10]", &damper(0)), [0.0, 0.0, -20.0]);
        assert!(falling("[0, 0, -10]", &damper(1)).is_empty());
    }

    #[test]
    fn parts_in_the_plane_fall_in_it() {
        let body = |name: &str, more: &str| {
            format!("[[body]]\nname = \"{name}\"\nmass = 1\ninertia = 1\nat = [0, 0]\n{more}")
        };
        let pin = "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"a\"\nb = \"ground\"\n";
        let tie = "[[spring]]\nname = \"tie\"\na = \"b\"\nb = \"c\"\nstiffness = 1e6\nnatural_length = 1\n";
        let third = body("c", "").replace("[0, 0]", "[0, 3]");
        let text = body("a", pin) + &body("b", "") + &third + tie;
        assert_eq!(falling("[1, -10]", &text), [(vec!["b".to_owned(), "c".to_owned()], [2.0, -20.0, 0.0])]);
        // Across the plane nothing moves.
        assert!(falling("[0, 0, -10]", &text).is_empty());
    }

    #[test]
    fn flexible_links_and_dead_loads_on_faces_fall_and_a_pressure_leaves_the_question_open() {
        let link = |name: &str, at: &str| {
            format!(
                "[[flexible-link]]\nname = \"{name}\"\nlength = 2\nelements = 3\ndensity = 1000\nyoungs_modulus = 1e8\n\
                 section.radius = 0.1\n{at}"
            )
        };
        // Two links of pi 0.1^2 1000 2 kg each.
        let pin = "[[joint]]\nname = \"elbow\"\ntype = \"revolute\"\na = \"u.end\"\nb = \"l\"\n";
        let chain = link("u", "at = [0, 0]\nangle = 0\n") + &link("l", "angle = 0.3\n") + pin;
        let found = falling("[0, -10]", &chain);
        let weight = -20.0 * std::f64::consts::PI * 0.01 * 2000.0;
        assert!((found[0].1[1] / weight - 1.0).abs() < 1e-12, "{found:?} {weight}");
        let held = "[[joint]]\nname = \"O\"\ntype = \"revolute\"\na = \"u\"\nb = [0, 0]\n";
        assert!(falling("[0, -10]", &(chain + held)).is_empty());
        let block = |load: &str| {
            format!(
                "[[solid]]\nname = \"block\"\nblock = {{ size = [1, 1, 2], elements = [1, 1, 2] }}\nat = [0, 0, 0]\ndensity = 1000\n\
                 youngs_modulus = 1e9\npoissons_ratio = 0.3\n\
                 [[surface-load]]\nname = \"load\"\non = \"block.z+\"\n{load}\n"
            )
        };
        // 2000 kg under 10 m/s^2 that are lifted by 30 kN.
        let found = falling("[0, 0, -10]", &block("force = [0, 0, 3e4]"));
        assert!((found[0].1[2] - 1e4).abs() < 1e-6, "{found:?}");
        assert!(falling("[0, 0, -10]", &block("pressure = 1e4")).is_empty());
    }
}
