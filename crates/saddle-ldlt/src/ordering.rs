//! Elimination orders of the quotient graph: minimum degree for chains and trees, nested dissection for solids.
//!
//! Minimum degree is tried first; it costs little and is optimal on trees (Amestoy, Davis and Duff, SIAM J.
//! Matrix Anal. Appl. 17, 1996). When it predicts so much work that a nested dissection would pay for itself,
//! that is tried too, and the order of less work taken.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::graph::Quotient;
use super::pattern::Csr;
use super::sequence::Sequence;
use super::symbolic::Symbolic;
use super::{OrderingChoice, SaddleError};

/// Operations that take as long as nested dissection of one edge of the graph, roughly.
const FLOPS_PER_EDGE: f64 = 2e4;

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
        let found = analyse(&minimum_degree(&graph)?);
        let pays = found.flops > FLOPS_PER_EDGE * graph.entries() as f64;
        if choice == OrderingChoice::MinimumDegree || !pays {
            return Ok((found, false));
        }
        Some(found)
    };
    let dissected = nested_dissection(&graph).map(|order| analyse(&order));
    match (dissected, least) {
        (Some(new), Some(old)) => Ok(if new.flops <= old.flops { (new, true) } else { (old, false) }),
        (Some(new), None) => Ok((new, true)),
        (None, Some(old)) => Ok((old, false)),
        (None, None) => Ok((analyse(&minimum_degree(&graph)?), false)),
    }
}

fn minimum_degree(graph: &Csr) -> Result<Vec<u32>, SaddleError> {
    let count = graph.len();
    let (start, index) = graph.parts();
    let too_many = || SaddleError::TooManyEntries { entries: index.len() };
    let start: Vec<u32> =
        start.iter().map(|&x| u32::try_from(x)).collect::<Result<_, _>>().map_err(|_| too_many())?;
    let pattern = SymbolicSparseColMatRef::<u32>::new_unsorted_checked(count, count, &start, None, index);
    let (mut order, mut place) = (vec![0_u32; count], vec![0_u32; count]);
    let mut buffer = MemBuffer::try_new(amd::order_maybe_unsorted_scratch::<u32>(count, index.len()))
        .map_err(|_| too_many())?;
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
