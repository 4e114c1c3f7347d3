//! Eigenvalues of constrained second-order systems: classed, counted, with their errors
