//! Variances against closed forms.

use mb_algebra::{c64, dense};
use mb_response::{ResponseError, mean_squares, white_noise};

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
        Ok(vec![(h.norm_sqr() * 2.0 * s, 0.0)])
    };
    let pole = c64::new(-0.5 * c / m, (k / m - 0.25 * c * c / (m * m)).sqrt());
    let [found] = mean_squares(&mut density, [0.0, 1e4], &[30.0], &[pole], 1e-9, &names(1)).unwrap()[..]
    else {
        panic!("one output");
    };
    // What lies beyond the band: integral of 2 S / (m w^2)^2 df.
    let beyond = 2.0 * s / (m * m * std::f64::consts::TAU.powi(4) * 3.0 * 1e12);
    let exact = s / (2.0 * c * k) - beyond;
    assert!((found.value - exact).abs() <= found.error + 1e-12 * exact, "{found:?} {exact}");
    assert!(found.evaluations < 5000, "{found:?}");
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|k| format!("y{k}")).collect()
}

/// H = sum r_k / (s - p_k) + its conjugate: with F(s) = sum_jk r_j conj(r_k) / (p_j + conj(p_k)) (log(-s - conj(p_k)) - log(s - p_j)) over all
/// poles the integral of |H|^2 is that of its partial fractions.
#[test]
fn resonances_of_any_damping_and_size_are_in_the_integral() {
    let tau = std::f64::consts::TAU;
    for (zeta, small) in [(1e-7, 1e-3), (1e-5, 1e-2), (1e-8, 1e-4), (0.1, 1.0), (0.01, 1e-4)] {
        // One large resonance and smaller ones, as far as three decades apart and two in a pair.
        let list = [(1.0, small), (23.0, 1.0), (23.0 * (1.0 + 5.0 * zeta), small), (700.0, small)];
        let upper = list.map(|(f, r)| {
            let p = c64::new(-zeta, (1.0 - zeta * zeta).sqrt()) * (f * tau);
            (p, c64::new(0.0, -r * f * zeta))
        });
        let all: Vec<(c64, c64)> = upper.iter().flat_map(|(p, r)| [(*p, *r), (p.conj(), r.conj())]).collect();
        let h = |s: c64| all.iter().map(|(p, r)| r / (s - p)).sum::<c64>();
        let mut densities = |f: f64| {
            let size = h(c64::new(0.0, f * tau)).norm_sqr();
            // The second output is rounding within its bound.
            let noise = 1e-20 * (f * 1e9).sin().abs();
            Ok(vec![(size, 0.0), (noise, 2e-20)])
        };
        let band = [0.3, 800.0];
        let poles: Vec<c64> = all.iter().map(|(p, _)| *p).collect();
        let found = mean_squares(&mut densities, band, &[], &poles, 1e-9, &names(2)).unwrap();
        let ends = band.map(|f| c64::new(0.0, f * tau));
        let mut exact = c64::new(0.0, 0.0);
        for (p, r) in &all {
            for (q, t) in &all {
                let of = |s: c64| (s - p).ln() - (-s - q.conj()).ln();
                exact -= r * t.conj() / (p + q.conj()) * (of(ends[1]) - of(ends[0]));
            }
        }
        let exact = (exact / c64::new(0.0, tau)).re;
        let error = (found[0].value - exact).abs();
        // The closed form loses digits where conjugates cancel; the poles' own rounding is eps / zeta of a resonance.
        let digits = 1e-13 + 4.0 * f64::EPSILON / zeta;
        assert!(error <= found[0].error + digits * exact, "{zeta}: {found:?} {exact} {error:e}");
        assert!(found[0].error < 2e-9 * exact && found[0].evaluations < 6000, "{zeta}: {found:?}");
        assert!(found[1].value <= found[1].error, "{found:?}");
    }
}
