//! Poles and zeros of one response of a model.

use super::{MINIMAL_TOLERANCE, ModelResponse};
use mb_algebra::{Dense, QuadraticPencil, c64, dense, sparse, to_sparse};
use mb_linear::StateSpace;
use mb_response::{Plant, Response, ResponseError, Zeros};

impl ModelResponse {
    /// Poles, zeros and gain of one entry.
    ///
    /// A model that rolls has free motions with Jordan chains of zeros, which its states have as small numbers of rounding: its poles and
    /// zeros are those of the states that the input reaches and the output sees, and all other eigenvalues are cancelled ones.
    ///
    /// # Errors
    /// Those of [`mb_response::zeros`].
    pub fn zeros(&self, (output, input): (usize, usize)) -> Result<Zeros, ResponseError> {
        let mut found = match self.minimal_entry((output, input)) {
            Some(plant) => {
                let states = Response::new(plant)?;
                let found = mb_response::zeros_of_states(&self.response, (output, input), (&states, (0, 0)))?;
                Zeros { cancelled: self.others(&found.poles), ..found }
            }
            None => mb_response::zeros(&self.response, output, input)?,
        };
        // Each derivative left is a factor s.
        for _ in 0..self.orders[output] {
            let origin = c64::new(0.0, 0.0);
            if let Some(place) = found.poles.iter().position(|p| *p == origin) {
                found.cancelled.push(found.poles.remove(place));
            } else {
                found.zeros.push(origin);
            }
        }
        Ok(found)
    }

    /// The reached and seen states of an entry; none where the equations are of second order or the states cannot be told from rounding.
    fn minimal_entry(&self, (output, input): (usize, usize)) -> Option<Plant> {
        let [a, b, c, d] = self.response.first_order()?;
        let b = Dense::from_fn(a.nrows(), 1, |i, _| b[(i, input)]);
        let [c, d] = [&c, &d].map(|x| dense::select_rows(x, &[output]));
        let d = Dense::from_fn(1, 1, |_, _| d[(0, input)]);
        let all = StateSpace { a, b, c, d, states: Vec::new(), inputs: Vec::new(), outputs: Vec::new() };
        let StateSpace { a, b, c, d, .. } = all.minimal(MINIMAL_TOLERANCE).ok()?;
        Some(first_order(&a, b, c, d))
    }

    /// The eigenvalues of the model but for these.
    fn others(&self, poles: &[c64]) -> Vec<c64> {
        let mut all: Vec<c64> = self.poles.spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect();
        for pole in poles {
            let distance = |k: &usize| (all[*k] - pole).norm();
            if let Some(k) = (0..all.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))) {
                all.swap_remove(k);
            }
        }
        all
    }
}

/// s x - A x = B u, y = C x + D u.
pub(super) fn first_order(a: &Dense, b: Dense, c: Dense, feedthrough: Dense) -> Plant {
    let n = a.nrows();
    let pencil = QuadraticPencil {
        m: sparse::zeros(n, n),
        c: sparse::identity(n),
        k: to_sparse(&dense::scale(-1.0, a)),
        phi_q: sparse::zeros(0, n),
    };
    Plant { feedthrough, ..Plant::displacement(pencil, b, c) }
}
