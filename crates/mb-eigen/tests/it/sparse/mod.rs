//! Krylov path against the dense path, theory and closed forms.

pub(crate) mod agreement;
mod bad_input;
mod crowded;
mod descriptor;
mod drivers;
mod edges;
mod everything;
mod growth;
mod invariance;
mod largest;
mod leaving_axis;
mod memory;
mod methods;
mod multiple;
mod proportional;
pub(crate) mod random;
mod scaled_pairs;
mod short;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

/// `copies` chains side by side, each of `masses` of 1 kg on springs of 1 N/m between the ground and the ground: w_j = 4 sin^2(j pi / (2 (masses + 1))),
/// `copies` times each. The damping is what `damping` makes of M and K.
fn chains(
    masses: usize,
    copies: usize,
    damping: impl Fn(&Sparse, &Sparse) -> Sparse,
) -> QuadraticPencil<Sparse> {
    let n = masses * copies;
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i % masses + 1 < masses {
            k.add(i, i + 1, -1.0);
            k.add(i + 1, i, -1.0);
        }
    }
    let (m, k) = (sparse::identity(n), k.to_sparse());
    QuadraticPencil { c: damping(&m, &k), m, k, phi_q: sparse::zeros(0, n) }
}
