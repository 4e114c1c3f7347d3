//! Constraints of a multibody system: rank, null space, multipliers, assembly
