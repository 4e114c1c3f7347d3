//! Places: points that joints, springs and loads attach to.
//!
//! A place is written in three dimensions so that springs, distances and forces are written
//! once; planar blocks lie in z = 0.

use super::link_point::{LinkPoint, Slot};
use super::rotation::{cross, lifted, turned, turned_back};
use mb_scalar::{Lift, Real};
use nalgebra::Vector3;

/// A point, and how it moves with the coordinates of an element.
///
/// `q` and `v` are first indices in the element's local coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place<P = f64> {
    /// Fixed in the ground, at this position in m.
    Ground([P; 3]),
    /// A point with coordinates x, y of its own.
    PlanarPoint {
        /// First local configuration index.
        q: usize,
        /// First local velocity index.
        v: usize,
    },
    /// A point with coordinates x, y, z of its own.
    SpatialPoint {
        /// First local configuration index.
        q: usize,
        /// First local velocity index.
        v: usize,
    },
    /// A point of a body in the plane, given in body axes in m.
    OnPlanarBody {
        /// First local configuration index.
        q: usize,
        /// First local velocity index.
        v: usize,
        /// Position in body axes, m.
        local: [P; 2],
    },
    /// A point of a body in space, given in body axes in m.
    OnBody {
        /// First local configuration index: position, then Euler parameters.
        q: usize,
        /// First local velocity index: velocity, then angular velocity in body axes.
        v: usize,
        /// Position in body axes, m.
        local: [P; 3],
    },
    /// A point of a flexible link.
    OnLink {
        /// The frame of the link: x, y, angle.
        frame: Slot,
        /// The point in the axes of the frame.
        at: LinkPoint<P>,
    },
}

/// The Euler parameters of a pose whose configuration starts at `i`.
fn euler<S: Real>(q: &[S], i: usize) -> [S; 4] {
    [q[i + 3], q[i + 4], q[i + 5], q[i + 6]]
}

/// k x s for a vector in the plane.
fn turn<S: Real>(s: [S; 2]) -> [S; 2] {
    [-s[1], s[0]]
}

/// The body-fixed vector `local` in ground axes, for a body at `angle`.
pub(super) fn rotated<P: Real, S: Lift<P>>(angle: S, local: [P; 2]) -> [S; 2] {
    in_plane(angle, local.map(S::lift))
}

/// A vector of axes turned by `angle`, in the ground's.
fn in_plane<S: Real>(angle: S, local: [S; 2]) -> [S; 2] {
    let (sin, cos) = angle.sin_cos();
    let [x, y] = local;
    [cos * x - sin * y, sin * x + cos * y]
}

/// True for the reference point of a body, which no rotation moves; nodes of beams are such places.
fn is_reference<P: Real>(local: &[P; 3]) -> bool {
    local.iter().all(|x| *x == P::zero())
}

