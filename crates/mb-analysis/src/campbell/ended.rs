//! Tests: Campbell diagrams that are ended keep the speeds reached, and what they claim is that of the whole diagram.

use super::{Campbell, CampbellOptions, SpeedOf, campbell};
use mb_algebra::Watch;
use mb_model::ModelSpec;

/// A mass on two pairs of springs on a turntable: it grows between the square roots of 200 and of 2000.
const TURNTABLE: &str = r#"
    units = "SI"
    name = "turntable"
    gravity = [0, 0]
    body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
    joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
    point = [{ name = "m", at = [0, 0], mass = 1 }]
    spring = [
        { name = "east", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "west", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "north", a = "table.n", b = "m", stiffness = 100, natural_length = 1 },
        { name = "south", a = "table.s", b = "m", stiffness = 100, natural_length = 1 },
    ]
"#;

fn diagram(range: [f64; 2]) -> Campbell {
    let spec = ModelSpec::from_toml(TURNTABLE).unwrap();
    let options = CampbellOptions { samples: 31, ..CampbellOptions::default() };
    campbell(&spec, &SpeedOf::Joint("axle".to_owned()), range, &options, &|_, _| false).unwrap()
}

/// Ends of ranges of growth with their errors.
fn ends(c: &Campbell) -> Vec<[f64; 2]> {
    c.unstable.iter().flat_map(|u| [u.from, u.to]).flatten().collect()
}

/// Whether a value lies between some of others.
fn inside(w: f64, list: &[f64]) -> bool {
    list.iter().any(|x| *x <= w) && list.iter().any(|x| *x >= w)
}

/// Ends the work at many places of the same run, those counted in steps: the same in every run.
#[test]
fn a_part_of_a_diagram_is_that_of_the_whole() {
    const PARTS: u64 = 110;
    for range in [[1.0, 60.0], [60.0, 1.0]] {
        let count = Watch::new();
        let whole = count.scope(|| diagram(range)).unwrap();
        assert!(whole.early.is_none() && whole.unstable.len() == 1 && whole.critical.len() > 3);
        let (mut tails, mut unsolved, mut wide, mut solved) = (0, 0, 0, 0);
        for part in 1..PARTS {
            // Nothing is kept where the first speed has not been reached.
            let Ok(found) = Watch::after(count.steps() * part / PARTS).scope(|| diagram(range)) else {
                continue;
            };
            let early = found.early.as_ref().unwrap();
            assert!(whole.unsolved.is_empty());
            assert_eq!(early.samples, 31);
            let begin = whole.speeds.len() - found.speeds.len();
            assert_eq!(found.speeds, whole.speeds[begin..]);
            tails += usize::from(begin > 0);
            // The same bits as in the whole, where more modes may be among the lowest of an end.
            for mode in &found.modes {
                assert!(whole.modes.iter().any(|other| *mode == other[begin..]), "{part}: {mode:?}");
            }
            assert!(
                found.critical.iter().all(|c| whole.critical.contains(c)),
                "{part}: {:?}",
                found.critical
            );
            solved += usize::from(begin == 0 && !found.critical.is_empty());
            for u in &found.unsolved {
                let met =
                    |c: &super::Critical| c.order.total_cmp(&u.order).is_eq() && inside(c.speed, &u.between);
                assert!(whole.critical.iter().any(met), "{part}: {u:?}");
                unsolved += 1;
            }
            // Every end in the reach of the part is enclosed by it.
            for [exact, _] in ends(&whole).into_iter().filter(|end| inside(end[0], &found.speeds)) {
                let hit = ends(&found).into_iter().find(|[w, error]| (w - exact).abs() <= *error + 1e-9);
                let [_, error] = hit.unwrap_or_else(|| panic!("{part}: {exact} in {:?}", found.unstable));
                wide += usize::from(error > 0.1);
            }
            assert!(found.resolution >= whole.resolution && found.resolution.is_finite());
        }
        assert!(
            tails > 3 && unsolved > 3 && wide > 3 && solved > 3,
            "{tails} {unsolved} {wide} {solved} of {} steps",
            count.steps()
        );
    }
}
