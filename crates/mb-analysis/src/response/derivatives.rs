//! Derivatives of outputs in time as outputs themselves.
//!
//! ```text
//! s (Y_q + s Y_v + s^2 Y_a) = s Y_q + s^2 Y_v      where Y_a = 0
//! ```
//!
//! A response with a pole at zero that its derivative does not have, as of a free body, has its value there only in this form: the product
//! of s and H is none.

use mb_algebra::Dense;
use mb_response::Plant;

/// Differentiates outputs as far as they read displacements and velocities alone; by output how many of `times` derivatives are left.
pub(super) fn take(plant: &mut Plant, times: u32) -> Vec<u32> {
    let empty = |a: &Dense, o: usize| (0..a.ncols()).all(|j| a[(o, j)] == 0.0);
    let step = |plant: &mut Plant, o: usize| {
        let whole = empty(&plant.by_a, o) && empty(&plant.by_lambda, o) && empty(&plant.feedthrough, o);
        if whole {
            for j in 0..plant.n() {
                plant.by_a[(o, j)] = plant.by_v[(o, j)];
                plant.by_v[(o, j)] = plant.by_q[(o, j)];
                plant.by_q[(o, j)] = 0.0;
            }
        }
        whole
    };
    (0..plant.outputs())
        .map(|o| {
            let mut left = times;
            while left > 0 && step(plant, o) {
                left -= 1;
            }
            left
        })
        .collect()
}
