//! Variances against closed forms.

use mb_algebra::{c64, dense};
use mb_response::{ResponseError, mean_square, white_noise};

/// m x'' + c x' + k x = w with E w(t) w(t') = S delta: E x^2 = S / (2 c k), E x'^2 = S / (2 c m).
#[test]
fn white_noise_on_an_oscillator() {
    let (m, c, k, s) = (2.0, 0.3, 50.0, 7.0);
    let a = dense::from_rows(&[&[0.0, 1.0], &[-k / m, -c / m]]);
    let b = dense::from_rows(&[&[0.0], &[1.0 / m]]);
    let found = white_noise(&a, &b, &dense::identity(2), &dense::from_rows(&[&[s]])).unwrap();
    for (found, exact) in found.iter().zip([s / (2.0 * c * k), s / (2.0 * c * m)]) {
        let error = (found.value - exact).abs();
        assert!(error <= found.bound && found.bound < 1e-11 * exact, "{found:?} {exact}");
    }
    // Rates in units of thousands and displacements of millionths: bounds do not take the unit of the one for the other.
    let (m, k, s) = (1e-4, 1e5, 0.7);
    let c = 0.06 * f64::sqrt(m * k);
    let stiff = dense::from_rows(&[&[0.0, 1.0], &[-k / m, -c / m]]);
    let b = dense::from_rows(&[&[0.0], &[1.0 / m]]);
    let found = white_noise(&stiff, &b, &dense::identity(2), &dense::from_rows(&[&[s]])).unwrap();
    for (found, exact) in found.iter().zip([s / (2.0 * c * k), s / (2.0 * c * m)]) {
        let error = (found.value - exact).abs();
        assert!(error <= found.bound && found.bound < 1e-8 * exact, "{found:?} {exact}");
    }
    let grows = dense::from_rows(&[&[0.0, 1.0], &[-k / m, c / m]]);
    let found = white_noise(&grows, &b, &dense::identity(2), &dense::from_rows(&[&[s]]));
    assert!(matches!(found, Err(ResponseError::Unstable { real }) if real > 0.0), "{found:?}");
}

/// The same by integration over the frequency; one-sided density per Hz 2 S, since S is two-sided.
#[test]
fn an_integral_over_a_wide_band_comes_to_the_same() {
    let (m, c, k, s) = (2.0, 0.3, 50.0, 7.0);
    let mut density = |f: f64| {
        let w = f * std::f64::consts::TAU;
        let h = c64::new(k - m * w * w, c * w).inv();
        Ok((h.norm_sqr() * 2.0 * s, 0.0))
    };
    let peak = (k / m).sqrt() / std::f64::consts::TAU;
    let found = mean_square(&mut density, [0.0, 1e4], &[peak, 2.0 * peak, 30.0], 1e-9).unwrap();
    // What lies beyond the band: integral of 2 S / (m w^2)^2 df.
    let beyond = 2.0 * s / (m * m * std::f64::consts::TAU.powi(4) * 3.0 * 1e12);
    let exact = s / (2.0 * c * k) - beyond;
    assert!((found.value - exact).abs() <= found.error + 1e-12 * exact, "{found:?} {exact}");
    assert!(found.evaluations < 5000, "{found:?}");
}
