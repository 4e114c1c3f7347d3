//! Equilibrium and linearization of constrained multibody systems in three families
