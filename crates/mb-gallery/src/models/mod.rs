//! Models whose answers are known in closed form.
//!
//! Each is a [`mb_model::ModelSpec`] and the formulas of its answers, derived by hand from
//! energies and not from the model, so that the two are independent routes to one result.
//!
//! ```
//! use mb_gallery::models::FourBar;
//!
//! let linkage = FourBar { loops: 5, ..FourBar::default() };
//! let model = linkage.spec()?.build()?;
//! assert_eq!((model.nv(), model.nc()), (13, 12));
//!
//! // The one eigenvalue pair of the linkage, from its energy alone.
//! let phi = linkage.equilibrium().ok_or("no equilibrium")?;
//! let [s, _] = linkage.eigenvalues(phi);
//! assert!(s.re == 0.0 && s.im > 1.5 && s.im < 1.6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beam_cantilever;
mod beam_continuum;
mod beam_four_bar;
mod beam_frame;
mod double_pendulum;
mod erls;
mod flexible_double_pendulum;
mod four_bar;
mod pendulum_motion;
mod published;
mod rod_pendulum;
mod solid_cantilever;
mod spatial_four_bar;
mod spatial_pendulum;
mod top;

pub use beam_cantilever::BeamCantilever;
pub use beam_continuum::{BeamContinuum, BeamSegment};
pub use beam_four_bar::BeamFourBar;
pub use beam_frame::BeamFrame;
pub use double_pendulum::DoublePendulum;
pub use erls::{ErlsArm, ErlsLink};
pub use flexible_double_pendulum::FlexibleDoublePendulum;
pub use four_bar::{FourBar, singular_four_bar};
pub use pendulum_motion::PendulumMotion;
pub use published::{
    SimplePendulum, TurningFourBar, andrews_squeezer, bricard, bricard_vertices, flexible_slider_crank,
    flyball_governor, heavy_top, spatial_slider_crank,
};
pub use rod_pendulum::RodPendulum;
pub use solid_cantilever::SolidCantilever;
pub use spatial_four_bar::{SpatialFourBar, Tips};
pub use spatial_pendulum::{SpatialPendulum, spatial_chain};
pub use top::Top;

use mb_model::{ModelError, ModelSpec};

/// An eigenvalue s in rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigenvalue {
    /// Real part, 1/s.
    pub re: f64,
    /// Imaginary part, rad/s.
    pub im: f64,
}

/// The root between two arguments at which a function has different signs.
fn bisect(f: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let below = f(low);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) * below > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The two eigenvalues of m s^2 + c s + k = 0 with m > 0: a conjugate pair, the one with the positive
/// imaginary part first, or two real eigenvalues, the larger first.
///
/// The real eigenvalues are found without cancellation: the one of larger size first, the other
/// from their product.
pub fn roots(m: f64, c: f64, k: f64) -> [Eigenvalue; 2] {
    let half = -c / (2.0 * m);
    let discriminant = half * half - k / m;
    if discriminant < 0.0 {
        let im = (-discriminant).sqrt();
        return [Eigenvalue { re: half, im }, Eigenvalue { re: half, im: -im }];
    }
    let real = |re| Eigenvalue { re, im: 0.0 };
    let large = half + discriminant.sqrt().copysign(half);
    let small = if large == 0.0 { 0.0 } else { k / m / large };
    [real(large.max(small)), real(large.min(small))]
}

/// A rigid body in the plane that nothing holds: six eigenvalues s = 0, its rigid motions.
pub fn free_body() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::FREE_BODY)
}

/// A four-bar linkage without gravity and springs: one motion, with s = 0 twice.
pub fn zero_mode_linkage() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::MECHANISM_ZERO_MODE)
}

/// a^T A b for a matrix in triplets.
#[cfg(test)]
fn form<'a>(a: &[f64], matrix: impl Iterator<Item = (usize, usize, &'a f64)>, b: &[f64]) -> f64 {
    matrix.map(|(i, j, x)| a[i] * x * b[j]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_satisfy_their_equation() {
        for (m, c, k) in
            [(2.0, 0.3, 5.0), (1.0, 0.0, -4.0), (1.0, 1e8, 1.0), (1.0, -3.0, 2.0), (1.0, 0.0, 0.0)]
        {
            let roots = roots(m, c, k);
            for s in roots {
                let (re, im) = (s.re * s.re - s.im * s.im, 2.0 * s.re * s.im);
                let size = m * (s.re * s.re + s.im * s.im) + c.abs() * s.re.hypot(s.im) + k.abs();
                assert!((m * re + c * s.re + k).abs() <= 1e-15 * size, "{s:?}");
                assert!((m * im + c * s.im).abs() <= 1e-15 * size, "{s:?}");
            }
            assert!(roots[0].re >= roots[1].re && roots[0].im >= roots[1].im);
        }
    }
}
