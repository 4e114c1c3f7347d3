//! State space of models with velocity rows: independent coordinates and speeds.

use super::rolling::{published, start, with};
use mb_algebra::c64;
use mb_gallery::files;
use mb_linear::{Instant, LinearError, descriptor, descriptor_of_instant, linearize, linearize_instant};

/// The bicycle with a torque on the handlebar, and what is seen of it.
fn steered() -> String {
    let output = |name: &str, of: &str| format!("[[output]]\nname = \"{name}\"\n{of}\n");
    let angle = |n: u8| format!("quantity = \"angle\"\nof = \"steering\"\nderivative = {n}");
    let friction = "quantity = \"multiplier\"\nof = \"front-contact\"\naxis = \"no slip across\"";
    format!(
        "{}\n[[torque]]\nname = \"hands\"\non = \"steering\"\ninput = \"hands\"\n{}{}{}{}",
        files::BICYCLE,
        output("steer", &angle(0)),
        output("rate", &angle(1)),
        output("acceleration", &angle(2)),
        output("friction", friction)
    )
}

/// From the torque of the hands to the steer angle and its rates as the published equations have them, and to the friction at the front
/// wheel the same in descriptor form; ten states with names, as many as there are eigenvalues.
#[test]
fn a_bicycle_answers_its_handlebar_as_published() {
    let [mass, damping, stiff, stiffer] = published();
    for v in [3.0_f64, 5.0, 8.0] {
        let m = with(&steered(), &[("v", v)]);
        let at = start(&m).unwrap();
        let whole = descriptor(&m, &at, &linearize(&m, &at)).unwrap();
        let reduced = whole.to_state_space().unwrap();
        assert_eq!(reduced.order(), 10, "{:?}", reduced.states);
        let speeds = reduced.states.iter().filter(|name| name.starts_with("d(")).count();
        assert_eq!((speeds, reduced.states.len()), (3, 10), "{:?}", reduced.states);
        for s in [c64::new(0.5, 3.0), c64::new(2.0, -11.0), c64::new(0.1, 40.0)] {
            let entry = |i: usize, j: usize| {
                s * s * mass[i][j] + s * v * damping[i][j] + 9.81 * stiff[i][j] + v * v * stiffer[i][j]
            };
            let steer = entry(0, 0) / (entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0));
            let found = reduced.transfer(s).unwrap();
            for (row, expected) in [steer, s * steer, s * s * steer].into_iter().enumerate() {
                let off = (found[(row, 0)] - expected).norm() / expected.norm();
                assert!(off < 1e-10, "v = {v}, s = {s}, output {row}: off by {off:e}");
            }
            let other = whole.transfer(s).unwrap();
            for row in 0..4 {
                let off = (found[(row, 0)] - other[(row, 0)]).norm() / other[(row, 0)].norm();
                assert!(off < 1e-8, "v = {v}, s = {s}, output {row}: the forms differ by {off:e}");
            }
        }
    }
}

/// Rows that depend on others take no speed of their own.
#[test]
fn a_wheelset_has_a_speed_for_every_independent_row() {
    let m = with(files::WHEELSET, &[]);
    let at = start(&m).unwrap();
    let reduced = descriptor(&m, &at, &linearize(&m, &at)).unwrap().to_state_space().unwrap();
    assert_eq!(reduced.order(), 5, "{:?}", reduced.states);
}

/// An instant of a motion that rolls has no such system: its rows would be taken for rows of positions.
#[test]
fn an_instant_that_rolls_is_refused() {
    let m = with(files::BICYCLE, &[]);
    let (q, v) = (m.initial().to_vec(), m.initial_velocity().to_vec());
    let at = Instant::of_motion(&m, q, v, 0.0, Vec::new(), 1e-9).unwrap();
    let found = descriptor_of_instant(&m, &at, &linearize_instant(&m, &at));
    assert!(matches!(found, Err(LinearError::WithVelocityRows { .. })), "{found:?}");
}
