//! Rolling wheels and knife edges.

use super::expand::{Entry, Head};
use super::frames::Grip;
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::element::rotation::{cross, dot, turned};
use crate::element::{Data, Element, KnifeEdge, Rolling, Tread};
use crate::model::Wiring;
use crate::spec::fault_rolling::RollingFault;
use crate::spec::{Fault, KnifeEdgeSpec, PlaceRef, RollingSpec, Vector};
use nalgebra::Vector3;

/// Sine of the smallest angle between a direction and the normal that it is not to be along.
const ALONG: f64 = 1e-6;

impl<P: Data> Builder<P> {
    pub(super) fn rolling(&mut self, e: &Entry<'_, RollingSpec>) -> Outcome<()> {
        let spec = e.spec;
        let wheel = self.definite(e, "wheel", &spec.wheel)?;
        if !matches!(wheel, Spot::Solid(..)) {
            return Err(e.problem("wheel", Fault::NeedsSpace { kind: "what rolls".to_owned() }));
        }
        let (plane, normal) = self.plane(e, spec.plane.as_ref(), spec.normal.as_ref())?;
        self.meet(e, wheel, plane)?;
        let radius = self.positive(e, "radius", "a radius", &spec.radius)?;
        let tread = self.not_negative(e, "tread", "the radius of a tread", spec.tread.as_ref())?;
        let (axle, tread) = match &spec.axle {
            Some(axle) => {
                let axle = self.direction(e, "axle", "axle", &axle.components())?;
                if self.sine(wheel, axle, plane, normal) < ALONG {
                    return Err(e.problem("axle", Fault::Rolling(RollingFault::Flat)));
                }
                (axle, Tread::Disc { radius, tread })
            }
            None if spec.tread.is_some() => {
                let kind = "a wheel with `tread`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "axle", kind }));
            }
            None => (unit_z(), Tread::Ball { radius }),
        };
        let profile = spec.profile.as_ref();
        let profile = profile.map(|h| self.scope.function_of("x", h, e.loops()));
        let profile = profile.transpose().map_err(|f| e.problem("profile", f))?;
        if profile.is_none() && spec.ahead.is_some() {
            return Err(
                e.problem("", Fault::KeyNeeded { key: "profile", kind: "a wheel with `ahead`".to_owned() })
            );
        }
        let ahead =
            spec.ahead.as_ref().map(|a| self.direction(e, "ahead", "ahead", &a.components())).transpose()?;
        let ahead = ahead.unwrap_or_else(|| Vector3::new(P::one(), P::zero(), P::zero()));
        let plane = if profile.is_some() {
            let side = cross(&normal, &ahead);
            if dot(&side, &side).value().sqrt() < ALONG {
                return Err(e.problem("ahead", Fault::Rolling(RollingFault::AheadUpright)));
            }
            Grip::towards(plane, normal, ahead)
        } else {
            Grip::along(plane, normal, 2)
        };
        let mut wiring = Wiring::default();
        let wheel = self.frame(&mut wiring, Grip::along(wheel, axle, 2));
        let plane = self.frame(&mut wiring, plane);
        self.add(e, Element::Rolling(Box::new(Rolling { wheel, plane, tread, profile })), wiring, Vec::new());
        Ok(())
    }
    pub(super) fn knife_edge(&mut self, e: &Entry<'_, KnifeEdgeSpec>) -> Outcome<()> {
        let spec = e.spec;
        let edge = self.definite(e, "edge", &spec.edge)?;
        let turns = match edge {
            Spot::Point(i) => self.points[i].fixed,
            Spot::Node(..) => false,
            _ => true,
        };
        if !turns {
            return Err(e.problem("edge", Fault::NoOrientation { key: "edge", thing: self.thing(edge) }));
        }
        let (plane, normal) = self.plane(e, spec.plane.as_ref(), spec.normal.as_ref())?;
        self.meet(e, edge, plane)?;
        let heading = self.direction(e, "heading", "heading", &spec.heading.components())?;
        if self.sine(edge, heading, plane, normal) < ALONG {
            return Err(e.problem("heading", Fault::Rolling(RollingFault::Upright)));
        }
        let mut wiring = Wiring::default();
        let edge = self.frame(&mut wiring, Grip::along(edge, heading, 0));
        let plane = self.frame(&mut wiring, Grip::along(plane, normal, 2));
        self.add(e, Element::KnifeEdge(Box::new(KnifeEdge { edge, plane })), wiring, Vec::new());
        Ok(())
    }
    /// A point of the plane and its normal in the axes of the body there.
    fn plane(
        &self,
        e: &Head,
        plane: Option<&PlaceRef>,
        normal: Option<&Vector>,
    ) -> Outcome<(Spot<P>, Vector3<P>)> {
        let spot = match plane.map(|p| self.spot(e, "plane", p)).transpose()? {
            None | Some(Spot::Somewhere) => Spot::Ground([P::zero(); 3]),
            Some(spot) => spot,
        };
        if matches!(spot, Spot::Point(i) if !self.points[i].fixed) || matches!(spot, Spot::Node(..)) {
            return Err(e.problem("plane", Fault::NoOrientation { key: "plane", thing: self.thing(spot) }));
        }
        let normal = normal.map(|n| self.direction(e, "normal", "normal", &n.components())).transpose()?;
        Ok((spot, normal.unwrap_or_else(unit_z)))
    }
    /// Refuses what touches itself, or nothing that moves.
    fn meet(&self, e: &Head, a: Spot<P>, b: Spot<P>) -> Outcome<()> {
        match (self.block_of(a), self.block_of(b)) {
            (None, None) => Err(e.problem("", Fault::NothingMoves)),
            (a_block, b_block) if a_block == b_block => {
                Err(e.problem("plane", Fault::SameThing { thing: self.thing(a) }))
            }
            _ => Ok(()),
        }
    }
    /// The sine of the angle between directions of two bodies at the start.
    fn sine(&self, a: Spot<P>, of_a: Vector3<P>, b: Spot<P>, of_b: Vector3<P>) -> f64 {
        let (a, b) = (turned(self.start_euler(a), &of_a), turned(self.start_euler(b), &of_b));
        let c = cross(&a, &b);
        dot(&c, &c).value().sqrt()
    }
}

fn unit_z<P: Data>() -> Vector3<P> {
    Vector3::new(P::zero(), P::zero(), P::one())
}
