//! Joints in space: any of the six relative motions of two frames locked.
//!
//! ```text
//! d = r_a - r_b
//! translations   all three locked: d in ground axes; else  axis_b . d
//! rotations      x, y, z locked:   2 (e1, e2, e3) of conj(p_b) p_a
//!                two locked, k free: k_a against the two others of b
//!                k alone locked:   i_a . j_b  for (i, j, k) cyclic
//! ```
//!
//! All are made of normalised Euler parameters, smooth, and have derivatives of length one
//! along their own axis where they vanish: the Jacobian of any mask has full rank in every
//! assembled configuration. Spurious solutions: with two rotations locked, opposite axes k.

use super::rotation::dot;
use super::{Data, ElementLaw, JointFrame, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Lift;

/// Which of the six relative motions of two frames are locked: x, y, z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locked {
    /// Displacements along the axes of frame b.
    pub translation: [bool; 3],
    /// Rotations about the axes.
    pub rotation: [bool; 3],
}

impl Locked {
    /// No displacement; every rotation.
    pub const SPHERICAL: Self = Self { translation: [true; 3], rotation: [false; 3] };
    /// No displacement; rotation about z.
    pub const REVOLUTE: Self = Self { translation: [true; 3], rotation: [true, true, false] };
    /// No displacement; rotations about x of a and y of b.
    pub const UNIVERSAL: Self = Self { translation: [true; 3], rotation: [false, false, true] };
    /// Displacement along z; no rotation.
    pub const PRISMATIC: Self = Self { translation: [true, true, false], rotation: [true; 3] };
    /// Displacement along z and rotation about it.
    pub const CYLINDRICAL: Self = Self { translation: [true, true, false], rotation: [true, true, false] };
    /// Displacements along x and y, rotation about z.
    pub const PLANAR: Self = Self { translation: [false, false, true], rotation: [true, true, false] };
    /// Displacement along z; every rotation.
    pub const ON_LINE: Self = Self { translation: [true, true, false], rotation: [false; 3] };
    /// Nothing moves.
    pub const FIXED: Self = Self { translation: [true; 3], rotation: [true; 3] };

    /// Number of locked motions.
    pub fn count(&self) -> usize {
        self.translation.iter().chain(&self.rotation).filter(|x| **x).count()
    }
    /// The names of the locked motions, in order of their rows.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        const NAMES: [&str; 6] = ["x", "y", "z", "rotation x", "rotation y", "rotation z"];
        let locked = self.translation.into_iter().chain(self.rotation);
        NAMES.into_iter().zip(locked).filter(|(_, locked)| *locked).map(|(name, _)| name)
    }
}

/// A joint between two frames with some of their relative motions locked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint<P = f64> {
    /// The frame that moves.
    pub a: JointFrame<P>,
    /// The frame its motion is seen from.
    pub b: JointFrame<P>,
    /// What is locked.
    pub locked: Locked,
}

impl<P: Data> Joint<P> {
    /// True when no displacement is left free: its rows then lie along the axes of the ground.
    fn locks_all_translations(&self) -> bool {
        self.locked.translation == [true; 3]
    }
    /// What row `i` holds, in words: rotations are about the joint's own axes, and displacements along them where some are free, which
    /// may be those of the ground.
    pub(super) fn row_words(&self, i: usize) -> String {
        let axis = self.row_axis(i);
        let of_ground = self.b.attitude.is_ground() && self.b.is_aligned();
        match axis.strip_prefix("rotation ") {
            Some(about) => format!("rotation about its {about}"),
            None if self.locks_all_translations() || of_ground => axis,
            None => format!("along its {axis}"),
        }
    }
    /// Whether a joint that turns about one axis has it opposite in both frames: its rows are met there as well, but no motion leads there.
    pub(crate) fn is_turned_over(&self, q: &[P]) -> bool {
        let locked = self.locked.rotation;
        let free = locked.iter().position(|x| !*x).filter(|_| locked.iter().filter(|x| **x).count() == 2);
        free.is_some_and(|k| dot(&self.a.axis(q, k), &self.b.axis(q, k)).value() < 0.0)
    }
    fn translations<S: Lift<P>>(&self, q: &[S], out: &mut [S]) {
        let d = self.a.place.position(q) - self.b.place.position(q);
        let all = self.locks_all_translations();
        for (k, out) in (0..3).filter(|k| self.locked.translation[*k]).zip(out) {
            *out = if all { d[k] } else { dot(&self.b.axis(q, k), &d) };
        }
    }
    fn rotations<S: Lift<P>>(&self, q: &[S], out: &mut [S]) {
        let locked = self.locked.rotation;
        match (locked.iter().filter(|x| **x).count(), out) {
            (3, out @ [_, _, _]) => {
                let e = self.a.relative_to(&self.b, q);
                for (out, e) in out.iter_mut().zip(&e[1..]) {
                    *out = S::cst(2.0) * *e;
                }
            }
            (2, [first, second]) => {
                // (i, j, k) cyclic: turning a by a small angle about i moves k_a along -j,
                // about j along i.
                let k = locked.iter().position(|x| !*x).unwrap_or(2);
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let axis = self.a.axis(q, k);
                let about_i = -dot(&axis, &self.b.axis(q, j));
                let about_j = dot(&axis, &self.b.axis(q, i));
                (*first, *second) = if i < j { (about_i, about_j) } else { (about_j, about_i) };
            }
            (1, [only]) => {
                let k = locked.iter().position(|x| *x).unwrap_or(2);
                *only = dot(&self.a.axis(q, (k + 1) % 3), &self.b.axis(q, (k + 2) % 3));
            }
            _ => {}
        }
    }
}

impl<P: Data> ElementLaw<P> for Joint<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let stroke = match self.locked {
            Locked::FIXED => Stroke::Clamp,
            Locked { translation: [true, true, true], .. } => Stroke::Pin,
            _ => Stroke::Slider,
        };
        Some((stroke, vec![self.a.place, self.b.place]))
    }
    fn rows(&self) -> usize {
        self.locked.count()
    }
    fn row_axis(&self, i: usize) -> String {
        self.locked.names().nth(i).unwrap_or_default().to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let split = self.locked.translation.iter().filter(|x| **x).count();
        let (translations, rotations) = out.split_at_mut(split);
        if split > 0 {
            self.translations(at.q, translations);
        }
        self.rotations(at.q, rotations);
    }
}