impl<P: Real> Place<P> {
    /// Position in m.
    pub fn position<S: Lift<P>>(&self, q: &[S]) -> Vector3<S> {
        match *self {
            Self::Ground(p) => Vector3::from(p.map(S::lift)),
            Self::PlanarPoint { q: i, .. } => Vector3::new(q[i], q[i + 1], S::zero()),
            Self::SpatialPoint { q: i, .. } => Vector3::new(q[i], q[i + 1], q[i + 2]),
            Self::OnPlanarBody { q: i, local, .. } => {
                let s = rotated(q[i + 2], local);
                Vector3::new(q[i] + s[0], q[i + 1] + s[1], S::zero())
            }
            Self::OnBody { q: i, local, .. } if is_reference(&local) => {
                Vector3::new(q[i], q[i + 1], q[i + 2])
            }
            Self::OnBody { q: i, local, .. } => {
                let s = turned(euler(q, i), &lifted(local));
                Vector3::new(q[i] + s.x, q[i + 1] + s.y, q[i + 2] + s.z)
            }
            Self::OnLink { frame: Slot { q: i, .. }, at } => {
                let s = in_plane(q[i + 2], at.position(q));
                Vector3::new(q[i] + s[0], q[i + 1] + s[1], S::zero())
            }
        }
    }
    /// Velocity in m/s: the time derivative of the position along v.
    pub fn velocity<S: Lift<P>>(&self, q: &[S], v: &[S]) -> Vector3<S> {
        match *self {
            Self::Ground(_) => Vector3::from([S::zero(); 3]),
            Self::PlanarPoint { v: j, .. } => Vector3::new(v[j], v[j + 1], S::zero()),
            Self::SpatialPoint { v: j, .. } => Vector3::new(v[j], v[j + 1], v[j + 2]),
            Self::OnPlanarBody { q: i, v: j, local } => {
                let t = turn(rotated(q[i + 2], local));
                Vector3::new(v[j] + v[j + 2] * t[0], v[j + 1] + v[j + 2] * t[1], S::zero())
            }
            Self::OnBody { v: j, local, .. } if is_reference(&local) => {
                Vector3::new(v[j], v[j + 1], v[j + 2])
            }
            Self::OnBody { q: i, v: j, local } => {
                let w = Vector3::new(v[j + 3], v[j + 4], v[j + 5]);
                let t = turned(euler(q, i), &cross(&w, &lifted(local)));
                Vector3::new(v[j] + t.x, v[j + 1] + t.y, v[j + 2] + t.z)
            }
            Self::OnLink { frame: Slot { q: i, v: j }, at } => {
                let t = turn(in_plane(q[i + 2], at.position(q)));
                let e = in_plane(q[i + 2], at.velocity(v));
                Vector3::new(v[j] + v[j + 2] * t[0] + e[0], v[j + 1] + v[j + 2] * t[1] + e[1], S::zero())
            }
        }
    }
    /// Acceleration in m/s^2: the time derivative of the velocity along q' of `v` and v' = `a`.
    pub fn acceleration<S: Lift<P>>(&self, q: &[S], v: &[S], a: &[S]) -> Vector3<S> {
        match *self {
            Self::Ground(_) => Vector3::from([S::zero(); 3]),
            Self::PlanarPoint { v: j, .. } => Vector3::new(a[j], a[j + 1], S::zero()),
            Self::SpatialPoint { v: j, .. } => Vector3::new(a[j], a[j + 1], a[j + 2]),
            Self::OnPlanarBody { q: i, v: j, local } => {
                let s = rotated(q[i + 2], local);
                let t = turn(s);
                let square = v[j + 2] * v[j + 2];
                Vector3::new(
                    a[j] + a[j + 2] * t[0] - square * s[0],
                    a[j + 1] + a[j + 2] * t[1] - square * s[1],
                    S::zero(),
                )
            }
            Self::OnBody { v: j, local, .. } if is_reference(&local) => {
                Vector3::new(a[j], a[j + 1], a[j + 2])
            }
            Self::OnBody { q: i, v: j, local } => {
                let (w, spin) =
                    (Vector3::new(v[j + 3], v[j + 4], v[j + 5]), Vector3::new(a[j + 3], a[j + 4], a[j + 5]));
                let c = lifted(local);
                let t = turned(euler(q, i), &(cross(&spin, &c) + cross(&w, &cross(&w, &c))));
                Vector3::new(a[j] + t.x, a[j + 1] + t.y, a[j + 2] + t.z)
            }
            Self::OnLink { frame: Slot { q: i, v: j }, at } => {
                let s = in_plane(q[i + 2], at.position(q));
                let (t, rate) = (turn(s), v[j + 2]);
                let e = turn(in_plane(q[i + 2], at.velocity(v)));
                let e2 = in_plane(q[i + 2], at.velocity(a));
                let along = |k: usize| {
                    a[j + k] + a[j + 2] * t[k] - rate * rate * s[k] + rate.scale(2.0) * e[k] + e2[k]
                };
                Vector3::new(along(0), along(1), S::zero())
            }
        }
    }
    /// Adds the generalized force of `force` (N) acting here: J^T F with J = d velocity / d v.
    pub fn push<S: Lift<P>>(&self, q: &[S], force: Vector3<S>, out: &mut [S]) {
        match *self {
            Self::Ground(_) => {}
            Self::PlanarPoint { v: j, .. } => {
                out[j] += force.x;
                out[j + 1] += force.y;
            }
            Self::SpatialPoint { v: j, .. } => {
                for k in 0..3 {
                    out[j + k] += force[k];
                }
            }
            Self::OnBody { v: j, local, .. } if is_reference(&local) => {
                for k in 0..3 {
                    out[j + k] += force[k];
                }
            }
            Self::OnPlanarBody { q: i, v: j, local } => {
                let t = turn(rotated(q[i + 2], local));
                out[j] += force.x;
                out[j + 1] += force.y;
                out[j + 2] += t[0] * force.x + t[1] * force.y;
            }
            Self::OnBody { q: i, v: j, local } => {
                let moment = cross(&lifted(local), &turned_back(euler(q, i), &force));
                for k in 0..3 {
                    out[j + k] += force[k];
                    out[j + 3 + k] += moment[k];
                }
            }
            Self::OnLink { frame: Slot { q: i, v: j }, at } => {
                let p = at.position(q);
                let f = in_plane(-q[i + 2], [force.x, force.y]);
                out[j] += force.x;
                out[j + 1] += force.y;
                out[j + 2] += p[0] * f[1] - p[1] * f[0];
                at.push(f, out);
            }
        }
    }
    /// First local configuration index of the rigid body that the place is a point of.
    pub fn body(&self) -> Option<usize> {
        match *self {
            Self::OnPlanarBody { q, .. } | Self::OnBody { q, .. } => Some(q),
            Self::Ground(_) | Self::PlanarPoint { .. } | Self::SpatialPoint { .. } | Self::OnLink { .. } => {
                None
            }
        }
    }
    /// First local configuration index of the block that carries the place rigidly: of a link, its
    /// frame.
    pub fn block_slot(&self) -> Option<usize> {
        match *self {
            Self::Ground(_) => None,
            Self::PlanarPoint { q, .. }
            | Self::SpatialPoint { q, .. }
            | Self::OnPlanarBody { q, .. }
            | Self::OnBody { q, .. } => Some(q),
            Self::OnLink { frame, .. } => Some(frame.q),
        }
    }
    /// True when the generalized force of a constant force depends on the configuration.
    pub fn has_moment_arm(&self) -> bool {
        matches!(self, Self::OnPlanarBody { .. } | Self::OnBody { .. } | Self::OnLink { .. })
    }
}

