//! One case of a sweep in periodic motion: its Floquet exponents in place of modes.
//!
//! ```text
//! s = ln(mu) / T,   |Im s| <= pi / T          a disturbance grows where |mu| > 1 by more than the error of mu
//! ```
//!
//! Nayfeh, Mook, Nonlinear Oscillations, section 5.2. Every case starts from the values asked for, so that cases do not depend on their
//! order. The error of an exponent is that of its multiplier over |mu| T.

use super::case::{Case, CaseMode, Verdict};
use crate::periodic::{OrbitError, OrbitSearch, periodic_motion};
use mb_algebra::sorted::ascending;
use mb_model::Model;
use mb_model::spec::ModelSpec;
use mb_periodic::{Class, Floquet, Multiplier, Stability};

/// Finds the periodic motion of one case; `count` of its exponents, those of smallest |s|, are kept.
///
/// # Errors
/// [`OrbitError`]: the start cannot be assembled, or no periodic motion is near.
pub fn solve_periodic(
    spec: &ModelSpec,
    model: &Model,
    search: &OrbitSearch,
    count: usize,
) -> Result<Case, OrbitError> {
    let (_, floquet) = periodic_motion(spec, model, search, &mut |_| {})?;
    Ok(case(&floquet, count))
}

fn case(floquet: &Floquet, count: usize) -> Case {
    let mode = |m: &Multiplier| {
        let s = m.exponent.filter(|s| s.im >= 0.0)?;
        Some(CaseMode {
            re: s.re,
            im: s.im,
            error: m.exponent_error(floquet.period),
            rigid: matches!(m.class, Class::Trivial | Class::Ignorable),
        })
    };
    let mut modes: Vec<CaseMode> = floquet.multipliers.iter().filter_map(mode).collect();
    ascending(&mut modes, CaseMode::natural_frequency_hz);
    let rightmost = modes.iter().filter(|m| !m.rigid).copied().max_by(|a, b| a.re.total_cmp(&b.re));
    let verdict = match floquet.stability {
        Stability::Stable => Verdict::Stable,
        Stability::Unstable => Verdict::Unstable,
        Stability::Undecided | Stability::Unresolved => Verdict::Marginal,
    };
    modes.truncate(count);
    // All multipliers are computed but those of vibrations that the steps do not resolve.
    let all = !floquet.multipliers.iter().any(|m| m.class == Class::Unresolved);
    Case { modes, rightmost, verdict, complete: all, whole: all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Design, Range, boundaries};
    use mb_model::spec::Value;

    /// A pendulum that hangs from a pivot shaken by Y cos(W t): J theta'' + m l (g - Y W^2 cos(W t)) theta = 0 with m l = 0.5 and J = 0.35 is
    /// Mathieu's equation x'' + (a - 2 q cos 2 tau) x = 0 in tau = W t / 2, a = 4 m l g / (J W^2), q = 2 m l Y / J.
    const SHAKEN: &str = r#"
        units = "SI"
        name = "Mathieu"
        gravity = [0, -9.81]
        parameters = { a = 1, q = 0.1, W = "sqrt(4*0.5*9.81/(0.35*a))", Y = "0.35*q" }
        body = [
            { name = "pivot", mass = 1, inertia = 1, at = [0, "Y"], angle = 0 },
            { name = "rod", mass = 1, inertia = 0.1, center_of_mass = [0, -0.5], at = [0, "Y"], angle = 0 }]
        joint = [
            { name = "rail", type = "prismatic", a = "pivot", b = [0, 0], axis = [0, 1] },
            { name = "pin", type = "revolute", a = "rod", b = "pivot" }]
        drive = [{ name = "shake", quantity = "y", of = "pivot", law = "Y*cos(W*t)" }]
    "#;

    /// Edges of the first range of growth at small q, Abramowitz and Stegun, Handbook of Mathematical Functions, 20.2.25:
    /// a = 1 -+ q - q^2 / 8 +- q^3 / 64 - q^4 / 1536 -+ 11 q^5 / 36864.
    fn edge(q: f64, sign: f64) -> f64 {
        let sum = sign * q - q * q / 8.0 - sign * q.powi(3) / 64.0 - q.powi(4) / 1536.0;
        1.0 + sum + sign * 11.0 * q.powi(5) / 36864.0
    }

    #[test]
    fn boundaries_of_mathieus_chart_are_those_of_its_series() {
        let spec = ModelSpec::from_toml(SHAKEN).unwrap();
        let ranges = [("q", 0.05, 0.1), ("a", 0.8, 1.2)];
        let counts = [2, 4];
        let ranges: Vec<Range> = ranges
            .iter()
            .zip(counts)
            .map(|(&(name, from, to), count)| Range { name: name.to_owned(), from, to, count })
            .collect();
        let design = Design::grid(&ranges).unwrap();
        let search = OrbitSearch { period: Some("2*pi/W".to_owned()), ..OrbitSearch::default() };
        let solve = |values: &[f64]| {
            let mut spec = spec.clone();
            for (name, value) in design.names.iter().zip(values) {
                spec.set_parameter(name, Value::Number(*value)).unwrap();
            }
            solve_periodic(&spec, &spec.build().unwrap(), &search, 4)
        };
        let cases: Vec<Option<Case>> = design.points.iter().map(|p| Some(solve(p).unwrap())).collect();
        // a = 0.8 and 1.2 are outside of the range, 0.93 and 1.07 inside at q = 0.1 and outside at 0.05.
        let unstable: Vec<bool> =
            cases.iter().flatten().map(|case| case.verdict == Verdict::Unstable).collect();
        assert_eq!(unstable, [false, false, false, false, false, true, true, false]);
        let found = boundaries(&design, &cases, solve);
        assert_eq!(found.crossings.len(), 4);
        for crossing in &found.crossings {
            let [q, a] = crossing.at[..] else { unreachable!() };
            let off = (a - edge(q, 1.0)).abs().min((a - edge(q, -1.0)).abs());
            // Along q the crossing lies where a = 1 -+ q.
            assert!(off < 1e-8, "{crossing:?}: {off:e}");
            // The multiplier is -1: half of the shaking's frequency.
            let half = (4.0 * 0.5 * 9.81 / (0.35 * a)).sqrt() / (2.0 * std::f64::consts::TAU);
            assert!((crossing.frequency_hz - half).abs() < 1e-6 * half, "{crossing:?}");
        }
    }
}
