//! A rigid body on a spherical joint, and a chain of such bodies.
//!
//! Hanging with principal axes along the ground's, the body swings about x and about y,
//!
//! ```text
//! (Jx + m h^2) angle_x'' + m g h angle_x = 0,   (Jy + m h^2) angle_y'' + m g h angle_y = 0
//! ```
//!
//! and turns freely about the vertical: s = 0 twice.

use super::{Eigenvalue, roots};
use mb_model::{ModelError, ModelSpec};

/// A rigid body hanging on a spherical joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialPendulum {
    /// Mass, kg.
    pub mass: f64,
    /// Depth of the mass centre under the joint, m.
    pub depth: f64,
    /// Principal moments of inertia about the mass centre, kg m^2; z is along the line to the
    /// joint.
    pub inertia: [f64; 3],
    /// Gravity along -z, m/s^2.
    pub gravity: f64,
}

impl Default for SpatialPendulum {
    /// The data of the model file.
    fn default() -> Self {
        Self { mass: 2.0, depth: 0.4, inertia: [0.09, 0.05, 0.06], gravity: 9.81 }
    }
}

impl SpatialPendulum {
    /// The model: `models/spatial-pendulum.toml` with these data.
    ///
    /// # Errors
    /// For data that no body has.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::SPATIAL_PENDULUM;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("m", self.mass),
            ("h", self.depth),
            ("Jx", self.inertia[0]),
            ("Jy", self.inertia[1]),
            ("Jz", self.inertia[2]),
            ("g", self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// The eigenvalues with positive imaginary part: swinging about x, swinging about y.
    pub fn eigenvalues(&self) -> [Eigenvalue; 2] {
        let arm = self.mass * self.depth * self.depth;
        let k = self.mass * self.gravity * self.depth;
        [0, 1].map(|i| roots(self.inertia[i] + arm, 0.0, k)[0])
    }
}

/// A hanging chain of `links` bodies on revolute joints whose axes turn by a quarter from joint to
/// joint: `models/spatial-chain.toml`, with `links` degrees of freedom.
///
/// # Errors
/// None for a positive number of links.
pub fn spatial_chain(links: u32) -> Result<ModelSpec, ModelError> {
    let mut spec = ModelSpec::from_toml(crate::files::SPATIAL_CHAIN)?;
    spec.set_parameter("N", f64::from(links))?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_hangs_together_and_counts() {
        for links in [1, 2, 7] {
            let model = spatial_chain(links).unwrap().build().unwrap();
            let n = links as usize;
            assert_eq!((model.nv(), model.nc()), (6 * n, 5 * n));
            assert!(model.phi(model.initial(), 0.0).iter().all(|x| x.abs() < 1e-15));
        }
    }

    #[test]
    fn default_is_the_file() {
        let text = crate::files::SPATIAL_PENDULUM;
        assert_eq!(SpatialPendulum::default().spec().unwrap(), ModelSpec::from_toml(text).unwrap());
    }
}
