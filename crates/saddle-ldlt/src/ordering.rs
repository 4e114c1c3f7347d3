//! Elimination orders of the quotient graph: minimum degree for chains and trees, nested dissection for solids.
//!
//! Minimum degree is tried first; it costs little and is optimal on trees (Amestoy, Davis and Duff, SIAM J.
//! Matrix Anal. Appl. 17, 1996). When it predicts so much work that a nested dissection would pay for itself,
//! that is tried too, and the order of less work taken.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use mb_algebra::{interrupt, memory};

use super::graph::Quotient;
use super::pattern::Csr;
use super::sequence::Sequence;
use super::symbolic::Symbolic;
use super::{OrderingChoice, SaddleError};

/// Operations that take as long as nested dissection of one edge of the graph, and as minimum degree takes for it, roughly.
const FLOPS_PER_EDGE: f64 = 2e4;
const FLOPS_PER_EDGE_OF_DEGREES: f64 = 2e3;

/// The structure of the factors for the order chosen, and whether it is nested dissection.
pub(super) fn order(
    quotient: &Quotient,
    augmented: &[bool],
    choice: OrderingChoice,
) -> Result<(Symbolic, bool), SaddleError> {
    let graph = quotient.ordering_neighbours(augmented);
    let analyse = |order: &[u32]| Symbolic::new(&Sequence::new(quotient, order));
    let least = if choice == OrderingChoice::NestedDissection {
        None
    } else {
        let order = aside(FLOPS_PER_EDGE_OF_DEGREES, &graph, minimum_degree);
        let found = analyse(&order?);
        let pays = found.flops > FLOPS_PER_EDGE * graph.entries() as f64;
        if choice == OrderingChoice::MinimumDegree || !pays {
            return Ok((found, false));
        }
        Some(found)
    };
    let dissected = aside(FLOPS_PER_EDGE, &graph, nested_dissection).map(|order| analyse(&order));
    match (dissected, least) {
        (Some(new), Some(old)) => Ok(if new.flops <= old.flops { (new, true) } else { (old, false) }),
        (Some(new), None) => Ok((new, true)),
        (None, Some(old)) => Ok((old, false)),
        (None, None) => Ok((analyse(&minimum_degree(&graph)?), false)),
    }
}

/// An order by another library, which has no place to look for an interrupt: where it takes long, beside the thread that does.
fn aside<T: Send + 'static>(
    flops_per_edge: f64,
    graph: &Csr,
    order: impl FnOnce(&Csr) -> T + Send + 'static,
) -> T {
    let operations = flops_per_edge * graph.entries() as f64;
    if !interrupt::is_long(operations) {
        return order(graph);
    }
    let graph = graph.clone();
    interrupt::aside(operations, move || order(&graph))
}

fn minimum_degree(graph: &Csr) -> Result<Vec<u32>, SaddleError> {
    let count = graph.len();
    let (start, index) = graph.parts();
    let too_many = || SaddleError::TooManyEntries { entries: index.len() };
    let start: Vec<u32> =
        start.iter().map(|&x| u32::try_from(x)).collect::<Result<_, _>>().map_err(|_| too_many())?;
    let pattern = SymbolicSparseColMatRef::<u32>::new_unsorted_checked(count, count, &start, None, index);
    let (mut order, mut place) = (vec![0_u32; count], vec![0_u32; count]);
    let scratch = amd::order_maybe_unsorted_scratch::<u32>(count, index.len());
    let mut buffer = memory::ask(|| MemBuffer::try_new(scratch)).map_err(|_| too_many())?;
    let control = amd::Control::default();
    amd::order_maybe_unsorted(&mut order, &mut place, pattern, control, MemStack::new(&mut buffer))
        .map_err(|_| too_many())?;
    Ok(order)
}

#[cfg(feature = "metis")]
use super::metis::nested_dissection;

/// The pure-Rust nested dissection: about a quarter more work in the factorization of solids.
#[cfg(not(feature = "metis"))]
fn nested_dissection(graph: &Csr) -> Option<Vec<u32>> {
    let (start, index) = graph.parts();
    let mut index: Vec<i32> = index.iter().map(|&x| i32::try_from(x).ok()).collect::<Option<_>>()?;
    for list in start.windows(2) {
        index[list[0]..list[1]].sort_unstable();
    }
    let start: Vec<i32> = start.iter().map(|&x| i32::try_from(x).ok()).collect::<Option<_>>()?;
    let pattern = feral_metis::CscPattern::new(graph.len(), &start, &index)?;
    let order = feral_metis::metis_order(&pattern).ok()?;
    order.into_iter().map(|v| u32::try_from(v).ok()).collect()
}

#[cfg(test)]
mod tests {
    use mb_algebra::interrupt::{Stopped, Watch};
    use mb_algebra::{Sparse, sparse};

    use super::*;
    use crate::{SaddleAnalysis, SaddleOptions};

    /// The pattern of a cube of n^3 nodes, each coupled to the 26 around it.
    fn cube(n: usize) -> Sparse {
        let near = |i: usize| i.saturating_sub(1)..(i + 2).min(n);
        let at = |i: usize, j: usize, k: usize| (i * n + j) * n + k;
        let mut entries = sprs::TriMat::new((n * n * n, n * n * n));
        for (i, j, k) in (0..n * n * n).map(|v| (v / (n * n), v / n % n, v % n)) {
            for (a, b) in near(i).flat_map(|a| near(j).map(move |b| (a, b))) {
                near(k).for_each(|c| entries.add_triplet(at(i, j, k), at(a, b, c), 1.0));
            }
        }
        entries.to_csc()
    }

    /// The analysis looks once when it begins, and once more in the order of a solid.
    #[test]
    fn orders_of_solids_are_looked_into_and_those_of_chains_are_not() {
        let analysed = |a: &Sparse, choice| {
            let options = SaddleOptions { ordering: choice, ..SaddleOptions::default() };
            let found = SaddleAnalysis::new(a, &sparse::zeros(0, a.cols()), &options);
            found.map(|found| found.symbolic.order).unwrap()
        };
        let (solid, chain) = (cube(14), sparse::identity(1000));
        for choice in [OrderingChoice::MinimumDegree, OrderingChoice::NestedDissection] {
            let ended = |a: &Sparse| Watch::after(1).scope(|| analysed(a, choice)).map(|order| order.len());
            assert_eq!((ended(&solid), ended(&chain)), (Err(Stopped::Asked), Ok(1000)));
            // The order is the same wherever it is made.
            assert_eq!(Watch::new().scope(|| analysed(&solid, choice)), Ok(analysed(&solid, choice)));
        }
    }
}
