//! Rolling without slip of a disc, a wheel with a rounded tread, or a ball on a plane, or on a surface that rises and falls.
//!
//! ```text
//! c the centre, e the axle, o a point of the plane, n its normal;   s = |e x n|
//! disc   p - c = -R (n - (n.e) e) / s - rho n     lowest point of a circle R with a tread of radius rho
//! ball   p - c = -R n
//! touch    Phi = n.(p - o) = 0                    one position row
//! no slip  u = v_c + w x (p - c) - (v_o + w_o x (p - o)),   along.u = across.u = 0     two velocity rows
//! ```
//!
//! u is the velocity of the material point of the wheel at p against that of the plane. For a disc `along` is its heading
//! e x n / s and `across` n x along, for a ball they are the x- and y-axes of the plane. The multiplier of the first row is
//! minus the normal force, those of the others are minus the friction along and across, in N. Where the disc lies flat
//! (s = 0) it has no lowest point.
//!
//! On a profile z = h(x) over the x-axis of the plane, n is the normal of the surface at the contact, Phi is the distance of the
//! contact of the wheel from the tangent plane, and `along` is tangent to the disc, or to the profile for a ball.

use super::profile::{Circle, Foot};
use super::rotation::{cross, dot};
use super::{Data, ElementLaw, JointFrame, Local, Place};
use crate::law::TimeLaw;
use crate::outline::Stroke;
use mb_scalar::Lift;
use nalgebra::Vector3;

/// The shape of what rolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tread<P = f64> {
    /// A circle about the z-axis of the frame, with a tread that is a circle in section.
    Disc {
        /// Radius of the circle of the centres of the tread, m.
        radius: P,
        /// Radius of the tread, m; zero for a thin disc.
        tread: P,
    },
    /// A ball.
    Ball {
        /// Radius, m.
        radius: P,
    },
}

/// A body that rolls on a plane without slip.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolling<P = f64> {
    /// The wheel: its centre, and its axle as the z-axis.
    pub wheel: JointFrame<P>,
    /// The plane: one of its points, and its normal, to the side of the wheel, as the z-axis.
    pub plane: JointFrame<P>,
    /// The shape.
    pub tread: Tread<P>,
    /// Height of the surface over the plane as a function of the place along its x-axis; none for the plane itself.
    pub profile: Option<TimeLaw<P>>,
}

/// Where the wheel touches: from its centre to the contact, the distance there, and the directions.
struct Contact<S> {
    arm: Vector3<S>,
    distance: S,
    along: Vector3<S>,
    across: Vector3<S>,
}

impl<P: Data> Rolling<P> {
    /// How fast the wheel goes along the x-axis of a profile that is not straight by its form, m/s; zero elsewhere.
    pub(crate) fn along_profile(&self, q: &[P], v: &[P]) -> f64 {
        if self.profile.as_ref().is_none_or(|profile| profile.degree().is_some_and(|d| d < 2)) {
            return 0.0;
        }
        let velocity = self.wheel.place.velocity(q, v) - self.plane.place.velocity(q, v);
        dot(&velocity, &self.plane.axis(q, 0)).value().abs()
    }
    fn contact<S: Lift<P>>(&self, q: &[S]) -> Contact<S> {
        let normal = self.plane.axis(q, 2);
        let centre = self.wheel.place.position(q) - self.plane.place.position(q);
        match self.tread {
            Tread::Ball { radius } => {
                let radius = S::lift(radius);
                let ahead = self.plane.axis(q, 0);
                let Some(profile) = &self.profile else {
                    let arm = normal * -radius;
                    let distance = dot(&normal, &(centre + arm));
                    return Contact { arm, distance, along: ahead, across: self.plane.axis(q, 1) };
                };
                let foot = Foot::of(profile, dot(&centre, &ahead), dot(&centre, &normal));
                let length = foot.length();
                let (along, up) =
                    ((ahead + normal * foot.slope) / length, (normal - ahead * foot.slope) / length);
                Contact {
                    arm: up * -radius,
                    distance: foot.distance - radius,
                    along,
                    across: cross(&up, &along),
                }
            }
            Tread::Disc { radius, tread } => {
                let radius = S::lift(radius);
                let axle = self.wheel.axis(q, 2);
                let heading = cross(&axle, &normal);
                let s = dot(&heading, &heading).sqrt();
                let up = (normal - axle * dot(&normal, &axle)) / s;
                let along = heading / s;
                let Some(profile) = &self.profile else {
                    let arm = up * -radius - normal * S::lift(tread);
                    let distance = dot(&normal, &(centre + arm));
                    return Contact { arm, distance, along, across: cross(&normal, &along) };
                };
                let ahead = self.plane.axis(q, 0);
                let seen = |x: &Vector3<S>| [dot(x, &ahead), dot(x, &normal)];
                let circle = Circle { centre: seen(&centre), along: seen(&along), up: seen(&up), radius };
                let (angle, foot) = circle.touching(profile);
                let (sin, cos) = angle.sin_cos();
                let arm = (along * sin - up * cos) * radius;
                let along = along * cos + up * sin;
                let normal = (normal - ahead * foot.slope) / foot.length();
                let tread = S::lift(tread);
                let distance = foot.distance - tread;
                Contact { arm: arm - normal * tread, distance, along, across: cross(&normal, &along) }
            }
        }
    }
}

impl<P: Data> ElementLaw<P> for Rolling<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        // A ball by three circles across each other.
        let (axes, radius): (&[usize], P) = match self.tread {
            Tread::Disc { radius, tread } => (&[2], radius + tread),
            Tread::Ball { radius } => (&[0, 1, 2], radius),
        };
        let circles = axes.iter().flat_map(|k| self.wheel.circle(*k, radius));
        Some((Stroke::Wheel, std::iter::once(self.wheel.place).chain(circles).collect()))
    }
    fn rows(&self) -> usize {
        3
    }
    fn velocity_rows(&self) -> usize {
        2
    }
    fn row_axis(&self, i: usize) -> String {
        ["touch", "no slip along", "no slip across"][i].to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        out[0] = self.contact(at.q).distance;
    }
    fn rates<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let Contact { arm, along, across, .. } = self.contact(at.q);
        let Self { wheel, plane, .. } = self;
        let wheel_velocity = wheel.place.velocity(at.q, at.v) + cross(&wheel.attitude.spin(at.q, at.v), &arm);
        let from_plane = wheel.place.position(at.q) + arm - plane.place.position(at.q);
        let plane_velocity =
            plane.place.velocity(at.q, at.v) + cross(&plane.attitude.spin(at.q, at.v), &from_plane);
        let slip = wheel_velocity - plane_velocity;
        out[0] = dot(&along, &slip);
        out[1] = dot(&across, &slip);
    }
}