/// An angle about z in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AngleOf<P = f64> {
    /// The ground's, always zero.
    Ground,
    /// A coordinate: a body's angle or an angle coordinate.
    Coordinate {
        /// Local configuration index.
        q: usize,
        /// Local velocity index.
        v: usize,
    },
    /// The section of an equivalent rigid link: its angle plus the elastic rotation of a node. Indices (q, v).
    Section {
        /// The angle of the rigid link.
        angle: (usize, usize),
        /// The elastic rotation.
        rotation: (usize, usize),
    },
    /// The section of a flexible link: angle of its frame plus elastic rotation.
    OnLink {
        /// The frame of the link: x, y, angle.
        frame: Slot,
        /// The point of the link.
        at: LinkPoint<P>,
    },
}

impl<P: Real> AngleOf<P> {
    /// The angle in rad.
    pub fn angle<S: Lift<P>>(self, q: &[S]) -> S {
        match self {
            Self::Ground => S::zero(),
            Self::Coordinate { q: i, .. } => q[i],
            Self::Section { angle, rotation } => q[angle.0] + q[rotation.0],
            Self::OnLink { frame, at } => q[frame.q + 2] + at.rotation(q),
        }
    }
    /// Its rate in rad/s.
    pub fn rate<S: Lift<P>>(self, v: &[S]) -> S {
        match self {
            Self::Ground => S::zero(),
            Self::Coordinate { v: j, .. } => v[j],
            Self::Section { angle, rotation } => v[angle.1] + v[rotation.1],
            Self::OnLink { frame, at } => v[frame.v + 2] + at.rotation_rate(v),
        }
    }
    /// Adds a torque in N m.
    pub fn twist<S: Lift<P>>(self, torque: S, out: &mut [S]) {
        match self {
            Self::Ground => {}
            Self::Coordinate { v: j, .. } => out[j] += torque,
            Self::Section { angle, rotation } => {
                out[angle.1] += torque;
                out[rotation.1] += torque;
            }
            Self::OnLink { frame, at } => {
                out[frame.v + 2] += torque;
                at.twist(torque, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_scalar::Dual;

    fn places() -> Vec<Place> {
        let (frame, a, b) = (Slot { q: 0, v: 0 }, Slot { q: 3, v: 3 }, Slot { q: 6, v: 6 });
        let node = LinkPoint::Node { node: b, station: 1.3 };
        let span = LinkPoint::Span { nodes: [a, b], start: 0.4, length: 0.9, xi: 0.3 };
        vec![
            Place::OnPlanarBody { q: 0, v: 0, local: [0.7, -0.2] },
            Place::PlanarPoint { q: 4, v: 4 },
            Place::OnLink { frame, at: node },
            Place::OnLink { frame, at: span },
        ]
    }
    const Q: [f64; 9] = [0.3, -1.2, 0.8, 0.05, -0.1, 0.2, 0.15, 0.3, -0.1];
    const V: [f64; 9] = [0.5, 2.0, -1.5, 0.4, -0.7, 1.1, -0.3, 0.9, 0.6];

    /// velocity() is the derivative of position(), and push() is its transpose.
    #[test]
    fn velocity_and_force_follow_from_the_position() {
        let moving: Vec<Dual<f64>> = Q.iter().zip(V).map(|(q, v)| Dual::new(*q, v)).collect();
        let force = Vector3::new(1.3, -0.4, 0.0);
        for place in places() {
            let p = place.position(&moving);
            let velocity = place.velocity(&Q, &V);
            let mut out = [0.0; 9];
            place.push(&Q, force, &mut out);
            // The accelerations are the velocities backwards, as good as any.
            let a: Vec<f64> = V.iter().rev().copied().collect();
            let faster: Vec<Dual<f64>> = V.iter().zip(&a).map(|(v, a)| Dual::new(*v, *a)).collect();
            let rate = place.velocity(&moving, &faster);
            let acceleration = place.acceleration(&Q, &V, &a);
            for i in 0..3 {
                assert!((p[i].eps - velocity[i]).abs() < 1e-15);
                assert!((rate[i].eps - acceleration[i]).abs() < 1e-14);
            }
            let power: f64 = out.iter().zip(V).map(|(f, v)| f * v).sum();
            assert!((power - force.dot(&velocity)).abs() < 1e-14);
        }
    }

    /// The same for angles; and between two nodes the angle is that of the tangent.
    #[test]
    fn rate_and_torque_follow_from_the_angle() {
        let moving: Vec<Dual<f64>> = Q.iter().zip(V).map(|(q, v)| Dual::new(*q, v)).collect();
        for place in places() {
            let Place::OnLink { frame, at } = place else { continue };
            let angle: AngleOf = AngleOf::OnLink { frame, at };
            let mut out = [0.0; 9];
            angle.twist(2.5, &mut out);
            let power: f64 = out.iter().zip(V).map(|(f, v)| f * v).sum();
            assert!((angle.angle(&moving).eps - angle.rate(&V)).abs() < 1e-15);
            assert!((power - 2.5 * angle.rate(&V)).abs() < 1e-14);
            if let LinkPoint::Span { nodes, start, length, xi } = at {
                // Cubic, so that the central difference is wrong by the third derivative alone.
                let w = |xi: f64| LinkPoint::Span { nodes, start, length, xi }.position(&Q)[1];
                let step = 1e-4;
                let slope = (w(xi + step) - w(xi - step)) / (2.0 * step * length);
                assert!((slope - at.rotation(&Q)).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn a_point_in_space_is_its_coordinates() {
        let place: Place = Place::SpatialPoint { q: 2, v: 1 };
        assert_eq!(place.position(&Q), Vector3::new(Q[2], Q[3], Q[4]));
        assert_eq!(place.velocity(&Q, &V), Vector3::new(V[1], V[2], V[3]));
        assert_eq!(place.acceleration(&Q, &[0.0; 9], &V), Vector3::new(V[1], V[2], V[3]));
        let mut out = [0.0; 5];
        place.push(&Q, Vector3::new(1.0, 2.0, 3.0), &mut out);
        assert!((0..4).all(|i| (out[i] - i as f64).abs() < 1e-15) && out[4].abs() < 1e-15);
    }

    #[test]
    fn the_same_in_space() {
        let place = Place::OnBody { q: 0, v: 0, local: [0.7, -0.2, 0.4] };
        let q = [0.3, -1.2, 0.8, 0.5, -0.1, 0.7, 0.5];
        let v = [0.5, 2.0, -1.5, 0.3, -0.8, 1.1];
        let mut moving = q.map(Dual::constant);
        crate::BlockKind::Pose.retract(&mut moving, &v.map(|v| Dual::new(0.0, v)));
        let (p, velocity) = (place.position(&moving), place.velocity(&q, &v));
        let a = [0.2, -0.9, 0.6, 1.4, 0.3, -0.5];
        let rate = place.velocity(&moving, &[0, 1, 2, 3, 4, 5].map(|i| Dual::new(v[i], a[i])));
        let acceleration = place.acceleration(&q, &v, &a);
        let force = Vector3::new(1.3, -0.4, 0.9);
        let mut out = [0.0; 6];
        place.push(&q, force, &mut out);
        for i in 0..3 {
            assert!((rate[i].eps - acceleration[i]).abs() < 1e-14);
            assert!((p[i].eps - velocity[i]).abs() < 1e-15);
        }
        let power: f64 = out.iter().zip(v).map(|(f, v)| f * v).sum();
        assert!((power - force.dot(&velocity)).abs() < 1e-15);
    }
}
