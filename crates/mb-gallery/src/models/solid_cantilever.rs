//! The cantilever of [`super::BeamCantilever`] as a solid of hexahedra.
//!
//! Paper: [yang2012] Tables 2, 3.
//!
//! [yang2012]: crate::models::BeamCantilever

use mb_model::spec::{SolidElementSpec, SolidMassSpec};
use mb_model::{ModelError, ModelSpec};

/// The cantilever of Yang et al. 2012 as a solid. The default is the mesh whose frequencies come near their model 2:
/// 5 x 5 x 37 elements of displacements alone with lumped mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidCantilever {
    /// Elements along each side of the section.
    pub across: u32,
    /// Elements along the length.
    pub along: u32,
    /// Their kind.
    pub element: SolidElementSpec,
    /// How mass is spread.
    pub mass: SolidMassSpec,
    /// Poisson's ratio.
    pub poissons_ratio: f64,
    /// Dead force along the length, spread over the free end, N.
    pub tension: f64,
}

impl Default for SolidCantilever {
    fn default() -> Self {
        Self {
            across: 5,
            along: 37,
            element: SolidElementSpec::Full,
            mass: SolidMassSpec::Lumped,
            poissons_ratio: 0.0,
            tension: 0.0,
        }
    }
}

impl SolidCantilever {
    /// The model: `models/solid-cantilever.toml` with these data. It has 3 (n + 1)^2 (N + 1) coordinates and
    /// 3 (n + 1)^2 constraint rows.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let mut spec = ModelSpec::from_toml(crate::files::SOLID_CANTILEVER)?;
        for (name, value) in [
            ("n", f64::from(self.across)),
            ("N", f64::from(self.along)),
            ("F", self.tension),
            ("nu", self.poissons_ratio),
        ] {
            spec.set_parameter(name, value)?;
        }
        for solid in &mut spec.solids {
            solid.element = self.element;
            solid.mass = self.mass;
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_said() {
        let model = SolidCantilever { across: 2, along: 3, ..SolidCantilever::default() };
        let model = model.spec().unwrap().build().unwrap();
        assert_eq!((model.nv(), model.nc()), (3 * 9 * 4, 27));
    }
}
