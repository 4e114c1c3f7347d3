//! The measurements, made with the library.

use super::results::{Counted, Features, Results, Singular};

impl Results {
    /// Measures everything once.
    pub(crate) fn measure() -> Self {
        let why = || "the linearization is not yet connected".to_owned();
        Self {
            linkages: Vec::new(),
            counted: Vec::<Counted>::new(),
            singular: Singular {
                phi: Err(why()),
                rank_lost: Err(why()),
                pairs: [Err(why()), Err(why()), Err(why())],
                angle_alone_accepted: Err(why()),
                velocities: Err(why()),
            },
            features: Features { explicit_run: [Err(why()), Err(why()), Err(why())], density: Err(why()) },
        }
    }
}
