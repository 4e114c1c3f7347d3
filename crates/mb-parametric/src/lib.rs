//! Eigenpairs as polynomials of configuration and parameters
