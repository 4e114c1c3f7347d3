//! A mass at a node of a link.
//!
//! ```text
//! f = m (u'' + S q'' + S' q' + alpha u' - g),   rows of the node: f,   rows of the angles: S^T f
//! ```
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use super::super::{Data, Local};
use super::ErlsPlace;
use mb_scalar::Lift;

/// A mass at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsPayload<P = f64> {
    /// Where it is.
    pub place: ErlsPlace<P>,
    /// Mass, kg.
    pub mass: P,
    /// Damping of the elastic velocity by the mass, 1/s, as that of the links.
    pub alpha: P,
}

impl<P: Data> ErlsPayload<P> {
    /// Adds M a - f.
    pub(super) fn forces<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (s, mass, alpha) = (S::lift(self.place.station), S::lift(self.mass), S::lift(self.alpha));
        let rigid = self.place.chain.acceleration(at, s);
        let mut f = [S::zero(); 3];
        for i in 0..2 {
            let (mut own, mut rate) = (S::zero(), S::zero());
            if let Some(node) = self.place.displacement {
                (own, rate) = (at.a[node + i], at.v[node + i]);
            }
            f[i] = mass * (own + rigid[i] + alpha * rate - at.gravity[i]);
            if let Some(node) = self.place.displacement {
                out[node + i] += f[i];
            }
        }
        self.place.chain.push(at.q, s, f, out);
    }
}
